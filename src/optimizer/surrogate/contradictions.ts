/**
 * Cases that everything else contradicts: a slip of the pen, a misplaced decimal point, a placeholder, a rig that was set up wrongly.
 * One such case bends the models everywhere, so it is left out of all that a suggestion learns from. Nothing is remembered:
 * further cases may show that it was right.
 *
 * Repeats are proof. Of cases at one input that disagree at most one is right, unless the runs are noisy: then repeats differ as
 * a rule, and by little. Elsewhere, relevance pursuit names the cases to doubt, and models of all others decide: a
 * doubted case is contradicted when it is many spreads away from what they predict. Steep but true responses, poles and jumps
 * seldom are, see `ASKED`.
 */
import { type Cases, collectCases } from '../goal/cases.ts';
import { repeatsIn } from '../goal/repeats.ts';
import { absurdFrom } from '../goal/sentinels.ts';
import { bestOf } from '../goal/targets.ts';
import { cutOffAt } from '../goal/unvaried.ts';
import type { SuggestRequest } from '../interface/problem.ts';
import { squareBetweenRows } from '../linalg/dense.ts';
import type { Work } from '../numerics/work.ts';
import { movableCount } from '../space/encoding.ts';
import type { SearchSpace } from '../space/search-space.ts';
import { averageOver, type Clusters, clustersOf, residualsOf } from './cross-validation.ts';
import type { Points } from './kernels.ts';
import { type CoarseModel, MANY_INPUTS, type Surrogate } from './model-choice.ts';
import { Predictor } from './predictor.ts';
import { doubtsAmong } from './relevance-pursuit.ts';
import { fitScope, globalScope, type KnownCases } from './scope.ts';

/**
 * Spreads away from a prediction that contradict a case, with at least 2 n + 4 other cases, and the least spread in standard
 * deviations of an output. Cautious where one length scale serves many inputs, and where runs are said to be noisy.
 */
const ASKED = { bold: { spreads: 10, floor: 1e-3 }, cautious: { spreads: 100, floor: 0.2 } };
/** With fewer others than `enoughFor` more spreads are asked for, by this power of the ratio. */
const FEW = 4;
/** Then only cases that raise the log evidence by so much are worth models of the others. */
const LEAST_GAIN = 12;
/** Share of the evidence that suffices for further cases once one is contradicted, as others are then likely to be. */
const LEAST_AFTER_ONE = 0.4;
/** Spreads away from a prediction that contradict all cases at one input that disagree. */
const ASKED_OF_REPEATS = 5;
/** The case nearest to the goal is contradicted only by others this close, as a share of their usual distance from each other. */
const CLOSE_BY = 0.5;
/** Cases needed beyond half the number of inputs: with fewer the test has no power. */
const LEAST_CASES = 3;
/** Inputs are equal whose features differ by less. */
const SAME_INPUT = 1e-9;
/** Outputs are equal that differ by less than this share of their standard deviation. */
const SAME_OUTPUT = 1e-6;
/** Repeats of noisy runs differ by less than this share of the standard deviation of an output. */
const LARGEST_NOISE = 0.3;

/** A case that is left out. */
export interface SetAside {
  /** Row of the history. */
  readonly row: number;
  /** The output that speaks most against it. */
  readonly output: number;
  /** Prediction of that output by the models of the others; null for an absurd value. */
  readonly predicted: number | null;
  /** Rows at the same input with other outputs. */
  readonly repeats: readonly number[];
  /** Whether such repeats are all that was run twice: noise may explain them as well as a mistake. */
  readonly mayBeNoise: boolean;
}

/** Result of holding the cases of a request against each other. */
export interface Examined {
  /** Without those set aside. */
  readonly cases: KnownCases;
  readonly setAside: readonly SetAside[];
  /** Rows at inputs that were run repeatedly with different outputs, where most repeats differ: the runs are noisy. */
  readonly noisyRepeats: readonly (readonly number[])[];
  /** The models of the global scope of these cases, where they were needed already. */
  readonly fit: { readonly surrogate: Surrogate; readonly spent: number } | null;
}

/** Finds the cases that all others contradict. */
export function examine(request: SuggestRequest, space: SearchSpace, coarse: readonly CoarseModel[] = []): Examined {
  const collected = (left?: ReadonlySet<number>): KnownCases => ({
    ...collectCases(request, space.encoding, space.conditions, left),
    coarse,
  });
  const all = collected();
  const absurd = absurdCases(all);
  const without = collected;
  const rows = new Set(absurd.map(({ row }) => row));
  const cases = rows.size > 0 ? without(rows) : all;
  const found = contradictedIn(request, space, cases, (left) => without(new Set([...rows, ...left])));
  return { ...found, setAside: [...absurd, ...found.setAside] };
}

/**
 * Cases with one absurd value, in one output or in several. Several different ones are an event, such as a reactor that runs
 * away.
 */
function absurdCases(cases: Cases): SetAside[] {
  return absurdOutputs(cases).flatMap((outputs, i): SetAside[] =>
    outputs.length > 0 && !isEvent(cases, i, outputs)
      ? [{ row: cases.rows[i]!, output: outputs[0]!, predicted: null, repeats: [], mayBeNoise: false }]
      : [],
  );
}

/** Length N: the outputs of each case that are absurd. */
function absurdOutputs({ N, Y, rows, intervals }: Cases): number[][] {
  const m = intervals.length;
  const limits = intervals.map(({ center }, j) =>
    absurdFrom(
      Float64Array.from({ length: N }, (_, i) => Y[i * m + j]!),
      Math.abs(center),
    ),
  );
  return rows.map((_, i) => limits.flatMap((limit, j) => (Math.abs(Y[i * m + j]!) >= limit ? [j] : [])));
}

function isEvent({ Y, intervals }: Cases, i: number, absurd: readonly number[]): boolean {
  return new Set(absurd.map((j) => Y[i * intervals.length + j]!)).size > 1;
}

/** The same where no value is absurd. @param without the cases without further rows */
function contradictedIn(
  request: SuggestRequest,
  space: SearchSpace,
  cases: KnownCases,
  without: (left: ReadonlySet<number>) => KnownCases,
): Examined {
  const n = movableCount(space.encoding);
  const repeats = request.noise ? [] : repeatsOf(cases, space.encoding.p);
  const groups = repeats.filter((members) => members.some((i) => !agree(cases, members[0]!, i)));
  const isNoisy = 2 * groups.length > repeats.length && differLittle(cases, groups);
  const noisyRepeats = isNoisy ? groups.map((members) => members.map((i) => cases.rows[i]!)) : [];
  const nothing: Examined = { cases, setAside: [], noisyRepeats, fit: null };
  const disagreeing = isNoisy ? [] : groups;
  const mayBeNoise = !repeats.some((members) => isRepeatable(cases, members, request.firstSuggested - 1));
  const proven = new Set(disagreeing.flat());
  const doubted = doubtedIn(request, space, cases, proven);
  const suspects = [...proven, ...doubted];
  if (suspects.length === 0 || cases.N - suspects.length < LEAST_CASES + n / 2) return nothing;
  const others = without(new Set(suspects.map((i) => cases.rows[i]!)));
  const work: Work = { spent: 0, limit: request.workLimit };
  const surrogate = fitScope(space.encoding, others, globalScope(space, others, request.goal), others.stall, work);
  const judge = makeJudge(request, space, cases, others, surrogate);
  const judged = doubted.map((i) => ({ i, ...judge.of(i) }));
  const isOneWrong = judged.some(({ spreads }) => spreads >= judge.asked);
  const least = isOneWrong ? LEAST_AFTER_ONE * judge.asked : judge.asked;
  const setAside = [
    ...judged.flatMap(({ i, output, predicted, spreads }) =>
      spreads >= least ? [{ row: cases.rows[i]!, output, predicted, repeats: [], mayBeNoise: false }] : [],
    ),
    ...disagreeing.flatMap((members) => wrongAmong(cases, members, judge)).map((one) => ({ ...one, mayBeNoise })),
  ];
  if (setAside.length === 0) return nothing;
  const isAll = setAside.length === suspects.length;
  return {
    cases: isAll ? others : without(new Set(setAside.map(({ row }) => row))),
    setAside: setAside.sort((a, b) => a.row - b.row),
    noisyRepeats,
    fit: isAll ? { surrogate, spent: work.spent } : null,
  };
}

/** The cases at each input that was run repeatedly. */
function repeatsOf({ U, N }: Cases, p: number): (readonly number[])[] {
  const rounded = U.map((u) => Math.round(u / SAME_INPUT));
  return repeatsIn(rounded, p, N).flatMap(({ members }) => (members.length > 1 ? [members] : []));
}

/** Whether some runs at an input agree. @param initial the row that may be a copy of a case instead of a run */
function isRepeatable(cases: Cases, members: readonly number[], initial: number): boolean {
  const runs = members.filter((i) => cases.rows[i] !== initial);
  return runs.some((i, k) => runs.slice(k + 1).some((other) => agree(cases, i, other)));
}

function agree({ Y, N, intervals }: Cases, a: number, b: number): boolean {
  const m = intervals.length;
  return intervals.every((_, j) => {
    const difference = Math.abs(Y[a * m + j]! - Y[b * m + j]!);
    return difference === 0 || difference <= SAME_OUTPUT * deviation(Y, m, j, N);
  });
}

function deviation(Y: Float64Array, m: number, j: number, N: number): number {
  let mean = 0;
  for (let i = 0; i < N; i++) mean += Y[i * m + j]! / N;
  let sum = 0;
  for (let i = 0; i < N; i++) sum += (Y[i * m + j]! - mean) ** 2 / N;
  return Math.sqrt(sum);
}

/** Whether repeats differ more than once, and by little: by noise. */
function differLittle(cases: Cases, groups: readonly (readonly number[])[]): boolean {
  if (groups.reduce((sum, members) => sum + members.length - 1, 0) < 2) return false;
  const members = groups.flat();
  const inGroup = new Set(members);
  const m = cases.intervals.length;
  return cases.intervals.every((_, j) => {
    const value = (i: number) => cases.Y[i * m + j]!;
    const others = Float64Array.from(cases.rows.keys())
      .filter((i) => !inGroup.has(i))
      .map(value);
    const within = groups.map((group) => deviation(Float64Array.from(group, value), 1, 0, group.length));
    return Math.max(...within) <= LARGEST_NOISE * deviation(others, 1, 0, others.length);
  });
}

/** The cases that models do not explain; none where they are too many to be mistakes, or the others too few to tell. */
function doubtedIn(
  request: SuggestRequest,
  space: SearchSpace,
  cases: Cases,
  proven: ReadonlySet<number>,
): readonly number[] {
  const n = movableCount(space.encoding);
  if (cases.N - proven.size <= LEAST_CASES + n / 2) return [];
  const { rows } = globalScope(space, cases, request.goal);
  const absurd = absurdOutputs(cases);
  const among = Array.from(rows).filter((i) => !proven.has(i) && absurd[i]!.length === 0);
  return doubtsAmong(space.encoding, cases, among, LEAST_GAIN);
}

/** Number of other cases that suffice to judge one with n movable inputs. */
function enoughFor(n: number): number {
  return 5 * n + 2;
}

interface Judgement {
  /** The output that speaks most against the case. */
  readonly output: number;
  readonly predicted: number;
  /** Distance from the prediction, in spreads. */
  readonly spreads: number;
}
interface Judge {
  readonly of: (i: number) => Judgement;
  /** Spreads that contradict a case, and all cases at one input that disagree. */
  readonly asked: number;
  readonly askedOfRepeats: number;
}

/** Judges cases by the models of others. */
function makeJudge(
  request: SuggestRequest,
  { encoding }: SearchSpace,
  cases: Cases,
  others: Cases,
  surrogate: Surrogate,
): Judge {
  const { p } = encoding;
  const m = cases.intervals.length;
  const isCautious = request.noise !== undefined || movableCount(encoding) > MANY_INPUTS;
  const { spreads: asked, floor } = isCautious ? ASKED.cautious : ASKED.bold;
  const predictor = new Predictor(surrogate, { spent: 0, limit: request.workLimit });
  const usual = usualDistance(surrogate.geometry);
  const nearest = bestOf(cases.loss);
  const n = movableCount(encoding);
  const clusters = clustersOf(surrogate, n);
  const errors = errorsOf(surrogate, clusters);
  const few = Math.max(1, enoughFor(n) / clusters.length);
  // Flat outside some part, such as an overshoot, or cut off, as by a time limit: this predicts nothing of the values in that part.
  const isFlat = others.intervals.map(({ center }, j) => {
    const scale = Math.abs(center) || deviation(cases.Y, m, j, cases.N);
    return deviation(others.Y, m, j, others.N) <= SAME_OUTPUT * scale || cutOffAt(others, j) !== null;
  });
  // A logarithm refuses zero and negative values, and is sure of small ones: an honest zero would be far from them.
  const least = errors.map((_, j) => ASKED.cautious.floor * deviation(cases.Y, m, j, cases.N));
  const of = (i: number) => {
    const u = cases.U.subarray(i * p, (i + 1) * p);
    predictor.predict(u);
    const widths = errors.map((error, j) => predictor.sigma[j]! + error + floor);
    const distance = distanceFrom(surrogate.geometry, u) / usual;
    const remote = i === nearest && distance > CLOSE_BY ? Number.POSITIVE_INFINITY : Math.max(1, distance);
    let worst: Judgement = { output: 0, predicted: Number.NaN, spreads: 0 };
    surrogate.outputs.forEach(({ fitted }, j) => {
      if (!fitted || isFlat[j]) return;
      const y = cases.Y[i * m + j]!;
      const at = (sign: number) => fitted.warp.fromZ(predictor.mean[j]! + sign * widths[j]!);
      const z = Math.abs(fitted.warp.toZ(y) - predictor.mean[j]!) / widths[j]!;
      const away = Number.isFinite(z) ? z : Math.abs(y - at(0)) / Math.max((at(1) - at(-1)) / 2, least[j]!);
      const spreads = away / remote;
      if (spreads > worst.spreads) worst = { output: j, predicted: at(0), spreads };
    });
    return worst;
  };
  return { of, asked: asked * few ** FEW, askedOfRepeats: ASKED_OF_REPEATS * few };
}

/**
 * Length m: the root mean square error of each model at clusters of cases left out, in its standardized units. Cases left out one by
 * one would vouch for each other.
 */
function errorsOf(surrogate: Surrogate, clusters: Clusters): Float64Array {
  return Float64Array.from(surrogate.outputs, (_, j) => {
    const residuals = residualsOf(surrogate, clusters, j);
    if (residuals === null) return 0;
    return Math.sqrt(averageOver(clusters, (i) => (Number.isNaN(residuals[i]!) ? 0 : residuals[i]! ** 2)));
  });
}

/** Root mean square distance of a case from the nearest other one: predictions farther away are extrapolations. */
function usualDistance({ U, N, p }: Points): number {
  let sum = 0;
  for (let i = 0; i < N; i++) {
    let nearest = Number.POSITIVE_INFINITY;
    for (let k = 0; k < N; k++) if (k !== i) nearest = Math.min(nearest, squareBetweenRows(U, p, i, k));
    sum += nearest / N;
  }
  return Math.sqrt(sum);
}

function distanceFrom({ U, N }: Points, u: Float64Array): number {
  let nearest = Number.POSITIVE_INFINITY;
  for (let k = 0; k < N; k++) {
    let square = 0;
    for (let f = 0; f < u.length; f++) square += (U[k * u.length + f]! - u[f]!) ** 2;
    nearest = Math.min(nearest, square);
  }
  return Math.sqrt(nearest);
}

/** All cases at one input but those that fit the others best; these too if the others contradict them. */
function wrongAmong(cases: Cases, members: readonly number[], judge: Judge): Omit<SetAside, 'mayBeNoise'>[] {
  const judged = members.map((i) => {
    const supporters = members.filter((k) => agree(cases, i, k)).length;
    return { i, ...judge.of(i), supporters };
  });
  const best = judged.toSorted((a, b) => a.spreads / a.supporters - b.spreads / b.supporters)[0]!;
  const isBestWrong = best.spreads >= judge.askedOfRepeats;
  return judged.flatMap(({ i, output, predicted }) => {
    if (!isBestWrong && agree(cases, i, best.i)) return [];
    const repeats = members.filter((k) => !agree(cases, i, k)).map((k) => cases.rows[k]!);
    return [{ row: cases.rows[i]!, output, predicted, repeats }];
  });
}
