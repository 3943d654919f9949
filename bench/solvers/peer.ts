/** Starts one solver of the Python environment and lets it play problem by problem. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Result } from './results.ts';

const python = new URL('../peers/.venv/bin/python', import.meta.url).pathname;
const script = new URL('../peers/play.py', import.meta.url).pathname;

export interface Peer {
  readonly version: string;
  readonly play: (
    problem: string,
    seed: number,
    timeCapSeconds: number,
  ) => Promise<Pick<Result, 'runs' | 'solved' | 'seconds' | 'end'>>;
  readonly close: () => void;
}

/** @throws Error when the environment is missing or the solver does not start */
export async function startPeer(solver: string): Promise<Peer> {
  if (!existsSync(python)) throw new Error('the peers are not installed: run bench/peers/setup.sh first');
  const child = spawn(python, [script, solver, process.execPath], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`the peer ${solver} ended with code ${code}`);
  });
  exited.catch(() => {});
  const read = async () => {
    const { value } = await Promise.race([lines.next(), exited]);
    return JSON.parse(value as string);
  };
  const { version } = await read();
  return {
    version,
    play(problem, seed, timeCapSeconds) {
      child.stdin.write(`${JSON.stringify({ problem, seed, timeCapSeconds })}\n`);
      return read();
    },
    close: () => child.stdin.end(),
  };
}
