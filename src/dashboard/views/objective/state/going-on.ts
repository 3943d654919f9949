/** Creates an objective on the same trial that continues another one: it knows all its runs. */
import { SEARCH_OPTIONS } from '../../../../../clients/typescript/src/generated/objective-fields.ts';
import type { NewObjectives } from '../../../../../clients/typescript/src/index.ts';
import type { Head } from '../../../../presentation/columns.ts';
import { navigate } from '../../../shell/router.ts';
import { service } from '../../../shell/service.ts';

/** Everything that stays by default. */
const REPEATED = [
  'objectives',
  'objectiveTypes',
  'maximumAttempts',
  'reuse',
  'desiredL1Norm',
  'fixedInputs',
  'constraints',
  'parallelism',
  'holdBack',
  'convergence',
  ...SEARCH_OPTIONS,
] as const;
type Repeated = Pick<NewObjectives, (typeof REPEATED)[number] | 'minimumBounds' | 'maximumBounds'>;

/** Loads it, which stops the other one if that still runs, and shows it. Rejects if the service refuses. */
export async function goOn(head: Head, change: Partial<Repeated>): Promise<void> {
  const path = { model_id: head.modelId, project_id: head.projectId, trial_id: head.trialId };
  const body = { ...repeatedOf(head), ...change, continues: head.objectiveId };
  const loaded = await service.call('loadObjectives', { path, body });
  navigate(`/page/objectives/${loaded.body.id}`);
}

/** The definition of another objective with the same targets and settings. */
export function repeatedOf(head: Head): Repeated {
  const { minimumBounds, maximumBounds, stop } = head;
  return {
    ...(Object.fromEntries(REPEATED.map((name) => [name, head[name]])) as Pick<Head, (typeof REPEATED)[number]>),
    // Other targets may leave nothing for a front to be measured from.
    front: null,
    stop: stop && { ...stop, until: isAhead(stop.until) ? stop.until : null },
    ...(minimumBounds.length > 0 && { minimumBounds, maximumBounds }),
  };
}

/** A time in the past would end it immediately. */
function isAhead(until: string | null): boolean {
  return until !== null && Date.parse(until) > Date.now();
}
