/** `backsolve backup` and `restore` as a user runs them. */
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { connectTo } from '../../harness/database-handle.ts';
import { execute } from '../../harness/one-statement.ts';
import { deleteModel } from '../../src/application/problem/manage-models.ts';
import { BackupError } from '../../src/db/backup/backup.ts';
import { restoreBackup } from '../../src/db/backup/restore.ts';
import { FOLDED, listMigrations } from '../../src/db/history.ts';
import { migrate } from '../../src/db/migrate.ts';
import { loadLinearObjective, openTestAccount, type TestAccount } from '../support/fixtures.ts';
import { copyMigrations } from '../support/migrations-folder.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { callCommand } from '../support/run-command.ts';
import { startTestService, type TestService } from '../support/service.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backsolve-backup-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const backup = (file: string, url: string) => callCommand(['backup', file], { DATABASE_URL: url });
const restore = (file: string, url: string) => callCommand(['restore', file], { DATABASE_URL: url });

/** Smooth, and not solved within a few iterations. */
const blackBox = ([a, b, c]: readonly number[]) => [
  a! * b! + Math.sin(c!),
  Math.exp(a! / 5) - c! ** 2 / 7,
  a! + b! * c!,
];

async function loadObjective(service: TestService): Promise<string> {
  const model = await service.ok<{ id: number }>('POST', '/models', {
    name: 'Lines',
    description: 'Line separators \u2028 and \\. and \ttabs',
  });
  const project = await service.ok<{ id: number; inputCases: number[][] }>('POST', `/models/${model.id}/projects`, {
    name: 'Three inputs',
    inputCount: 3,
    minimums: [0, 0, 0],
    maximums: [10, 10, 10],
    inputTypes: ['float', 'float', 'float'],
    categories: [],
    caseCount: 6,
  });
  const outputCases = project.inputCases.map(blackBox);
  const path = `/models/${model.id}/projects/${project.id}`;
  const trial = await service.ok<{ trial_id: number }>('POST', `${path}/output-cases`, { outputCount: 3, outputCases });
  const objectives = `${path}/trials/${trial.trial_id}/objectives`;
  const targets = blackBox([3.3, 4.4, 5.5]);
  const { id } = await service.ok<{ id: number }>('POST', objectives, {
    objectives: targets,
    objectiveTypes: targets.map(() => 'percent'),
    minimumBounds: targets.map(() => -1e-9),
    maximumBounds: targets.map(() => 1e-9),
    desiredL1Norm: 0,
    initialInput: project.inputCases[0],
    initialOutput: outputCases[0],
  });
  return `${objectives}/${id}`;
}

/** Suggests and loads outputs; returns the inputs. */
async function iterate(
  service: TestService,
  objective: string,
  count: number,
): Promise<readonly (readonly number[])[]> {
  const inputs: (readonly number[])[] = [];
  for (let i = 0; i < count; i++) {
    const { input } = await service.ok<{ input: number[] }>('POST', `${objective}/inverses`);
    await service.ok('POST', `${objective}/inverse-output`, { output: blackBox(input) });
    inputs.push(input);
  }
  return inputs;
}

test('an objective continues after backup and restore with the same suggestions, bit for bit, and has its files', async () => {
  const original = await startTestService();
  onTestFinished(() => original.close());
  const objective = await loadObjective(original);
  await iterate(original, objective, 2);
  // The largest file that is taken: the export has it, too.
  const content = randomBytes(10_000_000).toString('base64');
  await original.ok('POST', `${objective}/notes`, { text: 'log', file: { name: 'log.bin', content } });
  const file = path.join(folder, 'objective.gz');
  const written = await backup(file, original.databaseUrl);
  expect(written).toMatchObject({ code: 0, stderr: '' });
  expect(written.stdout).toMatch(/objective\.gz: \d+ tables, \d+ rows\.\n$/);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const expected = await iterate(original, objective, 3);

  const url = await createEmptyDatabase();
  expect(await restore(file, url)).toMatchObject({ code: 0, stderr: '' });
  const restored = await startTestService({ through: async () => url });
  onTestFinished(() => restored.close());
  expect(await iterate(restored, objective, 3)).toEqual(expected);
  const exportOf = async (service: TestService) =>
    (
      await callCommand(['export', '--account', 'test'], {
        DATABASE_URL: service === original ? original.databaseUrl : url,
      })
    ).stdout;
  // The explanation follows the last suggestion in its own time.
  // Each continues with a key of its own, which names who asked.
  const withoutTimes = (text: string) =>
    text
      .split('\n')
      .filter((line) => !line.startsWith('{"type":"explanation"'))
      // Long lines, such as those with files, are compared by digest: their difference would take minutes to show.
      .map((line) =>
        line.length > 1_000_000
          ? createHash('sha256')
              .update(line.replace(/"\w+At":"[^"]+"/g, ''))
              .digest('hex')
          : line,
      )
      .map((line) => line.replace(/"(\w+At|askedBy|loadedBy)":"[^"]+"|"(suggest|compute)Time":\d+/g, ''));
  expect(withoutTimes(await exportOf(restored))).toEqual(withoutTimes(await exportOf(original)));
});

interface Filled extends TestAccount {
  readonly file: string;
}

/** A backup of an account with two models, one of them deleted. */
async function fill(name: string): Promise<Filled> {
  const t = await openTestAccount();
  onTestFinished(() => t.close());
  await loadLinearObjective(t);
  const { model } = await loadLinearObjective(t);
  await deleteModel(t.db, t.accountId, model.id);
  const file = path.join(folder, name);
  expect(await backup(file, t.url)).toMatchObject({ code: 0, stderr: '' });
  return { ...t, file };
}

async function query<T extends object>(url: string, text: string): Promise<readonly T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<T>(text);
  await client.end();
  return rows;
}

test('a restored database keeps what was counted, gives new numbers, and is on the newest migration', async () => {
  const { file, url: from } = await fill('counted.gz');
  const { url } = await createTestDatabase();
  expect(await restore(file, url)).toMatchObject({ code: 0, stderr: '' });
  const usage = 'select sum(stored_bytes)::text as bytes, sum(stored_rows)::text as rows from account_usage';
  expect(await query(url, usage)).toEqual(await query(from, usage));
  const [before] = await query<{ id: string }>(url, 'select max(id)::text as id from models');
  const [made] = await query<{ id: string }>(
    url,
    `insert into models (account_id, name) select account_id, 'new' from models limit 1 returning id::text`,
  );
  expect(Number(made!.id)).toBeGreaterThan(Number(before!.id));
  expect((await callCommand(['migrate'], { DATABASE_URL: url })).stdout).toBe('The database was up to date.\n');
});

test('restore refuses a database that has rows, and leaves them alone', async () => {
  const { file, url } = await fill('refused.gz');
  const answer = await restore(file, url);
  expect(answer).toMatchObject({ code: 1, stdout: '' });
  expect(answer.stderr).toMatch(/^That database is not empty: the table \w+ has rows\. .*DATA_DIR.*\n$/);
  expect(await query(url, 'select id from models')).toHaveLength(2);
});

test.each([
  ['cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length - 40), 'damaged'],
  [
    'without its last line',
    (bytes: Buffer) => gzipSync(gunzipSync(bytes).toString().replace(/.*\n$/, '')),
    'incomplete',
  ],
  [
    'with a row missing',
    (bytes: Buffer) =>
      gzipSync(
        gunzipSync(bytes)
          .toString()
          .replace(/^1\t.*\n/m, ''),
      ),
    'damaged',
  ],
  ['not a backup', () => Buffer.from('nothing'), 'not a backup'],
  [
    'from a newer release',
    (bytes: Buffer) => gzipSync(gunzipSync(bytes).toString().replace('"0001-', '"9999-later","0001-')),
    'newer release',
  ],
])('restore refuses a file that is %s, leaves no row behind and can be tried again', async (_, spoil, reason) => {
  const { file } = await fill(`whole-${crypto.randomUUID()}.gz`);
  const spoilt = `${file}.spoilt`;
  await writeFile(spoilt, spoil(await readFile(file)));
  const { url } = await createTestDatabase();
  const answer = await restore(spoilt, url);
  expect(answer.code).toBe(1);
  expect(answer.stdout).toBe('');
  expect(answer.stderr).toContain(reason);
  expect(answer.stderr).toMatch(/^[^\n]+\n$/);
  expect(await query(url, 'select id from accounts')).toEqual([]);
  expect(await restore(file, url)).toMatchObject({ code: 0 });
});

const TAMPERED: readonly (readonly [what: string | RegExp, by: string, reason: string])[] = [
  [/^.*$/s, 'null\n', 'not a backup'],
  [/^.*$/s, 'x'.repeat(5 * 1024 * 1024), 'not a backup'],
  [/"tables":\d+/, '"tables":{}', 'its first line is wrong'],
  ['{"table":"accounts"', '{"table":"pg_authid"', 'a table that there is not: "pg_authid"'],
  ['{"table":"accounts","columns":["id"', '{"table":"accounts","columns":["oid"', 'the columns of accounts are wrong'],
  [/.*\n$/, 'null\n', 'its last line is wrong'],
  ['"sequences":{', '"sequences":{"x":1,', 'its last line is wrong'],
  [/"rows":\{/, '"rows":{"x":"1",', 'its last line is wrong'],
  [/^1\t/m, `1${'1'.repeat(2 ** 20)}\t`, 'The backup is damaged'],
];

test('a backup that was tampered with is refused with what is wrong with it', async () => {
  const { file } = await fill('tampered.gz');
  const text = gunzipSync(await readFile(file)).toString();
  const { url } = await createTestDatabase();
  const db = connectTo(url);
  onTestFinished(() => db.destroy());
  for (const [what, by, reason] of TAMPERED) {
    const tampered = text.replace(what, by);
    expect(tampered).not.toBe(text);
    const error = await restoreBackup(db, url, Readable.from([gzipSync(tampered)])).catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(BackupError);
    expect((error as Error).message).toContain(reason);
  }
  expect(await query(url, 'select id from accounts')).toEqual([]);
});

/** A database without a schema. */
async function createEmptyDatabase(): Promise<string> {
  const { url } = await createTestDatabase();
  await execute(url, 'drop schema public cascade');
  await execute(url, 'create schema public');
  return url;
}

const NEXT = '9998-know-moods';

test('a backup is brought up to date by the next release, and not read into a database of that one', async () => {
  await using next = await copyMigrations(true);
  await writeFile(
    path.join(next.path, `${NEXT}.ts`),
    "export const sql = `alter table models add column mood text; update models set mood = 'kept'`;",
  );
  const { file } = await fill('older.gz');
  const [url, newer] = [await createEmptyDatabase(), await createEmptyDatabase()];
  const [db, newerDb] = [connectTo(url), connectTo(newer)];
  onTestFinished(async () => {
    await Promise.all([db.destroy(), newerDb.destroy()]);
  });
  await migrate(newerDb, { folder: next.url });
  await expect(restoreBackup(newerDb, newer, createReadStream(file), next.url)).rejects.toThrow(
    `That database is of a newer release than the backup (migration ${NEXT}).`,
  );
  await restoreBackup(db, url, createReadStream(file), next.url);
  expect(await query(url, 'select mood from models')).toEqual([{ mood: 'kept' }, { mood: 'kept' }]);
  const applied = await query<{ name: string }>(url, 'select name from kysely_migration order by name');
  expect(applied.map(({ name }) => name)).toEqual([...(await listMigrations()), NEXT]);
});

test.each([
  ['before one of the migrations that are now the first schema', (all: readonly string[]) => all.slice(0, -1)],
  ['with the schema before that', () => ['0001-create-tables', '0033-bind-sessions-to-the-page']],
])('a backup made %s is refused with what to do', async (_, migrationsOf) => {
  const { file } = await fill(`early-${crypto.randomUUID()}.gz`);
  const text = gunzipSync(await readFile(file)).toString();
  const [header] = text.split('\n');
  const early = { ...JSON.parse(header!), migrations: migrationsOf(await listMigrations()) };
  await writeFile(`${file}.early`, gzipSync(text.replace(header!, JSON.stringify(early))));
  const url = await createEmptyDatabase();
  expect(await restore(`${file}.early`, url)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^The backup is of a version before 0\.1\.0, .*back that database up again\.\n$/),
  });
  expect(await restore(file, url)).toMatchObject({ code: 0 });
});

test.each([
  [
    'some of the migrations that are now the first schema',
    `delete from kysely_migration where name = '${FOLDED.at(-1)}'`,
  ],
  ['the schema before that', "update kysely_migration set name = '0033-bind-sessions-to-the-page'"],
])('a database with %s is left as it is, with what to do', async (_, spoil) => {
  const { url } = await createTestDatabase();
  await execute(
    url,
    spoil.replace('update kysely_migration', "delete from kysely_migration where name > '0001-z'; $&"),
  );
  const before = await query(url, 'select name from kysely_migration order by name');
  const answer = await callCommand(['migrate'], { DATABASE_URL: url });
  expect(answer).toMatchObject({ code: 1, stdout: '' });
  expect(answer.stderr).toMatch(
    /^This database has the schema of a version before 0\.1\.0, .* nothing was changed\. [^\n]*\n$/,
  );
  expect(await query(url, 'select name from kysely_migration order by name')).toEqual(before);
});

test('backup never replaces a file and leaves none behind when it fails', async () => {
  const { file, url } = await fill('kept.gz');
  const bytes = await readFile(file);
  expect(await backup(file, url)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: `${file} exists already; name a new file.\n`,
  });
  expect(await readFile(file)).toEqual(bytes);
  const inner = path.join(folder, 'empty');
  expect((await backup(inner, await createEmptyDatabase())).stderr).toContain('nothing to back up');
  expect((await backup(path.join(folder, 'no', 'folder'), url)).stderr).toMatch(/^The file cannot be used: ENOENT/);
  expect((await readdir(folder)).filter((name) => name.includes('.part') || name === 'empty')).toEqual([]);
});

test('backup as a role that may not read sequences asks for the owner instead', async () => {
  const { url } = await fill('owner.gz');
  const role = `reader_${crypto.randomUUID().slice(0, 8)}`;
  await execute(url, `create role ${role} login password 'reader'`);
  onTestFinished(async () => {
    await execute(url, `drop owned by ${role}`);
    await execute(url, `drop role ${role}`);
  });
  await callCommand(['migrate', '--grant', role], { DATABASE_URL: url });
  const asReader = new URL(url);
  [asReader.username, asReader.password] = [role, 'reader'];
  const answer = await backup(path.join(folder, 'reader.gz'), asReader.href);
  expect(answer).toMatchObject({ code: 1, stdout: '' });
  expect(answer.stderr).toContain('Back up with the role that owns the schema');
});
