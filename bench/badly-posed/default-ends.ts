/**
 * Measures how soon a search that minimizes or maximizes ends by the rule that our front doors use by default, and how near to the best
 * value: problems with a known optimum, for odd seeds without an aspiration, for even ones with one out of reach by a tenth.
 *
 *   npx node bench/badly-posed/default-ends.ts [--seeds 1,2,3,4,5,6,7,8] [--problem name,name] [--few] [--json] [--write]
 *
 * --few plays further problems, without limits in two and three inputs; no bar was set for these.
 *
 * A play arrives with the first run that meets all limits within 1 percent of the optimum. Of those that arrive, the bar asks that 90
 * percent end at most 15 runs later; of all, that at most 2 percent end more than 2 percent off.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { DEFAULT_IMPROVEMENT_BELOW } from '../../src/domain/search/stop-options.ts';
import { judge } from '../problems/judge.ts';
import { maximize, minimize, type Problem } from '../problems/problem.ts';
import { play } from '../solvers/play.ts';
import { fewInputs, type KnownOptimum, knownOptima } from './known-optima.ts';

const IN_TIME = 15;
const ARRIVED = 0.01;
const OFF = 0.02;
const BEYOND = 0.1;

const { values: options } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1,2,3,4,5,6,7,8' },
    problem: { type: 'string' },
    few: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});

interface Row {
  readonly problem: string;
  readonly seed: number;
  readonly end: string;
  readonly runs: number;
  readonly arrivedAt: number | null;
  readonly off: number;
}

function toProblem(known: KnownOptimum, target: number): Problem {
  const { name, source, variables, start, direction, limits, evaluate } = known;
  return {
    name,
    source,
    variables,
    start,
    evaluate,
    family: 'minimize-maximize',
    objectives: [direction === 'minimize' ? minimize(target) : maximize(target), ...limits],
    desiredL1Norm: 0,
    convergence: 1e-6,
    budget: Math.max(60, 20 * (variables.length + 1)),
    noisy: false,
    known: [],
  };
}

function playOne(known: KnownOptimum, seed: number): Row {
  const sign = known.direction === 'minimize' ? 1 : -1;
  const unit = Math.abs(known.optimum);
  const target = seed % 2 === 1 ? -sign * Number.POSITIVE_INFINITY : known.optimum - sign * BEYOND * unit;
  const anything = toProblem(known, sign * 1e99);
  let [runs, off] = [0, Number.POSITIVE_INFINITY];
  let arrivedAt: number | null = null;
  const evaluate: Problem['evaluate'] = (x, run) => {
    const output = known.evaluate(x, run);
    runs++;
    if (judge(anything, output)) off = Math.min(off, (sign * (output![0]! - known.optimum)) / unit);
    if (off <= ARRIVED) arrivedAt ??= runs;
    return output;
  };
  const stop = { improvementBelow: DEFAULT_IMPROVEMENT_BELOW };
  const { end } = play({ ...toProblem(known, target), evaluate }, seed, { stop });
  return { problem: known.name, seed, end, runs, arrivedAt, off };
}

const rows: Row[] = [];
for (const known of (options.few ? fewInputs : knownOptima).filter(
  ({ name }) => options.problem?.split(',').includes(name) ?? true,
)) {
  const own = options.seeds.split(',').map((seed) => playOne(known, Number(seed)));
  rows.push(...own);
  if (options.json) for (const row of own) console.log(JSON.stringify(row));
  const texts = own.map(
    ({ arrivedAt, runs, end, off }) =>
      `${arrivedAt ?? '-'}/${runs}${end === 'budget' ? '!' : ''} ${(100 * off).toPrecision(2)}%`,
  );
  console.log(`${known.name.padEnd(20)} ${texts.join(', ')}`);
}

const isEnd = ({ end }: Row) => end !== 'budget';
const arrived = rows.filter(({ arrivedAt }) => arrivedAt !== null);
const inTime = arrived.filter((row) => isEnd(row) && row.runs - row.arrivedAt! <= IN_TIME).length / arrived.length;
const tooEarly = rows.filter((row) => isEnd(row) && row.off > OFF).length / rows.length;
const isMet = inTime >= 0.9 && tooEarly <= 0.02;
const plays = rows.length;
console.log(JSON.stringify({ class: 'default ends', plays, arrived: arrived.length, inTime, tooEarly, isMet }));
if (options.write) {
  mkdirSync(new URL('results/', import.meta.url), { recursive: true });
  writeFileSync(new URL('results/default-ends.json', import.meta.url), `${JSON.stringify(rows, null, 1)}\n`);
}
process.exitCode = isMet ? 0 : 1;
