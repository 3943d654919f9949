import { expect, it } from 'vitest';
import { endReasonOf, type ShownRun } from '../../../src/domain/search/end-reason.ts';
import type { Ending } from '../../../src/domain/search/ending.ts';
import { stopOptionsOf, stopRuleOf } from '../../../src/domain/search/stop-options.ts';
import { StopReason } from '../../../src/domain/search/stop-reason.ts';

const objective = {
  objectives: [1, 0.5],
  objectiveTypes: ['minimize', 'lessthan_equal'] as const,
  minimumBounds: [],
  maximumBounds: [],
  initialInput: [0, 0],
  fixedInputs: null,
  desiredL1Norm: 0,
  convergence: 1e-6,
  stopReason: StopReason.stopped,
  ended: null as Ending | null,
  attemptCount: 31,
  maximumAttempts: 500,
  options: { stop: { improvementBelow: 0.001, until: '2027-03-01T06:00:00.000Z' } },
  labels: { inputNames: null, outputNames: ['cost', 'sag'] } as never,
};
const best: ShownRun = { name: 'run 23', output: [1.724852, 0.2], worstMiss: null };
const reason = (change: object, run: ShownRun | null = best) => endReasonOf({ ...objective, ...change }, run);

it('A running objective has no reason', () => {
  expect(reason({ stopReason: StopReason.running })).toBeNull();
});

it('A standstill is told with its figures', () => {
  expect(reason({ ended: { kind: 'standstill', quiet: 12, expectedGain: 0.0002 } })).toBe(
    'Stopped: the best output cost = 1.7249 of run 23 has not improved by more than 0.1 % in the last 12 runs; the models expect at most 0.02 % more.',
  );
});

it.each<[Ending['kind'] | null, string]>([
  ['by-hand', 'Stopped by hand after 31 suggested inputs; the best output is cost = 1.7249 of run 23.'],
  [null, 'Stopped after 31 suggested inputs; the best output is cost = 1.7249 of run 23.'],
  [
    'until',
    'Stopped: its time limit, 2027-03-01T06:00:00.000Z, was reached after 31 suggested inputs; the best output is cost = 1.7249 of run 23.',
  ],
  [
    'space-used-up',
    'Stopped: every input of the space has been evaluated; the best output is cost = 1.7249 of run 23.',
  ],
])('An objective stopped for %s says so', (kind, text) => {
  expect(reason({ ended: kind && { kind } })).toBe(text);
});

it('One that met no other target tells how far the nearest run is, in the units of the outputs', () => {
  const missing = { name: 'case 3', output: [3, 0.9], worstMiss: 2.31234 };
  expect(reason({ stopReason: StopReason.exhausted, maximumAttempts: 40 }, missing)).toBe(
    'Exhausted: all 40 suggested inputs are used and none meets every target; the nearest run, case 3, misses cost by 2 and sag by 0.4.',
  );
  const exact = { objectiveTypes: ['exact', 'exact'], desiredL1Norm: 0.5, stopReason: StopReason.exhausted };
  expect(reason(exact, missing)).toContain('differs from the targets by 2.4 in sum where 0.5 is allowed.');
});

it('A fit whose limits no run meets says so, and what to do instead', () => {
  const fits = [{ name: 'level', outputs: [0], sigma: 0.1, weight: 1, loss: 'linear' }];
  const fit = { objectiveTypes: ['fit', 'lessthan_equal'], options: { fits }, maximumAttempts: 40 };
  const missing = { name: 'run 3', output: [3, 0.9], worstMiss: 80 };
  expect(reason({ ...fit, stopReason: StopReason.exhausted }, missing)).toMatch(
    /^Exhausted: .*; no run meets the limits beside the fit: relax them, or widen the bounds of the inputs; the nearest run, run 3, misses sag by 0\.4\.$/,
  );
});

it('Several solutions and fronts end in words of their own', () => {
  const several = { options: { solutions: { count: 5, apart: 0.1 } } };
  const run: ShownRun = { name: 'run 9', output: [1, 0.2], worstMiss: 0 };
  const types = { objectiveTypes: ['value', 'lessthan_equal'] };
  expect(reason({ ...several, ...types, stopReason: StopReason.satisfied }, run)).toBe(
    'Satisfied: run 9 meets every target, the first of 5 distinct solutions.',
  );
  expect(reason({ ...several, ...types, stopReason: StopReason.exhausted, maximumAttempts: 40 }, run)).toBe(
    'Exhausted: all 40 suggested inputs are used and fewer than 5 distinct solutions have been found; run 9 meets every target.',
  );
  const front = {
    objectives: [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
    objectiveTypes: ['minimize', 'minimize'],
  };
  expect(reason({ ...front, ended: { kind: 'no-improvement-expected' } })).toBe(
    'Stopped: the last suggested inputs hardly enlarged the front; the best compromise is cost = 1.7249, sag = 0.2 of run 23.',
  );
});

it('A satisfied one names the run', () => {
  expect(reason({ stopReason: StopReason.satisfied })).toBe('Satisfied: run 23 meets every target.');
});

it('A stop rule without patience ends goals of every kind by evidence', () => {
  expect(stopRuleOf(stopOptionsOf({}))).toEqual({ improvementBelow: 0.005 });
  for (const nothing of [undefined, null, false] as const) expect(stopRuleOf(stopOptionsOf(nothing))).toBeUndefined();
  expect(stopRuleOf(stopOptionsOf({ maximumRuns: 9 }))).toEqual({ improvementBelow: 0.005 });
  expect(stopRuleOf(stopOptionsOf({ patience: 9 }))).toEqual({ improvementBelow: 0.005, patience: 9 });
});

it('An end out of reach names the best compromise', () => {
  const ended = { kind: 'out-of-reach', quiet: 8, expectedGain: 0.002 } as const;
  expect(reason({ stopReason: StopReason.stopped, ended })).toBe(
    'Stopped: the targets seem out of reach together, and run 23 is the best compromise; the models expect at most 0.2 % more; the best output is cost = 1.7249 of run 23.',
  );
  expect(reason({ ended: { ...ended, quiet: 45, expectedGain: null } })).toContain(
    'run 23 is the best compromise; the last 45 runs came no nearer; ',
  );
});
