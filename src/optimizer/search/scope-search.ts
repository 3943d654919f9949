import { Acquisition, type Aim, type AimUnderNoise } from '../acquisition/acquisition.ts';
import { type Avoidance, withAvoidance } from '../acquisition/avoidance.ts';
import { makeFailureModel } from '../acquisition/failure-model.ts';
import { WorstMiss } from '../acquisition/worst-miss.ts';
import type { Cases } from '../goal/cases.ts';
import type { Misses } from '../goal/misses.ts';
import type { Residuals } from '../goal/residuals.ts';
import { byLoss } from '../goal/targets.ts';
import type { SuggestRequest } from '../interface/problem.ts';
import { makeRandom } from '../numerics/random.ts';
import type { Work } from '../numerics/work.ts';
import { featuresOf } from '../space/encoding.ts';
import type { Pending } from '../space/pending.ts';
import type { SearchSpace } from '../space/search-space.ts';
import type { Seen } from '../space/seen.ts';
import type { Examined } from '../surrogate/contradictions.ts';
import type { Surrogate } from '../surrogate/model-choice.ts';
import { Predictor } from '../surrogate/predictor.ts';
import { fitScope, globalScope, type Scope } from '../surrogate/scope.ts';
import { applySecantCorrection } from '../surrogate/secant-correction.ts';
import { drawerIn } from './box-newton.ts';
import { improvementAims } from './directed-outputs.ts';
import type { FrontAim } from './front-aim.ts';
import type { ScopeModels } from './imagined.ts';
import { bestDrawn, leastMisses } from './least-miss.ts';
import type { Region } from './local-mode.ts';
import { bestDecoded, type Found, maximizeAcquisition, type Search } from './maximize-acquisition.ts';
import { makeRedundancy } from './redundant.ts';

/** The search's aims besides the targets. */
export interface SearchAim {
  /** null where runs are not noisy. */
  readonly noise: AimUnderNoise | null;
  /** Whether one run decides if its input meets the goal. */
  readonly doesRunDecide: boolean;
}

/** Everything that the search for the next input works on. */
export interface Problem extends SearchSpace {
  readonly request: SuggestRequest;
  /** The residuals of a fit; null for other goals. */
  readonly residuals: Residuals | null;
  readonly seen: Seen;
  readonly cases: Cases;
  readonly examined: Examined;
  readonly pending: Pending;
  readonly avoidance: Avoidance | null;
  readonly aim: SearchAim;
  /** The models of the global scope. */
  fitGlobally(work: Work): Surrogate;
}

/** Kernels times points squared, about the flops of one acquisition, from which the search makes do with fewer starts. */
const EXPENSIVE = 5e4;
/** Nats that an input must promise more than those in the likely ranges, and what is left of them per evaluation of a stall. */
const BELIEF = 1;
const BELIEF_DECAY = 0.5;
/** Best evaluated points handed to the search as starts. */
const EVALUATED_STARTS = 3;
/** The search that maximizes an acquisition made of the models of a scope. */
export interface ScopeSearch extends ScopeModels {
  readonly scope: Scope;
  /**
   * @param best rows of evaluated cases to start from, the best first
   * @param front what else a search of a front aims at and starts from
   */
  maximize(aims: readonly Aim[], best: readonly number[], front?: FrontAim): Found | null;
  /**
   * The input whose predicted means have the least worst miss, with that miss, negative inside.
   *
   * @param best rows of evaluated cases to start from, the best first
   * @param starts features of further points to start from
   */
  leastWorstMiss(
    misses: Misses,
    best: readonly number[],
    starts: readonly Float64Array[],
  ): (Found & { readonly worst: number }) | null;
}

export function makeScopeSearch(problem: Problem, scope: Scope, models: ScopeModels, work: Work): ScopeSearch {
  const { request, encoding, seen, cases, pending, avoidance, aim } = problem;
  const { surrogate, predictor } = models;
  const { p } = encoding;
  const failures = withAvoidance(makeFailureModel(cases, p), avoidance);
  const random = makeRandom(request.seed, 2, request.history.count + pending.count);
  const isRedundant = aim.noise === null && aim.doesRunDecide ? makeRedundancy(problem, models) : undefined;
  const isExpensive = surrogate.kernels.reduce((sum, { geometry }) => sum + geometry.N ** 2, 0) > EXPENSIVE;
  const searchFor = (
    acquisition: Search['acquisition'],
    best: readonly number[],
    promising?: readonly Float64Array[],
  ) => {
    const evaluated = best.slice(0, EVALUATED_STARTS).map((row) => cases.U.slice(row * p, (row + 1) * p));
    const { sigma } = predictor;
    return { encoding, acquisition, sigma, seen, isRedundant, isExpensive, evaluated, promising, random, work };
  };
  const maximize = (aims: readonly Aim[], best: readonly number[], front?: FrontAim) => {
    const acquisition = new Acquisition(surrogate, predictor, aims, cases.intervals, failures, aim.noise, front?.gain);
    const search = searchFor(acquisition, best, front?.starts);
    const anywhere = maximizeAcquisition({ ...search, box: scope.box });
    const likely = scope.likely && maximizeAcquisition({ ...search, box: scope.likely });
    if (!likely || !anywhere) return anywhere ?? likely;
    return anywhere.value > likely.value + BELIEF * BELIEF_DECAY ** (cases.stall + pending.count) ? anywhere : likely;
  };
  const leastWorstMiss = ({ units }: Misses, best: readonly number[], starts: readonly Float64Array[]) => {
    const measure = { intervals: cases.intervals, units, l1: request.goal.l1 };
    const acquisition = new WorstMiss(surrogate, predictor, measure, cases.Y, failures);
    const search = { ...searchFor(acquisition, best), box: scope.box };
    const all = [...search.evaluated, ...starts, ...bestDrawn(acquisition, drawerIn(scope.box, random))];
    const found = bestDecoded(
      search,
      leastMisses(acquisition, scope.box, all, work).map(({ u }) => u),
    );
    if (found === null) return null;
    acquisition.evaluate(featuresOf(encoding, found.x));
    return { ...found, worst: acquisition.worst };
  };
  return { scope, surrogate, predictor, maximize, leastWorstMiss };
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
