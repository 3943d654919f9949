/**
 * The state machine of an objective and of its steps. Facts come in, the next states come out; nobody else decides.
 *
 * Objective (stopReason): RUNNING is the only state with outgoing edges; SATISFIED, STOPPED and EXHAUSTED are final.
 * Step (status): active is the only state with outgoing edges; converged, max_iterations, stopped and failed are final.
 * An active step whose output was loaded without satisfying everything stays active; its loadedAt tells.
 */
import { InverseStatus } from './inverse.ts';

export const StopReason = { running: 0, satisfied: 1, stopped: 2, exhausted: 3 } as const;
export type StopReason = (typeof StopReason)[keyof typeof StopReason];

/** What can happen to a running objective. */
export type ObjectiveEvent =
  | 'step-suggested'
  | 'output-satisfied'
  | 'output-unsatisfied'
  | 'last-output-unsatisfied'
  | 'nothing-new'
  | 'stopped-by-hand'
  | 'run-failed'
  | 'last-run-failed'
  | 'computation-failed';

export interface Transition {
  readonly stopReason: StopReason;
  readonly stepStatus: InverseStatus;
}

/**
 * Edges out of RUNNING. `last-*` means that attemptCount has reached maximumAttempts. A failed run that was the last
 * attempt leaves nothing to try, so the objective is EXHAUSTED while the step itself reads failed.
 */
export const TRANSITIONS: Readonly<Record<ObjectiveEvent, Transition>> = {
  'step-suggested': { stopReason: StopReason.running, stepStatus: InverseStatus.active },
  'output-satisfied': { stopReason: StopReason.satisfied, stepStatus: InverseStatus.converged },
  'output-unsatisfied': { stopReason: StopReason.running, stepStatus: InverseStatus.active },
  'last-output-unsatisfied': { stopReason: StopReason.exhausted, stepStatus: InverseStatus.maxIterations },
  'nothing-new': { stopReason: StopReason.stopped, stepStatus: InverseStatus.stopped },
  'stopped-by-hand': { stopReason: StopReason.stopped, stepStatus: InverseStatus.stopped },
  'run-failed': { stopReason: StopReason.running, stepStatus: InverseStatus.failed },
  'last-run-failed': { stopReason: StopReason.exhausted, stepStatus: InverseStatus.failed },
  'computation-failed': { stopReason: StopReason.running, stepStatus: InverseStatus.failed },
};

export function isFinal(stopReason: StopReason): boolean {
  return stopReason !== StopReason.running;
}

/** The states after `event`, or undefined when the objective has ended: a final state never changes again. */
export function nextState(current: StopReason, event: ObjectiveEvent): Transition | undefined {
  return isFinal(current) ? undefined : TRANSITIONS[event];
}

/** The event that a loaded output is, given the verdict and the attempts used. */
export function outputEvent(isSatisfied: boolean, attempts: Attempts): ObjectiveEvent {
  if (isSatisfied) return 'output-satisfied';
  return areUsedUp(attempts) ? 'last-output-unsatisfied' : 'output-unsatisfied';
}

/** The event that a reported failure of the client's run is. */
export function failedRunEvent(attempts: Attempts): ObjectiveEvent {
  return areUsedUp(attempts) ? 'last-run-failed' : 'run-failed';
}

export interface Attempts {
  /** Suggested steps so far. */
  readonly attemptCount: number;
  readonly maximumAttempts: number;
}

function areUsedUp(attempts: Attempts): boolean {
  return attempts.attemptCount >= attempts.maximumAttempts;
}
