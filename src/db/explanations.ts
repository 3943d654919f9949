import { sql } from 'kysely';
import { completeExplanation, type StoredExplanation } from '../domain/explanation.ts';
import { compileSqlOnce } from './compiled.ts';
import type { Db, Trx } from './transaction.ts';

const upsertExplanation = compileSqlOnce<
  { accountId: number; objectiveId: number; caseCount: number; insight: string; diagnosis: string },
  never
>(
  (value) => sql`
    insert into explanations as e (objective_id, account_id, case_count, insight, diagnosis)
    values (${value('objectiveId')}, ${value('accountId')}, ${value('caseCount')}, ${value('insight')}::jsonb,
      ${value('diagnosis')}::jsonb)
    on conflict (objective_id) do update set
      case_count = excluded.case_count, insight = excluded.insight, diagnosis = excluded.diagnosis, updated_at = now()
    where excluded.case_count >= e.case_count`,
);

/** Keeps the explanation that rests on the most cases; a late one of an earlier suggestion changes nothing. */
export async function saveExplanation(
  db: Db | Trx,
  accountId: number,
  objectiveId: number,
  { caseCount, insight, diagnosis }: StoredExplanation,
): Promise<void> {
  const texts = { insight: JSON.stringify(insight), diagnosis: JSON.stringify(diagnosis) };
  await upsertExplanation(db, { accountId, objectiveId, caseCount, ...texts });
}

/** Undefined before the first suggestion. Primary key. */
export async function findExplanation(
  db: Db,
  accountId: number,
  objectiveId: number,
): Promise<StoredExplanation | undefined> {
  const { rows } = await sql<StoredExplanation>`
    select case_count as "caseCount", insight, diagnosis from explanations
    where account_id = ${accountId} and objective_id = ${objectiveId}`.execute(db);
  return rows[0] && completeExplanation(rows[0]);
}
