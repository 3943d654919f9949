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
import { InverseStatus } from '../inverse.ts';
import { aimsOn } from '../robust-options.ts';
import { endsWithOneRun, type SearchOptions, solutionsSought } from '../search-options.ts';

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
 * objective is EXHAUSTED while the inverse itself reads failed. `held` and `attempts-used-up` end objectives that do not end with one
 * run: the inverse repeats the best input and is not run.
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
 * @param seeksSurer  whether a run has satisfied everything and the search went on for a surer one: whatever ends it then, the
 *   objective is SATISFIED
 */
export function nextState(current: StopReason, event: ObjectiveEvent, seeksSurer = false): Transition | undefined {
  if (isFinal(current)) return undefined;
  const next = TRANSITIONS[event];
  return seeksSurer && isFinal(next.stopReason) ? { ...next, stopReason: StopReason.satisfied } : next;
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
  if (isSatisfied && endsWithOneRun(attempts.options)) {
    if (isMoreSought) return areUsedUp(attempts) && !areOthersOpen ? 'last-solution-found' : 'solution-found';
    return aimsOn(attempts) && !areUsedUp(attempts) ? 'output-satisfied-first' : 'output-satisfied';
  }
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
export function lateOutputState(current: StopReason, event: ObjectiveEvent): Transition {
  const isSatisfied = TRANSITIONS[event].inverseStatus === InverseStatus.converged;
  const state = isSatisfied ? nextState(current, event) : undefined;
  return state ?? { stopReason: current, inverseStatus: InverseStatus.stopped };
}

export interface Attempts {
  /** Suggested inverses so far. */
  readonly attemptCount: number;
  readonly maximumAttempts: number;
  /** None unless given. */
  readonly options?: SearchOptions | null;
}

/** Whether the last attempt has been made and nothing is left to decide. */
function areUsedUp(attempts: Attempts): boolean {
  return attempts.attemptCount >= attempts.maximumAttempts && endsWithOneRun(attempts.options);
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

export interface RevisedObjective extends Attempts {
  readonly stopReason: StopReason;
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
 * @param isVerdictAffected  whether the objective does not end with one run, has ended satisfied, and rests on the corrected one
 */
export function reviseStates(
  objective: RevisedObjective,
  runs: readonly RevisedRun[],
  mayReopen: boolean,
  isVerdictAffected = false,
): RevisedStates | undefined {
  if (!endsWithOneRun(objective.options)) return reviseHeld(objective, runs, mayReopen, isVerdictAffected);
  const doLateCount =
    mayReopen || objective.stopReason === StopReason.running || objective.stopReason === StopReason.satisfied;
  const sought = solutionsSought(objective.options);
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

/** Of an objective that does not end with one run: its next suggestion decides anew. */
function reviseHeld(
  { stopReason: before }: { readonly stopReason: StopReason },
  runs: readonly RevisedRun[],
  mayReopen: boolean,
  isVerdictAffected: boolean,
): RevisedStates | undefined {
  if (isVerdictAffected && !mayReopen) return undefined;
  const stopReason = mayReopen ? StopReason.running : before;
  const statuses = new Map<number, InverseStatus>();
  for (const run of runs) {
    const result = run.result === 'satisfied' ? 'unsatisfied' : run.result === 'late' ? 'never-run' : run.result;
    const status = reviseStatus({ ...run, result }, stopReason, false);
    if (status !== run.status) statuses.set(run.id, status);
  }
  return { stopReason, statuses, exhaustedId: null };
}

function reviseStopReason(
  objective: RevisedObjective,
  isSatisfied: boolean,
  mayReopen: boolean,
): StopReason | undefined {
  const { stopReason } = objective;
  // Which run is the surest is for the next suggestion to decide.
  const mayGoOn = stopReason === StopReason.running || mayReopen;
  if (isSatisfied && aimsOn(objective) && mayGoOn && !areUsedUp(objective)) return StopReason.running;
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
