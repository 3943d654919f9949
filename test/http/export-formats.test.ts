/** Iterations as CSV and as lines of JSON: every digit, nothing a spreadsheet would run, and fit to be loaded again. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { trialCaseLineSchema } from '../../src/http/native/data/trial-case-rows.wire.ts';
import { runLineSchema } from '../../src/http/native/search/runs.wire.ts';
import { blackBox, type NativeService, OBJECTIVES, openNativeService, prepareObjective } from './native-service.ts';

let service: NativeService;
beforeAll(async () => {
  service = await openNativeService();
});
afterAll(() => service.close());

const CSV = { accept: 'text/csv' };
const LINES = { accept: 'application/x-ndjson' };

/** Cells of RFC 4180, lines ended by CRLF. */
function parseCsv(text: string): string[][] {
  expect(text.endsWith('\r\n')).toBe(true);
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1)!.push(quoted === undefined ? plain! : quoted.replaceAll('""', '"'));
    if (end === '\r\n') rows.push([]);
  }
  return rows.slice(0, -1);
}

const lines = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => runLineSchema.parse(JSON.parse(line)));

/** A category whose numbers begin at 3, a boolean and a float; two outputs. */
async function prepareNamed() {
  const { send } = service;
  const { body: model } = await send('POST', '/v1/models', { name: `named model ${crypto.randomUUID()}` });
  const { body: project } = await send('POST', `/v1/models/${model.id}/projects`, {
    name: 'named project',
    inputCount: 3,
    minimums: [3, 0, -1],
    maximums: [5, 1, 1],
    inputTypes: ['category', 'boolean', 'float'],
    categories: [['=steel', 'brass, "old"', 'plain line'], [], []],
    inputCases: [[3, 0, 0]],
  });
  const projectUrl = `/v1/models/${model.id}/projects/${project.id}`;
  const { body: set } = await send('POST', `${projectUrl}/output-cases`, { outputCount: 2, outputCases: [[1, 1]] });
  const trialUrl = `${projectUrl}/trials/${set.trial_id}`;
  const { body: objective } = await send('POST', `${trialUrl}/objectives`, {
    objectives: [10, 20],
    objectiveTypes: ['lessthan', 'value'],
    minimumBounds: [null, -1],
    maximumBounds: [null, 1],
    initialInput: [4, 1, 0.1],
    initialOutput: [1, 2],
    desiredL1Norm: 0,
  });
  await sql`
    update projects set input_names = ${['+material', 'glued', 'met:Power']}, input_units = ${['', '', 'm/s']},
      output_names = ${['Power', 'run']}, output_units = ${['kW', '']} where id = ${project.id}`.execute(service.db);
  await sql`
    insert into inverses (account_id, objective_id, iteration, status, input, output, failure_reason, excluded_at)
    select account_id, id, r.* from objectives, (values
      (2, 'failed', array[3, 0, 1e-300]::float8[], null::float8[], '-1, "sic"', null::timestamptz),
      (3, 'active', array[5, 1, 0.30000000000000004], array[9.9, 20.5], null, now()),
      (4, 'active', array[5, 0, 1e20], null, null, null),
      (5, 'active', null, null, null, null)) r
    where id = ${objective.id}`.execute(service.db);
  return `/v1/objectives/${objective.id}`;
}

/** The columns that are always first. */
const HEADER = [
  "'+material",
  'glued',
  'met:Power [m/s]',
  'Power [kW]',
  'run',
  'row:run',
  'status',
  'row:met:Power',
  'met:run',
  'failureReason',
  'excluded',
];

describe('iterations as CSV', () => {
  it.each(['history', 'inverses'])('The %s has a titled row per iteration, quoted and guarded', async (list) => {
    const answer = await service.send('GET', `${await prepareNamed()}/${list}`, undefined, CSV);
    expect([answer.status, answer.headers['content-type'], answer.headers['vary']]).toEqual([
      200,
      'text/csv; charset=utf-8; header=present',
      'Accept',
    ]);
    expect(parseCsv(answer.text).map((row) => row.slice(0, HEADER.length))).toEqual([
      HEADER,
      ['brass, "old"', '1', '0.1', '1', '2', '1', 'active', 'true', 'false', '', 'false'],
      ["'=steel", '0', '1e-300', '', '', '2', 'failed', '', '', '\'-1, "sic"', 'false'],
      ['plain line', '1', '0.30000000000000004', '9.9', '20.5', '3', 'active', 'true', 'true', '', 'true'],
      ['plain line', '0', '1e+20', '', '', '4', 'active', '', '', '', 'false'],
      ['', '', '', '', '', '5', 'active', '', '', '', 'false'],
    ]);
    expect(answer.text).toContain('"brass, ""old"""');
  });

  it('Without names the columns are x1, x2, ... and y1, y2, ..., and exact outputs are judged together', async () => {
    const t = await prepareObjective(service.send, {
      objectives: [10, 0, 10],
      objectiveTypes: ['exact', 'exact', 'exact'],
      minimumBounds: [],
      maximumBounds: [],
      desiredL1Norm: 0.5,
    });
    await sql`
      insert into inverses (account_id, objective_id, iteration, input, output)
      select account_id, id, 2, array[1, 2], array[10.4, 0, 10.2] from objectives where id = ${t.loaded.body.id}`.execute(
      service.db,
    );
    const { text } = await service.send('GET', `${t.objectiveUrl}/history`, undefined, CSV);
    expect(parseCsv(text).map((row) => row.slice(0, 12))).toEqual([
      ['x1', 'x2', 'y1', 'y2', 'y3', 'run', 'status', 'met:y1', 'met:y2', 'met:y3', 'failureReason', 'excluded'],
      ['5', '5', '10', '0', '10', '1', 'converged', 'true', 'true', 'true', '', 'false'],
      ['1', '2', '10.4', '0', '10.2', '2', 'active', 'false', 'false', 'false', '', 'false'],
    ]);
  });

  it('No row is left out of a long history, whatever every says; after and limit choose', async () => {
    const t = await prepareObjective(service.send);
    await sql`
      insert into inverses (account_id, objective_id, iteration, input, output)
      select account_id, id, n, array[n, 7], array[n, -4, 6.1] from objectives, generate_series(2, 1700) n
      where id = ${t.loaded.body.id}`.execute(service.db);
    const iterationsOf = async (path: string) => {
      const { headers, text } = await service.send('GET', path, undefined, CSV);
      return {
        link: headers['link'],
        iterations: parseCsv(text)
          .slice(1)
          .map((row) => Number(row[5])),
      };
    };
    const upTo = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
    expect((await iterationsOf(`${t.objectiveUrl}/history?every=50`)).iterations).toEqual(upTo(1, 1700));
    expect((await iterationsOf(`${t.objectiveUrl}/history?after=1650`)).iterations).toEqual(upTo(1651, 1700));
    const all = await iterationsOf(`${t.objectiveUrl}/inverses`);
    expect([all.link, all.iterations]).toEqual([undefined, upTo(1, 1700)]);
    const first = await iterationsOf(`${t.objectiveUrl}/inverses?limit=3`);
    expect(first.iterations).toEqual([1, 2, 3]);
    const next = await iterationsOf(/<(.*)>/.exec(String(first.link))![1]!);
    expect(next.iterations).toEqual([4, 5, 6]);
    const { body: page } = await service.send('GET', `${t.objectiveUrl}/inverses?limit=200&after=1`);
    const last = await iterationsOf(`${t.objectiveUrl}/inverses?after=${page.at(-1).id}`);
    expect(last.iterations.at(-1)).toBe(1700);
  });

  it('HEAD is answered like GET without a body', async () => {
    const t = await prepareObjective(service.send);
    const head = await service.send('HEAD', `${t.objectiveUrl}/history`, undefined, CSV);
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers['content-type']).toMatch(/^text\/csv/);
  });
});

describe('iterations as lines of JSON', () => {
  it('Each line is an object with the values by name', async () => {
    const answer = await service.send('GET', `${await prepareNamed()}/history`, undefined, LINES);
    expect(answer.headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
    const parsed = lines(answer.text);
    expect(parsed).toHaveLength(5);
    expect(parsed[2]).toMatchObject({
      iteration: 3,
      status: 'active',
      input: { '+material': 'plain line', glued: true, 'met:Power': 0.30000000000000004 },
      output: { Power: 9.9, run: 20.5 },
      met: { Power: true, run: true },
      failureReason: null,
      excluded: true,
    });
    expect(parsed[1]).toMatchObject({ status: 'failed', output: null, met: null, failureReason: '-1, "sic"' });
    expect(parsed[4]).toMatchObject({ iteration: 5, input: null, output: null });
  });
});

/** A trial with names, of which some begin like formulas, and what its project has. */
async function prepareCases() {
  const { send } = service;
  const { body: model } = await send('POST', '/v1/models', { name: `model ${crypto.randomUUID()}` });
  const { body: project } = await send('POST', `/v1/models/${model.id}/projects`, {
    name: 'loaded again',
    inputCount: 3,
    minimums: [3, 0, -1],
    maximums: [5, 1, 1],
    inputTypes: ['category', 'boolean', 'float'],
    categories: [['=steel', "'-x", 'plain; "old", worn'], [], []],
    inputCases: [
      [3, 0, 0.1],
      [4, 1, -1 / 3],
      [5, 1, 1e-300],
    ],
    inputNames: ['-material', 'status', 'x, y'],
    inputUnits: ['', '', 'm/s'],
    outputNames: ['Power', 'excluded'],
    outputUnits: ['kW', ''],
  });
  const projectUrl = `/v1/models/${model.id}/projects/${project.id}`;
  const outputCases = [
    [1.5, 1e300],
    [0, 0],
    [-2.25, 3],
  ];
  const loaded = await send('POST', `${projectUrl}/output-cases`, { outputCount: 2, outputCases, failedCases: [1] });
  expect(loaded.status, loaded.text).toBe(201);
  const addTrial = async () => `${projectUrl}/trials/${(await send('POST', `${projectUrl}/trials`, {})).body.id}`;
  return { send, project, projectUrl, trialUrl: `${projectUrl}/trials/${loaded.body.trial_id}`, addTrial };
}

const TEXT = { 'content-type': 'text/csv' };

describe('cases of a trial', () => {
  it('As CSV and as lines of JSON each case is a row, and limit and after choose', async () => {
    const { send, trialUrl } = await prepareCases();
    const csv = await send('GET', `${trialUrl}/cases`, undefined, CSV);
    expect(parseCsv(csv.text)).toEqual([
      ["'-material", 'status', 'x, y [m/s]', 'Power [kW]', 'excluded', 'number', 'row:status', 'row:excluded'],
      ["'=steel", '0', '0.1', '1.5', '1e+300', '1', 'completed', 'false'],
      ["''-x", '1', '-0.3333333333333333', '', '', '2', 'failed', 'false'],
      ['plain; "old", worn', '1', '1e-300', '-2.25', '3', '3', 'completed', 'false'],
    ]);
    const first = await send('GET', `${trialUrl}/cases?limit=1`, undefined, CSV);
    expect(parseCsv(first.text)).toHaveLength(2);
    const next = /<(.*)>/.exec(String(first.headers['link']))![1]!;
    expect(parseCsv((await send('GET', next, undefined, CSV)).text)[1]![5]).toBe('2');
    const { text } = await send('GET', `${trialUrl}/cases`, undefined, LINES);
    const parsed = text
      .trimEnd()
      .split('\n')
      .map((line) => trialCaseLineSchema.parse(JSON.parse(line)));
    expect(parsed.slice(1)).toEqual([
      {
        number: 2,
        status: 'failed',
        input: { '-material': "'-x", status: true, 'x, y': -1 / 3 },
        output: null,
        excluded: false,
      },
      {
        number: 3,
        status: 'completed',
        input: { '-material': 'plain; "old", worn', status: true, 'x, y': 1e-300 },
        output: { Power: -2.25, excluded: 3 },
        excluded: false,
      },
    ]);
  });

  it('Cases that were written as CSV can be loaded into another trial of the project, and are known there', async () => {
    const { send, trialUrl, addTrial } = await prepareCases();
    const other = await addTrial();
    const added = {
      inputs: [
        [4, 0, 0.1 + 0.2],
        [5, 0, 0],
      ],
      outputs: [[7, 8.000000000000002], null],
    };
    expect((await send('POST', `${trialUrl}/cases`, added)).status).toBe(201);
    const { text } = await send('GET', `${trialUrl}/cases`, undefined, CSV);
    const loaded = await send('POST', `${other}/cases`, text, TEXT);
    expect([loaded.status, loaded.body], loaded.text).toMatchObject([201, { added: 2, duplicates: 3, total: 5 }]);
    const casesOf = async (url: string) =>
      (await send('GET', `${url}/cases`)).body.map((one: Record<string, unknown>) => [one['input'], one['output']]);
    expect(await casesOf(other)).toEqual(await casesOf(trialUrl));
  });

  it.each([
    { outputNames: ['status', 'x, y'], outputUnits: ['kW', 'K'] },
    { outputNames: ['row:status', 'met:status'], outputUnits: ['K', 'K'] },
    { outputNames: ['y', 'y [kW]'], outputUnits: ['kW', ''] },
    { outputNames: ['=y', 'y, "z"'], outputUnits: ['a]b[', '] (c)'] },
    { outputNames: ['number', 'excluded'], outputUnits: null },
  ])('What is called %j can be loaded again', async (names) => {
    const { send, projectUrl, trialUrl } = await prepareCases();
    expect((await send('PATCH', projectUrl, names)).status).toBe(200);
    const { text } = await send('GET', `${trialUrl}/cases`, undefined, CSV);
    const loaded = await send('POST', `${trialUrl}/cases`, text, TEXT);
    expect([loaded.status, loaded.body], loaded.text).toMatchObject([201, { added: 0, duplicates: 3 }]);
  });

  it.each(['c [kW]', 'c (kW)'])(
    'An input and an output of the same name are told apart by their units: %s',
    async (c) => {
      const { send, projectUrl, trialUrl } = await prepareCases();
      const names = { inputNames: ['a', 'b', 'c'], inputUnits: null, outputNames: ['c', 'd'], outputUnits: ['kW', ''] };
      expect((await send('PATCH', projectUrl, names)).status).toBe(200);
      const loaded = await send('POST', `${trialUrl}/cases`, `${c},d,a,b,c\n7,8,5,1,0.5\n`, TEXT);
      expect(loaded.status, loaded.text).toBe(201);
      expect((await send('GET', `${trialUrl}/cases?after=3`)).body).toMatchObject([
        { input: [5, 1, 0.5], output: [7, 8] },
      ]);
    },
  );

  it('Of a written history, completed and failed runs can be loaded; open, excluded and uncomputed ones are left out', async () => {
    const { send, trialUrl, addTrial } = await prepareCases();
    const { body: objective } = await send('POST', `${trialUrl}/objectives`, {
      objectives: [10, 20],
      objectiveTypes: ['lessthan', 'lessthan'],
      initialInput: [4, 1, 0.25],
      initialOutput: [11, 2],
      desiredL1Norm: 0,
    });
    await sql`
      insert into inverses (account_id, objective_id, iteration, status, input, output, failure_reason, excluded_at)
      select account_id, id, r.* from objectives, (values
        (2, 'failed', array[3, 0, 0.5]::float8[], null::float8[], '=cmd', null::timestamptz),
        (3, 'active', array[5, 1, 0.75], array[9.9, 20.5], null, now()),
        (4, 'failed', null, null, 'no suggestion', null),
        (5, 'active', array[5, 0, 1], array[0.1, 0.7], null, null),
        (6, 'active', array[5, 0, -0.5], null, null, null)) r
      where id = ${objective.id}`.execute(service.db);
    const { text } = await send('GET', `/v1/objectives/${objective.id}/history`, undefined, CSV);
    expect(parseCsv(text)).toHaveLength(7);
    const other = await addTrial();
    const loaded = await send('POST', `${other}/cases`, text, TEXT);
    expect([loaded.status, loaded.body], loaded.text).toMatchObject([201, { added: 3, total: 6 }]);
    const { body: cases } = await send('GET', `${other}/cases?after=3`);
    expect(cases.map((one: Record<string, unknown>) => [one['input'], one['output']])).toEqual([
      [
        [4, 1, 0.25],
        [11, 2],
      ],
      [[3, 0, 0.5], null],
      [
        [5, 0, 1],
        [0.1, 0.7],
      ],
    ]);
  });
});

describe('the Accept header', () => {
  let url: string;
  beforeAll(async () => {
    const t = await prepareObjective(service.send);
    url = t.objectiveUrl;
  });

  it.each([
    ['text/csv', 'text/csv'],
    ['TEXT/CSV; q=0.3', 'text/csv'],
    ['text/csv, application/json', 'application/json'],
    ['application/json;q=0.5, text/csv;q=0.8', 'text/csv'],
    ['application/x-ndjson, text/csv;q=0.9, */*;q=0.1', 'application/x-ndjson'],
    ['text/csv;q=0', 'application/json'],
    ['*/*', 'application/json'],
    ['text/*', 'application/json'],
    ['text/html', 'application/json'],
    ['image/png;q=x, ,;', 'application/json'],
  ])('%s is answered with %s', async (accept, type) => {
    for (const list of ['history', 'inverses']) {
      const answer = await service.send('GET', `${url}/${list}`, undefined, { accept });
      expect([answer.status, String(answer.headers['content-type']).split(';')[0]]).toEqual([200, type]);
    }
  });

  it('Operations without rows take no notice of it, as before', async () => {
    const answer = await service.send('GET', url, undefined, CSV);
    expect(answer.body.objectives).toEqual(OBJECTIVES.objectives);
    expect(blackBox([3, 7])).toEqual(answer.body.objectives);
  });
});
