/** The search options, and the probability that the best input meets the targets, in words. Needs no browser. */

import type { SearchOption } from '../../clients/typescript/src/generated/objective-fields.ts';
import type { Head } from './columns.ts';
import { counted, dayAndTime, short, withUnit } from './formats.ts';
import { inputNames, outputNames } from './values.ts';

/** Two digits, three near 1: what is nearly certain is never shown as certain. */
export function chance(share: number): string {
  if (share > 0.999) return '> 99.9 %';
  if (share < 0.001) return '< 0.1 %';
  return `${Number((100 * share).toPrecision(share > 0.99 ? 3 : 2))} %`;
}

/** A probability with the range in which it lies. */
export function chanceWithRange({ value, low, high }: Record<'value' | 'low' | 'high', number>): string {
  const [from, to] = [chance(low), chance(high)];
  return from === to ? chance(value) : `${chance(value)} (${from} to ${to})`;
}

type Settings = Pick<
  Head,
  | SearchOption
  | 'objectiveTypes'
  | 'minimums'
  | 'inputNames'
  | 'inputUnits'
  | 'objectives'
  | 'outputNames'
  | 'outputUnits'
>;

/** The rule by which an objective is satisfied; undefined if one run is enough. */
export function sureText({ confirm, confidence, confidenceOf }: Settings): string | undefined {
  if (confirm !== null) return `Satisfied when the mean of ${confirm} runs at the same input meets all targets.`;
  if (confidence === null) return undefined;
  const what = confidenceOf === 'mean' ? 'the means of the outputs meet' : 'a new run meets';
  return `Satisfied when ${what} all targets with a probability of ${chance(confidence)}.`;
}

/** One sentence per option in use. */
export function askedOf(settings: Settings): readonly string[] {
  const { noise, weights, priorities, stop, solutions, objectives, objectiveTypes } = settings;
  const names = outputNames(settings);
  const each = (values: readonly number[], text: (value: number, j: number) => string) =>
    values.map((value, j) => `${names[j]} ${text(value, j)}`).join(', ');
  const deviations = (values: readonly number[]) =>
    each(values, (value, j) => withUnit(short(value), settings.outputUnits?.[j]));
  const withoutTarget = names.filter((_, j) => objectives[j] === null && objectiveTypes[j] !== 'fit');
  const fitted = names.filter((_, j) => objectives[j] !== null && objectiveTypes[j] === 'fit');
  return [
    fitted.length > 0 &&
      `The search fits ${counted(fitted.length, 'measured value')}: the best run has the least misfit.`,
    withoutTarget.length > 0 && `The search looks for the front of ${withoutTarget.join(', ')}.`,
    sureText(settings),
    noise === 'estimate'
      ? 'The scatter of runs at the same input is estimated.'
      : noise && `Standard deviations of runs at the same input: ${deviations(noise.standardDeviations)}.`,
    weights && `Weights: ${each(weights, short)}.`,
    priorities && `Priorities: ${each(priorities, String)}.`,
    solutions && `${solutions.count} solutions are sought, at least ${short(solutions.apart)} of the ranges apart.`,
    ...toleranceTexts(settings),
    ...(stop === null ? [] : stopTexts(stop, fitted.length > 0)),
  ].filter((text) => typeof text === 'string');
}

function toleranceTexts(settings: Settings): readonly string[] {
  const { inputTolerances, aimAtRobustness, robustRuns, inputUnits } = settings;
  if (inputTolerances === null) return [];
  const { kind, in: unit, values } = inputTolerances;
  const names = inputNames(settings);
  const each = values.flatMap((value, i) =>
    value === 0 ? [] : `${names[i]} ${withUnit(short(value), unit === 'percent' ? '%' : inputUnits?.[i])}`,
  );
  const what = kind === 'normal' ? 'standard deviations' : 'half widths';
  const aim =
    aimAtRobustness === true
      ? 'the most robust input'
      : `an input with a robustness of ${chance(aimAtRobustness ?? 0)}`;
  return [
    `Tolerances of the inputs, as ${what}: ${each.join(', ')}.`,
    ...(aimAtRobustness === null ? [] : [`After the first solution, up to ${robustRuns} runs look for ${aim}.`]),
  ];
}

function stopTexts(stop: NonNullable<Head['stop']>, isFit: boolean): readonly string[] {
  const { patience, improvementBelow, until, maximumRuns } = stop;
  const least = isFit ? `${short(improvementBelow)} in chi-square` : `${short(100 * improvementBelow)} %`;
  const found = isFit ? '' : 'the best compromise is found, or ';
  return [
    patience === null
      ? `Ends by evidence: when ${found}no improvement of more than ${least} is to be expected.`
      : `Ends after ${patience} suggested inputs without an improvement of more than ${least}.`,
    ...(until === null ? [] : [`Ends at ${dayAndTime(new Date(until))}.`]),
    ...(maximumRuns === null ? [] : [`Ends after ${maximumRuns} runs, including the first ones.`]),
  ];
}
