/** Decides how many inverses of one objective may be open together, and when no further one is opened although it might be. */
import { hasAspiration, type Objective } from './objective.ts';
import { questOf } from './quest.ts';

/** An open inverse with this chance is waited for: it saves about a tenth of the runs and costs few rounds. */
const LIKELY_CHANCE = 0.9;

export interface OpenInverse {
  readonly id: number;
  readonly iteration: number;
  /** False while it is being computed. */
  readonly isSuggested: boolean;
  /** Probability of success that the model gave it; null if it gave none. */
  readonly chance: number | null;
}

type Open = Pick<OpenInverse, 'isSuggested' | 'chance'>;

/** Reason why no inverse is opened. */
export type WhyNone =
  /** As many are open, or asked for, as the parallelism says. */
  | 'parallelism'
  /** Every attempt is handed out or asked for. */
  | 'attempts'
  /** An open inverse is likely to succeed. */
  | 'held-back'
  /** The search found nothing new since the last output, and waits for those that are open. */
  | 'nothing-new';

type Opening = Pick<
  Objective,
  | 'parallelism'
  | 'holdBack'
  | 'options'
  | 'attemptCount'
  | 'maximumAttempts'
  | 'objectives'
  | 'objectiveTypes'
  | 'completedCount'
  | 'nothingNewAt'
>;

/** Whether the objective waits for an open inverse that is likely to succeed. Without an end in sight, as with minimize or while further solutions are sought, it never does. */
export function isHeldBack(
  objective: Pick<Objective, 'holdBack' | 'objectives' | 'objectiveTypes' | 'options'>,
  open: readonly Pick<OpenInverse, 'chance'>[],
): boolean {
  if (!objective.holdBack || hasAspiration(objective) || !questOf(objective).isEndInSight) return false;
  return open.some(({ chance }) => chance !== null && chance >= LIKELY_CHANCE);
}

/**
 * Number of inverses that are opened for a request.
 *
 * @param asked  how many are to follow the one being computed
 * @param count  how many the request wants; default: all that may be opened
 */
export function planOpening(
  objective: Opening,
  open: readonly Open[],
  asked: number,
  count = Number.POSITIVE_INFINITY,
): { readonly granted: number; readonly whyNone: WhyNone | null } {
  const computing = open.filter(({ isSuggested }) => !isSuggested).length;
  const capacity = objective.parallelism - open.length - asked;
  const attemptsLeft = objective.maximumAttempts - objective.attemptCount - computing - asked;
  if (attemptsLeft <= 0) {
    // With all outputs there, one more suggestion decides how the objective ends.
    const isDecided = open.length + asked === 0 && !questOf(objective).endsWithRuns;
    return isDecided ? { granted: 1, whyNone: null } : { granted: 0, whyNone: 'attempts' };
  }
  if (capacity <= 0) return { granted: 0, whyNone: 'parallelism' };
  if (computing === 0 && isHeldBack(objective, open)) return { granted: 0, whyNone: 'held-back' };
  // These outputs may change the finding that nothing new is left.
  const isWaitingForOutputs = open.length > 0 && objective.nothingNewAt === objective.completedCount;
  if (computing === 0 && isWaitingForOutputs) return { granted: 0, whyNone: 'nothing-new' };
  return { granted: Math.min(count, capacity, attemptsLeft), whyNone: null };
}

/** Whether the worker goes on with the next inverse that was asked for, after it has stored one. */
export function goesOn(objective: Opening, open: readonly Open[]): boolean {
  return planOpening(objective, open, 0, 1).granted > 0;
}
