import { adviceFrom } from './explanation/advice.ts';
import { diagnose } from './explanation/diagnosis.ts';
import { outputInsights } from './explanation/insight.ts';
import type { Explanation } from './insights.ts';
import type { Work } from './numerics/work.ts';
import { type Prepared, prepare } from './prepare.ts';
import type { SuggestRequest } from './problem.ts';
import { questOf } from './quests/quest-of.ts';
import { Predictor } from './surrogate/predictor.ts';

/**
 * What a history says about the outputs, and about the chances of meeting the objectives.
 *
 * A pure function of the request, like `suggest`, and throws as it does. All numbers of the answer are finite.
 */
export function explain(request: SuggestRequest): Explanation {
  return explainFrom(prepare(request));
}

/** As `explain`; reuses what a suggestion has fitted. */
export function explainFrom(prepared: Prepared): Explanation {
  const { request, encoding, cases } = prepared;
  if (cases.N === 0) return { insight: null, diagnosis: null };
  const work: Work = { spent: 0, limit: request.workLimit };
  const surrogate = prepared.fitGlobally(work);
  const predictor = new Predictor(surrogate, work);
  const standing = questOf(request).standing(prepared);
  const advice = adviceFrom(prepared);
  return {
    insight: outputInsights(encoding, surrogate, predictor),
    diagnosis: diagnose(prepared, surrogate, predictor, work),
    ...(standing && { standing }),
    ...(advice.length > 0 && { advice }),
  };
}
