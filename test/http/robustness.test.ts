/**
 * Tests what the models tell: predictions, the report on tolerances of the inputs, the search for a surer input, and
 * what the targets tell about the inputs.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { toSuggestRequest } from '../../src/application/search/engine-input.ts';
import { readSnapshotOf } from '../../src/db/search/suggestions.ts';
import { suggest as propose } from '../../src/optimizer/suggest.ts';
import { type Answered, blackBox, type NativeService, openNativeService, prepareTrial } from './native-service.ts';

let service: NativeService;
let trialUrl: string;
beforeAll(async () => {
  service = await openNativeService({ hasWorker: true });
  trialUrl = await openTrial();
});
afterAll(() => service.close());

async function openTrial(): Promise<string> {
  const { trialUrl: url } = await prepareTrial(service.send);
  // Enough for models that are believed.
  const inputs = [
    [1, 9],
    [9, 8],
    [8, 5],
    [4, 1],
    [5, 10],
  ];
  const outputs = inputs.map(([a, b]) => blackBox([a!, b!]));
  expect((await service.send('POST', `${url}/cases`, { inputs, outputs })).status).toBe(201);
  return url;
}

const TARGET = blackBox([6, 3]);
const [START, START_OUTPUT] = [[2, 8], blackBox([2, 8])];
/** Wide enough for a design with tolerances. */
const WIDTHS = TARGET.map((target) => 0.15 * Math.abs(target) + 1);
const OBJECTIVE = {
  objectives: TARGET,
  objectiveTypes: TARGET.map(() => 'value'),
  minimumBounds: WIDTHS.map((width) => -width),
  maximumBounds: WIDTHS,
  initialInput: START,
  initialOutput: START_OUTPUT,
  reuse: false,
};
const TOLERANCES = { kind: 'normal', in: 'units', values: [0.4, 0.4] };

async function load(
  body: object,
  trial = trialUrl,
): Promise<{ readonly url: string; readonly id: number; readonly status: number; readonly body: Answered['body'] }> {
  const { status, body: loaded } = await service.send('POST', `${trial}/objectives`, { ...OBJECTIVE, ...body });
  return { url: `/v1/objectives/${loaded.id}`, id: loaded.id, status, body: loaded };
}

/** Suggests and runs until the objective ends; the inverses that were run, and the last answer to a request for one. */
async function solve(url: string, limit = 40) {
  const runs: { readonly id: number; readonly status: string }[] = [];
  for (let k = 0; k < limit; k++) {
    const asked = await service.send('POST', `${url}/inverses`);
    if (asked.body.status !== 'active') return { runs, last: asked };
    const put = await service.send('PUT', `${url}/inverses/${asked.body.id}/output`, {
      output: blackBox(asked.body.input),
    });
    runs.push(put.body);
    if ((await service.send('GET', url)).body.stopReason !== 0) return { runs, last: put };
  }
  throw new Error('the objective did not end');
}

it('Options are stored, shown and named when they are wrong', async () => {
  const { status, body } = await load({
    inputTolerances: { kind: 'uniform', values: { x2: 0.5 } },
    aimAtRobustness: 0.9,
  });
  expect(status).toBe(201);
  expect(body).toMatchObject({
    inputTolerances: { kind: 'uniform', in: 'units', values: [0, 0.5] },
    aimAtRobustness: 0.9,
    robustRuns: 5,
  });
  const pointersOf = ({ body: problem }: Pick<Answered, 'body'>) =>
    problem.errors.map(({ pointer }: { pointer: string }) => pointer).sort();
  expect(pointersOf(await load({ aimAtRobustness: true }))).toEqual(['/aimAtRobustness']);
  expect(pointersOf(await load({ robustRuns: 3, inputTolerances: TOLERANCES }))).toEqual(['/robustRuns']);
  const wrong = { inputTolerances: { kind: 'normal', values: [1, -1, 2] }, aimAtRobustness: 2, robustRuns: 0 };
  expect(pointersOf(await load(wrong))).toEqual([
    '/aimAtRobustness',
    '/inputTolerances/values',
    '/inputTolerances/values/1',
    '/robustRuns',
  ]);
  const unnamed = await load({ inputTolerances: { kind: 'normal', values: { x9: 1 } } });
  expect(pointersOf(unnamed)).toEqual(['/inputTolerances/values/x9']);
});

it('Without an aim the first run that satisfies everything ends the objective, and its robustness can be read', async () => {
  const { url } = await load({ inputTolerances: TOLERANCES });
  const { runs } = await solve(url);
  const { body: objective } = await service.send('GET', url);
  expect([objective.stopReason, objective.optimalInverse.id]).toEqual([1, runs.at(-1)!.id]);
  const { status, body } = await service.send('GET', `${url}/robustness`);
  expect(status).toBe(200);
  expect(body).toMatchObject({ inverseId: runs.at(-1)!.id, inputTolerances: TOLERANCES });
  const { probability, low, high, outputShares, inputShares } = body.robustness;
  expect(low <= probability && probability <= high).toBe(true);
  expect([outputShares.length, inputShares.length]).toEqual([TARGET.length, 2]);
  const exact = await service.send('GET', `${url}/robustness?tolerances=0,0.000001&kind=uniform`);
  expect(exact.body.robustness.probability).toBe(1);
  const other = await service.send('GET', `${url}/robustness?inverse=${objective.inverses[0].id}`);
  expect(other.body.robustness.probability).toBeLessThan(probability);
});

it('What cannot be read says what to do', async () => {
  const { url } = await load({});
  const { status, body } = await service.send('GET', `${url}/robustness`);
  expect(status).toBe(400);
  expect(body.errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual(['/inverse', '/tolerances']);
  const wrong = await service.send('GET', `${url}/robustness?tolerances=-1,x`);
  expect(wrong.status).toBe(400);
  expect((await service.send('GET', `${url}/robustness?tolerances=1,1&inverse=999999`)).status).toBe(404);
});

it('Predictions go through the best run, or another point, with every output and the chance of all targets', async () => {
  const { url } = await load({});
  const { status, body } = await service.send('GET', `${url}/predictions`);
  expect(status).toBe(200);
  expect(body.at).toEqual(body.run.input);
  expect(body.outputs).toEqual([0, 1, 2]);
  expect(body.surfaces.map(({ inputs }: { inputs: number[] }) => inputs)).toEqual([[0], [1]]);
  for (const { inputs, values, outputs, chance, isAdmissible } of body.surfaces) {
    const k = values[0].indexOf(body.at[inputs[0]]);
    for (const list of [chance, isAdmissible, outputs[0].low, outputs[2].high])
      expect(list).toHaveLength(values[0].length);
    outputs.forEach(({ mean }: { mean: number[] }, j: number) => {
      expect(Math.abs(mean[k]! - body.run.output[j]!)).toBeLessThan(0.5);
    });
  }
  expect((await service.send('GET', `${url}/predictions`)).body).toEqual(body);
  const { body: grid } = await service.send('GET', `${url}/predictions?at=6,3&inputs=1,0&outputs=2&grid=true&points=5`);
  expect([grid.at, grid.run, grid.outputs, grid.surfaces.length]).toEqual([[6, 3], null, [2], 1]);
  expect(grid.surfaces[0]).toMatchObject({ inputs: [1, 0], chance: { length: 25 } });
});

it('Predictions that cannot be asked for say why', async () => {
  const { url } = await load({});
  const pointersOf = async (query: string) => {
    const { status, body } = await service.send('GET', `${url}/predictions?${query}`);
    return [status, body.errors?.map(({ pointer }: { pointer: string }) => pointer).sort()];
  };
  expect(await pointersOf('at=1&inputs=0,7&outputs=1,1')).toEqual([400, ['/at', '/inputs', '/outputs']]);
  expect(await pointersOf('grid=true&points=60')).toEqual([400, ['/inputs', '/points']]);
  expect(await pointersOf('at=1e999,2')).toEqual([400, ['/at']]);
  expect(await pointersOf('points=1&inputs=x')).toEqual([400, ['/inputs', '/points']]);
  expect(await pointersOf('grid=true&inputs=0,1&points=51')).toEqual([200, undefined]);
});

it('An objective that aims at robustness goes on after the first solution and ends with the surest', async () => {
  // Limits without a middle: the first solution lies anywhere within them.
  const { url, id } = await load({
    objectives: [11, -3, 4],
    objectiveTypes: ['lessthan_equal', 'greaterthan_equal', 'greaterthan_equal'],
    minimumBounds: [],
    maximumBounds: [],
    inputTolerances: { kind: 'normal', in: 'units', values: [1.5, 1.5] },
    aimAtRobustness: true,
    robustRuns: 3,
  });
  const { runs, last } = await solve(url);
  const satisfied = runs.filter(({ status }) => status === 'converged');
  const first = runs.findIndex(({ status }) => status === 'converged');
  expect(first).toBeGreaterThanOrEqual(0);
  expect(runs.length - first - 1).toBeLessThanOrEqual(3);
  expect(last.body.status).toBe('stopped');
  const { body: objective } = await service.send('GET', url);
  expect(objective.stopReason).toBe(1);
  expect(satisfied.map((run) => run.id)).toContain(objective.optimalInverse.id);
  // The inverse that was asked for last repeats it.
  const surest = (await service.send('GET', `${url}/inverses/${objective.optimalInverse.id}`)).body;
  expect(last.body.input).toEqual(surest.input);
  const read = async (inverse: number) =>
    (await service.send('GET', `${url}/robustness?inverse=${inverse}`)).body.robustness.low;
  const lows = await Promise.all(satisfied.map((run) => read(run.id)));
  expect(await read(objective.optimalInverse.id)).toBe(Math.max(...lows));
  // Every suggestion is repeated from what is stored.
  for (const { id: inverseId } of runs) {
    const [{ account_id: accountId }] = (
      await sql<{ account_id: number }>`select account_id from objectives where id = ${id}`.execute(service.db)
    ).rows as [{ account_id: number }];
    const snapshot = (await readSnapshotOf(service.db, { accountId, inverseId }))!;
    const repeated = propose(toSuggestRequest(snapshot, 20_000));
    const { body: stored } = await service.send('GET', `${url}/inverses/${inverseId}`);
    expect(repeated.kind === 'candidate' && [...repeated.input]).toEqual(stored.input);
  }
});

it('Whatever ends the search for a surer input, the objective is satisfied', async () => {
  const aim = { inputTolerances: TOLERANCES, aimAtRobustness: true, robustRuns: 5 };
  const { url } = await load(aim);
  let satisfied: { readonly id: number } | undefined;
  while (satisfied === undefined) {
    const { body: inverse } = await service.send('POST', `${url}/inverses`);
    const { body } = await service.send('PUT', `${url}/inverses/${inverse.id}/output`, {
      output: blackBox(inverse.input),
    });
    if (body.status === 'converged') satisfied = body;
  }
  expect((await service.send('GET', url)).body.stopReason).toBe(0);
  const stopped = await service.send('POST', `${url}/stop`);
  expect(stopped.body.stopReason).toBe(1);
  expect(stopped.body.optimalInverse.id).toBe(satisfied.id);
  const { iteration } = (await service.send('GET', `${url}/inverses/${satisfied.id}`)).body;
  // One attempt more than the first solution takes.
  const { url: short } = await load({ ...aim, maximumAttempts: iteration });
  await solve(short);
  expect((await service.send('GET', short)).body.stopReason).toBe(1);
});

it('A correction of the only solution lets the search go on, and the ranges of the inputs follow the data', async () => {
  const { url } = await load({ inputTolerances: TOLERANCES, aimAtRobustness: true, robustRuns: 5 });
  let satisfied: { readonly id: number; readonly output: number[] } | undefined;
  while (satisfied === undefined) {
    const { body: inverse } = await service.send('POST', `${url}/inverses`);
    const { body } = await service.send('PUT', `${url}/inverses/${inverse.id}/output`, {
      output: blackBox(inverse.input),
    });
    if (body.status === 'converged') satisfied = body;
  }
  const before = (await service.send('GET', `${url}/identifiability`)).body;
  expect(before.identifiability.ranges).toHaveLength(2);
  expect(before.identifiability.sentences.length).toBeGreaterThanOrEqual(2);
  expect((await service.send('GET', `${url}/identifiability`)).body).toEqual(before);
  const corrected = await service.send('POST', `${url}/inverses/${satisfied!.id}/corrections`, {
    output: satisfied!.output.map((y: number) => y + 100),
    reason: 'wrong units',
  });
  expect(corrected.status).toBe(200);
  const { body: objective } = await service.send('GET', url);
  expect([objective.stopReason, objective.optimalInverse]).toEqual([0, null]);
  expect((await service.send('GET', `${url}/identifiability?confidence=80`)).body).not.toEqual(before);
});

/** Limits without a middle, which the initial point meets near their edge. */
const LIMITS = {
  objectives: [11, -3, 4],
  objectiveTypes: ['lessthan_equal', 'greaterthan_equal', 'greaterthan_equal'],
  minimumBounds: [],
  maximumBounds: [],
  inputTolerances: { kind: 'normal', in: 'units', values: [1.5, 1.5] },
};
const meets = ([a, b, c]: readonly number[]) => a! <= 11 && b! >= -3 && c! >= 4;

/** The first input of a grid that meets the limits. */
function edgeOfLimits(): [number, number] {
  const ticks = Array.from({ length: 21 }, (_, k) => k / 2);
  const grid = ticks.flatMap((a) => ticks.map((b): [number, number] => [a, b]));
  return grid.find((input) => meets(blackBox(input)))!;
}

it('An initial point that satisfies everything is the first solution, and the search goes on', async () => {
  const initialInput = edgeOfLimits();
  const start = { ...LIMITS, initialInput, initialOutput: blackBox(initialInput) };
  const { url, body } = await load({ ...start, aimAtRobustness: true, robustRuns: 2 });
  const { body: loaded } = await service.send('GET', url);
  expect([body.stopReason, loaded.inverses[0].status, loaded.optimalInverse.iteration]).toEqual([0, 'converged', 1]);
  const { runs } = await solve(url);
  expect(runs.length).toBeGreaterThanOrEqual(1);
  expect(runs.length).toBeLessThanOrEqual(2);
  const ended = (await service.send('GET', url)).body;
  const lowOf = async (inverse: number) =>
    (await service.send('GET', `${url}/robustness?inverse=${inverse}`)).body.robustness.low;
  const solutions = ended.inverses.filter(({ status }: { status: string }) => status === 'converged');
  const lows = await Promise.all(solutions.map(({ id }: { id: number }) => lowOf(id)));
  expect([ended.stopReason, await lowOf(ended.optimalInverse.id)]).toEqual([1, Math.max(...lows)]);
  // Without an aim it ends immediately.
  expect((await load(start)).body.stopReason).toBe(1);
});

it('Stopped while it aims, an objective ends with the surest input that its last suggestion knew of', async () => {
  // No case is within these limits.
  const limits = {
    ...LIMITS,
    objectives: [6, -3, 14],
    objectiveTypes: ['greaterthan_equal', 'greaterthan_equal', 'lessthan_equal'],
  };
  const marginOf = ([a, b]: readonly [number, number]) => Math.min((a + b - 6) / 1.4, (a - b + 3) / 1.4, 7 - a);
  const { url } = await load({ ...limits, parallelism: 2, holdBack: false, aimAtRobustness: true, robustRuns: 20 });
  const open = [];
  for (let k = 0; k < 2; k++) open.push((await service.send('POST', `${url}/inverses`)).body);
  const read = async () => (await service.send('GET', url)).body;
  const lowOf = async (id: number) =>
    (await service.send('GET', `${url}/robustness?inverse=${id}`)).body.robustness.low;
  // Both satisfy everything; the second to arrive is farther from the limits.
  open.sort((one, other) => marginOf(one.input) - marginOf(other.input));
  for (const { id, input } of open) {
    await service.send('PUT', `${url}/inverses/${id}/output`, { output: blackBox(input) });
  }
  const [first, second] = open;
  expect((await read()).optimalInverse.id).toBe(first.id);
  await service.send('POST', `${url}/inverses`);
  expect(await lowOf(second.id)).toBeGreaterThan(await lowOf(first.id));
  const running = await read();
  expect([running.stopReason, running.optimalInverse.id]).toEqual([0, second.id]);
  const { body: stopped } = await service.send('POST', `${url}/stop`);
  expect([stopped.stopReason, stopped.optimalInverse.id]).toEqual([1, second.id]);
});

it('Corrections after the end keep the surest input, or let the search decide again', async () => {
  const initialInput = edgeOfLimits();
  const start = { ...LIMITS, initialInput, initialOutput: blackBox(initialInput) };
  const { url } = await load({ ...start, aimAtRobustness: true, robustRuns: 1 });
  const { body: inverse } = await service.send('POST', `${url}/inverses`);
  await service.send('PUT', `${url}/inverses/${inverse.id}/output`, {
    output: blackBox(inverse.input),
  });
  const { body: last } = await service.send('POST', `${url}/inverses`);
  const read = async () => {
    const { stopReason, optimalInverse, inverses } = (await service.send('GET', url)).body;
    return [stopReason, optimalInverse?.iteration ?? null, inverses.map((one: { status: string }) => one.status)];
  };
  expect(last).toMatchObject({ status: 'stopped', input: inverse.input });
  expect(await read()).toEqual([1, 2, ['converged', 'converged', 'stopped']]);
  const correct = (id: number, correction: object) =>
    service.send('POST', `${url}/inverses/${id}/corrections`, { reason: 'wrong rig', ...correction });
  // The verdict does not rest on the first solution.
  const { inverses } = (await service.send('GET', url)).body;
  expect((await correct(inverses[0].id, { output: [100, 0, 0] })).status).toBe(200);
  expect(await read()).toEqual([1, 2, ['active', 'converged', 'stopped']]);
  expect((await correct(inverses[0].id, { output: blackBox(initialInput) })).status).toBe(200);
  // Without the surest one the other solution keeps it satisfied.
  expect((await correct(inverse.id, { excluded: true })).status).toBe(200);
  expect(await read()).toEqual([1, 1, ['converged', 'active', 'stopped']]);
  // Reopened, the search makes the run that it lost, and decides again.
  expect((await correct(inverse.id, { output: [100, 0, 0], reopen: true })).status).toBe(200);
  expect(await read()).toEqual([0, 1, ['converged', 'active', 'stopped']]);
  const { body: again } = await service.send('POST', `${url}/inverses`);
  await service.send('PUT', `${url}/inverses/${again.id}/output`, { output: blackBox(again.input) });
  await service.send('POST', `${url}/inverses`);
  expect(await read()).toEqual([1, 4, ['converged', 'active', 'stopped', 'converged', 'stopped']]);
});

it('With reuse the search for the surest input starts from a solution of an earlier objective', async () => {
  const trial = await openTrial();
  const { url: earlier } = await load(LIMITS, trial);
  const { runs } = await solve(earlier);
  const lowOf = async (url: string, id: number) =>
    (await service.send('GET', `${url}/robustness?inverse=${id}`)).body.robustness.low;
  const known = await lowOf(earlier, runs.at(-1)!.id);
  const { url } = await load({ ...LIMITS, reuse: true, aimAtRobustness: true, robustRuns: 2 }, trial);
  const { body: first } = await service.send('POST', `${url}/inverses`);
  const { body: run } = await service.send('PUT', `${url}/inverses/${first.id}/output`, {
    output: blackBox(first.input),
  });
  expect(run.status).toBe('converged');
  expect(await lowOf(url, first.id)).toBeGreaterThan(known);
  expect((await service.send('GET', url)).body).toMatchObject({ stopReason: 0, optimalInverse: { id: first.id } });
  expect((await solve(url)).runs.length).toBeLessThanOrEqual(2);
  expect((await service.send('GET', url)).body.stopReason).toBe(1);
});

it('While it aims, one input at a time is handed out, also where several may be open', async () => {
  const initialInput = edgeOfLimits();
  const start = { ...LIMITS, initialInput, initialOutput: blackBox(initialInput), parallelism: 3 };
  const { url } = await load({ ...start, aimAtRobustness: true, robustRuns: 2 });
  let runs = 0;
  for (;;) {
    const { body: inverse } = await service.send('POST', `${url}/inverses`);
    if (inverse.status === 'stopped') break;
    const second = await service.send('POST', `${url}/inverses`);
    expect([second.status, second.body.type]).toEqual([409, 'urn:backsolve:problem:iteration-open']);
    await service.send('PUT', `${url}/inverses/${inverse.id}/output`, { output: blackBox(inverse.input) });
    runs++;
  }
  expect(runs).toBeGreaterThanOrEqual(1);
  expect((await service.send('GET', url)).body.stopReason).toBe(1);
});
