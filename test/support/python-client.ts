/**
 * The published Python client, unmodified, in a virtual environment with pinned versions, created once per user in the cache
 * folder. Tests that need it are skipped, with the reason, if there is no Python 3.10 or no package registry.
 */
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const PROGRAMS = new URL('../scenario/python-client/', import.meta.url).pathname;
/** The previous release, which some programs still use; its registration sends other fields. */
const OLDER = 'globalmoo-sdk==1.0.1';
const INSTALL_LIMIT_MS = 280_000;
const PROGRAM_LIMIT_MS = 120_000;

export interface PythonClient {
  readonly kind: 'installed';
  /** Runs a program from the folder of the requirements, or an absolute path, against the service at `url`. Returns its output. */
  run(program: string, options: RunOptions): Promise<string>;
}

interface RunOptions {
  /** Origin of the service. */
  readonly url: string;
  readonly key: string;
  readonly stdin?: string;
  readonly isOlder?: boolean;
}

export type PythonClientOrReason = PythonClient | { readonly kind: 'missing'; readonly reason: string };

export async function installPythonClient(): Promise<PythonClientOrReason> {
  const requirements = join(PROGRAMS, 'requirements.txt');
  const hash = createHash('sha256').update(`${OLDER}\n${await readFile(requirements, 'utf8')}`);
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  const folder = join(cache, 'backsolve', `python-client-${hash.digest('hex').slice(0, 12)}`);
  if (!existsSync(folder)) {
    try {
      await install(folder, requirements);
    } catch (error) {
      return { kind: 'missing', reason: `the published Python client cannot be installed: ${lastLine(error)}` };
    }
  }
  return { kind: 'installed', run: (program, options) => runProgram(folder, program, options) };
}

/** Builds the environment in another folder and moves it into place, so that concurrent tests never see an incomplete one. */
async function install(folder: string, requirements: string): Promise<void> {
  const aside = `${folder}.${randomBytes(4).toString('hex')}`;
  const options = { timeout: INSTALL_LIMIT_MS };
  try {
    await mkdir(dirname(folder), { recursive: true });
    await run('python3', ['-c', 'import sys; assert sys.version_info >= (3, 10), "Python 3.10 or newer is needed"']);
    await run('python3', ['-m', 'venv', aside], options);
    const python = join(aside, 'bin', 'python');
    // Few retries, so that a missing registry is noticed soon.
    const pip = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--disable-pip-version-check', '--retries', '2'];
    await run(python, [...pip, '--requirement', requirements], options);
    await run(python, [...pip, '--target', join(aside, 'older'), OLDER], options);
    await rename(aside, folder).catch((error: NodeJS.ErrnoException) => {
      // Another process was faster.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

async function runProgram(folder: string, program: string, options: RunOptions): Promise<string> {
  const path = join(PROGRAMS, program);
  const running = run(join(folder, 'bin', 'python'), [program.startsWith('/') ? program : path], {
    cwd: folder,
    timeout: PROGRAM_LIMIT_MS,
    env: {
      PATH: process.env['PATH'] ?? '',
      PYTHONPATH: options.isOlder ? `${join(folder, 'older')}:${PROGRAMS}` : PROGRAMS,
      PYTHONDONTWRITEBYTECODE: '1',
      GMOO_API_KEY: options.key,
      GMOO_API_URI: `${options.url}/api/`,
      NO_PROXY: '127.0.0.1,localhost',
    },
  });
  running.child.stdin!.end(options.stdin ?? '');
  const { stdout } = await running;
  return stdout;
}

function lastLine(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string };
  return (stderr?.trim() || message).split('\n').at(-1)!;
}
