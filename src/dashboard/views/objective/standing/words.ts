/** What was asked of the search beyond the targets, and how surely its best input meets them, in words. Needs no browser. */
import { dayAndTime, short, withUnit } from '../../../parts/formats.ts';
import type { Head } from '../columns.ts';
import { outputNames } from '../values.ts';

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
  | 'noise'
  | 'confirm'
  | 'confidence'
  | 'confidenceOf'
  | 'weights'
  | 'priorities'
  | 'stop'
  | 'objectives'
  | 'outputNames'
  | 'outputUnits'
>;

/** When an objective is satisfied, if one run is not enough; undefined if it is. */
export function sureText({ confirm, confidence, confidenceOf }: Settings): string | undefined {
  if (confirm !== null) return `Satisfied when the mean of ${confirm} runs at one input meets all targets.`;
  if (confidence === null) return undefined;
  const what = confidenceOf === 'mean' ? 'the means of the outputs meet' : 'a fresh run meets';
  return `Satisfied when ${what} all targets with a probability of ${chance(confidence)}.`;
}

/** One sentence per option in use. */
export function askedOf(settings: Settings): readonly string[] {
  const { noise, weights, priorities, stop } = settings;
  const names = outputNames(settings);
  const each = (values: readonly number[], text: (value: number, j: number) => string) =>
    values.map((value, j) => `${names[j]} ${text(value, j)}`).join(', ');
  const deviations = (values: readonly number[]) =>
    each(values, (value, j) => withUnit(short(value), settings.outputUnits?.[j]));
  return [
    sureText(settings),
    noise === 'estimate'
      ? 'How far runs at one input differ is estimated.'
      : noise && `Standard deviations of runs at one input: ${deviations(noise.standardDeviations)}.`,
    weights && `Weights: ${each(weights, short)}.`,
    priorities && `Priorities: ${each(priorities, String)}.`,
    ...(stop === null ? [] : stopTexts(stop)),
  ].filter((text) => text != null);
}

function stopTexts({ patience, improvementBelow, until, maximumRuns }: NonNullable<Head['stop']>): readonly string[] {
  const least = `${short(100 * improvementBelow)} %`;
  return [
    patience === null
      ? `Ends once outputs to minimize or maximize can improve by no more than ${least}, as far as is known.`
      : `Ends after ${patience} suggested inputs without an improvement of more than ${least}.`,
    ...(until === null ? [] : [`Ends at ${dayAndTime(new Date(until))}.`]),
    ...(maximumRuns === null ? [] : [`Ends after ${maximumRuns} runs, the first ones included.`]),
  ];
}
