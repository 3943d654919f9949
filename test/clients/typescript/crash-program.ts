/** Solves the problem of the crash cases; notes every call of the black box first, and kills itself in one of them. */
import { appendFileSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { real, solve, within } from '../../../clients/typescript/src/solve.ts';

interface Settings {
  readonly log: string;
  readonly killInCall?: number;
  readonly goals: { readonly u: readonly [number, number]; readonly v: readonly [number, number] };
  readonly url: string;
  readonly key: string;
  readonly folder: string;
  readonly name: string;
  readonly parallel: number;
}

const { log, killInCall, goals, ...connection } = JSON.parse(process.argv[2]!) as Settings;

const result = await solve(
  async ({ a, b }) => {
    appendFileSync(log, `${a} ${b}\n`);
    if (readFileSync(log, 'utf8').trim().split('\n').length === killInCall) process.kill(process.pid, 'SIGKILL');
    await sleep(1);
    return { u: a * b, v: a + 3 * b };
  },
  {
    ...connection,
    inputs: { a: real(0, 10), b: real(0, 10) },
    goals: { u: within(goals.u[0], goals.u[1]), v: within(goals.v[0], goals.v[1]) },
    cases: 6,
    progress: false,
  },
);
console.log(JSON.stringify({ status: result.status, runs: result.history.length, modelId: result.ids.modelId }));
