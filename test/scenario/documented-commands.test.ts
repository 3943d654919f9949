/**
 * Plays the shell commands of README.md, docs/ and docs/guides/ as a reader would: in a folder that stands for the clone, under the system's
 * own Node and npm, in the order of the pages. Guides with files of their own are played by guides.test.ts. A command that is neither played nor listed with a reason fails the test.
 */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findOwners } from '../../clients/typescript/src/solve/folder-lock.ts';
import { findFreePort } from '../../harness/free-port.ts';
import { parseApiKey } from '../../src/domain/accounts/api-key.ts';
import { initialDesign } from '../../src/optimizer/initial-design.ts';
import { SETTING_NAMES } from '../../tools/settings-page.ts';
import { isPlayedAlone } from '../support/doc-blocks.ts';
import { commandsOf, type DocCommand, type DocPage, readPages } from '../support/doc-commands.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Reasons why commands are not played; a pattern per kind. */
const NOT_PLAYED: readonly (readonly [RegExp, string])[] = [
  [/^npm ci && npm test$/, 'this test is part of it'],
  [/^npm run package && pip install --find-links dist /, 'test/support/installed-packages.ts installs by it'],
  [/^backsolve /, 'test/packages/python.test.ts plays it with what is installed'],
  [/^(PG_BIN=\S+ )?npx node bench\//, 'takes minutes to hours; the file and its flags are checked below'],
  [
    /^npx backsolve (init|run|run --check) mine\.yaml$/,
    'asks for a problem; test/cli/init.test.ts and run.test.ts play it',
  ],
  [
    /^npx backsolve evaluate /,
    'runs on and on; test/scenario/program-as-black-box.test.ts and test/cli/evaluate.test.ts play it',
  ],
  [
    /^(for host in |\s*ssh "\$host" |done$|sbatch |chmod \+x as-job|node bin\/backsolve\.js evaluate )/,
    'needs a cluster; test/scenario/many-machines.test.ts plays it on one machine, bench/drills/slurm.ts on a real Slurm',
  ],
  [
    /^printf .* > ~\/\.backsolve /,
    "writes into the reader's home; test/scenario/many-machines.test.ts reads such a file",
  ],
  [/^npx backsolve report --problem /, 'needs a problem file that `run` has worked on; test/cli/run.test.ts plays it'],
  [/^npx backsolve run beam\.yaml$/, 'needs the files of its page; test/cli/sources.test.ts plays it with them'],
  [/^npx vitest run /, 'these tests run anyway'],
  [/^(docker|kubectl) /, 'needs a Docker engine or a cluster; test/deploy checks the files it uses'],
  [/^deploy\/make-env\.sh$/, 'writes into the clone; test/deploy/compose.test.ts plays it'],
  [
    /^DATABASE_URL=postgres:\/\/\S*\.\.\.\S* npx backsolve (migrate --grant backsolve_app|serve)$/,
    "needs the reader's server; test/cli/restricted-role.test.ts plays it",
  ],
  [
    /^DATABASE_URL=postgres:\/\/\.\.\. deploy\/(backup|restore)\.sh /,
    "needs the reader's server and PostgreSQL's programs; bench/drills/restore.ts plays it",
  ],
  [/^pip install globalmoo-sdk==1\.1\.1$/, 'test/scenario/python-client.test.ts installs it'],
  [/^npm install https:\/\/github\.com\//, 'downloads from GitHub'],
];

/** Without the tester's settings, npm's variables, and npm's node_modules/.bin ahead of the system's Node. */
const ENVIRONMENT = Object.fromEntries(
  Object.entries(process.env)
    .filter(([name]) => !SETTING_NAMES.has(name) && !/^(npm_|INIT_CWD$|NODE$|NODE_|VITEST|TEST$)/i.test(name))
    .map(([name, value]) => [name, name === 'PATH' ? systemPath(value!) : value]),
);

function systemPath(value: string): string {
  return value
    .split(path.delimiter)
    .filter((folder) => !folder.includes(`node_modules${path.sep}.bin`) && !folder.includes('node-gyp-bin'))
    .join(path.delimiter);
}

/** Undefined where the system has what the commands need. */
function findMissing(): string | undefined {
  const missing = ['bash', 'curl', 'npm', 'npx', 'node'].filter(
    (program) => spawnSync(program, ['--version'], { env: ENVIRONMENT }).status !== 0,
  );
  return missing.length === 0 ? undefined : missing.join(', ');
}

const missing = findMissing();

interface Server {
  readonly url: string;
  readonly stdout: string;
  stop(): Promise<void>;
}

let clone: string;
let pages: readonly DocPage[];
beforeAll(async () => {
  pages = (await readPages()).filter((page) => !isPlayedAlone(page));
  clone = await mkdtemp(path.join(tmpdir(), 'backsolve-commands-'));
  // The database's user has to get through.
  await chmod(clone, 0o711);
  for (const entry of ['package.json', '.npmrc', 'bin', 'src', 'bench', 'migrations', 'node_modules']) {
    await symlink(path.join(ROOT, entry), path.join(clone, entry));
  }
});
afterAll(() => rm(clone, { recursive: true, force: true }));

/** Runs a text in bash, within the clone. */
async function play(text: string, env: Readonly<Record<string, string>>) {
  const options = { cwd: clone, env: { ...ENVIRONMENT, npm_config_cache: path.join(clone, 'npm-cache'), ...env } };
  return promisify(execFile)('bash', ['-euc', text], { ...options, maxBuffer: 64 * 1024 * 1024 });
}

/** `npm start` as a process of its own, up and ready. */
async function startServer(text: string, env: Readonly<Record<string, string>>): Promise<Server> {
  const child = spawn('bash', ['-euc', `exec env ${text}`], {
    cwd: clone,
    env: { ...ENVIRONMENT, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const ended = once(child, 'close');
  let output = '';
  const ready = new Promise<string>((resolve, reject) => {
    const look = (chunk: Buffer) => {
      output += chunk.toString('utf8');
      const url = /Backsolve is ready at (\S+)[\s\S]*API key .*\n/.exec(output)?.[1];
      if (url !== undefined) resolve(url);
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    void ended.then(() => reject(new Error(`${text} ended:\n${output}`)));
  });
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGTERM');
    await ended;
  };
  try {
    return { url: await ready, stdout: output, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Only to end what hangs: some fifty commands, each with a start of npx. */
const ALL_COMMANDS_MS = 600_000;

/** npx takes twice as long as what it runs: elsewhere the commands are played as by npx, which starts bin/backsolve.js with `node`. */
const PLAYED_BY_NPX = ['README.md', 'docs/keys.md', 'docs/guides/first-problem.md'];

function isPlayed({ text }: DocCommand): boolean {
  return !NOT_PLAYED.some(([pattern]) => pattern.test(text));
}

test.skipIf(missing !== undefined)(
  `every documented command works as written, under Node ${spawnSync('node', ['--version'], { env: ENVIRONMENT }).stdout}`,
  async () => {
    const commands = pages.flatMap(commandsOf).filter(isPlayed);
    const session = new Session();
    try {
      for (const command of commands) await session.run(command);
      session.check();
    } finally {
      await session.stop();
      // The service that `run` has started ends soon after its last user.
      if (existsSync(path.join(clone, '.backsolve')))
        await expect.poll(() => findOwners(path.join(clone, '.backsolve'))).toEqual([]);
    }
  },
  ALL_COMMANDS_MS,
);

/** A reader's terminals: one with the service, one with a shell whose variables last for a page. */
class Session {
  #service: Server | undefined;
  #env: Record<string, string> = {};
  #page = '';
  /** Commands of one page that a shell has to run together, because they share variables. */
  #lines: string[] = [];
  readonly #outputs = new Map<string, string>();
  readonly #ids: Record<string, string> = {};

  async run({ page, line, text }: DocCommand): Promise<void> {
    try {
      if (page !== this.#page) {
        await this.#flush();
        this.#page = page;
      }
      if (/npm start$/.test(text)) return await this.#start(text.replace(/^npm ci && /, ''));
      if (/^(\w+=|export |api\b)/.test(text) && !/ npx /.test(text)) {
        this.#lines.push(text);
        return;
      }
      await this.#flush();
      await this.#command(text);
    } catch (error) {
      throw new Error(`${page}:${line}: ${text}\n${(error as Error).message}`, { cause: error });
    }
  }

  /** Checks what the commands printed, if that is more than success. */
  check(): void {
    const tour = this.#outputs.get('README.md')!.trim().split('\n');
    const answers = tour.map((one) => JSON.parse(one) as { stopReason?: number; inverses?: { inputs: number[] }[] });
    expect(answers).toHaveLength(7);
    expect(answers.at(-1)!.stopReason).toBe(1);
    const [x1, x2] = answers.at(-1)!.inverses!.at(-1)!.inputs as [number, number];
    expect(Math.abs(x1 + x2 - 10)).toBeLessThan(0.1);
    expect(Math.abs(x1 - x2 + 4)).toBeLessThan(0.04);
    const outputs = [...this.#outputs].map(([command, output]) => `${command}\n${output}`);
    expect(outputs.find((one) => one.startsWith('npx backsolve demo'))).toContain('All outputs are met');
    expect(outputs.find((one) => one.startsWith('npx backsolve run bracket.yaml'))).toContain(
      'Solved: everything is met',
    );
    expect(outputs.find((one) => one.startsWith('npx backsolve keys list'))).toMatch(/the test rig.*read,write/);
    expect(outputs.find((one) => one.startsWith('tail -n 1'))).toContain('"type":"end"');
    expect(outputs.find((one) => one.includes(' restore '))).toMatch(/Restored \d+ tables, \d+ rows\./);
  }

  async stop(): Promise<void> {
    await this.#service?.stop();
  }

  async #start(text: string): Promise<void> {
    const env = { PORT: String(await findFreePort()) };
    if (this.#service === undefined) {
      const server = await startServer(text, env);
      this.#service = server;
      const key = /API key +(bks_\S+)/.exec(server.stdout)![1]!;
      this.#env = { KEY: key, URL: `${server.url}/v1` };
      return;
    }
    // The service of README.md still runs.
    if (!text.includes('DATA_DIR=')) return;
    // A restored database: its keys work, and it has what the tour made.
    const restored = await startServer(text, env);
    try {
      expect(restored.stdout).not.toContain('bks_');
      const headers = { authorization: `Bearer ${this.#env['KEY']}` };
      const answer = await fetch(`${restored.url}/v1/models`, { headers });
      expect(await answer.text()).toContain('My first model');
    } finally {
      await restored.stop();
    }
  }

  async #command(written: string): Promise<void> {
    // Ids in the pages are examples.
    const text = written.replace(/\bXw3kPq8Z\b|(?<=webhooks [a-z-]+ )\d+/g, (id) => this.#ids[id] ?? id);
    if (/webhooks redeliver/.test(text)) {
      await expect(play(text, this.#env)).rejects.toThrow('There is no delivery 17');
      return;
    }
    const byNpx = PLAYED_BY_NPX.includes(this.#page);
    const { stdout } = await play(byNpx ? text : text.replaceAll('npx backsolve', 'node bin/backsolve.js'), this.#env);
    this.#outputs.set(written, stdout);
    if (/keys create .*the test rig/.test(text)) this.#ids['Xw3kPq8Z'] = parseApiKey(stdout.trim())!.keyId;
    const webhook = /^webhook (\d+)\nwhsec_/.exec(stdout)?.[1];
    if (webhook !== undefined) this.#ids['3'] = webhook;
  }

  async #flush(): Promise<void> {
    const text = this.#lines.join('\n');
    this.#lines = [];
    if (text !== '') this.#outputs.set(this.#page, (await play(text, this.#env)).stdout);
  }
}

test('every reason not to play a command belongs to a documented command', () => {
  const texts = pages.flatMap(commandsOf).map(({ text }) => text);
  const unused = NOT_PLAYED.filter(([pattern]) => !texts.some((text) => pattern.test(text)));
  expect(unused.map(([pattern]) => String(pattern))).toEqual([]);
});

test('every documented script exists and knows the flags it is given', async () => {
  const problems: string[] = [];
  for (const { path: page, text } of pages) {
    for (const [command, file, rest] of text.matchAll(/npx node ((?:bench|test|src)\/[\w./-]+\.ts)([^`#\n]*)/g)) {
      if (!existsSync(path.join(ROOT, file!))) {
        problems.push(`${page}: ${command}: there is no such file`);
        continue;
      }
      const source = await readFile(path.join(ROOT, file!), 'utf8');
      for (const [flag] of rest!.matchAll(/--[\w-]+/g)) {
        const name = flag.slice(2);
        if (!new RegExp(`(^|[\\s{,'"])${name}['"]?:`, 'm').test(source))
          problems.push(`${page}: ${command}: no ${flag}`);
      }
    }
  }
  expect(problems).toEqual([]);
});

test('no page has a command in a form that fails on Node 20 or loses its flags', () => {
  const bad = pages.flatMap(({ path: page, text }) =>
    text.split('\n').flatMap((line, i) => {
      const needsPinnedNode = /(?<!npx )\bnode (bench|src|test)\//.test(line);
      const losesFlags = /npm run backsolve/.test(line);
      // As code, a name that is not preceded by npx is a command that no shell finds, unless it was installed, as in README.md.
      const isNotFound = page !== 'README.md' && /`(\w+=\S+ )*backsolve [a-z]/.test(line);
      return needsPinnedNode || losesFlags || isNotFound ? [`${page}:${i + 1}: ${line.trim()}`] : [];
    }),
  );
  expect(bad).toEqual([]);
});

test('docs/projects.md states how many cases are designed by default', async () => {
  const page = pages.find(({ path: one }) => one === 'docs/projects.md')!.text;
  const rowOf = (name: string) => {
    const cells = new RegExp(`^\\| ${name} \\|(.*)\\|$`, 'm').exec(page)![1]!.split('|');
    return cells.map((cell) => Number.parseInt(cell, 10));
  };
  const designed = (n: number, outputCount: number | null) => {
    const space = { variables: Array.from({ length: n }, () => ({ kind: 'float', minimum: 0, maximum: 1 }) as const) };
    return initialDesign({ space, caseCount: null, outputCount, seed: 1 }).count;
  };
  const inputs = rowOf('Inputs');
  expect(rowOf('Designed cases')).toEqual(inputs.map((n) => designed(n, null)));
  expect(rowOf('With `outputCount` 1')).toEqual(inputs.map((n) => designed(n, 1)));
  expect(designed(200, null)).toBe(8);
});
