/**
 * A program of the Python package that works on a black box which is no command: `python -m backsolve.serve MODE KIND`. It reads its
 * settings, one line of JSON, from standard input, and prints one line of JSON. In mode `describe` it then ends; in mode `serve` the line
 * has the address at which it evaluates inputs, as an evaluator with an address does, until standard input closes.
 */
import { type ChildProcess, execFile } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { LocalFault } from '../../../clients/typescript/src/evaluator/evaluation.ts';
import type { Fit } from '../../../clients/typescript/src/solve/fit.ts';
import { lastWords } from '../files/last-words.ts';
import type { ProcessGuard } from '../programs/process-group.ts';
import { makeGuard } from '../programs/process-guard.ts';
import { findFile } from '../programs/program-file.ts';
import type { Described, OpenBlackBox, Surroundings } from './black-box.ts';
import { makeUrlRunner } from './url-runner.ts';

export interface ProgramOptions {
  /** In the table of backsolve/serve.py; also the key of the problem file, and the extra of the Python package. */
  readonly kind: string;
  /** Name in reasons and notes, such as the name of its file. */
  readonly name: string;
  /** The Python to use, if the file states one. */
  readonly python: string | null;
  /** Settings for the kind's part in the Python package. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** For runs in progress, which the program ends with. */
const GRACE_SECONDS = 2;
/** A program that has just died refuses calls; the next one starts it again. */
const FIRST_PAUSE_MS = 100;
const LONGEST_START_MS = 120_000;
const LONGEST_LINE = 4 * 1024 * 1024;
const LONGEST_ERRORS = 16 * 1024;

/** Facts that the program states about the black box. Does not throw. */
export async function describeByProgram(
  options: ProgramOptions,
  where: Surroundings,
): Promise<Described & { readonly model: unknown }> {
  const refused = (message: string) => ({
    inputs: {},
    outputs: {},
    faults: [{ path: [options.kind], message }],
    unknown: ['inputs'] as const,
    model: undefined,
  });
  try {
    const python = await findPython(options, where);
    const text = await readDescription(python, options, where);
    const answer = JSON.parse(text) as Answer & Described & { readonly model: unknown };
    return answer.fault === undefined
      ? { ...NOTHING_SAID, ...answer }
      : refused(inWords(answer.fault, options, python));
  } catch (error) {
    return refused((error as Error).message);
  }
}

const NOTHING_SAID = { inputs: {}, outputs: {}, faults: [] };

interface Answer {
  /** Reason why the rest is absent. `missing` is a Python package. */
  readonly fault?: { readonly message: string } | { readonly missing: string };
}

/** A black box that the program serves. It starts with the first run, and again if it ended. */
export function openProgram(options: ProgramOptions, where: Surroundings): OpenBlackBox {
  const program = new KeptProgram(options, where);
  return {
    call: async ({ fits }) => {
      // Points at which the data of a fit need its curve; null for data without any.
      const curves = Object.fromEntries([...fits].map(([name, fit]) => [name, pointsOf(fit)]));
      return makeUrlRunner({
        url: () => program.url(),
        name: options.name,
        more: { curves },
        fits,
        firstPauseMs: FIRST_PAUSE_MS,
        onNote: where.onNote,
      });
    },
    close: () => program.close(),
  };
}

/** Positions at which the data of a fit were measured, null at their gaps. */
function pointsOf({ x, count, positions }: Fit): readonly (number | null)[] | null {
  if (x === null) return null;
  const points = new Array<number | null>(count).fill(null);
  for (const [k, position] of positions.entries()) points[position] = x[k]!;
  return points;
}

class KeptProgram {
  readonly #options: ProgramOptions;
  readonly #where: Surroundings;
  #running: Promise<Running> | undefined;

  constructor(options: ProgramOptions, where: Surroundings) {
    this.#options = options;
    this.#where = where;
  }

  /** Throws LocalFault where it does not start. */
  async url(): Promise<string> {
    this.#running ??= start(this.#options, this.#where, () => (this.#running = undefined));
    return (await this.#running).url;
  }

  async close(): Promise<void> {
    const running = await this.#running?.catch(() => undefined);
    await running?.end();
  }
}

interface Running {
  readonly url: string;
  end(): Promise<void>;
}

/** @param onGone  called when it has ended, or has not started */
async function start(options: ProgramOptions, where: Surroundings, onGone: () => void): Promise<Running> {
  try {
    const python = await findPython(options, where);
    const program = await Program.start(python, options, where, onGone);
    try {
      return { url: await program.readUrl(), end: () => program.end() };
    } catch (error) {
      await program.end();
      throw error;
    }
  } catch (error) {
    onGone();
    throw error instanceof LocalFault ? error : new LocalFault(`${options.name}: ${(error as Error).message}`);
  }
}

/** The process, which ends with everything that it started. */
class Program {
  readonly #child: ChildProcess;
  readonly #guard: ProcessGuard;
  readonly #python: string;
  readonly #options: ProgramOptions;
  /** Resolves when it has ended, and all that it printed is read. */
  readonly #closed: Promise<unknown>;
  #errors = '';
  #ending: Promise<void> | undefined;

  static async start(
    python: string,
    options: ProgramOptions,
    { home, environment, onNote }: Surroundings,
    onGone: () => void,
  ) {
    const guard = makeGuard(GRACE_SECONDS, ({ message }) =>
      onNote?.(`If this process is killed, the program of ${options.name} will not be ended: ${message}`),
    );
    const child = guard.start(python, argumentsOf('serve', options), false, { cwd: home, env: environment });
    const program = new Program(child, guard, python, options);
    child.once('exit', () => {
      onGone();
      void program.end();
    });
    await once(child, 'spawn');
    await guard.add(child.pid!);
    guard.open(child);
    return program;
  }

  private constructor(child: ChildProcess, guard: ProcessGuard, python: string, options: ProgramOptions) {
    this.#child = child;
    this.#guard = guard;
    this.#python = python;
    this.#options = options;
    this.#closed = once(child, 'close').catch(() => undefined);
    child.stdin!.on('error', () => undefined);
    child.stdin!.write(`${JSON.stringify(options.settings)}\n`);
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#errors = (this.#errors + text).slice(-LONGEST_ERRORS);
    });
  }

  /** Throws LocalFault. */
  async readUrl(): Promise<string> {
    const line = await this.#readLine();
    const answer = line === undefined ? undefined : (JSON.parse(line) as Answer & { readonly url: string });
    if (answer === undefined) throw new LocalFault(notStarted(this.#options, this.#python, this.#errors));
    if (answer.fault !== undefined) throw new LocalFault(inWords(answer.fault, this.#options, this.#python));
    return answer.url;
  }

  /** The first line; undefined if the program ended without one. Unread output would block the program, so the rest is thrown away. */
  async #readLine(): Promise<string | undefined> {
    const lines = createInterface({ input: this.#child.stdout! });
    const [line] = (await Promise.race([once(lines, 'line'), once(lines, 'close')])) as [string?];
    lines.on('line', () => undefined);
    if (line === undefined) await this.#closed;
    return line;
  }

  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    this.#child.stdin!.destroy();
    if (this.#child.pid !== undefined) {
      await this.#guard.end(this.#child.pid, GRACE_SECONDS * 1000);
      this.#guard.remove(this.#child.pid);
    }
    this.#guard.close();
  }
}

function argumentsOf(mode: 'describe' | 'serve', { kind }: ProgramOptions): readonly string[] {
  return ['-m', 'backsolve.serve', mode, kind];
}

/** Throws LocalFault. */
function readDescription(
  python: string,
  options: ProgramOptions,
  { home, environment }: Surroundings,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const limits = { timeout: LONGEST_START_MS, maxBuffer: LONGEST_LINE };
    const child = execFile(
      python,
      argumentsOf('describe', options),
      { cwd: home, env: environment, ...limits },
      (error, stdout, stderr) => {
        if (stdout.startsWith('{')) resolve(stdout);
        else reject(new LocalFault(notStarted(options, python, stderr || (error?.message ?? ''))));
      },
    );
    child.stdin!.on('error', () => undefined);
    child.stdin!.end(`${JSON.stringify(options.settings)}\n`);
  });
}

/**
 * Finds the Python that the file states, else the one that the command was installed with, else the one of the system. Throws LocalFault.
 */
function findPython({ python }: ProgramOptions, { home, environment }: Surroundings): Promise<string> {
  const name = python ?? (environment['BACKSOLVE_PYTHON'] || (process.platform === 'win32' ? 'python' : 'python3'));
  return findFile(name, home, environment, process.platform);
}

function inWords(fault: NonNullable<Answer['fault']>, options: ProgramOptions, python: string): string {
  return 'message' in fault ? fault.message : missingPackage(fault.missing, options, python);
}

function notStarted(options: ProgramOptions, python: string, errors: string): string {
  if (/No module named '?backsolve\b/.test(errors)) return missingPackage('backsolve', options, python);
  return `${python} -m backsolve.serve has ended: ${lastWords(errors) || 'it printed nothing.'}`;
}

function missingPackage(name: string, { kind }: ProgramOptions, python: string): string {
  return `needs the package ${name}, which ${python} does not have: run "${python} -m pip install 'backsolve[${kind}]'", or name another Python in python or BACKSOLVE_PYTHON.`;
}
