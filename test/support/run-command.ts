/** Runs commands with exactly the given settings. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { format } from 'node:util';
import { vi } from 'vitest';
import { run } from '../../src/cli/dispatch.ts';

const MAIN = new URL('../../src/main.ts', import.meta.url).pathname;

export interface CommandProcess {
  readonly child: ChildProcess;
  /** All output so far. */
  stdout(): string;
  stderr(): string;
  /** Resolves to the first match in the standard output; rejects if the process ends without one. */
  prints(pattern: RegExp): Promise<RegExpExecArray>;
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/** @param input  all of its standard input */
export function startCommand(
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
  input = '',
): CommandProcess {
  const child = spawn(process.execPath, [MAIN, ...args], { env: settings });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
  const ended = once(child, 'close').then(([code, signal]) => (signal ?? code) as number | NodeJS.Signals);
  const prints = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(stdout);
        if (match !== null) resolve(match);
      };
      child.stdout.on('data', look);
      look();
      void ended.then((how) => reject(new Error(`ended (${how}) without printing ${pattern}:\n${stdout}${stderr}`)));
    });
  return { child, stdout: () => stdout, stderr: () => stderr, prints, ended };
}

/** Runs a command to its end; a failure does not throw. */
export async function runCommand(args: readonly string[], settings: Readonly<Record<string, string>> = {}) {
  const command = startCommand(args, settings);
  const code = await command.ended;
  return { code, stdout: command.stdout(), stderr: command.stderr() };
}

/**
 * Runs a command to its end in this process, which takes a tenth of the time of a process of its own. One at a time: the environment
 * and the output belong to the process.
 */
export async function callCommand(args: readonly string[], settings: Readonly<Record<string, string>> = {}) {
  const printed = { stdout: '', stderr: '' };
  const take = (stream: keyof typeof printed) => (text: unknown, done?: unknown) => {
    printed[stream] += String(text);
    if (typeof done === 'function') done();
    return true;
  };
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(take('stdout')),
    vi.spyOn(process.stderr, 'write').mockImplementation(take('stderr')),
    vi.spyOn(console, 'log').mockImplementation((...words) => void take('stdout')(`${format(...words)}\n`)),
    vi.spyOn(console, 'error').mockImplementation((...words) => void take('stderr')(`${format(...words)}\n`)),
  ];
  const environment = process.env;
  process.env = { ...settings };
  try {
    return { code: await run(args), ...printed };
  } finally {
    process.env = environment;
    for (const spy of spies) spy.mockRestore();
  }
}
