import { sql } from 'kysely';
import type { Account } from '../../domain/accounts/account.ts';
import type { Db, Trx } from '../connection/transaction.ts';

/** The id of the account of that name, created when missing; safe when several processes ask simultaneously. */
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

/** The account named after the owner's address, with the owner's other details. Unique name. */
export async function findAccount(db: Db | Trx, owner: AccountOwner): Promise<Account | undefined> {
  const row = await db
    .selectFrom('accounts')
    .select(['id', 'created_at as createdAt', 'updated_at as updatedAt', 'disabled_at as disabledAt'])
    .where('name', '=', owner.email)
    .executeTakeFirst();
  return row && { ...owner, ...row };
}

/** Primary key. Accounts are never deleted. */
export async function getAccountName(db: Db, id: number): Promise<string> {
  const row = await db.selectFrom('accounts').select('name').where('id', '=', id).executeTakeFirstOrThrow();
  return row.name;
}

/** Unique name. */
export async function findAccountId(db: Db, name: string): Promise<number | undefined> {
  const row = await db.selectFrom('accounts').select('id').where('name', '=', name).executeTakeFirst();
  return row?.id;
}

/**
 * Transactions that lock their account run one after the other; rows that refer to it can still be written meanwhile.
 * Returns the database's now. Primary key.
 */
export async function lockAccount(trx: Trx, accountId: number): Promise<Date> {
  const { now } = await trx
    .selectFrom('accounts')
    .select(sql<Date>`clock_timestamp()`.as('now'))
    .where('id', '=', accountId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  return now;
}
