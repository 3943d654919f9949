/** Batches with evaluations, written as the database keeps them: what hands evaluations out is tested without what makes them. */
import { sql } from 'kysely';
import type { Db } from '../../src/db/connection/transaction.ts';

export interface TestBatch {
  readonly accountId: number;
  readonly modelId: number;
  readonly projectId: number;
  readonly trialId?: number | null;
  readonly evaluator?: object;
  readonly outputCount?: number;
  readonly timeoutSeconds?: number;
  readonly maximumTries?: number;
  readonly maximumLosses?: number;
  readonly isPaused?: boolean;
}

/** Inserts an open batch and returns its id. */
export async function insertBatch(db: Db, batch: TestBatch): Promise<number> {
  const { trialId = null, evaluator = { kind: 'pull' } } = batch;
  const { rows } = await sql<{ id: number }>`
    insert into batches (account_id, model_id, project_id, trial_id, status, is_paused, parallelism, evaluator, output_count, timeout_seconds,
      maximum_tries, maximum_losses, stop_after_failures)
    values (${batch.accountId}, ${batch.modelId}, ${batch.projectId}, ${trialId},
      ${trialId === null ? 'evaluating-cases' : 'solving'}, ${batch.isPaused ?? false}, 4, ${JSON.stringify(evaluator)}::jsonb, ${batch.outputCount ?? 3},
      ${batch.timeoutSeconds ?? 3_600}, ${batch.maximumTries ?? 3}, ${batch.maximumLosses ?? 5}, 20)
    returning id`.execute(db);
  return rows[0]!.id;
}

export interface TestEvaluation {
  readonly input: readonly number[];
  readonly caseNumber?: number;
  readonly objectiveId?: number;
  readonly inverseId?: number;
}

/** Inserts evaluations of a batch (default: of cases 1, 2, ...) without a notification, and returns their ids. */
export async function insertEvaluations(
  db: Db,
  batchId: number,
  evaluations: readonly TestEvaluation[],
): Promise<readonly number[]> {
  const ids: number[] = [];
  for (const [i, { input, objectiveId = null, inverseId = null, caseNumber = i + 1 }] of evaluations.entries()) {
    const { rows } = await sql<{ id: number }>`
      insert into evaluations (account_id, batch_id, project_id, is_pushed, case_number, objective_id, inverse_id, input)
      select account_id, id, project_id, evaluator->>'kind' = 'http', ${inverseId === null ? caseNumber : null}::integer,
        ${objectiveId}::bigint, ${inverseId}::bigint, ${input}::float8[]
      from batches where id = ${batchId}
      returning id`.execute(db);
    ids.push(rows[0]!.id);
  }
  return ids;
}

/** Lets the lease of an evaluation expire now, or `secondsAgo`, as if it had been claimed that much earlier. */
export async function expireLease(db: Db, id: number, secondsAgo = 1): Promise<void> {
  await sql`
    update evaluations set claimed_at = claimed_at - (visible_at - now()) - ${secondsAgo} * interval '1 second',
      visible_at = now() - ${secondsAgo} * interval '1 second'
    where id = ${id} and state = 'leased'`.execute(db);
}

export async function accountIdOf(db: Db, name = 'test'): Promise<number> {
  const { rows } = await sql<{ id: number }>`select id from accounts where name = ${name}`.execute(db);
  return rows[0]!.id;
}
