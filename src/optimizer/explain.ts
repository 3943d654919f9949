import { collectCases } from './cases.ts';
import { diagnose } from './explanation/diagnosis.ts';
import { outputInsights } from './explanation/insight.ts';
import type { Work } from './numerics/work.ts';
import type { Explanation, SuggestRequest } from './problem.ts';
import { fitScope, globalScope } from './search/scope.ts';
import { makeCoding } from './space.ts';
import { makePredictor } from './surrogate/predictor.ts';
import { stallOf } from './targets.ts';

/**
 * What the data of a history say about the outputs, and about the chances of the objectives.
 *
 * Takes the request that `suggest` takes and costs about as much. A pure function of it; plain finite numbers.
 */
export function explain(request: SuggestRequest): Explanation {
  const coding = makeCoding(request.space);
  const cases = collectCases(request, coding);
  if (cases.N === 0) return { insight: null, diagnosis: null };
  const work: Work = { spent: 0, limit: request.workLimit };
  const surrogate = fitScope(coding, cases, globalScope(coding, cases), stallOf(cases.merit), work);
  const predictor = makePredictor(surrogate, work);
  return {
    insight: outputInsights(coding, surrogate, predictor, work),
    diagnosis: diagnose(request, coding, cases, surrogate, predictor, work),
  };
}
