import { linearFormOf } from '../constraints/expression.ts';
import type { Space, Variable } from '../interface/problem.ts';
import type { RandomStream } from '../numerics/random.ts';

/**
 * Encodes inputs as features. The bounds of numbers are mapped to [-1, 1], in a design their likely ranges, booleans
 * and categories of two levels to -1 and +1, a category of K > 2 levels to one feature per level, one-hot minus 1 / K.
 * A variable with a single value has the feature 0, which never moves.
 */
export interface Encoding {
  readonly n: number;
  readonly p: number;
  readonly variables: readonly Variable[];
  /** Length n + 1: the first feature of each variable, then p. */
  readonly first: Int32Array;
  /** Length p: the variable of each feature. */
  readonly owner: Int32Array;
  /** Length p each: the bounds of the features. */
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  /** Length n: 1 for a variable with more than one value. */
  readonly movable: Uint8Array;
  /** Length n: 1 for a movable variable that takes whole values only. */
  readonly discrete: Uint8Array;
  /** Length n: 1 for a number whose feature is its logarithm. */
  readonly logarithmic: Uint8Array;
  /** Length n: the range of each number that is mapped to [-1, 1]. */
  readonly scales: readonly Range[];
  /** Number of points of the space; Infinity with a movable float or beyond 2^53. */
  readonly size: number;
}

/** A range counts as a whole number of steps when it misses one by less than this share of a step. */
const STEP_SLACK = 1e-9;
/** Largest magnitude of a feature: a point farther outside the box is modelled as if it were this far. */
const MAX_FEATURE = 5;

interface Range {
  readonly minimum: number;
  readonly maximum: number;
}

/** Number of values of a discrete variable. */
export function levelCount({ minimum, maximum, step, levels }: Variable): number {
  if (levels !== undefined) return levels.length;
  if (step !== undefined) return Math.floor((maximum - minimum) / step + STEP_SLACK) + 1;
  return Math.floor(maximum) - Math.ceil(minimum) + 1;
}

/** Value k of a discrete variable, from 0. */
export function levelAt(variable: Variable, k: number): number {
  const { minimum, step, levels } = variable;
  if (levels !== undefined) return levels[k]!;
  return step === undefined ? Math.ceil(minimum) + k : stepAt(variable, k);
}

/** The values of steps that were asked for, since rounding to 15 digits takes long; NaN for the others. */
const knownSteps = new WeakMap<Variable, Float64Array>();
const MOST_KNOWN = 1_000;

/** Value k of a variable in steps, to 15 digits, so that 0.1 + 2 * 0.05 is 0.2. */
function stepAt(variable: Variable, k: number): number {
  let known = knownSteps.get(variable);
  if (known === undefined) {
    known = new Float64Array(Math.min(levelCount(variable), MOST_KNOWN)).fill(Number.NaN);
    knownSteps.set(variable, known);
  }
  const value = known[k];
  if (value !== undefined && !Number.isNaN(value)) return value;
  const rounded = Number((variable.minimum + k * variable.step!).toPrecision(15));
  if (k < known.length) known[k] = rounded;
  return rounded;
}

/** Number of the value of a discrete variable that is nearest to x. */
export function nearestLevel(variable: Variable, x: number): number {
  const { minimum, step, levels } = variable;
  if (levels !== undefined) {
    return levels.reduce((best, value, k) => (Math.abs(value - x) < Math.abs(levels[best]! - x) ? k : best), 0);
  }
  const k = step === undefined ? Math.round(x) - Math.ceil(minimum) : Math.round((x - minimum) / step);
  return Math.min(levelCount(variable) - 1, Math.max(0, k));
}

/** Number of variables with more than one value. */
export function movableCount(encoding: Encoding): number {
  return encoding.movable.reduce((sum, one) => sum + one, 0);
}

function featureCount(variable: Variable): number {
  if (variable.kind !== 'category') return 1;
  const levels = levelCount(variable);
  return levels > 2 ? levels : 1;
}

/**
 * Lays out the features of a space. Throws RangeError for bounds that are not finite or out of order.
 *
 * @param forDesign whether likely ranges rather than bounds are mapped to [-1, 1]. Models on that scale saved no more runs with
 *   right ranges (0.85) and cost 1.32 of them with wrong ones, against 1.19, both before designs looked out of the ranges
 */
export function makeEncoding(space: Space, forDesign = false): Encoding {
  const variables = space.variables;
  const n = variables.length;
  const scales = variables.map(({ likely, minimum, maximum }) => (forDesign && likely) || { minimum, maximum });
  const first = new Int32Array(n + 1);
  const movable = new Uint8Array(n);
  const discrete = new Uint8Array(n);
  const logarithmic = new Uint8Array(n);
  const summed = inputsOfLinearConditions(space);
  let size = 1;
  for (let v = 0; v < n; v++) {
    const variable = variables[v]!;
    if (
      !Number.isFinite(variable.minimum) ||
      !Number.isFinite(variable.maximum) ||
      !(variable.maximum >= variable.minimum)
    ) {
      throw new RangeError(`variable ${v}: bounds must be finite and in order`);
    }
    first[v + 1] = first[v]! + featureCount(variable);
    movable[v] = variable.maximum > variable.minimum ? 1 : 0;
    if (movable[v] === 0) continue;
    discrete[v] = isDiscrete(variable) ? 1 : 0;
    // Sums are linear in the features of their summands only without logarithms; the models still see those.
    logarithmic[v] = variable.isLogarithmic === true && !summed.has(v) ? 1 : 0;
    if (variable.fixedAt === undefined) size *= isDiscrete(variable) ? levelCount(variable) : Number.POSITIVE_INFINITY;
  }
  const p = first[n]!;
  const owner = new Int32Array(p);
  const lower = new Float64Array(p);
  const upper = new Float64Array(p);
  for (let v = 0; v < n; v++) {
    const width = first[v + 1]! - first[v]!;
    for (let f = first[v]!; f < first[v + 1]!; f++) {
      owner[f] = v;
      // The bounds of an input that cannot move stay 0.
      if (movable[v] === 0) continue;
      lower[f] = width > 1 ? -1 / width : -1;
      upper[f] = width > 1 ? 1 - 1 / width : 1;
    }
  }
  const counted = size > 2 ** 53 ? Number.POSITIVE_INFINITY : size;
  const encoding = {
    n,
    p,
    variables,
    first,
    owner,
    lower,
    upper,
    movable,
    discrete,
    logarithmic,
    scales,
    size: counted,
  };
  const features = featuresOf(
    encoding,
    Float64Array.from(variables, ({ fixedAt, minimum }) => fixedAt ?? minimum),
  );
  for (let v = 0; v < n; v++) {
    const { likely, minimum, maximum } = variables[v]!;
    if (movable[v] === 0 || likely === undefined || !forDesign) continue;
    lower[first[v]!] = encodeNumber(encoding, v, minimum);
    upper[first[v]!] = encodeNumber(encoding, v, maximum);
  }
  for (let f = 0; f < p; f++) if (variables[owner[f]!]!.fixedAt !== undefined) lower[f] = upper[f] = features[f]!;
  return encoding;
}

function isDiscrete({ kind, step, levels }: Variable): boolean {
  return kind !== 'float' || step !== undefined || levels !== undefined;
}

function inputsOfLinearConditions({ conditions = [] }: Space): ReadonlySet<number> {
  const sides = conditions.map(({ left, right }) => [linearFormOf(left), linearFormOf(right)]);
  const linear = sides.filter((forms) => !forms.includes(null)).flat();
  return new Set(linear.flatMap((form) => [...form!.coefficients.keys()]));
}

/** The box of the features of the likely ranges, the whole one where none is stated; length p each. */
export function likelyBox(encoding: Encoding): { lower: Float64Array; upper: Float64Array } {
  const lower = encoding.lower.slice();
  const upper = encoding.upper.slice();
  encoding.variables.forEach(({ likely, fixedAt }, v) => {
    if (likely === undefined || fixedAt !== undefined || encoding.movable[v] === 0) return;
    const f = encoding.first[v]!;
    lower[f] = Math.max(lower[f]!, encodeNumber(encoding, v, likely.minimum));
    upper[f] = Math.min(upper[f]!, encodeNumber(encoding, v, likely.maximum));
  });
  return { lower, upper };
}

/** Writes the p features of the input in the n entries of X from `offset` to `out` from `start`. */
export function encode(encoding: Encoding, X: Float64Array, offset: number, out: Float64Array, start: number): void {
  for (let v = 0; v < encoding.n; v++) {
    const { minimum } = encoding.variables[v]!;
    const from = encoding.first[v]!;
    const to = encoding.first[v + 1]!;
    const x = X[offset + v]!;
    if (encoding.movable[v] === 0) {
      out[start + from] = 0;
    } else if (to - from > 1) {
      const level = Math.min(to - from - 1, Math.max(0, Math.round(x - minimum)));
      for (let f = from; f < to; f++) out[start + f] = (f - from === level ? 1 : 0) - 1 / (to - from);
    } else {
      out[start + from] = encodeNumber(encoding, v, x);
    }
  }
}

/** The p features of an input. @param x length n */
export function featuresOf(encoding: Encoding, x: Float64Array): Float64Array {
  const u = new Float64Array(encoding.p);
  encode(encoding, x, 0, u, 0);
  return u;
}

/** The feature of value x of the movable variable v, which has one feature. */
export function encodeNumber({ variables, logarithmic, scales }: Encoding, v: number, x: number): number {
  const variable = variables[v]!;
  const { minimum, maximum } = scales[v]!;
  if (logarithmic[v] === 1) {
    if (!(x > 0)) return -MAX_FEATURE;
    return clamped(variable, x, (2 * Math.log(x / minimum)) / Math.log(maximum / minimum) - 1);
  }
  // Halved first, because the width of a box such as +-1e308 overflows.
  const u = (x / 2 - minimum / 2) / (maximum / 4 - minimum / 4) - 1;
  return Number.isFinite(u) ? clamped(variable, x, u) : 0;
}

/**
 * The derivative of the value x of variable v by its feature; NaN where none can be used: of a category, a boolean, a variable with a
 * single value, and where the feature is cut off far outside of the bounds.
 */
export function slopeOfFeature(encoding: Encoding, v: number, x: number): number {
  const { variables, movable, logarithmic, scales } = encoding;
  const { kind } = variables[v]!;
  if (movable[v] === 0 || kind === 'category' || kind === 'boolean') return Number.NaN;
  if (!(Math.abs(encodeNumber(encoding, v, x)) < MAX_FEATURE)) return Number.NaN;
  const { minimum, maximum } = scales[v]!;
  return logarithmic[v] === 1 ? (x * Math.log(maximum / minimum)) / 2 : maximum / 2 - minimum / 2;
}

/** The feature u of x, at most `MAX_FEATURE` unless x lies inside the bounds. */
function clamped({ minimum, maximum }: Variable, x: number, u: number): number {
  return x >= minimum && x <= maximum ? u : Math.min(MAX_FEATURE, Math.max(-MAX_FEATURE, u));
}

/** Writes the admissible input nearest to the features u (length p) to `out` (length n). */
export function decode(encoding: Encoding, u: Float64Array, out: Float64Array): void {
  for (let v = 0; v < encoding.n; v++) out[v] = decodeVariable(encoding, v, u);
}

function decodeVariable(encoding: Encoding, v: number, u: Float64Array): number {
  const variable = encoding.variables[v]!;
  const { kind, minimum, maximum, fixedAt, step, levels, likely } = variable;
  const from = encoding.first[v]!;
  const to = encoding.first[v + 1]!;
  if (fixedAt !== undefined) return fixedAt;
  if (encoding.movable[v] === 0) return minimum;
  if (to - from > 1) {
    let level = from;
    for (let f = from + 1; f < to; f++) if (u[f]! > u[level]!) level = f;
    return minimum + (level - from);
  }
  const share = likely ? (u[from]! + 1) / 2 : Math.min(1, Math.max(0, (u[from]! + 1) / 2));
  if (kind === 'float' || encoding.logarithmic[v] === 1) {
    const x = Math.min(maximum, Math.max(minimum, numberAt(encoding, v, share)));
    return encoding.discrete[v] === 0 ? x : levelAt(variable, nearestLevel(variable, x));
  }
  if (step !== undefined || levels !== undefined || likely !== undefined) {
    return levelAt(variable, nearestLevel(variable, numberAt(encoding, v, share)));
  }
  const low = Math.ceil(minimum);
  const level = Math.round(share * (maximum - minimum) + (minimum - low));
  return low + Math.min(levelCount(variable) - 1, Math.max(0, level));
}

/** The value, not rounded, of the number v whose feature is u, which lies within the bounds. */
export function numberOf(encoding: Encoding, v: number, u: number): number {
  const { minimum, maximum } = encoding.variables[v]!;
  if (encoding.movable[v] === 0) return minimum;
  return Math.min(maximum, Math.max(minimum, numberAt(encoding, v, (u + 1) / 2)));
}

/** The number at a share of the way from the lower to the upper bound, from the nearer one so that it is met exactly. */
function numberAt({ logarithmic, scales }: Encoding, v: number, share: number): number {
  const { minimum, maximum } = scales[v]!;
  if (logarithmic[v] === 1) {
    const length = Math.log(maximum / minimum);
    return share < 0.5 ? minimum * Math.exp(share * length) : maximum * Math.exp((share - 1) * length);
  }
  return share < 0.5
    ? minimum + share * 2 * (maximum / 2 - minimum / 2)
    : maximum - (1 - share) * 2 * (maximum / 2 - minimum / 2);
}

/** Decodes the features u (length p) to x (length n) and replaces them by the features of x. */
export function roundToInput(encoding: Encoding, u: Float64Array, x: Float64Array): void {
  decode(encoding, u, x);
  encode(encoding, x, 0, u, 0);
}

/** Draws a uniform random point of the box, with admissible discrete values: its features to u, its input to x. */
export function randomPoint(encoding: Encoding, random: RandomStream, x: Float64Array, u: Float64Array): void {
  for (let v = 0; v < encoding.n; v++) {
    const from = encoding.first[v]!;
    const to = encoding.first[v + 1]!;
    for (let f = from; f < to; f++) {
      u[f] = encoding.lower[f]! + random.uniform() * (encoding.upper[f]! - encoding.lower[f]!);
    }
  }
  roundToInput(encoding, u, x);
}

/** Every input of a finite space, in order of its levels, the first variable fastest; the same array each time. */
export function* everyInput({ n, size, variables, movable }: Encoding): Generator<Float64Array, void> {
  const isOpen = (v: number) => movable[v] === 1 && variables[v]!.fixedAt === undefined;
  const valueAt = (v: number, k: number) =>
    variables[v]!.fixedAt ?? (isOpen(v) ? levelAt(variables[v]!, k) : variables[v]!.minimum);
  const level = new Int32Array(n);
  const x = Float64Array.from(variables, (_, v) => valueAt(v, 0));
  for (let visited = 0; visited < size; visited++) {
    yield x;
    for (let v = 0; v < n; v++) {
      if (!isOpen(v)) continue;
      level[v] = (level[v]! + 1) % levelCount(variables[v]!);
      x[v] = valueAt(v, level[v]!);
      if (level[v] !== 0) break;
    }
  }
}
