/** Tests what the page makes of a fit before it draws it. */
import { describe, expect, it } from 'vitest';
import { fitSetsOf, placesOf } from '../../src/presentation/fit-points.ts';
import { classText, correlationTexts, intervalText, profileShape } from '../../src/presentation/fit-words.ts';

describe('the place of a measured value on its axis', () => {
  it('is the last number in its name where the names differ in nothing else', () => {
    const level = placesOf(['level 2 at 0.5 s', 'level 2 at 1.5 s', 'level 2 at 1e1 s']);
    expect(level).toEqual({ xs: [0.5, 1.5, 10], label: 'Number in “level 2 at … s”', title: 'level 2' });
    expect(placesOf(['level[0]', 'level[3]'])).toMatchObject({ xs: [0, 3], title: 'level' });
    expect(placesOf(['T(-5)', 'T(5)']).xs).toEqual([-5, 5]);
    expect(placesOf(['probe-1', 'probe-2']).xs).toEqual([1, 2]);
  });

  it('is its number in the data set otherwise', () => {
    const numbered = { xs: [1, 2], label: 'Number of the value', title: undefined };
    expect(placesOf(['sag', 'mass'])).toEqual(numbered);
    expect(placesOf(['sag at 1', 'mass at 2'])).toEqual(numbered);
    expect(placesOf(['a1', 'a01'])).toEqual(numbered);
  });
});

describe('the data sets of a fit', () => {
  const head = {
    objectives: [13, null, 11, 2, 0],
    bestOutput: [13.2, 12.1, 10.9, 2.5, 0.1],
    outputNames: ['c(3)', 'c(2)', 'c(1)', 'mass', 'drift'],
    outputUnits: ['g', 'g', 'g', 'kg', 'kg'],
    fits: [
      { name: null, outputs: [0, 1, 2], sigma: [0.1, null, 0.2], weight: 1, loss: 'linear' as const },
      { name: 'rest', outputs: [3, 4], sigma: null, weight: 1, loss: 'linear' as const },
    ],
    fit: { sets: [{ scale: null }, { scale: 0.25 }] },
  } as unknown as Parameters<typeof fitSetsOf>[0];

  it('have their points in order, with errors, residuals in standard errors, and gaps', () => {
    const [first] = fitSetsOf(head, []);
    expect([first!.title, first!.yLabel, first!.isEstimated]).toEqual(['c', 'c (g)', false]);
    expect(first!.points.map(({ x, value, error, best }) => [x, value, error, best])).toEqual([
      [1, 11, 0.2, 10.9],
      [2, null, null, 12.1],
      [3, 13, 0.1, 13.2],
    ]);
    expect(first!.points.map(({ residual }) => residual && Number(residual.toFixed(9)))).toEqual([-0.5, null, 2]);
  });

  it('take unknown errors from the residuals, and bands from the answer of the models', () => {
    const band = { output: 3, name: null, predicted: 2.4, low: 2.1, high: 2.7, isKnown: true, slopes: [] };
    const [, rest] = fitSetsOf(head, [band]);
    expect([rest!.title, rest!.yLabel, rest!.isEstimated]).toEqual(['rest', 'rest (kg)', true]);
    expect(rest!.points.map(({ x, error, residual, band }) => [x, error, residual, band])).toEqual([
      [1, 0.25, 2, { low: 2.1, high: 2.7 }],
      [2, 0.25, 0.4, null],
    ]);
    const [, unknown] = fitSetsOf(head, [{ ...band, isKnown: false }]);
    expect(unknown!.points.map(({ band }) => band)).toEqual([null, null]);
  });

  it('have no residuals while nothing is known of the errors or of a run', () => {
    const unknown = { ...head, bestOutput: null, fit: null };
    const residuals = fitSetsOf(unknown, []).flatMap(({ points }) => points.map(({ residual }) => residual));
    expect(residuals).toEqual([null, null, null, null, null]);
  });
});

describe('what the data tell about an input', () => {
  const inputs = { inputNames: ['k', 'n', 'a'], minimums: [0, 0, 0], inputTypes: ['float', 'integer', 'float'] };
  const head = inputs as unknown as Parameters<typeof intervalText>[0];
  const parameter = {
    ...{ input: 0, name: 'k', estimate: 2, standardError: 0.1, kind: 'identifiable' as const },
    ...{ low: 1.8, high: 2.25, lowEnd: 'found' as const, highEnd: 'found' as const, profile: [] },
  };

  it('is an interval with two ends, one or none', () => {
    expect(intervalText(head, parameter)).toBe('1.8 … 2.25');
    const open = { ...parameter, kind: 'practically-not' as const };
    const noLow = { low: null, lowEnd: 'bound' as const };
    const noHigh = { high: null, highEnd: 'bound' as const };
    expect(intervalText(head, { ...open, ...noHigh })).toBe('≥ 1.8');
    expect(intervalText(head, { ...open, ...noLow })).toBe('≤ 2.25');
    expect(intervalText(head, { ...open, ...noLow, ...noHigh })).toBe('no value is excluded');
    expect(intervalText(head, { ...open, kind: 'held', low: null, high: null })).toBe('–');
  });

  it('names the ends that are not known, and claims no class on them', () => {
    const open = { ...parameter, kind: 'practically-not' as const };
    const noLow = { low: null, lowEnd: 'not-known' as const };
    const noHigh = { high: null, highEnd: 'not-known' as const };
    expect(intervalText(head, { ...open, ...noLow, ...noHigh })).toBe('not known');
    expect(intervalText(head, { ...open, ...noHigh })).toBe('≥ 1.8 (upper end not known)');
    expect(classText({ ...open, ...noHigh })).toBe('not known');
    expect(classText({ ...open, ...noHigh, low: null, lowEnd: 'bound' })).toBe('practically not identifiable');
    expect(classText(parameter)).toBe('identifiable');
  });

  it('is told of strong correlations only, the strongest first, once per pair', () => {
    const correlations = [
      [1, 0.75, -0.956],
      [0.75, 1, null],
      [-0.956, null, 1],
    ];
    expect(correlationTexts(head, correlations)).toEqual([
      'A larger k goes with a smaller a: their correlation is −0.96.',
      'A larger k goes with a larger n: their correlation is 0.75.',
    ]);
    expect(
      correlationTexts(head, [
        [1, 0.5, null],
        [0.5, 1, null],
        [null, null, 1],
      ]),
    ).toEqual([]);
  });

  it('has a profile between the ends of its interval, on the scale of the input', () => {
    const profile = [
      { value: 1, increase: 4 },
      { value: 10, increase: 0 },
      { value: 100, increase: 4 },
    ];
    const shape = profileShape({ ...parameter, estimate: 10, profile }, 4, true)!;
    expect(shape.line.map(({ x }) => x)).toEqual([0, 0.5, 1]);
    expect([shape.line[0]!.y, shape.line[1]!.y, shape.line[2]!.y]).toEqual([shape.threshold, 1, shape.threshold]);
    expect(shape.estimate).toBeCloseTo(0.5, 12);
    expect(profileShape(parameter, 4, false)).toBeUndefined();
  });
});
