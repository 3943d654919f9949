import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { movesOf, relax } from '../../src/dashboard/views/objective/diagnosis/relaxing.ts';
import { compileGoal, isInside } from '../../src/domain/search/acceptance.ts';
import { OBJECTIVE_TYPES, type ObjectiveDefinition } from '../../src/domain/search/objective.ts';
import { leastRelaxation } from '../../src/domain/search/relaxation.ts';

/** Targets in a history, as the service computes them. */
function targetsOf(definition: ObjectiveDefinition) {
  const { targets, l1 } = compileGoal(definition);
  const end = (value: number) => (Number.isFinite(value) ? value : null);
  return {
    objectives: [...definition.objectives],
    objectiveTypes: [...definition.objectiveTypes],
    minimumBounds: [...definition.minimumBounds],
    maximumBounds: [...definition.maximumBounds],
    desiredL1Norm: definition.desiredL1Norm,
    noise: null,
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

/** Proposals of the page for a best run, and what it sends if a person leaves them, or types other ends. */
function relaxing(definition: ObjectiveDefinition, output: readonly number[]) {
  const targets = targetsOf(definition);
  const proposed = { ...leastRelaxation(definition, output)!, endsSearch: true };
  const moves = movesOf(targets, proposed);
  const send = (to = moves.map((one) => one.to), allowance: number | null = null) =>
    relax(targets, { proposed, moves }, to, allowance);
  return { moves, send };
}

describe('relaxing', () => {
  test('proposes the ends that the service found, in units of the outputs', () => {
    const { moves, send } = relaxing(HEAT, [9.5, 22.2831, 5.3]);
    expect(moves).toEqual([
      { output: 0, end: 'lower', to: 9.5 },
      { output: 1, end: 'upper', to: 22.284 },
      { output: 2, end: 'upper', to: 5.3 },
    ]);
    expect(send()).toEqual({
      objectives: [10, 22.284, 5],
      minimumBounds: [-5, null, -0.1],
      maximumBounds: [1, null, 0.3],
      desiredL1Norm: 0,
    });
  });

  test('takes other ends, as bounds where the type has them', () => {
    const { send } = relaxing(HEAT, [9.5, 22.2831, 5.3]);
    expect(send([9, 25, 5.5])).toEqual({
      objectives: [10, 25, 5],
      minimumBounds: [-10, null, -0.1],
      maximumBounds: [1, null, 0.5],
      desiredL1Norm: 0,
    });
  });

  test('moves the limit of a strict inequality that the best run is on', () => {
    const strict = { ...HEAT, objectives: [2], objectiveTypes: ['lessthan'] as const };
    const { moves } = relaxing({ ...strict, minimumBounds: [], maximumBounds: [] }, [2]);
    expect(moves).toEqual([{ output: 0, end: 'upper', to: 2.001 }]);
  });

  test('of exact objectives relaxes the sum', () => {
    const definition = { ...HEAT, objectiveTypes: ['exact', 'exact', 'exact'] as const, desiredL1Norm: 0.5 };
    const { moves, send } = relaxing({ ...definition, minimumBounds: [], maximumBounds: [] }, [10.5, 20.7, 5]);
    expect(moves).toEqual([]);
    expect(send([], 1.2)).toEqual({ objectives: [10, 20, 5], desiredL1Norm: 1.2 });
  });

  test('The best run meets the targets as they are proposed, whatever their type', () => {
    const types = OBJECTIVE_TYPES.filter((type) => type !== 'exact');
    const positive = fc.double({ min: 0.001, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(
        fc.constantFrom(...types),
        positive,
        fc.boolean(),
        positive,
        positive,
        (type, size, isNegative, width, gap) => {
          const definition = {
            ...HEAT,
            objectives: [isNegative ? -size : size],
            objectiveTypes: [type],
            minimumBounds: [-width],
            maximumBounds: [width],
          };
          const { lower, upper } = targetsOf(definition).intervals[0]!;
          const nearest = upper !== null && (lower === null || isNegative) ? upper + gap : lower! - gap;
          // A miss that rounds away is none.
          fc.pre(gap > 1e-7 * (size + width));
          const relaxed = relaxing(definition, [nearest]).send();
          const goal = compileGoal({ ...definition, ...(relaxed as Partial<ObjectiveDefinition>) });
          expect(isInside(goal.targets[0]!, nearest), JSON.stringify({ relaxed, nearest })).toBe(true);
        },
      ),
    );
  });
});
