/** Another objective on the same trial that goes on from one: it knows all its runs. */
import type { NewObjectives } from '../../../../clients/typescript/src/index.ts';
import { navigate } from '../../shell/router.ts';
import { service } from '../../shell/service.ts';
import type { Head } from './columns.ts';

/** Everything that stays unless it is said otherwise. */
type Repeated = Pick<
  NewObjectives,
  | 'objectives'
  | 'objectiveTypes'
  | 'maximumAttempts'
  | 'reuse'
  | 'desiredL1Norm'
  | 'fixedInputs'
  | 'solutions'
  | 'weights'
  | 'priorities'
  | 'noise'
  | 'confirm'
  | 'confidence'
  | 'confidenceOf'
  | 'constraints'
  | 'parallelism'
  | 'holdBack'
  | 'minimumBounds'
  | 'maximumBounds'
  | 'convergence'
>;

/** Loads it, which stops the other one if that still runs, and shows it. Rejects if the service refuses. */
export async function goOn(head: Head, change: Partial<Repeated>): Promise<void> {
  const hasBounds = head.minimumBounds.length > 0;
  const repeated: Repeated = {
    objectives: head.objectives,
    objectiveTypes: head.objectiveTypes,
    maximumAttempts: head.maximumAttempts,
    reuse: head.reuse,
    desiredL1Norm: head.desiredL1Norm,
    fixedInputs: head.fixedInputs,
    solutions: head.solutions,
    weights: head.weights,
    priorities: head.priorities,
    noise: head.noise,
    confirm: head.confirm,
    confidence: head.confidence,
    confidenceOf: head.confidenceOf,
    constraints: head.constraints,
    parallelism: head.parallelism,
    holdBack: head.holdBack,
    convergence: head.convergence,
    ...(hasBounds && { minimumBounds: head.minimumBounds, maximumBounds: head.maximumBounds }),
  };
  const path = { model_id: head.modelId, project_id: head.projectId, trial_id: head.trialId };
  const body = { ...repeated, ...change, continues: head.objectiveId };
  const loaded = await service.call('loadObjectives', { path, body });
  navigate(`/page/objectives/${loaded.body.id}`);
}
