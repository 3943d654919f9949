import { type Evaluation, evaluateOutput } from '../domain/search/acceptance.ts';
import type { Inverse } from '../domain/search/inverse.ts';
import type { Objective, ObjectiveDefinition } from '../domain/search/objective.ts';

/** One inverse with its objective and its judgement: what both dialects present. */
export interface InverseView {
  readonly objective: Objective;
  readonly inverse: Inverse;
  /** See judge. */
  readonly evaluation: Evaluation;
}

/** Judges the inverse. Cost O(m). */
export function viewOf(objective: Objective, inverse: Inverse): InverseView {
  return { objective, inverse, evaluation: judge(objective, inverse) };
}

/** Judges the inverse's own output; before it is loaded, that of the last completed iteration, from which it sets out. */
export function judge(
  objective: ObjectiveDefinition & Pick<Objective, 'initialOutput'>,
  { output, basisOutput }: Pick<Inverse, 'output' | 'basisOutput'>,
): Evaluation {
  return evaluateOutput(objective, output ?? basisOutput ?? objective.initialOutput);
}
