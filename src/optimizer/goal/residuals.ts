/**
 * A fit as a search for small residuals. The outputs of the data sets give way to residuals in standard errors, which are to come near
 * to 0; of many points their principal components do. Outputs that count nothing are dropped.
 *
 * Everything is taken at the run with the least misfit so far: unknown standard errors are the root mean square of its residuals, and a
 * robust loss becomes weights, which bound it from above and touch it there (iteratively reweighted least squares). So a run with
 * a smaller sum of squares has a smaller misfit, and both have the same minimum.
 *
 * Source of the components: Higdon, Gattiker, Williams and Rightley 2008, Computer model calibration using high-dimensional output,
 * Journal of the American Statistical Association 103.
 */
import { type FitGoal, LOSSES, misfitOf, residualsOf, scaleOf, sumOfSquares } from '../../numbers/misfit.ts';
import type { Goal, History, SuggestRequest, Target } from '../interface/problem.ts';
import { symmetricEigen } from '../linalg/eigen.ts';
import { lossesOf, meetsLimits, toIntervals } from './targets.ts';

/** Up to so many points each residual has a model of its own. */
const MOST_POINTS = 30;
/** At most so many components, found in at most so many runs, the best ones. */
const MOST_COMPONENTS = 20;
const MOST_RUNS = 60;
/** A component that varies by less over the runs, in standard errors, is left out as noise. */
const LEAST_VARIATION = 0.02;

/** A sum of squares up to so many standard deviations above its expectation is explained by the standard errors. */
const EXPLAINED = 1.5;
/** Residuals that a robust loss is for: beyond so many standard errors, at most so large a share. */
const OUTLYING = { beyond: 3, share: 0.25 };

/** Correspondence between outputs and residuals. */
export interface Residuals {
  /** Number of the outputs that are no part of a fit and have targets; they come first among the new ones. */
  readonly kept: readonly number[];
  /** Number of the outputs that they replace. */
  readonly outputCount: number;
  /** The output and the value of each point, and the factor that makes a difference a residual. */
  readonly points: readonly { readonly output: number; readonly value: number; readonly factor: number }[];
  /** q x P: row k holds component k, of length 1; null where each residual stands for itself. */
  readonly components: Float64Array | null;
  /** Row of the history with the least misfit among the runs that meet the targets, else of the nearest to them. */
  readonly best: number;
  /** Its sum of squares, of which components may leave out a part, and that part. */
  readonly sumOfSquares: number;
  readonly leftOut: number;
  /** Length P: of its residuals, what the components leave out. */
  readonly leftOutAtBest: Float64Array;
  /** Whether all standard errors were stated. */
  readonly isScaleKnown: boolean;
  /** Whether the standard errors, which are all known, explain its misfit. */
  readonly isExplained: boolean;
}

export interface ResidualRequest {
  readonly request: SuggestRequest;
  readonly residuals: Residuals;
}

/** The same search over residuals; null without a fit, and before a run succeeded. */
export function withResiduals(request: SuggestRequest): ResidualRequest | null {
  const { goal, history } = request;
  const fits = goal.fits ?? [];
  if (fits.length === 0) return null;
  const kept = keptOutputs(goal);
  const needed = [...kept, ...fits.flatMap(({ outputs }) => outputs)];
  const usable = usableRows(history, goal.targets.length, needed);
  const best = bestRow(goal, history, kept, usable);
  if (best < 0) return null;
  const m = goal.targets.length;
  const points = fits.flatMap((fit) => pointsOf(fit, history.Y, best * m));
  const atBest = residualsAt({ points }, history.Y, best * m);
  const components = points.length > MOST_POINTS ? componentsOf(goal, history, points, usable, atBest) : null;
  const total = sumOfSquares(atBest);
  const leftOutAtBest = remainder(components, atBest);
  const leftOut = sumOfSquares(leftOutAtBest);
  const isScaleKnown = fits.every(({ sigmas }) => sigmas !== null);
  const isExplained = isExplainedAt(fits, history.Y, best * m);
  const residuals = {
    outputCount: m,
    kept,
    points,
    components,
    best,
    sumOfSquares: total,
    leftOut,
    leftOutAtBest,
    isScaleKnown,
    isExplained,
  };
  return { request: replaced(request, residuals, new Set(usable)), residuals };
}

/** The outputs that are no part of a fit and have targets or are to be predicted. */
function keptOutputs({ targets, fits = [], predictsAll = false }: Goal): number[] {
  const fitted = new Set(fits.flatMap(({ outputs }) => outputs));
  return Array.from(targets.keys()).filter((j) => !fitted.has(j) && (predictsAll || hasEnds(targets[j]!)));
}

function hasEnds({ lower, upper, direction }: Target): boolean {
  return direction !== 'none' || Number.isFinite(lower) || Number.isFinite(upper);
}

function usableRows({ count, failed, Y }: History, m: number, needed: readonly number[]): number[] {
  return Array.from({ length: count }, (_, i) => i).filter(
    (i) => failed[i] === 0 && needed.every((j) => Number.isFinite(Y[i * m + j]!)),
  );
}

function bestRow(goal: Goal, { Y }: History, kept: readonly number[], usable: readonly number[]): number {
  const m = goal.targets.length;
  const values = Float64Array.from(usable.flatMap((i) => kept.map((j) => Y[i * m + j]!)));
  const limits = { ...goal, targets: kept.map((j) => goal.targets[j]!) };
  const intervals = kept.length === 0 ? [] : toIntervals({ targets: limits.targets, l1: null }, values, usable.length);
  const misses = kept.length === 0 ? null : lossesOf(intervals, values, usable.length);
  let best = -1;
  let least = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] as const;
  usable.forEach((i, k) => {
    const miss = meetsLimits(intervals, values, k * kept.length) ? 0 : misses![k]!;
    const misfit = misfitOf(goal.fits!, Y, i * m);
    if (best >= 0 && (miss > least[0] || (miss === least[0] && misfit >= least[1]))) return;
    [best, least] = [i, [miss, misfit]];
  });
  return best;
}

/** Checks the fits one by one; with a robust loss, residuals beyond `OUTLYING` are set aside, up to their share. */
function isExplainedAt(fits: readonly FitGoal[], Y: Float64Array, offset: number): boolean {
  const squares = fits.flatMap((fit) => {
    if (fit.sigmas === null) return Number.POSITIVE_INFINITY;
    const own = Array.from(residualsOf(fit, Y, offset), (r) => r * r).sort((a, b) => a - b);
    const least = fit.loss === 'linear' ? own.length : Math.ceil((1 - OUTLYING.share) * own.length);
    return own.filter((square, i) => i < least || square <= OUTLYING.beyond ** 2);
  });
  const sum = squares.reduce((one, other) => one + other, 0);
  return sum <= squares.length + EXPLAINED * Math.sqrt(2 * squares.length);
}

/** The points of a data set, with the factors that hold at the outputs from `offset` on. */
function pointsOf(fit: FitGoal, Y: Float64Array, offset: number): Residuals['points'] {
  const residuals = residualsOf(fit, Y, offset);
  const scale = fit.sigmas === null ? scaleOf(fit, residuals) : 1;
  const { slope } = LOSSES[fit.loss];
  return fit.outputs.map((output, i) => {
    const weight = fit.weight * (fit.sigmas === null ? 1 : slope(residuals[i]! ** 2));
    return { output, value: fit.values[i]!, factor: Math.sqrt(weight) / (fit.sigmas?.[i] ?? scale) };
  });
}

/** Length P: the residuals of one run. */
function residualsAt({ points }: Pick<Residuals, 'points'>, Y: ArrayLike<number>, offset: number): Float64Array {
  return Float64Array.from(points, ({ output, value, factor }) => (Y[offset + output]! - value) * factor);
}

/**
 * The components in which the residuals of the best runs differ: those of the matrix of all pairs of runs. The last one is the direction of
 * what the others leave out of the residuals at the best run, so that no change of the misfit around it is left out to first order.
 *
 * @param atBest length P
 */
function componentsOf(
  goal: Goal,
  { Y }: History,
  points: Residuals['points'],
  usable: readonly number[],
  atBest: Float64Array,
): Float64Array {
  const m = goal.targets.length;
  const P = points.length;
  const misfit = new Map(usable.map((i) => [i, misfitOf(goal.fits!, Y, i * m)]));
  const rows = usable.toSorted((a, b) => misfit.get(a)! - misfit.get(b)! || a - b).slice(0, MOST_RUNS);
  const R = rows.map((i) => residualsAt({ points }, Y, i * m));
  const mean = Float64Array.from({ length: P }, (_, k) => R.reduce((sum, r) => sum + r[k]! / R.length, 0));
  for (const r of R) for (let k = 0; k < P; k++) r[k]! -= mean[k]!;
  const N = R.length;
  const G = new Float64Array(N * N);
  for (let a = 0; a < N; a++) for (let b = 0; b <= a; b++) G[a * N + b] = G[b * N + a] = dotOf(R[a]!, R[b]!);
  const { values, vectors } = symmetricEigen(G, N);
  const least = N * LEAST_VARIATION ** 2 + 1e-13 * values[N - 1]!;
  const found: Float64Array[] = [];
  for (let k = N - 1; k >= 0 && found.length < MOST_COMPONENTS && values[k]! > least; k--) {
    const v = new Float64Array(P);
    R.forEach((r, a) => {
      const share = vectors[k * N + a]! / Math.sqrt(values[k]!);
      for (let i = 0; i < P; i++) v[i]! += share * r[i]!;
    });
    found.push(v);
  }
  const rest = remainder(inRows(found), atBest);
  const length = Math.sqrt(dotOf(rest, rest));
  if (found.length < N - 1 && length > 0) found.push(rest.map((share) => share / length));
  if (found.length === 0) found.push(firstUnit(P));
  return inRows(found);
}

function inRows(vectors: readonly Float64Array[]): Float64Array {
  return Float64Array.from(vectors.flatMap((v) => Array.from(v)));
}

/** An arbitrary direction for runs that do not differ, so that there is an output. */
function firstUnit(P: number): Float64Array {
  const v = new Float64Array(P);
  v[0] = 1;
  return v;
}

function dotOf(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k]! * b[k]!;
  return sum;
}

/** The request with residuals in place of the outputs of its fits. Runs that are not usable count as failed. */
function replaced(request: SuggestRequest, residuals: Residuals, usable: ReadonlySet<number>): SuggestRequest {
  const { goal, history } = request;
  const { kept, points, components } = residuals;
  const m = goal.targets.length;
  const q = components ? components.length / points.length : points.length;
  const width = kept.length + q;
  const Y = new Float64Array(history.count * width);
  const failed = history.failed.slice();
  for (let i = 0; i < history.count; i++) {
    if (!usable.has(i)) {
      failed[i] = 1;
      continue;
    }
    kept.forEach((j, k) => {
      Y[i * width + k] = history.Y[i * m + j]!;
    });
    Y.set(projected(residuals, residualsAt(residuals, history.Y, i * m)), i * width + kept.length);
  }
  const datum: Target = { lower: 0, upper: 0, lowerOpen: false, upperOpen: false, direction: 'none', sigma: 1 };
  const targets = [...kept.map((j) => goal.targets[j]!), ...Array.from({ length: q }, () => datum)];
  // Runs of cheaper sources have the outputs, not the residuals: a fit does without them.
  const { coarse: _, ...rest } = request;
  return {
    ...rest,
    goal: { targets, l1: null, ...orderOf(goal, kept, q) },
    history: { ...history, Y, failed, ...jacobianOf(request, residuals, usable) },
    ...noiseOf(request, residuals, q),
  };
}

/** The derivatives of the outputs that stay and of the residuals, or of their components; unknown where one of a component is. */
function jacobianOf(
  { goal, history, space }: SuggestRequest,
  { kept, points, components }: Residuals,
  usable: ReadonlySet<number>,
): Pick<History, 'jacobian'> {
  const { jacobian, count } = history;
  if (!jacobian) return {};
  const m = goal.targets.length;
  const n = space.variables.length;
  const width = kept.length + (components ? components.length / points.length : points.length);
  const out = new Float64Array(count * width * n).fill(Number.NaN);
  for (const i of usable) {
    for (let v = 0; v < n; v++) {
      const by = (j: number) => jacobian[(i * m + j) * n + v]!;
      const own = projected(
        { components },
        Float64Array.from(points, ({ output, factor }) => by(output) * factor),
      );
      const column = [...kept.map(by), ...own];
      for (let k = 0; k < width; k++) out[(i * width + k) * n + v] = column[k]!;
    }
  }
  return { jacobian: out };
}

/** Length P: the part of residuals that no component has. */
function remainder(components: Float64Array | null, r: Float64Array): Float64Array {
  if (components === null) return new Float64Array(r.length);
  const P = r.length;
  const rest = r.slice();
  projected({ components }, r).forEach((share, k) => {
    for (let i = 0; i < P; i++) rest[i]! -= share * components[k * P + i]!;
  });
  return rest;
}

/** Length q: the residuals, or their components. */
function projected({ components }: Pick<Residuals, 'components'>, r: Float64Array): Float64Array {
  if (components === null) return r;
  const P = r.length;
  return Float64Array.from({ length: components.length / P }, (_, k) =>
    dotOf(components.subarray(k * P, (k + 1) * P), r),
  );
}

/** Weights and priorities of the outputs that stay; the weight of a data set is in its residuals. */
function orderOf(
  { weights, priorities }: Goal,
  kept: readonly number[],
  q: number,
): Pick<Goal, 'weights' | 'priorities'> {
  const take = (list: readonly number[], other: number) => [
    ...kept.map((j) => list[j]!),
    ...new Array<number>(q).fill(other),
  ];
  return {
    ...(weights && { weights: take(weights, 1) }),
    ...(priorities && { priorities: take(priorities, Math.max(...priorities)) }),
  };
}

/** Known noise of the runs, in standard errors of the data; of components that of a weighted sum. */
function noiseOf(
  { noise }: SuggestRequest,
  { kept, points, components }: Residuals,
  q: number,
): Pick<SuggestRequest, 'noise'> {
  const sds = noise?.standardDeviations;
  if (!noise || !sds) return noise ? { noise } : {};
  const P = points.length;
  const ofPoints = points.map(({ output, factor }) => sds[output]! * factor);
  const ofComponent = (k: number) =>
    Math.sqrt(ofPoints.reduce((sum, sd, i) => sum + (sd * components![k * P + i]!) ** 2, 0));
  const ofResiduals = components ? Array.from({ length: q }, (_, k) => ofComponent(k)) : ofPoints;
  return { noise: { ...noise, standardDeviations: [...kept.map((j) => sds[j]!), ...ofResiduals] } };
}
