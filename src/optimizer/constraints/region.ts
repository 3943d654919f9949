/**
 * The region of a box that linear conditions leave: projection, emptiness, a middle and ranges.
 *
 * Points are encoded features of length n in natural order; bounds and conditions are given on them. Every point that
 * leaves this file is a projection, so that its violation is that of the quadratic program: about 1e-14 of the terms.
 */
import { dot } from '../linalg/dense.ts';
import { Meter } from '../numerics/work.ts';
import { BoxProgram } from './box-program.ts';
import type { GeneralRows } from './general-rows.ts';
import { type QuadraticResult, type Rows, solveQuadratic } from './quadratic-program.ts';

/** One linear condition on n features: coefficients' u = bound for an equation, coefficients' u >= bound otherwise. */
export interface LinearCondition {
  readonly coefficients: Float64Array;
  readonly bound: number;
  readonly isEquation: boolean;
}

/** Origin of a row of the region: one of the conditions, or a bound of a feature. */
type RowSource =
  | { readonly kind: 'condition'; readonly index: number }
  | { readonly kind: 'bound'; readonly feature: number };

export interface Region {
  readonly n: number;
  readonly rows: Rows;
  /** The same rows as a box and what is more than a bound. */
  readonly program: BoxProgram;
  /** Length rows.count. */
  readonly sources: readonly RowSource[];
  /** Orthonormal basis of the equations' coefficients, one array per direction that is not free. */
  readonly held: readonly Float64Array[];
  /** A point well inside, as far from all inequalities as the region allows; length n. */
  readonly middle: Float64Array;
  /** Counts the work of everything that is done with the region. */
  readonly meter: Meter;
}

export type RegionResult =
  | { readonly kind: 'region'; readonly region: Region }
  | { readonly kind: 'empty'; readonly conflicting: readonly RowSource[] };

/** An inequality that no point of the region leaves room to, relative to its coefficients, is an equation. */
const NO_ROOM = 1e-9;
/** Curvature given to linear objectives, so that they have one solution. The region's size is of order 1. */
const FLAT = 1e-3;
const LOOK_FLOPS = 30;
/** A held feature this far outside its bounds is one of theirs. */
const ROUNDING = 1e-12;

/**
 * Lays out the region.
 *
 * @param lower, upper length n, lower <= upper; equal where a feature is held
 * @param meter         counts this work, too; past its limit OutOfWork is thrown
 * @returns the region, or the conditions and bounds that contradict each other
 */
export function makeRegion(
  lower: Float64Array,
  upper: Float64Array,
  conditions: readonly LinearCondition[],
  meter: Meter = new Meter(),
): RegionResult {
  const { rows, sources } = layOut(lower, upper, conditions);
  const centre = lower.map((low, f) => (low + upper[f]!) / 2);
  const first = nearestPoint(rows, centre, meter);
  if (first.kind === 'infeasible') {
    return { kind: 'empty', conflicting: first.conflicting.map((row) => sources[row]!) };
  }
  const held = orthonormalBasis(rows, rows.equations);
  const middle = deepest(rows, held, meter);
  if (middle !== null && middle.radius > NO_ROOM) {
    const n = lower.length;
    const program = toProgram(rows, n);
    return { kind: 'region', region: { n, rows, program, sources, held, middle: middle.point, meter } };
  }
  return { kind: 'region', region: flatten(rows, sources, first.x, meter) };
}

/** The point of the region nearest to u; both have length n. */
export function projectOnto({ program, meter }: Region, u: Float64Array): Float64Array {
  const nearest = nearestIn(program, u, meter);
  if (nearest === null) throw new RangeError('The region lost its points by rounding.');
  return nearest;
}

/**
 * The point nearest to u among those that agree with it in the features where `held` is 1, or lie on the given side of a
 * limit; all arrays have length n. null when there is none.
 */
export function projectHolding(
  { program: whole, meter }: Region,
  u: Float64Array,
  held: Uint8Array,
  limits: readonly Limit[] = [],
): Float64Array | null {
  const lower = whole.lower.slice();
  const upper = whole.upper.slice();
  for (const { feature, side, value } of limits) {
    if (side === 1) lower[feature] = Math.max(lower[feature]!, value);
    else upper[feature] = Math.min(upper[feature]!, value);
  }
  for (let f = 0; f < u.length; f++) {
    if (held[f] === 0) continue;
    if (u[f]! < lower[f]! - ROUNDING || u[f]! > upper[f]! + ROUNDING) return null;
    lower[f] = upper[f] = u[f]!;
  }
  const program = new BoxProgram(whole.rows, lower, upper);
  meter.spend(lookFlops(program));
  return program.isPlainlyEmpty() ? null : nearestIn(program, u, meter);
}

/** The point of a program nearest to u (length n); null when there is none. */
export function nearestIn(program: BoxProgram, u: Float64Array, meter: Meter = new Meter()): Float64Array | null {
  const before = program.flops;
  const found = program.project(u);
  meter.spend(program.flops - before + lookFlops(program));
  if (found !== null) return found;
  const nearest = nearestPoint(rowsOf(program), u, meter);
  return nearest.kind === 'solved' ? nearest.x : null;
}

/** Approximate flops of a look at all features and rows of a program, with the arrays that are made for it. */
function lookFlops({ lower, rows }: BoxProgram): number {
  return LOOK_FLOPS * (lower.length + rows.values.length);
}

/** A box (length n each) and the rows that are no bounds. */
export interface BoxParts {
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  readonly general: GeneralRows;
}

/** Takes rows on n features apart; features without bounds have infinite ones. */
function toParts({ count, equations, A, b, only }: Rows, n: number): BoxParts {
  const lower = new Float64Array(n).fill(Number.NEGATIVE_INFINITY);
  const upper = new Float64Array(n).fill(Number.POSITIVE_INFINITY);
  const general: number[] = [];
  for (let i = 0; i < count; i++) {
    const f = only[i]!;
    if (f < 0) {
      general.push(i);
      continue;
    }
    const a = A[i * n + f]!;
    if (a > 0 || i < equations) lower[f] = Math.max(lower[f]!, b[i]! / a);
    if (a < 0 || i < equations) upper[f] = Math.min(upper[f]!, b[i]! / a);
  }
  return {
    lower,
    upper,
    general: {
      count: general.length,
      equations: general.filter((i) => i < equations).length,
      ...entriesOf(general.map((i) => A.subarray(i * n, (i + 1) * n))),
      b: Float64Array.from(general, (i) => b[i]!),
    },
  };
}

/** The entries of rows that are not 0. */
function entriesOf(rows: readonly Float64Array[]): Pick<GeneralRows, 'first' | 'features' | 'values'> {
  const first = new Int32Array(rows.length + 1);
  const features: number[] = [];
  const values: number[] = [];
  for (const [i, row] of rows.entries()) {
    for (const [f, value] of row.entries()) {
      if (value === 0) continue;
      features.push(f);
      values.push(value);
    }
    first[i + 1] = features.length;
  }
  return { first, features: Int32Array.from(features), values: Float64Array.from(values) };
}

function toProgram(rows: Rows, n: number): BoxProgram {
  const { general, lower, upper } = toParts(rows, n);
  return new BoxProgram(general, lower, upper);
}

/** Conditions on n features as the bounds and rows that they are. */
export function conditionParts(conditions: readonly LinearCondition[], n: number): BoxParts {
  const all = conditions.map(scaled);
  return toParts(toRows([...all.filter((one) => one.isEquation), ...all.filter((one) => !one.isEquation)], n), n);
}

/** A program as rows, equations first. */
export function rowsOf({ rows: { count, equations, first, features, values, b }, lower, upper }: BoxProgram): Rows {
  const n = lower.length;
  const all: LinearCondition[] = [];
  for (let i = 0; i < count; i++) {
    const coefficients = new Float64Array(n);
    for (let k = first[i]!; k < first[i + 1]!; k++) coefficients[features[k]!] = values[k]!;
    all.push({ coefficients, bound: b[i]!, isEquation: i < equations });
  }
  for (let f = 0; f < n; f++) all.push(...boundsOf(n, f, lower[f]!, upper[f]!));
  return toRows([...all.filter((one) => one.isEquation), ...all.filter((one) => !one.isEquation)], n);
}

/** The bounds of one of n features, one equation where it is held. */
function boundsOf(n: number, f: number, lower: number, upper: number): LinearCondition[] {
  if (lower === upper) return [{ coefficients: unit(n, f, 1), bound: lower, isEquation: true }];
  return [
    { coefficients: unit(n, f, 1), bound: lower, isEquation: false },
    { coefficients: unit(n, f, -1), bound: -upper, isEquation: false },
  ];
}

/** A feature at least (side 1) or at most (side -1) a value. */
export interface Limit {
  readonly feature: number;
  readonly side: 1 | -1;
  readonly value: number;
}

/** The smallest and the largest value of each feature within the region, to about 1e-3 of the region's size. */
export function rangesOf({ n, rows, middle, meter }: Region): readonly (readonly [number, number])[] {
  const end = (f: number, side: 1 | -1) => (farthest(rows, unit(n, f, side), meter) ?? middle)[f]!;
  return Array.from({ length: n }, (_, f) => [end(f, -1), end(f, 1)]);
}

/** The rows of the conditions and of the bounds (length n each), equations first, and what each row says. */
function layOut(
  lower: Float64Array,
  upper: Float64Array,
  conditions: readonly LinearCondition[],
): { readonly rows: Rows; readonly sources: readonly RowSource[] } {
  const n = lower.length;
  const all: { condition: LinearCondition; source: RowSource }[] = conditions.map((condition, index) => ({
    condition: scaled(condition),
    source: { kind: 'condition', index },
  }));
  for (let f = 0; f < n; f++) {
    const source: RowSource = { kind: 'bound', feature: f };
    for (const condition of boundsOf(n, f, lower[f]!, upper[f]!)) all.push({ condition, source });
  }
  const ordered = [...all.filter((one) => one.condition.isEquation), ...all.filter((one) => !one.condition.isEquation)];
  const rows = toRows(
    ordered.map(({ condition }) => condition),
    n,
  );
  return { rows, sources: ordered.map(({ source }) => source) };
}

/** Rows of conditions that are in order: equations first. */
function toRows(conditions: readonly LinearCondition[], n: number): Rows {
  const A = new Float64Array(conditions.length * n);
  for (const [i, { coefficients }] of conditions.entries()) A.set(coefficients, i * n);
  return {
    count: conditions.length,
    equations: conditions.filter(({ isEquation }) => isEquation).length,
    A,
    b: Float64Array.from(conditions, ({ bound }) => bound),
    only: Int32Array.from(conditions, ({ coefficients }) => onlyEntry(coefficients)),
  };
}

/** The rows one by one. */
function conditionsOf({ count, equations, A, b }: Rows): LinearCondition[] {
  const n = A.length / count;
  return Array.from({ length: count }, (_, i) => ({
    coefficients: A.slice(i * n, (i + 1) * n),
    bound: b[i]!,
    isEquation: i < equations,
  }));
}

/** The only entry that is not 0, or -1. */
function onlyEntry(row: Float64Array): number {
  const found = row.findIndex((value) => value !== 0);
  return found >= 0 && row.findLastIndex((value) => value !== 0) === found ? found : -1;
}

/** The condition with its largest coefficient at 1; one without coefficients stays as it is. */
function scaled({ coefficients, bound, isEquation }: LinearCondition): LinearCondition {
  const largest = coefficients.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  return { coefficients: coefficients.map((value) => value / largest), bound: bound / largest, isEquation };
}

function unit(n: number, f: number, value: number): Float64Array {
  const row = new Float64Array(n);
  row[f] = value;
  return row;
}

function identity(n: number, factor: number): Float64Array {
  const I = new Float64Array(n * n);
  for (let f = 0; f < n; f++) I[f * n + f] = factor;
  return I;
}

/** The point nearest to u that satisfies the rows. */
function nearestPoint(rows: Rows, u: Float64Array, meter: Meter): QuadraticResult {
  return solveQuadratic(identity(u.length, 1), u, rows, meter);
}

/** About the point of the rows that lies farthest along a direction; null when roundings leave none. */
function farthest(rows: Rows, direction: Float64Array, meter: Meter): Float64Array | null {
  const start = direction.map((value) => value / FLAT);
  const result = solveQuadratic(identity(direction.length, 1 / Math.sqrt(FLAT)), start, rows, meter);
  return result.kind === 'solved' ? result.x : null;
}

/**
 * The centre of about the largest ball, within the equations, that all inequalities leave: maximizes r - FLAT (|s|^2 +
 * r^2) / 2 with a_i' s - |a_i| r >= b_i, where |a_i| is the length of the part of a_i that the equations leave free.
 */
function deepest(
  rows: Rows,
  held: readonly Float64Array[],
  meter: Meter,
): { point: Float64Array; radius: number } | null {
  const n = rows.A.length / rows.count;
  const wide = n + 1;
  const widened = conditionsOf(rows).map(({ coefficients, bound, isEquation }) => {
    const row = new Float64Array(wide);
    row.set(coefficients);
    if (!isEquation) {
      const free = coefficients.slice();
      removeParts(free, held);
      row[n] = -Math.hypot(...free);
    }
    return { coefficients: row, bound, isEquation };
  });
  const direction = new Float64Array(wide);
  direction[n] = 1;
  const point = farthest(toRows(widened, wide), direction, meter);
  return point && { point: point.slice(0, n), radius: point[n]! };
}

/** The region of rows without an inside: inequalities without room become equations. */
function flatten(rows: Rows, sources: readonly RowSource[], inside: Float64Array, meter: Meter): Region {
  const n = inside.length;
  const hasRoom = ({ coefficients, bound }: LinearCondition): boolean =>
    dotOf(coefficients, farthest(rows, coefficients, meter) ?? inside) - bound > NO_ROOM;
  const marked = conditionsOf(rows).map((one, i) => ({
    condition: { ...one, isEquation: one.isEquation || !hasRoom(one) },
    source: sources[i]!,
  }));
  const ordered = [
    ...marked.filter((one) => one.condition.isEquation),
    ...marked.filter((one) => !one.condition.isEquation),
  ];
  const flat = toRows(
    ordered.map(({ condition }) => condition),
    n,
  );
  const held = orthonormalBasis(flat, flat.equations);
  // Roundings can leave equations without a common point; then the rows stay as they were.
  if (nearestPoint(flat, inside, meter).kind === 'infeasible') {
    return { n, sources, rows, program: toProgram(rows, n), held, middle: inside, meter };
  }
  return {
    n,
    program: toProgram(flat, n),
    sources: ordered.map(({ source }) => source),
    rows: flat,
    held,
    middle: deepest(flat, held, meter)?.point ?? inside,
    meter,
  };
}

/** Gram-Schmidt, twice for the digits, over the first `count` rows; rows that the earlier ones span are left out. */
function orthonormalBasis(rows: Rows, count: number): Float64Array[] {
  const n = rows.A.length / Math.max(1, rows.count);
  const basis: Float64Array[] = [];
  for (let i = 0; i < count; i++) {
    const row = rows.A.slice(i * n, (i + 1) * n);
    const length = Math.hypot(...row);
    removeParts(row, basis);
    removeParts(row, basis);
    const left = Math.hypot(...row);
    if (left > 1e-10 * length) basis.push(row.map((value) => value / left));
  }
  return basis;
}

/** Subtracts from v its parts along orthonormal directions. */
export function removeParts(v: Float64Array, basis: readonly Float64Array[]): void {
  for (const one of basis) {
    const along = dotOf(v, one);
    for (let f = 0; f < v.length; f++) v[f]! -= along * one[f]!;
  }
}

function dotOf(a: Float64Array, b: Float64Array): number {
  return dot(a, 0, b, 0, a.length);
}
