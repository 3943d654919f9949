/** deploy/backup.sh and restore.sh, where PostgreSQL's programs of the server's version are installed (PG_BIN or PATH). */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { expect, inject, it } from 'vitest';
import { execute } from '../../../harness/one-statement.ts';
import { loadLinearObjective, openTestAccount } from '../../support/fixtures.ts';
import { createTestDatabase } from '../../support/postgres.ts';

const run = promisify(execFile);
const serverVersion = await readServerVersion();
const hasPrograms = await canBackUp();
if (!hasPrograms)
  console.log(`pg_dump ${serverVersion} is not installed here (PG_BIN): backup and restore are not run`);

async function readServerVersion(): Promise<number> {
  const client = new pg.Client({ connectionString: inject('postgres').url });
  await client.connect();
  const { rows } = await client.query<{ number: string }>("select current_setting('server_version_num') as number");
  await client.end();
  return Math.floor(Number(rows[0]!.number) / 10_000);
}

async function canBackUp(): Promise<boolean> {
  try {
    const { stdout } = await run(path.join(process.env['PG_BIN'] ?? '', 'pg_dump'), ['--version']);
    return Number(/(\d+)\.\d/.exec(stdout)?.[1]) >= serverVersion;
  } catch {
    return false;
  }
}

async function script(name: string, argument: string, databaseUrl: string): Promise<string> {
  const file = new URL(`../../../deploy/${name}`, import.meta.url).pathname;
  const { stdout } = await run(file, [argument], { env: { ...process.env, DATABASE_URL: databaseUrl } });
  return stdout.trim();
}

it.skipIf(!hasPrograms)('a backup is restored into an empty database only, and counted', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'backsolve-backup-'));
  const t = await openTestAccount();
  const target = await createTestDatabase();
  try {
    await loadLinearObjective(t);
    const dump = await script('backup.sh', folder, t.url);
    await expect(script('restore.sh', dump, target.url)).rejects.toThrow(/restore into an empty one/);
    await execute(target.url, 'drop schema public cascade');
    await execute(target.url, 'create schema public');
    expect(await script('restore.sh', dump, target.url)).toMatch(/^\d+ tables, \d+ rows, as in the backup\.$/);

    await execute(target.url, 'drop schema public cascade');
    await execute(target.url, 'create schema public');
    await writeFile(dump.replace(/dump$/, 'rows'), 'public.models 2\n');
    await expect(script('restore.sh', dump, target.url)).rejects.toThrow(/public\.models has 1 rows, the backup 2/);
  } finally {
    await t.close();
    await target.drop();
    await rm(folder, { recursive: true, force: true });
  }
});
