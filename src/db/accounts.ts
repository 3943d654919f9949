import type { Account } from '../domain/account.ts';
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

/** Lets transactions of one account take turns; does not hold up those that refer to it. */
export async function lockAccount(trx: Trx, accountId: number): Promise<void> {
  await trx.selectFrom('accounts').select('id').where('id', '=', accountId).forNoKeyUpdate().execute();
}

export type AccountOwner = Omit<Account, 'id' | 'createdAt' | 'updatedAt' | 'disabledAt'>;

/** A new account named after the owner's address; undefined when an account of that name exists. */
export async function insertAccount(trx: Trx, owner: AccountOwner): Promise<Account | undefined> {
  const row = await trx
    .insertInto('accounts')
    .values({
      name: owner.email,
      company: owner.company,
      full_name: owner.fullName,
      first_name: owner.firstName,
      last_name: owner.lastName,
      time_zone: owner.timeZone,
    })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning(['id', 'created_at as createdAt', 'updated_at as updatedAt', 'disabled_at as disabledAt'])
    .executeTakeFirst();
  return row && { ...owner, ...row };
}

/** The account named after the owner's address, with what else is known of the owner. Unique name. */
export async function findAccount(db: Db | Trx, owner: AccountOwner): Promise<Account | undefined> {
  const row = await db
    .selectFrom('accounts')
    .select(['id', 'created_at as createdAt', 'updated_at as updatedAt', 'disabled_at as disabledAt'])
    .where('name', '=', owner.email)
    .executeTakeFirst();
  return row && { ...owner, ...row };
}

/** Unique name. */
export async function findAccountId(db: Db, name: string): Promise<number | undefined> {
  const row = await db.selectFrom('accounts').select('id').where('name', '=', name).executeTakeFirst();
  return row?.id;
}
