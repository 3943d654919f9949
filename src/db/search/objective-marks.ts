import { sql } from 'kysely';
import type { Trx } from '../connection/transaction.ts';

/** Notes of people on an objective; absent fields stay. */
export interface ObjectiveMarks {
  /** null removes it. */
  readonly label?: string | null | undefined;
  readonly isArchived?: boolean | undefined;
}

/** Not a change of the search: what is being decided about it remains right. The caller holds the lock of the row. */
export async function markObjective(trx: Trx, id: number, { label, isArchived }: ObjectiveMarks): Promise<void> {
  await trx
    .updateTable('objectives')
    .set({
      ...(label !== undefined && { label }),
      ...(isArchived !== undefined && {
        archived_at: isArchived ? sql<Date>`coalesce(archived_at, now())` : null,
      }),
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .execute();
}
