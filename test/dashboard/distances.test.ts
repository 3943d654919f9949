import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  distanceOf,
  distancesOfOutput,
  measureRuns,
  smallestSoFar,
  spanOf,
  totalDistance,
  verdictsOn,
  worstFirst,
} from '../../src/dashboard/views/objective/distances.ts';
import { compileGoal, makeVerdict } from '../../src/domain/acceptance.ts';
import { makeMissMeasure, tolerancesOf } from '../../src/domain/nearest.ts';
import { OBJECTIVE_TYPES, type ObjectiveDefinition, type ObjectiveType } from '../../src/domain/objective.ts';

/** What the service sends about a definition. */
function goalOf(definition: ObjectiveDefinition) {
  const { targets, l1 } = compileGoal(definition);
  const end = (value: number) => (Number.isFinite(value) ? value : null);
  return {
    objectives: [...definition.objectives],
    tolerances: [...tolerancesOf(definition)],
    l1Threshold: l1?.threshold ?? null,
    intervals: targets.map(({ lower, upper, lowerOpen, upperOpen }) => ({
      lower: end(lower),
      upper: end(upper),
      lowerOpen,
      upperOpen,
    })),
  };
}

function define(types: readonly ObjectiveType[], objectives: readonly number[]): ObjectiveDefinition {
  return {
    objectives,
    objectiveTypes: types,
    minimumBounds: types.map(() => -2),
    maximumBounds: types.map(() => 3),
    desiredL1Norm: 0.5,
    convergence: 1e-6,
  } as ObjectiveDefinition;
}

const runsOf = (rows: readonly (readonly number[])[], excluded: readonly number[] = []) => ({
  count: rows.length,
  outputs: rows[0]!.map((_, j) => Float64Array.from(rows, (row) => row[j]!)),
  excluded: Uint8Array.from(rows, (_, row) => Number(excluded.includes(row))),
});

const NONE = Number.NaN;

describe('distances', () => {
  const separate = OBJECTIVE_TYPES.filter((type) => type !== 'exact');
  const value = fc.double({ min: -50, max: 50, noNaN: true });

  it('say the same as the service, whatever the types and the outputs', () => {
    const type = fc.constantFrom(...separate);
    const output = fc.tuple(
      type,
      value.filter((target) => target !== 0),
      value,
    );
    fc.assert(
      fc.property(fc.array(output, { minLength: 1, maxLength: 5 }), (list) => {
        const definition = define(
          list.map(([one]) => one),
          list.map(([, target]) => target),
        );
        const row = list.map(([, target, offset], i) => (i % 3 === 0 ? target : target + offset / 10));
        expectSameAsService(definition, row);
      }),
    );
  });

  it('judge exact outputs together, as the service does', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(value, value), { minLength: 1, maxLength: 5 }), (list) => {
        const definition = define(
          list.map(() => 'exact' as const),
          list.map(([target]) => target),
        );
        expectSameAsService(
          definition,
          list.map(([target, offset]) => target + offset / 100),
        );
      }),
    );
  });

  function expectSameAsService(definition: ObjectiveDefinition, row: readonly number[]): void {
    const goal = goalOf(definition);
    const { worst, sum, metCounts } = measureRuns(goal, runsOf([row]));
    const expected = makeMissMeasure(definition).measure(row);
    expect(worst[0]).toBeCloseTo(expected.worst, 9);
    expect(sum[0]).toBeCloseTo(expected.sum, 9);
    expect(worst[0] === 0).toBe(expected.worst === 0);
    const verdicts = makeVerdict(definition)(row);
    expect(verdictsOn(goal, row)).toEqual(verdicts);
    expect(metCounts[0]).toBe(verdicts.filter(Boolean).length);
  }

  it('are not 0 at an end that does not belong to the interval', () => {
    const goal = goalOf(define(['lessthan', 'greaterthan'], [5, 5]));
    expect(distanceOf(goal, 0, 5)).toBeGreaterThan(0);
    expect(distanceOf(goal, 1, 5)).toBeGreaterThan(0);
    expect([distanceOf(goal, 0, 4.9), distanceOf(goal, 1, 5.1), distanceOf(goal, 0, 7)]).toEqual([0, 0, 2]);
  });

  it('are missing where the output is', () => {
    const goal = goalOf(define(['value', 'value'], [0, 0]));
    const runs = runsOf([
      [NONE, NONE],
      [1, 9],
    ]);
    const { worst, sum, metCounts } = measureRuns(goal, runs);
    expect([worst, sum, metCounts].map((column) => column[0])).toEqual([NONE, NONE, NONE]);
    // 9 is 6 above 0 + 3, in tolerances of 2.5.
    expect([worst, sum, metCounts].map((column) => column[1])).toEqual([2.4, 2.4, 1]);
    expect(Array.from(distancesOfOutput(goal, runs, 1))).toEqual([NONE, 6]);
  });

  it('of exact outputs are those from the targets', () => {
    const goal = goalOf(define(['exact', 'exact'], [1, 2]));
    expect([distanceOf(goal, 0, 1.2), distanceOf(goal, 1, 1)]).toEqual([expect.closeTo(0.2), 1]);
    expect(totalDistance(goal, [1.2, 1])).toBeCloseTo(1.2);
  });

  it('become the best so far without excluded runs', () => {
    const values = Float64Array.of(NONE, 5, 1, 7, 3, 2);
    const best = smallestSoFar(values, { excluded: Uint8Array.of(0, 0, 1, 0, 0, 0) });
    expect(Array.from(best)).toEqual([NONE, 5, 5, 5, 3, 2]);
  });

  it('order the outputs, the worst first', () => {
    const goal = goalOf(define(['value', 'value', 'lessthan_equal'], [0, 0, 10]));
    expect(worstFirst(goal, [0, 50, 11])).toEqual([1, 2, 0]);
    expect(worstFirst(goal, null)).toEqual([0, 1, 2]);
  });

  it('span what was seen', () => {
    expect(spanOf(Float64Array.of(NONE, 3, -1))).toEqual({ low: -1, high: 3 });
    expect(spanOf(Float64Array.of(NONE))).toBeUndefined();
  });
});
