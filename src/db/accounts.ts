import type { Db, Trx } from './transaction.ts';

/** The id of the account of that name, created when missing; safe when several processes ask at once. */
export async function ensureAccount(db: Db | Trx, name: string): Promise<number> {
  const made = await db
    .insertInto('accounts')
    .values({ name })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (made !== undefined) return made.id;
  const found = await db.selectFrom('accounts').select('id').where('name', '=', name).executeTakeFirstOrThrow();
  return found.id;
}
