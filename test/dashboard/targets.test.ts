/** Targets of an objective that are to be changed, and what was asked of its search. */
import { describe, expect, it } from 'vitest';
import { readObjectives } from '../../src/dashboard/views/new-problem/requests.ts';
import { draftOf } from '../../src/dashboard/views/new-problem/targets.ts';
import type { Head } from '../../src/presentation/columns.ts';

const head = {
  objectives: [10, null],
  objectiveTypes: ['percent', 'minimize'],
  minimumBounds: [-1, null],
  maximumBounds: [2, null],
  desiredL1Norm: 0,
  maximumAttempts: 40,
  parallelism: 2,
  minimums: [0, 1, 2],
  inputNames: ['a', 'b', 'c'],
  inputUnits: null,
  outputNames: null,
  outputUnits: null,
} as const;

const asked = {
  noise: { standardDeviations: [0.1, 2] },
  confirm: null,
  confidence: 0.95,
  confidenceOf: 'mean',
  weights: [2, 1],
  priorities: [1, 2],
  stop: { patience: 7, improvementBelow: 0.01, until: '2031-05-01T08:30:00.000Z', maximumRuns: 90 },
  solutions: { count: 3, apart: 0.2 },
  inputTolerances: { kind: 'uniform', in: 'percent', values: [1, 0, 2] },
  aimAtRobustness: 0.9,
  robustRuns: 8,
} as const;

const nothing = Object.fromEntries(Object.keys(asked).map((name) => [name, null]));
const again = (settings: object) => readObjectives(draftOf({ ...head, ...settings } as unknown as Head));

describe('changed targets', () => {
  it('ask for the same as before when nothing is changed', () => {
    expect(again(asked)).toEqual({
      faults: {},
      body: {
        objectives: [10, null],
        objectiveTypes: ['percent', 'minimize'],
        minimumBounds: [-1, null],
        maximumBounds: [2, null],
        maximumAttempts: 40,
        parallelism: 2,
        ...Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== null)),
        inputTolerances: { ...asked.inputTolerances, values: [1, null, 2] },
      },
    });
  });

  it.each([true, 0.999])('leave an aim at robustness of %s as it is', (aimAtRobustness) => {
    expect(again({ ...asked, aimAtRobustness }).body).toHaveProperty('aimAtRobustness', aimAtRobustness);
  });

  it('ask for nothing where nothing was asked', () => {
    expect(Object.keys(again(nothing).body)).not.toEqual(expect.arrayContaining(['noise', 'stop']));
    expect(again({ ...nothing, confirm: 3, noise: 'estimate' }).body).toMatchObject({ confirm: 3, noise: 'estimate' });
  });
});
