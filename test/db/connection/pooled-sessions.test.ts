/** Features that silently break when a pooler gives the session to another client after every transaction. */
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { connectTo } from '../../../harness/database-handle.ts';
import { Listener, notify } from '../../../src/db/connection/listen.ts';
import { findLostLimits } from '../../../src/db/connection/lost-limits.ts';
import { createTestDatabase } from '../../support/postgres.ts';

const LIMITS = { statementTimeoutMs: 10_000, lockTimeoutMs: 5_000 };

async function setup() {
  const database = await createTestDatabase();
  const db = connectTo(database.directUrl, LIMITS);
  onTestFinished(async () => {
    await db.destroy();
    await database.drop();
  });
  return { db, url: database.directUrl };
}

function listen(url: string, notifier: Awaited<ReturnType<typeof setup>>['db'], onDeaf: () => void): Listener {
  const listener = new Listener({
    url,
    applicationName: 'backsolve-test-listen',
    heartbeatMs: 200,
    reconnectMs: 50,
    onError: () => undefined,
    probe: { notify: (channel, payload) => notify(notifier, channel, payload), onDeaf },
  });
  onTestFinished(() => listener.stop());
  return listener;
}

it('A connection that notifications do not reach is told apart from one that is not notified', async () => {
  const [here, elsewhere] = [await setup(), await setup()];
  let deafCount = 0;
  const deaf = Promise.withResolvers<void>();
  listen(elsewhere.url, here.db, () => {
    deafCount += 1;
    deaf.resolve();
  }).start();
  await deaf.promise;
  expect(deafCount).toBe(1);
});

it('A connection that notifications reach is never considered deaf', async () => {
  const { db, url } = await setup();
  const deaf: string[] = [];
  const listener = listen(url, db, () => deaf.push('deaf'));
  const arrived = Promise.withResolvers<string>();
  listener.subscribe('backsolve_probe', (payload) => payload !== '' && arrived.resolve(payload));
  listener.start();
  expect(await arrived.promise).toMatch(/^[0-9a-f-]{36}$/);
  const beats = async () => {
    const { rows } = await sql<{ beat: boolean }>`
      select query = 'select 1' as beat from pg_stat_activity
      where datname = current_database() and application_name = 'backsolve-test-listen'`.execute(db);
    return rows[0]?.beat;
  };
  await expect.poll(beats).toBe(true);
  expect(deaf).toEqual([]);
});

it('Time limits that are not in force are named', async () => {
  const { db } = await setup();
  expect(await findLostLimits(db, LIMITS)).toEqual([]);
  await sql`set statement_timeout = 0; set idle_in_transaction_session_timeout = '1min'`.execute(db);
  expect(await findLostLimits(db, LIMITS)).toEqual([
    { name: 'idle_in_transaction_session_timeout', wantedMs: 10_000, foundMs: 60_000 },
    { name: 'statement_timeout', wantedMs: 10_000, foundMs: 0 },
  ]);
});
