import { describe, expect, it } from 'vitest';
import { evaluateOutput } from '../../../src/domain/search/acceptance.ts';
import { checkFits, fitGoalsOf, fitOptionsOf, GAP, type SentFit } from '../../../src/domain/search/fit.ts';
import { describeFit, fitQualityOf } from '../../../src/domain/search/fit-quality.ts';
import { makeMissMeasure } from '../../../src/domain/search/nearest.ts';
import { earlierView, type ObjectiveDefinition } from '../../../src/domain/search/objective.ts';
import { findOptimum } from '../../../src/domain/search/optimum.ts';
import { misfitOf } from '../../../src/numbers/misfit.ts';
import { normalTail } from '../../../src/numbers/normal-tail.ts';

function definitionOf(objectives: readonly number[], fits: readonly SentFit[] | null, limits = 0): ObjectiveDefinition {
  const count = objectives.length - limits;
  const objectiveTypes = objectives.map((_, j) => (j < count ? ('fit' as const) : ('lessthan_equal' as const)));
  const bounds = { minimumBounds: [], maximumBounds: [], desiredL1Norm: 0, convergence: 1e-6 };
  return { objectives, objectiveTypes, ...bounds, options: { fits: fitOptionsOf(fits, objectiveTypes)! } };
}

describe('the misfit of an output', () => {
  it('Is chi-square with known standard errors, however they are stated', () => {
    const output = [1.2, 2.2, 9];
    const stated: readonly SentFit[] = [{ sigma: 0.1 }, { sigma: [0.1, 0.1, null] }, { sigma: [0.1, 0.1, 0.1] }];
    for (const fit of stated) {
      const { misfit } = evaluateOutput(definitionOf([1, 2, GAP], [fit]), output);
      expect(misfit).toBeCloseTo(8, 9);
    }
    const relative = definitionOf([1, 2, GAP], [{ sigma: { relative: 0.1 } }]);
    expect(evaluateOutput(relative, output).misfit).toBeCloseTo(5, 9);
  });

  it('Weighs data sets, and counts large residuals as scipy names it', () => {
    const definition = definitionOf(
      [1, 2],
      [
        { outputs: [0], sigma: 0.1, weight: 3 },
        { outputs: [1], sigma: 0.1, loss: 'soft_l1' },
      ],
    );
    expect(evaluateOutput(definition, [1.2, 2.3]).misfit).toBeCloseTo(3 * 4 + 2 * (Math.sqrt(10) - 1), 9);
    const losses = (['linear', 'huber', 'cauchy'] as const).map((loss) =>
      misfitOf([{ outputs: [0], values: [0], sigmas: [1], weight: 1, loss }], [3]),
    );
    expect(losses[0]).toBe(9);
    expect(losses[1]).toBeCloseTo(5, 12);
    expect(losses[2]).toBeCloseTo(Math.log(10), 12);
  });

  it('With unknown errors falls with the residuals, down to an exact fit', () => {
    const definition = definitionOf([1, 2], null);
    const [far, near, exact] = [
      [1.2, 2.2],
      [1.1, 2.1],
      [1, 2],
    ].map((output) => evaluateOutput(definition, output).misfit!);
    expect(far! - near!).toBeCloseTo(2 * 2 * Math.log(2), 9);
    expect(Number.isFinite(exact!) && exact! < near!).toBe(true);
  });

  it('Is told as chi-square, or as the root mean square of residuals with unknown errors, and orders runs either way', () => {
    const told = (fits: readonly SentFit[] | null, output: readonly number[]) =>
      makeMissMeasure({ ...definitionOf([1, 2], fits), options: definitionOf([1, 2], fits).options! }).misfitOf(
        output,
      )!;
    expect(told([{ sigma: 0.1 }], [1.2, 2.2])).toBeCloseTo(8, 9);
    expect(told(null, [1.3, 1.6])).toBeCloseTo(Math.sqrt((0.09 + 0.16) / 2), 9);
    const sets = [{ outputs: [0] }, { outputs: [1], sigma: 0.1 }];
    expect(told(sets, [1.1, 2.1])).toBeLessThan(told(sets, [1.1, 2.2]));
    expect(told(sets, [1e200, 1e200])).toBe(Number.MAX_VALUE);
    expect(told([{ sigma: 0.1 }], [1 + 1e-12, 2])).toBeGreaterThan(told([{ sigma: 0.1 }], [1, 2]));
  });
});

describe('a run of a fit', () => {
  it('Satisfies nothing, names its difference, and leaves gaps out of every sum', () => {
    const evaluation = evaluateOutput(definitionOf([1, GAP], [{ sigma: 0.1 }]), [1.5, 7]);
    expect(evaluation).toMatchObject({ isSatisfied: false, l1Norm: 0.5, convergence: 0 });
    expect(evaluation.results.map(({ satisfied, error }) => [satisfied, error])).toEqual([
      [false, 0.5],
      [true, 0],
    ]);
    expect(evaluation.results[0]!.detail).toBe(
      'Output 1.5 differs from the measured 1 by 0.5; all values of a fit count together.',
    );
    expect(earlierView(definitionOf([1], null), 0).type).toBe('exact');
  });

  it('Is the best one with the least misfit among those that meet the limits', () => {
    const definition = definitionOf([1, 2, 5], [{ sigma: 0.1 }], 1);
    const outputs = [[1.3, 2, 4], null, [1, 2, 6], [1.1, 2, 5], [1.1, 2.1, 1]];
    expect(findOptimum(definition, outputs)).toBe(3);
    const measure = makeMissMeasure({ ...definition, options: definition.options! });
    const misses = outputs.flatMap((output) => (output ? [measure.measure(output)] : []));
    expect(misses.map(({ worst }) => worst > 0)).toEqual([false, true, false, false]);
    const near = [1 + 1e-10, 2 + 1e-12].map((value) => measure.measure([value, 2, 4]).sum);
    expect(near[1]).toBeGreaterThan(0);
    expect(misses[2]!.sum).toBeLessThan(misses[3]!.sum);
    expect(misses[3]!.sum).toBeLessThan(misses[0]!.sum);
  });
});

describe('checkFits', () => {
  const told = (fields: object) =>
    checkFits({ objectives: [1, 2], objectiveTypes: ['fit', 'fit'], ...fields }).map(({ message }) => message);

  it('Accepts what it stores, and makes one data set of all outputs by default', () => {
    expect(told({})).toEqual([]);
    expect(
      told({
        fits: [
          { outputs: [1], sigma: 1 },
          { outputs: [0], sigma: { relative: 0.1 }, loss: 'huber' },
        ],
      }),
    ).toEqual([]);
    expect(fitGoalsOf(definitionOf([1, GAP], null))).toEqual([
      { outputs: [0], values: [1], sigmas: null, weight: 1, loss: 'linear' },
    ]);
  });

  it('Refuses errors that are not positive, a share of 0, and sets without a value', () => {
    expect(told({ fits: [{ sigma: 0 }] })).toEqual(['must be positive and finite, is 0.']);
    expect(told({ fits: [{ sigma: [1, null] }] })).toEqual([
      'must be a positive number where there is a value, is null.',
    ]);
    expect(told({ objectives: [0, 2], fits: [{ sigma: { relative: 0.1 } }] })).toEqual([
      'is a share of the value, which is 0 at output 0: state a number.',
    ]);
    expect(told({ objectives: [GAP, GAP] })).toEqual(['must have at least one output with a measured value.']);
    expect(told({ objectives: [1], objectiveTypes: ['value'], fits: [{}] })).toEqual([
      'must be left out: no output has the type fit.',
    ]);
  });

  it('Refuses another output to minimize, weights of points and priorities', () => {
    const fields = { objectives: [1, 2], objectiveTypes: ['fit', 'minimize'], weights: [2, 1], priorities: [1, 2] };
    expect(checkFits(fields).map(({ pointer }) => pointer)).toEqual(['/objectiveTypes/1', '/weights/0', '/priorities']);
  });
});

describe('the quality of a fit', () => {
  const values = Array.from({ length: 40 }, (_, i) => Math.sin(i));
  const at = (residual: (i: number) => number, fits: readonly SentFit[] | null) =>
    fitQualityOf(
      definitionOf(values, fits),
      3,
      values.map((value, i) => value + residual(i)),
    )!;
  const scattered = (i: number) => 0.1 * Math.cos(17 * i * i) * Math.SQRT2;

  it('Finds nothing to remark on where errors and residuals agree', () => {
    const quality = at(scattered, [{ sigma: 0.1 }]);
    expect(quality).toMatchObject({ points: 40, freedom: 37, warnings: [] });
    expect(quality.reducedChiSquare).toBeGreaterThan(0.7);
    expect(quality.reducedChiSquare).toBeLessThan(1.4);
  });

  it('Says by which factor sigma disagrees with the residuals', () => {
    expect(at(scattered, [{ sigma: 0.02 }]).warnings[0]).toMatch(/larger than .* too small, by a factor of about [45]/);
    expect(at(scattered, [{ sigma: 1 }]).warnings[0]).toMatch(
      /smaller than .* too large, by a factor of about (9|1\d)/,
    );
  });

  it('Tells a misfit that the standard errors do not explain beside chi-square, unless a robust loss expects outliers', () => {
    const sigma = 0.02;
    expect(at(scattered, [{ sigma: 0.1 }]).isBeyondChance).toBe(false);
    expect(at(scattered, [{ sigma }]).isBeyondChance).toBe(true);
    expect(at(scattered, [{ sigma, loss: 'huber' }]).isBeyondChance).toBe(false);
    expect(at(scattered, null).isBeyondChance).toBe(false);
    const output = values.map((value, i) => value + scattered(i));
    const told = (each: number) => describeFit(definitionOf(values, [{ sigma: each }]), 3, output);
    expect(told(sigma)).toMatch(/^chi-square \S+ with 37 degrees of freedom, more than the standard errors explain$/);
    expect(told(0.1)).toMatch(/^chi-square \S+ with 37 degrees of freedom$/);
  });

  it('Notices residuals with a pattern, and lists the points that hurt most', () => {
    const quality = at((i) => (i < 20 ? 0.1 : -0.1) + (i === 30 ? -1 : 0), null);
    expect(quality.runsProbability).toBeLessThan(1e-6);
    expect(quality.warnings.join(' ')).toContain('Neighbouring residuals');
    expect(quality.worst[0]).toMatchObject({ output: 30, value: values[30] });
    expect(quality).toMatchObject({ chiSquare: null, probability: null });
    expect(quality.sets[0]!.scale).toBeCloseTo(Math.sqrt((39 * 0.01 + 1.21) / 37), 9);
  });

  it('Knows the normal distribution', () => {
    expect(normalTail(0)).toBeCloseTo(0.5, 6);
    expect(normalTail(1.96)).toBeCloseTo(0.0249979, 6);
    expect(normalTail(-1.96)).toBeCloseTo(0.9750021, 6);
  });
});
