import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { delimiter, dirname } from 'node:path';
import { expect, test } from 'vitest';
import { mailServerOf } from '../../src/composing/mail.ts';
import { formatApiKey, makeApiKey } from '../../src/domain/accounts/api-key.ts';
import { readDatabaseUrl } from '../../src/domain/database-url.ts';
import { ConfigError, environmentForPrograms, loadConfig } from '../../src/settings/config.ts';
import { listSettings } from '../../src/settings/rules.ts';
import { SETTINGS_TREE } from '../../src/settings/settings.ts';
import { SETTINGS_PAGE } from '../../tools/settings-page.ts';

const SETTINGS = listSettings(SETTINGS_TREE);

function refusal(env: Record<string, string>): string {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('the settings were accepted');
}

test('an empty environment gives the defaults', () => {
  const config = loadConfig({});
  expect(config).toMatchObject({
    http: { host: '127.0.0.1', port: 8080, bodyLimitBytes: 33_554_432, rateLimitPerMinute: 6000, trustProxy: false },
    suggest: { waitMs: 20_000, waitMaximumMs: 25_000 },
    database: { url: undefined, poolSize: 10 },
    worker: { concurrency: availableParallelism(), leaseMs: 6000, pollIntervalMs: 1000 },
    engine: { threads: availableParallelism(), timeLimitMs: 60_000 },
    log: { level: 'info' },
    dataDir: './.data',
    bootstrapApiKey: undefined,
    shutdownGraceMs: 25_000,
  });
  expect(config.http.corsOrigins).toEqual([]);
  expect(config.http.allowRegistration).toBeUndefined();
});

test('empty values count as absent', () => {
  const empty = Object.fromEntries(SETTINGS.map(({ name }) => [name, ' ']));
  expect(loadConfig(empty)).toEqual(loadConfig({}));
});

test('the settings cannot be changed afterwards, at any depth', () => {
  const config = loadConfig({ CORS_ORIGINS: 'https://a.example' });
  expect(Object.isFrozen(config)).toBe(true);
  expect(Object.isFrozen(config.http)).toBe(true);
  expect(Object.isFrozen(config.http.corsOrigins)).toBe(true);
});

test('every example of a setting is accepted, the placeholder for a key aside', () => {
  for (const { name, example } of SETTINGS) {
    if (name.endsWith('_API_KEY')) continue;
    expect(() => loadConfig({ [name]: example }), name).not.toThrow();
  }
});

test('every variable refuses nonsense with its name, the expected form and an example', () => {
  for (const { name, expected, example } of SETTINGS) {
    if (name === 'DATA_DIR') continue; // any text is a path
    const message = refusal({ [name]: ' ~ / ~ ' });
    expect(message).toContain(`  ${name} `);
    expect(message).toContain(`expected: ${expected}`);
    expect(message).toContain(`example:  ${name}=${example}`);
  }
});

test('all bad variables are named together', () => {
  const message = refusal({ PORT: '70000', LOG_LEVEL: 'loud', LEASE_MS: '-1', DATABASE_POOL_SIZE: '1e3' });
  expect(message).toMatch(/^4 settings are wrong/);
  for (const name of ['PORT', 'LOG_LEVEL', 'LEASE_MS', 'DATABASE_POOL_SIZE']) expect(message).toContain(`  ${name} `);
});

test.each([
  'postgres://u:p@h1:5432,h2:5433/db?target_session_attrs=read-write',
  'postgresql://u@[::1]:5432,h2/db?sslmode=disable&target_session_attrs=primary',
  'postgres://u:p%40w@h1/db',
  'postgres:///db?host=/var/run/postgresql',
])('the database may be at %s', (url) => {
  expect(loadConfig({ DATABASE_URL: url, LISTEN_DATABASE_URL: url }).database).toMatchObject({ url, listenUrl: url });
});

test.each([
  'postgres://u:p@h1:5432,/db',
  'postgres://u:p@h1:x,h2/db',
  'postgres://u:p@h1,h2:70000/db',
  'postgres://u:p@h1,h2/db?target_session_attrs=standby',
])('the database is not at %s', (url) => {
  expect(refusal({ DATABASE_URL: url })).toContain('target_session_attrs may be any, read-write or primary');
});

test('a URL of several hosts is one URL for each, without what only libpq knows', () => {
  const { urls, session } = readDatabaseUrl(
    'postgres://u:p@h1:1,[::1]:2/db?sslmode=disable&target_session_attrs=primary',
  )!;
  expect(urls).toEqual(['postgres://u:p@h1:1/db?sslmode=disable', 'postgres://u:p@[::1]:2/db?sslmode=disable']);
  expect(session).toBe('primary');
});

test('a bad secret is refused without being repeated', () => {
  const message = refusal({ DATABASE_URL: 'mysql://u:hunter2@db', BACKSOLVE_BOOTSTRAP_API_KEY: 'bks_hunter2' });
  expect(message).not.toContain('hunter2');
  expect(message).toContain('backsolve keys generate');
});

test('a bootstrap key with one wrong character is refused', () => {
  const key = formatApiKey(makeApiKey());
  expect(loadConfig({ BACKSOLVE_BOOTSTRAP_API_KEY: key }).bootstrapApiKey).toBe(key);
  const wrong = key.replace(/_(.)/, (_, first) => `_${first === 'a' ? 'b' : 'a'}`);
  expect(refusal({ BACKSOLVE_BOOTSTRAP_API_KEY: wrong })).toContain('BACKSOLVE_BOOTSTRAP_API_KEY');
});

test('the default wait must not exceed the longest one', () => {
  expect(refusal({ SUGGEST_WAIT_MS: '3000', SUGGEST_WAIT_MAXIMUM_MS: '2000' })).toContain('at most 2000');
  expect(loadConfig({ SUGGEST_WAIT_MS: '2000', SUGGEST_WAIT_MAXIMUM_MS: '2000' }).suggest.waitMs).toBe(2000);
});

test.each([
  ['true', true],
  ['false', false],
  ['2', 2],
  ['loopback, 10.0.0.0/8,fd00::/8', ['loopback', '10.0.0.0/8', 'fd00::/8']],
])('TRUST_PROXY=%s is read', (value, meaning) => {
  expect(loadConfig({ TRUST_PROXY: value }).http.trustProxy).toEqual(meaning);
});

test.each(['https://a.example/', 'a.example', 'https://a.example/path', 'https://a.example,nonsense'])(
  'CORS_ORIGINS=%s is refused',
  (value) => {
    expect(refusal({ CORS_ORIGINS: value })).toContain('CORS_ORIGINS');
  },
);

test.each(['localhost', '0.0.0.0', '::', '::1', 'db-1.internal'])('HOST=%s is accepted', (value) => {
  expect(loadConfig({ HOST: value }).http.host).toBe(value);
});

test('storage of files is one address, and an upload must fit into what an account may send', () => {
  const { files } = loadConfig({ FILES_S3_URL: 'https://id:a%2Fb%3D@s3.example:9000/rig-files?region=eu-central-1' });
  expect(files.s3).toEqual({
    endpoint: 'https://s3.example:9000',
    bucket: 'rig-files',
    region: 'eu-central-1',
    accessKey: 'id',
    secretKey: 'a/b=',
  });
  const message = refusal({ FILES_S3_URL: 'https://id:secret-of-the-key@s3.example' });
  expect(message).toContain('FILES_S3_URL');
  expect(message).not.toContain('secret-of-the-key');
  expect(refusal({ FILE_MAXIMUM_BYTES: '60000000' })).toContain('at most 25165824');
});

test('docs/settings.md is the page that the settings generate', async () => {
  expect(await readFile(SETTINGS_PAGE.file, 'utf8')).toBe(SETTINGS_PAGE.text);
  for (const { name } of SETTINGS) expect(SETTINGS_PAGE.text).toContain(`| \`${name}\` |`);
});

test('no two settings read the same variable', () => {
  const names = SETTINGS.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
});

test('programs get no secrets, and find the Node of this process after everything else, whatever the case of PATH', () => {
  const node = dirname(process.execPath);
  const env = { Path: '/first', BACKSOLVE_API_KEY: 'bks_secret', MESH: 'fine' };
  expect(environmentForPrograms(env)).toEqual({ Path: `/first${delimiter}${node}`, MESH: 'fine' });
  expect(environmentForPrograms({})).toEqual({ PATH: node });
});

test('the mail server of docs/guides/running-for-a-team.md is all that e-mails need', async () => {
  const page = await readFile('docs/guides/running-for-a-team.md', 'utf8');
  const [, block] = /```text\n(PUBLIC_URL=[\s\S]*?)```/.exec(page)!;
  const lines = block!.trim().split('\n');
  const settings = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  expect(mailServerOf(loadConfig(settings))).toMatchObject({
    allowPlain: false,
    publicUrl: 'https://backsolve.example.com',
  });
  for (const name of Object.keys(settings)) {
    expect(mailServerOf(loadConfig({ ...settings, [name]: '' })), `without ${name}`).toBeUndefined();
  }
});
