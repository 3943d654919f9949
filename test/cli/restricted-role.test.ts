/** `serve` and `work` with a database role that may read and write rows and nothing else. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { connectTo } from '../../harness/database-handle.ts';
import { execute } from '../../harness/one-statement.ts';
import type { Db } from '../../src/db/connection/transaction.ts';
import { prepareTrial } from '../support/native-client.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { runCommand, startCommand } from '../support/run-command.ts';

const ROLE = `backsolve_app_${randomBytes(4).toString('hex')}`;
const PASSWORD = randomBytes(12).toString('hex');

let database: TestDatabase;
let restrictedUrl: string;
let restricted: Db;
beforeAll(async () => {
  database = await createTestDatabase();
  await execute(inject('postgres').url, `create role ${ROLE} login password '${PASSWORD}'`);
  const url = new URL(database.url);
  url.username = ROLE;
  url.password = PASSWORD;
  restrictedUrl = url.href;
  const migrated = await runCommand(['migrate', '--grant', ROLE], { DATABASE_URL: database.url });
  expect(migrated).toMatchObject({ code: 0, stderr: '' });
  expect(migrated.stdout).toContain(`The role ${ROLE} may serve and work.`);
  restricted = connectTo(restrictedUrl, { poolSize: 2 });
});
afterAll(async () => {
  await restricted.destroy();
  await execute(database.url, `drop owned by ${ROLE}`);
  await execute(inject('postgres').url, `drop role ${ROLE}`);
  await database.drop();
});

it('a role with rows only is enough to create a key, serve, work and answer a suggestion', async () => {
  const withoutPassword = new URL(restrictedUrl);
  withoutPassword.password = '';
  const settings = { DATABASE_URL: withoutPassword.href, PGPASSWORD: PASSWORD, PORT: '0', ENGINE_THREADS: '1' };
  const { stdout } = await runCommand(['keys', 'create'], settings);
  const key = stdout.trim();
  const [ingress, worker] = [startCommand(['serve'], settings), startCommand(['work'], settings)];
  const [, origin] = await ingress.prints(/(http:\/\/[\w.:]+)/);
  const send = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${origin}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        'idempotency-key': crypto.randomUUID(),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (response.status === 204 ? undefined : await response.json()) as T;
  };
  const sum = (x: readonly number[]) => [x[0]! + x[1]!];
  const box = { minimums: [0, 0], maximums: [1, 1], inputTypes: ['float', 'float'], outputCount: 1, run: sum };
  await send('POST', '/webhooks', { url: 'https://receiver.example/' });
  const { trialPath, inputCases, outputCases } = await prepareTrial({ ok: send }, box);
  const { id } = await send<{ id: number }>('POST', `${trialPath}/objectives`, {
    objectives: [0.7],
    objectiveTypes: ['exact'],
    desiredL1Norm: 1e-9,
    initialInput: inputCases[0],
    initialOutput: outputCases[0],
  });
  const inverse = await send<{ input: number[] }>('POST', `${trialPath}/objectives/${id}/inverses`);
  await send('POST', `${trialPath}/objectives/${id}/inverse-output`, { output: sum(inverse.input) });
  await send('DELETE', trialPath.split('/projects')[0]!);
  for (const { child } of [ingress, worker]) child.kill('SIGTERM');
  expect(await Promise.all([ingress.ended, worker.ended])).toEqual([0, 0]);
  expect(`${ingress.stdout()}${worker.stdout()}`).not.toMatch(/permission denied|must be owner/);
});

it.each([
  'create table more (id bigint)',
  'alter table models add column more text',
  'drop table models',
  'truncate models',
  'create index more on models (name)',
  'drop function claim_jobs_of_others',
  'create function more() returns int language sql as $$ select 1 $$',
  'create schema more',
  'delete from kysely_migration',
  "insert into kysely_migration (name, timestamp) values ('9999-more', '')",
  "copy models to '/tmp/models'",
  `alter role ${ROLE} superuser`,
])('may not: %s', async (statement) => {
  await expect(sql.raw(statement).execute(restricted)).rejects.toThrow(
    /permission denied|must be owner|must be superuser|must have/i,
  );
});

it('migrate --grant names a role that does not exist, without a stack', async () => {
  const refused = await runCommand(['migrate', '--grant', 'nobody"; drop table models; --'], {
    DATABASE_URL: database.url,
  });
  expect(refused.code).not.toBe(0);
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from models`.execute(restricted);
  expect(rows).toHaveLength(1);
});
