/** The program that bench/clients/typescript.ts kills: solves problem number N, and notes every call of its black box. */
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { choice, integer, real, solve, within } from '../../clients/typescript/src/solve.ts';

const [number = '0', calls = 'calls.log'] = process.argv.slice(2);
const n = Number(number);

const { status, history } = await solve(
  async ({ a, b, k, m }) => {
    appendFileSync(calls, `${JSON.stringify({ a, b, k, m })}\n`);
    await sleep(20);
    // Two problems of three fail somewhere.
    if (n % 3 !== 0 && a + b > 17) throw new Error('no convergence');
    const shift = m === 'steel' ? 0 : 2;
    return { area: a * b + shift, edge: a + 3 * b - k, tilt: Math.sin(a / 3) + b / 10 };
  },
  {
    name: `problem ${n}`,
    inputs: { a: real(0, 10), b: real(0, 10), k: integer(0, 5), m: choice('steel', 'brass') },
    goals: { area: within(12 + n / 2, 0.5), edge: within(13 + n / 4, 0.2), tilt: within(1.2, 0.3) },
    parallel: 1 + (n % 4),
    progress: false,
  },
);
console.log(JSON.stringify({ status, runs: history.length }));
