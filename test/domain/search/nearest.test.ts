import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { Matrix } from '../../../src/domain/matrix.ts';
import { compileGoal, evaluateOutput } from '../../../src/domain/search/acceptance.ts';
import {
  findNearestRun,
  isNearer,
  judgeIterations,
  makeMissMeasure,
  nearestCase,
  tolerancesOf,
  type WeighedDefinition,
  worstOutputOf,
} from '../../../src/domain/search/nearest.ts';
import { NO_TARGET } from '../../../src/domain/search/objective.ts';
import { makeMisses } from '../../../src/optimizer/goal/misses.ts';
import { toIntervals } from '../../../src/optimizer/goal/targets.ts';
import { anyJudged, judged, plausibleDouble } from '../../support/arbitraries.ts';
import { NOTHING_JUDGED } from '../../support/nothing-judged.ts';

const base = { minimumBounds: [], maximumBounds: [], desiredL1Norm: 0, convergence: 1e-6, options: null };
const within: WeighedDefinition = {
  ...base,
  objectives: [10, 200],
  objectiveTypes: ['value', 'percent'],
  minimumBounds: [-1, 1],
  maximumBounds: [3, 5],
};
const limits: WeighedDefinition = {
  ...base,
  objectives: [50, -50, 0],
  objectiveTypes: ['lessthan', 'greaterthan_equal', 'maximize'],
};
const exact: WeighedDefinition = {
  ...base,
  objectives: [1, 2],
  objectiveTypes: ['exact', 'exact'],
  desiredL1Norm: 0.5,
};

/** Outputs that are alike, or that count differently. */
const anyWeighed = anyJudged.chain(({ definition, output }) => {
  const length = { minLength: output.length, maxLength: output.length };
  const options = fc.record({
    weights: fc.array(fc.double({ min: 0.01, max: 100, noNaN: true }), length),
    priorities: fc.array(fc.integer({ min: 1, max: 3 }), length),
  });
  return fc.record({
    definition: fc.option(options).map((options): WeighedDefinition => ({ ...definition, options })),
    output: fc.constant(output),
  });
});

describe('the miss of an output', () => {
  test.each([
    ['is 0 inside its bounds', within, [13, 204], [0, 0]],
    ['counts half the width between its bounds as 1', within, [15, 216], [1, 1.5]],
    ['is measured from the nearer end', within, [5, 198], [2, 1]],
    ['counts 1 percent of a limit as 1, and 0.01 of the limit 0', limits, [51, -51, -0.02], [2, 2, 2]],
    ['at a strict limit is the smallest number above 0', limits, [50, -50, 0], [Number.MIN_VALUE, 0, 0]],
    ['is shared by exact objectives: the excess of the L1 norm over its threshold', exact, [2, 2.25], [1.5, 1.5]],
    ['is 0 for exact objectives whose L1 norm is within the threshold', exact, [1.5, 2], [0, 0]],
  ])('%s', (_, definition, output, misses) => {
    const { missesOf, measure } = makeMissMeasure(definition);
    expect(missesOf(output)).toEqual(misses);
    expect(measure([7, ...output], 1)).toEqual({
      worst: Math.max(...misses),
      sum: misses.reduce((sum, miss) => sum + miss, 0),
      value: 0,
    });
  });

  it('The miss of an output is positive with bounds that rounding brings together', () => {
    const huge = { ...within, objectives: [1e17, 200], minimumBounds: [-1, 1], maximumBounds: [1, 5] };
    expect(makeMissMeasure(huge).missesOf([1e17 + 16, 204])).toEqual([16, 0]);
  });

  it.each([
    ['is signed, and counts from the nearer end', within, [15, 198], [2, -4]],
    ['is 0 at a strict limit', limits, [50, -51, 0], [0, -1, 0]],
    ['is the distance from the target of an exact objective', exact, [2, 2.25], [1, 0.25]],
    ['is that distance even where the L1 norm is within the threshold', exact, [1.5, 2], [0.5, 0]],
  ])('The miss of an output in its unit %s', (_, definition, output, missedBy) => {
    expect(makeMissMeasure(definition).missedByOf(output)).toEqual(missedBy);
  });

  it('The miss of an output in its unit is its miss times its tolerance, up to rounding', () => {
    fc.assert(
      fc.property(anyWeighed, ({ definition, output }) => {
        const { missesOf, missedByOf } = makeMissMeasure(definition);
        const tolerances = tolerancesOf(definition);
        const isExact = definition.objectiveTypes[0] === 'exact';
        missedByOf(output).forEach((by, j) => {
          const miss = missesOf(output)[j]!;
          expect(Number.isFinite(by) && (isExact || miss > 0 || by === 0)).toBe(true);
          if (isExact || miss >= Number.MAX_VALUE || Math.abs(by) >= Number.MAX_VALUE || miss < 1e-9) return;
          expect(Math.abs(by) / tolerances[j]!).toBeCloseTo(miss, -Math.log10(miss) + 9);
        });
      }),
    );
  });

  it('The miss of an output is finite, and 0 for all outputs exactly when everything is satisfied', () => {
    fc.assert(
      fc.property(anyWeighed, ({ definition, output }) => {
        const { results, isSatisfied } = evaluateOutput(definition, output);
        const { measure, missesOf } = makeMissMeasure(definition);
        const misses = missesOf(output);
        expect(misses.map((miss) => miss === 0)).toEqual(results.map(({ satisfied }) => satisfied));
        const { worst, sum } = measure(output);
        if (definition.options === null) expect(worst).toBe(Math.max(...misses));
        expect(worst === 0 && sum === 0).toBe(isSatisfied);
        expect([...misses, sum].every(Number.isFinite)).toBe(true);
      }),
    );
  });
});

describe('an output without a target', () => {
  const cheapest: WeighedDefinition = {
    ...base,
    objectives: [NO_TARGET.minimize, 10],
    objectiveTypes: ['minimize', 'lessthan_equal'],
  };
  const measured = (definition: WeighedDefinition, output: readonly number[]) =>
    makeMissMeasure(definition).measure(output);

  test.each([
    ['is compared among runs that meet the limits', [3, 9], [4, 8], true],
    ['counts less than a limit that is missed', [3, 11], [4, 8], false],
    ['leaves the earlier of equal runs', [3, 9], [3, 8], false],
  ])('%s', (_, challenger, holder, isBetter) => {
    expect(isNearer(measured(cheapest, challenger), measured(cheapest, holder))).toBe(isBetter);
  });

  it('is compared upwards where it is maximized', () => {
    const largest = {
      ...cheapest,
      objectives: [NO_TARGET.maximize, 10],
      objectiveTypes: ['maximize', 'lessthan_equal'],
    };
    const definition = largest as WeighedDefinition;
    expect(isNearer(measured(definition, [4, 9]), measured(definition, [3, 8]))).toBe(true);
  });

  it('decides nothing beside another one, with which it forms a front', () => {
    const front = {
      ...cheapest,
      objectives: [NO_TARGET.minimize, NO_TARGET.minimize],
      objectiveTypes: ['minimize', 'minimize'],
    };
    const definition = front as WeighedDefinition;
    expect(isNearer(measured(definition, [1, 1]), measured(definition, [3, 8]))).toBe(false);
  });
});

describe('weights and priorities', () => {
  it.each([
    ['The larger weight counts more', { weights: [1, 4] }, [13, 212], [15, 204]],
    ['A weight below 1 counts less', { weights: [0.2, 1] }, [13, 212], [15, 204]],
    [
      'A small miss of the first priority counts more than a large one of the second',
      { priorities: [2, 1] },
      [13, 210.1],
      [40, 210],
    ],
    ['The highest priority that is used is the first', { priorities: [3, 2] }, [13, 210.1], [40, 210]],
    ['Once the first priority is met, the second decides', { priorities: [2, 1] }, [14, 204], [13.5, 204]],
  ])('%s: the second run is nearer, whatever the misses themselves say', (_, options, first, second) => {
    const measure = makeMissMeasure({ ...within, options });
    expect(isNearer(measure.measure(second), measure.measure(first))).toBe(true);
    expect(measure.missesOf(first)).toEqual(makeMissMeasure(within).missesOf(first));
  });

  it('The optimizer compares runs by the same measure', () => {
    const separate = judged(['value', 'percent', 'lessthan_equal', 'greaterthan_equal']);
    const number = fc.double({ min: 0.1, max: 100, noNaN: true });
    const runs = separate.chain(({ definition }) => {
      const m = definition.objectives.length;
      const list = <T>(of: fc.Arbitrary<T>) => fc.array(of, { minLength: m, maxLength: m });
      return fc.record({
        objectives: list(number),
        offsets: list(number),
        weights: list(number),
        priorities: list(fc.integer({ min: 1, max: 3 })),
        outputs: fc.array(list(number), { minLength: 2, maxLength: 5 }),
        objectiveTypes: fc.constant(definition.objectiveTypes),
      });
    });
    fc.assert(
      fc.property(runs, ({ objectives, offsets, weights, priorities, outputs, objectiveTypes }) => {
        const bounds = { minimumBounds: offsets.map((by) => -by), maximumBounds: offsets };
        const definition = { ...base, ...bounds, objectives, objectiveTypes, options: { weights, priorities } };
        const goal = { ...compileGoal(definition), weights, priorities };
        const Y = Float64Array.from(outputs.flat());
        const theirs = makeMisses(goal, toIntervals(goal, Y, outputs.length), Y, outputs.length);
        const { measure } = makeMissMeasure(definition);
        const shares = outputs
          .map((output, i) => [measure(output).worst, theirs.worstOf(Y, i * objectives.length)] as const)
          .filter(([own, other]) => {
            expect(other > 0).toBe(own > 0);
            return own > 0;
          })
          .map(([own, other]) => Math.log10(other / own));
        // The optimizer counts the first priority that is not met in full.
        for (const share of shares) expect(share).toBeCloseTo(shares[0]!, 6);
      }),
    );
  });
});

/** A definition with the outputs of its cases and of its iterations; null where a run failed. */
const played = anyWeighed.chain(({ definition, output }) => {
  const near = fc.constant(output);
  const far = fc.array(plausibleDouble, { minLength: output.length, maxLength: output.length });
  const runs = { minLength: 1, maxLength: 6 };
  return fc.record({
    definition: fc.constant(definition),
    cases: fc.array(fc.oneof(near, far), runs),
    failed: fc.uniqueArray(fc.nat(5)),
    excluded: fc.uniqueArray(fc.nat(5)),
    outputs: fc.array(fc.option(fc.oneof(near, far)), runs),
    judgedThrough: fc.nat(6),
  });
});

describe('findNearestRun', () => {
  it('findNearestRun finds a run that no successful case and no counted inverse comes nearer than, however much was judged before', () => {
    fc.assert(
      fc.property(played, ({ definition, cases, failed, excluded, outputs, judgedThrough }) => {
        const measure = makeMissMeasure(definition);
        const inverses = outputs.map((output, i) => ({
          id: i + 100,
          iteration: i + 1,
          input: [i],
          output,
          excludedAt: excluded.includes(i) ? new Date(0) : null,
        }));
        const counted = inverses.map(({ excludedAt, iteration, output }) => ({
          iteration,
          output: excludedAt === null ? output : null,
        }));
        const judged = nearestCase(measure, Matrix.from(cases), new Set(failed));
        const number = judged?.number ?? null;
        const stored = {
          ...definition,
          nearestCase: number,
          nearestCaseInput: number === null ? null : [-number],
          nearestCaseOutput: number === null ? null : cases[number]!,
          ...judgeIterations(
            measure,
            { nearestIteration: null, judgedThrough: 0 },
            counted.filter(({ iteration }) => iteration <= judgedThrough),
          ),
        };
        const best = findNearestRun(stored, inverses);
        const known = [
          ...cases.map((output, i) => (failed.includes(i) ? null : output)),
          ...counted.map(({ output }) => output),
        ];
        const misses = known.map((output) => output && measure.measure(output));
        // The first that nothing comes nearer than.
        const expected = misses.findIndex(
          (miss) => miss !== null && !misses.some((other) => other !== null && isNearer(other, miss)),
        );
        if (expected < 0) {
          expect(best).toBeNull();
          return;
        }
        const { source, output } = best!;
        expect(source.kind === 'case' ? source.number : cases.length + source.iteration - 1).toBe(expected);
        expect(output).toEqual(known[expected]);
        expect(best!.misses).toEqual(measure.missesOf(known[expected]!));
        expect(best!.misses.every((miss) => miss === 0)).toBe(
          known.some((one) => one !== null && evaluateOutput(definition, one).isSatisfied),
        );
      }),
    );
  });

  it('findNearestRun finds nothing while the cases have not been judged', () => {
    expect(
      findNearestRun({ ...within, ...NOTHING_JUDGED }, [
        { id: 1, iteration: 1, input: [0], output: [10, 204], excludedAt: null },
      ]),
    ).toBeNull();
  });
});

describe('the output that a run misses most', () => {
  const at = (definition: WeighedDefinition, output: readonly number[]) =>
    worstOutputOf(definition, { output, misses: makeMissMeasure(definition).missesOf(output) });

  it('is told in its own unit, a limit of 0 like any other', () => {
    const spare: WeighedDefinition = {
      ...base,
      objectives: [5, 0],
      objectiveTypes: ['lessthan', 'greaterthan_equal'],
    };
    expect(at(spare, [5.5, -344])).toEqual({ number: 1, distance: 344 });
    expect(at(spare, [5.5, 1])).toEqual({ number: 0, distance: 0.5 });
  });

  it('is none of a run that meets everything, and no single one of exact objectives', () => {
    const sum: WeighedDefinition = {
      ...base,
      objectives: [1, 2],
      objectiveTypes: ['exact', 'exact'],
      desiredL1Norm: 0.5,
    };
    expect(at(sum, [1, 2.25])).toBeNull();
    expect(at(sum, [2, 2])).toEqual({ number: null, distance: 0.5 });
  });
});
