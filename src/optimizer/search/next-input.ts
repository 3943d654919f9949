import { Acquisition, type Aim, type AimUnderNoise, intervalAims } from '../acquisition/acquisition.ts';
import { type Avoidance, withAvoidance } from '../acquisition/avoidance.ts';
import { makeFailureModel } from '../acquisition/failure-model.ts';
import type { Cases } from '../goal/cases.ts';
import { feasibleCases, type OpenOutput, openOutputs } from '../goal/front.ts';
import { byLoss, type Interval, unweighted } from '../goal/targets.ts';
import { normalQuantile } from '../numerics/normal.ts';
import { makeRandom } from '../numerics/random.ts';
import type { Work } from '../numerics/work.ts';
import type { Proposal, SuggestRequest } from '../problem.ts';
import { encode, movableCount } from '../space/encoding.ts';
import type { Pending } from '../space/pending.ts';
import type { SearchSpace } from '../space/search-space.ts';
import type { Seen } from '../space/seen.ts';
import { expectedRanges } from '../surrogate/expected-range.ts';
import type { Surrogate } from '../surrogate/model-choice.ts';
import { Predictor } from '../surrogate/predictor.ts';
import { fitScope, globalScope, type Scope } from '../surrogate/scope.ts';
import { applySecantCorrection } from '../surrogate/secant-correction.ts';
import { bestFeasible, expectsNoImprovement, hasStagnated, improvementAims } from './directed-outputs.ts';
import { type FrontAim, frontAim } from './front-aim.ts';
import { imaginedOutputs, imaginePending, type ScopeModels } from './imagined.ts';
import { localRegion, localRound, type Region } from './local-mode.ts';
import { type Found, maximizeAcquisition } from './maximize-acquisition.ts';
import { withRelaxedLimits } from './relaxed-limits.ts';

/** What the search for the next input works on. */
export interface Problem extends SearchSpace {
  readonly request: SuggestRequest;
  readonly seen: Seen;
  readonly cases: Cases;
  readonly pending: Pending;
  readonly avoidance: Avoidance | null;
  /** The models of the global scope. */
  fitGlobally(work: Work): Surrogate;
}

type Outcome = Found | 'no-improvement-expected' | null;

/** The next input, or why there is none. */
export type NextInput =
  | (Found & Pick<Extract<Proposal, { kind: 'candidate' }>, 'expected' | 'chance'>)
  | Exclude<Outcome, Found>;

/** Kernels times points squared, about the flops of one acquisition, from which the search makes do with fewer starts. */
const EXPENSIVE = 5e4;
/** Nats that an input must promise more than those in the likely ranges, and what is left of them per evaluation of a stall. */
const BELIEF = 1;
const BELIEF_DECAY = 0.5;
/**
 * Where means are to meet the targets: the margin of the mean of so many runs, which so few runs are to show, and the least
 * spread, both in standard deviations.
 */
const SURE_OF_MEAN = 1.5;
const RUNS_OF_MEAN = 4;
const FLOOR = 0.25;
/** Best evaluated points handed to the search as starts. */
const EVALUATED_STARTS = 3;
/** Log probability below which the model considers the aspirations out of reach. */
const OUT_OF_REACH = -5;
/** Log probability of the goal below which the search first asks for progress towards it. */
const HARDLY_POSSIBLE = -2;
/** Factor on all sigmas before a model that expects no improvement is believed. */
const DISTRUST = 30;

/**
 * The input that the model expects to do best: anywhere in the box or, in every other suggestion of a search that stalls,
 * or while others are pending, in a trust region. null when only evaluated and pending inputs are found.
 */
export function nextInput(problem: Problem): NextInput {
  const { request, encoding, cases, pending } = problem;
  const work: Work = { spent: 0, limit: request.workLimit };
  const suggested = request.history.count - request.firstSuggested + pending.count;
  const open = openOutputs(request.goal);
  if (open.length > 0 && feasibleCases(cases).length > 0) return searchFront(problem, open, suggested, work);
  // Once means meet the targets, a search for a surer input goes on around them and does not stall.
  const isSureningUp = request.noise?.asked && cases.loss.includes(0);
  const round = isSureningUp ? -1 : localRound(cases.stall, pending.count, suggested, cases.N, movableCount(encoding));
  const random = makeRandom(request.seed, 8, request.history.count + pending.count);
  const region = round >= 0 ? localRegion(problem, cases.U, cases.loss, round, random) : null;
  const found = region ? searchIn(problem, { ...region, likely: null, local: true }, work) : null;
  return found ?? searchIn(problem, globalScope(problem, cases, problem.request.goal), work);
}

/**
 * The terms of the acquisition at the input that improves most on the feasible case `best`, with spreads `wider` times as wide;
 * null when only evaluated and pending inputs are found.
 *
 * @param region where to model and to look; null for everywhere
 */
export function expectedTerms(
  problem: Problem,
  best: number,
  wider: number,
  region: Region | null,
  work: Work,
): { readonly surrogate: Surrogate; readonly terms: Float64Array } | null {
  const { encoding, cases, request } = problem;
  const scope = region === null ? globalScope(problem, cases, request.goal) : { ...region, likely: null, local: true };
  const surrogate = region === null ? problem.fitGlobally(work) : fitScope(encoding, cases, scope, cases.stall, work);
  const predictor = new Predictor(surrogate, work);
  applySecantCorrection(surrogate, predictor, scope.rows.indexOf(best));
  predictor.scaleSigmas(wider);
  const search = makeScopeSearch(problem, scope, { surrogate, predictor }, work);
  const ranked = Array.from(scope.rows).sort(byLoss(cases.loss));
  const aims = improvementAims(surrogate, cases, cases.intervals, best);
  const found = search.maximize(aims, [best, ...ranked]);
  return found && { surrogate, terms: found.terms };
}

/** The search that maximizes an acquisition made of the models of a scope. */
interface ScopeSearch extends ScopeModels {
  readonly scope: Scope;
  /**
   * @param best rows of evaluated cases to start from, the best first
   * @param front what else a search of a front aims at and starts from
   */
  maximize(aims: readonly Aim[], best: readonly number[], front?: FrontAim): Found | null;
}

function searchIn(problem: Problem, scope: Scope, work: Work): NextInput {
  const { encoding, cases } = problem;
  const { intervals } = cases;
  const surrogate = scope.local ? fitScope(encoding, cases, scope, cases.stall, work) : problem.fitGlobally(work);
  const predictor = new Predictor(surrogate, work);
  applySecantCorrection(surrogate, predictor, scope.rows.indexOf(scope.center));
  const models = imaginePending(problem, scope, { surrogate, predictor }, work);
  const search = makeScopeSearch(problem, scope, models, work);
  const ranked = Array.from(scope.rows).sort(byLoss(cases.loss));
  const strict = search.maximize(intervalAims(intervals), ranked);
  const found =
    strict && strict.value < HARDLY_POSSIBLE ? (comeNearer(problem, search, ranked, work) ?? strict) : strict;
  const isReachable =
    !intervals.some(({ directed }) => directed) ||
    (found !== null && logProbabilityOfAspirations(intervals, found) > OUT_OF_REACH);
  const outcome = isReachable ? found : improve(problem, search, ranked, found);
  if (outcome === null || outcome === 'no-improvement-expected') return outcome;
  return withForecast(problem, surrogate, predictor, outcome);
}

/** An input with what the models expect of it. */
function withForecast(problem: Problem, surrogate: Surrogate, predictor: Predictor, found: Found): NextInput {
  const { encoding } = problem;
  const u = new Float64Array(encoding.p);
  encode(encoding, found.x, 0, u, 0);
  return {
    ...found,
    expected: expectedRanges(surrogate, predictor, u, movableCount(encoding)),
    chance: chanceOf(problem, surrogate, predictor, u),
  };
}

/** What the search aims at where runs are noisy; null where they are not. */
function aimUnderNoise({ noise, goal }: SuggestRequest): AimUnderNoise | null {
  if (!noise) return null;
  const { asked } = noise;
  if (asked === null) return { margin: 0, floor: 1 };
  if (asked.kind === 'confirm') return { margin: SURE_OF_MEAN / Math.sqrt(asked.runs), floor: FLOOR };
  if (asked.of === 'mean') return { margin: SURE_OF_MEAN / Math.sqrt(RUNS_OF_MEAN), floor: FLOOR };
  // Half of the doubt that is left to a run, shared out evenly.
  return { margin: normalQuantile(((1 + asked.least) / 2) ** (1 / goal.targets.length)), floor: FLOOR };
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

/**
 * With outputs without aspiration and a case that meets all targets: the input that is expected to add most to the
 * hypervolume of the front or, now and then, the one that improves most on one output alone, which finds the ends of the
 * front. null when only evaluated and pending inputs are found.
 *
 * @param suggested number of suggestions before this one
 */
function searchFront(problem: Problem, open: readonly OpenOutput[], suggested: number, work: Work): NextInput {
  const { request, cases, pending } = problem;
  const scope = globalScope(problem, cases, problem.request.goal);
  const surrogate = problem.fitGlobally(work);
  const predictor = new Predictor(surrogate, work);
  const models = imaginePending(problem, scope, { surrogate, predictor }, work);
  const search = makeScopeSearch(problem, scope, models, work);
  const random = makeRandom(request.seed, 12, request.history.count + pending.count);
  const imagined = pending.count > 0 ? imaginedOutputs(models.surrogate, pending.count, cases.Y) : new Float64Array(0);
  const aim = frontAim(problem, open, { surrogate: models.surrogate, imagined }, suggested, random);
  const found = search.maximize(intervalAims(cases.intervals), aim.rows, aim);
  return found && withForecast(problem, surrogate, predictor, found);
}

/** How likely the models, without imagined outputs, hold it that u reaches the goal; null when an output is directed. */
function chanceOf({ request, encoding, cases }: Problem, surrogate: Surrogate, predictor: Predictor, u: Float64Array) {
  const { intervals } = cases;
  if (intervals.some(({ directed }) => directed) || request.noise?.asked) return null;
  const failures = makeFailureModel(cases, encoding.p);
  const noise = aimUnderNoise(request);
  const acquisition = new Acquisition(
    surrogate,
    predictor,
    intervalAims(intervals),
    unweighted(intervals),
    failures,
    noise,
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
  const feasible = bestFeasible(cases, intervals);
  const center = scope.rows.indexOf(feasible);
  if (center >= 0) applySecantCorrection(surrogate, predictor, center);
  const aims = improvementAims(surrogate, cases, intervals, feasible);
  const improved = search.maximize(aims, feasible < 0 ? ranked : [feasible, ...ranked]);
  if (scope.local || !improved || feasible < 0) return improved ?? found;
  if (!expectsNoImprovement(request, surrogate, cases, feasible, improved.terms)) return improved;
  if (hasStagnated(request, cases, feasible, movableCount(encoding), pending.count)) return 'no-improvement-expected';
  predictor.scaleSigmas(DISTRUST);
  return search.maximize(aims, ranked) ?? improved;
}

function makeScopeSearch(
  { request, encoding, seen, cases, pending, avoidance }: Problem,
  scope: Scope,
  { surrogate, predictor }: ScopeModels,
  work: Work,
): ScopeSearch {
  const { p } = encoding;
  const failures = withAvoidance(makeFailureModel(cases, p), avoidance);
  const random = makeRandom(request.seed, 2, request.history.count + pending.count);
  const isExpensive = surrogate.kernels.length * surrogate.geometry.N ** 2 > EXPENSIVE;
  const maximize = (aims: readonly Aim[], best: readonly number[], front?: FrontAim) => {
    const noise = aimUnderNoise(request);
    const acquisition = new Acquisition(surrogate, predictor, aims, cases.intervals, failures, noise, front?.gain);
    const evaluated = best.slice(0, EVALUATED_STARTS).map((row) => cases.U.slice(row * p, (row + 1) * p));
    const { sigma } = predictor;
    const search = {
      encoding,
      acquisition,
      sigma,
      seen,
      isExpensive,
      evaluated,
      promising: front?.starts,
      random,
      work,
    };
    const anywhere = maximizeAcquisition({ ...search, box: scope.box });
    const likely = scope.likely && maximizeAcquisition({ ...search, box: scope.likely });
    if (!likely || !anywhere) return anywhere ?? likely;
    return anywhere.value > likely.value + BELIEF * BELIEF_DECAY ** (cases.stall + pending.count) ? anywhere : likely;
  };
  return { scope, surrogate, predictor, maximize };
}

/** Log of the probability that all aspirations are reached at the input found. */
function logProbabilityOfAspirations(intervals: readonly Interval[], { terms }: Found): number {
  return intervals.reduce((sum, interval, j) => sum + (interval.directed ? terms[j]! : 0), 0);
}
