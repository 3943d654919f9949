/**
 * Plays the shell commands of README.md, docs/ and docs/guides/ as a reader would: in a folder that stands for the clone, under the system's
 * own Node and npm, in the order of the pages. Guides with files of their own are played by guides.test.ts. A command that is neither played
 * nor listed with a reason fails a test.
 */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findFreePort } from '../../harness/free-port.ts';
import { parseApiKey } from '../../src/domain/accounts/api-key.ts';
import { SETTING_NAMES } from '../../tools/settings-page.ts';
import { linkClone } from './clone-folder.ts';
import { isPlayedAlone } from './doc-blocks.ts';
import { commandsOf, type DocCommand, readPages } from './doc-commands.ts';
import { endService } from './run-folder.ts';

/** Reasons why commands are not played; a pattern per kind. */
export const NOT_PLAYED: readonly (readonly [RegExp, string])[] = [
  [/^npm ci && npm test$/, 'this test is part of it'],
  [/^npm run package && pip install --find-links dist /, 'test/support/installed-packages.ts installs by it'],
  [/^backsolve /, 'test/packages/python.test.ts plays it with what is installed'],
  [/^(PG_BIN=\S+ )?npx node bench\//, 'takes minutes to hours; the file and its flags are checked below'],
  [
    /^npx backsolve (init|run|run --check) mine\.yaml$/,
    'asks for a problem; test/cli/init.test.ts and test/cli/run play it',
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
  [
    /^npx backsolve report --problem /,
    'needs a problem file that `run` has worked on; test/cli/run/failures.test.ts plays it',
  ],
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

/** Pages by the test that plays them, each with a service of its own; `others` plays what no other one names. */
const PAGES = {
  readme: ['README.md', 'docs/guides/first-problem.md'],
  recovery: ['docs/operations.md', 'docs/guides/running-for-a-team.md'],
} as const;

export type DocGroup = keyof typeof PAGES | 'others';

const NAMED: readonly string[] = Object.values(PAGES).flat();

/** Returns the commands of a group that are played, in the order of the pages. */
async function commandsOfGroup(group: DocGroup): Promise<readonly DocCommand[]> {
  const names: readonly string[] | undefined = group === 'others' ? undefined : PAGES[group];
  const pages = (await readPages()).filter((page) => !isPlayedAlone(page));
  return pages
    .filter((page) => (names === undefined ? !NAMED.includes(page.path) : names.includes(page.path)))
    .flatMap(commandsOf)
    .filter(isPlayed);
}

function isPlayed({ text }: DocCommand): boolean {
  return !NOT_PLAYED.some(([pattern]) => pattern.test(text));
}

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

interface Server {
  readonly url: string;
  readonly stdout: string;
  stop(): Promise<void>;
}

/** Starts the service as a process of its own. Returns once it is ready. */
async function startServer(folder: string, text: string, env: Readonly<Record<string, string>>): Promise<Server> {
  const child = spawn('bash', ['-euc', `exec env ${text}`], {
    cwd: folder,
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

/** Only to end what hangs: dozens of commands, each a process. */
const ALL_COMMANDS_MS = 600_000;

/** npm and npx take twice as long as what they run: elsewhere `node` starts bin/backsolve.js, as they do. */
const PLAYED_BY_NPM = ['README.md', 'docs/keys.md', 'docs/guides/first-problem.md'];

/** Outputs by their command, or by the page for the commands that one shell runs together. */
type Printed = ReadonlyMap<string, string>;

/** Registers a test that plays the pages of a group. `check` gets what they printed, where that is more than success. */
export function testPages(group: DocGroup, check: (printed: Printed) => void): void {
  test.skipIf(findMissing() !== undefined)(
    `every command of the pages works as written, under Node ${spawnSync('node', ['--version'], { env: ENVIRONMENT }).stdout}`,
    async () => {
      const folder = await openClone();
      const session = new Session(folder, group === 'readme');
      try {
        if (group !== 'readme') for (const command of await readTour()) await session.run(command);
        for (const command of await commandsOfGroup(group)) await session.run(command);
        check(await session.finish());
      } finally {
        await session.stop();
        await endService(path.join(folder, '.backsolve'));
        await rm(folder, { recursive: true, force: true });
      }
    },
    ALL_COMMANDS_MS,
  );
}

/** Returns the commands of README.md that start the service and fill it: the other pages go on from there. */
async function readTour(): Promise<readonly DocCommand[]> {
  return (await commandsOfGroup('readme')).filter(({ page, text }) => page === 'README.md' && !/^npx /.test(text));
}

/** Makes a folder with what the commands need of a clone. */
async function openClone(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'backsolve-commands-'));
  // The database's user has to get through.
  await chmod(folder, 0o711);
  await linkClone(folder);
  return folder;
}

/** A reader's terminals: one with the service, one with a shell whose variables last for a page. */
class Session {
  #service: Server | undefined;
  #env: Record<string, string> = {};
  #page = '';
  /** Commands of one page that a shell has to run together, because they share variables. */
  #lines: string[] = [];
  readonly #outputs = new Map<string, string>();
  readonly #ids: Record<string, string> = {};
  readonly #folder: string;
  readonly #byNpm: boolean;

  constructor(folder: string, byNpm: boolean) {
    this.#folder = folder;
    this.#byNpm = byNpm;
  }

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

  /** Runs what is still to run, and returns what all commands printed. */
  async finish(): Promise<Printed> {
    await this.#flush();
    return this.#outputs;
  }

  async stop(): Promise<void> {
    await this.#service?.stop();
  }

  async #play(text: string): Promise<string> {
    const cache = { npm_config_cache: path.join(this.#folder, 'npm-cache') };
    const options = { cwd: this.#folder, env: { ...ENVIRONMENT, ...cache, ...this.#env } };
    const answer = await promisify(execFile)('bash', ['-euc', text], { ...options, maxBuffer: 64 * 1024 * 1024 });
    return answer.stdout;
  }

  async #start(written: string): Promise<void> {
    const text = this.#byNpm ? written : written.replace('npm start', 'node bin/backsolve.js start');
    const env = { PORT: String(await findFreePort()) };
    if (this.#service === undefined) {
      const server = await startServer(this.#folder, text, env);
      this.#service = server;
      const key = /API key +(bks_\S+)/.exec(server.stdout)![1]!;
      this.#env = { KEY: key, URL: `${server.url}/v1` };
      return;
    }
    // The service of README.md still runs.
    if (!text.includes('DATA_DIR=')) return;
    // A restored database: its keys work, and it has what the tour made.
    const restored = await startServer(this.#folder, text, env);
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
      await expect(this.#play(text)).rejects.toThrow('There is no delivery 17');
      return;
    }
    const byNpm = PLAYED_BY_NPM.includes(this.#page);
    const stdout = await this.#play(byNpm ? text : text.replaceAll('npx backsolve', 'node bin/backsolve.js'));
    this.#outputs.set(written, stdout);
    if (/keys create .*the test rig/.test(text)) this.#ids['Xw3kPq8Z'] = parseApiKey(stdout.trim())!.keyId;
    const webhook = /^webhook (\d+)\nwhsec_/.exec(stdout)?.[1];
    if (webhook !== undefined) this.#ids['3'] = webhook;
  }

  async #flush(): Promise<void> {
    const text = this.#lines.join('\n');
    this.#lines = [];
    if (text !== '') this.#outputs.set(this.#page, await this.#play(text));
  }
}
