/**
 * Checks what programs will read of the inputs: values that do not fit, that are written alike, or that lie outside the bounds when read.
 */
import { LocalFault } from '../../../clients/typescript/src/evaluator/evaluation.ts';
import { describeFormat, type Format, type Writable } from './format.ts';
import type { WrittenPlace } from './template.ts';

/** Values of an input that are written before any run. */
export interface Trial {
  readonly name: string;
  /** Ascending. */
  readonly values: readonly Writable[];
  /** null for texts and booleans. */
  readonly bounds: readonly [number, number] | null;
  /** Whether the input takes these values alone, or values that are as far apart. */
  readonly areStated: boolean;
}

/** Sentences about what is lost. Throws LocalFault where a value does not fit. @param flag  before its message */
export function tryWriting(places: readonly WrittenPlace[], trials: readonly Trial[], flag = ''): readonly string[] {
  const notes = places.flatMap((place) => {
    const trial = trials.find(({ name }) => name === place.input);
    const isWhole = place.format === undefined && place.toWritten === undefined;
    return trial === undefined || isWhole ? [] : tryPlace(place, trial, flag);
  });
  return [...new Set(notes)];
}

function tryPlace(place: WrittenPlace, trial: Trial, flag: string): readonly string[] {
  let texts: readonly string[];
  try {
    texts = trial.values.map((value) => place.write(value));
  } catch (error) {
    if (!(error instanceof LocalFault) || place.format === undefined) throw error;
    throw new LocalFault(`${flag}${error.message.replace(/\.$/, '')}; ${adviceOn(place, trial)}`, { cause: error });
  }
  const lost = lostAmong(trial, texts);
  const outside = outsideOf(place, trial, texts);
  if (lost === undefined && outside === undefined) return [];
  const found = [
    ...(lost === undefined ? [] : [describeLoss(trial, texts, lost)]),
    ...(outside === undefined ? [] : [describeOutside(place, trial, texts, outside)]),
  ];
  return [`${place.label} writes ${found.join(', and ')}: ${adviceOn(place, trial)}`];
}

/** Share of the values of a float that may be written as a neighbour is, at most: so few digits are rarely meant. */
const MOST_ALIKE = 0.1;
/** The same for a format that is advised. */
const FEW_ALIKE = 0.02;

/** The first value that is written as the one before it; undefined if there is none. */
function lostAmong({ areStated }: Trial, texts: readonly string[], most = MOST_ALIKE): number | undefined {
  if (!areStated && new Set(texts).size >= (1 - most) * texts.length) return undefined;
  const at = texts.findIndex((text, i) => i > 0 && text === texts[i - 1]);
  return at < 0 ? undefined : at;
}

/** The first value that reads back as one outside of the bounds. */
function outsideOf(place: WrittenPlace, { bounds }: Trial, texts: readonly string[]): number | undefined {
  if (bounds === null) return undefined;
  const [low, high] = writtenBounds(place, bounds);
  const at = texts.findIndex((text) => Number(text) < low || Number(text) > high);
  return at < 0 ? undefined : at;
}

function writtenBounds({ toWritten = (value) => value }: WrittenPlace, bounds: readonly [number, number]) {
  return bounds.map(toWritten).sort((a, b) => a - b) as [number, number];
}

function describeLoss({ values, areStated }: Trial, texts: readonly string[], at: number): string {
  const show = areStated ? String : shown;
  const pair = `${show(values[at - 1]!)} and ${show(values[at]!)} both as ${texts[at]!.trim()}`;
  const count = new Set(texts).size;
  return areStated ? pair : `${pair} (${count} texts for ${values.length} values from bound to bound)`;
}

function describeOutside(place: WrittenPlace, { values, bounds }: Trial, texts: readonly string[], at: number): string {
  const [low] = writtenBounds(place, bounds!);
  const side = Number(texts[at]) < low ? 'below' : 'above';
  return `${shown(values[at]!)} as ${texts[at]!.trim()}, which is ${side} the bound`;
}

function shown(value: Writable): string {
  return typeof value === 'number' ? String(Number(value.toPrecision(6))) : String(value);
}

function adviceOn(place: WrittenPlace, trial: Trial): string {
  const { format, input } = place;
  if (format === undefined) return 'widen its space.';
  const better = formatsLike(format, trial).find((one) => isGood(place, trial, one));
  if (better !== undefined) return `write ${input}:${describeFormat(better)}.`;
  return format.width === 0 ? `write ${input} without a format.` : 'widen it.';
}

/** They identify a number. */
const DIGITS = 17;

/** With more digits, or with as many as fit into the width. */
function formatsLike(format: Format, { values }: Trial): readonly Format[] {
  const { width, precision = 0, type = 'g' } = format;
  const types = [...new Set([type === 'd' ? 'g' : type, 'g', 'e'])];
  const digits = Array.from({ length: DIGITS }, (_, k) => k + 1);
  const wanted = width === 0 ? digits.filter((one) => one > precision) : digits.toReversed();
  if (typeof values[0] === 'string') return [{ ...format, precision: undefined, type: 's' }];
  const areWhole = values.every((value) => Number.isInteger(value));
  const plain = areWhole ? [{ ...format, precision: undefined, type: 'd' }] : [];
  return [...plain, ...types.flatMap((one) => wanted.map((digit) => ({ ...format, precision: digit, type: one })))];
}

function isGood(place: WrittenPlace, trial: Trial, format: Format): boolean {
  try {
    const texts = trial.values.map((value) => place.write(value, format));
    return lostAmong(trial, texts, FEW_ALIKE) === undefined && outsideOf(place, trial, texts) === undefined;
  } catch (error) {
    if (error instanceof LocalFault) return false;
    throw error;
  }
}
