import type { Inverse } from '../domain/inverse.ts';
import type { Objective } from '../domain/objective.ts';

/** One inverse with the objective that judges it: what presenters of both dialects need to show an inverse. */
export interface InverseView {
  readonly objective: Objective;
  readonly inverse: Inverse;
}
