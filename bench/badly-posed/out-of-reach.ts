/**
 * Measures how soon a search ends whose targets cannot all be met, and how good its compromise is: ten systems with tolerances of 0.8 times
 * the least possible worst miss, the stop rule `{}` and 60 runs, then further random ones of the kind.
 *
 *   npx node bench/badly-posed/out-of-reach.ts [--seeds 1,2,3,4,5,6,7,8] [--random 10] [--peers] [--json] [--machines 4] [--write]
 *
 * `worst` is the worst miss of the run at which the search ended, counted from the target in tolerances (for a limit from one tolerance
 * inside it), over the least possible. `--peers` plays DFO-LS beside it, which ends by itself.
 * Bars: at least 95 percent end within 60 runs, and within 5 percent of the least possible.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { compileGoal } from '../../src/domain/search/acceptance.ts';
import { makeMissMeasure } from '../../src/domain/search/nearest.ts';
import { DEFAULT_IMPROVEMENT_BELOW } from '../../src/domain/search/stop-options.ts';
import { type Problem, toDefinition } from '../problems/problem.ts';
import { startPeer } from '../solvers/peer.ts';
import { playAndRecord } from '../solvers/play.ts';
import { geometricMean } from '../solvers/scores.ts';
import { leastMiss } from './minimax.ts';
import type { System } from './system.ts';
import { type KnownSystem, problemAt, randomSystem, systems } from './systems.ts';

const FACTOR = 0.8;
const BUDGET = 60;
const WITHIN = 1.05;
const STARTS = 30;
/** Seeds of the random systems begin here. */
const FIRST_RANDOM = 501;

const { values: options } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1,2,3,4,5,6,7,8' },
    random: { type: 'string', default: '0' },
    problem: { type: 'string' },
    peers: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    machines: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
  },
});

interface Row {
  readonly problem: string;
  readonly seed: number;
  readonly end: string;
  readonly runs: number;
  readonly worst: number;
  readonly peerRuns: number | null;
}

/** The least value of one plus the worst miss by the measure of the service: that of a limit is not that of the system. */
function leastOf(system: KnownSystem, problem: Problem): number {
  if (system.isL1) return 1 / FACTOR;
  const { targets } = compileGoal(toDefinition(problem));
  const outputs = system.outputs.map((one, j): System['outputs'][number] => {
    const { lower, upper } = targets[j]!;
    if (one.kind === 'value') return { ...one, halfWidth: (upper - lower) / 2 };
    const end = one.kind === 'atMost' ? upper : lower;
    const halfWidth = 0.01 * (Math.abs(end) || 1);
    return { ...one, halfWidth, target: one.kind === 'atMost' ? end - halfWidth : end + halfWidth };
  });
  return leastMiss({ ...system, outputs }, system.variables[0]!.kind === 'integer' ? 3 : STARTS).least;
}

const chosen: readonly KnownSystem[] = [
  ...systems,
  ...Array.from({ length: Number(options.random) }, (_, k) => randomSystem(FIRST_RANDOM + k)),
].filter(({ name }) => options.problem?.split(',').includes(name) ?? true);
const peer = options.peers ? await startPeer('dfols') : null;
const rows: Row[] = [];
for (const system of chosen) {
  const problem = { ...problemAt(system, FACTOR), budget: BUDGET };
  const least = leastOf(system, problem);
  const { measure } = makeMissMeasure({ ...toDefinition(problem), options: null });
  for (const seed of options.seeds.split(',').map(Number)) {
    const stop = { improvementBelow: DEFAULT_IMPROVEMENT_BELOW };
    const { play, evaluations } = playAndRecord(problem, seed, { stop, machines: Number(options.machines) });
    const worst = Math.min(...evaluations.map(({ output }) => (output ? 1 + measure(output).worst : Infinity)));
    const peerRuns = peer && (await peer.play(problem.name, seed, 60)).runs;
    const row = { problem: system.name, seed, end: play.end, runs: play.runs, worst: worst / least, peerRuns };
    rows.push(row);
    if (options.json) console.log(JSON.stringify(row));
  }
  const own = rows.filter((row) => row.problem === system.name);
  console.log(
    `${system.name.padEnd(24)} ${own.map(({ end, runs, worst }) => `${runs}${end === 'out-of-reach' ? '' : `! ${end}`} ${worst.toFixed(3)}`).join(', ')}`,
  );
}
peer?.close();

const ended = rows.filter(({ end }) => end === 'out-of-reach').length / rows.length;
const near = rows.filter(({ worst }) => worst <= WITHIN).length / rows.length;
console.log(
  JSON.stringify({
    class: 'out of reach',
    plays: rows.length,
    ended,
    withinFivePercent: near,
    both: rows.filter(({ end, worst }) => end === 'out-of-reach' && worst <= WITHIN).length / rows.length,
    runs: Number(geometricMean(rows.map(({ runs }) => runs)).toFixed(2)),
    ...(peer && { peerRuns: Number(geometricMean(rows.map(({ peerRuns }) => peerRuns!)).toFixed(2)) }),
    isMet: ended >= 0.95 && near >= 0.95,
  }),
);
if (options.write) {
  mkdirSync(new URL('results/', import.meta.url), { recursive: true });
  writeFileSync(new URL('results/out-of-reach.json', import.meta.url), `${JSON.stringify(rows, null, 1)}\n`);
}
process.exitCode = ended >= 0.95 && near >= 0.95 ? 0 : 1;
