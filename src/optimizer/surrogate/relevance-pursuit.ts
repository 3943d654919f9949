/**
 * Finds the cases that a model would explain better with a noise variance of their own: relevance pursuit at fixed hyperparameters.
 *
 * A case with an unlimited noise variance is a case that is left out, so each step downdates the precision matrix by one row
 * instead of factorizing again. Several kernels take part; each output believes the one whose evidence is largest.
 *
 * Source: Ament, Santorella, Eriksson, Letham, Balandat and Bakshy 2024, Robust Gaussian Processes via Relevance Pursuit,
 * NeurIPS 37 (greedy selection by the gain of the marginal likelihood, under a prior on the number); Dubrule 1983,
 * Mathematical Geology 15 (leaving one out with an estimated mean).
 */

import type { Cases } from '../goal/cases.ts';
import { choleskyInPlace, invertLower } from '../linalg/cholesky.ts';
import { addRow, dot, gramOfLower } from '../linalg/dense.ts';
import { type Encoding, movableCount } from '../space/encoding.ts';
import { type InputScale, logScale } from './input-scale.ts';
import { fillCovariance, type Geometry, type KernelKind, makeGeometry } from './kernels.ts';
import { modeOfLogEll } from './model-choice.ts';

/** A kernel at fixed hyperparameters. */
interface Setting {
  readonly kind: KernelKind;
  readonly ell: number;
  readonly nugget: number;
}

/** The kernels that take part: log ell in addition to the mode of its prior, and the nugget. */
const SETTINGS: readonly Setting[] = [
  { kind: 'lin', ell: 0, nugget: 1e-6 },
  { kind: 'lin', ell: 0, nugget: 1e-2 },
  { kind: 'q2', ell: 0, nugget: 1e-6 },
  { kind: 'rbf', ell: 0, nugget: 1e-6 },
  { kind: 'rbf', ell: 0, nugget: 1e-3 },
  { kind: 'rbf', ell: -1, nugget: 1e-4 },
];
/** The kernel of the first look, which most histories need no more than. */
const FIRST_LOOK: readonly Setting[] = [{ kind: 'rbf', ell: 0, nugget: 1e-4 }];
/** Log weight of the linear part, the mode of its prior. */
const LINEAR = 2;
/** Nats against each case that gets a noise variance of its own, and against each output of it that needs one. */
const AGAINST = { row: 4, output: 3 };
/** Most cases to select: this share. */
const MOST = 0.2;
/** Outputs are cut off so many times the distance of two quantiles beyond these. */
const CUT_OFF = { tail: 0.15, reach: 5 };
/** Fewer cases tell nothing; a smaller precision or square is rounding. */
const LEAST_LEFT = 4;
const LEAST_PRECISION = 1e-12;
const LEAST_SQUARE = 1e-300;
/** Share of positive values that makes a logarithmic scale worth a try. */
const LEAST_POSITIVE = 0.75;

/** Most cases of a first look; more are looked at in turns. */
const FIRST_LOOK_SIZE = 60;

/** The models with which a pursuit looks at the cases. */
interface Look {
  /** The cases, on each input scale. */
  readonly geometries: readonly Geometry[];
  readonly settings: readonly Setting[];
  readonly logEll: number;
}

/**
 * The cases to doubt among some, the first selected first. Where the first look finds none it costs a factorization of at most 60 cases
 * for every 60 of them. Of 213 histories of honest plays in which it doubted some, 157 ended there, and of 50 with wrong cases none.
 *
 * @param among numbers of the cases
 * @param least mean gain of the log evidence by one of them below which none is doubted
 */
export function doubtsAmong(
  encoding: Encoding,
  { U, Y, intervals }: Cases,
  among: readonly number[],
  least: number,
): readonly number[] {
  const { p } = encoding;
  const m = intervals.length;
  const logEll = modeOfLogEll(movableCount(encoding));
  const grouping = { count: 1, of: new Int32Array(p) };
  const take = (from: Float64Array, rows: readonly number[], width: number) => {
    const out = new Float64Array(rows.length * width);
    rows.forEach((i, k) => {
      out.set(from.subarray(i * width, (i + 1) * width), k * width);
    });
    return out;
  };
  const pursueIn = (rows: readonly number[], scales: readonly (InputScale | null)[], settings: readonly Setting[]) => {
    const encoded = take(U, rows, p);
    const geometries = scales.map((scale) => makeGeometry(encoded, rows.length, p, grouping, scale));
    return pursue({ geometries, settings, logEll }, take(Y, rows, m), m);
  };
  const turns = Math.ceil(among.length / FIRST_LOOK_SIZE);
  const parts = Array.from({ length: turns }, (_, turn) => among.filter((_, k) => k % turns === turn));
  const isWorthwhile = ({ selected, gain }: Pursued) => selected.length > 0 && gain >= least * selected.length;
  if (!parts.some((rows) => isWorthwhile(pursueIn(rows, [null], FIRST_LOOK)))) return [];
  const scale = logScale(encoding);
  const pursued = pursueIn(among, scale ? [null, scale] : [null], SETTINGS);
  return isWorthwhile(pursued) ? pursued.selected.map((k) => among[k]!) : [];
}

/** An output on one scale. */
interface Scale {
  /** Length N, standardized. */
  readonly z: Float64Array;
  /** Length N: log dz/dy, y being standardized on the plain scale. */
  readonly logSlope: Float64Array;
  /** Whether the scale refuses some of the values. */
  readonly isRefusing: boolean;
}

/** A kernel conditioned on the cases that are left. */
interface State {
  /** N x N: the precision with an estimated mean; zero in the rows and columns of cases selected. */
  readonly Q: Float64Array;
  /** Half the log determinant of the covariance of the cases that are left. */
  logDeterminant: number;
  /** By output and scale. */
  readonly fits: readonly (readonly Conditioned[])[];
}

/** An output on one scale, conditioned on the cases that are left. */
interface Conditioned {
  readonly scale: Scale;
  /** Q z. */
  readonly alpha: Float64Array;
  /** z' Q z. */
  square: number;
  /** Sum of log dz/dy. */
  logSlope: number;
}

/** The kernel and the scale that an output believes. */
interface Belief {
  readonly state: State;
  readonly fit: Conditioned;
  readonly logEvidence: number;
}

interface Pursued {
  /** The most probable number of cases to doubt, the first selected first. */
  readonly selected: readonly number[];
  /** Log evidence with them, under the prior, and what it has risen by. */
  readonly value: number;
  readonly gain: number;
}

/** Relevance pursuit. @param Y N x m */
function pursue(look: Look, Y: Float64Array, m: number): Pursued {
  const { N } = look.geometries[0]!;
  const outputs = Array.from({ length: m }, (_, j) => scalesOf(Y, N, m, j)).filter((one) => one.length > 0);
  if (outputs.length === 0) return { selected: [], value: 0, gain: 0 };
  const found = pursueOn(look, outputs);
  if (!outputs.flat().some(({ isRefusing }) => isRefusing)) return found;
  // One negative value hides how well a logarithm suits all others, and greedy steps would not get there.
  const refusing = outputs.map((scales) => {
    const log = scales.filter(({ isRefusing }) => isRefusing);
    return log.length > 0 ? log : scales;
  });
  const other = pursueOn(look, refusing);
  return other.value > found.value ? other : found;
}

/** The same on some of the scales of each output. */
function pursueOn(look: Look, outputs: readonly (readonly Scale[])[]): Pursued {
  const { N } = look.geometries[0]!;
  const states = look.geometries.flatMap((geometry) =>
    look.settings.flatMap((setting) => {
      const precision = precisionOf(geometry, setting, look.logEll);
      return precision ? [conditionAll(precision, outputs, N)] : [];
    }),
  );
  const left = new Set(Array.from({ length: N }, (_, i) => i));
  const selected: number[] = [];
  let price = 0;
  let best: Pursued | null = null;
  for (;;) {
    const beliefs = outputs.map((_, j) => believe(states, j, left.size));
    const value = beliefs.reduce((sum, { logEvidence }) => sum + logEvidence, price);
    if (!Number.isFinite(value)) break;
    const start: number = best ? best.value - best.gain : value;
    if (best === null || value > best.value) best = { selected: [...selected], value, gain: value - start };
    if (selected.length >= MOST * N || left.size < LEAST_LEFT) break;
    const next = mostRelevant(beliefs, left, N);
    price += priceOf(beliefs, next, N, left.size);
    selected.push(next);
    left.delete(next);
    for (const state of states) leaveOut(state, next, N);
  }
  return best ?? { selected: [], value: Number.NEGATIVE_INFINITY, gain: 0 };
}

/** The case whose own noise raises the evidence most. */
function mostRelevant(beliefs: readonly Belief[], left: ReadonlySet<number>, N: number): number {
  let next = -1;
  let most = Number.NEGATIVE_INFINITY;
  for (const i of left) {
    let gain = 0;
    for (const belief of beliefs) gain += Math.max(0, riseWithout(belief, i, N, left.size) - AGAINST.output);
    if (gain > most) [next, most] = [i, gain];
  }
  return next;
}

/** Cost of the prior and of the own noise of a case; an output that needs no own noise keeps its evidence. */
function priceOf(beliefs: readonly Belief[], i: number, N: number, left: number): number {
  return beliefs.reduce((sum, belief) => {
    const rise = riseWithout(belief, i, N, left);
    return sum - (rise > AGAINST.output ? AGAINST.output : rise);
  }, -AGAINST.row);
}

/** The scales of an output: plain, and logarithmic where at least three quarters of the values are positive. None where most are equal. */
function scalesOf(Y: Float64Array, N: number, m: number, j: number): Scale[] {
  const values = Float64Array.from({ length: N }, (_, i) => Y[i * m + j]!);
  const ends = usualEnds(values);
  const plain = ends && standardized(values.map((y) => between(ends, y)));
  if (!plain) return [];
  const scales: Scale[] = [{ z: plain.z, logSlope: new Float64Array(N), isRefusing: false }];
  const logs = values.filter((y) => y > 0).map(Math.log);
  const logEnds = logs.length >= LEAST_POSITIVE * N ? usualEnds(logs) : null;
  if (logEnds === null) return scales;
  // A logarithm refuses the others: they are as far off as a value can be.
  const all = values.map((y) => (y > 0 ? between(logEnds, Math.log(y)) : logEnds[0]));
  const log = standardized(all);
  if (log === null) return scales;
  const usual = logs.sort()[logs.length >> 1]!;
  const logSlope = all.map((w, i) => Math.log(plain.sd / log.sd) - (values[i]! > 0 ? w : usual));
  scales.push({ z: log.z, logSlope, isRefusing: logs.length < N });
  return scales;
}

/** The ends beyond which values are cut off; null where the middle values are equal. */
function usualEnds(values: Float64Array): readonly [number, number] | null {
  const sorted = values.slice().sort();
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))]!;
  const [low, high] = [at(CUT_OFF.tail), at(1 - CUT_OFF.tail)];
  const reach = CUT_OFF.reach * (high - low);
  return reach > 0 && Number.isFinite(reach) ? [low - reach, high + reach] : null;
}

function between([low, high]: readonly [number, number], y: number): number {
  return Math.min(high, Math.max(low, y));
}

function standardized(values: Float64Array): { z: Float64Array; sd: number } | null {
  const mean = values.reduce((sum, y) => sum + y / values.length, 0);
  const sd = Math.sqrt(values.reduce((sum, y) => sum + (y - mean) ** 2 / values.length, 0));
  return sd > 0 && Number.isFinite(sd) ? { z: values.map((y) => (y - mean) / sd), sd } : null;
}

/** The precision of a kernel with an estimated mean, K^-1 - K^-1 1 1' K^-1 / 1' K^-1 1; null where it cannot be factorized. */
function precisionOf(
  geometry: Geometry,
  { kind, ell, nugget }: Setting,
  logEll: number,
): Pick<State, 'Q' | 'logDeterminant'> | null {
  const { N, grouping } = geometry;
  const theta = new Float64Array(grouping.count + 1).fill(logEll + ell);
  theta[grouping.count] = LINEAR;
  const Q = new Float64Array(N * N);
  const other = new Float64Array(N * N);
  fillCovariance(geometry, kind, theta, Q, other);
  let trace = 0;
  for (let i = 0; i < N; i++) trace += Q[i * N + i]! / N;
  for (let i = 0; i < N; i++) Q[i * N + i]! += nugget * Math.max(1, trace);
  if (!choleskyInPlace(Q, N)) return null;
  let logDeterminant = 0;
  for (let i = 0; i < N; i++) logDeterminant += Math.log(Q[i * N + i]!);
  invertLower(Q, N, other);
  gramOfLower(other, N, Q);
  for (let i = 0; i < N; i++) for (let k = 0; k < i; k++) Q[k * N + i] = Q[i * N + k]!;
  const ones = Float64Array.from({ length: N }, (_, i) => Q.subarray(i * N, (i + 1) * N).reduce((a, b) => a + b, 0));
  const total = ones.reduce((a, b) => a + b, 0);
  for (let i = 0; i < N; i++) addRow(ones, 0, N, -ones[i]! / total, Q.subarray(i * N, (i + 1) * N));
  return { Q, logDeterminant: logDeterminant + 0.5 * Math.log(total) };
}

function conditionAll(
  { Q, logDeterminant }: Pick<State, 'Q' | 'logDeterminant'>,
  outputs: readonly (readonly Scale[])[],
  N: number,
): State {
  const conditioned = (scale: Scale): Conditioned => {
    const alpha = Float64Array.from({ length: N }, (_, i) => dot(Q, i * N, scale.z, 0, N));
    const logSlope = scale.logSlope.reduce((a, b) => a + b, 0);
    return { scale, alpha, square: dot(alpha, 0, scale.z, 0, N), logSlope };
  };
  return { Q, logDeterminant, fits: outputs.map((scales) => scales.map(conditioned)) };
}

/** The kernel and the scale with the largest evidence of output j. */
function believe(states: readonly State[], j: number, left: number): Belief {
  let best: Belief | null = null;
  for (const state of states) {
    for (const fit of state.fits[j]!) {
      const logEvidence = logLikelihood(fit.square, left) - state.logDeterminant + fit.logSlope;
      if (best === null || logEvidence > best.logEvidence) best = { state, fit, logEvidence };
    }
  }
  return best ?? { state: states[0]!, fit: states[0]!.fits[j]![0]!, logEvidence: Number.NEGATIVE_INFINITY };
}

/** With the process variance at its maximum, without the determinant. @param square z' Q z of `count` cases */
function logLikelihood(square: number, count: number): number {
  return -0.5 * (count - 1) * Math.log(Math.max(LEAST_SQUARE, square) / (count - 1));
}

/** By how much the log evidence of an output changes when case i is left out. */
function riseWithout({ state: { Q }, fit }: Belief, i: number, N: number, left: number): number {
  const precision = Q[i * N + i]!;
  if (!(precision > LEAST_PRECISION)) return 0;
  const rest = fit.square - (fit.alpha[i]! * fit.alpha[i]!) / precision;
  const rise = logLikelihood(rest, left - 1) - logLikelihood(fit.square, left);
  return rise - 0.5 * Math.log(precision) - fit.scale.logSlope[i]!;
}

/** Leaves case i out: a downdate of the precision, of its determinant and of what is conditioned on it. */
function leaveOut(state: State, i: number, N: number): void {
  const { Q, fits } = state;
  const precision = Q[i * N + i]!;
  if (!(precision > LEAST_PRECISION)) return;
  state.logDeterminant += 0.5 * Math.log(precision);
  const row = Q.slice(i * N, (i + 1) * N);
  for (const fit of fits.flat()) {
    const residual = fit.alpha[i]! / precision;
    fit.square -= residual * fit.alpha[i]!;
    fit.logSlope -= fit.scale.logSlope[i]!;
    addRow(row, 0, N, -residual, fit.alpha);
    fit.alpha[i] = 0;
  }
  for (let k = 0; k < N; k++) if (row[k] !== 0) addRow(row, 0, N, -row[k]! / precision, Q.subarray(k * N, (k + 1) * N));
  for (let k = 0; k < N; k++) Q[k * N + i] = 0;
  Q.fill(0, i * N, (i + 1) * N);
}
