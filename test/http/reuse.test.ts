/** Tests what an objective learns from, where it starts, and limits on the inputs of its own, over HTTP. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadedObjectivesSchema, objectiveSchema } from '../../src/http/native/search/objectives.wire.ts';
import { blackBox, type NativeService, OBJECTIVES, openNativeService, prepareTrial } from './native-service.ts';

let service: NativeService;
beforeAll(async () => {
  service = await openNativeService({ hasWorker: true });
});
afterAll(() => service.close());

/** Within 1 percent of the outputs at an input; without an initial point. */
const targetsAt = (input: readonly [number, number]) => ({
  objectives: blackBox(input),
  objectiveTypes: ['value', 'value', 'value'],
  minimumBounds: [-0.01, -0.01, -0.01],
  maximumBounds: [0.01, 0.01, 0.01],
});

/** Cannot be reached: y3 is twice the first input, which is at most 10. */
const NEVER = { ...targetsAt([3, 7]), objectives: [10, -4, 500] };
const START = { initialInput: [5, 5], initialOutput: blackBox([5, 5]) };

async function load(trialUrl: string, body: object) {
  const { status, body: loaded } = await service.send('POST', `${trialUrl}/objectives`, body);
  expect([status, loaded.errors]).toEqual([201, undefined]);
  expect(loadedObjectivesSchema.safeParse(loaded).error).toBeUndefined();
  return { ...loaded, url: `${trialUrl}/objectives/${loaded.id}` };
}

/** Asks for a suggestion and loads its output. */
async function run(url: string, box: (input: [number, number]) => number[] = blackBox) {
  const { status, body } = await service.send('POST', `${url}/inverses`);
  expect(status).toBe(201);
  const output = box(body.input);
  expect((await service.send('POST', `${url}/inverse-output`, { output })).status).toBe(200);
  return body;
}

const read = async (url: string) => (await service.send('GET', url)).body;

async function refusal(trialUrl: string, body: object) {
  const answer = await service.send('POST', `${trialUrl}/objectives`, body);
  expect(answer.status).toBe(400);
  return answer.body.errors.map(
    ({ property, message }: { property: string; message: string }) => `${property} ${message}`,
  );
}

describe('what an objective learns from', () => {
  it('Suggestions know the runs of the other objectives of the trial, and say which', async () => {
    const { trialUrl } = await prepareTrial(service.send);
    const first = await load(trialUrl, { ...NEVER, ...START });
    await run(first.url);
    await run(first.url);
    const second = await load(trialUrl, { ...targetsAt([8, 2]), ...START });
    const suggestion = await run(second.url);
    expect(suggestion.learnedFrom).toEqual({ revision: 0, objectives: [{ objectiveId: first.id, iteration: 3 }] });
    const objective = await read(second.url);
    expect(objectiveSchema.safeParse(objective).error).toBeUndefined();
    expect(objective.inverses.map(({ learnedFrom }: { learnedFrom: unknown }) => learnedFrom)).toEqual([
      null,
      suggestion.learnedFrom,
    ]);
    expect((await read(first.url)).inverses[2].learnedFrom).toBeNull();
  });

  it('With reuse false, and under /api, suggestions are those of a trial without other objectives', async () => {
    const fresh = await prepareTrial(service.send);
    const expected = await run((await load(fresh.trialUrl, { ...targetsAt([8, 2]), ...START })).url);
    const { trialUrl, trialId } = await prepareTrial(service.send);
    const other = await load(trialUrl, { ...NEVER, ...START });
    await run(other.url);
    const alone = await load(trialUrl, { ...targetsAt([8, 2]), ...START, reuse: false });
    expect(await run(alone.url)).toMatchObject({ input: expected.input, learnedFrom: null });
    const made = await service.send('POST', `/api/trials/${trialId}/objectives`, { ...targetsAt([8, 2]), ...START });
    expect(made.status).toBe(201);
    expect(Object.keys(made.body)).not.toContain('reuse');
    const { body: known } = await service.send('GET', `${trialUrl}/objectives/${made.body.id}`);
    expect(known.reuse).toBe(false);
    expect(await run(`${trialUrl}/objectives/${made.body.id}`)).toMatchObject({ input: expected.input });
    const reusing = await load(trialUrl, { ...targetsAt([8, 2]), ...START });
    expect((await run(reusing.url)).input).not.toEqual(expected.input);
  });

  it('Initialize-inverse returns the running twin whatever it learns from, unless the request says', async () => {
    const { trialId } = await prepareTrial(service.send);
    const body = { ...OBJECTIVES, convergence: 0.001 };
    const initialize = async (change: object = {}) =>
      (await service.send('POST', `/v1/trials/${trialId}/initialize-inverse`, { ...body, ...change })).body.objectiveId;
    const alone = await initialize({ reuse: false });
    expect(alone).toEqual(expect.any(Number));
    expect(await initialize()).toBe(alone);
    const reusing = await initialize({ reuse: true });
    expect(reusing).not.toBe(alone);
    expect(await initialize({ reuse: false })).toBe(alone);
    expect(await initialize()).toBe(reusing);
  });
});

describe('changing the targets midway', () => {
  it('continues stops the other objective with its event and starts from its best run', async () => {
    await service.send('POST', '/v1/webhooks', { url: 'https://example.com/hook' });
    const { trialUrl } = await prepareTrial(service.send);
    const first = await load(trialUrl, { ...NEVER, ...START });
    const tried = [await run(first.url), await run(first.url)];
    await service.send('POST', `${first.url}/inverses`);
    const [a, b] = tried[1].input;
    const next = await load(trialUrl, {
      ...targetsAt([a, b]),
      // Beyond reach, so that it goes on from there.
      minimumBounds: [0.1, -1, -1],
      maximumBounds: [0.2, 1, 1],
      continues: first.id,
      reuse: false,
    });
    expect(next).toMatchObject({
      continues: first.id,
      reuse: false,
      stopReason: 0,
      initialInput: tried[1].input,
      initialOutput: blackBox(tried[1].input),
    });
    const stopped = await read(first.url);
    expect(stopped.stopReason).toBe(2);
    expect(stopped.inverses.at(-1)).toMatchObject({ status: 'stopped', outputs: [] });
    const { rows } = await sql<{ name: string; resource_id: number }>`
      select name, resource_id from events order by id desc limit 2`.execute(service.db);
    expect(rows.map(({ name, resource_id }) => [name, Number(resource_id)])).toEqual([
      ['objectives.loaded', next.id],
      ['objective.stopped', first.id],
    ]);
    expect((await run(next.url)).learnedFrom.objectives).toEqual([{ objectiveId: first.id, iteration: 3 }]);
    // One that has ended can be continued as well.
    expect(await load(trialUrl, { ...NEVER, continues: first.id })).toMatchObject({
      continues: first.id,
      stopReason: 0,
    });
  });

  it('An objective that a known run satisfies is satisfied immediately, without a run', async () => {
    const { trialUrl } = await prepareTrial(service.send);
    expect(await load(trialUrl, targetsAt([10, 1]))).toMatchObject({ stopReason: 1, initialInput: [10, 1] });
    const first = await load(trialUrl, { ...NEVER, ...START });
    const { input } = await run(first.url);
    const targets = targetsAt(input);
    expect(await load(trialUrl, { ...targets, reuse: false })).toMatchObject({ stopReason: 0 });
    expect(await load(trialUrl, targets)).toMatchObject({ stopReason: 1, initialInput: input, l1Norm: 0 });
  });

  it('A trial in which nothing has succeeded needs an initial point', async () => {
    const { projectUrl } = await prepareTrial(service.send);
    const outputCases = [
      [0, 0, 0],
      [0, 0, 0],
      [0, 0, 0],
    ];
    const { body: set } = await service.send('POST', `${projectUrl}/output-cases`, {
      outputCount: 3,
      outputCases,
      failedCases: [0, 1, 2],
    });
    const trialUrl = `${projectUrl}/trials/${set.trial_id}`;
    expect(await refusal(trialUrl, NEVER)).toEqual([
      'initialInput is required with initialOutput: no run of this trial has succeeded yet, so there is no best case to start from.',
    ]);
    await load(trialUrl, { ...NEVER, ...START });
    expect(await load(trialUrl, NEVER)).toMatchObject(START);
  });

  it('A refused objective leaves the one that it would have continued as it was', async () => {
    const { trialUrl } = await prepareTrial(service.send);
    const other = await prepareTrial(service.send);
    const first = await load(trialUrl, { ...NEVER, ...START });
    await refusal(trialUrl, { ...NEVER, continues: first.id, initialInput: [1, 99], initialOutput: [1, 2, 3] });
    expect((await read(first.url)).stopReason).toBe(0);
    for (const [url, id] of [
      [other.trialUrl, first.id],
      [trialUrl, 999_999_999],
    ]) {
      expect(await refusal(url, { ...NEVER, continues: id })).toEqual([
        expect.stringMatching(/^continues must be the id of an objective of trial \d+, running or ended/),
      ]);
    }
    await service.send('DELETE', first.url);
    expect(await refusal(trialUrl, { ...NEVER, continues: first.id })).toHaveLength(1);
  });
});

describe('limits on the inputs of one objective', () => {
  const SPACE = {
    name: 'A mixture',
    inputCount: 3,
    minimums: [0, 0, 0],
    maximums: [1, 1, 10],
    inputTypes: ['float', 'float', 'integer'],
    inputNames: ['resin', 'filler', 'layers'],
    steps: [null, 0.05, null],
    constraints: ['resin + filler <= 1.2'],
    caseCount: 4,
  };
  const mix = ([a, b, c]: readonly number[]) => [10 * a! + b! + 0.2 * c! ** 2, a! * b! + c!];
  const GOAL = {
    objectives: [50, 3],
    objectiveTypes: ['value', 'value'],
    minimumBounds: [-0.001, -0.001],
    maximumBounds: [0.001, 0.001],
  };

  let trialUrl: string;
  beforeAll(async () => {
    const model = (await service.send('POST', '/v1/models', { name: 'Limits of objectives' })).body;
    const { body: project } = await service.send('POST', `/v1/models/${model.id}/projects`, SPACE);
    const projectUrl = `/v1/models/${model.id}/projects/${project.id}`;
    const { body: set } = await service.send('POST', `${projectUrl}/output-cases`, {
      outputCount: 2,
      outputCases: project.inputCases.map(mix),
    });
    trialUrl = `${projectUrl}/trials/${set.trial_id}`;
  });

  it('Every suggestion has the fixed values and satisfies the constraints of the project and its own', async () => {
    const limits = {
      fixedInputs: [null, 0.15, null],
      constraints: ['resin >= 0.5 - 0.01*layers', { coefficients: [1, 0, 0.1], relation: '<=', bound: 1.3 }],
    };
    const objective = await load(trialUrl, { ...GOAL, ...limits });
    expect(objective).toMatchObject(limits);
    for (let k = 0; k < 8; k++) {
      const { input } = await run(objective.url, mix as never);
      const [resin, filler, layers] = input;
      expect(filler).toBe(0.15);
      expect(Number.isInteger(layers)).toBe(true);
      expect(resin + filler).toBeLessThanOrEqual(1.2 + 1e-9);
      expect(resin).toBeGreaterThanOrEqual(0.5 - 0.01 * layers - 1e-9);
      expect(resin + 0.1 * layers).toBeLessThanOrEqual(1.3 + 1e-9);
    }
    const listed = (await read(`${trialUrl}/objectives`)).at(-1);
    expect(listed).toMatchObject(limits);
  });

  it('An initial point outside the limits is data and ends nothing; a known one within them is preferred', async () => {
    const start = { initialInput: [0.5, 0.5, 3], initialOutput: [50, 3] };
    const limited = await load(trialUrl, { ...GOAL, ...start, fixedInputs: [null, null, 4], reuse: false });
    expect(limited.stopReason).toBe(0);
    expect((await read(limited.url)).optimalInverse).toBeNull();
    expect(await load(trialUrl, { ...GOAL, ...start, fixedInputs: [null, null, 3], reuse: false })).toMatchObject({
      stopReason: 1,
    });
    // The nearest run breaks the constraint.
    const { initialInput } = await load(trialUrl, { ...GOAL, constraints: ['layers >= 4'] });
    expect(initialInput[2]).toBeGreaterThanOrEqual(4);
  });

  it('Fixed inputs are taken by name, and named where they clash', async () => {
    const { fixedInputs } = await load(trialUrl, { ...GOAL, fixedInputs: { filler: 0.15 } });
    expect(fixedInputs).toEqual([null, 0.15, null]);
    const wrong = async (named: object) => (await refusal(trialUrl, { ...GOAL, fixedInputs: named }))[0];
    expect(await wrong({ filer: 0.15 })).toContain('did you mean filler?');
    expect(await wrong({ filler: 0.12 })).toContain('must be 0 plus a multiple of the step 0.05, is 0.12.');
    expect(await wrong({ resin: 0.9, filler: 0.5 })).toContain('fixedInputs[0] (resin = 0.9)');
  });

  it('A space that the fixed inputs leave a single point of is used up with its run', async () => {
    const fixed = { fixedInputs: [0.25, 0.5, 7], reuse: false };
    const objective = await load(trialUrl, { ...GOAL, ...fixed });
    expect((await run(objective.url, mix as never)).input).toEqual([0.25, 0.5, 7]);
    const { body: last } = await service.send('POST', `${objective.url}/inverses`);
    expect(last).toMatchObject({ status: 'stopped', input: [0.25, 0.5, 7] });
    expect(await read(objective.url)).toMatchObject({ stopReason: 2, optimalInverse: null });
  });

  it.each([
    [{ fixedInputs: [0.5, null] }, 'fixedInputs must have one value per input (3), has 2.'],
    [{ fixedInputs: [1.5, null, null] }, 'fixedInputs[0] must be between 0 and 1, is 1.5.'],
    [{ fixedInputs: [null, null, 2.5] }, 'fixedInputs[2] must be a whole number (the input is integer), is 2.5.'],
    [{ fixedInputs: [null, 0.12, null] }, 'fixedInputs[1] must be 0 plus a multiple of the step 0.05, is 0.12.'],
    [{ fixedInputs: 'resin' }, 'fixedInputs must be an array of numbers, is the string "resin".'],
    [
      { constraints: ['resn <= 1'] },
      'constraints[0] cannot be read at character 1: there is no input resn; did you mean resin?',
    ],
    [{ constraints: ['resin*filler = 0.1'] }, 'constraints[0] can be an equation only if it is a sum of multiples'],
    [
      { constraints: ['resin >= 0.2', 'resin + filler >= 1.5'] },
      "constraints[1] leaves no input: none satisfies all of the project's constraints[0] (resin + filler <= 1.2), constraints[1] (resin + filler >= 1.5).",
    ],
    [
      { fixedInputs: [0.9, 0.5, null] },
      "fixedInputs[0] leaves no input: none satisfies all of the project's constraints[0] (resin + filler <= 1.2), fixedInputs[0] (resin = 0.9), fixedInputs[1] (filler = 0.5).",
    ],
    [
      { constraints: ['resin^2 + filler^2 <= -1'] },
      'constraints leave no input that could be found within all constraints',
    ],
    [{ initialInput: [0.5, 0.5, 3] }, 'initialOutput is required with initialInput: send both'],
    [
      { initialInput: [9, 0.5, 3], initialOutput: [1, 2], fixedInputs: [2, null, null] },
      'initialInput[0] must be between',
    ],
    [{ continues: 0 }, 'continues must be at least 1, is 0.'],
    [{ reuse: 'yes' }, 'reuse must be true or false, is the string "yes".'],
  ])('%o is refused with its place', async (change, text) => {
    const errors = await refusal(trialUrl, { ...GOAL, ...change });
    expect(errors[0]).toContain(text);
  });
});
