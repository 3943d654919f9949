/**
 * The state machine of an objective and its inverses. It maps events to the next states; no other file decides them.
 *
 * Objective (stopReason): RUNNING is the only state with outgoing edges; SATISFIED, STOPPED and EXHAUSTED are final.
 * Inverse (status): active is the only state with outgoing edges; converged, max_iterations, stopped and failed are final.
 * An inverse whose output was loaded without satisfying everything stays active; its loadedAt shows that.
 *
 * A correction is no event: it changes what the states rest on, and `standingOf` forms them again. Only there an objective
 * leaves a final state, and only when the client asks for it.
 */
import { InverseStatus } from './inverse.ts';

export const StopReason = { running: 0, satisfied: 1, stopped: 2, exhausted: 3 } as const;
export type StopReason = (typeof StopReason)[keyof typeof StopReason];

/** Everything that can happen to a running objective. */
export type ObjectiveEvent =
  | 'inverse-suggested'
  | 'output-satisfied'
  /** The search goes on for an input that satisfies everything more surely. */
  | 'output-satisfied-first'
  | 'solution-found'
  | 'last-solution-found'
  | 'output-unsatisfied'
  | 'last-output-unsatisfied'
  | 'nothing-new'
  | 'held'
  | 'fitted'
  | 'attempts-used-up'
  | 'stopped-by-hand'
  | 'inverse-stopped'
  | 'last-inverse-stopped'
  | 'run-failed'
  | 'last-run-failed'
  | 'computation-failed';

export interface Transition {
  readonly stopReason: StopReason;
  readonly inverseStatus: InverseStatus;
}

/**
 * Edges out of RUNNING. `solution-found` is one of several solutions, of which more are sought. `last-*` means that attemptCount has
 * reached maximumAttempts and no other inverse is open. A failed run that was the last attempt leaves nothing to try, so the
 * objective is EXHAUSTED while the inverse itself reads failed. `held`, `fitted` and `attempts-used-up` end objectives that do not end
 * with one run: the inverse repeats the best input and is not run.
 */
export const TRANSITIONS: Readonly<Record<ObjectiveEvent, Transition>> = {
  'inverse-suggested': { stopReason: StopReason.running, inverseStatus: InverseStatus.active },
  'output-satisfied': { stopReason: StopReason.satisfied, inverseStatus: InverseStatus.converged },
  'output-satisfied-first': { stopReason: StopReason.running, inverseStatus: InverseStatus.converged },
  'solution-found': { stopReason: StopReason.running, inverseStatus: InverseStatus.converged },
  'last-solution-found': { stopReason: StopReason.exhausted, inverseStatus: InverseStatus.converged },
  'output-unsatisfied': { stopReason: StopReason.running, inverseStatus: InverseStatus.active },
  'last-output-unsatisfied': { stopReason: StopReason.exhausted, inverseStatus: InverseStatus.maxIterations },
  'nothing-new': { stopReason: StopReason.stopped, inverseStatus: InverseStatus.stopped },
  held: { stopReason: StopReason.satisfied, inverseStatus: InverseStatus.stopped },
  fitted: { stopReason: StopReason.satisfied, inverseStatus: InverseStatus.stopped },
  'attempts-used-up': { stopReason: StopReason.exhausted, inverseStatus: InverseStatus.stopped },
  'stopped-by-hand': { stopReason: StopReason.stopped, inverseStatus: InverseStatus.stopped },
  'inverse-stopped': { stopReason: StopReason.running, inverseStatus: InverseStatus.stopped },
  'last-inverse-stopped': { stopReason: StopReason.exhausted, inverseStatus: InverseStatus.stopped },
  'run-failed': { stopReason: StopReason.running, inverseStatus: InverseStatus.failed },
  'last-run-failed': { stopReason: StopReason.exhausted, inverseStatus: InverseStatus.failed },
  'computation-failed': { stopReason: StopReason.running, inverseStatus: InverseStatus.failed },
};

export function isFinal(stopReason: StopReason): boolean {
  return stopReason !== StopReason.running;
}

/**
 * The states after `event`, or undefined if the objective has ended: a final state never changes.
 *
 * @param isAchieved  whether the search went on after a success: whatever ends it then, the objective is SATISFIED
 */
export function nextState(current: StopReason, event: ObjectiveEvent, isAchieved = false): Transition | undefined {
  if (isFinal(current)) return undefined;
  const next = TRANSITIONS[event];
  return isAchieved && isFinal(next.stopReason) ? { ...next, stopReason: StopReason.satisfied } : next;
}

/**
 * The states after the output of an inverse that was given up: one that satisfies everything counts for an objective that runs like
 * any other, else nothing changes.
 */
export function lateOutputState(current: StopReason, event: ObjectiveEvent): Transition {
  const isSatisfied = TRANSITIONS[event].inverseStatus === InverseStatus.converged;
  const state = isSatisfied ? nextState(current, event) : undefined;
  return state ?? { stopReason: current, inverseStatus: InverseStatus.stopped };
}
