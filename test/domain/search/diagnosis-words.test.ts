import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluateOutput } from '../../../src/domain/search/acceptance.ts';
import { describeDiagnosis } from '../../../src/domain/search/diagnosis-words.ts';
import type { ObjectiveDefinition } from '../../../src/domain/search/objective.ts';
import { leastRelaxation } from '../../../src/domain/search/relaxation.ts';
import type { SearchOptions } from '../../../src/domain/search/search-options.ts';
import type { Diagnosis } from '../../../src/optimizer/interface/insights.ts';
import { definition, diagnosis } from './two-targets.ts';

describe('a diagnosis in words', () => {
  it('The text says by how much to relax each bound, rounded up, and which objectives are out of reach alone', () => {
    expect(describeDiagnosis(diagnosis, definition, null, null)).toBe(
      'The targets seem out of reach together; at the nearest point predicted, their bounds would have to be relaxed: y1 by 1.001, y2 by 24 percentage points. Out of reach even alone: y1.',
    );
  });

  it('The text calls outputs by their names', () => {
    const conflicting: Diagnosis = { ...diagnosis, conflicts: [[0, 1]] };
    expect(describeDiagnosis(conflicting, definition, ['mass', 'sag'], null)).toBe(
      'The targets seem out of reach together; at the nearest point predicted, their bounds would have to be relaxed: mass by 1.001, sag by 24 percentage points. Out of reach even alone: mass. Each alone can be met, but not together: mass and sag.',
    );
  });

  it('The text names conflicting pairs', () => {
    const unmet = [{ output: 1, distance: 0.02, isOutOfReachAlone: false }];
    const conflicting: Diagnosis = { ...diagnosis, nearestIs: 'evaluated', unmet, conflicts: [[0, 1]] };
    expect(describeDiagnosis(conflicting, definition, null, null)).toBe(
      'The targets seem out of reach; at the best run so far, their bounds would have to be relaxed: y2 by 0.5 percentage points. Each alone can be met, but not together: y1 and y2.',
    );
  });

  it('The text says what can be reached of an aspiration', () => {
    const aspiring = { ...definition, objectives: [1.38, 4], objectiveTypes: ['minimize', 'lessthan_equal'] as const };
    const missed: Diagnosis = {
      ...diagnosis,
      nearestIs: 'evaluated',
      unmet: [{ output: 0, distance: 0.345, isOutOfReachAlone: false }],
      conflicts: [[0, 1]],
      attainable: [{ output: 0, value: 1.724852 }],
    };
    expect(describeDiagnosis(missed, aspiring, ['cost', 'sag'], null)).toBe(
      'The aspirations seem out of reach: with all other targets met, the best attainable by a run is about cost = 1.725, its aspiration is 1.38. Each alone can be met, but not together: cost and sag.',
    );
  });

  it('The text gives the sum of all differences if the objectives are exact', () => {
    const exact = { ...definition, objectiveTypes: ['exact', 'exact'] as const };
    expect(describeDiagnosis({ ...diagnosis, l1Norm: 1.96001 }, exact, null, null)).toBe(
      'The targets seem out of reach; the least sum of all differences predicted is 1.961, which would have to be allowed. Out of reach even alone: y1.',
    );
  });

  const costs = {
    worstMiss: 1.2503,
    of: [
      { output: 0, without: 0.62, relaxed: 0.9204 },
      { output: 1, without: 0, relaxed: 0.75 },
    ],
  };
  const told = (change: Partial<Diagnosis>, options: SearchOptions | null = null) =>
    describeDiagnosis({ ...diagnosis, unmet: [], ...change }, { ...definition, options }, ['mass', 'sag'], null);

  it('The text says what each target costs, beginning with the one without which most is gained', () => {
    expect(told({ costs })).toContain(
      'The models expect the worst output to miss by 1.25 times its tolerance at best; it would be 0 without sag and 0.75 with one tolerance more for it, 0.62 without mass and 0.92 with one tolerance more for it.',
    );
    expect(told({ costs }, { priorities: [1, 2] })).toContain(
      'the worst output to miss, counted by weights and priorities, by 1.25 times',
    );
    const none = { ...costs, of: [{ output: 0, without: 1.25, relaxed: 1.25 }] };
    expect(told({ costs: none })).toContain(
      '1.25 times its tolerance at best; dropping a single target gains nothing.',
    );
  });

  it('The text offers the least relaxation that the best run meets, and says that it ends the search', () => {
    const relaxed = leastRelaxation(definition, [12.4, -4.1]);
    expect(describeDiagnosis(diagnosis, definition, ['mass', 'sag'], relaxed)).toContain(
      'The best run meets all targets relaxed so: mass by 1.4, sag by 1.5 percentage points, and a search that goes on with such targets ends immediately.',
    );
    const evaluated: Diagnosis = { ...diagnosis, nearestIs: 'evaluated' };
    expect(describeDiagnosis(evaluated, definition, ['mass', 'sag'], relaxed)).toBe(
      'The targets seem out of reach together; at the best run so far, their bounds would have to be relaxed: mass by 1.4, sag by 1.5 percentage points. Out of reach even alone: mass. A search that goes on with targets relaxed so ends immediately, with the best run.',
    );
  });

  it('The text promises no end to a search that needs more than one run', () => {
    const relaxed = leastRelaxation(definition, [12.4, -4]);
    expect(describeDiagnosis(diagnosis, { ...definition, options: { confirm: 3 } }, null, relaxed)).toMatch(
      /The best run meets all targets relaxed so: y1 by 1\.4\.$/,
    );
  });

  it('The text relaxes the sum of exact objectives', () => {
    const exact = {
      ...definition,
      objectiveTypes: ['exact', 'exact'] as const,
      minimumBounds: [],
      maximumBounds: [],
      desiredL1Norm: 0.5,
    };
    const relaxed = leastRelaxation(exact, [11, -4]);
    const of = [{ output: 0, without: 0.5, relaxed: 1 }];
    const exactly = { ...diagnosis, l1Norm: 0.9, costs: { worstMiss: 1, of } };
    expect(describeDiagnosis(exactly, exact, null, relaxed)).toContain(
      'at best; it would be 0.5 without y1. The best run meets all targets relaxed so: sum of all differences at most 1, and',
    );
  });
});

describe('the least relaxation', () => {
  const number = fc.double({ min: -1e6, max: 1e6, noNaN: true }).map((value) => Number(value.toFixed(6)) + 0);
  const size = fc.double({ min: 1e-3, max: 1e3, noNaN: true });
  const types = ['value', 'percent', 'lessthan', 'lessthan_equal', 'greaterthan', 'greaterthan_equal'] as const;
  const entry = fc.record({
    objectives: number.filter((target) => target !== 0),
    objectiveTypes: fc.constantFrom(...types),
    minimumBounds: size.map((by) => -by),
    maximumBounds: size,
    output: number,
    isAtTarget: fc.boolean(),
  });

  it('Is met by the run, and none is needed where the run meets everything', () => {
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1, maxLength: 4 }), (entries) => {
        const of = <K extends keyof (typeof entries)[0]>(key: K) => entries.map((one) => one[key]);
        const output = entries.map(({ objectives, output, isAtTarget }) => (isAtTarget ? objectives : output));
        const stated: ObjectiveDefinition = {
          ...definition,
          objectives: of('objectives'),
          objectiveTypes: of('objectiveTypes'),
          minimumBounds: of('minimumBounds'),
          maximumBounds: of('maximumBounds'),
        };
        const relaxed = leastRelaxation(stated, output);
        expect(relaxed === null).toBe(evaluateOutput(stated, output).isSatisfied);
        if (relaxed === null) return;
        const wider = { ...stated, ...(relaxed as Partial<ObjectiveDefinition>) };
        expect(evaluateOutput(wider, output).isSatisfied).toBe(true);
      }),
    );
  });
});
