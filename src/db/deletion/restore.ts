/** Takes a deletion back: enables what it disabled, at one instant. What stopped with it stays stopped. */
import { sql } from 'kysely';
import type { DeletedKind } from '../../domain/accounts/storage.ts';
import type { Trx } from '../connection/transaction.ts';

export interface HeldDeletion {
  readonly kind: DeletedKind;
  readonly recordId: number;
  readonly isBeingPurged: boolean;
  /** Whether what the record belongs to is deleted as well. */
  readonly isOrphan: boolean;
  /** Name of models and projects. */
  readonly name: string | null;
}

/** Locks it against the purge; undefined: the account has none with this id, or a purge holds it and will have removed it. */
export async function holdDeletion(trx: Trx, accountId: number, id: number): Promise<HeldDeletion | undefined> {
  const { rows } = await sql<HeldDeletion>`
    select d.kind, d.record_id as "recordId", d.purging_since is not null as "isBeingPurged", coalesce(m.name, p.name) as name,
      case d.kind
        when 'project' then exists (select from models x where x.id = d.model_id and x.disabled_at is not null)
        when 'trial' then exists (
          select from trials t join projects x on x.id = t.project_id where t.id = d.record_id and x.disabled_at is not null)
        when 'objective' then exists (
          select from objectives o join trials x on x.id = o.trial_id where o.id = d.record_id and x.disabled_at is not null)
        else false end as "isOrphan"
    from deletions d
    left join models m on d.kind = 'model' and m.id = d.record_id
    left join projects p on d.kind = 'project' and p.id = d.record_id
    where d.account_id = ${accountId} and d.id = ${id} for update of d`.execute(trx);
  return rows[0];
}

const BELOW = {
  model: { column: 'model_id', tables: ['projects', 'output_case_sets', 'trials', 'objectives'] },
  project: { column: 'project_id', tables: ['output_case_sets', 'trials', 'objectives'] },
  trial: { column: 'trial_id', tables: ['objectives'] },
  objective: { column: 'id', tables: [] },
} as const satisfies Record<DeletedKind, { column: string; tables: readonly string[] }>;

const ROOTS = { model: 'models', project: 'projects', trial: 'trials', objective: 'objectives' } as const;

/** The caller holds the deletion, which ends. What was deleted before it by itself stays deleted. */
export async function enableTree(
  trx: Trx,
  accountId: number,
  deletionId: number,
  kind: DeletedKind,
  recordId: number,
): Promise<void> {
  // The instant is compared in the database, which knows microseconds.
  const instant = sql`(select deleted_at from deletions where id = ${deletionId})`;
  const { column, tables } = BELOW[kind];
  const roots = [
    { table: ROOTS[kind], of: sql`id = ${recordId}` },
    ...tables.map((table) => ({ table, of: sql`${sql.ref(column)} = ${recordId}` })),
  ];
  for (const { table, of } of roots) {
    const version = table === 'objectives' ? sql`, version = version + 1` : sql``;
    await sql`
      update ${sql.table(table)} set disabled_at = null, updated_at = now()${version}
      where account_id = ${accountId} and ${of} and disabled_at = ${instant}`.execute(trx);
  }
  await sql`
    update inverses set disabled_at = null, updated_at = now()
    where account_id = ${accountId} and disabled_at = ${instant}
      and objective_id in (select id from objectives where account_id = ${accountId} and ${sql.ref(column)} = ${recordId})`.execute(
    trx,
  );
  await sql`delete from deletions where id = ${deletionId}`.execute(trx);
}
