import { adviceFrom } from './explanation/advice.ts';
import { diagnose } from './explanation/diagnosis.ts';
import { withDerivativeGain, withSourceGain } from './explanation/gains.ts';
import { NOTHING_KNOWN, outputInsights } from './explanation/insight.ts';
import type { Explanation, OutputInsight } from './interface/insights.ts';
import type { StopRule, SuggestRequest } from './interface/problem.ts';
import type { Work } from './numerics/work.ts';
import type { Quest } from './quests/quest.ts';
import { questOf } from './quests/quest-of.ts';
import { type Prepared, prepare } from './search/prepare.ts';
import { Predictor } from './surrogate/predictor.ts';

/** The stop rule of requests that state none. */
const DEFAULT_RULE: StopRule = { improvementBelow: 0.005 };

/**
 * Explains what a history says about the outputs and about the chances of meeting the objectives.
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
  const quest = questOf(request);
  const standing = quest.standing(prepared);
  const advice = adviceFrom(prepared);
  const insights = outputInsights(encoding, surrogate, predictor);
  return {
    insight: perOutput(
      prepared,
      withSourceGain(prepared, surrogate, withDerivativeGain(prepared, surrogate, insights)),
    ),
    // Residuals have no limits to contradict each other.
    diagnosis:
      prepared.residuals === null ? diagnose(prepared, surrogate, predictor, work, isFound(prepared, quest)) : null,
    ...(standing && { standing }),
    ...(advice.length > 0 && { advice }),
  };
}

/** For a fit, the insights into its outputs with limits; its residuals stand for no single output, so the other entries are empty. */
function perOutput({ residuals }: Prepared, insights: readonly OutputInsight[]): readonly OutputInsight[] {
  if (residuals === null) return insights;
  const { outputCount, kept } = residuals;
  return Array.from({ length: outputCount }, (_, j) => {
    const k = kept.indexOf(j);
    return k < 0 ? { crossValidated: { r2: null, rmse: null }, ...NOTHING_KNOWN } : insights[k]!;
  });
}

/** Whether a stop rule would end the search by evidence: at the best compromise, or at the best value within the limits. */
function isFound(prepared: Prepared, quest: Quest): boolean {
  const problem = { ...prepared, seen: quest.seenIn(prepared), aim: quest.aim };
  const { stop = DEFAULT_RULE, workLimit } = prepared.request;
  const rule = { improvementBelow: stop.improvementBelow };
  const work: Work = { spent: 0, limit: workLimit };
  return quest.endByRule(problem, rule, work) !== null;
}
