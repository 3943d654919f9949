import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  EVALUATION_STATES,
  EVALUATION_TRANSITIONS,
  failureEvent,
  nextEvaluationState,
  retryDelaySeconds,
} from '../../../src/domain/evaluations/evaluation.ts';

it('done, failed and cancelled are final, and every state can be reached from waiting', () => {
  for (const state of ['done', 'failed', 'cancelled'] as const) expect(EVALUATION_TRANSITIONS[state]).toEqual({});
  const reached = new Set<string>(['waiting']);
  for (const state of EVALUATION_STATES) {
    for (const next of Object.values(EVALUATION_TRANSITIONS[state])) reached.add(next);
  }
  expect([...reached].sort()).toEqual([...EVALUATION_STATES].sort());
});

it('A waiting evaluation takes a late output, and no report of a failure', () => {
  expect(nextEvaluationState('waiting', 'output-loaded')).toBe('done');
  expect(nextEvaluationState('waiting', 'run-failed')).toBeUndefined();
  expect(nextEvaluationState('waiting', 'try-failed')).toBeUndefined();
});

it('An evaluation whose failures can be retried gets exactly its maximum of tries', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), (maximumTries) => {
      let tries = 0;
      while (failureEvent({ tries, maximumTries }, true) === 'try-failed') tries += 1;
      expect(tries + 1).toBe(maximumTries);
    }),
  );
  expect(failureEvent({ tries: 0, maximumTries: 9 }, false)).toBe('run-failed');
});

it('The pause before the next try doubles up to a minute', () => {
  expect([1, 2, 3, 4, 5, 6, 7, 400].map(retryDelaySeconds)).toEqual([2, 4, 8, 16, 32, 60, 60, 60]);
});
