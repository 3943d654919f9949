/** Batches are worked through without a hand, whatever happens to their objectives meanwhile. */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { connectTo } from '../../harness/database-handle.ts';
import { TcpProxy } from '../../harness/tcp-proxy.ts';
import { makeBatchLoop } from '../../src/worker/batch-loop.ts';
import { type Claimed, hasEnded, type ShownBatch, startEvaluator, untilBatch } from '../support/evaluator.ts';
import { startTestService, type TestService } from '../support/service.ts';

let t: TestService;

beforeAll(async () => {
  t = await startTestService();
});

afterAll(() => t?.close());

interface Project {
  readonly id: number;
  readonly modelId: number;
}

async function createProject(change: object = {}): Promise<Project> {
  const model = await t.ok<{ id: number }>('POST', '/models', { name: `model ${crypto.randomUUID()}` });
  const space = { inputCount: 2, minimums: [0, 0], maximums: [1, 1], inputTypes: ['float', 'float'] };
  return t.ok('POST', `/models/${model.id}/projects`, { name: 'plane', ...space, ...change });
}

function createBatch({ id, modelId }: Project, batch: object) {
  return t.ok<{ id: number }>('POST', `/models/${modelId}/projects/${id}/batches`, batch);
}

const run = ([a, b]: readonly number[]) => [a! + b!, a! - b!];

/** Within 0.02 of the outputs at the input. */
function goalAt(input: readonly number[]) {
  return {
    objectives: run(input),
    objectiveTypes: ['value', 'value'],
    minimumBounds: [-0.02, -0.02],
    maximumBounds: [0.02, 0.02],
  };
}

it('A batch evaluates the cases, loads them and solves its objectives, each input once', async () => {
  const project = await createProject();
  const goals = [
    [0.2, 0.3],
    [0.8, 0.1],
    [0.5, 0.9],
    [0.65, 0.35],
  ].map(goalAt);
  const { id } = await createBatch(project, { objectives: goals, parallelism: 2 });
  const evaluators = [1, 2].map(() => startEvaluator(t, run, { batchId: id }));
  const batch = await untilBatch(t, id, hasEnded);
  await Promise.all(evaluators.map((one) => one.stop()));
  expect(batch).toMatchObject({
    status: 'completed',
    failureReason: null,
    trialId: expect.any(Number),
    progress: {
      cases: { planned: 2, done: 2, failed: 0 },
      objectives: { planned: 4, running: 0, satisfied: 4, failed: 0 },
      evaluations: { waiting: 0, leased: 0, failed: 0 },
    },
  });
  const counts = evaluators.flatMap(({ runs }) => [...runs.values()]);
  expect(counts.reduce((sum, count) => sum + count)).toBe(batch.progress.evaluations['done']);
  const listed = await t.ok<{ satisfied: boolean; worstMiss: number }[]>('GET', `/batches/${id}/objectives`);
  expect(listed.map(({ satisfied, worstMiss }) => [satisfied, worstMiss])).toEqual(Array(4).fill([true, 0]));
});

it('A batch whose designed cases all fail designs further ones, which count for the attempts of its objectives', async () => {
  const project = await createProject({ inputCount: 2 });
  const objectives = [{ ...goalAt([0.15, 0.2]), maximumAttempts: 40 }];
  const { id } = await createBatch(project, { objectives });
  // More than half of the box has no output, its middle included.
  const diverging = ([a, b]: readonly number[]) => (a! + b! > 0.75 ? { failure: 'it diverged' } : run([a!, b!]));
  const evaluator = startEvaluator(t, diverging, { batchId: id });
  const batch = await untilBatch(t, id, hasEnded);
  await evaluator.stop();
  expect(batch).toMatchObject({ status: 'completed', progress: { objectives: { satisfied: 1 } } });
  const { planned = 0, done = 0, failed = 0 } = batch.progress.cases;
  expect([planned > 2, done > 0, done + failed]).toEqual([true, true, planned]);
  const { caseCount, inputCases } = await t.ok<{ caseCount: number; inputCases: number[][] }>(
    'GET',
    `/models/${project.modelId}/projects/${project.id}`,
  );
  expect([caseCount, new Set(inputCases.map(String)).size]).toEqual([planned, planned]);
  const [{ objectiveId }] = await t.ok<[{ objectiveId: number }]>('GET', `/batches/${id}/objectives`);
  expect(await t.ok('GET', `/objectives/${objectiveId}`)).toMatchObject({ maximumAttempts: 40 - (planned - 2) });
});

it('A batch whose evaluations all fail gives up after ten designed cases, or when the space has no more', async () => {
  const planned = async (change: object) => {
    const { id } = await createBatch(await createProject(change), { objectives: [goalAt([0.15, 0.2])] });
    const evaluator = startEvaluator(t, () => ({ failure: 'no licence' }), { batchId: id });
    const batch = await untilBatch(t, id, hasEnded);
    await evaluator.stop();
    return batch;
  };
  expect(await planned({})).toMatchObject({
    status: 'failed',
    failureReason: 'All 10 designed cases failed; the last one: no licence',
    progress: { cases: { planned: 10, failed: 10 } },
  });
  const { failureReason } = await planned({ inputTypes: ['boolean', 'boolean'] });
  expect(failureReason).toBe('All 4 designed cases failed; the last one: no licence');
});

it('A batch ends with objectives that go on after their first solution, each in its own way', async () => {
  const project = await createProject({
    inputCases: [
      [0.5, 0.5],
      [0.1, 0.8],
      [0.9, 0.7],
    ],
  });
  const wide = { ...goalAt([0.3, 0.4]), minimumBounds: [-0.2, -0.5], maximumBounds: [0.2, 0.5] };
  const inputTolerances = { kind: 'normal', values: [0.05, 0.05] };
  const objectives = [
    { ...wide, solutions: { count: 2, apart: 0.2 } },
    { ...wide, inputTolerances, aimAtRobustness: true, robustRuns: 2 },
    // It uses up its attempts.
    { ...goalAt([0.3, 0.4]), objectives: [9, 0], confirm: 2, maximumAttempts: 2 },
    { ...wide, noise: 'estimate', confidence: 0.8 },
    { objectives: [null, null], objectiveTypes: ['minimize', 'maximize'], maximumAttempts: 4 },
  ];
  const { id } = await createBatch(project, { objectives, parallelism: 6 });
  const evaluator = startEvaluator(t, run, { batchId: id });
  const batch = await untilBatch(t, id, hasEnded);
  await evaluator.stop();
  const listed = await t.ok<{ objectiveId: number; stopReason: string }[]>('GET', `/batches/${id}/objectives`);
  expect(listed.map(({ stopReason }) => stopReason)).toEqual([
    'SATISFIED',
    'SATISFIED',
    'EXHAUSTED',
    'SATISFIED',
    'EXHAUSTED',
  ]);
  expect(batch).toMatchObject({ status: 'completed', progress: { evaluations: { waiting: 0, leased: 0 } } });
  const { inverses } = await t.ok<{ inverses: { status: string }[] }>('GET', `/objectives/${listed[0]!.objectiveId}`);
  expect(inverses.filter(({ status }) => status === 'converged')).toHaveLength(2);
});

/** Claims one evaluation of a batch. */
async function claim(batchId: number, wait = 20): Promise<Claimed> {
  const request = { evaluator: 'hand', batchId, wait };
  const { evaluations } = await t.ok<{ evaluations: Claimed[] }>('POST', '/evaluations/claim', request);
  expect(evaluations).toHaveLength(1);
  return evaluations[0]!;
}

async function isNothingClaimable(batchId: number): Promise<boolean> {
  const request = { evaluator: 'hand', batchId };
  return (await t.ok<{ evaluations: Claimed[] }>('POST', '/evaluations/claim', request)).evaluations.length === 0;
}

async function reportOutput({ id, leaseToken, input }: Claimed) {
  return t.call<{ state: string }>('PUT', `/evaluations/${id}/output`, { leaseToken, output: run(input) });
}

/** A batch whose objectives run: none of them can be satisfied. */
async function startBatch(count: number, change: object = {}): Promise<{ id: number; project: Project }> {
  const project = await createProject({ inputCases: [[0.5, 0.5]] });
  const objectives = Array.from({ length: count }, (_, i) => ({ ...goalAt([0.5, 0.5]), objectives: [7 + i, 0] }));
  const { id } = await createBatch(project, { objectives, ...change });
  await reportOutput(await claim(id));
  return { id, project };
}

const isBusy = (batch: ShownBatch) => batch.progress.evaluations['waiting']! > 0;

it('What is done by hand to its objectives moves a batch on', async () => {
  const { id } = await startBatch(5, { parallelism: 1 });
  // Stopped while it is under way: its output is kept.
  const first = await claim(id);
  await t.ok('POST', `/objectives/${first.objectiveId}/stop`, {});
  await untilBatch(t, id, ({ progress }) => progress.evaluations['cancelled'] === 1);
  expect((await reportOutput(first)).body).toMatchObject({ state: 'cancelled', inverse: { output: run(first.input) } });
  // Its output is loaded through the interface of objectives.
  const second = await claim(id);
  expect(second.objectiveId).not.toBe(first.objectiveId);
  await t.ok('POST', `/objectives/${second.objectiveId}/inverse-output`, { output: run(second.input) });
  const third = await claim(id);
  expect(third).toMatchObject({ objectiveId: second.objectiveId, kind: 'inverse' });
  // Deleted, with an open evaluation.
  const { trialId } = await t.ok<ShownBatch>('GET', `/batches/${id}`);
  const { projectId, modelId } = await t.ok<{ projectId: number; modelId: number }>('GET', `/batches/${id}`);
  const trialUrl = `/models/${modelId}/projects/${projectId}/trials/${trialId}`;
  await t.ok('DELETE', `${trialUrl}/objectives/${third.objectiveId}`);
  const fourth = await claim(id);
  expect(fourth.objectiveId).not.toBe(third.objectiveId);
  // A correction ends it: what was measured satisfies it after all.
  await reportOutput(fourth);
  await untilBatch(t, id, isBusy);
  const { inverses } = await t.ok<{ inverses: { id: number }[] }>('GET', `/objectives/${fourth.objectiveId}`);
  await t.ok('POST', `/objectives/${fourth.objectiveId}/inverses/${inverses[1]!.id}/corrections`, {
    // The third objective.
    output: [9, 0],
    reason: 'wrong scale',
  });
  // Until the batch has heard of it, the next input of that objective can be claimed.
  await untilBatch(t, id, ({ progress }) => progress.evaluations['cancelled'] === 4);
  const fifth = await claim(id);
  expect(fifth.objectiveId).not.toBe(fourth.objectiveId);
  // The trial is closed.
  await t.ok('PATCH', trialUrl, { status: 'completed' });
  await reportOutput(fifth);
  expect(await untilBatch(t, id, hasEnded, 20_000)).toMatchObject({
    status: 'cancelled',
    failureReason: 'The trial is completed and takes no more objectives.',
    progress: { evaluations: { waiting: 0, leased: 0 }, objectives: { running: 0 } },
  });
});

it('Pause hands nothing out, another parallelism counts immediately, and cancel ends everything', async () => {
  const { id } = await startBatch(1, { parallelism: 1 });
  const first = await claim(id);
  await t.ok('POST', `/batches/${id}/pause`, {});
  expect((await reportOutput(first)).body.state).toBe('done');
  await t.ok('PATCH', `/batches/${id}`, { parallelism: 3 });
  expect(await isNothingClaimable(id)).toBe(true);
  await t.ok('POST', `/batches/${id}/resume`, {});
  const open = await untilBatch(t, id, ({ progress }) => progress.evaluations['waiting'] === 3);
  expect(open.progress.objectives).toMatchObject({ planned: 1, running: 1 });
  const second = await claim(id);
  const cancelled = await t.ok<ShownBatch>('POST', `/batches/${id}/cancel`, {});
  expect(cancelled).toMatchObject({
    status: 'cancelled',
    progress: { objectives: { running: 0, stopped: 1 }, evaluations: { waiting: 0, leased: 0, cancelled: 3 } },
  });
  expect((await reportOutput(second)).body.state).toBe('cancelled');
  expect(await isNothingClaimable(id)).toBe(true);
});

it('A project limits the evaluations of all its batches together', async () => {
  const project = await createProject({
    inputCases: [
      [0.1, 0.5],
      [0.5, 0.5],
      [0.9, 0.5],
    ],
  });
  const path = `/models/${project.modelId}/projects/${project.id}`;
  await t.ok('PATCH', path, { maximumEvaluations: 2 });
  const objectives = [goalAt([0.2, 0.2])];
  const first = await createBatch(project, { objectives });
  const second = await createBatch(project, { objectives });
  const openOf = async ({ id }: { id: number }) => {
    const { waiting, leased } = (await t.ok<ShownBatch>('GET', `/batches/${id}`)).progress.evaluations;
    return waiting! + leased!;
  };
  expect([await openOf(first), await openOf(second)]).toEqual([2, 0]);
  await reportOutput(await claim(first.id));
  await expect.poll(async () => (await openOf(first)) + (await openOf(second))).toBe(2);
  await t.ok('PATCH', path, { maximumEvaluations: null });
  await untilBatch(t, second.id, ({ progress }) => progress.evaluations['waiting'] === 3);
});

it('Failures in a row, refused definitions and a deleted project end what they must', async () => {
  // The only case succeeds; then every run fails.
  const { id } = await startBatch(2, { stopAfterFailures: 3, parallelism: 2 });
  const evaluator = startEvaluator(t, () => ({ failure: 'licence server is down' }), { batchId: id });
  expect(await untilBatch(t, id, hasEnded)).toMatchObject({
    status: 'failed',
    failureReason: '3 evaluations in a row failed; the last one: licence server is down',
    progress: { objectives: { running: 0 }, evaluations: { waiting: 0 } },
  });
  await evaluator.stop();
  // A fault that only the engine can find is reported when its time has come, and the batch goes on.
  const project = await createProject({ inputCases: [[0.5, 0.5]] });
  const empty = (bound: number) => ({ ...goalAt([0.5, 0.5]), constraints: [`x1 >= ${bound}`] });
  const objectives = Array.from({ length: 21 }, (_, i) => empty(i < 20 ? i / 100 : 2));
  const refused = await createBatch(project, { objectives });
  await reportOutput(await claim(refused.id));
  expect(await untilBatch(t, refused.id, hasEnded)).toMatchObject({
    status: 'completed',
    progress: { objectives: { satisfied: 20, failed: 1 } },
  });
  const rows = await t.ok<{ failureReason: string | null }[]>('GET', `/batches/${refused.id}/objectives?after=20`);
  expect(rows).toMatchObject([
    { position: 21, objectiveId: null, failureReason: expect.stringMatching(/^constraints/) },
  ]);
  // More of them, then the end of the project.
  await t.ok('POST', `/batches/${refused.id}/objectives`, { objectives: [{ ...goalAt([0, 0]), objectives: [7, 0] }] });
  const last = await claim(refused.id);
  await t.ok('DELETE', `/models/${project.modelId}/projects/${project.id}`);
  expect(await t.ok<ShownBatch>('GET', `/batches/${refused.id}`)).toMatchObject({
    status: 'cancelled',
    failureReason: 'The project was deleted.',
    progress: { evaluations: { leased: 0, waiting: 0 }, objectives: { running: 0 } },
  });
  expect((await reportOutput(last)).body.state).toBe('cancelled');
});

it('While the database is away the loop warns and reports no error', async () => {
  const proxy = new TcpProxy(t.databaseUrl);
  await proxy.listen();
  const db = connectTo(proxy.through(t.databaseUrl), { poolSize: 2 });
  const { id } = await startBatch(1, { parallelism: 1 });
  const logged: [string, string][] = [];
  const note = (level: string) => (_facts: object, event: string) => logged.push([level, event]);
  let hear: (payload: string) => void = () => undefined;
  const loop = makeBatchLoop({
    db,
    designs: { for: () => ({ design: () => Promise.reject(new Error('no region is looked at here')) }) },
    listener: {
      subscribe: (_channel, notified) => {
        const before = hear;
        hear = (payload) => [before, notified].forEach((tell) => void tell(payload));
        return () => undefined;
      },
    },
    log: { info: note('info'), warn: note('warn'), error: note('error') },
    pollIntervalMs: 60_000,
  });
  onTestFinished(async () => {
    await loop.stop(5_000);
    await db.destroy();
    await proxy.close();
  });
  proxy.mode = 'refuse';
  // The first claim looks for batches that are due.
  loop.start();
  await expect.poll(() => logged).toContainEqual(['warn', 'batches.sweep-failed']);
  hear(String(id));
  await expect.poll(() => logged).toContainEqual(['warn', 'batch.not-advanced']);
  expect(logged.filter(([level]) => level === 'error')).toEqual([]);
});
