/** One program, run to its end: bounded in time and in what it may print, and with nothing left of it afterwards. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type FileHandle, open, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { whyUnwritten } from '../../../clients/typescript/src/evaluator/durable-files.ts';
import { LocalFault } from '../../../clients/typescript/src/evaluator/evaluation.ts';
import { type LogLimits, RunLog } from '../files/run-log.ts';
import type { ProcessGuard } from './process-group.ts';

export interface ChildOptions {
  readonly file: string;
  readonly args: readonly string[];
  /** `file` is a text for the shell of the system. */
  readonly isShell: boolean;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Text for its standard input. It need not read it. */
  readonly stdin: string;
  /** File that holds this text for a moment. */
  readonly stdinFile: string;
  readonly timeoutMs: number;
  /** From SIGTERM to SIGKILL. */
  readonly graceMs: number;
  readonly stdoutFile: string;
  readonly stderrFile: string;
  readonly guard: ProcessGuard;
  /** A log could not be written. */
  readonly onLogError: (error: Error) => void;
}

export interface ChildEnd {
  /** Cause of its end: by itself, out of time, or because the signal of the caller aborted. */
  readonly cause: 'itself' | 'timeout' | 'aborted';
  /** Null if a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** See RunLog. */
  readonly lastLine: string | null | undefined;
  /** The ends of standard error and standard output, for people. */
  readonly errorTail: string;
  readonly tail: string;
  /** Logs that lack what was printed, by their files, and why: the disk was full. */
  readonly brokenLogs: ReadonlyMap<string, Error>;
}

const STDOUT_LIMITS: LogLimits = { fileBytes: 10 * 1024 * 1024, tailBytes: 4 * 1024 * 1024 };
const STDERR_LIMITS: LogLimits = { fileBytes: 10 * 1024 * 1024, tailBytes: 64 * 1024 };
/** The longest time that a timer of Node can run: 24 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** Time that a pipe may stay open after the program: whoever holds it has left its group. */
const PIPE_GRACE_MS = 1_000;

/** Throws LocalFault if the program cannot be started. */
export async function runChild(options: ChildOptions, signal: AbortSignal): Promise<ChildEnd> {
  const child = await start(options);
  const group = child.pid!;
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const closed = once(child, 'close');
  const stdout = new RunLog(child.stdout!, options.stdoutFile, STDOUT_LIMITS, options.onLogError);
  const stderr = new RunLog(child.stderr!, options.stderrFile, STDERR_LIMITS, options.onLogError);

  let cause: ChildEnd['cause'] = 'itself';
  let ending: Promise<void> | undefined;
  const end = (why: 'timeout' | 'aborted') => {
    if (ending !== undefined) return;
    cause = why;
    ending = options.guard.end(group, options.graceMs);
  };
  const onAbort = () => end('aborted');
  const timer = setTimeout(end, Math.min(options.timeoutMs, LONGEST_TIMER_MS), 'timeout');
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });

  await options.guard.add(group);
  options.guard.open(child);
  const [code, endSignal] = await exited;
  clearTimeout(timer);
  signal.removeEventListener('abort', onAbort);
  // Whatever it left running in its group ends too: nothing of this evaluation may disturb the next.
  await (ending ?? options.guard.end(group, options.graceMs));
  options.guard.remove(group);
  await Promise.race([closed, sleep(PIPE_GRACE_MS)]);
  child.stdout!.destroy();
  child.stderr!.destroy();
  const brokenLogs = new Map<string, Error>();
  for (const [log, file] of [
    [stdout, options.stdoutFile],
    [stderr, options.stderrFile],
  ] as const) {
    const error = await log.close();
    if (error !== undefined) brokenLogs.set(file, error);
  }
  const [lastLine, errorTail, tail] = [stdout.lastLine(), stderr.tail, stdout.tail];
  return { cause, code, signal: endSignal, lastLine, errorTail, tail, brokenLogs };
}

/** Throws LocalFault if the program cannot be started. */
async function start({ file, args, isShell, cwd, env, stdin, stdinFile, guard }: ChildOptions): Promise<ChildProcess> {
  const input = await openInput(stdinFile, stdin);
  try {
    const child = guard.start(file, args, isShell, { cwd, env, stdin: input.fd });
    await once(child, 'spawn');
    return child;
  } catch (error) {
    throw new LocalFault(`The command cannot be started: ${(error as Error).message}`, { cause: error });
  } finally {
    await input.close();
  }
}

/** A file rather than a pipe, so that programs can open /dev/stdin. Only who holds it open can read it. */
async function openInput(file: string, text: string): Promise<FileHandle> {
  try {
    await writeFile(file, text, { mode: 0o600, flag: 'wx' });
    try {
      return await open(file);
    } finally {
      await rm(file, { force: true, maxRetries: 3 });
    }
  } catch (error) {
    throw new LocalFault(`The work folder cannot be written: ${whyUnwritten(error)}`, { cause: error });
  }
}
