/**
 * A Python that works on one workbook: `python -m backsolve._sheets.uploaded`, which guards itself (backsolve/_sheets/jail.py). One line of
 * JSON is a request, the next line that it prints the answer. It gets no variables but the path of programs, and ends with its input.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { parse } from 'node:path';

export interface PythonOptions {
  /** The program, such as python3. */
  readonly python: string;
  readonly memoryMib: number;
  readonly unpackedMib: number;
  /** Environment in which programs are looked for, with the variables that Windows needs. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export type SheetAnswer = Readonly<Record<string, unknown>>;

/** It cannot work here, whatever the workbook: for the operator. */
export class NoPythonError extends Error {}
/** It ended without an answer, or was ended: it took too long or too much. */
export class SheetEndedError extends Error {}

const LONGEST_ANSWER = 64 * 1024 * 1024;
const LONGEST_ERRORS = 2_000;
const INSTALL = "pip install 'backsolve[spreadsheet]'";

interface Waiting {
  resolve(answer: SheetAnswer): void;
  reject(error: Error): void;
}

export class SheetProcess {
  readonly #child: ChildProcess;
  readonly #options: PythonOptions;
  #waiting: Waiting | undefined;
  #printed: Buffer[] = [];
  #printedBytes = 0;
  #errors = '';
  #ended: Error | undefined;
  /** Resolves when the last request so far is answered. */
  #turn: Promise<void> = Promise.resolve();

  constructor(options: PythonOptions) {
    this.#options = options;
    // Without variables of Python, and from where nobody else puts modules.
    const args = ['-E', '-m', 'backsolve._sheets.uploaded', String(options.memoryMib), String(options.unpackedMib)];
    const env = { ...options.environment, OPENBLAS_NUM_THREADS: '1', OMP_NUM_THREADS: '1', PYTHONUTF8: '1' };
    const child = spawn(options.python, args, {
      env,
      cwd: parse(process.cwd()).root,
      stdio: 'pipe',
      windowsHide: true,
    });
    this.#child = child;
    child.on('error', (error: NodeJS.ErrnoException) => this.#end(this.#toStartError(error)));
    child.once('close', (code, signal) => this.#end(this.#toEndError(code, signal)));
    child.stdin.on('error', () => undefined);
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#errors = (this.#errors + text).slice(-LONGEST_ERRORS);
    });
    child.stdout.on('data', (chunk: Buffer) => this.#take(chunk));
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  /** One request after another. It is ended after `limitMs`, and when the signal fires. Throws NoPythonError, SheetEndedError, or the signal's reason. */
  async ask(request: object, limitMs: number, signal?: AbortSignal): Promise<SheetAnswer> {
    const before = this.#turn;
    const turn = Promise.withResolvers<void>();
    this.#turn = turn.promise;
    await before;
    try {
      return await this.#askNow(request, limitMs, signal);
    } finally {
      turn.resolve();
    }
  }

  async #askNow(request: object, limitMs: number, signal?: AbortSignal): Promise<SheetAnswer> {
    signal?.throwIfAborted();
    if (this.#ended !== undefined) throw this.#ended;
    const { promise, resolve, reject } = Promise.withResolvers<SheetAnswer>();
    this.#waiting = { resolve, reject };
    const timer = setTimeout(() => {
      this.#end(new SheetEndedError(`it took longer than ${Number((limitMs / 1000).toPrecision(3))} s`));
    }, limitMs);
    const leave = () => this.#end(signal?.reason as Error);
    signal?.addEventListener('abort', leave, { once: true });
    this.#child.stdin!.write(`${JSON.stringify(request)}\n`);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
    }
  }

  end(): void {
    this.#end(new SheetEndedError('it was ended'));
  }

  #end(error: Error): void {
    this.#ended ??= error;
    this.#child.kill('SIGKILL');
    this.#waiting?.reject(this.#ended);
    this.#waiting = undefined;
  }

  #take(chunk: Buffer): void {
    this.#printedBytes += chunk.length;
    if (this.#printedBytes > LONGEST_ANSWER) {
      this.#end(new SheetEndedError('its answer is too long'));
      return;
    }
    this.#printed.push(chunk);
    if (!chunk.includes(10)) return;
    const line = Buffer.concat(this.#printed).toString('utf8');
    this.#printed = [];
    this.#printedBytes = 0;
    this.#answer(line);
  }

  #answer(line: string): void {
    let answer: SheetAnswer;
    try {
      answer = JSON.parse(line) as SheetAnswer;
    } catch {
      this.#end(new SheetEndedError('its answer cannot be read'));
      return;
    }
    if (typeof answer['missing'] === 'string') {
      this.#end(new NoPythonError(`The Python of this service lacks ${answer['missing']}: run ${INSTALL}.`));
      return;
    }
    this.#waiting?.resolve(answer);
    this.#waiting = undefined;
  }

  #toStartError({ code }: NodeJS.ErrnoException): Error {
    const { python } = this.#options;
    return new NoPythonError(`${python} does not start (${code}): set WORKBOOK_PYTHON to a Python with ${INSTALL}.`);
  }

  #toEndError(code: number | null, signal: NodeJS.Signals | null): Error {
    if (/No module named|ModuleNotFoundError/.test(this.#errors)) {
      return new NoPythonError(`${this.#options.python} has no backsolve[spreadsheet]: run ${INSTALL} with it.`);
    }
    const { memoryMib } = this.#options;
    return new SheetEndedError(
      `its process ended (${signal ?? `exit code ${code}`}): it may need more than ${memoryMib} MiB of memory`,
    );
  }
}
