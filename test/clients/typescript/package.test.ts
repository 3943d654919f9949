/** The built package: what it consists of, in other versions of Node.js, without Node.js, and for programs that use its types. */
import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as blackBoxes from '../../../clients/typescript/examples/black-boxes.ts';
import { readProgram } from '../../support/doc-programs.ts';
import { readSource } from '../../support/import-rules.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { solveOverHttp } from './plain-http.ts';

const run = promisify(execFile);
const root = new URL('../../../', import.meta.url).pathname;
const source = join(root, 'clients/typescript');
const TSC = join(root, 'node_modules/.bin/tsc');

let service: TestService;
/** A folder into which the package was installed from its archive. */
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'backsolve-client-'));
  const copy = join(folder, 'source');
  await cp(source, copy, { recursive: true, filter: (path) => !path.startsWith(join(source, 'dist')) });
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  const pack = async () => {
    const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: copy });
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, stdout.trim())], { cwd: folder });
  };
  [service] = await Promise.all([startTestService(), pack()]);
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

const DIST = 'node_modules/backsolve-client/dist';

it('The programs of the README that solve and that ask and tell reach their goals', async () => {
  const solving = await readProgram('../clients/typescript/README.md', 'Solve', 'js');
  expect(await runProgram(node, solving)).toMatch(/^satisfied after \d+ runs at \{/);
  const asking = await readProgram('../clients/typescript/README.md', 'Ask and tell', 'js');
  expect(await runProgram(node, asking)).toMatch(/^satisfied \{ a: /);
});

it('The entry for browsers imports nothing but the package itself, so that any bundler can pack it', () => {
  const dist = join(folder, DIST, 'esm');
  const needed = new Set(['index.js']);
  for (const path of needed) {
    for (const { specifier } of readSource(path, readFileSync(join(dist, path), 'utf8')).imports) {
      expect(specifier).toMatch(/^\.{1,2}\/.*\.js$/);
      needed.add(normalize(join(dirname(path), specifier)));
    }
  }
  expect(needed.size).toBeGreaterThan(10);
  expect(Array.from(needed).filter((path) => /^(solve|evaluator)/.test(path))).toEqual([]);
});

it('The archive holds what is needed and nothing else', () => {
  const files = globSync('**/*', { cwd: join(folder, 'node_modules/backsolve-client') });
  const rest = files.filter(
    (path) => !/^dist(\/(esm|cjs)(\/.*(\.js|\.d\.ts|generated|evaluator|solve))?)?$/.test(path),
  );
  expect(rest.sort()).toEqual(['LICENSE', 'NOTICE', 'README.md', 'dist/cjs/package.json', 'package.json']);
});

const SOLVE = `solve(({ a, b }) => [a * b, a + 3 * b], {
  inputs: { a: real(0, 10), b: [0, 10] }, goals: { area: within(12, { percent: 1 }), edge: within(13, 0.1) }, journal: false,
})`;

it('import gives both entries of the archive, which solve', async () => {
  const program = `import { Backsolve } from 'backsolve-client';
import { real, solve, within } from 'backsolve-client/solve';
const { status } = await ${SOLVE};
console.log(status, typeof Backsolve);`;
  expect(await runProgram(node, program)).toBe('satisfied function\n');
});

it('require gives the same, in CommonJS', async () => {
  const program = `const { Backsolve, NotFoundError } = require('backsolve-client');
const { real, solve, within } = require('backsolve-client/solve');
const client = new Backsolve({ url: process.env.BACKSOLVE_URL, key: process.env.BACKSOLVE_API_KEY });
client.call('getModel', { path: { model_id: 123456 } }).catch(async (error) => {
  const { status } = await ${SOLVE};
  console.log(status, error instanceof NotFoundError, require.resolve('backsolve-client').endsWith('dist/cjs/index.js'));
});`;
  expect(await runProgram(node, program, 'program.cjs')).toBe('satisfied true true\n');
});

it('A bundler packs it for browsers: nothing of Node.js is needed, and no User-Agent is set', async () => {
  const entry = join(folder, DIST, 'esm/index.js');
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

const CONSUMER = `
const client = new Backsolve({ url: 'http://localhost', key: 'k' });
export const made: Promise<{ readonly status: 201; readonly body: Model }> = client.call('createModel', { body: { name: 'm' } });
export type Body = Operations['createModel']['body'];
// @ts-expect-error: a model has no size
export const body: Body = { name: 'm', size: 1 };
export const isFull = (error: unknown): boolean => error instanceof LimitReachedError && error.status === 400;
export const solved = solve(({ n, metal }) => (metal === 'steel' ? n : -n), {
  inputs: { n: integer(1, 9), metal: choice('steel', 'brass') },
  goals: { y: within(4, 1) },
});
export const best: Promise<'steel' | 'brass' | undefined> = solved.then((result) => result.best?.input.metal);
// @ts-expect-error: there is no such input
solve(({ n, m }) => n + m, { inputs: { n: integer(1, 9) }, goals: { y: within(4, 1) } });
`;
const IMPORTS = `import { Backsolve, LimitReachedError, type Model, type Operations } from 'backsolve-client';
import { choice, integer, solve, within } from 'backsolve-client/solve';`;

it.each([
  ['a bundler', 'consumer.ts', 'esnext', 'bundler'],
  ['import in Node.js', 'consumer.mts', 'nodenext', 'nodenext'],
  ['require in Node.js', 'consumer.cts', 'nodenext', 'nodenext'],
])(
  'Its types serve a program of others, with %s, under strict settings and without those of Node.js',
  async (...given) => {
    const [, name, module, resolution] = given;
    await writeFile(join(folder, name), `${IMPORTS}${CONSUMER}`);
    const options = ['--strict', '--exactOptionalPropertyTypes', '--noEmit', '--target', 'es2022', '--types', ''];
    const modules = ['--lib', 'es2022,dom,dom.asynciterable', '--module', module, '--moduleResolution', resolution];
    await run(process.execPath, [TSC, ...options, ...modules, name], { cwd: folder }).catch((error) => {
      throw new Error(error.stdout);
    });
  },
);

describe('the examples', () => {
  const examples = globSync('*.ts', { cwd: join(source, 'examples') }).filter((name) => name !== 'black-boxes.ts');

  it('There are six, of at most twelve lines', async () => {
    expect(examples).toHaveLength(6);
    for (const name of examples) {
      const lines = (await readFile(join(source, 'examples', name), 'utf8')).trim().split('\n');
      expect(lines.filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(12);
    }
  });

  it.each(examples)('%s is solved in as many runs as over plain HTTP', async (name) => {
    const target = join(folder, 'examples', name);
    await cp(join(source, 'examples'), target, { recursive: true });
    const env = { PATH: process.env['PATH'], BACKSOLVE_URL: service.service.url!, BACKSOLVE_API_KEY: service.key };
    const { stdout } = await run(process.execPath, [name], { cwd: target, env, timeout: 120_000 });
    const [, runs] = /^satisfied (\d+) /.exec(stdout) ?? expect.fail(stdout);
    const [problem] = await readdir(join(target, '.backsolve/typescript'));
    const text = await readFile(join(target, '.backsolve/typescript', problem!, 'problem.json'), 'utf8');
    const { project, batches } = JSON.parse(text);
    // biome-ignore lint/performance/noDynamicNamespaceImportAccess: the example is named after it
    const blackBox = blackBoxes[name.replace('.ts', '') as keyof typeof blackBoxes];
    expect(await solveOverHttp(service, { project, batch: batches[0].body }, blackBox)).toBe(Number(runs));
  });
});
