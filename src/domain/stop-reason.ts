/**
 * The state machine of an objective and its inverses. It maps events to the next states; no other file decides them.
 *
 * Objective (stopReason): RUNNING is the only state with outgoing edges; SATISFIED, STOPPED and EXHAUSTED are final.
 * Inverse (status): active is the only state with outgoing edges; converged, max_iterations, stopped and failed are final.
 * An inverse whose output was loaded without satisfying everything stays active; its loadedAt shows that.
 *
 * A correction is no event: it changes what the states rest on, and `reviseStates` forms them anew. Only there an objective
 * leaves a final state, and only when the client asks for it.
 */
import { InverseStatus } from './inverse.ts';

export const StopReason = { running: 0, satisfied: 1, stopped: 2, exhausted: 3 } as const;
export type StopReason = (typeof StopReason)[keyof typeof StopReason];

/** Everything that can happen to a running objective. */
export type ObjectiveEvent =
  | 'inverse-suggested'
  | 'output-satisfied'
  | 'solution-found'
  | 'last-solution-found'
  | 'output-unsatisfied'
  | 'last-output-unsatisfied'
  | 'nothing-new'
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
 * Edges out of RUNNING. `solution-found` is one of several solutions, of which more are sought. `last-*` means that attemptCount has reached maximumAttempts and no other inverse is open. A failed run that was the last
 * attempt leaves nothing to try, so the objective is EXHAUSTED while the inverse itself reads failed.
 */
export const TRANSITIONS: Readonly<Record<ObjectiveEvent, Transition>> = {
  'inverse-suggested': { stopReason: StopReason.running, inverseStatus: InverseStatus.active },
  'output-satisfied': { stopReason: StopReason.satisfied, inverseStatus: InverseStatus.converged },
  'solution-found': { stopReason: StopReason.running, inverseStatus: InverseStatus.converged },
  'last-solution-found': { stopReason: StopReason.exhausted, inverseStatus: InverseStatus.converged },
  'output-unsatisfied': { stopReason: StopReason.running, inverseStatus: InverseStatus.active },
  'last-output-unsatisfied': { stopReason: StopReason.exhausted, inverseStatus: InverseStatus.maxIterations },
  'nothing-new': { stopReason: StopReason.stopped, inverseStatus: InverseStatus.stopped },
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

/** The states after `event`, or undefined if the objective has ended: a final state never changes. */
export function nextState(current: StopReason, event: ObjectiveEvent): Transition | undefined {
  return isFinal(current) ? undefined : TRANSITIONS[event];
}

/**
 * The event for a loaded output, given the verdict and the attempts used. Others can be open only where several may be.
 *
 * @param isMoreSought  whether further solutions are sought besides this one
 */
export function outputEvent(
  isSatisfied: boolean,
  attempts: Attempts,
  areOthersOpen = false,
  isMoreSought = false,
): ObjectiveEvent {
  if (isSatisfied && !isMoreSought) return 'output-satisfied';
  if (isSatisfied) return areUsedUp(attempts) && !areOthersOpen ? 'last-solution-found' : 'solution-found';
  return areUsedUp(attempts) && !areOthersOpen ? 'last-output-unsatisfied' : 'output-unsatisfied';
}

/** The event for a run that the client reports as failed. */
export function failedRunEvent(attempts: Attempts, areOthersOpen = false): ObjectiveEvent {
  return areUsedUp(attempts) && !areOthersOpen ? 'last-run-failed' : 'run-failed';
}

/** The event for an open inverse that the client gives up. */
export function stoppedInverseEvent(attempts: Attempts, areOthersOpen: boolean): ObjectiveEvent {
  return areUsedUp(attempts) && !areOthersOpen ? 'last-inverse-stopped' : 'inverse-stopped';
}

/**
 * The states after the output of an inverse that was given up: one that satisfies everything counts for an objective that runs like
 * any other, else nothing changes.
 */
export function lateOutputState(current: StopReason, isSatisfied: boolean, isMoreSought = false): Transition {
  const state = isSatisfied ? nextState(current, isMoreSought ? 'solution-found' : 'output-satisfied') : undefined;
  return state ?? { stopReason: current, inverseStatus: InverseStatus.stopped };
}

export interface Attempts {
  /** Suggested inverses so far. */
  readonly attemptCount: number;
  readonly maximumAttempts: number;
}

function areUsedUp(attempts: Attempts): boolean {
  return attempts.attemptCount >= attempts.maximumAttempts;
}

/** An inverse as its result counts after a correction. */
export interface RevisedRun {
  readonly id: number;
  readonly status: InverseStatus;
  /**
   * - open: the output is missing, or the suggestion is being computed.
   * - satisfied, unsatisfied: completed; an excluded one satisfies nothing.
   * - failed: the client reported that the run failed.
   * - late: the output came after the inverse had been given up, and satisfies everything; it may keep an objective satisfied,
   *   and brings none back by itself.
   * - never-run: stopped, not computed, or a repeat of a known run; also a late output that satisfies nothing.
   */
  readonly result: 'open' | 'satisfied' | 'unsatisfied' | 'failed' | 'late' | 'never-run';
}

export interface RevisedStates {
  readonly stopReason: StopReason;
  /** By the id of the inverse; only those that change. */
  readonly statuses: ReadonlyMap<number, InverseStatus>;
  /** The inverse with which the attempts were used up, if the objective is exhausted. */
  readonly exhaustedId: number | null;
}

/**
 * The states of an objective and its inverses that follow from the results as they are now. Undefined when an objective that has
 * ended would get another verdict, and `mayReopen` does not allow that.
 *
 * @param runs  all inverses, in order of iteration; of several solutions, those too near to another one count as unsatisfied
 * @param sought  how many satisfied ones end the objective
 */
export function reviseStates(
  objective: Attempts & { readonly stopReason: StopReason },
  runs: readonly RevisedRun[],
  mayReopen: boolean,
  sought = 1,
): RevisedStates | undefined {
  const doLateCount =
    mayReopen || objective.stopReason === StopReason.running || objective.stopReason === StopReason.satisfied;
  const satisfied = runs.filter(({ result }) => result === 'satisfied' || (doLateCount && result === 'late'));
  const isSatisfied = satisfied.length >= sought;
  const stopReason = reviseStopReason(objective, isSatisfied, mayReopen);
  if (stopReason === undefined) return undefined;
  const last = runs.findLast(({ result }) => result !== 'never-run');
  const exhaustedId = stopReason === StopReason.exhausted ? (last?.id ?? null) : null;
  const statuses = new Map<number, InverseStatus>();
  for (const run of runs) {
    const isSolution = sought > 1 && satisfied.includes(run);
    const status = isSolution ? InverseStatus.converged : reviseStatus(run, stopReason, run.id === exhaustedId);
    if (status !== run.status) statuses.set(run.id, status);
  }
  return { stopReason, statuses, exhaustedId };
}

function reviseStopReason(
  objective: Attempts & { readonly stopReason: StopReason },
  isSatisfied: boolean,
  mayReopen: boolean,
): StopReason | undefined {
  const { stopReason } = objective;
  if (isSatisfied) {
    return mayReopen || stopReason === StopReason.running || stopReason === StopReason.satisfied
      ? StopReason.satisfied
      : undefined;
  }
  const goingOn = areUsedUp(objective) ? StopReason.exhausted : StopReason.running;
  if (stopReason === StopReason.satisfied) return mayReopen ? goingOn : undefined;
  // It may have stopped because of the wrong result.
  const goesOn = mayReopen && stopReason === StopReason.stopped && goingOn === StopReason.running;
  return goesOn ? StopReason.running : stopReason;
}

function reviseStatus({ status, result }: RevisedRun, stopReason: StopReason, isExhausting: boolean): InverseStatus {
  switch (result) {
    case 'open':
      return isFinal(stopReason) ? InverseStatus.stopped : status;
    case 'satisfied':
      return InverseStatus.converged;
    case 'unsatisfied':
      return isExhausting ? InverseStatus.maxIterations : InverseStatus.active;
    case 'failed':
      return InverseStatus.failed;
    case 'late':
      return stopReason === StopReason.satisfied ? InverseStatus.converged : status;
    case 'never-run':
      return status;
  }
}
