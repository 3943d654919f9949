import { expect, test } from 'vitest';
import type { Outcome } from '../../clients/typescript/src/evaluator/evaluation.ts';
import { withSharedSignals } from '../../src/runner/shared-signals.ts';
import { EVALUATION } from './evaluation-fixture.ts';

const CRASH: Outcome = { kind: 'failure', reason: 'signal SIGTERM ended it', retryable: true };
const OUTPUT: Outcome = { kind: 'output', output: [1] };

const played = (outcome: Outcome, stop: AbortSignal) =>
  withSharedSignals(async () => outcome, stop)(EVALUATION, new AbortController().signal);

test('a program that a signal ends just before its evaluator notices the same signal is given back', async () => {
  const stop = new AbortController();
  const running = played(CRASH, stop.signal);
  stop.abort();
  expect(await running).toEqual({
    kind: 'release',
    reason: 'it ended with its evaluator: signal SIGTERM ended it',
  });
});

test('a signal to the program alone is a failure that is tried again', async () => {
  expect(await played(CRASH, new AbortController().signal)).toBe(CRASH);
});

test('an output counts, whenever the evaluator was stopped', async () => {
  const stop = new AbortController();
  const running = played(OUTPUT, stop.signal);
  stop.abort();
  expect(await running).toBe(OUTPUT);
});
