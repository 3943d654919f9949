import { expect, it } from 'vitest';
import { type BatchState, planBatch, type RunningObjective, shareSlots } from '../../../src/domain/batches/batch.ts';

const running = (id: number, change: Partial<RunningObjective> = {}): RunningObjective => ({
  id,
  parallelism: 1,
  largestParallelism: 64,
  open: 1,
  queued: 0,
  attemptsLeft: 100,
  failedSuggestions: 0,
  ...change,
});

const state = (change: Partial<BatchState>): BatchState => ({
  status: 'solving',
  isPaused: false,
  parallelism: 4,
  stopAfterFailures: 20,
  cases: { planned: 0, begun: 0, done: 0, failed: 0, room: 0 },
  obstacle: null,
  openEvaluations: 0,
  room: Number.POSITIVE_INFINITY,
  orphans: 0,
  unassigned: 0,
  failsAlways: false,
  lastFailure: null,
  waitingObjectives: 0,
  running: [],
  ...change,
});

it('Slots are dealt out one by one to those that can use more', () => {
  expect(shareSlots([64, 64], 5)).toEqual([3, 2]);
  expect(shareSlots([1, 64, 2], 8)).toEqual([1, 5, 2]);
  expect(shareSlots([64, 64, 64], 2)).toEqual([1, 1, 0]);
  expect(shareSlots([1, 1], 9)).toEqual([1, 1]);
});

it('The last objectives of a batch share its slots, and no more are asked for than are free', () => {
  expect(planBatch(state({ running: [running(1), running(2, { open: 0 })], openEvaluations: 1 }))).toEqual([
    { kind: 'set-parallelism', objectiveId: 1, parallelism: 2 },
    { kind: 'request-suggestions', objectiveId: 1, count: 1, isAlone: false },
    { kind: 'set-parallelism', objectiveId: 2, parallelism: 2 },
    { kind: 'request-suggestions', objectiveId: 2, count: 2, isAlone: false },
  ]);
  const crowded = [running(1, { open: 0 }), running(2), running(3), running(4), running(5)];
  expect(planBatch(state({ running: crowded, openEvaluations: 4 }))).toEqual([]);
});

it('Other batches of the project leave fewer slots, and a paused batch asks for nothing', () => {
  const alone = state({ waitingObjectives: 9, room: 1, openEvaluations: 1, running: [running(1)] });
  expect(planBatch(alone)).toEqual([{ kind: 'create-objectives', count: 1 }]);
  expect(planBatch({ ...alone, room: 0 })).toEqual([]);
  expect(planBatch({ ...alone, isPaused: true, unassigned: 2 })).toEqual([{ kind: 'begin-inverses', count: 1 }]);
});

it('An objective whose suggestions keep failing is asked for no more, and given up once none of its outputs is missing', () => {
  const hopeless = running(1, { open: 0, failedSuggestions: 3 });
  expect(planBatch(state({ running: [hopeless, running(2)] }))).toEqual([
    { kind: 'give-up-objective', objectiveId: 1, failedSuggestions: 3 },
  ]);
  const waiting = { ...hopeless, open: 1, parallelism: 4 };
  expect(planBatch(state({ running: [waiting] }))).toEqual([]);
  expect(planBatch(state({ running: [{ ...waiting, failedSuggestions: 2 }] }))).toMatchObject([
    { kind: 'request-suggestions', count: 3 },
  ]);
  expect(planBatch(state({ running: [hopeless], isPaused: true }))).toEqual([]);
});

it('A batch ends when nothing is left, when all fails, and when it has lost what it works on', () => {
  expect(planBatch(state({}))).toEqual([{ kind: 'end', status: 'completed', reason: null }]);
  const failing = state({ failsAlways: true, lastFailure: 'no licence', running: [running(1)] });
  const reason = '20 evaluations in a row failed; the last one: no licence';
  expect(planBatch(failing)).toEqual([{ kind: 'end', status: 'failed', reason }]);
  const gone = 'The project was deleted.';
  expect(planBatch({ ...failing, obstacle: gone })).toEqual([{ kind: 'end', status: 'cancelled', reason: gone }]);
  const cases = { planned: 3, begun: 3, done: 1, failed: 1, room: 0 };
  const evaluating = state({ status: 'evaluating-cases', cases });
  expect(planBatch(evaluating)).toEqual([]);
  expect(planBatch({ ...evaluating, cases: { ...cases, done: 2 } })).toEqual([{ kind: 'load-cases' }]);
  expect(planBatch({ ...evaluating, cases: { ...cases, done: 0, failed: 3 } })).toMatchObject([{ status: 'failed' }]);
});

it('Cases that all fail are followed by further ones, up to ten, as far as attempts are left', () => {
  const reason = 'All 3 designed cases failed; the last one: it diverged';
  const failed = (planned: number, room = 499) =>
    planBatch(
      state({
        status: 'evaluating-cases',
        lastFailure: 'it diverged',
        cases: { planned, begun: planned, done: 0, failed: planned, room },
      }),
    );
  expect(failed(3)).toEqual([{ kind: 'continue-design', failed: 3, count: 3, reason }]);
  expect(failed(3, 1)).toMatchObject([{ kind: 'continue-design', count: 1 }]);
  expect(failed(3, 0)).toEqual([{ kind: 'end', status: 'failed', reason }]);
  expect(failed(6)).toMatchObject([{ count: 4 }]);
  expect(failed(10)).toMatchObject([{ kind: 'end' }]);
  expect(failed(16)).toMatchObject([{ kind: 'end' }]);
});
