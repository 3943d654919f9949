/**
 * What a suggestion and its explanation compute from a request alike. Handed from one to the other it saves a second
 * fit; made anew from an equal request it is the same to the last bit, so nothing depends on whether it was.
 */
import { type Cases, collectCases } from './cases.ts';
import type { Work } from './numerics/work.ts';
import type { SuggestRequest } from './problem.ts';
import { fitScope, globalScope } from './search/scope.ts';
import { type Coding, makeCoding } from './space.ts';
import type { Surrogate } from './surrogate/model-choice.ts';
import { stallOf } from './targets.ts';

export interface Prepared {
  readonly request: SuggestRequest;
  readonly coding: Coding;
  readonly cases: Cases;
  /**
   * The models of all outputs over the whole box. Fitted at the first call and kept; the work of the fit counts every
   * time. At least one case is needed.
   */
  fitGlobally(work: Work): Surrogate;
}

/**
 * Encodes the space and the cases of a request; fits nothing yet.
 *
 * Throws RangeError on arrays whose lengths do not match and on bounds that are not finite.
 */
export function prepare(request: SuggestRequest): Prepared {
  checkShapes(request);
  const coding = makeCoding(request.space);
  const cases = collectCases(request, coding);
  const fitAnew = (work: Work) => fitScope(coding, cases, globalScope(coding, cases), stallOf(cases.merit), work);
  let kept: { readonly surrogate: Surrogate; readonly spent: number } | null = null;
  return {
    request,
    coding,
    cases,
    fitGlobally: (work) => {
      // After other work less of the limit is left, and a fit that it cuts short is another one.
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

function checkShapes({ space, goal, history }: SuggestRequest): void {
  const n = space.variables.length;
  const m = goal.targets.length;
  if (n === 0 || m === 0) throw new RangeError('at least one variable and one target are needed');
  if (history.X.length !== history.count * n) throw new RangeError('history.X must be count x n');
  if (history.Y.length !== history.count * m) throw new RangeError('history.Y must be count x m');
  if (history.failed.length !== history.count) throw new RangeError('history.failed must have length count');
}
