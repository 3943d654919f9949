/**
 * Suggestion jobs and their leases. No other file touches a lease.
 *
 * A job is claimable once its visible_at has passed, whether it waits or its lease has expired. The database sets token and expiry,
 * by its own clock. Every later write repeats the token; zero rows mean that the lease was lost and the result is to be
 * discarded. A finished job is deleted.
 */
import { type RawBuilder, sql } from 'kysely';
import { type LeasedJob, MAXIMUM_JOB_ATTEMPTS } from '../../domain/search/suggestion-job.ts';
import type { Db, Trx } from '../connection/transaction.ts';

/** Notifies workers that a job may be claimable. */
export const JOBS_CHANNEL = 'backsolve_jobs';
/** Notifies ingress processes that a suggestion is finished; the payload is the id of its inverse. Earlier releases listen too. */
export const FINISHED_CHANNEL = 'backsolve_settled';

/** Whether the account has fewer jobs than `maximumQueued`; 0: any number. Looks at that many entries of an index. */
export function hasRoomInQueue(accountId: number, maximumQueued: number): RawBuilder<boolean> {
  const maximum = sql`${maximumQueued}::bigint`;
  return sql<boolean>`(${maximum} = 0 or ${maximum} > (
    select count(*) from (select from suggestion_jobs where account_id = ${accountId}::bigint limit ${maximum}) queued))`;
}

export interface Claim {
  readonly limit: number;
  readonly leaseMs: number;
  readonly workerName: string;
  /** The account served last; default: 0. */
  readonly afterAccountId?: number;
  /** Accounts to claim nothing from; default: none. */
  readonly passedOver?: readonly number[];
}

/**
 * Claims up to `limit` jobs round robin: the oldest claimable job of each account, then the second of each, and so on, skipping rows
 * that others are claiming. Returns them in that order: the next claim continues after the account of the last job. The statement
 * is a function of the database (migrations/repeatable/claim-jobs.sql): 0.4 ms with one job, 0.6 ms with 110,000 jobs of 5,000
 * accounts.
 */
export async function claimJobs(db: Db, claim: Claim): Promise<readonly LeasedJob[]> {
  const { rows } = await sql<LeasedJob>`
    select id, account_id as "accountId", objective_id as "objectiveId", inverse_id as "inverseId",
      lease_token as "leaseToken", attempts as "attempt", request_id as "requestId", trace_parent as "traceParent",
      waited_ms as "waitedMs"
    from claim_jobs_of_others(
      ${claim.limit}, ${claim.leaseMs}, ${claim.workerName}, ${MAXIMUM_JOB_ATTEMPTS}, ${claim.afterAccountId ?? 0},
      ${claim.passedOver ?? []}::bigint[])`.execute(db);
  return rows;
}

/** Extends the leases that are still held and returns the ids of their jobs. The others were lost. */
export async function renewLeases(
  db: Db,
  held: readonly Pick<LeasedJob, 'id' | 'leaseToken'>[],
  leaseMs: number,
): Promise<ReadonlySet<number>> {
  if (held.length === 0) return new Set();
  const ids = held.map((job) => job.id);
  const tokens = held.map((job) => job.leaseToken);
  const { rows } = await sql<{ id: number }>`
    update suggestion_jobs j set visible_at = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
    from unnest(${ids}::bigint[], ${tokens}::uuid[]) as h (id, token)
    where j.id = h.id and j.lease_token = h.token and j.state = 'leased'
    returning j.id`.execute(db);
  return new Set(rows.map((row) => row.id));
}

/** The job of an objective. */
export interface OpenJob {
  readonly id: number;
  readonly inverseId: number;
  /** Askers of the inverses that follow the one it computes. */
  readonly askers: readonly string[];
}

const OPEN_JOB = sql`id, inverse_id as "inverseId", askers`;

/** At most one. Served by suggestion_jobs_one_open_per_objective. */
export async function findJobOf(db: Db | Trx, objectiveId: number): Promise<OpenJob | undefined> {
  const { rows } = await sql<OpenJob>`
    select ${OPEN_JOB} from suggestion_jobs where objective_id = ${objectiveId}`.execute(db);
  return rows[0];
}

/** Hands a job back, claimable after a delay. False: the lease was lost. */
export async function releaseJob(
  db: Db,
  job: Pick<LeasedJob, 'id' | 'leaseToken'>,
  options: {
    readonly delayMs: number;
    readonly error: string | null;
    /** False when the job itself did not fail, as at a shutdown. */
    readonly countsAsAttempt: boolean;
  },
): Promise<boolean> {
  const { rows } = await sql`
    with released as (
      update suggestion_jobs set
        state = 'waiting', lease_token = null, leased_by = null,
        attempts = attempts - ${options.countsAsAttempt ? 0 : 1},
        last_error = coalesce(${options.error}, last_error),
        visible_at = clock_timestamp() + ${options.delayMs} * interval '1 millisecond'
      where id = ${job.id} and lease_token = ${job.leaseToken}::uuid and state = 'leased'
      returning id)
    select pg_notify(${JOBS_CHANNEL}, '') from released`.execute(db);
  return rows.length === 1;
}

/**
 * Jobs whose attempts are used up and whose lease has expired: their inverses must be failed. Served by
 * suggestion_jobs_exhausted, whose condition is written out: with a parameter a generic plan could not use it.
 */
export async function listExhaustedJobs(
  db: Db,
  limit: number,
): Promise<readonly { readonly id: number; readonly accountId: number; readonly objectiveId: number }[]> {
  return db
    .selectFrom('suggestion_jobs')
    .select(['id', 'account_id as accountId', 'objective_id as objectiveId'])
    .where('visible_at', '<=', sql<Date>`now()`)
    .where('attempts', '>=', sql.lit(MAXIMUM_JOB_ATTEMPTS))
    .orderBy('visible_at')
    .limit(limit)
    .execute();
}

export interface ExhaustedJob {
  readonly inverseId: number;
  readonly lastError: string | null;
  /** See OpenJob. */
  readonly askers: readonly string[];
  /** Asker of its inverse; null where only one may be open. */
  readonly askedBy: string | null;
}

/** Locks an exhausted job. The caller holds the lock of its objective. Undefined when it is gone, or no longer exhausted. */
export async function lockExhaustedJob(trx: Trx, id: number): Promise<ExhaustedJob | undefined> {
  const { rows } = await sql<ExhaustedJob>`
    select j.inverse_id as "inverseId", j.last_error as "lastError", j.askers, i.asked_by as "askedBy"
    from suggestion_jobs j left join inverses i on i.id = j.inverse_id
    where j.id = ${id} and j.visible_at <= now() and j.attempts >= ${MAXIMUM_JOB_ATTEMPTS}
    for update of j`.execute(trx);
  return rows[0];
}
