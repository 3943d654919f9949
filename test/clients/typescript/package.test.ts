/** The built package: what it consists of, in other versions of Node.js, without Node.js, and for programs that use its types. */
import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readProgram } from '../../support/doc-programs.ts';
import { readSource } from '../../support/import-rules.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const run = promisify(execFile);
const root = new URL('../../../', import.meta.url).pathname;
const source = join(root, 'clients/typescript');
const TSC = join(root, 'node_modules/.bin/tsc');

let service: TestService;
/** A folder whose node_modules hold the package as built. */
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'backsolve-client-'));
  const built = join(folder, 'node_modules/backsolve-client');
  await cp(join(source, 'package.json'), join(built, 'package.json'));
  [service] = await Promise.all([
    startTestService(),
    run(process.execPath, [TSC, '--project', join(source, 'tsconfig.build.json'), '--outDir', join(built, 'dist')]),
  ]);
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

/** The Node.js of the machine, which may be older than the pinned one, if it has one. */
const node = ['/usr/bin/node', '/usr/local/bin/node'].find((path) => existsSync(path)) ?? process.execPath;

const runProgram = async (node: string, program: string, name = 'program.mjs') => {
  await writeFile(join(folder, name), program);
  const env = { PATH: process.env['PATH'], BACKSOLVE_URL: service.service.url!, BACKSOLVE_API_KEY: service.key };
  return (await run(node, [name], { cwd: folder, env, timeout: 120_000 })).stdout;
};

it(`The first program of the README reaches its targets under ${node}`, async () => {
  const program = await readProgram('../clients/typescript/README.md', 'A search', 'js');
  expect(await runProgram(node, program)).toMatch(/^satisfied after \d+ runs at \[/);
});

it('The batch of the README is worked through', async () => {
  const program = await readProgram('../clients/typescript/README.md', 'A batch', 'js');
  expect((await runProgram(node, program)).match(/ SATISFIED \[/g)).toHaveLength(2);
});

it('Nothing but the package itself is imported, so that any bundler can pack it', () => {
  const dist = join(folder, 'node_modules/backsolve-client/dist');
  const paths = globSync('**/*.js', { cwd: dist });
  expect(paths).toContain('index.js');
  for (const path of paths) {
    for (const { specifier } of readSource(path, readFileSync(join(dist, path), 'utf8')).imports) {
      expect(specifier).toMatch(/^\.{1,2}\/.*\.js$/);
      expect(paths).toContain(normalize(join(dirname(path), specifier)));
    }
  }
});

it('A bundler packs it for browsers: nothing of Node.js is needed, and no User-Agent is set', async () => {
  const entry = join(folder, 'node_modules/backsolve-client/dist/index.js');
  const bundler = join(root, 'node_modules/.bin/rolldown');
  await run(process.execPath, [bundler, '--platform', 'browser', '--minify', entry, '--file', join(folder, 'page.js')]);
  const printed = await runProgram(
    process.execPath,
    `const { env, stdout } = process;
    await fetch(env.BACKSOLVE_URL); // loads what Node.js itself needs for it
    for (const name of ['process', 'global']) delete globalThis[name];
    const { Backsolve } = await import('./page.js');
    let sent;
    const client = new Backsolve({
      url: env.BACKSOLVE_URL,
      key: env.BACKSOLVE_API_KEY,
      fetch: (url, init) => { sent = init.headers; return fetch(url, init); },
    });
    const { body } = await client.call('createModel', { body: { name: 'from a page' } });
    stdout.write(JSON.stringify([body.name, Object.keys(sent).sort()]));`,
  );
  expect(JSON.parse(printed)).toEqual(['from a page', ['accept', 'authorization', 'content-type', 'idempotency-key']]);
});

it('Its types serve a program of others, under strict settings and without those of Node.js', async () => {
  await writeFile(
    join(folder, 'consumer.ts'),
    `import { Backsolve, LimitReachedError, type Model, type Operations } from 'backsolve-client';
    const client = new Backsolve({ url: 'http://localhost', key: 'k' });
    export const made: Promise<{ readonly status: 201; readonly body: Model }> = client.call('createModel', { body: { name: 'm' } });
    export type Body = Operations['createModel']['body'];
    // @ts-expect-error: a model has no size
    export const body: Body = { name: 'm', size: 1 };
    export const isFull = (error: unknown): boolean => error instanceof LimitReachedError && error.status === 400;`,
  );
  const options = [
    '--strict',
    '--exactOptionalPropertyTypes',
    '--noEmit',
    '--target',
    'es2022',
    '--lib',
    'es2022,dom,dom.asynciterable',
    '--types',
    '',
  ];
  const modules = ['--module', 'esnext', '--moduleResolution', 'bundler'];
  await run(process.execPath, [TSC, ...options, ...modules, 'consumer.ts'], { cwd: folder }).catch((error) => {
    throw new Error(error.stdout);
  });
});
