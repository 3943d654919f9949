import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allowanceOf, movesOf, reachedBy, relax } from '../../src/dashboard/views/objective/diagnosis/relaxing.ts';
import { compileGoal, isInside } from '../../src/domain/acceptance.ts';
import { OBJECTIVE_TYPES, type ObjectiveDefinition, ObjectiveType } from '../../src/domain/objective.ts';

/** What the history says of targets, as the service computes it. */
function targetsOf(definition: ObjectiveDefinition) {
  const { targets, l1 } = compileGoal(definition);
  const end = (value: number) => (Number.isFinite(value) ? value : null);
  return {
    objectives: [...definition.objectives],
    objectiveTypes: [...definition.objectiveTypes],
    minimumBounds: [...definition.minimumBounds],
    maximumBounds: [...definition.maximumBounds],
    desiredL1Norm: definition.desiredL1Norm,
    l1Threshold: l1?.threshold ?? null,
    intervals: targets.map(({ lower, upper, lowerOpen, upperOpen }) => ({
      lower: end(lower),
      upper: end(upper),
      lowerOpen,
      upperOpen,
    })),
  };
}

const HEAT: ObjectiveDefinition = {
  objectives: [10, 20, 5],
  objectiveTypes: ['percent', 'lessthan_equal', 'value'],
  minimumBounds: [-1, null, -0.1],
  maximumBounds: [1, null, 0.1],
  desiredL1Norm: 0,
  convergence: 1e-6,
};

describe('relaxing', () => {
  test('proposes ends that the best run meets, and no wider ones', () => {
    const targets = targetsOf(HEAT);
    const moves = movesOf(targets, [9.5, 22.2831, 5.3]);
    expect(moves).toEqual([
      { output: 0, end: 'lower', from: 9.9, to: 9.5 },
      { output: 1, end: 'upper', from: 20, to: 22.284 },
      { output: 2, end: 'upper', from: 5.1, to: 5.3 },
    ]);
    expect(
      relax(
        targets,
        moves,
        moves.map(({ to }) => to),
        null,
      ),
    ).toEqual({
      objectives: [10, 22.284, 5],
      minimumBounds: [-5, null, -0.1],
      maximumBounds: [1, null, 0.3],
      desiredL1Norm: 0,
    });
  });

  test('starts from the best run, also where the models expect to come nearer', () => {
    const head = { bestOutput: [2.6, 1] };
    const predicted = { nearestOutput: [7.22, 1] };
    expect(reachedBy(head, predicted)).toEqual([2.6, 1]);
    expect(reachedBy({ bestOutput: null }, predicted)).toEqual([7.22, 1]);
  });

  test('moves the limit of a strict inequality that the best run is on', () => {
    const strict = { ...HEAT, objectives: [2], objectiveTypes: ['lessthan'] as const };
    const targets = targetsOf({ ...strict, minimumBounds: [], maximumBounds: [] });
    expect(movesOf(targets, [2])).toEqual([{ output: 0, end: 'upper', from: 2, to: 2.001 }]);
  });

  test('of exact objectives relaxes the sum', () => {
    const definition = { ...HEAT, objectiveTypes: ['exact', 'exact', 'exact'] as const, desiredL1Norm: 0.5 };
    const targets = targetsOf({ ...definition, minimumBounds: [], maximumBounds: [] });
    expect(movesOf(targets, [10.5, 20.7, 5])).toEqual([]);
    const allowance = allowanceOf(targets, [10.5, 20.7, 5])!;
    expect(allowance).toBe(1.2);
    expect(relax(targets, [], [], allowance)).toEqual({ objectives: [10, 20, 5], desiredL1Norm: 1.2 });
  });

  test('The best run meets the relaxed targets, whatever their type', () => {
    const single = OBJECTIVE_TYPES.filter((type) => type !== ObjectiveType.exact);
    const positive = fc.double({ min: 0.001, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(
        fc.constantFrom(...single),
        positive,
        fc.boolean(),
        positive,
        positive,
        (type, size, isNegative, width, gap) => {
          const target = isNegative ? -size : size;
          const definition = {
            objectives: [target],
            objectiveTypes: [type],
            minimumBounds: [-width],
            maximumBounds: [width],
            desiredL1Norm: 0,
            convergence: 1e-6,
          };
          const targets = targetsOf(definition);
          const { lower, upper } = targets.intervals[0]!;
          const missesAbove = upper !== null && (lower === null || isNegative);
          const nearest = missesAbove ? upper + gap : lower! - gap;
          // What rounds away is no miss.
          fc.pre(gap > 1e-7 * (Math.abs(target) + width));
          const moves = movesOf(targets, [nearest]);
          const relaxed = relax(
            targets,
            moves,
            moves.map(({ to }) => to),
            null,
          );
          const goal = compileGoal({ ...definition, ...(relaxed as Partial<ObjectiveDefinition>) });
          expect(isInside(goal.targets[0]!, nearest), JSON.stringify({ moves, relaxed, nearest })).toBe(true);
          expect(Math.abs(moves[0]!.to - nearest)).toBeLessThanOrEqual(0.003 * gap);
        },
      ),
    );
  });
});
