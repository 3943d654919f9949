import { nonDominated } from '../../numbers/pareto.ts';
import { intervalAims } from '../acquisition/acquisition.ts';
import { feasibleCases, frontOf, type OpenOutput, openOutputs, pointsOf, referenceOf } from '../goal/front.ts';
import { hypervolume } from '../numerics/hypervolume.ts';
import { makeRandom } from '../numerics/random.ts';
import type { Work } from '../numerics/work.ts';
import { frontAim } from '../search/front-aim.ts';
import { imaginedOutputs, imaginePending } from '../search/imagined.ts';
import { type NextInput, suggestedBefore, withForecast } from '../search/next-input.ts';
import type { Prepared } from '../search/prepare.ts';
import { makeScopeSearch, type Problem } from '../search/scope-search.ts';
import { Predictor } from '../surrogate/predictor.ts';
import { globalScope } from '../surrogate/scope.ts';
import { oneRun } from './one-run.ts';
import type { Kind } from './quest.ts';

/** Suggestions that raised the hypervolume by less than the convergence criterion after which the search ends. */
const PATIENCE = 30;

/** The search for the front of outputs without aspiration. */
export const front: Kind = (request) => {
  const open = openOutputs(request.goal);
  // One alone is a matter of its best value, see `withOneDirection`; until a run succeeds there is nothing to compare with.
  if (open.length < 2) return null;
  const base = oneRun(request);
  return {
    ...base,
    endOf: (prepared) => (hasStagnated(prepared, open) ? 'no-improvement-expected' : null),
    // Until a case meets all targets, it is a search for such a case.
    nextInput: (problem) =>
      feasibleCases(problem.cases).length > 0 ? nextOnFront(problem, open) : base.nextInput(problem),
  };
};

function hasStagnated({ request, cases }: Prepared, open: readonly OpenOutput[]): boolean {
  const { history, firstSuggested, convergence } = request;
  const since = history.count - PATIENCE;
  if (since < firstSuggested) return false;
  const feasible = feasibleCases(cases);
  const earlier = feasible.filter((i) => cases.rows[i]! < since);
  if (earlier.length === 0) return false;
  const all = pointsOf(open, cases.Y, cases.intervals.length);
  const reference = referenceOf(open, frontOf(cases, open).points, all);
  const volumeOf = (of: readonly number[]) => {
    const points = of.map((i) => all[i]!);
    return hypervolume(
      nonDominated(points).map((k) => points[k]!),
      reference,
    );
  };
  const volume = volumeOf(feasible);
  return volume - volumeOf(earlier) <= convergence * volume;
}

/**
 * The input that is expected to add most to the hypervolume of the front or, now and then, the one that improves most on one
 * output alone, which finds the ends of the front. null when only evaluated and pending inputs are found.
 */
function nextOnFront(problem: Problem, open: readonly OpenOutput[]): NextInput {
  const { request, cases, pending } = problem;
  const work: Work = { spent: 0, limit: request.workLimit };
  const scope = globalScope(problem, cases, request.goal);
  const surrogate = problem.fitGlobally(work);
  const predictor = new Predictor(surrogate, work);
  const models = imaginePending(problem, scope, { surrogate, predictor }, work);
  const search = makeScopeSearch(problem, scope, models, work);
  const random = makeRandom(request.seed, 12, request.history.count + pending.count);
  const imagined = pending.count > 0 ? imaginedOutputs(models.surrogate, pending.count, cases.Y) : new Float64Array(0);
  const aim = frontAim(problem, open, { surrogate: models.surrogate, imagined }, suggestedBefore(problem), random);
  const found = search.maximize(intervalAims(cases.intervals), aim.rows, aim);
  return found && withForecast(problem, surrogate, predictor, found);
}
