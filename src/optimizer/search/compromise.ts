/**
 * The best compromise of targets that cannot all be met: the input with the least worst miss in tolerances, by the measure of
 * goal/misses.ts. The search aims there once it stalls while the models expect no input to meet everything, as long as that promises a
 * smaller worst miss than that of the best run. Where the models are wrong and the targets can be met it loses little: the least worst
 * miss leads inside.
 */
import { makeFailureModel } from '../acquisition/failure-model.ts';
import { type MissUnits, WorstMiss } from '../acquisition/worst-miss.ts';
import type { Cases } from '../goal/cases.ts';
import { type Misses, makeMisses } from '../goal/misses.ts';
import { distanceTo, isLimit } from '../goal/targets.ts';
import { cutOffAt, isConstant } from '../goal/unvaried.ts';
import { squareBetween } from '../linalg/dense.ts';
import { makeRandom } from '../numerics/random.ts';
import type { Work } from '../numerics/work.ts';
import { featuresOf, movableCount } from '../space/encoding.ts';
import type { Seen } from '../space/seen.ts';
import { predictsAll } from '../surrogate/cross-validation.ts';
import type { Surrogate } from '../surrogate/model-choice.ts';
import { Predictor } from '../surrogate/predictor.ts';
import { globalScope } from '../surrogate/scope.ts';
import { applySecantCorrection } from '../surrogate/secant-correction.ts';
import { drawerIn } from './box-newton.ts';
import { bestDrawn, leastMisses } from './least-miss.ts';
import { bestDecoded, type Found } from './maximize-acquisition.ts';
import type { Prepared } from './prepare.ts';
import type { Problem } from './scope-search.ts';

/** Evaluations without progress before the search aims at a compromise: with 2 and 6, ordinary plays of simulators took more runs. */
const FIRST_STALL = 4;
/**
 * One in so many suggestions that may aim at a compromise does so where the models are no proof that the targets are out of reach: with
 * discrete inputs, as models of one material tell little about another, and where outputs oscillate and the models do not predict them.
 */
const ONE_IN = 4;
/** Evaluated points to climb from, and minima that are decoded where inputs are discrete. */
const STARTS = { evaluated: 2, decoded: 3 };
/** Least improvement that is worth a run: a share of the miss of the best run, counted from the middle of its interval. */
const WORTHWHILE = 0.005;
/** So many predicted standard deviations below its prediction a miss is held possible. */
export const OPTIMISM = 2;
/** Largest nugget of a model that is exact, relative to the variance of the process. */
const EXACT = 1e-6;
/** Cases from which an output that never varied counts as constant. */
const CONSTANT_CASES = 50;
/** A pending input this near, rms over the inputs in units of [-1, 1], is on its way to the same compromise. */
const SAME = 0.02;

/** For minima, which may be at evaluated inputs. */
const NOTHING_SEEN: Seen = { has: () => false, distinct: 0 };

/** The misses of the cases. */
export interface CaseMisses {
  readonly measure: Misses;
  /** Length N: the worst miss of each case. */
  readonly worst: Float64Array;
  /** Number of the admissible case that misses least; -1 without one. */
  readonly best: number;
}

export function missesOfCases({ request, cases }: Pick<Prepared, 'request' | 'cases'>): CaseMisses {
  const { intervals, Y, N, isAdmissible } = cases;
  const m = intervals.length;
  const measure = makeMisses(request.goal, intervals, Y, N);
  const worst = Float64Array.from({ length: N }, (_, i) => measure.worstOf(Y, i * m));
  let best = -1;
  for (let i = 0; i < N; i++) if (isAdmissible[i] === 1 && (best < 0 || worst[i]! < worst[best]!)) best = i;
  return { measure, worst, best };
}

/** An improvement of a worst miss below which nothing is gained. */
export function negligibleGain(worst: number, share = WORTHWHILE): number {
  return share * (1 + worst);
}

/** A compromise as the models of all cases expect it. */
export interface Expected {
  /** The admissible input, evaluated or not. */
  readonly input: Found;
  /** Features. */
  readonly u: Float64Array;
  /** The worst miss there, signed. */
  readonly worst: number;
  /** The signed miss of each output there; for an exact goal its distance from the centre. */
  readonly terms: Float64Array;
}

/** Deviations from the usual search for a compromise. */
export interface Otherwise {
  /** See `WorstMiss`. */
  readonly optimism?: number;
  /** In place of those of the goal. */
  readonly measure?: Partial<MissUnits>;
  /** A worst miss that need not be bettered. */
  readonly enough?: number;
  /** Features to start from first. */
  readonly likeliest?: Float64Array | null;
}

/** Finds where the worst miss is least by the models of all cases; null when the conditions leave no input. */
export function leastExpected(
  prepared: Prepared,
  misses: CaseMisses,
  { optimism = 0, measure, enough, likeliest = null }: Otherwise,
  work: Work,
): Expected | null {
  const { request, encoding, cases } = prepared;
  const { p } = encoding;
  const { U, Y } = cases;
  const surrogate = prepared.fitGlobally(work);
  const { rows, box } = globalScope(prepared, cases, request.goal);
  const predictor = new Predictor(surrogate, work);
  const center = rows.indexOf(misses.best);
  if (center >= 0) applySecantCorrection(surrogate, predictor, center);
  const own = { ...misses.measure, l1: request.goal.l1 };
  const aim = new WorstMiss(surrogate, predictor, { ...own, ...measure }, Y, makeFailureModel(cases, p), optimism);
  const random = makeRandom(request.seed, 21, request.history.count);
  const draw = drawerIn(box, random);
  const order = Array.from(rows).sort((a, b) => misses.worst[a]! - misses.worst[b]! || a - b);
  function* starts() {
    if (likeliest) yield likeliest;
    for (const i of order.slice(0, STARTS.evaluated)) yield U.slice(i * p, (i + 1) * p);
    yield* bestDrawn(aim, draw);
  }
  const maxima = leastMisses(aim, box, starts(), work, enough).slice(
    0,
    encoding.discrete.includes(1) ? STARTS.decoded : 1,
  );
  const search = { encoding, acquisition: aim, sigma: predictor.sigma, box, evaluated: [], isExpensive: false };
  const input = bestDecoded(
    { ...search, seen: NOTHING_SEEN, random, work },
    maxima.map(({ u }) => u),
  );
  if (input === null) return null;
  const u = featuresOf(encoding, input.x);
  aim.evaluate(u);
  return { input, u, worst: aim.worst, terms: aim.terms.slice() };
}

/**
 * The input at the best compromise that the models expect, as long as that promises a smaller worst miss than the best run. From then on,
 * every other time, the input at the best one that they hold possible, which finds what they do not know or shows that nothing is there.
 * null while the models hold it possible to meet the targets, and where a compromise is no aim. Comes with every other evaluation at most.
 *
 * @param likeliest features of the input most likely to meet the targets; null for none
 */
export function nextCompromise(problem: Problem, likeliest: Float64Array | null): Found | null {
  const { request, cases, pending } = problem;
  const turn = (cases.stall >> 1) + pending.count;
  if (!isSought(problem) || (turn % ONE_IN !== 0 && !areModelsProof(problem))) return null;
  const misses = missesOfCases(problem);
  const { best, worst } = misses;
  if (best < 0 || worst[best] === 0) return null;
  const work: Work = { spent: 0, limit: request.workLimit };
  const negligible = negligibleGain(worst[best]!);
  const possible = leastExpected(problem, misses, { optimism: OPTIMISM, enough: 0, likeliest }, work);
  if (possible === null || !(possible.worst > 0)) return null;
  const expected = leastExpected(problem, misses, {}, work);
  if (expected !== null && worst[best]! - expected.worst >= negligible) return unlessKnown(problem, expected);
  if (turn % 2 === 1) return null;
  return worst[best]! - possible.worst >= negligible ? unlessKnown(problem, possible) : null;
}

/** Whether the models may show that the targets are out of reach, see `ONE_IN`. */
function areModelsProof({ request, encoding, fitGlobally }: Problem): boolean {
  if (encoding.discrete.includes(1)) return false;
  return predictsAll(fitGlobally({ spent: 0, limit: request.workLimit }), movableCount(encoding));
}

/** Whether a compromise may be an aim: the search is for one run that meets limits, and stalls. */
export function isSought(problem: Problem): boolean {
  const { encoding, cases } = problem;
  const hasLimits = cases.intervals.some(isLimit);
  return hasLimits && cases.stall >= FIRST_STALL && cases.N >= movableCount(encoding) + 2 && isOneRunSought(problem);
}

/** Whether the search is for one run that tells the value of its input. */
export function isOneRunSought({ request, aim }: Problem): boolean {
  return aim.noise === null && aim.doesRunDecide && (request.solutions?.found.length ?? 0) === 0;
}

/** Whether no model takes a part of its output for noise, as it does with ripples whose valleys it then does not know. */
export function areModelsExact({ kernels, outputs }: Surrogate): boolean {
  return outputs.every(({ fitted }) => fitted === null || kernels[fitted.kernel]!.factorized.nugget < EXACT);
}

/** Whether so many cases agree that an output which never varied is a constant. */
export function areConstant({ N }: Pick<Cases, 'N'>): boolean {
  return N >= CONSTANT_CASES;
}

/** Kind of the outputs that case i misses and that hide what can be reached, as unknown inputs may move them; null without any. */
export function hiddenFrom(
  { cases }: Pick<Prepared, 'cases'>,
  { outputs }: Surrogate,
  i: number,
): 'constant' | 'cut-off' | null {
  const { intervals, Y, N } = cases;
  const m = intervals.length;
  // Nothing tells the way off such values, as from the time limit of what never settles.
  const isCutOff = (j: number) => {
    const value = cutOffAt(cases, j);
    if (value === null) return false;
    const distance = distanceTo(intervals[j]!, value);
    for (let row = 0; row < N; row++) if (distanceTo(intervals[j]!, Y[row * m + j]!) < distance) return true;
    return false;
  };
  const missed = missedIn(cases, i);
  if (missed.some(isCutOff)) return 'cut-off';
  return !areConstant(cases) && missed.some((j) => outputs[j]!.fitted === null) ? 'constant' : null;
}

/** Whether a target is missed by an output that is the same in all cases, which are too few to take it for a constant. */
export function missesConstant(cases: Cases): boolean {
  return cases.N > 0 && !areConstant(cases) && missedIn(cases, 0).some((j) => isConstant(cases, j));
}

/** The limits that case i misses. */
function missedIn({ intervals, Y }: Cases, i: number): readonly number[] {
  const m = intervals.length;
  return [...intervals.keys()].filter((j) => isLimit(intervals[j]!) && distanceTo(intervals[j]!, Y[i * m + j]!) > 0);
}

/** The input, unless it was evaluated or a pending one is near it. */
export function unlessKnown({ seen, pending }: Problem, { input, u }: Expected): Found | null {
  return seen.has(input.x) || isOnItsWay(pending.U, u) ? null : input;
}

function isOnItsWay(pending: Float64Array, u: Float64Array): boolean {
  const p = u.length;
  for (let i = 0; i < pending.length; i += p) {
    if (squareBetween(pending.subarray(i, i + p), u) < SAME ** 2 * p) return true;
  }
  return false;
}
