/**
 * The state machine of an objective and its inverses. It maps events to the next states; no other file decides them.
 *
 * Objective (stopReason): RUNNING is the only state with outgoing edges; SATISFIED, STOPPED and EXHAUSTED are final.
 * Inverse (status): active is the only state with outgoing edges; converged, max_iterations, stopped and failed are final.
 * An inverse whose output was loaded without satisfying everything stays active; its loadedAt shows that.
 */
import { InverseStatus } from './inverse.ts';

export const StopReason = { running: 0, satisfied: 1, stopped: 2, exhausted: 3 } as const;
export type StopReason = (typeof StopReason)[keyof typeof StopReason];

/** Everything that can happen to a running objective. */
export type ObjectiveEvent =
  | 'inverse-suggested'
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
  readonly inverseStatus: InverseStatus;
}

/**
 * Edges out of RUNNING. `last-*` means that attemptCount has reached maximumAttempts. A failed run that was the last
 * attempt leaves nothing to try, so the objective is EXHAUSTED while the inverse itself reads failed.
 */
export const TRANSITIONS: Readonly<Record<ObjectiveEvent, Transition>> = {
  'inverse-suggested': { stopReason: StopReason.running, inverseStatus: InverseStatus.active },
  'output-satisfied': { stopReason: StopReason.satisfied, inverseStatus: InverseStatus.converged },
  'output-unsatisfied': { stopReason: StopReason.running, inverseStatus: InverseStatus.active },
  'last-output-unsatisfied': { stopReason: StopReason.exhausted, inverseStatus: InverseStatus.maxIterations },
  'nothing-new': { stopReason: StopReason.stopped, inverseStatus: InverseStatus.stopped },
  'stopped-by-hand': { stopReason: StopReason.stopped, inverseStatus: InverseStatus.stopped },
  'run-failed': { stopReason: StopReason.running, inverseStatus: InverseStatus.failed },
  'last-run-failed': { stopReason: StopReason.exhausted, inverseStatus: InverseStatus.failed },
  'computation-failed': { stopReason: StopReason.running, inverseStatus: InverseStatus.failed },
};

export function isFinal(stopReason: StopReason): boolean {
  return stopReason !== StopReason.running;
}

/** The states after `event`, or undefined if the objective has ended: a final state never changes. */
export function nextState(current: StopReason, event: ObjectiveEvent): Transition | undefined {
  return isFinal(current) ? undefined : TRANSITIONS[event];
}

/** The event for a loaded output, given the verdict and the attempts used. */
export function outputEvent(isSatisfied: boolean, attempts: Attempts): ObjectiveEvent {
  if (isSatisfied) return 'output-satisfied';
  return areUsedUp(attempts) ? 'last-output-unsatisfied' : 'output-unsatisfied';
}

/** The event for a run that the client reports as failed. */
export function failedRunEvent(attempts: Attempts): ObjectiveEvent {
  return areUsedUp(attempts) ? 'last-run-failed' : 'run-failed';
}

export interface Attempts {
  /** Suggested inverses so far. */
  readonly attemptCount: number;
  readonly maximumAttempts: number;
}

function areUsedUp(attempts: Attempts): boolean {
  return attempts.attemptCount >= attempts.maximumAttempts;
}
