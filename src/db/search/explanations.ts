import { type RawBuilder, sql } from 'kysely';
import { completeExplanation, type InputStanding, type StoredExplanation } from '../../domain/search/explanation.ts';
import { compileSqlOnce } from '../connection/compiled.ts';
import { type Db, type Trx, WITHOUT_FLUSH } from '../connection/transaction.ts';

interface ExplanationToSave {
  readonly accountId: number;
  readonly objectiveId: number;
  readonly inverseId: number;
  readonly caseCount: number;
  readonly insight: string;
  readonly diagnosis: string;
  /** JSON text; null without one. */
  readonly standing: string | null;
  /** JSON text; null without any. */
  readonly advice: string | null;
}

function saving(from: RawBuilder<unknown>) {
  return compileSqlOnce<ExplanationToSave, never>(
    (value) => sql`
      insert into explanations as e (objective_id, account_id, inverse_id, case_count, insight, diagnosis, standing, advice)
      select ${value('objectiveId')}::bigint, ${value('accountId')}::bigint, ${value('inverseId')}::bigint,
        ${value('caseCount')}::integer,
        ${value('insight')}::jsonb, ${value('diagnosis')}::jsonb, ${value('standing')}::jsonb,
        ${value('advice')}::jsonb ${from}
      on conflict (objective_id) do update set
        inverse_id = excluded.inverse_id, case_count = excluded.case_count, insight = excluded.insight, diagnosis = excluded.diagnosis, standing = excluded.standing,
        advice = excluded.advice, updated_at = now()
      where excluded.inverse_id >= coalesce(e.inverse_id, 0)`,
  );
}

const saveWithTransaction = saving(sql``);
const saveWithoutFlush = saving(sql`from ${WITHOUT_FLUSH} flush`);

/**
 * Keeps the explanation of the newest suggestion; a late one of an earlier suggestion changes nothing. Outside a transaction
 * it does not wait for the disk: should a crash undo it, the next suggestion brings a newer one.
 */
export async function saveExplanation(
  db: Db | Trx,
  accountId: number,
  { objectiveId, inverseId }: { readonly objectiveId: number; readonly inverseId: number },
  { caseCount, insight, diagnosis, standing, advice }: StoredExplanation,
): Promise<void> {
  const texts = {
    insight: JSON.stringify(insight),
    diagnosis: JSON.stringify(diagnosis),
    standing: standing ? JSON.stringify(standing) : null,
    advice: advice ? JSON.stringify(advice) : null,
  };
  const save = db.isTransaction ? saveWithTransaction : saveWithoutFlush;
  await save(db, { accountId, objectiveId, inverseId, caseCount, ...texts });
}

/** The id of the first run at the input of the standing of explanation `e`, where an inverse is the first. Along inverses_one_per_iteration. */
const FIRST_INVERSE = sql<number | null>`(
  select i.id from inverses i
  where i.objective_id = coalesce((e.standing #>> '{from,objectiveId}')::bigint, e.objective_id)
    and i.iteration = (e.standing #>> '{from,iteration}')::integer)`;

/** The number of the objective of that run, where it is another one. */
const FIRST_OBJECTIVE = sql<number | null>`(
  select f.number from objectives f where f.id = (e.standing #>> '{from,objectiveId}')::bigint)`;

/** Standing of the input of objective `o` that comes nearest to being declared; null if it declares none. One row along the primary key. */
export const STANDING = sql<InputStanding | null>`case when o.options ?| array['confirm', 'confidence'] then (
  select e.standing || jsonb_build_object('objectiveNumber', ${FIRST_OBJECTIVE}, 'inverseId', ${FIRST_INVERSE}) from explanations e where e.objective_id = o.id) end`;

/** Undefined before the first suggestion. Primary key. */
export async function findExplanation(
  db: Db,
  accountId: number,
  objectiveId: number,
): Promise<StoredExplanation | undefined> {
  const { rows } = await sql<StoredExplanation>`
    select e.case_count as "caseCount", e.insight, e.diagnosis, e.advice,
      e.standing || jsonb_build_object('objectiveNumber', ${FIRST_OBJECTIVE}, 'inverseId', coalesce(${FIRST_INVERSE}, (
        select min(i.id) from inverses i
        where i.objective_id = e.objective_id and i.output is not null
          and i.input = array(select x::float8 from jsonb_array_elements_text(e.standing->'input') x)))) as standing
    from explanations e
    where e.account_id = ${accountId} and e.objective_id = ${objectiveId}`.execute(db);
  return rows[0] && completeExplanation(rows[0]);
}
