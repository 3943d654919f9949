/** An initial point that breaks a limit: the search learns from it, and nothing names it as the nearest run or the answer. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { judgeEarlierObjectives } from '../../src/application/search/judge-runs.ts';
import { type NativeService, openNativeService } from './native-service.ts';

let service: NativeService;
let trialUrl: string;

const sum = ([a, b]: readonly number[]) => [a! + b!];
const INPUTS = [
  [0.1, 0.1],
  [0.9, 0.9],
];
/** Misses by little, and no limit below allows it. */
const START = [0.5, 0.52];
const OBJECTIVE = {
  objectives: [1],
  objectiveTypes: ['value'],
  minimumBounds: [-0.01],
  maximumBounds: [0.01],
  initialInput: START,
  initialOutput: sum(START),
  reuse: false,
};
/** The second case is within these, and none within those. */
const LIMITS = {
  some: [{ constraints: ['x1 >= 0.8'] }, { fixedInputs: [0.9, null] }],
  none: { constraints: ['x1 >= 0.95'] },
};

beforeAll(async () => {
  service = await openNativeService({ hasWorker: true });
  trialUrl = await openTrial({});
});
afterAll(() => service.close());

async function openTrial(project: object, name = 'adding up'): Promise<string> {
  const { send } = service;
  const { body: model } = await send('POST', '/v1/models', { name });
  const { body } = await send('POST', `/v1/models/${model.id}/projects`, {
    name,
    inputCount: 2,
    minimums: [0, 0],
    maximums: [1, 1],
    inputTypes: ['float', 'float'],
    inputCases: INPUTS,
    ...project,
  });
  const url = `/v1/models/${model.id}/projects/${body.id}`;
  const { body: set } = await send('POST', `${url}/output-cases`, { outputCount: 1, outputCases: INPUTS.map(sum) });
  return `${url}/trials/${set.trial_id}`;
}

async function load(limits: object, trial = trialUrl) {
  const { status, body } = await service.send('POST', `${trial}/objectives`, { ...OBJECTIVE, ...limits });
  expect(status, JSON.stringify(body)).toBe(201);
  return { id: body.id as number, url: `${trial}/objectives/${body.id}` };
}

/** The black box answers what the test says. */
async function run(url: string, output: readonly number[]) {
  const { body: inverse } = await service.send('POST', `${url}/inverses`);
  await service.send('PUT', `${url}/inverses/${inverse.id}/output`, { output });
  return { id: inverse.id as number, url: `${url}/inverses/${inverse.id}`, input: inverse.input as number[] };
}

/** The answer that every surface names: null, or its input and what it is. */
async function answerOn({ id, url }: { id: number; url: string }) {
  const read = async (path: string) => (await service.send('GET', path)).body;
  const { answer, best, inverses } = await read(url);
  const listed = (await read(url.replace(/\/\d+$/, ''))).find((one: { id: number }) => one.id === id);
  const history = await read(`/v1/objectives/${id}/history`);
  const glance = (await read('/v1/objectives?trend=50')).find((one: { id: number }) => one.id === id);
  expect(inverses[0].inputs).toEqual(START);
  expect([best?.input, listed.answer?.input, listed.best?.input, history.answer?.input]).toEqual(
    new Array(4).fill(answer?.input),
  );
  expect([history.bestInput, history.bestMisses]).toEqual([answer?.input ?? null, answer?.misses ?? null]);
  expect(glance.worstMiss).toBe(answer?.worstMiss ?? null);
  // The trend ends at the answer, and no earlier run of it came nearer.
  expect(glance.trend.misses.at(-1)).toBe(answer?.worstMiss);
  expect(Math.min(...glance.trend.misses)).toBe(answer?.worstMiss ?? Number.POSITIVE_INFINITY);
  return (
    answer && { kind: answer.kind, input: answer.input, caseNumber: answer.caseNumber, iteration: answer.iteration }
  );
}

const ofCase = (number: number) => ({
  kind: 'nearest',
  input: INPUTS[number - 1],
  caseNumber: number,
  iteration: null,
});
const ofRun = (iteration: number, input: readonly number[]) => ({
  kind: 'nearest',
  input,
  caseNumber: null,
  iteration,
});

describe('an initial point that breaks a limit', () => {
  it('Is the nearest run where it breaks none', async () => {
    expect(await answerOn(await load({}))).toEqual(ofRun(1, START));
  });

  it('Is not the nearest run when it is loaded', async () => {
    for (const limits of LIMITS.some) expect(await answerOn(await load(limits))).toEqual(ofCase(2));
    expect(await answerOn(await load(LIMITS.none))).toBeNull();
    const trial = await openTrial({ constraints: ['x1 + x2 >= 1.5'] }, 'adding up to much');
    expect(await answerOn(await load({}, trial))).toEqual(ofCase(2));
  });

  it('Is not the nearest run beside outputs that are farther away', async () => {
    const [some, none] = [await load(LIMITS.some[0]!), await load(LIMITS.none)];
    await run(some.url, [2.5]);
    expect(await answerOn(some)).toEqual(ofCase(2));
    const near = await run(some.url, [1.6]);
    expect(await answerOn(some)).toEqual(ofRun(3, near.input));
    const far = await run(none.url, [2.5]);
    expect(await answerOn(none)).toEqual(ofRun(2, far.input));
  });

  it('Is not the nearest run after a correction, nor where all runs are judged again', async () => {
    const objective = await load(LIMITS.none);
    expect(await forgotten(objective)).toBeNull();
    const [first, second] = [await run(objective.url, [1.4]), await run(objective.url, [1.7])];
    expect(await answerOn(objective)).toEqual(ofRun(2, first.input));
    const correct = (body: object) => service.send('POST', `${first.url}/corrections`, { reason: 'misread', ...body });
    expect((await correct({ output: [1.9] })).status).toBe(200);
    expect(await answerOn(objective)).toEqual(ofRun(3, second.input));
    expect(await forgotten(objective)).toEqual(ofRun(3, second.input));
    expect((await correct({ excluded: true })).status).toBe(200);
    const third = await run(objective.url, [1.8]);
    expect(await answerOn(objective)).toEqual(ofRun(3, second.input));
    expect(third.id).toBeGreaterThan(second.id);
  });

  it('Is not the nearest run after cases were added', async () => {
    const objective = await load(LIMITS.none);
    await service.send('POST', `${objective.url.replace(/\/objectives.*/, '')}/cases`, {
      inputs: [[0.97, 0.8]],
      outputs: [[1.77]],
    });
    expect(await answerOn(objective)).toEqual({ ...ofCase(1), input: [0.97, 0.8], caseNumber: 3 });
  });
});

/** The answer once the scheduled pass has judged everything again. */
async function forgotten(objective: { id: number; url: string }) {
  await sql`update objectives set judged_through = null where id = ${objective.id}`.execute(service.db);
  const { body } = await service.send('GET', objective.url);
  await judgeEarlierObjectives(service.db, { signal: new AbortController().signal });
  const judged = await answerOn(objective);
  expect(body.answer?.input).toEqual(judged?.input);
  return judged;
}
