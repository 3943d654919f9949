/**
 * Batches: a project, or a trial of it, worked through unattended. The designed cases are evaluated first, unless a trial is
 * given; then objective after objective, so that as many evaluations are open together as the batch's parallelism allows.
 *
 * Status: evaluating-cases -> solving -> completed; failed and cancelled can be reached from both. A completed batch that gets
 * more objectives is solving again; failed and cancelled are final.
 *
 * `planBatch` is a function of the current state of a batch. Whoever applies its actions may do so at any time, as often as they like:
 * nothing is remembered between two plans.
 */
import { DomainError } from '../errors.ts';
import type { NewObjective } from '../search/objective.ts';

export { LARGEST_PARALLELISM } from '../search/objective.ts';

export const BatchStatus = {
  evaluatingCases: 'evaluating-cases',
  solving: 'solving',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
} as const;
export type BatchStatus = (typeof BatchStatus)[keyof typeof BatchStatus];

/** Whoever runs the evaluations: evaluators that claim them, an address that the worker calls, or the worker by a workbook. */
export type Evaluator =
  | { readonly kind: 'pull' }
  | {
      readonly kind: 'http';
      readonly url: string;
      /** Time limit of one call; null: that of the batch. */
      readonly timeoutSeconds: number | null;
      /** Calls under way at a time; null: as many as the batch has evaluations open. */
      readonly concurrency: number | null;
    }
  | {
      readonly kind: 'workbook';
      readonly workbookId: number;
      /** A cell for each input of the project, and for each output. */
      readonly inputs: readonly string[];
      readonly outputs: readonly string[];
      /** Its runs follow one another. */
      readonly concurrency: 1;
    };

export interface BatchSettings {
  readonly name: string | null;
  /** Evaluations of the batch that may be open at a time. */
  readonly parallelism: number;
  readonly evaluator: Evaluator;
  /** Time limit of one evaluation, from its claim. */
  readonly timeoutSeconds: number;
  /** Failures after which an evaluation is not tried again. */
  readonly maximumTries: number;
  /** Lost leases after which an evaluation is not tried again. */
  readonly maximumLosses: number;
  /** Failed evaluations in a row after which the batch fails. */
  readonly stopAfterFailures: number;
}

export interface NewBatch extends BatchSettings {
  readonly objectives: readonly NewObjective[];
  /** null: the designed cases of the project are evaluated first. */
  readonly trialId: number | null;
}

export interface Batch extends BatchSettings {
  readonly id: number;
  readonly modelId: number;
  readonly projectId: number;
  /** null until its cases are loaded. */
  readonly trialId: number | null;
  readonly status: BatchStatus;
  readonly isPaused: boolean;
  /** Number of outputs of every evaluation. */
  readonly outputCount: number;
  readonly failureReason: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly finishedAt: Date | null;
}

export interface BatchProgress {
  /** All 0 in a batch of a given trial. */
  readonly cases: { readonly planned: number; readonly done: number; readonly failed: number };
  readonly objectives: {
    /** All of them. */
    readonly planned: number;
    readonly running: number;
    readonly satisfied: number;
    readonly stopped: number;
    readonly exhausted: number;
    /** Those that could not be loaded. */
    readonly failed: number;
  };
  readonly evaluations: {
    readonly waiting: number;
    readonly leased: number;
    readonly done: number;
    readonly failed: number;
    readonly cancelled: number;
  };
}

export interface BatchWithProgress extends Batch {
  readonly progress: BatchProgress;
}

/** Objectives of one request. */
export const MAXIMUM_BATCH_OBJECTIVES = 1_000;
/** Objectives of one batch, those added later included. */
export const MAXIMUM_OBJECTIVES_IN_ALL = 10_000;
/** Batches of one account that have not ended. */
export const MAXIMUM_OPEN_BATCHES = 1_000;

export function isOpen(status: BatchStatus): boolean {
  return status === BatchStatus.evaluatingCases || status === BatchStatus.solving;
}

/** Throws BATCH_ENDED unless the batch goes on. */
export function refuseEndedBatch({ id, status }: Pick<Batch, 'id' | 'status'>): void {
  if (!isOpen(status)) throw batchEnded(id, status);
}

export function batchEnded(id: number, status: BatchStatus): DomainError {
  const advice =
    status === BatchStatus.completed
      ? 'add objectives to go on with it, or create another batch.'
      : 'create another batch on the same trial to go on.';
  return new DomainError('BATCH_ENDED', `Batch ${id} is ${status}; ${advice}`);
}

/** A running objective of a batch. */
export interface RunningObjective {
  readonly id: number;
  /** As stored: how many inverses may be open. */
  readonly parallelism: number;
  /** The most that its definition allows. */
  readonly largestParallelism: number;
  /** Inverses that await their output. */
  readonly open: number;
  /** Inverses asked for and not computed yet. */
  readonly queued: number;
  /** Inverses that may still be asked for. */
  readonly attemptsLeft: number;
  /** Suggestions in a row that could not be computed, since the last one that could. */
  readonly failedSuggestions: number;
}

/** Each has already been retried. Without this limit the batch would keep asking for suggestions that fail. */
const MAXIMUM_FAILED_SUGGESTIONS = 3;

function isHopeless({ failedSuggestions }: RunningObjective): boolean {
  return failedSuggestions >= MAXIMUM_FAILED_SUGGESTIONS;
}

/** A batch as it is at one moment. */
export interface BatchState {
  readonly status: BatchStatus;
  readonly isPaused: boolean;
  readonly parallelism: number;
  readonly stopAfterFailures: number;
  readonly cases: {
    readonly planned: number;
    /** Those that have an evaluation. */
    readonly begun: number;
    readonly done: number;
    readonly failed: number;
    /** Number of cases that the project may still get. */
    readonly room: number;
  };
  /** Reason why the project or the trial can no longer be used; null while it can. */
  readonly obstacle: string | null;
  /** Evaluations that wait or are leased. */
  readonly openEvaluations: number;
  /** Number of further evaluations that the project may have open; Infinity: any number. */
  readonly room: number;
  /** Evaluations whose inverse awaits no output any more. */
  readonly orphans: number;
  /** Inverses that await their output and have no evaluation. */
  readonly unassigned: number;
  /** Whether the last `stopAfterFailures` evaluations failed, all of them. */
  readonly failsAlways: boolean;
  /** Reason why the last of them failed. */
  readonly lastFailure: string | null;
  /** Objectives whose time has not come. */
  readonly waitingObjectives: number;
  /** In their order in the batch. */
  readonly running: readonly RunningObjective[];
}

export type BatchAction =
  | { readonly kind: 'cancel-orphans' }
  | { readonly kind: 'end'; readonly status: 'completed' | 'failed' | 'cancelled'; readonly reason: string | null }
  | { readonly kind: 'begin-cases'; readonly count: number }
  /** All `failed` cases failed: `count` further ones are designed. Without any the batch ends for this reason. */
  | { readonly kind: 'continue-design'; readonly failed: number; readonly count: number; readonly reason: string }
  | { readonly kind: 'load-cases' }
  | { readonly kind: 'begin-inverses'; readonly count: number }
  | { readonly kind: 'create-objectives'; readonly count: number }
  /** Its suggestions cannot be computed. */
  | { readonly kind: 'give-up-objective'; readonly objectiveId: number; readonly failedSuggestions: number }
  | { readonly kind: 'set-parallelism'; readonly objectiveId: number; readonly parallelism: number }
  | {
      readonly kind: 'request-suggestions';
      readonly objectiveId: number;
      readonly count: number;
      /** Whether no other inverse of the objective is open. */
      readonly isAlone: boolean;
    };

/** Next actions, in this order; none: wait until something happens. */
export function planBatch(state: BatchState): readonly BatchAction[] {
  if (!isOpen(state.status)) return [];
  const { obstacle } = state;
  if (obstacle !== null) return [{ kind: 'end', status: 'cancelled', reason: obstacle }];
  if (state.failsAlways) return [{ kind: 'end', status: 'failed', reason: failureOf(state) }];
  return state.status === BatchStatus.evaluatingCases ? planCases(state) : planObjectives(state);
}

function failureOf({ stopAfterFailures, lastFailure }: BatchState): string {
  const which = stopAfterFailures === 1 ? 'An evaluation' : `${stopAfterFailures} evaluations in a row`;
  return `${which} failed; the last one: ${lastFailure ?? 'no reason was given'}`;
}

/**
 * The design of a project whose cases all fail goes on to so many, doubling it each time. Two of two fail easily where a third of the
 * inputs have no output; with ten that is a program that always fails, or a hopeless box.
 */
const MOST_FAILED_CASES = 10;

/** All together, as far as the project allows: none of them learns from another. */
function planCases({ cases, room, lastFailure }: BatchState): readonly BatchAction[] {
  const { planned, begun, done, failed } = cases;
  if (failed === planned) {
    const reason = `All ${planned} designed cases failed; the last one: ${lastFailure ?? 'no reason was given'}`;
    const further = Math.min(planned, MOST_FAILED_CASES - planned, cases.room);
    if (further > 0) return [{ kind: 'continue-design', failed, count: further, reason }];
    return [{ kind: 'end', status: 'failed', reason }];
  }
  if (done + failed === planned) return [{ kind: 'load-cases' }];
  const count = Math.min(planned - begun, room);
  return count > 0 ? [{ kind: 'begin-cases', count }] : [];
}

function planObjectives(state: BatchState): readonly BatchAction[] {
  const { running, waitingObjectives, orphans, unassigned, room, isPaused } = state;
  const actions: BatchAction[] = orphans > 0 ? [{ kind: 'cancel-orphans' }] : [];
  const begun = Math.min(unassigned, room);
  if (begun > 0) actions.push({ kind: 'begin-inverses', count: begun });
  if (running.length === 0 && waitingObjectives === 0) {
    return [...actions, { kind: 'end', status: 'completed', reason: null }];
  }
  if (isPaused) return actions;
  // An output that is still missing may make the next suggestion possible.
  const givenUp = running.filter((one) => isHopeless(one) && one.open + one.queued === 0);
  if (givenUp.length > 0) {
    return [
      ...actions,
      ...givenUp.map(
        ({ id, failedSuggestions }) => ({ kind: 'give-up-objective', objectiveId: id, failedSuggestions }) as const,
      ),
    ];
  }
  // Evaluations of the project's other batches use up what it may have open.
  const slots = Math.min(state.parallelism, state.openEvaluations + room);
  const created = Math.min(slots - running.length, waitingObjectives);
  // They share the slots with those that run already.
  if (created > 0) return [...actions, { kind: 'create-objectives', count: created }];
  return [...actions, ...planSuggestions(running, slots)];
}

/** Each running objective gets a slot, the first ones first, and the slots that are left are shared out evenly. */
function planSuggestions(running: readonly RunningObjective[], slots: number): readonly BatchAction[] {
  const shares = shareSlots(
    running.map((one) => Math.min(one.largestParallelism, one.open + one.queued + one.attemptsLeft)),
    slots,
  );
  let free = slots - running.reduce((sum, { open, queued }) => sum + open + queued, 0);
  return running.flatMap((objective, i) => {
    const { id: objectiveId, open, queued } = objective;
    const attemptsLeft = isHopeless(objective) ? 0 : objective.attemptsLeft;
    const parallelism = Math.max(1, shares[i]!);
    const count = Math.min(shares[i]! - open - queued, attemptsLeft, free);
    const actions: BatchAction[] = [];
    if (parallelism !== objective.parallelism) actions.push({ kind: 'set-parallelism', objectiveId, parallelism });
    if (count <= 0) return actions;
    free -= count;
    const isAlone = parallelism === 1 && open + queued === 0;
    return [...actions, { kind: 'request-suggestions', objectiveId, count, isAlone }];
  });
}

/** Slots dealt out one by one, round after round, to those that can use more. */
export function shareSlots(limits: readonly number[], slots: number): readonly number[] {
  const shares = limits.map(() => 0);
  let left = slots;
  for (let isDealt = true; isDealt && left > 0; ) {
    isDealt = false;
    for (const [i, limit] of limits.entries()) {
      if (left === 0 || shares[i]! >= limit) continue;
      shares[i]! += 1;
      left -= 1;
      isDealt = true;
    }
  }
  return shares;
}
