import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Diagnosis } from '../../clients/typescript/src/index.ts';
import { allowanceOf, movesOf, relax } from '../../src/dashboard/views/objective/diagnosis/relaxing.ts';
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

function diagnosisOf(nearestOutput: number[], unmet: Diagnosis['unmet'], l1Norm: number | null = null): Diagnosis {
  const stated = { caseCount: 9, detail: '', nearestInput: [0], nearestIs: 'evaluated', conflicts: [] } as const;
  return { ...stated, conflicts: [], attainable: null, nearestInput: [0], nearestOutput, unmet, l1Norm };
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
  test('proposes round ends beyond what was reached', () => {
    const targets = targetsOf(HEAT);
    const diagnosis = diagnosisOf(
      [9.5, 22.2831, 5.3],
      [
        { number: 0, distance: 0.4, relaxBy: 4, isOutOfReachAlone: false },
        { number: 1, distance: 2.2831, relaxBy: 2.2831, isOutOfReachAlone: false },
        { number: 2, distance: 0.2, relaxBy: 0.2, isOutOfReachAlone: true },
      ],
    );
    const moves = movesOf(targets, diagnosis);
    expect(moves).toEqual([
      { output: 0, end: 'lower', from: 9.9, to: 9.5 },
      { output: 1, end: 'upper', from: 20, to: 22.3 },
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
      objectives: [10, 22.3, 5],
      minimumBounds: [-5, null, -0.1],
      maximumBounds: [1, null, 0.3],
      desiredL1Norm: 0,
    });
  });

  test('of exact objectives relaxes the sum', () => {
    const definition = { ...HEAT, objectiveTypes: ['exact', 'exact', 'exact'] as const, desiredL1Norm: 0.5 };
    const targets = targetsOf({ ...definition, minimumBounds: [], maximumBounds: [] });
    const diagnosis = diagnosisOf(
      [10.5, 20.7, 5],
      [{ number: 0, distance: 0.5, relaxBy: 0.5, isOutOfReachAlone: false }],
      1.2,
    );
    expect(movesOf(targets, diagnosis)).toEqual([]);
    const allowance = allowanceOf(targets, diagnosis)!;
    expect(allowance).toBe(1.2);
    expect(relax(targets, [], [], allowance)).toEqual({ objectives: [10, 20, 5], desiredL1Norm: 1.2 });
  });

  test('what was the nearest output satisfies the relaxed targets, whatever their type', () => {
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
          const relaxBy = type === 'percent' ? (100 * gap) / Math.abs(target) : gap;
          // What rounds away is no miss.
          fc.pre(gap > 1e-9 * (Math.abs(target) + width));
          const diagnosis = diagnosisOf([nearest], [{ number: 0, distance: gap, relaxBy, isOutOfReachAlone: true }]);
          const moves = movesOf(targets, diagnosis);
          const relaxed = relax(
            targets,
            moves,
            moves.map(({ to }) => to),
            null,
          );
          const goal = compileGoal({ ...definition, ...(relaxed as Partial<ObjectiveDefinition>) });
          const slack = 1e-9 * (Math.abs(target) + width + gap);
          const inward = missesAbove ? nearest - slack : nearest + slack;
          expect(isInside(goal.targets[0]!, inward), JSON.stringify({ moves, relaxed, nearest })).toBe(true);
          // Not far beyond: two digits of the gap.
          const { to } = moves[0]!;
          expect(Math.abs(to - nearest)).toBeLessThanOrEqual(0.11 * gap + slack);
        },
      ),
    );
  });
});
