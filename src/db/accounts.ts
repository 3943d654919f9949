import { type Db, type Trx, violatedUnique } from './transaction.ts';

/** The id of the account of that name, created when missing; safe when several processes ask at once. */
export async function ensureAccount(db: Db | Trx, name: string): Promise<number> {
  for (;;) {
    const found = await db.selectFrom('accounts').select('id').where('name', '=', name).executeTakeFirst();
    if (found !== undefined) return found.id;
    try {
      const made = await db.insertInto('accounts').values({ name }).returning('id').executeTakeFirstOrThrow();
      return made.id;
    } catch (error) {
      // Somebody else made it between the two statements; the next look finds it.
      if (violatedUnique(error) === undefined) throw error;
    }
  }
}
