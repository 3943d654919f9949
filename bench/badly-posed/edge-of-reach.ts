/**
 * Systems whose targets are just in reach: tolerances of 1.25 and 1.05 times the least possible worst miss.
 *
 *   npx node bench/badly-posed/edge-of-reach.ts [--seeds 1-8] [--set named|random] [--systems 101-110] [--factors 1.25,1.05] [--solver dfols] [--write]
 *
 * The random systems are drawn from the seeds given by --systems. A solver other than ours plays in the Python environment of
 * bench/peers. A suggestion is a near-duplicate when it differs from an earlier run by at most a thousandth of every range and every
 * output by at most a hundredth of its tolerance. Bars: 98 percent solved and a geometric mean of 11 runs at 1.25; 95 percent at 1.05.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { warmUp } from '../../src/optimizer/suggest.ts';
import type { Problem } from '../problems/problem.ts';
import { startPeer } from '../solvers/peer.ts';
import { type Evaluation, playAndRecord } from '../solvers/play.ts';
import { costOf, geometricMean } from '../solvers/scores.ts';
import { type KnownSystem, problemAt, randomSystem, systems } from './systems.ts';

const BARS = [
  { factor: 1.25, share: 0.98, mean: 11 },
  { factor: 1.05, share: 0.95, mean: Number.POSITIVE_INFINITY },
];
const NEAR = { input: 1e-3, output: 1e-2 };
const TIME_CAP_SECONDS = 60;

const { values: options } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1-8' },
    set: { type: 'string', default: 'named' },
    systems: { type: 'string', default: '101-110' },
    factors: { type: 'string', default: '1.25,1.05' },
    solver: { type: 'string', default: 'backsolve' },
    write: { type: 'boolean', default: false },
  },
});

function range(text: string): number[] {
  const [first, last = first] = text.split('-').map(Number);
  return Array.from({ length: last! - first! + 1 }, (_, k) => first! + k);
}

interface Row {
  readonly solver: string;
  readonly system: string;
  readonly factor: number;
  readonly seed: number;
  readonly runs: number;
  readonly solved: boolean;
  readonly nearDuplicates: number;
}

/** Number of runs that repeat an earlier one to within what can matter. */
function nearDuplicatesIn(problem: Problem, system: KnownSystem, factor: number, all: readonly Evaluation[]): number {
  const isNear = (a: Evaluation, b: Evaluation) =>
    problem.variables.every(
      ({ minimum, maximum }, v) => Math.abs(a.input[v]! - b.input[v]!) <= NEAR.input * (maximum - minimum),
    ) &&
    system.outputs.every(({ halfWidth }, j) => {
      const tolerance = factor * system.least * (system.isL1 ? 1 / system.outputs.length : halfWidth);
      return Math.abs(a.output![j]! - b.output![j]!) <= NEAR.output * tolerance;
    });
  return all.filter((one, i) => all.slice(0, i).some((other) => isNear(one, other))).length;
}

const chosen: readonly KnownSystem[] = options.set === 'random' ? range(options.systems).map(randomSystem) : systems;
const peer = options.solver === 'backsolve' ? null : await startPeer(options.solver);
if (peer === null) warmUp();
const rows: Row[] = [];
let isMet = true;
for (const factor of options.factors.split(',').map(Number)) {
  const costs: number[] = [];
  const of: Row[] = [];
  for (const system of chosen) {
    const problem = problemAt(system, factor);
    for (const seed of range(options.seeds)) {
      const facts = { solver: options.solver, system: system.name, factor, seed };
      if (peer) {
        const { runs, solved } = await peer.play(problem.name, seed, TIME_CAP_SECONDS);
        of.push({ ...facts, runs, solved, nearDuplicates: 0 });
      } else {
        const { play, evaluations } = playAndRecord(problem, seed);
        const nearDuplicates = nearDuplicatesIn(problem, system, factor, evaluations);
        of.push({ ...facts, runs: play.runs, solved: play.solved, nearDuplicates });
      }
      costs.push(costOf(of.at(-1)!, problem.budget));
    }
  }
  const solved = of.filter((row) => row.solved).length;
  const mean = geometricMean(costs);
  const bar = BARS.find((one) => one.factor === factor);
  const met = bar === undefined || (solved / of.length >= bar.share && mean <= bar.mean);
  isMet &&= met || peer !== null;
  const nearDuplicates = of.reduce((sum, row) => sum + row.nearDuplicates, 0);
  const line = {
    solver: options.solver,
    set: options.set,
    factor,
    plays: of.length,
    solved,
    mean,
    nearDuplicates,
    met,
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
  rows.push(...of);
}
peer?.close();
if (options.write) {
  const folder = new URL('results/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  const name = ['edge-of-reach', options.set, options.solver].filter((one) => one !== 'backsolve').join('-');
  writeFileSync(new URL(`${name}.json`, folder), `[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]\n`);
}
process.exitCode = isMet ? 0 : 1;
