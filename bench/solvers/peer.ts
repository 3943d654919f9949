/** Runs a solver of the Python environment, which plays problem by problem. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Result } from './results.ts';

const folder = new URL('../peers/', import.meta.url).pathname;
const python = `${folder}.venv/bin/python`;

/** A Python process that answers one JSON line with one JSON line. */
export interface PythonProcess {
  readonly ask: (request: object) => Promise<unknown>;
  /** The next line that the process writes unasked. */
  readonly read: () => Promise<unknown>;
  readonly close: () => void;
}

/** @throws Error when the environment is missing. `ask` and `read` reject when the process ends. */
export function startPython(script: string, scriptArguments: readonly string[]): PythonProcess {
  if (!existsSync(python)) throw new Error('the peers are not installed: run bench/peers/setup.sh first');
  const child = spawn(python, [`${folder}${script}`, ...scriptArguments], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`${script} ended with code ${code}`);
  });
  // The process also exits after close(), when nothing awaits this promise any more.
  exited.catch(() => {});
  const read = async (): Promise<unknown> => {
    const { value } = await Promise.race([lines.next(), exited]);
    return JSON.parse(value as string);
  };
  return {
    read,
    ask: (request) => {
      child.stdin.write(`${JSON.stringify(request)}\n`);
      return read();
    },
    close: () => child.stdin.end(),
  };
}

type PlayOutcome = Pick<Result, 'runs' | 'solved' | 'seconds' | 'end'>;

export interface Peer {
  readonly version: string;
  readonly play: (problem: string, seed: number, timeCapSeconds: number) => Promise<PlayOutcome>;
  readonly close: () => void;
}

export async function startPeer(solver: string): Promise<Peer> {
  const pythonProcess = startPython('play.py', [solver, process.execPath]);
  const { version } = (await pythonProcess.read()) as { version: string };
  return {
    version,
    play: async (problem, seed, timeCapSeconds) =>
      (await pythonProcess.ask({ problem, seed, timeCapSeconds })) as PlayOutcome,
    close: pythonProcess.close,
  };
}
