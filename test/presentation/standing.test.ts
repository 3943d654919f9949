import { describe, expect, it } from 'vitest';
import { askedOf, chance, chanceWithRange, sureText } from '../../src/presentation/asked.ts';

const nothing = {
  noise: null,
  confirm: null,
  confidence: null,
  confidenceOf: null,
  weights: null,
  priorities: null,
  stop: null,
  solutions: null,
  inputTolerances: null,
  aimAtRobustness: null,
  robustRuns: null,
  objectives: [1, 2],
  objectiveTypes: ['value', 'value'],
  minimums: [0, 0],
  inputNames: ['agents', 'minutes'],
  inputUnits: ['', 'min'],
  outputNames: ['wait', 'use'],
  outputUnits: ['min', ''],
} as const;
type Settings = Parameters<typeof askedOf>[0];
const asked = (change: Partial<Settings>) => askedOf({ ...(nothing as unknown as Settings), ...change });

describe('what was asked of the search', () => {
  it('is nothing without an option', () => {
    expect(asked({})).toEqual([]);
  });

  it('is a sentence for each option, with names, units and rounded numbers', () => {
    const stop = { patience: null, improvementBelow: 0.005, until: null, maximumRuns: 60 };
    expect(asked({ noise: { standardDeviations: [0.4, 3] }, weights: [5, 1], priorities: [1, 2], stop })).toEqual([
      'Standard deviations of runs at the same input: wait 0.4 min, use 3.',
      'Weights: wait 5, use 1.',
      'Priorities: wait 1, use 2.',
      'Ends by evidence: when the best compromise is found, or no improvement of more than 0.5 % is to be expected.',
      'Ends after 60 runs, including the first ones.',
    ]);
    expect(
      asked({
        objectives: [null, null],
        solutions: { count: 3, apart: 0.1 },
        inputTolerances: { kind: 'normal', in: 'units', values: [0, 0.25] },
        aimAtRobustness: 0.95,
        robustRuns: 5,
      }),
    ).toEqual([
      'The search looks for the front of wait, use.',
      '3 solutions are sought, at least 0.1 of the ranges apart.',
      'Tolerances of the inputs, as standard deviations: minutes 0.25 min.',
      'After the first solution, up to 5 runs look for an input with a robustness of 95 %.',
    ]);
    expect(asked({ noise: 'estimate', confidence: 0.9, confidenceOf: 'mean' })).toEqual([
      'Satisfied when the means of the outputs meet all targets with a probability of 90 %.',
      'The scatter of runs at the same input is estimated.',
    ]);
    const fit = { objectives: [2.5, null], objectiveTypes: ['fit' as const, 'fit' as const] };
    expect(asked({ ...fit, stop: { ...stop, improvementBelow: 0.05, maximumRuns: null } })).toEqual([
      'The search fits 1 measured value: the best run has the least misfit.',
      'Ends by evidence: when no improvement of more than 0.05 in chi-square is to be expected.',
    ]);
    expect(asked({ stop: { ...stop, patience: 12, until: '2027-03-01T06:00:00.000Z' } })[1]).toMatch(/^Ends at .*2027/);
    expect(sureText({ ...(nothing as unknown as Settings), confirm: 3 })).toContain('the mean of 3 runs');
  });

  it('shows no chance as certain', () => {
    const texts = [0, 0.0004, 0.075, 0.5, 0.874, 0.99, 0.9962, 0.9996, 1].map(chance);
    expect(texts).toEqual(['< 0.1 %', '< 0.1 %', '7.5 %', '50 %', '87 %', '99 %', '99.6 %', '> 99.9 %', '> 99.9 %']);
    expect(chanceWithRange({ value: 0.874, low: 0.71, high: 0.951 })).toBe('87 % (71 % to 95 %)');
  });
});
