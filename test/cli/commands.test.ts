/** The commands run in this process, except where the process itself matters: its exit code, its streams, its signals, two at a time. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { execute } from '../../harness/one-statement.ts';
import { parseApiKey } from '../../src/domain/accounts/api-key.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { callCommand, runCommand, startCommand } from '../support/run-command.ts';

const COMMANDS = [
  'start',
  'serve',
  'work',
  'migrate',
  'keys',
  'page',
  'webhooks',
  'export',
  'backup',
  'restore',
  'demo',
  'evaluate',
];

test('--help lists every command, and every command explains itself', async () => {
  const help = await callCommand(['--help']);
  expect(help.code).toBe(0);
  for (const command of COMMANDS) expect(help.stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
  for (const command of COMMANDS) {
    const answer = await callCommand([command, '--help']);
    expect(answer).toMatchObject({ code: 0, stderr: '' });
    expect(answer.stdout).toContain(`Usage: backsolve ${command}`);
  }
});

test('an unknown command is wrong usage', async () => {
  const answer = await runCommand(['servee']);
  expect(answer).toMatchObject({ code: 2, stdout: '' });
  expect(answer.stderr).toContain('There is no command "servee"');
});

test('all bad settings are named together, and nothing starts', async () => {
  const answer = await callCommand(['serve'], { PORT: 'eighty', LEASE_MS: '0', LOG_LEVEL: 'loud' });
  expect(answer).toMatchObject({ code: 2, stdout: '' });
  expect(answer.stderr).toContain('3 settings are wrong');
  expect(answer.stderr).toContain('PORT "eighty" is not a whole number');
  expect(answer.stderr).not.toMatch(/^\s+at /m);
});

test.each([['serve'], ['work'], ['migrate'], ['webhooks', 'list'], ['keys', 'list'], ['page']])(
  '%s %s without any database says that DATABASE_URL is not set',
  async (...args) => {
    const answer = await callCommand(args, { DATA_DIR: '/nowhere/backsolve' });
    expect(answer).toMatchObject({ code: 2, stdout: '' });
    expect(answer.stderr).toContain('DATABASE_URL is not set');
  },
);

test.each([['migrate'], ['keys', 'list'], ['webhooks', 'list']])(
  '%s %s on a database that does not answer says so, without a stack and without the password',
  async (...args) => {
    const answer = await callCommand(args, { DATABASE_URL: 'postgres://nobody:hunter2@127.0.0.1:1/nothing' });
    expect(answer).toMatchObject({ code: 1, stdout: '' });
    expect(answer.stderr).toContain('The database does not answer');
    expect(answer.stderr).not.toContain('hunter2');
    expect(answer.stderr).not.toMatch(/^\s+at /m);
  },
);

test('migrate through a pooler that refuses a setting of the connection says what to set there', async () => {
  // Answer of PgBouncer to the first message of a connection.
  const fields = 'SFATAL\0C08P01\0Munsupported startup parameter: statement_timeout\0\0';
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + fields.length);
  const pooler = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(Buffer.concat([Buffer.from('E'), length, Buffer.from(fields)])));
  }).listen(0, '127.0.0.1');
  await once(pooler, 'listening');
  const { port } = pooler.address() as AddressInfo;
  const answer = await callCommand(['migrate'], { DATABASE_URL: `postgres://app@127.0.0.1:${port}/backsolve` });
  pooler.close();
  expect(answer).toMatchObject({ code: 1, stdout: '' });
  expect(answer.stderr).toContain('unsupported startup parameter: statement_timeout');
  expect(answer.stderr).toContain('ignore_startup_parameters');
});

test('serve without its database is live but not ready, and SIGTERM ends it with 0', async () => {
  const serve = startCommand(['serve'], { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing', PORT: '0' });
  onTestFinished(() => void serve.child.kill('SIGKILL'));
  const [, url] = await serve.prints(/"url":"([^"]+)".*service.ready/);
  expect((await fetch(`${url}/livez`)).status).toBe(200);
  expect((await fetch(`${url}/readyz`)).status).toBe(503);
  serve.child.kill('SIGTERM');
  expect(await serve.ended).toBe(0);
});

test('migrate fills an empty database and finds nothing to do the second time', async () => {
  const database = await createTestDatabase();
  const settings = { DATABASE_URL: database.url };
  await execute(database.url, 'drop schema public cascade');
  await execute(database.url, 'create schema public');
  expect(await callCommand(['migrate'], settings)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('applied 0001-'),
  });
  expect(await callCommand(['migrate'], settings)).toMatchObject({ code: 0, stdout: 'The database was up to date.\n' });
  await database.drop();
});

test('two simultaneous migrations both succeed, and one of them does the work', async () => {
  const database = await createTestDatabase();
  await execute(database.url, 'drop schema public cascade');
  await execute(database.url, 'create schema public');
  const both = await Promise.all([1, 2].map(() => runCommand(['migrate'], { DATABASE_URL: database.url })));
  expect(both.map((answer) => answer.code)).toEqual([0, 0]);
  expect(both.filter((answer) => answer.stdout.includes('applied 0001-'))).toHaveLength(1);
  await database.drop();
});

test('keys are created, listed without their secret, rotated and revoked', async () => {
  const database = await createTestDatabase();
  const settings = { DATABASE_URL: database.url };
  const created = await callCommand(['keys', 'create', '--label', 'robot', '--scopes', 'read'], settings);
  const key = parseApiKey(created.stdout.trim());
  expect(created.code).toBe(0);
  expect(key).toBeDefined();

  const listed = await callCommand(['keys', 'list'], settings);
  expect(listed.stdout).toContain(key!.keyId);
  expect(listed.stdout).toContain('robot');
  expect(listed.stdout).not.toContain(key!.secret);

  const rotated = await callCommand(['keys', 'rotate', key!.keyId, '--overlap', '600'], settings);
  const successor = parseApiKey(rotated.stdout.trim());
  expect(rotated.stderr).toMatch(new RegExp(`^${key!.keyId} works until \\S+Z\\.\n$`));
  expect((await callCommand(['keys', 'list'], settings)).stdout).toContain(successor!.keyId);
  expect((await callCommand(['keys', 'rotate', key!.keyId], settings)).stderr).toContain('was already rotated');
  expect((await callCommand(['keys', 'rotate', 'nonesuch'], settings)).code).toBe(1);

  expect((await callCommand(['keys', 'revoke', key!.keyId], settings)).code).toBe(0);
  expect((await callCommand(['keys', 'list'], settings)).stdout).toContain('revoked');
  expect((await callCommand(['keys', 'revoke', 'nonesuch'], settings)).code).toBe(1);
  await database.drop();
});

test('page prints a link for each call, refuses unknown accounts, and stores no token', async () => {
  const database = await createTestDatabase();
  const settings = { DATABASE_URL: database.url, PORT: '8123', HOST: '0.0.0.0' };
  await callCommand(['keys', 'create', '--account', 'lab'], settings);
  const first = await callCommand(['page', '--account', 'lab'], settings);
  const second = await callCommand(['page', '--account', 'lab', '--url', 'https://lab.example/'], settings);
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toMatch(
    /^http:\/\/127\.0\.0\.1:8123\/page#token=\w{41} {2}\(signs you in once, within 15 minutes\)\n$/,
  );
  expect(second.stdout).toMatch(/^https:\/\/lab\.example\/page#token=\w{41} /);
  const [token] = /\w{41}/.exec(first.stdout)!;
  expect(second.stdout).not.toContain(token);
  const [row] = await execute<{ stored: string }>(database.url, 'select l::text as stored from sign_in_links l');
  expect(row!.stored).not.toContain(token);
  const unknown = await callCommand(['page', '--account', 'nobody'], settings);
  expect(unknown).toMatchObject({ code: 1, stdout: '', stderr: 'There is no account nobody.\n' });
  expect(await callCommand(['page'], { ...settings, PORT: '0' })).toMatchObject({ code: 2, stdout: '' });
  await database.drop();
});

test('keys generate prints a well-formed key and needs no database', async () => {
  const answer = await callCommand(['keys', 'generate']);
  expect(answer.code).toBe(0);
  expect(parseApiKey(answer.stdout.trim())).toBeDefined();
});

const REFUSING = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' };

test.each([
  [['keys', 'create'], { npm_config_scopes: 'read' }, 'npm took --scopes for itself'],
  [['keys', 'create', 'read'], { npm_config_scopes: 'true' }, 'npm took --scopes for itself'],
  [['keys', 'create'], { npm_config_days: 'true' }, 'npm took --days for itself'],
  [['export'], { npm_config_account: 'x', npm_config_deleted: 'true' }, 'npm took --account, --deleted for itself'],
])('%j refuses to run when npm run has swallowed %j', async (args, taken, complaint) => {
  const answer = await callCommand(args, { ...REFUSING, npm_lifecycle_event: 'backsolve', ...taken });
  expect(answer).toMatchObject({ code: 2, stdout: '' });
  expect(answer.stderr).toContain(complaint);
  expect(answer.stderr).toContain('with npx backsolve instead of npm run backsolve');
});

test.each<Readonly<Record<string, string>>>([{ npm_config_scope: 'read' }, { npm_config_scops: 'read' }, {}])(
  'keys create under npm run with %j refuses to grant scopes that were not stated',
  async (taken) => {
    const answer = await callCommand(['keys', 'create'], { ...REFUSING, npm_lifecycle_event: 'backsolve', ...taken });
    expect(answer).toMatchObject({ code: 2, stdout: '' });
    expect(answer.stderr).toContain('npx backsolve keys create --scopes read,write,evaluate,admin');
  },
);

test('keys create under npm run accepts scopes that reached it after --', async () => {
  const answer = await callCommand(['keys', 'create', '--scopes', 'read'], {
    ...REFUSING,
    npm_lifecycle_event: 'backsolve',
  });
  expect(answer.stderr).toContain('The database does not answer');
});

test('a setting of npm with the name of a flag does not count as a swallowed flag under npx', async () => {
  const answer = await callCommand(['keys', 'create'], {
    ...REFUSING,
    npm_lifecycle_event: 'npx',
    npm_config_scopes: 'a',
  });
  expect(answer.stderr).toContain('The database does not answer');
});

test.each([
  ['nothing listens there', 'http://127.0.0.1:2', /^No answer from http:\/\/127\.0\.0\.1:2: .*ECONNREFUSED.*\n$/],
  [
    'the host is unknown',
    'http://nowhere.invalid',
    /^No answer from http:\/\/nowhere\.invalid: .*nowhere\.invalid.*\n$/,
  ],
  ['it is not an address', 'nowhere', /^--url takes the address of a service, .* not "nowhere"\.\n$/],
])('demo --url prints one line when %s', async (_, url, line) => {
  const answer = await callCommand(['demo', '--url', url, '--key', 'bks_x']);
  expect(answer.code).not.toBe(0);
  expect(answer.stderr).toMatch(line);
});

test.each([
  [['keys']],
  [['keys', 'revoke', 'AbCd1234', 'EfGh5678']],
  [['start', '--port', '8081']],
  [['serve', '8081']],
  [['keys', 'create', '--scopes', 'everything']],
  [['keys', 'create', '--nonsense']],
  [['keys', 'revoke']],
  [['keys', 'rotate']],
  [['keys', 'rotate', 'AbCd1234', '--overlap', 'soon']],
  [['demo', '--pace', 'slow']],
])('wrong usage is explained: %j', async (args) => {
  const answer = await callCommand(args, { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' });
  expect(answer.code).toBe(2);
  expect(answer.stderr).not.toMatch(/^\s+at /m);
});
