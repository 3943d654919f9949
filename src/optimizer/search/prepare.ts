/**
 * The computation that a suggestion and its explanation share. Passing it from one to the other saves a second fit. Computed again from an
 * equal request it is the same to the last bit, so results do not depend on whether it was passed.
 */
import { type Avoidance, makeAvoidance } from '../acquisition/avoidance.ts';
import { type Residuals, withResiduals } from '../goal/residuals.ts';
import { withoutSentinels } from '../goal/sentinels.ts';
import type { Solutions, SuggestRequest } from '../interface/problem.ts';
import { joined } from '../linalg/dense.ts';
import type { Work } from '../numerics/work.ts';
import { encodePending, type Pending } from '../space/pending.ts';
import { makeSearchSpace, type SearchSpace } from '../space/search-space.ts';
import { withMargins } from '../surrogate/clipped-limits.ts';
import { fitCoarseSources } from '../surrogate/coarse-sources.ts';
import { type Examined, examine } from '../surrogate/contradictions.ts';
import type { Surrogate } from '../surrogate/model-choice.ts';
import { fitScope, globalScope, type KnownCases } from '../surrogate/scope.ts';

export interface Prepared extends SearchSpace {
  /** The request; a fit's has residuals in place of its outputs. */
  readonly request: SuggestRequest;
  /** Null without a fit, and before a run succeeded. */
  readonly residuals: Residuals | null;
  /** Without those that all others contradict. */
  readonly cases: KnownCases;
  readonly examined: Examined;
  readonly pending: Pending;
  /** Avoids the solutions found and, while further ones are sought, pending inputs; null without either. */
  readonly avoidance: Avoidance | null;
  /**
   * The models of all outputs over the whole box, fitted at the first call and kept. Every call counts the work of the fit.
   * Pending inputs do not enter it. Needs at least one case.
   */
  fitGlobally(work: Work): Surrogate;
}

/**
 * Encodes the space and the cases of a request, without cases that all others contradict; fits no model of the rest yet.
 *
 * Throws RangeError for arrays whose lengths do not match and for bounds that are not finite or out of order, and
 * for conditions that leave no input.
 */
export function prepare(asked: SuggestRequest): Prepared {
  checkShapes(asked);
  const answered = withoutSentinels(asked);
  const fitted = withResiduals(answered);
  const request = fitted?.request ?? answered;
  const space = makeSearchSpace(request.space, request.seed);
  const { encoding } = space;
  const examined = examine(request, space, fitCoarseSources(request, space));
  const cases = withMargins(space, examined.cases, request.goal, { spent: 0, limit: request.workLimit });
  const fitAnew = (work: Work) => fitScope(encoding, cases, globalScope(space, cases, request.goal), cases.stall, work);
  let kept = cases === examined.cases ? examined.fit : null;
  return {
    ...space,
    request,
    residuals: fitted?.residuals ?? null,
    cases,
    examined,
    pending: encodePending(request, encoding),
    avoidance: makeAvoidance(encoding, withPending(request)),
    fitGlobally: (work) => {
      // Other work leaves less of the limit, and a fit cut short is a different fit.
      if (work.spent > 0) return fitAnew(work);
      if (kept === null) {
        const surrogate = fitAnew(work);
        kept = { surrogate, spent: work.spent };
      }
      work.spent = kept.spent;
      return kept.surrogate;
    },
  };
}

/** A pending input may become a solution: imagined as one it would draw the search to it. */
function withPending({ solutions, pending }: SuggestRequest): Solutions | undefined {
  return solutions && pending ? { ...solutions, found: joined(solutions.found, pending) } : solutions;
}

function checkShapes({ space, goal, history, pending, solutions }: SuggestRequest): void {
  const n = space.variables.length;
  const m = goal.targets.length;
  if (n === 0 || m === 0) throw new RangeError('space.variables and goal.targets must not be empty');
  if (history.X.length !== history.count * n) throw new RangeError('history.X must be count x n');
  if (history.Y.length !== history.count * m) throw new RangeError('history.Y must be count x m');
  if (pending && (pending.length % n > 0 || !pending.every(Number.isFinite)))
    throw new RangeError('pending must be k x n finite numbers');
  if (solutions && solutions.found.length % n > 0) throw new RangeError('solutions.found must be k x n');
  if (history.jacobian && history.jacobian.length !== history.count * m * n)
    throw new RangeError('history.jacobian must be count x m x n');
  if (history.failed.length !== history.count) throw new RangeError('history.failed must have count entries');
}
