import { describe, expect, it } from 'vitest';
import { describeAdvice } from '../../../src/domain/search/advice.ts';
import {
  completeExplanation,
  diagnosisAt,
  relaxation,
  type StoredExplanation,
} from '../../../src/domain/search/explanation.ts';
import type { Diagnosis } from '../../../src/optimizer/interface/insights.ts';
import { definition, diagnosis } from './two-targets.ts';

describe('the point that a diagnosis names', () => {
  // Tolerances of 1 and 0.04.
  const best = { input: [3], output: [13, -3.9] };
  const evaluated: Diagnosis = { ...diagnosis, nearestIs: 'evaluated' };

  it('The best run takes the place of an evaluated point, with its own misses', () => {
    expect(diagnosisAt(best, evaluated, definition)).toEqual({
      ...evaluated,
      nearestInput: [3],
      nearestOutput: [13, -3.9],
      unmet: [
        { output: 0, distance: 2, isOutOfReachAlone: true },
        { output: 1, distance: expect.closeTo(0.06, 12), isOutOfReachAlone: false },
      ],
    });
  });

  it('A predicted point stays only where its worst miss in tolerances is noticeably smaller', () => {
    expect(diagnosisAt(best, diagnosis, definition)).toMatchObject({
      nearestIs: 'evaluated',
      nearestOutput: [13, -3.9],
    });
    const nearer: Diagnosis = { ...diagnosis, nearestOutput: [12.5, -4] };
    expect(diagnosisAt(best, nearer, definition)).toBe(nearer);
  });

  it('It is noticeably nearer only by what its misses count', () => {
    const nearer: Diagnosis = { ...diagnosis, nearestOutput: [12.5, -4] };
    const first = { ...definition, options: { priorities: [2, 1] } };
    const later = { input: [3], output: [14, -4] };
    expect(diagnosisAt(later, nearer, first)).toBe(nearer);
    expect(diagnosisAt(later, { ...nearer, nearestOutput: [12, -3.9] }, first)).toMatchObject({
      nearestIs: 'evaluated',
    });
  });

  it('The L1 norm of exact objectives is that of the best run', () => {
    const exact = { ...definition, objectiveTypes: ['exact', 'exact'] as const, minimumBounds: [], maximumBounds: [] };
    const told = diagnosisAt({ input: [3], output: [10.5, -4] }, { ...evaluated, l1Norm: 3 }, exact);
    expect(told).toMatchObject({ l1Norm: 0.5, unmet: [{ output: 0, distance: 0.5 }] });
  });

  it('A run that meets everything refutes it', () => {
    expect(diagnosisAt({ input: [3], output: [10, -4] }, evaluated, definition)).toBeNull();
  });

  it('What can be attained, and a diagnosis without a judged run, stay as they are', () => {
    const attaining: Diagnosis = { ...evaluated, attainable: [{ output: 0, value: 12 }] };
    expect(diagnosisAt(best, attaining, definition)).toBe(attaining);
    expect(diagnosisAt(null, evaluated, definition)).toBe(evaluated);
  });
});

describe('the relaxation of a bound', () => {
  it('A relaxation is in percent points of the target for percent, in output units for other types', () => {
    expect(relaxation(definition, 0, 0.3)).toBe(0.3);
    expect(relaxation(definition, 1, 0.3)).toBeCloseTo(7.5, 12);
  });

  it('A relaxation is finite even for the smallest target', () => {
    const tiny = { ...definition, objectives: [10, 5e-324] };
    expect(relaxation(tiny, 1, 1)).toBe(Number.MAX_VALUE);
  });
});

describe('an explanation stored by an earlier release', () => {
  it('An explanation from an earlier release gets the fields it lacks', () => {
    const old = {
      caseCount: 9,
      insight: [{ crossValidated: { r2: 0.9, rmse: 0.1 }, sensitivity: [0.7, 0.3] }],
      diagnosis: {
        nearestInput: [1],
        nearestOutput: [2],
        nearestIs: 'evaluated',
        unmet: [{ output: 0, distance: 1, relaxBy: 1 }],
        conflicts: [],
      },
    } as unknown as StoredExplanation;
    const complete = completeExplanation(old);
    expect(complete.insight).toEqual([{ ...old.insight![0], sensitivityRanges: null }]);
    expect(complete.diagnosis).toMatchObject({ l1Norm: null, unmet: [{ distance: 1, isOutOfReachAlone: false }] });
  });

  it('An explanation from an earlier release may be empty', () => {
    const nothing: StoredExplanation = { caseCount: 1, insight: null, diagnosis: null };
    expect(completeExplanation(nothing)).toEqual(nothing);
  });
});

describe('advice in words', () => {
  const sum = { kind: 'sum-of-squares', outputs: [1] } as const;

  it('Advice names the output that it is about', () => {
    const labels = {
      inputNames: null,
      outputNames: ['mass', 'misfit'],
      minimums: [0],
      inputTypes: [],
      categories: [[]],
    };
    expect(describeAdvice(sum, { id: 5, objectives: [1, 0], labels })).toMatch(/^If misfit is a sum of squares/);
  });

  it('Advice calls outputs without names by their numbers, as suggestions do', () => {
    expect(describeAdvice(sum, { id: 5, objectives: [1, 0], labels: null })).toMatch(/^If y2 is a sum of squares/);
  });

  it.each([
    [
      'outputs that never vary',
      { kind: 'constant-outputs', outputs: [] },
      'All outputs are the same in every run, whatever the inputs: check that the black box reads its inputs.',
    ],
    [
      'one output that never varies',
      { kind: 'constant-outputs', outputs: [1] },
      'y2 is the same in every run, whatever the inputs, and off target: check how the black box computes it.',
    ],
    [
      'a run with a wrong output',
      { kind: 'wrong-run', outputs: [1], runs: [{ caseNumber: 2 }], value: 54, predicted: 5.4 },
      'The search sets case 3 aside: its y2 is 54, where all other runs predict about 5.4 (10 times as much). Correct it if it is wrong.',
    ],
    [
      'a placeholder',
      { kind: 'wrong-run', outputs: [0], runs: [{ objectiveId: 5, iteration: 4 }], value: 1e300, predicted: null },
      'The search sets run 4 aside: its y1 is 1e+300, which no other run comes near. Correct it if it is wrong.',
    ],
    [
      'repeats that disagree',
      {
        kind: 'repeats-disagree',
        outputs: [0],
        runs: [
          { objectiveId: 5, iteration: 12 },
          { objectiveId: 4, iteration: 7 },
        ],
      },
      'The search sets run 12 aside: it has the same inputs as run 7 of objective 4 and other outputs. Correct what is wrong.',
    ],
    [
      'a repeat that mistakes or noise may explain',
      { kind: 'repeats-unclear', outputs: [0], runs: [{ caseNumber: 4 }, { objectiveId: 5, iteration: 7 }] },
      'The search sets case 5 aside: it has the same inputs as run 7 and other outputs. If one of them is wrong, correct it; if your runs are noisy, search with noise, which repeats runs where it matters.',
    ],
    [
      'noisy repeats',
      { kind: 'noisy-runs', outputs: [], runs: [{ caseNumber: 0 }, { objectiveId: 5, iteration: 2 }] },
      'Runs with the same inputs differ: case 1 and run 2. If your runs are noisy, search with noise, which repeats runs where it matters.',
    ],
  ] as const)('Advice names the runs and the values of %s', (_, advice, sentence) => {
    expect(describeAdvice(advice, { id: 5, objectives: [1, 0], labels: null })).toBe(sentence);
  });
});
