/**
 * A claimed job becomes a suggested inverse: snapshot, computation outside any transaction, then one write that the lease
 * fences. A lost lease means that another worker has the job; the result is dropped. The job goes on with the next inverse that was
 * asked for in the same write, so that a crash between two of them loses neither. Events: inverse.suggested, and where the objective
 * ends with it inverse.stopped for each inverse that is still open, then the end.
 */
import { beginInverse } from '../../db/batches/batch-evaluations.ts';
import { type Db, inTransaction, type Trx } from '../../db/connection/transaction.ts';
import { saveExplanation } from '../../db/search/explanations.ts';
import type { LedgerChange, ObjectiveFields } from '../../db/search/ledger-changes.ts';
import { readSearch, type Search } from '../../db/search/search-ledger.ts';
import { readSnapshot, type Snapshot } from '../../db/search/suggestions.ts';
import type { StoredExplanation } from '../../domain/search/explanation.ts';
import type { NearestSoFar } from '../../domain/search/objective.ts';
import { goesOn } from '../../domain/search/opening.ts';
import { after, type Change, type Outcome } from '../../domain/search/standing.ts';
import { isOver } from '../../domain/search/stop-options.ts';
import { isFinal, StopReason } from '../../domain/search/stop-reason.ts';
import type { LeasedJob } from '../../domain/search/suggestion-job.ts';
import type { Engine } from '../../engine/pool.ts';
import type { Proposal } from '../../optimizer/interface/problem.ts';
import { untilWritten } from '../until-written.ts';
import { answer, changeOf, changeSearch, type Decision, standingIn, termsOf } from './change-search.ts';
import { toSourcedRequest } from './engine-input.ts';
import { computeExplanation, type ExplainRequest } from './explain-objective.ts';
import { judgeAll } from './judge-runs.ts';
import { stopObjective } from './stop-objective.ts';
import { isNothingNew, type Suggested, toSuggested } from './suggested-input.ts';

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
      /** The request of the computation, for an explanation of it. */
      readonly request: ExplainRequest;
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
  // Changes after this read count from the next suggestion on; an end is never stored on data that has changed.
  const snapshot = await readSnapshot(deps.db, job);
  if (snapshot === undefined) return { kind: 'lost' };
  if (isOver(snapshot.objective.options?.stop, new Date())) {
    const { accountId, objectiveId } = job;
    await untilWritten(signal, () => stopObjective(deps.db, accountId, { objectiveId }, { kind: 'until' }));
    return { kind: 'lost' };
  }
  const readMs = performance.now() - startedAt;
  const sourced = toSourcedRequest(snapshot, deps.workLimit);
  const { request } = sourced;
  const answered = await deps.engine.suggest(request, signal);
  if (!answered.ok) return { kind: 'fault', fault: answered.fault };
  const { result: proposal, elapsedNs: suggestTimeNs } = answered;
  if (isForLater(snapshot, proposal)) return untilWritten(signal, () => endWithout(deps.db, job, snapshot));
  const suggested = toSuggested(snapshot, request.history, proposal);
  if (typeof suggested === 'string') return { kind: 'fault', fault: suggested };
  const nearest = await findNearest(deps.db, job, snapshot);
  // An end comes with its explanation; a suggestion is explained after it has been handed out.
  const isEnd = suggested.output !== null;
  const explanation = isEnd ? await computeExplanation(deps.engine, sourced, signal) : undefined;
  const computedAt = performance.now();
  const computed = { snapshot, proposal, suggested, suggestTimeNs, nearest };
  const written = await untilWritten(signal, () => write(deps.db, job, computed, explanation));
  if (written.kind === 'outdated') return computeSuggestion(deps, job, signal);
  if (written.kind === 'lost') return { kind: 'lost' };
  // If this fails, the batch finds the inverse when it is looked at next.
  if (snapshot.objective.batchId !== null) await beginInverse(deps.db, job.inverseId).catch(() => undefined);
  const writeMs = performance.now() - computedAt;
  return {
    kind: isEnd ? 'stopped' : 'suggested',
    suggestTimeNs,
    readMs,
    writeMs,
    request: sourced,
    next: written.next,
  };
}

/** Whether nothing is new before the outputs of open inverses are known. */
function isForLater(snapshot: Snapshot, proposal: Proposal): boolean {
  const hasReached = proposal.kind === 'nothing-new' && proposal.reason === 'reached';
  return isNothingNew(snapshot, proposal) && !hasReached && snapshot.openIterations.length > 0;
}

/** Undefined where it is known, or the objective is being purged. */
async function findNearest(
  db: Db,
  { accountId }: LeasedJob,
  { objective }: Snapshot,
): Promise<NearestSoFar | undefined> {
  return objective.judgedThrough === null ? judgeAll(db, accountId, objective) : undefined;
}

interface Computed {
  readonly snapshot: Snapshot;
  readonly proposal: Proposal;
  readonly suggested: Suggested;
  readonly suggestTimeNs: number;
  /** With all runs judged, where nothing was known about them. */
  readonly nearest: NearestSoFar | undefined;
}

type Written =
  /** next: see ComputeOutcome. */
  | { readonly kind: 'written'; readonly next: LeasedJob | null }
  /** The objective would end on data that has changed since, and goes on. */
  | { readonly kind: 'outdated' }
  /** The lease was lost, or the objective ended or was deleted meanwhile. */
  | { readonly kind: 'lost' };

async function write(
  db: Db,
  job: LeasedJob,
  computed: Computed,
  explanation: StoredExplanation | undefined,
): Promise<Written> {
  if (explanation === undefined) return store(db, job, computed);
  return inTransaction(db, async (trx) => {
    const written = await store(trx, job, computed);
    if (written.kind === 'written') await saveExplanation(trx, job.accountId, job, explanation);
    return written;
  });
}

function store(db: Db | Trx, job: LeasedJob, computed: Computed): Promise<Written> {
  const { snapshot, proposal, suggested } = computed;
  const isEnd = suggested.output !== null;
  return changeHeld(db, job, snapshot, (search) => {
    const isCurrent = isAsInSnapshot(search, snapshot);
    if (isEnd && !isCurrent) return answer<Written>({ kind: 'outdated' });
    const outcome = after(termsOf(search.objective), standingIn(search), toChange(job, proposal, suggested))!;
    const change = changeOf(search, outcome, [{ name: 'inverse.suggested', resourceId: job.inverseId }]);
    const next = isEnd ? undefined : nextAsker(search, job, suggested.chance, outcome);
    return {
      kind: 'change',
      change: {
        ...change,
        lease: job,
        finished: job.inverseId,
        computed: toComputed(job, computed, outcome),
        objective: { ...change.objective, ...(isCurrent && fieldsOf(search, computed, outcome)) },
        ...(next === undefined ? { job: { kind: 'ended' } } : { job: { kind: 'moved' }, opened: { askedBy: next } }),
      },
      toResult: ({ opened }): Written => ({
        kind: 'written',
        next: opened === undefined ? null : { ...job, inverseId: opened.id, attempt: 1, waitedMs: 0 },
      }),
    };
  });
}

/** Whether nothing that a suggestion is computed from has changed. */
function isAsInSnapshot({ objective }: Search, snapshot: Snapshot): boolean {
  return objective.dataRevision === snapshot.objective.dataRevision && objective.completedCount === snapshot.basis;
}

/** Asker of the next inverse that the worker goes on with, if it does. */
function nextAsker(
  { objective, open, job }: Search,
  { inverseId }: LeasedJob,
  chance: number | null,
  { standing }: Outcome,
): string | undefined {
  const { attemptCount } = standing;
  const now = open.map((one) => (one.id === inverseId ? { ...one, isSuggested: true, chance } : one));
  return goesOn({ ...objective, attemptCount }, now) ? job?.askers[0] : undefined;
}

function toChange({ inverseId: id }: LeasedJob, proposal: Proposal, { output }: Suggested): Change {
  return output === null ? { kind: 'suggested', id } : { kind: 'repeated', id, event: endOf(proposal), output };
}

/** Reason why an objective ends with a repeat of its best input. */
function endOf(proposal: Proposal): 'held' | 'fitted' | 'attempts-used-up' | 'nothing-new' {
  if (proposal.kind === 'candidate') return 'attempts-used-up';
  if (proposal.reason === 'fitted') return 'fitted';
  return proposal.reason === 'reached' ? 'held' : 'nothing-new';
}

function toComputed(
  { inverseId }: LeasedJob,
  { snapshot, suggested, suggestTimeNs }: Computed,
  { status }: Outcome,
): NonNullable<LedgerChange['computed']> {
  const { input, output, isRepeat, expected, chance, source } = suggested;
  const { basis, openIterations, learnedFrom } = snapshot;
  return {
    inverseId,
    status: status!,
    input,
    output,
    suggestTimeNs: Math.round(suggestTimeNs),
    isRepeat,
    expected,
    basis,
    pending: openIterations.length === 0 ? null : openIterations,
    chance,
    source,
    learnedFrom,
  };
}

/** Fields with the models' knowledge about the runs, if it is still up to date. */
function fieldsOf(
  { objective }: Search,
  { suggested, nearest }: Computed,
  { standing: { stopReason } }: Outcome,
): ObjectiveFields {
  const { ended, surestIteration } = suggested;
  return {
    ...(ended !== null && (stopReason === StopReason.stopped || ended.kind === 'fitted') && { ended }),
    ...(surestIteration !== null && { optimalIteration: surestIteration }),
    ...(nearest !== undefined && objective.judgedThrough === null && { nearest }),
  };
}

/** Removes the inverse of the job, for which nothing new was found while others are open. */
function endWithout(db: Db, job: LeasedJob, snapshot: Snapshot): Promise<ComputeOutcome> {
  return changeHeld<ComputeOutcome>(db, job, snapshot, ({ objective }) => {
    // Data that changed since may hold something new.
    const isCurrent = objective.dataRevision === snapshot.objective.dataRevision;
    return {
      kind: 'change',
      change: {
        lease: job,
        removed: job.inverseId,
        job: { kind: 'ended' },
        finished: job.inverseId,
        ...(isCurrent && { objective: { nothingNewAt: snapshot.basis } }),
      },
      toResult: () => ({ kind: 'nothing-new' }),
    };
  });
}

/** Changes the search of a job, first as the snapshot knows it; lost when the job is no longer held or the objective has ended. */
function changeHeld<Result>(
  db: Db | Trx,
  job: LeasedJob,
  snapshot: Snapshot,
  decide: (search: Search) => Decision<Result | { readonly kind: 'lost' }>,
): Promise<Result | { readonly kind: 'lost' }> {
  const { accountId, objectiveId, inverseId, leaseToken } = job;
  let known: Search | undefined = snapshot.search;
  const read = async (handle: Db | Trx) => {
    const search = known ?? (await readSearch(handle, accountId, objectiveId));
    known = undefined;
    return search ?? { ...snapshot.search, job: null };
  };
  return changeSearch(db, accountId, read, (search) => {
    const { objective, job: open } = search;
    const isHeld = open?.inverseId === inverseId && open.leaseToken === leaseToken;
    const isLost = !isHeld || objective.disabledAt !== null || isFinal(objective.stopReason);
    return isLost ? answer({ kind: 'lost' }) : decide(search);
  });
}
