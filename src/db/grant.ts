/** The rights of a role that only serves and works: rows, no schema. Granted again after every migration. */
import { sql } from 'kysely';
import type { Db } from './connection/transaction.ts';

/**
 * Lets `role` read and write every table of the product but not the list of migrations, and nothing else: no table can be
 * made, changed or dropped. Identity columns, functions, NOTIFY and LISTEN need no right of their own. Repeatable.
 * Returns the schema in which the role can make tables all the same, because every role can and the caller does not own it;
 * undefined when there is none. Rejects when there is no such role.
 */
export async function grantRows(db: Db, role: string): Promise<string | undefined> {
  const name = sql.id(role);
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(trx);
    const schema = sql.id(rows[0]!.schema);
    // Before PostgreSQL 15 every role may create tables in the schema public of a new database.
    await sql`revoke create on schema ${schema} from public`.execute(trx);
    await sql`grant usage on schema ${schema} to ${name}`.execute(trx);
    await sql`grant select, insert, update, delete on all tables in schema ${schema} to ${name}`.execute(trx);
    await sql`revoke insert, update, delete on kysely_migration, kysely_migration_lock, repeatable_migrations from ${name}`.execute(
      trx,
    );
    const { rows: open } = await sql`
      select where has_schema_privilege(${role}, ${rows[0]!.schema}, 'create')`.execute(trx);
    return open.length === 0 ? undefined : rows[0]!.schema;
  });
}
