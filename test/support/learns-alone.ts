import type { Objective } from '../../src/domain/search/objective.ts';

/** An objective that learns from nothing but its cases, has no limits and options of its own, and one open inverse at a time. */
export const LEARNS_ALONE: Pick<
  Objective,
  | 'reuse'
  | 'continuesId'
  | 'fixedInputs'
  | 'constraints'
  | 'dataRevision'
  | 'parallelism'
  | 'version'
  | 'holdBack'
  | 'completedCount'
  | 'nothingNewAt'
  | 'batchId'
  | 'options'
  | 'ended'
  | 'label'
  | 'archivedAt'
> = {
  reuse: false,
  continuesId: null,
  fixedInputs: null,
  constraints: null,
  dataRevision: 0,
  parallelism: 1,
  version: 0,
  holdBack: true,
  completedCount: 0,
  nothingNewAt: null,
  batchId: null,
  options: null,
  ended: null,
  label: null,
  archivedAt: null,
};
