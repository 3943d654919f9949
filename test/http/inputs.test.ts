/** Tests what a client states about inputs beyond bounds and types, from the request to the last suggestion. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectSchema } from '../../src/http/native/problem/projects.wire.ts';
import { type NativeService, openNativeService } from './native-service.ts';

let service: NativeService;
let projects: string;
beforeAll(async () => {
  service = await openNativeService({ hasWorker: true, designWork: 300 });
  const { body } = await service.send('POST', '/v1/models', { name: 'Inputs in detail' });
  projects = `/v1/models/${body.id}/projects`;
});
afterAll(() => service.close());

const MIXTURE = {
  name: 'A mixture',
  inputCount: 4,
  minimums: [0, 0, 0, 0.001],
  maximums: [1, 1, 1, 1000],
  inputTypes: ['float', 'float', 'float', 'float'],
  inputNames: ['resin', 'hardener', 'filler', 'time'],
  inputUnits: ['', '', '', 's'],
  scales: [null, null, null, 'log'],
  steps: [null, null, 0.05, null],
  constraints: ['resin + hardener + filler = 1', 'hardener <= 0.5*resin', 'resin^2 + filler^2 <= 0.8'],
};

function refusalOf(change: object) {
  return service.send('POST', projects, { ...MIXTURE, ...change });
}

/** Plays an objective of two targets to its end and returns every input that was designed or suggested. */
async function play(project: { id: number; inputCases: number[][] }, blackBox: (input: number[]) => number[]) {
  const path = `${projects}/${project.id}`;
  const outputs = project.inputCases.map(blackBox);
  const { body: loaded } = await service.send('POST', `${path}/output-cases`, { outputCount: 2, outputCases: outputs });
  const trial = `${path}/trials/${loaded.trial_id}`;
  const { body: objective } = await service.send('POST', `${trial}/objectives`, {
    objectives: blackBox([0.6, 0.25, 0.15, 20]),
    objectiveTypes: ['percent', 'percent'],
    minimumBounds: [-1, -1],
    maximumBounds: [1, 1],
    desiredL1Norm: 0,
    initialInput: project.inputCases[0],
    initialOutput: outputs[0],
  });
  const url = `${trial}/objectives/${objective.id}`;
  const inputs = [...project.inputCases];
  let stopReason = 0;
  for (let k = 0; k < 25 && stopReason === 0; k++) {
    const { body } = await service.send('POST', `${url}/inverses`);
    inputs.push(body.input);
    await service.send('POST', `${url}/inverse-output`, { output: blackBox(body.input) });
    stopReason = (await service.send('GET', url)).body.stopReason;
  }
  return { inputs, stopReason };
}

describe('constraints that take much work', () => {
  const names = Array.from({ length: 10 }, (_, i) => `x${i}`);
  const wide = {
    name: 'Products of ten',
    inputCount: 10,
    minimums: new Array(10).fill(0),
    maximums: new Array(10).fill(10),
    inputTypes: new Array(10).fill('float'),
    inputNames: names,
  };
  const sine = `sin(${names.join('*')}) >= -0.9`;

  it('are refused with what to do, and hold up no project of another account', async () => {
    const asked = Array.from({ length: 4 }, (_, k) =>
      service.send('POST', projects, { ...wide, constraints: new Array(100 + k).fill(sine) }),
    );
    const other = service.sendAs(await service.makeKey('another'));
    const { body: model } = await other('POST', '/v1/models', { name: 'Beside them' });
    const made = await other('POST', `/v1/models/${model.id}/projects`, MIXTURE);
    expect(made.status).toBe(201);
    for (const { status, body } of await Promise.all(asked)) {
      expect(status).toBe(400);
      expect(body.errors).toMatchObject([
        { property: 'constraints', message: expect.stringMatching(/^take more work .* shorten them, state fewer/) },
      ]);
    }
  });

  it('are refused before anything is computed when the expressions are too large together', async () => {
    const tower = `${'x0^'.repeat(10)}x1 + 1 <= 2`;
    const { status, body } = await service.send('POST', projects, { ...wide, constraints: new Array(250).fill(tower) });
    expect(status).toBe(400);
    expect(body.errors[0].message).toMatch(/^take 28500 operations together, may take 25000;/);
  });
});

describe('a project with constraints, steps and a logarithmic input', () => {
  it('answers what was stated, what kind each constraint is, and an input that satisfies all', async () => {
    const { status, body } = await service.send('POST', projects, MIXTURE);
    expect(status).toBe(201);
    expect(projectSchema.parse(body)).toMatchObject({
      ...MIXTURE,
      constraintKinds: ['equation', 'linear', 'curved'],
      likelyMinimums: null,
      feasible: { interior: expect.any(Array), ranges: expect.any(Array) },
    });
    const [resin, hardener, filler] = body.feasible.interior;
    expect(resin + hardener + filler).toBeCloseTo(1, 9);
    const read = await service.send('GET', `${projects}/${body.id}`);
    expect(read.body).toEqual(body);
  });

  it('keeps every designed case and suggestion within them, up to the solution', async () => {
    const { body: project } = await service.send('POST', projects, { ...MIXTURE, caseCount: 6 });
    expect(project.inputCases).toHaveLength(6);
    const { inputs, stopReason } = await play(project, ([a, b, c, t]) => [
      10 + a! * Math.log10(t!) - 2 * b! * c!,
      5 + Math.exp(b!) + c! * c! + 0.1 * Math.log10(t!),
    ]);
    expect(stopReason).toBe(1);
    for (const [resin, hardener, filler, time] of inputs) {
      expect(Math.abs(resin! + hardener! + filler! - 1)).toBeLessThanOrEqual(1e-9);
      expect(hardener! - 0.5 * resin!).toBeLessThanOrEqual(1e-9);
      expect(resin! ** 2 + filler! ** 2).toBeLessThanOrEqual(0.8 + 1e-9);
      expect(Number.isInteger(Number((filler! / 0.05).toFixed(9)))).toBe(true);
      expect(time! >= 0.001 && time! <= 1000).toBe(true);
    }
  });

  it('takes cases of the client that break a constraint: they are data', async () => {
    const inputCases = [
      [0.6, 0.2, 0.2, 1],
      [1, 1, 1, 1],
    ];
    const { status, body } = await service.send('POST', projects, { ...MIXTURE, inputCases });
    expect([status, body.caseCount]).toEqual([201, 2]);
    expect(body.constraintKinds).toHaveLength(3);
  });

  it('takes constraints by coefficients, and answers them as they were sent', async () => {
    const constraints = [{ coefficients: [1, 1, 1, 0], relation: '=', bound: 1, name: 'shares' }];
    const { status, body } = await service.send('POST', projects, { ...MIXTURE, constraints });
    expect(status).toBe(201);
    expect(body).toMatchObject({ constraints, constraintKinds: ['equation'] });
  });
});

describe('a project', () => {
  it('without any of it answers the fields of every project', async () => {
    const plain = { name: 'Plain', inputCount: 1, minimums: [0], maximums: [1], inputTypes: ['float'] };
    const { body } = await service.send('POST', projects, plain);
    expect(Object.keys(body).sort()).toEqual(
      [
        'caseCount',
        'categories',
        'createdAt',
        'developedAt',
        'disabledAt',
        'id',
        'inputCases',
        'inputCount',
        'inputNames',
        'inputTypes',
        'inputUnits',
        'maximums',
        'maximumEvaluations',
        'minimums',
        'modelId',
        'name',
        'outputCount',
        'outputNames',
        'outputUnits',
        'updatedAt',
      ].sort(),
    );
  });

  it.each([
    [{ parallelism: 7 }, 7],
    [{ parallelism: 2 }, 3],
    [{ parallelism: null }, 3],
    [{ parallelism: 7, caseCount: 2 }, 2],
  ])('with %o has %i designed cases', async (stated, count) => {
    const space = { inputCount: 3, minimums: [0, 0, 0], maximums: [1, 1, 1], inputTypes: ['float', 'float', 'float'] };
    const { status, body } = await service.send('POST', projects, { name: 'Filled', ...space, ...stated });
    expect([status, body.caseCount, body.inputCases.length]).toEqual([201, count, count]);
  });

  it('is not made for more than 64 evaluations at a time', async () => {
    const sent = {
      name: 'Filled',
      inputCount: 1,
      minimums: [0],
      maximums: [1],
      inputTypes: ['float'],
      parallelism: 65,
    };
    const { status, body } = await service.send('POST', projects, sent);
    expect([status, body.errors[0].pointer]).toEqual([400, '/parallelism']);
  });

  it('fixes an input whose minimum is its maximum', async () => {
    const fixed = { ...MIXTURE, minimums: [0.5, 0, 0, 0.001], maximums: [0.5, 1, 1, 1000], caseCount: 3 };
    const { status, body } = await service.send('POST', projects, fixed);
    expect(status).toBe(201);
    for (const [resin] of body.inputCases) expect(resin).toBe(0.5);
  });

  it('with likely ranges has its designed cases inside them but for the last, in the middle of the bounds', async () => {
    const likely = { likelyMinimums: [2, null], likelyMaximums: [3, null] };
    const space = { inputCount: 2, minimums: [0, 0], maximums: [10, 10], inputTypes: ['float', 'float'] };
    const { body } = await service.send('POST', projects, { name: 'Likely', ...space, ...likely, caseCount: 5 });
    for (const [x] of body.inputCases.slice(0, -1)) expect(x! >= 2 && x! <= 3).toBe(true);
    expect(body.inputCases.at(-1)[0]).toBe(5);
    expect(body).toMatchObject(likely);
  });
});

describe('what cannot be is refused with 400 and its place:', () => {
  it.each([
    [{ constraints: ['resin + hardner <= 1'] }, 'constraints[0]', 'there is no input hardner; did you mean hardener?'],
    [
      { constraints: ['resin +'] },
      'constraints[0]',
      'cannot be read at character 8: expected a number, a name or (, found the end.',
    ],
    [{ constraints: ['resin < 1'] }, 'constraints[0]', 'write <= instead of <'],
    [
      { constraints: ['resin >= 0.7', 'hardener >= 0.7', 'resin + hardener <= 1'] },
      'constraints[0]',
      'leaves no input: none satisfies all of',
    ],
    [
      {
        constraints: [
          { coefficients: { resin: 1, hardener: -2 }, relation: '>=', bound: 0.5 },
          { coefficients: { resin: 1 }, relation: '<=', bound: 0.25 },
        ],
      },
      'constraints[0]',
      'none satisfies all of constraints[0] (resin - 2*hardener >= 0.5), constraints[1] (resin <= 0.25)',
    ],
    [
      { constraints: ['resin <= 0.5'], feasibleInput: { resin: 0.9, hardener: 0, filler: 0, time: 1 } },
      'feasibleInput',
      'must satisfy all constraints',
    ],
    [{ inputCases: { resin: 1 } }, 'inputCases', 'must be an array of rows, is an object'],
    [{ constraints: ['1 <= 0'] }, 'constraints[0]', 'leaves no input: none satisfies constraints[0] (1 <= 0).'],
    [{ constraints: ['resin + hardener >= 3'] }, 'constraints[0]', 'the bounds of resin, the bounds of hardener'],
    [
      { constraints: ['resin*hardener = 0.1'] },
      'constraints[0]',
      'can be an equation only if it is a sum of multiples',
    ],
    [{ constraints: ['resin^2 + hardener^2 <= -1'] }, 'constraints', 'state one that satisfies them as feasibleInput'],
    [{ constraints: [`resin <= ${'('.repeat(500)}`] }, 'constraints[0]', 'is nested more than 60 levels deep'],
    [
      { constraints: [{ coefficients: [1], relation: '=', bound: 1 }] },
      'constraints[0].coefficients',
      'must have one value per input (4)',
    ],
    [{ constraints: [7] }, 'constraints[0]', 'must be an expression such as'],
    [
      { inputNames: ['a', 'b', 'a', 'c'], constraints: null },
      'inputNames[2]',
      'must differ from inputNames[0], is a too.',
    ],
    [{ inputNames: ['a'], constraints: null }, 'inputNames', '4'],
    [{ scales: ['log', null, null, null] }, 'scales[0]', 'can be log only with a positive minimum, minimums[0] is 0.'],
    [{ steps: [0, null, null, null] }, 'steps[0]', 'must be positive'],
    [{ steps: [null, null, 1e-12, null] }, 'steps[2]', 'too small'],
    [
      { levels: [[0, 0.5, 0.4], null, null, null] },
      'levels[0][2]',
      'must be greater than 0.5, the one before, is 0.4.',
    ],
    [{ levels: [null, null, [0, 1], null] }, 'levels[2]', 'must be null where steps has an entry'],
    [{ levels: [[0, 2], null, null, null] }, 'levels[0][1]', 'must be between 0 and 1, is 2.'],
    [
      { likelyMinimums: [0.9, null, null, null], likelyMaximums: [0.1, null, null, null] },
      'likelyMinimums[0]',
      'must be at most likelyMaximums[0], and both within the bounds',
    ],
    [{ feasibleInput: [1] }, 'feasibleInput', '4'],
  ])('%o', async (change, property, text) => {
    const { status, body } = await refusalOf(change);
    expect(status).toBe(400);
    expect(body.errors[0].property).toBe(property);
    expect(body.errors[0].message).toContain(text);
  });
});
