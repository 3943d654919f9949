import { Acquisition, type Aim, intervalAims } from '../acquisition/acquisition.ts';
import { makeFailureModel } from '../acquisition/failure-model.ts';
import { byLoss, type Interval, isDirected, meetsLimits, unweighted } from '../goal/targets.ts';
import type { Proposal } from '../interface/problem.ts';
import { joined } from '../linalg/dense.ts';
import { makeRandom } from '../numerics/random.ts';
import type { Work } from '../numerics/work.ts';
import { decode, featuresOf, movableCount } from '../space/encoding.ts';
import { drawFarthest, drawUnseen } from '../space/seen.ts';
import { expectedRanges } from '../surrogate/expected-range.ts';
import type { Surrogate } from '../surrogate/model-choice.ts';
import { Predictor } from '../surrogate/predictor.ts';
import { fitScope, globalScope, type Scope } from '../surrogate/scope.ts';
import { applySecantCorrection } from '../surrogate/secant-correction.ts';
import { missesConstant, nextCompromise } from './compromise.ts';
import { bestFeasible, expectsNoImprovement, hasStagnated, improvementAims, seeksLimits } from './directed-outputs.ts';
import { atTheEdge } from './edge-of-reach.ts';
import { imaginePending } from './imagined.ts';
import { nextImprovement } from './improvement.ts';
import { bestFit } from './least-misfit.ts';
import { localRegion, localRound } from './local-mode.ts';
import type { Found } from './maximize-acquisition.ts';
import { withRelaxedLimits } from './relaxed-limits.ts';
import { currentRegion, restartRegion, startsAtBest } from './restarts.ts';
import { makeScopeSearch, type Problem, type ScopeSearch } from './scope-search.ts';
import { trustRegionPoint } from './trust-region-turn.ts';
import { trustedRegion } from './trusted-region.ts';

type Outcome = Found | 'no-improvement-expected' | null;

/** The next input, or why there is none. */
export type NextInput =
  | (Found & Pick<Extract<Proposal, { kind: 'candidate' }>, 'expected' | 'chance'>)
  | Exclude<Outcome, Found>;

/** Log probability below which the model considers the aspirations out of reach. */
const OUT_OF_REACH = -5;
/** Log probability of the goal below which the search first asks for progress towards it. */
const HARDLY_POSSIBLE = -2;
/** Spread of data around the input sought, in root mean squares of the residuals of the best run. */
const DATA_SPREAD = 2;
/** Factor on all sigmas before a model that expects no improvement is believed. */
const DISTRUST = 30;

/** One way to choose the next input; null when this suggestion is not its turn, or when it finds no input. */
type Turn = (problem: Problem, work: Work) => NextInput;

/** The first of them that answers chooses the input. */
const TURNS: readonly Turn[] = [farTurn, trustRegionTurn, compromiseTurn, regionTurn, localTurn, globalTurn];

/** The input to evaluate next; null when only evaluated and pending inputs are found. */
export function nextInput(problem: Problem): NextInput {
  const work: Work = { spent: 0, limit: problem.request.workLimit };
  for (const turn of TURNS) {
    const found = turn(problem, work);
    if (found !== null) return found;
  }
  return null;
}

/**
 * The same for a fit: the input with the least misfit that the models expect in the region in which they are trusted; else the one where
 * the data are most likely, anywhere or, while inputs are pending, in a trust region every other time. Where the limits beside the fit seem
 * out of reach, the best compromise of these.
 */
export function nextOfFit(problem: Problem): NextInput {
  const work: Work = { spent: 0, limit: problem.request.workLimit };
  const compromise = bestFit(problem) < 0 ? nextCompromise(problem, null) : null;
  if (compromise !== null) return { ...compromise, expected: null, chance: null };
  const trusted = trustedRegion(problem);
  const local = trusted === null ? localScope(problem) : { ...trusted, likely: null, local: true };
  const isMeanTrusted = trusted !== null;
  return (
    (local && likeliestIn(problem, local, isMeanTrusted, work)) ??
    likeliestIn(problem, wholeScope(problem), false, work)
  );
}

function likeliestIn(problem: Problem, scope: Scope, isMeanTrusted: boolean, work: Work): NextInput {
  const { search, ranked } = modelsIn(problem, scope, work);
  const found = search.maximize(fitAims(problem, isMeanTrusted), ranked);
  return found && { ...found, expected: null, chance: null };
}

/**
 * Aims at the data with standard errors that grow with the misfit of the best run: far from the data the search seeks a small expected
 * sum of squares, near them a likely input. Without that growth, and with ten times as much, it took a fifth more runs.
 */
function fitAims({ cases, residuals }: Problem, isMeanTrusted: boolean): Aim[] {
  const excess = residuals ? residuals.sumOfSquares / residuals.points.length : 1;
  const sigma = Math.max(1, DATA_SPREAD * Math.sqrt(excess));
  return intervalAims(cases.intervals).map((aim, j) =>
    cases.intervals[j]!.sigma === undefined ? aim : { sigma, isMeanTrusted },
  );
}

/**
 * The input farthest from all runs, in every other suggestion while an output that misses its target has never varied: near the runs that meet
 * the other targets nothing shows whether any input moves it.
 */
function farTurn(problem: Problem): NextInput {
  const { request, cases, pending, seen } = problem;
  if (suggestedBefore(problem) % 2 === 0 || !missesConstant(cases)) return null;
  const random = makeRandom(request.seed, 23, request.history.count + pending.count);
  const x = drawFarthest(problem, seen, random, joined(cases.U, pending.U));
  return x && { x, value: 0, terms: new Float64Array(cases.intervals.length), expected: null, chance: null };
}

/** The next point of a quadratic trust region, of which the models of all cases expect nothing in particular. */
function trustRegionTurn(problem: Problem): NextInput {
  const u = trustRegionPoint(problem);
  if (u === null) return null;
  const x = new Float64Array(problem.encoding.n);
  decode(problem.encoding, u, x);
  return problem.seen.has(x) ? null : { x, value: 0, terms: new Float64Array(1), expected: null, chance: null };
}

/**
 * The best compromise, or the best value, that the models of all cases expect or hold possible where targets seem out of reach. Local turns
 * stay what they are: models that are wrong about what can be reached cost a search no more than every other suggestion.
 */
function compromiseTurn(problem: Problem, shared: Work): NextInput {
  if (roundOf(problem) >= 0) return null;
  // No compromise has to be sought if the best input anywhere may meet all targets.
  const anywhere = currentRegion(problem) === null ? globalTurn(problem, shared) : null;
  const likeliest = anywhere === null || typeof anywhere === 'string' ? null : featuresOf(problem.encoding, anywhere.x);
  const found = nextCompromise(problem, likeliest) ?? nextImprovement(problem, likeliest);
  if (found === null) return anywhere;
  const work: Work = { spent: 0, limit: problem.request.workLimit };
  const surrogate = problem.fitGlobally(work);
  return withForecast(problem, surrogate, new Predictor(surrogate, work), found);
}

/**
 * In a search that has stood still for long: the input that does best in the region that it has come to. A new region at
 * the best case begins with a suggestion from anywhere, which may end the search; another one with a random point.
 */
function regionTurn(problem: Problem, work: Work): NextInput {
  const state = currentRegion(problem);
  if (state === null) return null;
  if (state.isNew) return startsAtBest(state.number) ? globalTurn(problem, work) : randomInput(problem);
  const region = restartRegion(problem, state);
  return region && searchIn(problem, { ...region, likely: null, local: true, isThorough: true }, work);
}

/** A random input that has not been evaluated; null when none is found. */
function randomInput(problem: Problem): NextInput {
  const { request, encoding, seen, pending, cases } = problem;
  const random = makeRandom(request.seed, 16, request.history.count + pending.count);
  const x = new Float64Array(encoding.n);
  const isFound = drawUnseen(problem, seen, random, x, new Float64Array(encoding.p));
  return isFound
    ? { x, value: 0, terms: new Float64Array(cases.intervals.length), expected: null, chance: null }
    : null;
}

/**
 * The input that the model expects to do best in a trust region: in every other suggestion of a search that stalls, or while
 * others are pending.
 */
function localTurn(problem: Problem, work: Work): NextInput {
  const scope = localScope(problem);
  return scope && searchIn(problem, scope, work);
}

/** The trust region of this suggestion; null when it is not the turn of one. */
function localScope(problem: Problem): Scope | null {
  const { request, cases, pending } = problem;
  const round = roundOf(problem);
  const random = makeRandom(request.seed, 8, request.history.count + pending.count);
  const region = round >= 0 ? localRegion(problem, cases.U, cases.loss, round, random) : null;
  return region && { ...region, likely: null, local: true };
}

/** The local round that this suggestion is, from 0; -1 for none. */
function roundOf(problem: Problem): number {
  const { encoding, cases, pending, aim } = problem;
  // Once means meet the targets, a search for a surer input goes on around them and does not stall.
  const isSureningUp = !aim.doesRunDecide && cases.loss.includes(0);
  if (isSureningUp) return -1;
  return localRound({
    stall: cases.stall,
    pending: pending.count,
    suggested: suggestedBefore(problem),
    N: cases.N,
    n: movableCount(encoding),
    seeksLimits: seeksLimits(cases),
  });
}

/** The input that the model expects to do best anywhere in the box. */
function globalTurn(problem: Problem, work: Work): NextInput {
  return searchIn(problem, wholeScope(problem), work);
}

function wholeScope(problem: Problem): Scope {
  return globalScope(problem, problem.cases, problem.request.goal);
}

/** Number of suggestions before this one, the pending ones included. */
export function suggestedBefore({ request, pending }: Problem): number {
  return request.history.count - request.firstSuggested + pending.count;
}

/** The models of a scope, the search in it with the pending inputs imagined, and its cases, the best first. */
function modelsIn(problem: Problem, scope: Scope, work: Work) {
  const { encoding, cases } = problem;
  const surrogate = scope.local ? fitScope(encoding, cases, scope, cases.stall, work) : problem.fitGlobally(work);
  const predictor = new Predictor(surrogate, work);
  applySecantCorrection(surrogate, predictor, scope.rows.indexOf(scope.center));
  const models = imaginePending(problem, scope, { surrogate, predictor }, work);
  const search = makeScopeSearch(problem, scope, models, work);
  return { surrogate, predictor, search, ranked: Array.from(scope.rows).sort(byLoss(cases.loss)) };
}

function searchIn(problem: Problem, scope: Scope, work: Work): NextInput {
  const { intervals } = problem.cases;
  const { surrogate, predictor, search, ranked } = modelsIn(problem, scope, work);
  const strict = search.maximize(intervalAims(intervals), ranked);
  const found =
    strict && strict.value < HARDLY_POSSIBLE ? (comeNearer(problem, search, ranked, work) ?? strict) : strict;
  const isReachable =
    !isDirected(intervals) || (found !== null && logProbabilityOfAspirations(intervals, found) > OUT_OF_REACH);
  const outcome = isReachable ? atTheEdge(problem, search, found) : improve(problem, search, ranked, found);
  if (outcome === null || outcome === 'no-improvement-expected') return outcome;
  return withForecast(problem, surrogate, predictor, outcome);
}

/** An input with what the models expect of it. */
export function withForecast(problem: Problem, surrogate: Surrogate, predictor: Predictor, found: Found): NextInput {
  const { encoding } = problem;
  const u = featuresOf(encoding, found.x);
  return {
    ...found,
    expected: expectedRanges(surrogate, predictor, u, movableCount(encoding)),
    chance: chanceOf(problem, surrogate, predictor, u),
  };
}

/** The input most likely to take the centre of the scope a good way towards limits; null where other goals exist. */
function comeNearer(problem: Problem, search: ScopeSearch, ranked: readonly number[], work: Work): Found | null {
  const { cases } = problem;
  const { scope, predictor } = search;
  const surrogate = withRelaxedLimits(search.surrogate, cases, scope.center);
  if (surrogate === null) return null;
  return makeScopeSearch(problem, scope, { surrogate, predictor }, work).maximize(
    intervalAims(cases.intervals),
    ranked,
  );
}

/** The models' probability, without imagined outputs, that u reaches the goal; null when an output is directed. */
function chanceOf({ aim, encoding, cases }: Problem, surrogate: Surrogate, predictor: Predictor, u: Float64Array) {
  const { intervals } = cases;
  if (isDirected(intervals) || !aim.doesRunDecide) return null;
  const failures = makeFailureModel(cases, encoding.p);
  const acquisition = new Acquisition(
    surrogate,
    predictor,
    intervalAims(intervals),
    unweighted(intervals),
    failures,
    aim.noise,
  );
  return Math.min(1, Math.exp(acquisition.evaluate(u, null)));
}

/**
 * With aspirations out of reach: the input that improves most on the best feasible case, or the fact that none does.
 *
 * @param ranked rows of the scope, the smallest loss first
 * @param found the input most likely to reach the aspirations
 */
function improve(problem: Problem, search: ScopeSearch, ranked: readonly number[], found: Found | null): Outcome {
  const { request, encoding, cases, pending } = problem;
  const { scope, surrogate, predictor } = search;
  const { intervals } = cases;
  const isOwn = scope.isThorough && meetsLimits(intervals, cases.Y, scope.center * intervals.length);
  // Far from the best case, an improvement on it would be sought where least is known, and not by descending from the centre.
  const feasible = isOwn ? scope.center : bestFeasible(cases, intervals);
  const center = scope.rows.indexOf(feasible);
  if (center >= 0) applySecantCorrection(surrogate, predictor, center);
  const aims = improvementAims(surrogate, cases, intervals, feasible);
  const improved = search.maximize(aims, feasible < 0 ? ranked : [feasible, ...ranked]);
  if (scope.local || feasible < 0) return improved ?? found;
  const isExpected = improved !== null && !expectsNoImprovement(request, surrogate, cases, feasible, improved.terms);
  // The input with the largest gain may repeat a run, and improve nothing.
  const isFirst = isExpected && improved.isSecondBest !== true;
  const hasEnded = !isFirst && hasStagnated(request, cases, feasible, movableCount(encoding), pending.count);
  if (hasEnded && areBelievable(problem)) return 'no-improvement-expected';
  if (isExpected) return improved;
  predictor.scaleSigmas(DISTRUST);
  return search.maximize(aims, ranked) ?? improved ?? found;
}

/**
 * Whether the models of a search without noise explain what varies. If one calls it noise, the surface has more waves than
 * the cases show, and the model knows nothing of the minima between them.
 */
function areBelievable({ request, aim, fitGlobally }: Problem): boolean {
  if (aim.noise !== null) return true;
  const { outputs, kernels } = fitGlobally({ spent: 0, limit: request.workLimit });
  return outputs.every(({ fitted }) => fitted === null || !kernels[fitted.kernel]!.spec.noisy);
}

/** Log of the probability that all aspirations are reached at the input found. */
function logProbabilityOfAspirations(intervals: readonly Interval[], { terms }: Found): number {
  return intervals.reduce((sum, interval, j) => sum + (interval.directed ? terms[j]! : 0), 0);
}
