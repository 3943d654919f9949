/** Rights of a role that only serves, where the migrating role does not own the schema: PostgreSQL 14 as it comes. */
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { connectTo } from '../../harness/database-handle.ts';
import { execute } from '../../harness/one-statement.ts';
import { grantRows } from '../../src/db/grant.ts';
import { migrate } from '../../src/db/migrate.ts';
import { createTestDatabase } from '../support/postgres.ts';

it('Granting reports a schema in which every role may create tables, until an administrator has closed it', async () => {
  const { directUrl: url, drop } = await createTestDatabase();
  const [owner, role] = ['owner', 'app'].map((name) => `backsolve_${name}_${randomBytes(4).toString('hex')}`) as [
    string,
    string,
  ];
  await execute(
    url,
    'drop schema public cascade; create schema public; grant create, usage on schema public to public',
  );
  await execute(url, `create role ${owner} login password 'secret'; create role ${role}`);
  const asOwner = new URL(url);
  asOwner.username = owner;
  asOwner.password = 'secret';
  const db = connectTo(asOwner.href);
  try {
    await migrate(db);
    expect(await grantRows(db, role)).toBe('public');
    await execute(url, `revoke create on schema public from public; grant create on schema public to ${owner}`);
    expect(await grantRows(db, role)).toBeUndefined();
  } finally {
    await db.destroy();
    await execute(url, `drop owned by ${owner}, ${role} cascade; drop role ${owner}, ${role}`);
    await drop();
  }
});
