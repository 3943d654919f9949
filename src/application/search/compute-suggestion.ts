/**
 * A claimed job becomes a suggested inverse: snapshot, computation outside any transaction, then one write that the lease
 * fences. A lost lease means that another worker has the job; the result is dropped. Events: inverse.suggested, and
 * objective.stopped when there is nothing new to suggest.
 */
import { beginInverse } from '../../db/batches/batch-evaluations.ts';
import { type Db, inTransaction, type Trx } from '../../db/connection/transaction.ts';
import { saveExplanation } from '../../db/search/explanations.ts';
import { findObjective, lockObjective, type ObjectiveWithParents } from '../../db/search/objectives.ts';
import {
  getLastIteration,
  insertNextInverse,
  listOpenInverses,
  removeUncomputed,
} from '../../db/search/open-inverses.ts';
import {
  type StoredSuggestion,
  storeLockedSuggestion,
  storeNothingNew,
  storeSuggestion,
} from '../../db/search/stored-suggestions.ts';
import { endJob, lockLeasedJob, moveJob, type OpenJob } from '../../db/search/suggestion-jobs.ts';
import { readSnapshot, type Snapshot } from '../../db/search/suggestions.ts';
import { evaluateOutput } from '../../domain/acceptance.ts';
import type { StoredExplanation } from '../../domain/explanation.ts';
import { checkSuggestion, isAdmissible } from '../../domain/objective-limits.ts';
import { type Ending, endingOf } from '../../domain/search/ending.ts';
import { goesOn } from '../../domain/search/opening.ts';
import { findOptimum } from '../../domain/search/optimum.ts';
import { isFinal, nextState, StopReason } from '../../domain/search/stop-reason.ts';
import { endsWithOneRun } from '../../domain/search-options.ts';
import { isOver } from '../../domain/stop-options.ts';
import type { LeasedJob } from '../../domain/suggestion-job.ts';
import { withoutNegativeZero } from '../../domain/vectors.ts';
import type { Engine } from '../../engine/pool.ts';
import type { History, Proposal, SuggestRequest } from '../../optimizer/problem.ts';
import { untilWritten } from '../until-written.ts';
import { recordEvents, withEnd } from '../webhooks/record-event.ts';
import { rowOf, toSuggestRequest } from './engine-input.ts';
import { computeExplanation } from './explain-objective.ts';
import { giveUpOpen } from './give-up.ts';
import { judgeAll, judgeRuns } from './judge-runs.ts';
import { beatsOptimum, seeksSurer } from './optimum.ts';
import { stopObjective } from './stop-objective.ts';

export interface ComputeDeps {
  readonly db: Db;
  readonly engine: Pick<Engine, 'suggest' | 'explain'>;
  readonly workLimit: number;
}

export type ComputeOutcome =
  /** The inverse was written. */
  | {
      readonly kind: 'suggested' | 'stopped';
      readonly suggestTimeNs: number;
      readonly readMs: number;
      readonly writeMs: number;
      /** What was computed from, for an explanation of it. */
      readonly request: SuggestRequest;
      /** The next inverse that was asked for, under the same lease; null: the job is done. */
      readonly next: LeasedJob | null;
    }
  /** Nothing new is known while other inverses are open: the inverse was removed, and the job is done. */
  | { readonly kind: 'nothing-new' }
  /** The lease or the objective was lost meanwhile; nothing was written. */
  | { readonly kind: 'lost' }
  /** The optimizer failed; the job is to be tried again. */
  | { readonly kind: 'fault'; readonly fault: string };

/** Throws when the database is away or the signal fires; the job then returns to the queue once its lease has run out. */
export async function computeSuggestion(
  deps: ComputeDeps,
  job: LeasedJob,
  signal: AbortSignal,
): Promise<ComputeOutcome> {
  const startedAt = performance.now();
  // While its job is open nothing is added to the objective's own runs. A correction, an added case or a run of another objective
  // that comes meanwhile counts from the next suggestion on; an end is never stored on data that has changed.
  const snapshot = await readSnapshot(deps.db, job);
  if (snapshot === undefined) return { kind: 'lost' };
  if (isOver(snapshot.objective.options?.stop, new Date())) {
    const { accountId, objectiveId } = job;
    await untilWritten(signal, () => stopObjective(deps.db, accountId, { objectiveId }, { kind: 'until' }));
    return { kind: 'lost' };
  }
  const readMs = performance.now() - startedAt;
  const request = toSuggestRequest(snapshot, deps.workLimit);
  const answer = await deps.engine.suggest(request, signal);
  if (!answer.ok) return { kind: 'fault', fault: answer.fault };
  const { result } = answer;
  const hasReached = result.kind === 'nothing-new' && result.reason === 'reached';
  const isLast = isNothingNew(snapshot, result);
  // What is nothing new now may be something new once the outputs are known.
  if (isLast && !hasReached && snapshot.pending.rows > 0) {
    return untilWritten(signal, () => endWithout(deps.db, job, snapshot));
  }
  const suggested = toSuggested(snapshot, request.history, result);
  if (typeof suggested === 'string') return { kind: 'fault', fault: suggested };
  const nearest =
    judgeRuns(snapshot.objective, snapshot) ?? (await judgeAll(deps.db, job.accountId, snapshot.objective));
  const suggestion =
    nearest && toStored(snapshot, job, suggested, result, { suggestTimeNs: answer.elapsedNs, nearest });
  if (suggestion === undefined) return { kind: 'lost' };
  // An end comes with its explanation; a suggestion is explained after it has been handed out.
  const isEnd = suggested.output !== null;
  const explanation = isEnd ? await computeExplanation(deps.engine, request, signal) : undefined;
  const computedAt = performance.now();
  const { isParallel } = snapshot.objective;
  const written = await untilWritten(signal, () =>
    isParallel ? writeAmongOthers(deps.db, suggestion, explanation) : write(deps.db, suggestion, explanation),
  );
  if (written.kind === 'outdated') return computeSuggestion(deps, job, signal);
  if (written.kind === 'lost') return { kind: 'lost' };
  const kind = isEnd ? 'stopped' : 'suggested';
  const { next } = written;
  // If this fails, the batch finds the inverse when it is looked at next.
  if (snapshot.objective.batchId !== null) await beginInverse(deps.db, job.inverseId).catch(() => undefined);
  return { kind, suggestTimeNs: answer.elapsedNs, readMs, writeMs: performance.now() - computedAt, request, next };
}

/** Whether nothing more is run: nothing is found, or no attempt is left and the suggestion was to decide how the objective ends. */
function isNothingNew(
  { objective: { attemptCount, maximumAttempts, options } }: Snapshot,
  proposal: Proposal,
): boolean {
  return proposal.kind === 'nothing-new' || (!endsWithOneRun(options) && attemptCount >= maximumAttempts);
}

interface Suggested {
  readonly input: readonly number[];
  /** Whether it has been run before. */
  readonly isRepeat: boolean;
  readonly expected: readonly number[] | null;
  readonly chance: number | null;
  /** Set when the optimizer has nothing new: the known output of the repeated best input. */
  readonly output: readonly number[] | null;
  /** Why nothing is; null with something new. */
  readonly ended: Ending | null;
  /** The iteration that meets the targets most surely as far as a search for a surer input knows; null without one. */
  readonly surestIteration: number | null;
}

/** What a suggestion to be run leaves open. */
const NOTHING_ENDED = { output: null, ended: null };

/**
 * What the proposal means as an inverse, or the text of a fault: nothing outside the space and the limits of the objective ever
 * reaches a client.
 */
export function toSuggested(snapshot: Snapshot, history: History, proposal: Proposal): Suggested | string {
  const { objective, space, iterations } = snapshot;
  // Its own runs are the last rows.
  const iterationAt = (row: number) => iterations[row - (history.count - iterations.length)]!;
  if (proposal.kind === 'candidate' && !isNothingNew(snapshot, proposal)) {
    const input = withoutNegativeZero(Array.from(proposal.input));
    const violations = checkSuggestion(space, objective, input);
    if (violations.length > 0 || !input.every(Number.isFinite)) {
      return `the optimizer proposed an input outside the space: ${JSON.stringify(input)}`;
    }
    const expected = proposal.expected ? Array.from(proposal.expected) : null;
    const isRepeat = proposal.repeatOf !== undefined;
    const surestIteration = proposal.surestIndex === undefined ? null : iterationAt(proposal.surestIndex);
    return { ...NOTHING_ENDED, input, isRepeat, expected, chance: proposal.chance, surestIteration };
  }
  const end = { isRepeat: false, ended: endingOf(proposal), surestIteration: null, expected: null, chance: null };
  const standing = proposal.standing?.row;
  if (standing !== undefined) {
    const input = rowOf(history.X, standing, space.inputCount);
    return { ...end, input, output: meanAt(history, input) };
  }
  const outputs = Array.from({ length: history.count }, (_, row) =>
    history.failed[row] === 1 || !isAdmissible(space, objective, rowOf(history.X, row, space.inputCount))
      ? null
      : rowOf(history.Y, row, objective.objectives.length),
  );
  const isSurest = proposal.kind === 'nothing-new' && proposal.reason === 'robust';
  const best =
    (isSurest ? null : findOptimum(objective, outputs)) ??
    (proposal.kind === 'nothing-new' ? proposal.bestIndex : outputs.findIndex((output) => output !== null));
  const output = outputs[best];
  if (output == null) return 'the optimizer has nothing new and no run succeeded';
  const surestIteration = isSurest ? iterationAt(best) : null;
  return { ...end, input: rowOf(history.X, best, space.inputCount), output, surestIteration };
}

/** The mean of the outputs at an input, of which there is one. */
function meanAt({ X, Y, count, failed }: History, input: readonly number[]): number[] {
  const rows = Array.from({ length: count }, (_, row) => row).filter(
    (row) => failed[row] === 0 && input.every((value, v) => value === X[row * input.length + v]),
  );
  const outputs = rows.map((row) => rowOf(Y, row, Y.length / count));
  return outputs[0]!.map((_, j) => outputs.reduce((sum, output) => sum + output[j]! / outputs.length, 0));
}

/** Undefined when the objective has ended. */
function toStored(
  snapshot: Snapshot,
  job: LeasedJob,
  { input, isRepeat, output, ended, expected, chance, surestIteration }: Suggested,
  proposal: Proposal,
  { suggestTimeNs, nearest }: Pick<StoredSuggestion, 'suggestTimeNs' | 'nearest'>,
): StoredSuggestion | undefined {
  const { objective, optimalOutput } = snapshot;
  const event = output === null ? 'inverse-suggested' : endOf(proposal);
  const state = nextState(objective.stopReason, event, seeksSurer(objective, optimalOutput));
  if (state === undefined) return undefined;
  const suggested = { name: 'inverse.suggested', resourceId: job.inverseId } as const;
  return {
    job,
    state,
    input,
    isRepeat,
    output,
    ended: state.stopReason === StopReason.stopped ? ended : null,
    suggestTimeNs: Math.round(suggestTimeNs),
    // The best point known may be one of the cases; repeated as an inverse it can be the optimal inverse.
    isOptimal:
      output !== null &&
      (event === 'held' || beatsOptimum(objective, evaluateOutput(objective, output), optimalOutput)),
    optimalIteration: surestIteration,
    expected,
    chance,
    dataRevision: objective.dataRevision,
    basis: snapshot.basis,
    pendingIterations: snapshot.pendingIterations,
    learnedFrom: snapshot.learnedFrom,
    nearest,
    events: withEnd([suggested], { id: objective.id, stopReason: state.stopReason }),
  };
}

/** What ends an objective with a repeat of its best input. */
function endOf(proposal: Proposal): 'held' | 'nothing-new' | 'attempts-used-up' {
  if (proposal.kind === 'candidate') return 'attempts-used-up';
  return proposal.reason === 'reached' ? 'held' : 'nothing-new';
}

type Written =
  /** next: see ComputeOutcome. */
  | { readonly kind: 'written'; readonly next: LeasedJob | null }
  /** The objective would end on data that has changed since, and goes on. */
  | { readonly kind: 'outdated' }
  /** The lease was lost, or the objective ended or was deleted meanwhile. */
  | { readonly kind: 'lost' };

/** In one statement where only one inverse may be open and it has no explanation. */
async function write(
  db: Db,
  suggestion: StoredSuggestion,
  explanation: StoredExplanation | undefined,
): Promise<Written> {
  const { job } = suggestion;
  const isWritten = await (explanation === undefined
    ? storeSuggestion(db, suggestion)
    : inTransaction(db, async (trx) => {
        if (!(await storeSuggestion(trx, suggestion))) return false;
        await saveExplanation(trx, job.accountId, job, explanation);
        return true;
      }));
  if (isWritten) return { kind: 'written', next: null };
  const now = await findObjective(db, job.accountId, job.objectiveId);
  if (now === undefined || now.disabledAt !== null) return { kind: 'lost' };
  if (now.isParallel) return writeAmongOthers(db, suggestion, explanation);
  const isOutdated = suggestion.output !== null && now.dataRevision !== suggestion.dataRevision;
  return { kind: isOutdated ? 'outdated' : 'lost' };
}

/**
 * The same where several inverses may be open: the job goes on with the next inverse that was asked for, in the same transaction, so
 * that a crash between two of them loses neither.
 */
async function writeAmongOthers(
  db: Db,
  suggestion: StoredSuggestion,
  explanation: StoredExplanation | undefined,
): Promise<Written> {
  const { job } = suggestion;
  return inTransaction(db, async (trx): Promise<Written> => {
    const objective = await lockObjective(trx, job.accountId, job.objectiveId);
    const held = await lockHeld(trx, job, objective);
    if (objective === undefined || held === undefined) return { kind: 'lost' };
    const isEnd = suggestion.output !== null;
    const isCurrent =
      objective.dataRevision === suggestion.dataRevision && objective.completedCount === suggestion.basis;
    if (isEnd && !isCurrent) return { kind: 'outdated' };
    const open = (await listOpenInverses(trx, objective.id)).filter(({ id }) => id !== job.inverseId);
    await storeLockedSuggestion(trx, suggestion);
    // Only an input that holds ends an objective while others are open.
    if (isEnd) await recordEvents(trx, job.accountId, await giveUpOpen(trx, objective.id, open));
    if (explanation !== undefined) await saveExplanation(trx, job.accountId, job, explanation);
    const [asker] = held.askers;
    const counted = { ...objective, attemptCount: objective.attemptCount + 1 };
    if (isEnd || asker === undefined || !goesOn(counted, await listOpenInverses(trx, objective.id))) {
      await endJob(trx, held);
      return { kind: 'written', next: null };
    }
    const inverseId = await insertNextInverse(trx, job.accountId, {
      objectiveId: objective.id,
      iteration: (await getLastIteration(trx, objective.id)) + 1,
      askedBy: asker,
    });
    await moveJob(trx, job.id, inverseId);
    return { kind: 'written', next: { ...job, inverseId, attempt: 1, waitedMs: 0 } };
  });
}

/** Removes the inverse of the job, for which nothing new was found while others are open. */
async function endWithout(db: Db, job: LeasedJob, snapshot: Snapshot): Promise<ComputeOutcome> {
  return inTransaction(db, async (trx): Promise<ComputeOutcome> => {
    const objective = await lockObjective(trx, job.accountId, job.objectiveId);
    const held = await lockHeld(trx, job, objective);
    if (objective === undefined || held === undefined) return { kind: 'lost' };
    await removeUncomputed(trx, job.inverseId);
    await endJob(trx, held);
    // Data that changed since may hold something new.
    const isCurrent = objective.dataRevision === snapshot.objective.dataRevision;
    if (isCurrent) await storeNothingNew(trx, objective.id, snapshot.basis);
    return { kind: 'nothing-new' };
  });
}

/** The job, locked, if the lease is held and the objective runs, whose lock the caller holds. */
async function lockHeld(
  trx: Trx,
  job: LeasedJob,
  objective: ObjectiveWithParents | undefined,
): Promise<OpenJob | undefined> {
  if (objective === undefined || objective.disabledAt !== null || isFinal(objective.stopReason)) return undefined;
  const held = await lockLeasedJob(trx, job);
  return held?.inverseId === job.inverseId ? held : undefined;
}
