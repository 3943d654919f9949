import type { Objective } from '../../src/domain/objective.ts';

/** An objective that learns from nothing but its cases and has no limits of its own. */
export const LEARNS_ALONE: Pick<Objective, 'reuse' | 'continuesId' | 'fixedInputs' | 'constraints' | 'dataRevision'> = {
  reuse: false,
  continuesId: null,
  fixedInputs: null,
  constraints: null,
  dataRevision: 0,
};
