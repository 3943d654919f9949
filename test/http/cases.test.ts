import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countStorage } from '../../src/application/accounts/count-storage.ts';
import { raiseRevision } from '../../src/db/data/trials.ts';
import {
  blackBox,
  type NativeService,
  OBJECTIVES,
  openNativeService,
  prepareTrial,
  type Send,
} from './native-service.ts';

let service: NativeService;
let send: Send;

beforeAll(async () => {
  service = await openNativeService();
  send = service.send;
});
afterAll(() => service.close());

const CSV = { 'content-type': 'text/csv' };

interface Names {
  readonly inputNames?: readonly string[];
  readonly inputUnits?: readonly string[];
  readonly outputNames?: readonly string[];
  readonly outputUnits?: readonly string[];
}

const REACTOR = {
  inputNames: ['T', 'n (max)'],
  inputUnits: ['K', ''],
  outputNames: ['yield', 'loss', 'cost'],
  outputUnits: ['%', '%', 'EUR'],
};

async function prepare(names: Names = {}) {
  const trial = await prepareTrial(send);
  await send('PATCH', trial.projectUrl, names);
  const url = `${trial.trialUrl}/cases`;
  return {
    ...trial,
    url,
    add: (body: unknown) => send('POST', url, body),
    addFile: (text: string, query = '') => send('POST', `${url}${query}`, text, CSV),
    list: async () => (await send('GET', `${url}?limit=200`)).body,
  };
}

/** Each error of a refusal as `property: message`. */
function faultsOf({ body }: { readonly body: { readonly errors: { property: string; message: string }[] } }): string[] {
  return body.errors.map(({ property, message }) => `${property}: ${message}`);
}

describe('adding cases as JSON', () => {
  it('Rows are stored after the designed cases and listed with where they come from', async () => {
    const { add, list, trialUrl, project } = await prepare();
    const answer = await add({
      inputs: [
        [3, 4],
        [11, 5],
        [1, 1],
      ],
      outputs: [blackBox([3, 4]), blackBox([11, 5]), null],
      source: 'rig 2012',
    });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({ added: 3, duplicates: 0, outside: 1, leftOut: 0, total: 6, revision: 1 });
    const cases = await list();
    expect(cases.map((one: { number: number }) => one.number)).toEqual([1, 2, 3, 4, 5, 6]);
    const plain = { jacobian: null, failed: false, excluded: false, corrected: false };
    expect(cases[1]).toEqual({
      ...plain,
      number: 2,
      input: project.inputCases[1],
      output: blackBox(project.inputCases[1]),
      source: 'designed',
      sourceName: null,
    });
    expect(cases[4]).toEqual({
      ...plain,
      number: 5,
      input: [11, 5],
      output: blackBox([11, 5]),
      source: 'added',
      sourceName: 'rig 2012',
    });
    expect(cases[5]).toMatchObject({ number: 6, input: [1, 1], output: null, failed: true, source: 'added' });
    expect((await send('GET', trialUrl)).body.revision).toBe(1);
  });

  it('Rows by name need no order, and the list shows them by name', async () => {
    const { add, list } = await prepare(REACTOR);
    const outputs = [
      { cost: 3, yield: 1, loss: 2 },
      { yield: 4, loss: 5, cost: 6 },
    ];
    const inputs = [
      { 'n (max)': 4, T: 3 },
      { T: 1, 'n (max)': 1 },
    ];
    expect((await add({ inputs, outputs, failed: [1] })).body).toMatchObject({ added: 2, total: 5 });
    const cases = await list();
    expect(cases[3]).toMatchObject({
      input: [3, 4],
      inputByName: { T: 3, 'n (max)': 4 },
      output: [1, 2, 3],
      outputByName: { yield: 1, loss: 2, cost: 3 },
    });
    expect(cases[4]).toMatchObject({ input: [1, 1], output: null, outputByName: null, failed: true });
  });

  it('Without names inputs are x1, x2 and outputs y1, y2, y3', async () => {
    const { add } = await prepare();
    const answer = await add({ inputs: [{ x2: 4, x1: 3 }], outputs: [{ y1: 1, y2: 2, y3: 3 }] });
    expect(answer.body).toMatchObject({ added: 1 });
    expect(faultsOf(await add({ inputs: [{ x3: 4, x1: 3 }], outputs: [[1, 2, 3]] }))).toEqual([
      'inputs[0].x3: is not an input; did you mean x1?',
      expect.stringMatching(/^inputs\[0\]\.x2: is required/),
    ]);
  });

  it('Rows of failed runs may contain anything, and all may have failed', async () => {
    const { add, list } = await prepare();
    const inputs = [
      [3, 4],
      [5, 6],
    ];
    expect((await add({ inputs, outputs: [null, 'nothing'], failed: [1] })).body).toMatchObject({ added: 2 });
    expect((await list()).slice(3).map((one: { output: unknown }) => one.output)).toEqual([null, null]);
  });

  it.each([
    [{ inputs: [[1, 2]] }, ['outputs: is required: send an array of cases.']],
    [
      { inputs: [], outputs: [] },
      ['inputs: must have at least 1 cases, has 0.', 'outputs: must have at least 1 cases, has 0.'],
    ],
    [{ inputs: [[1, 2]], outputs: [null, null] }, ['outputs: must have one row per row of inputs (1), has 2.']],
    [{ inputs: [[1, 2]], outputs: [null], failed: [1] }, ['failed[0]: must be at most 0, the last row, is 1.']],
    [{ inputs: [[1, 2, 3]], outputs: [null] }, ['inputs[0]: must have one value per input (2), has 3.']],
    [{ inputs: [[1, 2]], outputs: [[1]] }, ['outputs[0]: must have one value per output (3), has 1.']],
    [
      { inputs: [[1, 2], [1]], outputs: [null, null] },
      ['inputs[1]: must have as many values as inputs[0] (2), has 1.'],
    ],
    [{ inputs: [[1, '2']], outputs: [null] }, ['inputs[0][1]: must be a finite number, is the string "2".']],
    [{ inputs: [[1, 2.5]], outputs: [null] }, ['inputs[0][1]: must be a whole number (the input is integer), is 2.5.']],
    [{ inputs: [[1, 2]], outputs: [[1, null, 3]] }, ['outputs[0][1]: must be a finite number, is null.']],
    [
      {
        inputs: [
          { x1: 1, x2: 2 },
          { x1: 1, x3: 2 },
        ],
        outputs: [null, null],
      },
      [
        'inputs[1].x2: is required: inputs[0] has it.',
        'inputs[1].x3: is not a name in inputs[0]; all rows need the same names; did you mean x1?',
      ],
    ],
    [
      { inputs: [{ x1: 1, x2: 2 }, [1, 2]], outputs: [null, null] },
      ['inputs[1]: must be an object by name like inputs[0], is an array.'],
    ],
    [
      { inputs: [{ x1: 'hot', x2: 2 }], outputs: [null] },
      ['inputs[0].x1: must be a finite number, is the string "hot".'],
    ],
    [{ inputs: [[1, 2]], outputs: [null], source: '' }, ['source: must have at least 1 characters, has 0.']],
    [{ inputs: [[1, 2]], outputs: [null], sauce: 'x' }, ['sauce: is not a field; did you mean source?']],
  ])('%j is refused with the position of each fault', async (body, faults) => {
    const { add, list } = await prepare();
    const answer = await add(body);
    expect(answer.status).toBe(400);
    expect(faultsOf(answer)).toEqual(faults);
    expect(await list()).toHaveLength(3);
  });

  it('A number beyond the range of doubles is named', async () => {
    const { add } = await prepare();
    const answer = await add('{"inputs": [[1, 2]], "outputs": [[1, 1e400, 3]]}');
    expect(faultsOf(answer)).toEqual([
      'outputs[0][1]: must be a finite number, is beyond the range of a double precision number.',
    ]);
  });

  it('Ten thousand rows by name are one request', async () => {
    const { add } = await prepare(REACTOR);
    const inputs = Array.from({ length: 10_000 }, (_, i) => ({ T: i / 1_000, 'n (max)': 3 }));
    const outputs = inputs.map(({ T }) => ({ yield: T, loss: 1, cost: 2 }));
    const answer = await add({ inputs, outputs });
    expect(answer.body).toMatchObject({ added: 10_000, total: 10_003 });
  });
});

describe('adding cases as a CSV file', () => {
  it('The columns may have any order, units in either bracket, and a failed run has no outputs', async () => {
    const { addFile, list } = await prepare(REACTOR);
    const text = ['cost (EUR),T [K],yield [%],n (max),loss', '30,3,10,4,20', ',5,,6,', '"31",2e0,11,5,21', ''].join(
      '\r\n',
    );
    const answer = await addFile(`\ufeff${text}\r\n`, '?source=rig%202012');
    expect(answer.body).toEqual({ added: 3, duplicates: 0, outside: 0, leftOut: 0, total: 6, revision: 1 });
    expect((await list()).slice(3)).toMatchObject([
      { input: [3, 4], output: [10, 20, 30], failed: false, sourceName: 'rig 2012' },
      { input: [5, 6], output: null, failed: true },
      { input: [2, 5], output: [11, 21, 31], failed: false },
    ]);
  });

  it('Semicolons with decimal commas are read as numbers', async () => {
    const { addFile, list } = await prepare();
    expect((await addFile('x1;x2;y1;y2;y3\n1,5;4;0,25;-1;1e1\n')).status).toBe(201);
    expect((await list())[3]).toMatchObject({ input: [1.5, 4], output: [0.25, -1, 10] });
  });

  it('Sending a file twice stores it once', async () => {
    const { addFile, list } = await prepare();
    const text = 'x1,x2,y1,y2,y3\n1,2,3,4,5\n1,2,3,4,6\n1,2,,,\n1,2,3,4,5\n';
    expect((await addFile(text)).body).toMatchObject({ added: 3, duplicates: 1, total: 6, revision: 1 });
    expect((await addFile(text)).body).toMatchObject({ added: 0, duplicates: 4, total: 6, revision: 1 });
    const one = `${text}-0,0,0,0,0\n`;
    // The first designed case is [0, 0] with the outputs [0, 0, 0].
    expect((await addFile(one)).body).toMatchObject({ added: 0, duplicates: 5, outside: 0, revision: 1 });
    expect(await list()).toHaveLength(6);
  });

  it('A case that was corrected is known as it was and as it is', async () => {
    const { addFile, list, trialId } = await prepare();
    await addFile('x1,x2,y1,y2,y3\n1,2,3,4,5\n');
    await service.db.transaction().execute(async (trx) => {
      const accountId = (
        await trx.selectFrom('trials').select('account_id').where('id', '=', trialId).executeTakeFirstOrThrow()
      ).account_id;
      for (const [caseNumber, output] of [
        [4, [3, 4, 50]],
        [1, null],
      ] as const) {
        const revision = await raiseRevision(trx, accountId, trialId);
        await trx
          .insertInto('corrections')
          .values({
            account_id: accountId,
            trial_id: trialId,
            revision,
            case_number: caseNumber,
            objective_id: null,
            inverse_id: null,
            iteration: null,
            old_output: [3, 4, 5],
            old_failure_reason: null,
            was_excluded: false,
            new_output: output,
            new_failure_reason: output === null ? 'a leak' : null,
            is_excluded: caseNumber === 4,
            reason: 'typing error',
            corrected_by: 'a test',
          })
          .execute();
      }
    });
    const cases = await list();
    expect(cases[3]).toMatchObject({ number: 4, output: [3, 4, 50], corrected: true, excluded: true, failed: false });
    expect(cases[0]).toMatchObject({ number: 1, output: null, corrected: true, excluded: false, failed: true });
    expect(cases[1]).toMatchObject({ corrected: false });
    const sent = await addFile('x1,x2,y1,y2,y3\n1,2,3,4,5\n1,2,3,4,50\n0,0,,,\n0,0,0,0,0\n0,0,0,0,1\n');
    expect(sent.body).toMatchObject({ added: 1, duplicates: 4, revision: 4 });
  });

  it('Columns of an export about its rows are read for what they say', async () => {
    const { addFile, list } = await prepare();
    const text = [
      'number,x1,x2,y1,y2,y3,status,failureReason,excluded,met:y1',
      '1,1,2,3,4,5,completed,,false,true',
      '2,2,2,,,,failed,a leak,false,',
      '3,3,2,3,4,5,completed,,true,false',
      '4,4,2,,,,active,,false,',
    ].join('\n');
    expect((await addFile(text)).body).toMatchObject({ added: 2, leftOut: 2, total: 5 });
    expect((await list()).slice(3)).toMatchObject([
      { input: [1, 2], output: [3, 4, 5] },
      { input: [2, 2], output: null },
    ]);
  });

  it.each([
    [
      'T,n (max),yield,lost,cost\n1,2,3,4,5',
      ['header, column lost: is neither an input nor an output; did you mean loss?'],
    ],
    ['T,n (max),yield,loss,cost,T\n1,2,3,4,5,6', ['header, column T: is there twice: T needs one column.']],
    [
      'T,n (max),yield,loss\n1,2,3,4',
      [
        'header, column cost [EUR]: is missing: the header needs the names of all inputs and outputs, this one is output 3.',
      ],
    ],
    [
      'T [C],n (max),yield,loss,cost\n1,2,3,4,5',
      [
        'header, column T [C]: has the unit C; the unit of T is K. Units are compared as text and never converted: convert the numbers, or correct the header.',
      ],
    ],
    [
      'T,n (max),yield,loss,cost,\n1,2,3,4,5,6',
      ['header, column : has no title; name the input or output, or delete the column.'],
    ],
    [
      'T,n (max),yield,loss,cost\n1,2,3,NaN,5\n2,2,1e400,4,inf\n,2,1,1,1\n1,2,,3,4',
      [
        'row 1 (line 2), column loss: must be a finite number, is NaN. If the run failed, leave all outputs of the row empty.',
        'row 2 (line 3), column yield: must be a finite number, 1e400 is beyond the range of a double precision number. If the run failed, leave all outputs of the row empty.',
        'row 2 (line 3), column cost: must be a finite number, is inf. If the run failed, leave all outputs of the row empty.',
        'row 3 (line 4), column T: is empty: every case needs all inputs.',
        'row 4 (line 5), column yield: is empty while other outputs of the row are not: fill it in, or leave all of them empty for a failed run.',
      ],
    ],
    [
      'T,n (max),yield,loss,cost\n"1,5",2.5,3,4,5',
      [
        'row 1 (line 2), column T: must be a finite number, is 1,5: write a decimal point, or separate the cells by semicolons if numbers have decimal commas.',
        'row 1 (line 2), column n (max): must be a whole number (the input is integer), is 2.5.',
      ],
    ],
    [
      'T;n (max);yield;loss;cost\n1,5;2;3.5;4;5',
      [
        'row 1 (line 2), column yield: must be a finite number, is 3.5: numbers before it have decimal commas; use one decimal mark in a file. If the run failed, leave all outputs of the row empty.',
      ],
    ],
    ['T,n (max),yield,loss,cost\n1,"2,3,4,5', [expect.stringContaining('opens a double quote that nothing closes')]],
    ['T,n (max),yield,loss,cost\n', [expect.stringContaining('it has only a header')]],
    ['', [expect.stringContaining('it is empty')]],
    ['{"inputs": [[1, 2]], "outputs": [null]}', [expect.any(String)]],
  ])('%j is refused with row, line and column', async (text, faults) => {
    const { addFile, list } = await prepare(REACTOR);
    const answer = await addFile(text);
    expect(answer.status).toBe(400);
    expect(faultsOf(answer)).toEqual(faults);
    expect(await list()).toHaveLength(3);
  });

  it('The pointer of a fault is row and column, 0 for the header', async () => {
    const { addFile } = await prepare();
    const { body } = await addFile('x1,x2,y1,y2,y3\n1,2,3,4,a/b\n');
    expect(body.errors[0].pointer).toBe('/1/y3');
    expect((await addFile('x1,x/2,y1,y2,y3\n1,2,3,4,5\n')).body.errors[0].pointer).toBe('/0/x~12');
  });

  it('At most 50 faults are listed, and nothing is stored', async () => {
    const { addFile, list } = await prepare();
    const answer = await addFile(`x1,x2,y1,y2,y3\n${'1,2,3,4,5\n'.repeat(50)}${'a,b,c,d,e\n'.repeat(1_000)}`);
    expect(answer.body.errors).toHaveLength(50);
    expect(await list()).toHaveLength(3);
  });

  it('A CSV file is accepted on this route only, and other media types nowhere', async () => {
    const { url, projectUrl } = await prepare();
    const file = 'x1,x2,y1,y2,y3\n1,2,3,4,5\n';
    expect((await send('POST', url, file, { 'content-type': 'Text/CSV; charset=utf-8; header=present' })).status).toBe(
      201,
    );
    const other = await send('POST', url, file, { 'content-type': 'application/vnd.ms-excel' });
    expect([other.status, other.body.detail]).toEqual([
      415,
      'Send the body as JSON with Content-Type: application/json, as a CSV file with Content-Type: text/csv, or as a workbook with Content-Type: application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.',
    ]);
    const elsewhere = await send('POST', `${projectUrl}/output-cases`, file, CSV);
    expect([elsewhere.status, elsewhere.body.detail]).toEqual([
      415,
      'Send the body as JSON with Content-Type: application/json.',
    ]);
  });

  it('A source must be one text, stated once', async () => {
    const { url, addFile, add } = await prepare();
    const file = 'x1,x2,y1,y2,y3\n1,2,3,4,5\n';
    expect(faultsOf(await addFile(file, '?source='))).toEqual(['source: must have at least 1 characters, has 0.']);
    expect(faultsOf(await addFile(file, '?source=a&source=b'))).toEqual(['source: must be one text.']);
    expect((await add({ inputs: [[1, 2]], outputs: [null] })).status).toBe(201);
    const both = await send('POST', `${url}?source=a`, { inputs: [[1, 3]], outputs: [null], source: 'b' });
    expect(faultsOf(both)).toEqual(['source: must be stated once, in the query or in the body.']);
  });
});

describe('inputs that are no plain numbers', () => {
  async function prepareCategories() {
    const model = (await send('POST', '/v1/models', { name: `model ${crypto.randomUUID()}` })).body;
    const projects = `/v1/models/${model.id}/projects`;
    const project = (
      await send('POST', projects, {
        name: 'categories',
        inputCount: 4,
        minimums: [0, 1, 0, 1],
        maximums: [1, 3, 1, 100],
        inputTypes: ['float', 'category', 'boolean', 'float'],
        categories: [[], ['steel', 'oak, red', '7'], [], []],
        scales: [null, null, null, 'log'],
        constraints: ['x1 + x4 <= 50'],
        inputCases: [[0.5, 1, 0, 10]],
      })
    ).body;
    const url = `${projects}/${project.id}`;
    const set = (await send('POST', `${url}/output-cases`, { outputCount: 1, outputCases: [[1]] })).body;
    const cases = `${url}/trials/${set.trial_id}/cases`;
    return { cases, addFile: (text: string) => send('POST', cases, text, CSV) };
  }

  it('Categories are read by name, also one that looks like a number, and booleans as words', async () => {
    const { addFile, cases } = await prepareCategories();
    const rows = ['0.1,steel,TRUE,1,1', '0.2,"oak, red",false,2,1', '0.3,7,1,3,1', '0.4,2,0,4,1'];
    expect((await addFile(`x1,x2,x3,x4,y1\n${rows.join('\n')}`)).body).toMatchObject({ added: 4, outside: 0 });
    const listed = (await send('GET', cases)).body.slice(1);
    expect(listed.map((one: { input: number[] }) => one.input)).toEqual([
      [0.1, 1, 1, 1],
      [0.2, 2, 0, 2],
      [0.3, 3, 1, 3],
      [0.4, 2, 0, 4],
    ]);
  });

  it('Inputs outside the bounds or against a constraint are kept and counted', async () => {
    const { addFile } = await prepareCategories();
    const rows = ['-1,steel,1,1,1', '0.5,steel,1,60,1', '0.5,steel,1,49,1', '0.5,steel,1,1000,1'];
    expect((await addFile(`x1,x2,x3,x4,y1\n${rows.join('\n')}`)).body).toMatchObject({ added: 4, outside: 3 });
  });

  it('A code that no category has, or a number that a log scale does not have, is refused', async () => {
    const { addFile, cases } = await prepareCategories();
    const rows = ['1,steal,1,1,1', '1,4,yes,1,1', '1,1.5,2,1,1', '1,steel,1,0,1'];
    expect(faultsOf(await addFile(`x1,x2,x3,x4,y1\n${rows.join('\n')}`))).toEqual([
      'row 1 (line 2), column x2: is steal; it must be one of steel, oak, red, 7; did you mean steel?',
      'row 2 (line 3), column x2: must be a name of its categories or its number, 1 to 3, is 4.',
      'row 2 (line 3), column x3: must be 0, 1, true or false, is yes.',
      'row 3 (line 4), column x2: must be a whole number (the input is category), is 1.5.',
      'row 3 (line 4), column x3: must be 0, 1, true or false, is 2.',
      'row 4 (line 5), column x4: must be positive: the scale of the input is log, is 0.',
    ]);
    const byName = { inputs: [{ x1: 1, x2: 'steel', x3: true, x4: 1 }], outputs: [{ y1: 2 }] };
    expect((await send('POST', cases, byName)).body).toMatchObject({ added: 1 });
    const wrong = { inputs: [{ x1: 1, x2: 'steal', x3: 'yes', x4: 1 }], outputs: [{ y1: 2 }] };
    expect(faultsOf(await send('POST', cases, wrong))).toEqual([
      'inputs[0].x2: is steal; it must be one of steel, oak, red, 7; did you mean steel?',
      'inputs[0].x3: must be 0, 1, true or false, is the string "yes".',
    ]);
  });
});

describe('the trial', () => {
  it('A closed or deleted trial takes no cases and still lists them', async () => {
    const { add, url, trialUrl, list } = await prepare();
    const body = { inputs: [[1, 2]], outputs: [null] };
    await send('PATCH', trialUrl, { status: 'completed' });
    expect((await add(body)).body.type).toBe('urn:backsolve:problem:trial-closed');
    await send('DELETE', trialUrl);
    expect((await add(body)).status).toBe(404);
    expect(await list()).toHaveLength(3);
    expect((await send('POST', url.replace(/trials\/\d+/, 'trials/999999'), body)).status).toBe(404);
    expect((await send('GET', url.replace(/trials\/\d+/, 'trials/999999'))).status).toBe(404);
  });

  it('Objectives are marked as not judged when cases come, and not otherwise', async () => {
    const { add, trialUrl } = await prepare();
    const { id } = (await send('POST', `${trialUrl}/objectives`, OBJECTIVES)).body;
    const read = () =>
      service.db
        .selectFrom('objectives')
        .select(['data_revision as revision', 'judged_through as judged'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
    expect(await read()).toEqual({ revision: 0, judged: 1 });
    await add({ inputs: [[0, 0]], outputs: [blackBox([0, 0])] });
    expect(await read()).toEqual({ revision: 0, judged: 1 });
    await add({ inputs: [[4, 4]], outputs: [blackBox([4, 4])] });
    expect((await read()).revision).toBe(1);
  });

  it('The best run of an objective follows cases that are added', async () => {
    const { add, trialUrl } = await prepare();
    const { id } = (await send('POST', `${trialUrl}/objectives`, OBJECTIVES)).body;
    const best = async () => (await send('GET', `${trialUrl}/objectives/${id}`)).body.best;
    expect((await best()).caseNumber).not.toBe(4);
    await add({ inputs: [[3.5, 7]], outputs: [blackBox([3.5, 7])] });
    expect(await best()).toMatchObject({ caseNumber: 4, input: [3.5, 7] });
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const nearer = { inputs: [[3, 7]], outputs: [blackBox([3, 7])] };
    await send('POST', `${trialUrl}/cases`, nearer, headers);
    expect(await best()).toMatchObject({ input: [3, 7] });
  });

  it('The list has pages that cross from designed to added cases', async () => {
    const { add, url } = await prepare();
    for (const batch of [0, 1, 2]) {
      await add({ inputs: [0, 1, 2].map((i) => [i, batch]), outputs: [0, 1, 2].map((i) => [i, batch, 7]) });
    }
    const numbers: number[] = [];
    let next: string | undefined = `${url}?limit=5`;
    while (next !== undefined) {
      const page = await send('GET', next);
      numbers.push(...page.body.map((one: { number: number }) => one.number));
      next = /<(.*)>/.exec(String(page.headers['link'] ?? ''))?.[1];
    }
    expect(numbers).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
    expect((await send('GET', `${url}?after=7&limit=1`)).body).toMatchObject([
      { number: 8, input: [1, 1], output: [1, 1, 7] },
    ]);
  });

  it('Requests at the same time number their cases without gaps, each row once', async () => {
    const { add, list } = await prepare();
    const rows = Array.from({ length: 8 }, (_, k) => [k, 3]);
    const answers = await Promise.all(
      rows.map((_, k) => add({ inputs: rows.slice(0, k + 1), outputs: rows.slice(0, k + 1).map(() => [1, 2, 3]) })),
    );
    expect(answers.map(({ status }) => status)).toEqual(rows.map(() => 201));
    expect(answers.reduce((sum, { body }) => sum + body.added, 0)).toBe(8);
    expect((await list()).map((one: { number: number }) => one.number)).toEqual(
      Array.from({ length: 11 }, (_, i) => i + 1),
    );
  });

  it('A repeat with the same Idempotency-Key gets the first answer', async () => {
    const { url } = await prepare();
    const headers = { ...CSV, 'idempotency-key': crypto.randomUUID() };
    const file = 'x1,x2,y1,y2,y3\n1,2,3,4,5\n';
    const first = await send('POST', url, file, headers);
    const second = await send('POST', url, file, headers);
    expect(second.body).toEqual(first.body);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect((await send('POST', url, `${file}2,2,3,4,5\n`, headers)).status).toBe(422);
  });
});

describe('limits', () => {
  const account = { storedBytes: 0, storedRows: 0, openObjectives: 0, queuedSuggestions: 0, cases: 10_000, cells: 0 };

  async function open(limits: Partial<typeof account>) {
    const limited = await openNativeService({ settings: { account: { ...account, ...limits } } });
    const trial = await prepareTrial(limited.send);
    const addRows = (count: number, from = 0) => {
      const rows = Array.from({ length: count }, (_, i) => `${(from + i) / 1e6},2,3,4,5`);
      return limited.send('POST', `${trial.trialUrl}/cases`, `x1,x2,y1,y2,y3\n${rows.join('\n')}`, CSV);
    };
    return { limited, addRows };
  }

  it('A trial has at most 100,000 cases', async () => {
    const { limited, addRows } = await open({});
    try {
      for (let call = 0; call < 9; call++) await addRows(10_000, call * 10_000);
      const refused = await addRows(10_000, 90_000);
      expect(faultsOf(refused)).toEqual([
        ': has 10000 new cases; the trial has 90003 and may have 100000 (the limit of every trial). Send at most 9997, those nearest to what you look for.',
      ]);
      expect((await addRows(9_997, 90_000)).body).toMatchObject({ added: 9_997, total: 100_000 });
      expect((await addRows(10_000, 50_000)).body).toMatchObject({ added: 0, duplicates: 10_000 });
    } finally {
      await limited.close();
    }
  });

  it('A trial has at most MAXIMUM_CASE_NUMBERS numbers in its inputs and in its outputs', async () => {
    const { limited, addRows } = await open({ cells: 3_000 });
    try {
      expect(faultsOf(await addRows(998))).toEqual([expect.stringContaining('the trial has 3 and may have 1000')]);
      expect((await addRows(997)).status).toBe(201);
    } finally {
      await limited.close();
    }
  });

  it('Added cases count towards the quota of the account', async () => {
    const { limited, addRows } = await open({ storedBytes: 40_000 });
    try {
      const before = (await limited.send('GET', '/v1/account')).body;
      expect((await addRows(100)).status).toBe(201);
      await countStorage(limited.db);
      const after = (await limited.send('GET', '/v1/account')).body;
      expect(JSON.stringify(after)).not.toBe(JSON.stringify(before));
      const refused = await addRows(1_000, 5_000);
      expect([refused.status, refused.body.type]).toEqual([403, 'urn:backsolve:problem:quota-exceeded']);
    } finally {
      await limited.close();
    }
  });
});
