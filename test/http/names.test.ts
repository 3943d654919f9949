/** Names and units of inputs and outputs, in every body that takes a vector and every answer that shows one. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPages } from '../support/doc-commands.ts';
import { type Answered, type NativeService, openNativeService } from './native-service.ts';

let service: NativeService;
let projects: string;
beforeAll(async () => {
  service = await openNativeService({ hasWorker: true });
  const { body } = await service.send('POST', '/v1/models', { name: 'Names' });
  projects = `/v1/models/${body.id}/projects`;
});
afterAll(() => service.close());

const SPACE = {
  name: 'A reactor',
  inputCount: 4,
  minimums: [300, 1, 0, 0],
  maximums: [400, 9, 1, 2],
  inputTypes: ['float', 'integer', 'boolean', 'category'],
  categories: [null, null, null, ['steel', 'copper', 'brass']],
};
const INPUTS = { inputNames: ['T', 'passes', 'baffled', 'material'], inputUnits: ['K', '', '', ''] };
const OUTPUTS = { outputNames: ['duty', 'drop'], outputUnits: ['kW', 'Pa'] };
const NAMED = { ...SPACE, ...INPUTS, ...OUTPUTS };
const CASES = [
  [310, 2, 0, 0],
  [390, 4, 1, 1],
  [350, 6, 0, 2],
];
const STEEL = { T: 310, passes: 2, baffled: false, material: 'steel' };
const OBJECTIVE = {
  objectives: [900, 60],
  objectiveTypes: ['percent', 'lessthan_equal'],
  minimumBounds: [-0.01, null],
  maximumBounds: [0.01, null],
  initialInput: [310, 2, 0, 0],
  initialOutput: blackBox([310, 2, 0, 0]),
  desiredL1Norm: 0,
};

function blackBox([T, passes, baffled, material]: readonly number[]): number[] {
  return [2 * T! + 30 * passes! + 20 * baffled! - 7 * material!, passes! ** 2 + 5 * baffled!];
}

const byOutput = ([duty, drop]: readonly unknown[]) => ({ duty, drop });

const errorsOf = ({ body }: Answered): readonly (readonly [string, string])[] =>
  body.errors.map(({ pointer, message }: { pointer: string; message: string }) => [pointer, message]);

it('Names with control characters are refused; stored ones are still read', async () => {
  const refusal = 'must not contain control characters, such as line breaks, tabs and escapes.';
  const model = await service.send('POST', '/v1/models', { name: 'Two\nlines' });
  expect(errorsOf(model)).toEqual([['/name', refusal]]);
  const project = await service.send('POST', projects, {
    ...NAMED,
    name: 'Red \u001b[31m',
    inputNames: ['T', 'pass\u0007', 'baffled', 'material'],
    inputUnits: ['K', '', '\t', ''],
    outputNames: ['duty', '\u202epord'],
    categories: [null, null, null, ['steel', 'cop\u009bper', 'brass']],
  });
  expect(errorsOf(project).toSorted()).toEqual([
    ['/categories/3/1', refusal],
    ['/inputNames/1', refusal],
    ['/inputUnits/2', refusal],
    ['/name', refusal],
    ['/outputNames/1', refusal],
  ]);
  const { body } = await service.send('POST', '/v1/models', { name: 'Stored before' });
  await sql`update models set name = ${'Stored \u001b[2J'} where id = ${body.id}`.execute(service.db);
  expect((await service.send('GET', `/v1/models/${body.id}`)).body.name).toBe('Stored \u001b[2J');
});

/** The requests under "Names and units". */
async function readExamples(): Promise<readonly object[]> {
  const pages = await readPages();
  const text = pages.find(({ path }) => path === 'docs/projects.md')!.text;
  const section = text.split(/^## /m).find((part) => part.startsWith('Names and units'))!;
  return Array.from(section.matchAll(/```json New\w+\n(.*?)```/gs), ([, json]) => JSON.parse(json!));
}

/** A project with its outputs loaded. */
async function prepare(project: object): Promise<{ url: string; trial: string; trialId: number }> {
  const { status, body } = await service.send('POST', projects, { inputCases: CASES, ...project });
  expect(status).toBe(201);
  const url = `${projects}/${body.id}`;
  const outputCases = body.inputCases.map(([a, b, c = 0, d = 0]: number[]) => blackBox([a!, b!, c, d]));
  const loaded = await service.send('POST', `${url}/output-cases`, { outputCount: 2, outputCases });
  return { url, trial: `${url}/trials/${loaded.body.trial_id}`, trialId: loaded.body.trial_id };
}

describe('a project', () => {
  it('takes names and units and answers them, or null', async () => {
    const { status, body } = await service.send('POST', projects, { ...NAMED, inputCases: CASES });
    expect([status, body]).toMatchObject([201, { ...INPUTS, ...OUTPUTS, outputCount: 2 }]);
    const url = `${projects}/${body.id}`;
    expect((await service.send('GET', url)).body).toEqual(body);
    const { body: plain } = await service.send('POST', projects, SPACE);
    expect(plain).toMatchObject({ inputNames: null, inputUnits: null, outputNames: null, outputUnits: null });
    const listed = await service.send('GET', `${projects}?limit=200`);
    expect(listed.body.find(({ id }: { id: number }) => id === body.id)).toMatchObject({ ...INPUTS, ...OUTPUTS });
    const { text } = await service.send('GET', '/v1/export');
    const exported = text.split('\n').find((line) => line.startsWith(`{"type":"project","id":${body.id},`));
    expect(JSON.parse(exported!)).toMatchObject({ ...INPUTS, ...OUTPUTS });
  });

  it('described by name is the same as in arrays, its designed cases too', async () => {
    const byName = <T>(values: readonly T[]) =>
      Object.fromEntries(INPUTS.inputNames.map((name, i) => [name, values[i]]).reverse());
    const stated = { scales: ['log', null, null, null], likelyMinimums: [320, null, null, null] };
    const levels = [null, [2, 4, 6], null, null];
    const coefficients = [1, 10, 0, 0];
    const constraints = [{ coefficients, relation: '<=', bound: 450 }];
    const feasibleInput = [350, 4, 1, 1];
    const arrays = await service.send('POST', projects, { ...NAMED, ...stated, levels, constraints, feasibleInput });
    const { status, body } = await service.send('POST', projects, {
      ...NAMED,
      minimums: byName(SPACE.minimums),
      maximums: byName(SPACE.maximums),
      inputTypes: byName(SPACE.inputTypes),
      categories: { material: ['steel', 'copper', 'brass'] },
      scales: { T: 'log' },
      likelyMinimums: { T: 320 },
      levels: { passes: [2, 4, 6] },
      constraints: [{ ...constraints[0], coefficients: { T: 1, passes: 10 } }],
      feasibleInput: { T: 350, passes: 4, baffled: true, material: 'copper' },
    });
    expect(status).toBe(201);
    const { id, createdAt, updatedAt } = body;
    expect(body).toEqual({ ...arrays.body, id, createdAt, updatedAt });
  });

  it('takes rows of input cases by name among others, with categories and booleans', async () => {
    const inputCases = [STEEL, CASES[1], { material: 2, baffled: 0, passes: 6, T: 350 }];
    const { status, body } = await service.send('POST', projects, { ...NAMED, inputCases });
    expect([status, body.inputCases]).toEqual([201, CASES]);
    const listed = await service.send('GET', `${projects}/${body.id}/input-cases`);
    expect(listed.body[0]).toEqual({ number: 1, input: CASES[0], inputByName: STEEL });
  });

  it('without names calls its inputs x1, x2, ...', async () => {
    const inputCases = [{ x4: 'steel', x1: 310, x2: 2, x3: false }];
    const { status, body } = await service.send('POST', projects, { ...SPACE, inputCases });
    expect([status, body.inputCases]).toEqual([201, [CASES[0]]]);
    const listed = await service.send('GET', `${projects}/${body.id}/input-cases`);
    expect(listed.body).toEqual([{ number: 1, input: CASES[0] }]);
  });

  it('takes a large body with rows by name', async () => {
    const inputCases = Array.from({ length: 2_000 }, (_, i) => ({ ...STEEL, T: 300 + i / 20 }));
    const { status, body } = await service.send('POST', projects, { ...NAMED, inputCases });
    expect([status, body.caseCount, body.inputCases?.[1_999]]).toEqual([201, 2_000, [399.95, 2, 0, 0]]);
  });

  it.each([
    [
      { minimums: { T: 1, pases: 1, baffled: 0, material: 0 } },
      '/minimums/pases',
      'is not an input; did you mean passes?',
    ],
    [{ maximums: { T: 1, passes: 9, baffled: 1 } }, '/maximums/material', 'is required: send one value per input.'],
    [
      { minimums: { T: '1', passes: 1, baffled: 0, material: 0 } },
      '/minimums/T',
      'must be a finite number, is the string "1".',
    ],
    [
      { maximums: { T: 200, passes: 9, baffled: 1, material: 2 } },
      '/maximums/T',
      'must be at least minimums[0] (300), is 200.',
    ],
    [
      { inputTypes: { T: 'real', passes: 'integer', baffled: 'boolean', material: 'category' } },
      '/inputTypes/T',
      'must be float',
    ],
    [{ levels: { passes: [2, 20] } }, '/levels/passes/1', 'must be between 1 and 9, is 20.'],
    [{ scales: { time: 'log' } }, '/scales/time', 'is not an input; the inputs are T, passes, baffled, material.'],
    [
      { constraints: [{ coefficients: { Temp: 1 }, relation: '<=', bound: 1 }] },
      '/constraints/0/coefficients/Temp',
      'is not an input',
    ],
    [{ inputCases: [CASES[0], { ...STEEL, T: 1000 }] }, '/inputCases/1/T', 'must be between 300 and 400, is 1000.'],
    [{ inputCases: [{ ...STEEL, material: 'steal' }] }, '/inputCases/0/material', 'did you mean steel?'],
    [{ feasibleInput: { T: 350 } }, '/feasibleInput/passes', 'is required: send one value per input.'],
    [{ inputNames: ['T', 'T', 'a', 'b'] }, '/inputNames/1', 'must differ from inputNames[0], is T too.'],
    [{ inputNames: ['T', '', 'a', 'b'] }, '/inputNames/1', 'must have at least 1 characters, has 0.'],
    [{ inputNames: ['T', 'p'.repeat(65), 'a', 'b'] }, '/inputNames/1', 'must have at most 64 characters, has 65.'],
    [{ inputUnits: ['K'] }, '/inputUnits', 'must have one value per input (4), has 1.'],
    [{ outputCount: 3 }, '/outputNames', 'must have one value per output (3), has 2.'],
    [{ outputUnits: ['kW'] }, '/outputUnits', 'must have one value per output (2), has 1.'],
    [{ outputNames: ['duty', 'duty'] }, '/outputNames/1', 'must differ from outputNames[0], is duty too.'],
  ])('with %j is refused at %s', async (change, pointer, message) => {
    const answered = await service.send('POST', projects, { ...NAMED, ...change });
    expect(answered.status).toBe(400);
    expect(errorsOf(answered)).toContainEqual([pointer, expect.stringContaining(message)]);
  });

  it('wrong about its names and by name elsewhere is refused for its names', async () => {
    const minimums = { T: 1 };
    for (const inputNames of [['T'], ['T', 'T', 'a', 'b'], [1, 2, 3, 4], 'T', {}]) {
      const answered = await service.send('POST', projects, { ...NAMED, inputNames, minimums, inputCases: [STEEL] });
      expect(answered.status).toBe(400);
      expect(errorsOf(answered)[0]![0]).toMatch(/^\/inputNames/);
    }
    const { status } = await service.send('POST', projects, { ...NAMED, inputCount: 'four', minimums });
    expect(status).toBe(400);
  });

  it('has the same designed cases and suggestions with names as without', async () => {
    const suggestions = await Promise.all(
      [SPACE, NAMED].map(async (project) => {
        const created = await service.send('POST', projects, { ...project, outputCount: 2 });
        const { trial } = await prepare({ ...project, outputCount: 2, inputCases: created.body.inputCases });
        const { body } = await service.send('POST', `${trial}/objectives`, OBJECTIVE);
        return (await service.send('POST', `${trial}/objectives/${body.id}/inverses`)).body.input;
      }),
    );
    expect(suggestions[0]).toHaveLength(4);
    expect(suggestions[1]).toEqual(suggestions[0]);
  });
});

describe('a change of names', () => {
  it('rewrites the constraints and changes nothing else', async () => {
    const constraints = ['T - 20*passes <= 350', 'passes^2 >= 1'];
    const { body } = await service.send('POST', projects, { ...NAMED, constraints });
    const url = `${projects}/${body.id}`;
    const inputNames = ['passes', 'T', 'baffled', 'material'];
    const { status, body: changed } = await service.send('PATCH', url, { inputNames, outputUnits: null });
    expect(status).toBe(200);
    const swapped = ['passes - 20*T <= 350', 'T^2 >= 1'];
    const { updatedAt } = changed;
    expect(changed).toEqual({ ...body, inputNames, outputUnits: null, constraints: swapped, updatedAt });
    const { body: unnamed } = await service.send('PATCH', url, { inputNames: null });
    expect(unnamed).toMatchObject({ inputNames: null, constraints: ['x1 - 20*x2 <= 350', 'x2^2 >= 1'] });
    const { body: named } = await service.send('PATCH', url, {
      inputNames: INPUTS.inputNames,
      outputUnits: OUTPUTS.outputUnits,
    });
    expect(named).toEqual({ ...body, updatedAt: named.updatedAt });
  });

  it('rewrites the constraints of its objectives too', async () => {
    const { url, trial } = await prepare(NAMED);
    const sent = { ...OBJECTIVE, constraints: ['T <= 20*passes + 300'] };
    const { status, body } = await service.send('POST', `${trial}/objectives`, sent);
    expect(status).toBe(201);
    const inputNames = ['temperature', ...INPUTS.inputNames.slice(1)];
    expect((await service.send('PATCH', url, { inputNames })).status).toBe(200);
    const { body: read } = await service.send('GET', `${trial}/objectives/${body.id}`);
    expect(read.constraints).toEqual(['temperature <= 20*passes + 300']);
    const wrong = await service.send('PATCH', url, { inputNames: ['T/K', ...inputNames.slice(1)] });
    expect(errorsOf(wrong)).toEqual([
      ['/inputNames/0', expect.stringContaining(`constraints[0] of objective ${body.id} mentions the input`)],
    ]);
  });

  it('is refused where it would break a constraint, and stores nothing then', async () => {
    const { body } = await service.send('POST', projects, { ...NAMED, constraints: ['T <= 350'] });
    const url = `${projects}/${body.id}`;
    const inputNames = ['wall T', 'number of passes', 'baffled', 'material'];
    const refused = await service.send('PATCH', url, { name: 'Renamed', inputNames });
    expect(refused.status).toBe(400);
    expect(errorsOf(refused)).toEqual([
      ['/inputNames/0', expect.stringContaining('constraints[0] mentions the input')],
    ]);
    expect((await service.send('GET', url)).body).toEqual(body);
  });

  it.each([
    [{ inputNames: ['a'] }, '/inputNames', 'must have one value per input (4), has 1.'],
    [{ inputNames: ['a', 'b', 'c', 'c'] }, '/inputNames/3', 'must differ'],
    [{ outputNames: ['a'] }, '/outputNames', 'must have one value per output (2), has 1.'],
    [{ outputUnits: [7, ''] }, '/outputUnits/0', 'must be a string, is 7.'],
    [{ inputNames: 'a' }, '/inputNames', 'must be an array of names, is the string "a".'],
    [{ units: [] }, '/units', 'is not a field'],
  ])('to %j is refused at %s', async (change, pointer, message) => {
    const { url } = await prepare(NAMED);
    const answered = await service.send('PATCH', url, change);
    expect(answered.status).toBe(400);
    expect(errorsOf(answered)).toContainEqual([pointer, expect.stringContaining(message)]);
  });

  it('of outputs states how many there are, and agrees with the loaded cases', async () => {
    const { url } = await prepare(SPACE);
    const wrong = await service.send('PATCH', url, { outputNames: ['a', 'b', 'c'] });
    expect(errorsOf(wrong)).toEqual([
      ['/outputNames', 'must have one value per output of the loaded output cases (2), has 3.'],
    ]);
    const { body } = await service.send('PATCH', url, { outputNames: ['a', 'b'] });
    expect(body).toMatchObject({ outputNames: ['a', 'b'], outputCount: 2 });
    const more = await service.send('POST', `${url}/output-cases`, { outputCount: 3, outputCases: [[1, 2, 3]] });
    expect(more.status).toBe(400);
  });
});

describe('an objective', () => {
  it('is played by name from its output cases to its end', async () => {
    const { body: project } = await service.send('POST', projects, { ...NAMED, inputCases: CASES });
    const url = `${projects}/${project.id}`;
    const outputCases = [byOutput(blackBox(CASES[0]!)), blackBox(CASES[1]!), { mesh: 'collapsed' }];
    const loaded = await service.send('POST', `${url}/output-cases`, { outputCount: 2, outputCases, failedCases: [2] });
    expect(loaded.status).toBe(201);
    expect(loaded.body.output_cases.slice(0, 2)).toEqual(CASES.slice(0, 2).map(blackBox));
    const listed = await service.send('GET', `${url}/output-cases/${loaded.body.id}/cases`);
    expect(listed.body.slice(1)).toEqual([
      { number: 2, output: blackBox(CASES[1]!), outputByName: byOutput(blackBox(CASES[1]!)) },
      { number: 3, output: null, outputByName: null },
    ]);

    const trial = `${url}/trials/${loaded.body.trial_id}`;
    const sent = {
      ...OBJECTIVE,
      objectives: { drop: 60, duty: 900 },
      objectiveTypes: { duty: 'percent', drop: 'lessthan_equal' },
      minimumBounds: { duty: -0.01 },
      maximumBounds: { duty: 0.01 },
      initialInput: STEEL,
      initialOutput: byOutput(OBJECTIVE.initialOutput),
    };
    const { desiredL1Norm: _, ...echoed } = OBJECTIVE;
    const { status, body: objective } = await service.send('POST', `${trial}/objectives`, sent);
    expect([status, objective]).toMatchObject([201, { ...echoed, results: [{ name: 'duty' }, { name: 'drop' }] }]);

    const inverses = `${trial}/objectives/${objective.id}`;
    const { body: suggestion } = await service.send('POST', `${inverses}/inverses`);
    expect(suggestion.results.map(({ name }: { name: string }) => name)).toEqual(['duty', 'drop']);
    const [T, passes, baffled, material] = suggestion.input;
    const inputByName = { T, passes, baffled: baffled === 1, material: SPACE.categories[3]![material] };
    expect(suggestion.inputByName).toEqual(inputByName);
    expect(suggestion).not.toHaveProperty('outputByName');

    const output = blackBox(suggestion.input);
    const report = { output: byOutput(output) };
    const { body: judged } = await service.send('PUT', `${inverses}/inverses/${suggestion.id}/output`, report);
    expect(judged).toMatchObject({ output, inputByName, outputByName: byOutput(output) });
    const again = await service.send('POST', `${inverses}/inverse-output`, { output });
    expect(again.body).toEqual(judged);
    const { warnings: _warnings, ...known } = judged;
    expect((await service.send('GET', `${inverses}/inverses/${suggestion.id}`)).body).toEqual(known);

    const { body: read } = await service.send('GET', inverses);
    const initial = { inputByName: STEEL, outputByName: byOutput(OBJECTIVE.initialOutput) };
    expect(read.inverses).toMatchObject([initial, { inputByName, outputByName: byOutput(output) }]);
    expect(read.best.inputByName).toEqual(expect.objectContaining({ T: read.best.input[0] }));
    expect(read.best.outputByName).toEqual(byOutput(read.best.output));
    const { body: inList } = await service.send('GET', `${trial}/objectives`);
    expect(inList[0].best).toEqual(read.best);

    const outputNames = ['heat', 'loss'];
    await service.send('PATCH', url, { outputNames });
    const { body: renamed } = await service.send('GET', `${inverses}/inverses/${suggestion.id}`);
    expect(renamed.outputByName).toEqual({ heat: output[0], loss: output[1] });
  });

  it('is played as docs/projects.md shows', async () => {
    const [project, sent] = await readExamples();
    const { url, trial } = await prepare(project!);
    const { status, body } = await service.send('POST', `${trial}/objectives`, sent);
    expect([status, body]).toMatchObject([
      201,
      { initialInput: [350, 2, 1], minimumBounds: [-0.5, null], results: [{ name: 'duty' }, { name: 'drop' }] },
    ]);
    const { body: suggestion } = await service.send('POST', `${trial}/objectives/${body.id}/inverses`);
    const [T, passes, material] = suggestion.input;
    expect(suggestion.inputByName).toEqual({ T, passes, material: ['steel', 'copper'][material - 1] });
    const { body: cases } = await service.send('GET', `${url}/input-cases`);
    expect(cases[1]).toEqual({
      number: 2,
      input: [380, 4, 2],
      inputByName: { T: 380, passes: 4, material: 'copper' },
    });
  });

  it('starts by name with initialize-inverse, and finds its twin in arrays', async () => {
    const { trialId } = await prepare(NAMED);
    const url = `/v1/trials/${trialId}/initialize-inverse`;
    const bounds = { minimumBounds: { duty: -1, drop: -1 }, maximumBounds: { duty: 1, drop: 1 } };
    const common = { ...OBJECTIVE, convergence: 0.001, objectiveTypes: ['percent', 'percent'] };
    const first = await service.send('POST', url, { ...common, ...bounds, initialInput: STEEL });
    expect([first.status, first.body]).toMatchObject([
      201,
      { inputByName: STEEL, outputByName: byOutput(OBJECTIVE.initialOutput) },
    ]);
    const arrays = { ...common, minimumBounds: [-1, -1], maximumBounds: [1, 1] };
    expect((await service.send('POST', url, arrays)).body).toEqual(first.body);
  });

  it('without names takes x1, ... and y1, ..., and answers no objects', async () => {
    const { trial } = await prepare(SPACE);
    const initialInput = { x1: 310, x2: 2, x3: 0, x4: 'steel' };
    const [y1, y2] = OBJECTIVE.initialOutput;
    const { status, body } = await service.send('POST', `${trial}/objectives`, {
      ...OBJECTIVE,
      initialInput,
      initialOutput: { y1, y2 },
    });
    expect([status, body.initialInput, body.results[0].name]).toEqual([201, OBJECTIVE.initialInput, null]);
    const objective = `${trial}/objectives/${body.id}`;
    const { body: suggestion } = await service.send('POST', `${objective}/inverses`);
    expect(suggestion).not.toHaveProperty('inputByName');
    const output = { y2: 1, y1: 2 };
    const { body: judged } = await service.send('POST', `${objective}/inverse-output`, { output });
    expect(judged.output).toEqual([2, 1]);
    expect(judged).not.toHaveProperty('outputByName');
  });

  it.each([
    [{ initialInput: { ...STEEL, material: 'stel' } }, '/initialInput/material', 'did you mean steel?'],
    [{ initialInput: { ...STEEL, T: 500 } }, '/initialInput/T', 'must be between 300 and 400, is 500.'],
    [{ initialInput: { T: 310 } }, '/initialInput/passes', 'is required'],
    [{ initialOutput: { duty: 1, dorp: 2 } }, '/initialOutput/dorp', 'is not an output; did you mean drop?'],
    [{ initialOutput: { duty: 1, drop: null } }, '/initialOutput/drop', 'must be a finite number, is null.'],
    [{ objectives: { duty: 0, drop: 1 } }, '/objectives/duty', 'must not be 0 for a percent objective'],
    [{ objectiveTypes: { duty: 'percent', drop: 'below' } }, '/objectiveTypes/drop', 'must be one of exact, percent'],
    [
      { minimumBounds: { drop: 1 } },
      '/minimumBounds/duty',
      'must be a number because objective 0 is percent, is null.',
    ],
    [{ maximumBounds: { duty: [1] } }, '/maximumBounds/duty', 'must be a finite number or null, is an array.'],
    [{ maximumBounds: { y1: 1 } }, '/maximumBounds/y1', 'is not an output; the outputs are duty, drop.'],
  ])('with %j is refused at %s', async (change, pointer, message) => {
    const { trial } = await prepare(NAMED);
    const answered = await service.send('POST', `${trial}/objectives`, { ...OBJECTIVE, ...change });
    expect(answered.status).toBe(400);
    expect(errorsOf(answered)).toContainEqual([pointer, expect.stringContaining(message)]);
  });

  it('takes no output with a wrong name, by name or as rows of cases', async () => {
    const { url, trial } = await prepare(NAMED);
    const { body } = await service.send('POST', `${trial}/objectives`, OBJECTIVE);
    const objective = `${trial}/objectives/${body.id}`;
    await service.send('POST', `${objective}/inverses`);
    const wrong = await service.send('POST', `${objective}/inverse-output`, { output: { dutty: 1, drop: 2 } });
    expect([wrong.status, errorsOf(wrong)]).toEqual([400, [['/output/dutty', 'is not an output; did you mean duty?']]]);
    const outputCases = [{ duty: 1, drop: 2 }, [1, 2], { duty: 1 }];
    const rows = await service.send('POST', `${url}/output-cases`, { outputCount: 2, outputCases });
    expect([rows.status, errorsOf(rows)]).toEqual([
      400,
      [['/outputCases/2/drop', 'is required: send one value per output.']],
    ]);
  });

  it('has inputs fixed by name, and is refused by name where they leave no input', async () => {
    const { trial } = await prepare(NAMED);
    const constraints = ['T <= 20*passes + 300'];
    const sent = { ...OBJECTIVE, initialInput: STEEL, constraints, fixedInputs: { passes: 3, material: 'brass' } };
    const { status, body } = await service.send('POST', `${trial}/objectives`, sent);
    expect([status, body.fixedInputs]).toEqual([201, [null, 3, null, 2]]);
    const { body: suggestion } = await service.send('POST', `${trial}/objectives/${body.id}/inverses`);
    expect(suggestion.inputByName).toMatchObject({ passes: 3, material: 'brass' });
    const empty = await service.send('POST', `${trial}/objectives`, { ...sent, fixedInputs: { passes: 1, T: 400 } });
    expect([empty.status, errorsOf(empty)]).toEqual([
      400,
      [['/constraints/0', expect.stringContaining('leaves no input: none satisfies all of')]],
    ]);
    const outside = await service.send('POST', `${trial}/objectives`, { ...sent, fixedInputs: { T: 500 } });
    expect(errorsOf(outside)).toEqual([['/fixedInputs/T', 'must be between 300 and 400, is 500.']]);
  });

  it('has its outputs and cases corrected by name', async () => {
    const { trial } = await prepare(NAMED);
    const { body } = await service.send('POST', `${trial}/objectives`, OBJECTIVE);
    const objective = `${trial}/objectives/${body.id}`;
    const { body: suggestion } = await service.send('POST', `${objective}/inverses`);
    await service.send('POST', `${objective}/inverse-output`, { output: [1, 2] });
    const output = { drop: 20, duty: 10 };
    const inverse = `${objective}/inverses/${suggestion.id}/corrections`;
    const right = await service.send('POST', inverse, { output, reason: 'typo' });
    expect([right.status, right.body]).toMatchObject([200, { inverse: { output: [10, 20], outputByName: output } }]);
    const ofCase = await service.send('POST', `${trial}/cases/1/corrections`, { output, reason: 'typo' });
    expect([ofCase.status, ofCase.body.output]).toEqual([200, [10, 20]]);
    for (const url of [inverse, `${trial}/cases/1/corrections`]) {
      const wrong = await service.send('POST', url, { output: { dorp: 1, duty: 2 }, reason: 'typo' });
      expect(errorsOf(wrong)).toEqual([['/output/dorp', 'is not an output; did you mean drop?']]);
    }
  });

  it('is no object by name under /api', async () => {
    const { trialId } = await prepare(NAMED);
    const sent = { ...OBJECTIVE, initialInput: STEEL };
    const answered = await service.send('POST', `/api/trials/${trialId}/objectives`, sent);
    expect([answered.status, errorsOf(answered)[0]?.[0]]).toEqual([400, '/initialInput']);
  });
});
