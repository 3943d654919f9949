/**
 * Evaluations and their leases. No other file touches a lease of an evaluation.
 *
 * The database sets token and expiry, by its own clock: visible_at is when an evaluation can be claimed, and while it is leased,
 * when the lease expires. The token stays with the row until the next claim, so that whoever held it last is known. Lock
 * order: the batch, the evaluation, its objective.
 */

import { type RawBuilder, sql } from 'kysely';
import type { Jacobian } from '../../domain/data/jacobian.ts';
import type {
  ClaimedEvaluation,
  EvaluationLimits,
  EvaluationRecord,
  EvaluationState,
  EvaluationTarget,
} from '../../domain/evaluations/evaluation.ts';
import { type Page, type PageRequest, toPage } from '../../domain/page.ts';
import { BATCHES_CHANNEL, CLAIMABLE_CHANNEL, PUSHED_CHANNEL } from '../batches/batch-evaluations.ts';
import { compileSqlOnce } from '../connection/compiled.ts';
import type { Db, Trx } from '../connection/transaction.ts';
import { rowsOfPage } from '../pages.ts';

/** Columns of `e` and its batch `b`. */
const TARGET = sql`
  e.id, e.batch_id as "batchId", b.model_id as "modelId", b.project_id as "projectId", b.trial_id as "trialId",
  e.objective_id as "objectiveId", e.inverse_id as "inverseId", e.case_number as "caseNumber", e.source, e.input,
  (select i.iteration from inverses i where i.id = e.inverse_id) as iteration`;
const LIMITS = sql`
  b.maximum_tries as "maximumTries", b.maximum_losses as "maximumLosses", b.timeout_seconds as "timeoutSeconds"`;
/** Whether somebody still wants the output of `e`, of batch `b`, objective `o` and inverse `i`. */
const IS_WANTED = sql`(b.status in ('evaluating-cases', 'solving') and (e.inverse_id is null
  or coalesce(o.stop_reason = 0 and o.disabled_at is null and i.status = 'active' and i.output is null, false)))`;
/** Latest end of a lease of `e` in batch `b`: heartbeats do not move it beyond. */
const LEASE_LIMIT = sql`e.claimed_at + (b.timeout_seconds + e.lease_seconds) * interval '1 second'`;

export interface EvaluationClaim {
  /** null: of all accounts. */
  readonly accountId: number | null;
  /** Whether a worker is to call the evaluator, or else an evaluator asks. */
  readonly isPushed: boolean;
  readonly projectId: number | null;
  readonly batchId: number | null;
  /** The batch served last; 0 for none. */
  readonly afterBatchId: number;
  /** Accounts from which nothing is claimed; none by default. */
  readonly passedOver?: readonly number[];
  /** Sources that the evaluator runs, the fine source as `FINE`; null: all of them. */
  readonly sources?: readonly string[] | null;
  readonly limit: number;
  readonly leaseSeconds: number;
  readonly evaluator: string;
}

/** Columns of a claimed evaluation that its evaluator needs besides the lease. */
const CLAIMED = sql`
  ${TARGET}, ${LIMITS}, e.account_id as "accountId", e.tries, b.output_count as "outputCount",
  json_build_object('inputNames', p.input_names, 'outputNames', p.output_names,
    'minimums', p.minimums, 'inputTypes', p.input_types, 'categories', p.categories) as labels`;

/** Columns that a claim itself returns. */
interface Leased extends LeaseReference, Pick<ClaimedEvaluation, 'wasLost' | 'waitedMs'> {}

const claimOnce = compileSqlOnce<Required<EvaluationClaim>, Leased>(
  (value) => sql`
    select e.id, e.lease_token as "leaseToken", c.was_lost as "wasLost", c.waited_ms as "waitedMs"
    from claim_evaluations_of_sources(${value('accountId')}::bigint, ${value('isPushed')}::boolean, ${value('projectId')}::bigint,
        ${value('batchId')}::bigint, ${value('afterBatchId')}::bigint, ${value('limit')}::integer,
        ${value('leaseSeconds')}::float8, ${value('evaluator')}::text, ${value('passedOver')}::bigint[],
        ${value('sources')}::text[]) c
      cross join lateral (select (c.evaluation).*) e
    order by e.batch_id <= ${value('afterBatchId')}::bigint, e.batch_id, e.id`,
);

/**
 * Claims up to `limit` evaluations round robin over the open batches, in the order of their ids from the one after `afterBatchId` on: an
 * equal part of each, the oldest first. Rows that others are claiming are skipped. The statement is a function of the database
 * (migrations/repeatable/claim-evaluations.sql). What belongs to the evaluations is read by a second statement: the function also claims
 * what was committed after the first one began, which cannot see it.
 */
export async function claimEvaluations(db: Db | Trx, claim: EvaluationClaim): Promise<readonly ClaimedEvaluation[]> {
  const leased = await claimOnce(db, { passedOver: [], sources: null, ...claim });
  if (leased.length === 0) return [];
  const held = await findHeld(db, claim.accountId, leased);
  const byId = new Map(leased.map((one) => [one.id, one]));
  return held.map((one) => ({ ...one, ...byId.get(one.id)! }));
}

/** Reference to a lease. */
export interface LeaseReference {
  readonly id: number;
  readonly leaseToken: string;
}

const selectHeldOnce = compileSqlOnce<
  { accountId: number | null; ids: readonly number[]; leaseTokens: readonly string[] },
  ClaimedEvaluation
>(
  (value) => sql`
    select ${CLAIMED}, e.lease_token as "leaseToken", e.visible_at as "leaseExpiresAt",
      false as "wasLost", 0::float8 as "waitedMs"
    from unnest(${value('ids')}::bigint[], ${value('leaseTokens')}::uuid[]) with ordinality h (id, token, position)
      join evaluations e on e.id = h.id and e.lease_token = h.token and e.state = 'leased'
        and (${value('accountId')}::bigint is null or e.account_id = ${value('accountId')}::bigint)
      join batches b on b.id = e.batch_id
      join projects p on p.id = b.project_id
    order by h.position`,
);

/** Those of the leases that are still held, with what their claim returned. @param accountId null: of any account */
export async function findHeld(
  db: Db | Trx,
  accountId: number | null,
  leases: readonly LeaseReference[],
): Promise<readonly ClaimedEvaluation[]> {
  const ids = leases.map(({ id }) => id);
  return selectHeldOnce(db, { accountId, ids, leaseTokens: leases.map(({ leaseToken }) => leaseToken) });
}

/** Scope from which a claim takes evaluations. */
export interface EvaluationScope {
  readonly accountId: number;
  readonly projectId: number | null;
  readonly batchId: number | null;
  /** See EvaluationClaim. */
  readonly sources: readonly string[];
}

interface ScopeLists {
  readonly accountIds: readonly number[];
  readonly projectIds: readonly (number | null)[];
  readonly batchIds: readonly (number | null)[];
  /** Sources of each scope, as JSON. */
  readonly sources: readonly string[];
}

const selectClaimableOnce = compileSqlOnce<ScopeLists, { position: number }>(
  (value) => sql`
    select s.position::integer from unnest(
      ${value('accountIds')}::bigint[], ${value('projectIds')}::bigint[], ${value('batchIds')}::bigint[],
      ${value('sources')}::text[]) with ordinality s (account_id, project_id, batch_id, sources, position)
    where has_claimable_evaluation_of_sources(s.account_id, s.project_id, s.batch_id,
      array(select jsonb_array_elements_text(s.sources::jsonb)))`,
);

/** Positions of the scopes in which a claim would find something, if it is faster than others. */
export async function findClaimable(db: Db, scopes: readonly EvaluationScope[]): Promise<readonly number[]> {
  const rows = await selectClaimableOnce(db, {
    accountIds: scopes.map(({ accountId }) => accountId),
    projectIds: scopes.map(({ projectId }) => projectId),
    batchIds: scopes.map(({ batchId }) => batchId),
    sources: scopes.map(({ sources }) => JSON.stringify(sources)),
  });
  return rows.map(({ position }) => position - 1);
}

interface Held extends LeaseReference {
  readonly accountId: number;
}

export interface Heartbeat extends Held {
  readonly progress: number | null;
  readonly message: string | null;
}

export interface ExtendedLease {
  readonly leaseExpiresAt: Date;
  readonly isWanted: boolean;
}

const extendOnce = compileSqlOnce<Heartbeat, ExtendedLease>(
  (value) => sql`
    with extended as (
      update evaluations e set
        visible_at = least(clock_timestamp() + e.lease_seconds * interval '1 second', ${LEASE_LIMIT}),
        progress = coalesce(${value('progress')}::float8, e.progress),
        message = coalesce(${value('message')}::text, e.message),
        updated_at = now()
      from batches b
      where e.id = ${value('id')}::bigint and e.account_id = ${value('accountId')}::bigint
        and e.lease_token = ${value('leaseToken')}::uuid and e.state = 'leased' and b.id = e.batch_id
        and clock_timestamp() < ${LEASE_LIMIT}
      returning e.*)
    select e.visible_at as "leaseExpiresAt", ${IS_WANTED} as "isWanted"
    from extended e join batches b on b.id = e.batch_id
      left join objectives o on o.id = e.objective_id left join inverses i on i.id = e.inverse_id`,
);

/** Extends a lease that is held, even one that has expired if nobody has claimed it since. Undefined: it is lost. */
export async function extendLease(db: Db | Trx, heartbeat: Heartbeat): Promise<ExtendedLease | undefined> {
  const [row] = await extendOnce(db, heartbeat);
  return row;
}

/** Facts about a lease that could not be extended. */
export interface EndedLease {
  readonly state: EvaluationState;
  /** Whether nobody has claimed the evaluation since. */
  readonly isOwn: boolean;
  readonly timeoutSeconds: number;
}

const selectEndedOnce = compileSqlOnce<Held, EndedLease>(
  (value) => sql`
    select e.state, coalesce(e.lease_token = ${value('leaseToken')}::uuid, false) as "isOwn",
      b.timeout_seconds as "timeoutSeconds"
    from evaluations e join batches b on b.id = e.batch_id
    where e.id = ${value('id')}::bigint and e.account_id = ${value('accountId')}::bigint`,
);

export async function findEndedLease(db: Db | Trx, held: Held): Promise<EndedLease | undefined> {
  const [row] = await selectEndedOnce(db, held);
  return row;
}

/** An evaluation whose row the caller holds. */
export interface LockedEvaluation extends EvaluationTarget, EvaluationLimits {
  readonly accountId: number;
  readonly state: EvaluationState;
  readonly tries: number;
  readonly losses: number;
  /** Token of the last claim; null if nobody has claimed it. */
  readonly leaseToken: string | null;
  readonly evaluator: string | null;
  readonly output: readonly number[] | null;
  readonly outputCount: number;
  readonly outputNames: readonly string[] | null;
  readonly inputCount: number;
  readonly inputNames: readonly string[] | null;
  readonly inputTypes: readonly string[];
  /** Whether its lease has expired. */
  readonly isExpired: boolean;
  /** Nanoseconds since it was claimed; 0 if it never was. */
  readonly heldNs: number;
}

const lockOnce = compileSqlOnce<{ accountId: number; id: number }, LockedEvaluation>(
  (value) => sql`
    with e as materialized (
      select * from evaluations where id = ${value('id')}::bigint and account_id = ${value('accountId')}::bigint
      for update)
    select ${TARGET}, ${LIMITS}, e.account_id as "accountId", e.state, e.tries, e.losses, e.lease_token as "leaseToken",
      e.evaluator, e.output, b.output_count as "outputCount", p.output_names as "outputNames",
      p.input_count as "inputCount", p.input_names as "inputNames", p.input_types as "inputTypes",
      e.state = 'leased' and e.visible_at <= clock_timestamp() as "isExpired",
      coalesce(greatest(0, extract(epoch from clock_timestamp() - e.claimed_at) * 1e9), 0)::bigint as "heldNs"
    from e join batches b on b.id = e.batch_id join projects p on p.id = b.project_id`,
);

/** Locks the row of an evaluation: all reports about it queue up here. */
export async function lockEvaluation(trx: Trx, accountId: number, id: number): Promise<LockedEvaluation | undefined> {
  const [row] = await lockOnce(trx, { accountId, id });
  return row;
}

export interface FinishedEvaluation {
  readonly id: number;
  readonly batchId: number;
  readonly state: Extract<EvaluationState, 'done' | 'failed' | 'cancelled'>;
  readonly tries: number;
  readonly losses: number;
  /** Output of a case that is done, otherwise null. */
  readonly output: readonly number[] | null;
  readonly jacobian: Jacobian | null;
  readonly computeTimeNs: number | null;
  readonly failureReason: string | null;
}

const finishOnce = compileSqlOnce<FinishedEvaluation, unknown>(
  (value) => sql`
    with finished as (
      update evaluations set
        state = ${value('state')}::text, tries = ${value('tries')}::smallint, losses = ${value('losses')}::smallint,
        output = ${value('output')}::float8[], jacobian = ${value('jacobian')}::float8[],
        compute_time_ns = ${value('computeTimeNs')}::bigint,
        failure_reason = coalesce(${value('failureReason')}::text, failure_reason),
        finished_at = clock_timestamp(), updated_at = now()
      where id = ${value('id')}::bigint
      returning id)
    select pg_notify(${sql.lit(BATCHES_CHANNEL)}, ${value('batchId')}::bigint::text) from finished`,
);

/** Stores the final state of an evaluation that the caller holds; workers hear of it on commit. The token stays, for repeats. */
export async function finishEvaluation(trx: Trx, finished: FinishedEvaluation): Promise<void> {
  await finishOnce(trx, finished);
}

export interface ReturnedEvaluation {
  readonly id: number;
  readonly tries: number;
  /** Time until it can be claimed again. */
  readonly delaySeconds: number;
  /** null: as before. */
  readonly failureReason: string | null;
}

const returnOnce = compileSqlOnce<ReturnedEvaluation, unknown>(
  (value) => sql`
    with returned as (
      update evaluations set
        state = 'waiting', tries = ${value('tries')}::smallint,
        visible_at = clock_timestamp() + ${value('delaySeconds')}::float8 * interval '1 second',
        failure_reason = coalesce(${value('failureReason')}::text, failure_reason), updated_at = now()
      where id = ${value('id')}::bigint
      returning account_id, is_pushed, visible_at <= clock_timestamp() as is_claimable)
    select pg_notify(case when is_pushed then ${sql.lit(PUSHED_CHANNEL)} else ${sql.lit(CLAIMABLE_CHANNEL)} end, account_id::text)
    from returned where is_claimable`,
);

/** Puts an evaluation that the caller holds back among the waiting ones. The token stays, for repeats and late outputs. */
export async function returnEvaluation(trx: Trx, returned: ReturnedEvaluation): Promise<void> {
  await returnOnce(trx, returned);
}

/** Evaluations whose last lease has expired: they have failed. Served by evaluations_leased. */
export async function listLostEvaluations(
  db: Db,
  limit: number,
): Promise<readonly { readonly id: number; readonly accountId: number }[]> {
  const { rows } = await sql<{ id: number; accountId: number }>`
    select e.id, e.account_id as "accountId" from evaluations e join batches b on b.id = e.batch_id
    where e.state = 'leased' and e.visible_at <= now() and e.losses + 1 >= b.maximum_losses
    order by e.visible_at limit ${limit}`.execute(db);
  return rows;
}

/** As clients see it: a lease that has expired counts as waiting. */
const SHOWN_STATE = sql<EvaluationState>`
  case when e.state = 'leased' and e.visible_at <= now() then 'waiting' else e.state end`;

function records(where: RawBuilder<unknown>): RawBuilder<EvaluationRecord> {
  return sql<EvaluationRecord>`
    select ${TARGET}, ${LIMITS}, ${SHOWN_STATE} as state, e.is_pushed as "isPushed", e.tries,
      e.losses + case when e.state = 'leased' and e.visible_at <= now() then 1 else 0 end as losses, e.output, e.evaluator,
      e.claimed_at as "claimedAt",
      case when e.state = 'leased' and e.visible_at > now() then e.visible_at end as "leaseExpiresAt",
      e.progress, e.message, e.failure_reason as "failureReason", e.compute_time_ns as "computeTimeNs",
      e.finished_at as "finishedAt", e.created_at as "createdAt", e.updated_at as "updatedAt"
    from evaluations e join batches b on b.id = e.batch_id
    where ${where}`;
}

const selectEvaluation = compileSqlOnce<{ accountId: number; id: number }, EvaluationRecord>((value) =>
  records(sql`e.id = ${value('id')}::bigint and e.account_id = ${value('accountId')}::bigint`),
);

/** Primary key. */
export async function findEvaluation(
  db: Db | Trx,
  accountId: number,
  id: number,
): Promise<EvaluationRecord | undefined> {
  const [row] = await selectEvaluation(db, { accountId, id });
  return row;
}

export interface EvaluationFilter {
  readonly state: EvaluationState | null;
  readonly batchId: number | null;
  readonly projectId: number | null;
}

/** In order of creation. */
export async function listEvaluations(
  db: Db,
  accountId: number,
  { state, batchId, projectId }: EvaluationFilter,
  page: PageRequest,
): Promise<Page<EvaluationRecord>> {
  const { condition, order } = rowsOfPage('e.id', page);
  const conditions: RawBuilder<unknown>[] = [sql`e.account_id = ${accountId}::bigint`, condition];
  if (state !== null) conditions.push(sql`${SHOWN_STATE} = ${state}`);
  // The index for claims serves these two states as well.
  if (state === 'waiting' || state === 'leased') conditions.push(sql`e.state in ('waiting', 'leased')`);
  if (batchId !== null) conditions.push(sql`e.batch_id = ${batchId}::bigint`);
  if (projectId !== null) conditions.push(sql`e.project_id = ${projectId}::bigint`);
  const { rows } = await sql<EvaluationRecord>`
    ${records(sql.join(conditions, sql` and `))} order by ${order} limit ${page.limit + 1}`.execute(db);
  return toPage(rows, page);
}

/** Primary key. */
export async function hasBatch(db: Db, accountId: number, id: number): Promise<boolean> {
  const row = await db
    .selectFrom('batches')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row !== undefined;
}
