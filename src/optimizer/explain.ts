import { diagnose } from './explanation/diagnosis.ts';
import { outputInsights } from './explanation/insight.ts';
import type { Work } from './numerics/work.ts';
import { type Prepared, prepare } from './prepare.ts';
import type { Explanation, SuggestRequest } from './problem.ts';
import { makePredictor } from './surrogate/predictor.ts';

/**
 * What the data of a history say about the outputs, and about the chances of the objectives.
 *
 * Takes the request that `suggest` takes, and throws as it does. A pure function of it; plain finite numbers.
 */
export function explain(request: SuggestRequest): Explanation {
  return explainFrom(prepare(request));
}

/** As `explain`, with what was fitted for the suggestion. */
export function explainFrom(prepared: Prepared): Explanation {
  const { request, coding, cases } = prepared;
  if (cases.N === 0) return { insight: null, diagnosis: null };
  const work: Work = { spent: 0, limit: request.workLimit };
  const surrogate = prepared.fitGlobally(work);
  const predictor = makePredictor(surrogate, work);
  return {
    insight: outputInsights(coding, surrogate, predictor),
    diagnosis: diagnose(prepared, surrogate, predictor, work),
  };
}
