/** Section 7 of the interface over HTTP: every violated rule gets 400 with its property, several together. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answered,
  blackBox,
  type NativeService,
  OBJECTIVES,
  openNativeService,
  prepareObjective,
  prepareTrial,
} from './native-service.ts';

type Prepared = Awaited<ReturnType<typeof prepareTrial>>;

let service: NativeService;
let trial: Prepared;
beforeAll(async () => {
  service = await openNativeService();
  trial = await prepareTrial(service.send);
});
afterAll(() => service.close());

const PROBLEM_KEYS = ['detail', 'errors', 'instance', 'message', 'status', 'title', 'type'];

function expectProblem(answered: Answered, status: number): void {
  expect({ status: answered.status, text: answered.text }).toMatchObject({ status });
  expect(answered.headers['content-type']).toBe('application/problem+json; charset=utf-8');
  expect(Object.keys(answered.body).sort()).toEqual(PROBLEM_KEYS);
  expect(answered.body.status).toBe(status);
  expect(answered.body.message).toBe(answered.body.detail);
  for (const error of answered.body.errors) {
    const { parts, ...others } = error as typeof error & { readonly parts?: readonly { readonly text: string }[] };
    expect(Object.keys(others).sort()).toEqual(['message', 'pointer', 'property']);
    if (parts !== undefined)
      expect(parts.map((part: { readonly text: string }) => part.text).join('')).toBe(others.message);
  }
}

const propertiesOf = (answered: Answered): string[] =>
  answered.body.errors.map((error: { property: string }) => error.property).sort();

const INITIALIZE = { ...OBJECTIVES, convergence: 0.001 };
const PROJECT = {
  name: 'a project',
  inputCount: 2,
  minimums: [0, 0],
  maximums: [1, 5],
  inputTypes: ['float', 'category'],
  categories: [null, ['a', 'b', 'c', 'd', 'e', 'f']],
};
const CASES = { outputCount: 3, outputCases: [[1, 2, 3]] };

/** Operations by name, so that the tables below stay readable. */
const SEND: Readonly<Record<string, (body: unknown) => Promise<Answered>>> = {
  model: (body) => service.send('POST', '/v1/models', body),
  project: (body) => service.send('POST', `/v1/models/${trial.model.id}/projects`, body),
  cases: (body) => service.send('POST', `${trial.projectUrl}/output-cases`, body),
  objectives: (body) => service.send('POST', `${trial.trialUrl}/objectives`, body),
  initialize: (body) => service.send('POST', `/v1/trials/${trial.trialId}/initialize-inverse`, body),
};

type Rule = readonly [name: string, operation: string, body: unknown, properties: readonly string[]];

const without = (body: Readonly<Record<string, unknown>>, ...fields: string[]) =>
  Object.fromEntries(Object.entries(body).filter(([field]) => !fields.includes(field)));

const exact = { objectiveTypes: ['exact', 'exact', 'exact'] };
const plain = { objectiveTypes: ['lessthan', 'minimize', 'greaterthan'] };

const RULES: readonly Rule[] = [
  [
    '2 more types than objectives',
    'objectives',
    { ...OBJECTIVES, objectiveTypes: ['percent', 'percent'] },
    ['objectiveTypes'],
  ],
  ['2 in initialize', 'initialize', { ...INITIALIZE, ...exact, objectiveTypes: ['exact'] }, ['objectiveTypes']],
  ['3 initialInput of another length', 'objectives', { ...OBJECTIVES, initialInput: [1, 2, 3] }, ['initialInput']],
  ['3 in initialize', 'initialize', { ...INITIALIZE, initialInput: [1] }, ['initialInput']],
  ['3 initialInput outside of the bounds', 'objectives', { ...OBJECTIVES, initialInput: [11, 5] }, ['initialInput[0]']],
  [
    '3 initialInput between whole numbers',
    'objectives',
    { ...OBJECTIVES, initialInput: [1, 5.5] },
    ['initialInput[1]'],
  ],
  ['4 initialOutput of another length', 'objectives', { ...OBJECTIVES, initialOutput: [1, 2] }, ['initialOutput']],
  ['4 in initialize', 'initialize', { ...INITIALIZE, initialOutput: [1, 2, 3, 4] }, ['initialOutput']],
  [
    '5 bounds of another length',
    'objectives',
    { ...OBJECTIVES, minimumBounds: [-1], maximumBounds: [1] },
    ['maximumBounds', 'minimumBounds'],
  ],
  [
    '5 a maximum equal to its minimum',
    'objectives',
    { ...OBJECTIVES, maximumBounds: [1, -1, 1] },
    ['maximumBounds[1]'],
  ],
  ['5 in initialize', 'initialize', { ...INITIALIZE, minimumBounds: [-1, 2, -1] }, ['maximumBounds[1]']],
  [
    '5 in initialize whatever the types',
    'initialize',
    { ...INITIALIZE, ...plain, maximumBounds: [1, 1, -2] },
    ['maximumBounds[2]'],
  ],
  ['6 a number as text', 'objectives', { ...OBJECTIVES, objectives: [10, '-4', 6] }, ['objectives[1]']],
  ['6 a boolean as number', 'objectives', { ...OBJECTIVES, initialInput: [true, 5] }, ['initialInput[0]']],
  ['6 null as number', 'cases', { outputCount: 3, outputCases: [[1, null, 3]] }, ['outputCases[0][1]']],
  ['6 a value that is not an array', 'objectives', { ...OBJECTIVES, objectives: 10 }, ['objectives']],
  ['6 a number beyond doubles', 'objectives', JSON.stringify(OBJECTIVES).replace('-4', '1e400'), ['objectives[1]']],
  ['6 a scalar beyond doubles', 'initialize', JSON.stringify(INITIALIZE).replace('0.001', '-1e999'), ['convergence']],
  [
    '6 an output beyond doubles',
    'cases',
    '{"outputCount":3,"outputCases":[[1,2,3],[1,2,1e400]]}',
    ['outputCases[1][2]'],
  ],
  [
    '7 an unknown type',
    'objectives',
    { ...OBJECTIVES, objectiveTypes: ['percent', 'lower', 'percent'] },
    ['objectiveTypes[1]'],
  ],
  [
    '7 a type in capitals',
    'initialize',
    { ...INITIALIZE, objectiveTypes: ['EXACT', 'exact', 'exact'] },
    ['objectiveTypes[0]'],
  ],
  [
    '7 a type that is not text',
    'objectives',
    { ...OBJECTIVES, objectiveTypes: ['percent', 7, null] },
    ['objectiveTypes[1]', 'objectiveTypes[2]'],
  ],
  [
    '8 no bounds',
    'objectives',
    without(OBJECTIVES, 'minimumBounds', 'maximumBounds'),
    ['maximumBounds', 'minimumBounds'],
  ],
  ['8 null bounds', 'objectives', { ...OBJECTIVES, minimumBounds: null }, ['minimumBounds']],
  ['8 in initialize', 'initialize', without(INITIALIZE, 'minimumBounds'), ['minimumBounds']],
  [
    '8 in initialize whatever the types',
    'initialize',
    { ...INITIALIZE, ...plain, minimumBounds: null },
    ['minimumBounds'],
  ],
  ['9 a desiredL1Norm that is no number', 'objectives', { ...OBJECTIVES, desiredL1Norm: '0' }, ['desiredL1Norm']],
  ['9 a negative desiredL1Norm', 'objectives', { ...OBJECTIVES, desiredL1Norm: -0.1 }, ['desiredL1Norm']],
  ['9 in initialize', 'initialize', without(INITIALIZE, 'desiredL1Norm'), ['desiredL1Norm']],
  ['10 no convergence', 'initialize', without(INITIALIZE, 'convergence'), ['convergence']],
  ['10 convergence 0', 'initialize', { ...INITIALIZE, convergence: 0 }, ['convergence']],
  ['10 a negative convergence', 'initialize', { ...INITIALIZE, convergence: -1 }, ['convergence']],
  ['10 convergence 0 when loading', 'objectives', { ...OBJECTIVES, convergence: 0 }, ['convergence']],
  ['11 outputCount 0', 'cases', { outputCount: 0, outputCases: [[1]] }, ['outputCount']],
  ['11 a fractional outputCount', 'cases', { ...CASES, outputCount: 2.5 }, ['outputCount']],
  ['11 no outputCount', 'cases', without(CASES, 'outputCount'), ['outputCount']],
  ['11 no cases', 'cases', { outputCount: 3, outputCases: [] }, ['outputCases']],
  ['11 no outputCases', 'cases', { outputCount: 3 }, ['outputCases']],
  [
    '11 a case of another length',
    'cases',
    {
      outputCount: 3,
      outputCases: [
        [1, 2, 3],
        [1, 2],
      ],
    },
    ['outputCases[1]'],
  ],
  ['11 an empty case', 'cases', { outputCount: 3, outputCases: [[]] }, ['outputCases[0]']],
  ['11 a case that is not an array', 'cases', { outputCount: 1, outputCases: [1] }, ['outputCases[0]']],
  [
    '11 more cases than the project has',
    'cases',
    { outputCount: 1, outputCases: [[1], [2], [3], [4]] },
    ['outputCases'],
  ],
  ['11 a failed row that does not exist', 'cases', { ...CASES, failedCases: [1] }, ['failedCases[0]']],
  ['11 a negative failed row', 'cases', { ...CASES, failedCases: [-1] }, ['failedCases[0]']],
  ['12 no name', 'model', {}, ['name']],
  ['12 a name of 3 characters', 'model', { name: 'abc' }, ['name']],
  ['12 a name of 97 characters', 'model', { name: 'a'.repeat(97) }, ['name']],
  ['12 a name of two characters of two units', 'model', { name: '🚀🚀' }, ['name']],
  ['12 a name with NUL', 'model', { name: 'abc\u0000def' }, ['name']],
  ['12 a name with half a surrogate pair', 'model', '{"name":"abc\\ud800def"}', ['name']],
  ['12 a name that is not text', 'model', { name: 12345 }, ['name']],
  ['12 a description of 7 characters', 'model', { name: 'a name', description: '1234567' }, ['description']],
  ['12 an empty description', 'model', { name: 'a name', description: '' }, ['description']],
  [
    'exact beside other types',
    'objectives',
    { ...OBJECTIVES, objectiveTypes: ['exact', 'percent', 'exact'] },
    ['objectiveTypes'],
  ],
  ['a percent target of 0', 'objectives', { ...OBJECTIVES, objectives: [10, 0, 6] }, ['objectives[1]']],
  [
    'fewer objectives than outputs',
    'objectives',
    {
      ...OBJECTIVES,
      objectives: [1, 2],
      objectiveTypes: ['lessthan', 'lessthan'],
      initialOutput: [1, 2],
      minimumBounds: [],
      maximumBounds: [],
    },
    ['objectives'],
  ],
  ['no attempts', 'objectives', { ...OBJECTIVES, maximumAttempts: 0 }, ['maximumAttempts']],
  ['a project name of 3 characters', 'project', { ...PROJECT, name: 'abc' }, ['name']],
  ['no inputs', 'project', { ...PROJECT, inputCount: 0 }, ['inputCount']],
  ['201 inputs', 'project', { ...PROJECT, inputCount: 201 }, ['inputCount']],
  ['a maximum below its minimum', 'project', { ...PROJECT, maximums: [-1, 5] }, ['maximums[0]']],
  ['an unknown input type', 'project', { ...PROJECT, inputTypes: ['float', 'enum'] }, ['inputTypes[1]']],
  ['too few category names', 'project', { ...PROJECT, categories: [null, ['a']] }, ['categories[1]']],
  ['a name list of another length', 'project', { ...PROJECT, categories: [['a']] }, ['categories']],
  ['a category that is not a name', 'project', { ...PROJECT, categories: [null, ['a', 7]] }, ['categories[1][1]']],
  [
    'own cases out of bounds',
    'project',
    {
      ...PROJECT,
      inputCases: [
        [0.5, 6],
        [0.5, 5],
      ],
    },
    ['inputCases[0][1]'],
  ],
  ['own cases of another length', 'project', { ...PROJECT, inputCases: [[0.5]] }, ['inputCases[0]']],
];

describe('a request is refused with 400', () => {
  it.each(RULES)('Rule %s is enforced for %s', async (_, operation, body, properties) => {
    const answered = await SEND[operation]!(body);
    expectProblem(answered, 400);
    expect(propertiesOf(answered)).toEqual(properties);
    expect(answered.body.type).toBe('urn:backsolve:problem:validation-failed');
    expect(answered.body.instance.startsWith('/v1/')).toBe(true);
    for (const { message } of answered.body.errors) expect(message).toMatch(/^[^A-Z].*\.$/);
  });

  it('Rule 12 a name that another model has is enforced', async () => {
    await service.send('POST', '/v1/models', { name: 'taken name' });
    const answered = await service.send('POST', '/v1/models', { name: 'taken name' });
    expectProblem(answered, 400);
    expect(propertiesOf(answered)).toEqual(['name']);
    const other = await service.send('POST', '/v1/models', { name: 'another name' });
    expect(propertiesOf(await service.send('PATCH', `/v1/models/${other.body.id}`, { name: 'taken name' }))).toEqual([
      'name',
    ]);
  });

  it('The extremes that the rules allow are accepted', async () => {
    for (const name of ['abcd', 'a'.repeat(96), '🚀🚀🚀🚀', 'ä'.repeat(96)]) {
      const answered = await service.send('POST', '/v1/models', { name, description: '12345678' });
      expect(answered).toMatchObject({ status: 201, body: { name } });
    }
  });
});

describe('a body under /v1', () => {
  it.each([
    ['cases', { ...CASES, failedCase: [0] }, 'failedCase', 'is not a field; did you mean failedCases?'],
    [
      'objectives',
      { ...OBJECTIVES, maximumAttemps: 7 },
      'maximumAttemps',
      'is not a field; did you mean maximumAttempts?',
    ],
    ['initialize', { ...INITIALIZE, converge: 1 }, 'converge', 'is not a field; did you mean convergence?'],
    ['model', { name: 'a name', labels: [] }, 'labels', 'is not a field; the fields are name, description.'],
  ])('A body of %s with an unknown field is refused', async (operation, body, property, message) => {
    const answered = await SEND[operation]!(body);
    expectProblem(answered, 400);
    expect(answered.body.errors).toMatchObject([{ property, pointer: `/${property}`, message }]);
    expect(answered.body.detail).toBe(`${property}: ${message}`);
  });

  it('An unknown field of PUT or PATCH is refused', async () => {
    const { objectiveUrl } = await prepareObjective(service.send);
    const url = `${objectiveUrl}/inverses/1/output`;
    const put = await service.send('PUT', url, { output: [1, 2, 3], computetime: 5 });
    expectProblem(put, 400);
    expect(put.body.errors[0].message).toBe('is not a field; did you mean computeTime?');
    const patch = await service.send('PATCH', trial.trialUrl, { state: 'completed' });
    expectProblem(patch, 400);
    expect(patch.body.errors.map(({ message }: { message: string }) => message)).toContain(
      'is not a field; did you mean status?',
    );
  });

  it.each(['NaN', 'Infinity', '-Infinity'])(
    'A body with %s is refused with advice on what to send instead',
    async (word) => {
      const { objectiveUrl } = await prepareObjective(service.send);
      const answered = await service.send('POST', `${objectiveUrl}/inverse-output`, `{"output": [${word}, 1]}`);
      expectProblem(answered, 400);
      expect(answered.body.detail).toBe(
        `The body is not valid JSON: JSON has no ${word}. Under /v1, report a run without a result as failed: send failed: true instead of its output, or list its row in failedCases.`,
      );
    },
  );

  it('A body with a field __proto__ is refused with a message that names it, and no other body is', async () => {
    const answered = await service.send('POST', '/v1/models', '{"name": "a name", "__proto__": {"x": 1}}');
    expectProblem(answered, 400);
    expect(answered.body.detail).toBe('The body must not have the field __proto__.');
    const named = await service.send('POST', '/v1/models', '{"name": "__proto__ NaN"}');
    expect(named.status).toBe(201);
  });
});

describe('bounds of objectives whose type has none', () => {
  const mixed = { ...OBJECTIVES, objectiveTypes: ['value', 'lessthan', 'minimize'] };
  const nulls = { minimumBounds: [-1, null, null], maximumBounds: [1, null, null] };

  it('Bounds of a type without bounds may be null, and are stored and shown as null', async () => {
    const { loaded, objectiveUrl } = await prepareObjective(service.send, { ...mixed, ...nulls });
    expect(loaded).toMatchObject({ status: 201, body: nulls });
    expect((await service.send('GET', objectiveUrl)).body).toMatchObject(nulls);
    const [inverse] = (await service.send('GET', `${objectiveUrl}/inverses`)).body;
    expect(inverse.results.map(({ minimumBound }: { minimumBound: number | null }) => minimumBound)).toEqual([
      -1,
      null,
      null,
    ]);
  });

  it('Bounds may be null in initialize-inverse, which recognizes the same definition', async () => {
    const body = { ...INITIALIZE, ...mixed, ...nulls };
    const first = await SEND.initialize!(body);
    expect(first.status).toBe(201);
    expect((await SEND.initialize!(body)).body.id).toBe(first.body.id);
    const other = await SEND.initialize!({ ...body, minimumBounds: [-1, 0, null] });
    expect(other.status).toBe(201);
    expect(other.body.id).not.toBe(first.body.id);
  });

  it('Null bounds are shown as 0 to existing clients, which require numbers', async () => {
    const { loaded } = await prepareObjective(service.send, { ...mixed, ...nulls });
    const shown = await service.send('GET', `/api/objectives/${loaded.body.id}`);
    expect(shown.body).toMatchObject({ minimumBounds: [-1, 0, 0], maximumBounds: [1, 0, 0] });
  });

  it('Bounds of 0 and 0 are refused with the advice to send null', async () => {
    const zeros = { minimumBounds: [-1, 0, 0], maximumBounds: [1, 0, 1] };
    const answered = await SEND.objectives!({ ...mixed, ...zeros });
    expectProblem(answered, 400);
    expect(answered.body.detail).toBe(
      'maximumBounds[1]: must be greater than minimumBounds[1] (0), is 0; lessthan has no bounds, so both may be null.',
    );
  });

  it('Bounds must not be null for a type that has bounds', async () => {
    const answered = await SEND.objectives!({ ...mixed, ...nulls, minimumBounds: [null, null, null] });
    expectProblem(answered, 400);
    expect(propertiesOf(answered)).toEqual(['minimumBounds[0]']);
  });
});

describe('all violations of a request come together', () => {
  it('All violations of the shape come together', async () => {
    const answered = await SEND.initialize!({ convergence: 'small', objectives: [1, null], objectiveTypes: ['near'] });
    expectProblem(answered, 400);
    expect(propertiesOf(answered)).toEqual([
      'convergence',
      'desiredL1Norm',
      'initialInput',
      'initialOutput',
      'maximumBounds',
      'minimumBounds',
      'objectiveTypes',
      'objectiveTypes[0]',
      'objectives[1]',
    ]);
  });

  it('Violations of the shape come together with those of rules between fields', async () => {
    const named = await SEND.project!({ ...PROJECT, name: 'abc', maximums: [-1, 5] });
    expect(propertiesOf(named)).toEqual(['maximums[0]', 'name']);
    const loaded = await SEND.objectives!({
      ...OBJECTIVES,
      desiredL1Norm: -1,
      maximumBounds: [1, -2, 1],
      initialOutput: [1],
    });
    expect(propertiesOf(loaded)).toEqual(['desiredL1Norm', 'initialOutput', 'maximumBounds[1]']);
    const cases = await SEND.cases!({ outputCount: 2, outputCases: [[1], ['x', 2], 3], failedCases: [5] });
    expect(propertiesOf(cases)).toEqual(['failedCases[0]', 'outputCases[0]', 'outputCases[1][0]', 'outputCases[2]']);
  });

  it('Violations of rules that need the database come together with those of rules between fields', async () => {
    const answered = await SEND.objectives!({
      ...OBJECTIVES,
      initialInput: [1, 2, 3],
      maximumBounds: [1, -2, 1],
      initialOutput: [1],
    });
    expect(propertiesOf(answered)).toEqual(['initialInput', 'initialOutput', 'maximumBounds[1]']);
  });

  it('Violations of the path, the query and the body come together', async () => {
    expect(propertiesOf(await service.send('GET', '/v1/models/x/projects?limit=0&after=-1'))).toEqual([
      'after',
      'limit',
      'model_id',
    ]);
    const answered = await service.send('POST', '/v1/models/0/projects/1.5/output-cases', {});
    expect(propertiesOf(answered)).toEqual(['model_id', 'outputCases', 'outputCount', 'project_id']);
  });

  it('At most a hundred violations are listed', async () => {
    const answered = await SEND.objectives!({ ...OBJECTIVES, objectives: new Array(1000).fill('x') });
    expectProblem(answered, 400);
    expect(answered.body.errors.length).toBeLessThanOrEqual(100);
  });
});

describe('path ids', () => {
  const MALFORMED = ['0', '-1', '1.5', '1.0', '+1', '01', '1e3', 'abc', '%20', '1%20', '0x1', 'NaN', '¹'];
  it.each(MALFORMED)('The path id %s is not a positive integer and gets 400', async (id) => {
    const answered = await service.send('GET', `/v1/models/${encodeURI(decodeURI(id))}`);
    expectProblem(answered, 400);
    expect(propertiesOf(answered)).toEqual(['model_id']);
  });

  const BEYOND = ['9007199254740992', '9223372036854775807', '9223372036854775808', '1'.repeat(400)];
  it.each(BEYOND)('The path id %s belongs to no record and gets 404', async (id) => {
    expectProblem(await service.send('GET', `/v1/models/${id}`), 404);
    expectProblem(await service.send('POST', `/v1/trials/${id}/initialize-inverse`, INITIALIZE), 404);
  });

  const NAMES = ['model_id', 'project_id', 'trial_id', 'objective_id', 'inverse_id'];
  it.each(NAMES.map((name, position) => [name, position] as const))(
    'The malformed path id %s is named',
    async (name, position) => {
      const ids = [1, 1, 1, 1, 1].map((id, i) => (i === position ? 'x' : id));
      const url = `/v1/models/${ids[0]}/projects/${ids[1]}/trials/${ids[2]}/objectives/${ids[3]}/inverses/${ids[4]}`;
      expect(propertiesOf(await service.send('GET', url))).toEqual([name]);
    },
  );

  it('An id that does not belong to the previous one is named with 404', async () => {
    const other = await prepareObjective(service.send);
    const mine = await prepareObjective(service.send);
    const [model, project, trialId, objective] = [mine.model.id, mine.project.id, mine.trialId, mine.loaded.body.id];
    const chains: readonly [string, number, readonly number[]][] = [
      ['model', 999_999, [999_999, project, trialId, objective]],
      ['project', project, [other.model.id, project, trialId, objective]],
      ['trial', trialId, [other.model.id, other.project.id, trialId, objective]],
      ['objective', objective, [other.model.id, other.project.id, other.trialId, objective]],
    ];
    for (const [resource, id, [a, b, c, d]] of chains) {
      const url = `/v1/models/${a}/projects/${b}/trials/${c}/objectives/${d}`;
      for (const answered of [await service.send('GET', url), await service.send('POST', `${url}/inverses`)]) {
        expectProblem(answered, 404);
        expect(answered.body.detail).toBe(`There is no ${resource} ${id}.`);
      }
    }
    expect((await service.send('GET', `/v1/models/${model}/projects/${project}`)).status).toBe(200);
  });
});

describe('preconditions', () => {
  it('A closed trial refuses objectives and suggestions with 400', async () => {
    const { trialUrl, objectiveUrl } = await prepareObjective(service.send);
    await service.send('PATCH', trialUrl, { status: 'completed' });
    for (const answered of [
      await service.send('POST', `${trialUrl}/objectives`, OBJECTIVES),
      await service.send('POST', `${objectiveUrl}/inverses`),
    ]) {
      expectProblem(answered, 400);
      expect(answered.body.type).toBe('urn:backsolve:problem:trial-closed');
    }
  });

  it('An output without an open iteration is refused with 400 or 409', async () => {
    const { objectiveUrl } = await prepareObjective(service.send);
    const answered = await service.send('POST', `${objectiveUrl}/inverse-output`, { output: blackBox([1, 1]) });
    expect([400, 409]).toContain(answered.status);
    expectProblem(answered, answered.status);
  });

  it.each([
    ['neither output nor failure', {}, ['output']],
    ['both', { output: [1, 2, 3], failed: true }, ['output']],
    ['failed false and no output', { failed: false }, ['output']],
    ['an output of another length', { output: [1, 2] }, ['output']],
    ['no numbers', { output: ['1', 2, 3] }, ['output[0]']],
    ['a negative computeTime', { output: [1, 2, 3], computeTime: -1 }, ['computeTime']],
    ['failed as text', { failed: 'true', output: [1, 2, 3] }, ['failed']],
  ])('An inverse-output with %s is refused with 400', async (_, body, properties) => {
    const { objectiveUrl } = await prepareObjective(service.send);
    const answered = await service.send('POST', `${objectiveUrl}/inverse-output`, body);
    expectProblem(answered, 400);
    expect(propertiesOf(answered)).toEqual(properties);
  });
});
