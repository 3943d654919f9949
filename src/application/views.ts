import type { Inverse } from '../domain/inverse.ts';
import type { Objective } from '../domain/objective.ts';

/** One step with the objective that judges it: what presenters of both dialects need to show a step. */
export interface StepView {
  readonly objective: Objective;
  readonly inverse: Inverse;
}
