import { hasFront, type Interval } from '../goal/targets.ts';
import type { Work } from '../numerics/work.ts';
import { constantInterval } from './constant-interval.ts';
import {
  type Conditioned,
  calibration,
  condition,
  type Factorized,
  type Fit,
  factorize,
  logPosteriorEach,
  makeWorkspace,
  priorMode,
  type Workspace,
} from './gaussian-process.ts';
import { type Geometry, type KernelKind, type KernelSpec, type Points, sampleGeometry } from './kernels.ts';
import { type Maximum, maximizePosterior } from './maximize-posterior.ts';
import { type Reading, readingsByTrend, readingsByWarp } from './readings.ts';
import { sampleOf } from './sample.ts';
import { isTrusted, supportOf, type Trend, weigh, withoutTrend } from './trend.ts';
import { plainWarpsOf, rowsOf, type Warp, warpsOf, withSlopes } from './warps.ts';

/** A factorized kernel. */
export interface FittedKernel {
  readonly spec: KernelSpec;
  /** The points of the surrogate, or the same points on the logarithmic scale of the inputs. */
  readonly geometry: Points;
  readonly factorized: Factorized;
}

/** The model of one output. */
export interface OutputModel {
  /** null for an output that is constant over the data. */
  readonly fitted: {
    readonly warp: Warp;
    /** Trend that is subtracted from the output before it is modelled; null for none. */
    readonly trend: Trend | null;
    /** Index into the kernels of the surrogate. */
    readonly kernel: number;
    readonly conditioned: Conditioned;
    /** Standard deviation of the process, calibrated. */
    readonly sigma: number;
  } | null;
  /** Target interval in the standardized units of the model. */
  readonly lower: number;
  readonly upper: number;
}

export interface Surrogate {
  /** The runs; those of a kernel may be followed by rows that stand for derivatives. */
  readonly geometry: Points;
  readonly kernels: readonly FittedKernel[];
  readonly outputs: readonly OutputModel[];
  /** The models of the cheaper sources that trends refer to. */
  readonly coarse: readonly CoarseModel[];
  /** For each of them, the log evidence of all outputs for trends that start from its source. */
  readonly support: readonly number[];
}

/** The models of a cheaper source. */
export interface CoarseModel {
  readonly surrogate: Surrogate;
  /** Index of the source among all cheaper ones. */
  readonly source: number;
}

/** A cheaper source at the points of a fit. */
export interface CoarsePrediction {
  readonly model: CoarseModel;
  /** Warp of each output of the fit; null for a constant one. */
  readonly warps: readonly (Warp | null)[];
  /** True for each output whose runs at one input differ: near the targets they then tell less than the fine runs. */
  readonly areNoisy: readonly boolean[];
  /** One row of m for each row of the fit, standardized by its models. */
  readonly values: Float64Array;
}

/** Variance of output j between runs at one input, in the standardized units of its model. */
export function noiseVariance({ kernels, outputs }: Surrogate, j: number): number {
  const { fitted } = outputs[j]!;
  return fitted ? kernels[fitted.kernel]!.factorized.nugget * fitted.conditioned.variance : 0;
}

/** Factor by which the leave-one-out residuals widen the variance of a model, 1 to 4. */
export function calibrationSquare({ sigma, conditioned }: NonNullable<OutputModel['fitted']>): number {
  return sigma ** 2 / conditioned.variance;
}

export interface ModelRequest {
  readonly geometry: Geometry;
  /** The same points on the logarithmic scale of the inputs; null without one. */
  readonly logGeometry: Geometry | null;
  /** N x m, of the runs. */
  readonly Y: Float64Array;
  /** Per row that stands for a derivative m changes over its step. */
  readonly changes?: Float64Array;
  readonly intervals: readonly Interval[];
  /** Number of variables with more than one value. */
  readonly n: number;
  /** See `stallOf`. */
  readonly stall: number;
  /** A fit around one point, without noise and without the asinh warp. */
  readonly local: boolean;
  /** Whether hyperparameters are estimated from more cases than usual, see `sampleOf`. */
  readonly isThorough?: boolean;
  /**
   * Noise where runs are said to be noisy: the standard deviation of each output between runs at one input, in output
   * units; null to estimate it. Absent: the likelihood decides whether there is noise.
   */
  readonly noise?: readonly (number | null)[] | undefined;
  /** Predictions of cheaper sources; absent for none. */
  readonly coarse?: readonly CoarsePrediction[];
  /** The warps to choose from; absent: all. */
  readonly scales?: Scales;
}

/** No asinh, or no warp at all. */
export type Scales = 'plain' | 'identity';

/** A possible model of one output. */
interface Candidate extends Reading {
  trend: Trend | null;
  z: Float64Array;
  /** Geometry of all points; that of the fit may be a sample of them. */
  readonly geometry: Geometry;
  fit: Fit;
  theta: Float64Array;
  /** Log posterior of theta, comparable between warps. */
  score: number;
  /** Inverse Hessian from the search for the shared hyperparameters. */
  readonly inverse: Float64Array;
}

/** Beyond this many variables one length scale serves all of them. */
export const MANY_INPUTS = 12;
/** Beyond this many points only the two best candidates of an output are refined, and only within so many nats. */
const MANY_POINTS = 40;
/** With a front: its points crowd along its ends, where coarse fits took exact outputs for rough or noisy ones. */
const MANY_POINTS_OF_FRONT = 100;
const REFINE_WITHIN = 2;
/** Beyond this many points noise is modelled only when the search stalls. */
const NOISE_POINTS = 60;
/** A known standard deviation below this share of that of the output is no noise. */
const NEGLIGIBLE_NOISE = 1e-4;
/** Largest numbers of BFGS steps. */
const STEPS = { shared: 25, sharedWithMany: 10, own: 8, nearOptimum: 3 };

/**
 * Expected standard deviation of differences from a cheaper source before they are seen, divided by the number of
 * cases: a few that agree may do so by chance.
 */
const DIFFERENCE_SD = 0.1;

/** Log prior odds of a trend for each output, once the outputs together speak for its source. */
const TRUSTED = 5;

/** Prior mean of log ell with n movable variables. */
export function modeOfLogEll(n: number): number {
  return Math.log(1.5 * Math.max(1, n) ** 0.25);
}

function kernelSpecs(request: ModelRequest): KernelSpec[] {
  const { n, stall, local, noise } = request;
  if (noise) return noisySpecs(noise, n);
  const N = runsIn(request.geometry);
  const specs: KernelSpec[] = [
    { kind: 'lin', noisy: false },
    { kind: 'rbf', noisy: false },
  ];
  if (n <= MANY_INPUTS) specs.push({ kind: 'q2', noisy: false });
  const mayBeNoisy = !hasFront(request.intervals) && isEnough(request) && (N <= NOISE_POINTS || stall >= 1);
  if (!local && (mayBeNoisy || hasContradiction(request))) {
    specs.push({ kind: 'lin', noisy: true }, { kind: 'rbf', noisy: true });
  }
  return specs;
}

/** Whether there are runs enough to tell noise from curvature. */
function isEnough({ geometry, n }: ModelRequest): boolean {
  return runsIn(geometry) >= n + 3;
}

/** Number of the rows that are runs. */
function runsIn({ N, slopes }: Points): number {
  return slopes?.start ?? N;
}

/** With and without a nugget as far as outputs need them, see `fits`. */
function noisySpecs(noise: readonly (number | null)[], n: number): KernelSpec[] {
  const kinds: KernelKind[] = n <= MANY_INPUTS ? ['lin', 'rbf', 'q2'] : ['lin', 'rbf'];
  const nuggets = [...new Set(noise.map((sd) => sd !== 0))];
  return nuggets.flatMap((noisy) => kinds.map((kind) => ({ kind, noisy })));
}

/** Whether a kernel suits an output: where runs are said to be noisy, one with a nugget unless its noise is known as 0. */
function fits({ noise }: ModelRequest, spec: KernelSpec, j: number): boolean {
  return noise === undefined || spec.noisy === (noise[j] !== 0);
}

/** Variance of the known noise of output j on the scale of a warp that keeps differences; undefined elsewhere. */
function knownNoise({ noise }: ModelRequest, warp: Warp, j: number): number | undefined {
  const sd = noise?.[j];
  return sd && warp.kind === 'identity' ? Math.max(NEGLIGIBLE_NOISE, sd / warp.unit) ** 2 : undefined;
}

/** True when an input has been evaluated twice with different outputs: then there is noise, however few the cases. */
function hasContradiction({ geometry, Y, intervals }: ModelRequest): boolean {
  const { N, distances } = geometry;
  const m = intervals.length;
  for (let i = 0; i < runsIn(geometry); i++) {
    for (let k = 0; k < i; k++) {
      if (distances.some((D) => D[i * N + k] !== 0)) continue;
      for (let j = 0; j < m; j++) if (Y[i * m + j] !== Y[k * m + j]) return true;
    }
  }
  return false;
}

/**
 * Fits every output and chooses its warp, input scale and kernel by the posterior of the hyperparameters.
 *
 * For each warp, scale and kernel one set of hyperparameters is fitted to all outputs at once, so that one factorization
 * serves them all; then each output refines its own from there. Fully separate fits were slightly worse and cost far more,
 * fully shared ones needed a tenth more runs.
 */
export function chooseModels(request: ModelRequest, work: Work): Surrogate {
  const { geometry, logGeometry, intervals, n, isThorough } = request;
  const N = geometry.N;
  const front = hasFront(intervals);
  const many = front ? MANY_POINTS_OF_FRONT : MANY_POINTS;
  const sample =
    front && N <= MANY_POINTS_OF_FRONT
      ? null
      : sampleOf(geometry, { isThorough: isThorough === true, areMany: n > MANY_INPUTS });
  const space = makeWorkspace(sample?.length ?? N);
  const warps = warpsOfAll(request);
  const candidates = intervals.map((): Candidate[] => []);
  const specs = kernelSpecs(request);
  const scales = (logGeometry ? [geometry, logGeometry] : [geometry]).map((full) => ({
    full,
    sampled: sample ? sampleGeometry(full, sample) : full,
    known: new Map<KernelSpec, Maximum>(),
  }));
  const logEll = modeOfLogEll(n);
  const stepsFromMode = n > MANY_INPUTS || N > many ? STEPS.sharedWithMany : STEPS.shared;
  const take = (z: Float64Array) => (sample ? Float64Array.from(sample, (i) => z[i]!) : z);
  for (const readings of [...readingsByWarp(warps), ...readingsByTrend(request, warps)]) {
    for (const { full, sampled, known } of scales) {
      for (const spec of specs) {
        const suited = readings.map((reading, j) => (fits(request, spec, j) ? reading : undefined));
        const outputs = suited.flatMap((reading) => (reading ? [take(reading.z)] : []));
        if (outputs.length === 0) continue;
        const fit: Fit = { geometry: sampled, spec, outputs, logEll };
        // The optimum for another warp is near.
        const near = N > many ? known.get(spec) : undefined;
        const start = near ?? { theta: priorMode(fit), inverse: null };
        const maximum = maximizePosterior(fit, start, near ? STEPS.nearOptimum : stepsFromMode, space, work);
        known.set(spec, maximum);
        const scores = logPosteriorEach(fit, maximum.theta, space, work);
        candidatesAt(fit, full, suited, maximum, scores).forEach((one, j) => {
          if (one) candidates[j]!.push(one);
        });
      }
    }
  }
  if (n <= MANY_INPUTS) for (const list of candidates) refine(list, N > many, space, work);
  for (const list of candidates) for (const one of list) weighTrend(one, take, space, work);
  candidates.forEach((list, j) => {
    for (const one of list) holdNoise(request, one, j, space, work);
  });
  const ofModel = request.coarse?.map(({ model }) => model.source) ?? [];
  const support = ofModel.map((source) => supportOf(candidates, ofModel, source));
  for (const [j, list] of candidates.entries()) {
    const isNoisy = ({ model }: Trend) => request.coarse![model]!.areNoisy[j]!;
    const kept = list.filter(
      ({ trend }) => trend === null || (isTrusted(support[trend.model]!) && !(isNoisy(trend) && isEnough(request))),
    );
    for (const one of kept) if (one.trend && !isNoisy(one.trend)) one.score += TRUSTED;
    if (kept.length > 0) candidates[j] = kept;
  }
  return { ...assemble(request, candidates, makeWorkspace(N), work), support };
}

/** Per output the warps worth fitting. */
function warpsOfAll({ geometry, Y, changes, intervals, local, noise, scales }: ModelRequest): Warp[][] {
  const N = runsIn(geometry);
  const base = geometry.slopes?.base ?? new Int32Array(0);
  const m = intervals.length;
  return intervals.map((interval, j) => {
    const column = new Float64Array(N);
    for (let i = 0; i < N; i++) column[i] = Y[i * m + j]!;
    // Asinh bends most near the target, and would give normal noise between two limits another shape.
    const isNoisyBetween = noise !== undefined && Number.isFinite(interval.upper - interval.lower);
    if (scales === 'identity') return plainWarpsOf(column, interval).slice(0, 1);
    const isPlain = local || scales === 'plain' || isNoisyBetween;
    const warps = isPlain ? plainWarpsOf(column, interval) : warpsOf(column, interval);
    const own = Float64Array.from(base, (_, s) => changes![s * m + j]!);
    return warps.map((warp) => withSlopes(warp, column, base, own));
  });
}

/** Estimates the factor of the trend of a candidate at its hyperparameters. */
function weighTrend(candidate: Candidate, take: (z: Float64Array) => Float64Array, space: Workspace, work: Work): void {
  const { trend, warp, fit } = candidate;
  if (trend === null) return;
  const factorized = factorize(fit, candidate.theta, space, work);
  const weight = factorized && weigh(factorized, take(rowsOf(warp)), { ...trend, values: take(trend.values) });
  if (weight === null) return;
  candidate.trend = { ...trend, rho: weight.rho };
  candidate.z = withoutTrend(rowsOf(warp), candidate.trend);
  candidate.fit = { ...fit, outputs: [take(candidate.z)] };
  candidate.score += weight.gain;
}

/** The candidates of the outputs of a fit at its shared hyperparameters, by output; none for an output without a reading. */
function candidatesAt(
  fit: Fit,
  geometry: Geometry,
  readings: readonly (Reading | undefined)[],
  { theta, inverse }: Maximum,
  scores: readonly number[],
): (Candidate | null)[] {
  let next = 0;
  return readings.map((reading) => {
    if (!reading) return null;
    const own: Fit = { ...fit, outputs: [fit.outputs[next]!] };
    return { ...reading, geometry, fit: own, theta, inverse, score: scores[next++]! + reading.warp.logJacobian };
  });
}

/** Fits the candidates of one output to it alone, from their shared hyperparameters. */
function refine(list: Candidate[], isLarge: boolean, space: Workspace, work: Work): void {
  list.sort((a, b) => b.score - a.score);
  const best = list[0]?.score ?? 0;
  list.forEach((candidate, rank) => {
    if (isLarge && (rank > 1 || candidate.score < best - REFINE_WITHIN)) return;
    if (candidate.theta.length === 0) return;
    const steps = isLarge ? STEPS.nearOptimum : STEPS.own;
    const { theta, value } = maximizePosterior(candidate.fit, candidate, steps, space, work);
    const score = value + candidate.warp.logJacobian;
    if (!(score > candidate.score)) return;
    candidate.theta = theta;
    candidate.score = score;
  });
}

/** Fits a candidate of an output with known noise again with this noise. */
function holdNoise(request: ModelRequest, candidate: Candidate, j: number, space: Workspace, work: Work): void {
  const noise = knownNoise(request, candidate.warp, j);
  if (noise === undefined) return;
  const fit: Fit = { ...candidate.fit, noise };
  const factorized = factorize(fit, candidate.theta, space, work);
  if (factorized === null) return;
  const { variance } = condition(factorized, fit.outputs[0]!, space);
  const theta = candidate.theta.slice();
  theta[theta.length - 1] = Math.log(noise / variance);
  const maximum = maximizePosterior(fit, { theta, inverse: candidate.inverse }, STEPS.own, space, work);
  candidate.fit = fit;
  candidate.theta = maximum.theta;
  candidate.score = maximum.value + candidate.warp.logJacobian;
}

/** Factorizes each distinct chosen kernel once and conditions the outputs on them. */
function assemble(
  request: ModelRequest,
  candidates: Candidate[][],
  space: Workspace,
  work: Work,
): Omit<Surrogate, 'support'> {
  const kernels: FittedKernel[] = [];
  const known: { theta: Float64Array; spec: KernelSpec; geometry: Geometry }[] = [];
  /** Index of the kernel of a candidate; -1 when it cannot be factorized. */
  const kernelOf = ({ fit, geometry, theta }: Candidate): number => {
    const { spec } = fit;
    const index = known.findIndex((one) => one.theta === theta && one.spec === spec && one.geometry === geometry);
    if (index >= 0) return index;
    const shared = factorize({ ...fit, geometry }, theta, space, work);
    if (shared === null) return -1;
    known.push({ theta, spec, geometry });
    return kernels.push({ spec, geometry, factorized: { ...shared, inverse: shared.inverse.slice() } }) - 1;
  };
  const outputs = candidates.map((list, j): OutputModel => {
    list.sort((a, b) => b.score - a.score);
    for (const candidate of list) {
      const { warp, trend, z } = candidate;
      const kernel = kernelOf(candidate);
      if (kernel < 0) continue;
      const factorized = kernels[kernel]!.factorized;
      const conditioned = condition(factorized, z, space, candidate.fit.noise);
      const known = Math.sqrt(conditioned.variance) * calibration(factorized, conditioned);
      const sigma = trend ? Math.hypot(known, DIFFERENCE_SD / request.geometry.N) : known;
      if (!Number.isFinite(sigma)) continue;
      return { fitted: { warp, trend, kernel, conditioned, sigma }, lower: warp.lower, upper: warp.upper };
    }
    return { fitted: null, ...constantInterval(request, j) };
  });
  return { geometry: request.geometry, kernels, outputs, coarse: request.coarse?.map(({ model }) => model) ?? [] };
}
