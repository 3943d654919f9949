/** Measured values that an output should come near to, all together. */
import { readFileSync } from 'node:fs';
import { refuseUnknownNames } from '../known-names.ts';
import { CurveError, interpolate, mergedIn, type ReadValue, readPlain } from './curve.ts';
import { readDataColumns } from './data-file.ts';
import type { InputValue } from './inputs.ts';
import type { TableLayout } from './table.ts';

const LOSSES = ['linear', 'soft_l1', 'huber', 'cauchy'] as const;
export type Loss = (typeof LOSSES)[number];

type Relative = { readonly relative: number };

/** An output that is an array, with the values that it should come near to. Make one with `fit`. */
export interface Fit {
  readonly type: 'fit';
  /** Without gaps. */
  readonly values: readonly number[];
  /** Positions of the values among all points, gaps included; from 0. */
  readonly positions: readonly number[];
  /** Points, gaps included. */
  readonly count: number;
  /** Points at which they were measured, one per value; null if only their order is known. */
  readonly x: readonly number[] | null;
  /** The standard error of all values, of each, or a share of each; null: equal and unknown. */
  readonly sigma: number | readonly number[] | Relative | null;
  readonly weight: number;
  readonly loss: Loss;
  /** The names by which a curve may have its two columns, besides x and y. */
  readonly columns: readonly [x: string, y: string];
  /** The conditions under which they were measured, which the black box is told; null for none. */
  readonly when: Readonly<Record<string, InputValue>> | null;
  /** The output of the black box that they are about; null for that of the name of the goal. */
  readonly output: string | null;
}

/** null and NaN are gaps, which count nothing. */
export type Measured = ArrayLike<number | null>;

interface CommonOptions {
  /** A factor on what the data count beside other data; default: 1. */
  readonly weight?: number | undefined;
  /** Function that reduces the weight of large residuals, as scipy names it; needs `sigma`. Default: linear. */
  readonly loss?: Loss | undefined;
  /**
   * The conditions under which the values were measured. Data of other conditions are goals of their own; the black box is called once
   * under each of them, and all these calls are one run.
   */
  readonly when?: Readonly<Record<string, InputValue>> | undefined;
  /** The output of the black box that the data are about, where several data sets share it; default: that of the name of the goal. */
  readonly output?: string | undefined;
}

export interface FitOptions extends CommonOptions {
  /** The standard error of the values: one number, one per value, or a share of each. Without it the errors are equal and estimated. */
  readonly sigma?: number | Measured | Relative | undefined;
  /** Points at which the values were measured. The black box may then return a curve on a grid of its own. */
  readonly x?: Measured | undefined;
}

export interface FileFitOptions extends CommonOptions, TableLayout {
  /** The column of where the values were measured: its title, or its number from 1 where `titles` is "none". */
  readonly x: string;
  /** The column of the values; an empty cell is a gap. */
  readonly y: string;
  /** As of an array, or the name of a column. */
  readonly sigma?: number | Relative | string | undefined;
}

/** Values that a black box returns for a fitted output: values, a pair of grid and values, or both by name. */
export type Curve =
  | ArrayLike<number>
  | readonly [grid: ArrayLike<number>, values: ArrayLike<number>]
  | Readonly<Record<string, ArrayLike<number>>>;

const OPTIONS = {
  sigma: { relative: null },
  x: null,
  y: null,
  weight: null,
  loss: null,
  when: null,
  output: null,
  titles: null,
  rowsFrom: null,
};

/**
 * An output that should come near to measured values: `fit([2, 1.4, 1], { sigma: 0.05 })`, or to those of a CSV file:
 * `fit('level.csv', { x: 'time', y: 'level', sigma: 0.02 })`. The output is then an array of one number per value or, where `x` is known,
 * a curve on a grid of its own, which is interpolated linearly and jumps where several rows have one x: at x itself the row towards larger x
 * counts.
 *
 * Throws RangeError and TypeError for wrong data, and what reading the file throws.
 */
export function fit(file: string, options: FileFitOptions): Fit;
export function fit(values: Measured, options?: FitOptions): Fit;
export function fit(data: string | Measured, options: FitOptions | FileFitOptions = {}): Fit {
  refuseUnknownNames(options, OPTIONS, 'fit');
  if (typeof data === 'string') return fitText(readFileSync(data, 'utf8'), data, options);
  const { x, sigma, ...rest } = options;
  if (typeof x === 'string' || 'y' in rest || 'titles' in rest || 'rowsFrom' in rest)
    throw new TypeError('Names of columns belong to a file; give x as an array.');
  if (typeof sigma === 'string') throw new TypeError('sigma names a column of a file; for an array give numbers.');
  return makeFit(data, x ?? null, sigma ?? null, rest);
}

/** @param file  what messages call it */
export function fitText(text: string, file: string, options: FitOptions | FileFitOptions): Fit {
  const { x, y, sigma = null, titles, rowsFrom, ...rest } = options as FileFitOptions;
  if (typeof x !== 'string' || typeof y !== 'string') {
    throw new TypeError("A file needs the names of its columns: fit('level.csv', { x: 'time', y: 'level' }).");
  }
  const columns = readDataColumns(
    text,
    file,
    { x, y, sigma: typeof sigma === 'string' ? sigma : null },
    { titles, rowsFrom },
  );
  const errors = typeof sigma === 'string' ? columns.sigma : sigma;
  return { ...makeFit(columns.y, columns.x, errors, rest), columns: [x, y] };
}

function makeFit(
  data: Measured,
  x: Measured | null,
  sigma: number | Measured | Relative | null,
  { weight = 1, loss = 'linear', when, output }: CommonOptions,
): Fit {
  const values = numbersOf('The data', data);
  const positions = [...values.keys()].filter((i) => !Number.isNaN(values[i]));
  if (positions.length === 0) throw new RangeError('The data have no value.');
  const endless = positions.find((i) => !Number.isFinite(values[i]));
  if (endless !== undefined) {
    const found = `row ${endless + 1} is ${values[endless]}`;
    throw new RangeError(`The data must be finite numbers, or NaN for a gap: ${found}.`);
  }
  if (!LOSSES.includes(loss)) throw new RangeError(`loss must be one of ${LOSSES.join(', ')}, is ${loss}.`);
  if (loss !== 'linear' && sigma === null) {
    throw new RangeError(`The loss ${loss} needs sigma, which says from where on a residual counts less.`);
  }
  const hasConditions = when !== undefined && Object.keys(when).length > 0;
  if (output !== undefined && !hasConditions) {
    throw new RangeError(
      'output names what the black box returns under the conditions in when: give when, or leave out output.',
    );
  }
  return {
    type: 'fit',
    values: positions.map((i) => values[i]!),
    positions,
    count: values.length,
    x: x === null ? null : placesOf(x, values, positions),
    sigma: errorsOf(sigma, values, positions),
    weight,
    loss,
    columns: ['x', 'y'],
    when: hasConditions ? { ...when } : null,
    output: output ?? null,
  };
}

function errorsOf(sigma: number | Measured | Relative | null, values: readonly number[], positions: readonly number[]) {
  if (sigma === null) return null;
  if (typeof sigma === 'number') {
    if (isPositive(sigma)) return sigma;
    throw new RangeError(`sigma must be positive and finite, is ${sigma}.`);
  }
  if ('relative' in sigma) {
    if (!isPositive(sigma.relative))
      throw new RangeError('sigma must be a number, one per value, or { relative: 0.02 }.');
    if (!positions.some((i) => values[i] === 0)) return sigma;
    throw new RangeError('A relative sigma needs values other than 0: give numbers.');
  }
  return chosen('sigma', sigma, values, positions, isPositive, 'positive and finite');
}

function placesOf(x: Measured, values: readonly number[], positions: readonly number[]): readonly number[] {
  const numbers = numbersOf('x', x);
  const merged = mergedIn(numbers, numbers);
  if (merged !== undefined) throw new RangeError(`Row ${merged.row} of x ${merged.reason}.`);
  return chosen('x', numbers, values, positions, Number.isFinite, 'finite');
}

function isPositive(value: number): boolean {
  return value > 0 && Number.isFinite(value);
}

/** Those at the positions of values. */
function chosen(
  name: string,
  given: Measured,
  values: readonly number[],
  positions: readonly number[],
  isRight: (value: number) => boolean,
  wanted: string,
): readonly number[] {
  const numbers = numbersOf(name, given);
  if (numbers.length !== values.length) {
    throw new RangeError(`${name} has ${numbers.length} numbers for ${values.length} values.`);
  }
  const wrong = positions.find((i) => !isRight(numbers[i]!));
  if (wrong === undefined) return positions.map((i) => numbers[i]!);
  throw new RangeError(`${name} must be ${wanted} where there is a value: row ${wrong + 1} is ${numbers[wrong]}.`);
}

function numbersOf(what: string, given: Measured): readonly number[] {
  const listed = isList(given) ? Array.from(given) : [undefined];
  const numbers = listed.map((value) => (value === null ? Number.NaN : value));
  if (numbers.every((value) => typeof value === 'number')) return numbers;
  throw new TypeError(`${what} must be an array of numbers.`);
}

export function isFit(goal: object): goal is Fit {
  return 'positions' in goal;
}

/** Names under which the service knows the points of an output. */
export function pointNames(name: string, { positions }: Fit): readonly string[] {
  return positions.map((position) => `${name}[${position}]`);
}

/**
 * The values of a black box at the points of the data, which need not be numbers. Throws CurveError when it is no such curve.
 *
 * @param read  of a curve on a grid of its own
 */
export function readCurve(name: string, fit: Fit, given: unknown, read: ReadValue = readPlain): readonly unknown[] {
  const isByName = !isList(given);
  const curve = isByName ? columnsOf(name, fit, given) : Array.from(given);
  if (isByName && fit.x === null) {
    const fault = 'has a grid, but its data have no x';
    throw new CurveError(`The output ${name} ${fault}: return an array of ${fit.count} values.`);
  }
  const [grid, values] = curve;
  if (curve.length === 2 && fit.x !== null && isList(grid) && isList(values)) {
    return interpolate(name, Array.from(grid), Array.from(values), fit.x, read);
  }
  if (curve.length === fit.count) return fit.positions.map((position) => read(curve[position]));
  const advice =
    fit.x === null ? '' : ' Return a pair of arrays, the grid and the values on it, to have them interpolated.';
  throw new CurveError(
    `The output ${name} has ${curve.length} values instead of ${fit.count}, as many as its data.${advice}`,
  );
}

function columnsOf(name: string, { columns, count }: Fit, given: unknown): readonly unknown[] {
  if (typeof given !== 'object' || given === null) {
    throw new CurveError(`The output ${name} must be an array of ${count} values, not ${String(given)}.`);
  }
  const curve = given as Readonly<Record<string, unknown>>;
  const pair = [columns, ['x', 'y'] as const].find((names) => names.every((one) => Object.hasOwn(curve, one)));
  if (pair !== undefined) return pair.map((one) => curve[one]);
  const found = Object.keys(curve).join(', ') || 'nothing';
  throw new CurveError(`The output ${name} has no ${columns.join(' and ')}; it has ${found}.`);
}

function isList(given: unknown): given is ArrayLike<unknown> {
  return Array.isArray(given) || (ArrayBuffer.isView(given) && !(given instanceof DataView));
}
