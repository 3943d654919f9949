/**
 * One number to make small in a curved valley or among many dips: the runs that the optimizer needs, beside peers that are given
 * the number itself, from the same start in the same box.
 *
 *   npx node bench/badly-posed/valleys.ts [--seeds 101,102,...] [--class rosenbrock-5,...] [--solvers bobyqa,cobyqa,cma|none]
 *                                         [--write]
 *
 * A seed chooses the place of the solution, the units, the start and the design. The bar of a class is the median of the best peer,
 * with every play solved. Peers run in the Python environment of bench/peers/setup.sh. `--write` saves the rows beside this file.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { warmUp } from '../../src/optimizer/suggest.ts';
import { VALLEY_CLASSES, valley } from '../problems/valleys.ts';
import { startPeer } from '../solvers/peer.ts';
import { play } from '../solvers/play.ts';
import { costOf, geometricMean } from '../solvers/scores.ts';

interface Row {
  readonly class: string;
  readonly seed: number;
  readonly solver: string;
  readonly runs: number;
  readonly solved: boolean;
  readonly end: string;
}

const { values: options } = parseArgs({
  options: {
    seeds: { type: 'string', default: '101,102,103,104,105,106,107,108' },
    class: { type: 'string', default: VALLEY_CLASSES.join(',') },
    solvers: { type: 'string', default: 'bobyqa,cobyqa,cma' },
    write: { type: 'boolean', default: false },
  },
});

const OURS = 'backsolve';
const TIME_CAP_SECONDS = 120;
const seeds = options.seeds.split(',').map(Number);
const classes = options.class.split(',');
const peers = options.solvers === 'none' ? [] : options.solvers.split(',');

async function playPeer(solver: string): Promise<Row[]> {
  const peer = await startPeer(`${solver}-value`);
  const rows: Row[] = [];
  for (const kind of classes) {
    for (const seed of seeds) {
      const { runs, solved, end } = await peer.play(valley(kind, seed).name, seed, TIME_CAP_SECONDS);
      rows.push({ class: kind, seed, solver, runs, solved, end });
    }
  }
  peer.close();
  return rows;
}

function playOurs(kind: string): Row[] {
  return seeds.map((seed) => {
    const { runs, solved, end } = play(valley(kind, seed), seed);
    return { class: kind, seed, solver: OURS, runs, solved, end };
  });
}

/** The median of the runs; a play that was not solved counts twice its budget. */
function medianOf(rows: readonly Row[]): number {
  const costs = rows.map(budgetedCost).sort((a, b) => a - b);
  return (costs[(costs.length - 1) >> 1]! + costs[costs.length >> 1]!) / 2;
}

function budgetedCost(row: Row): number {
  return costOf(row, valley(row.class, row.seed).budget);
}

function report(kind: string, rows: readonly Row[]): boolean {
  const of = (solver: string) => rows.filter((row) => row.class === kind && row.solver === solver);
  const ours = of(OURS);
  const solved = ours.filter((row) => row.solved).length;
  const bar = Math.min(...peers.map((solver) => medianOf(of(solver))));
  const isMet = solved === ours.length && medianOf(ours) <= bar;
  const figures = [kind, ours.length, solved, geometricMean(ours.map(budgetedCost)).toFixed(1), medianOf(ours), bar];
  const medians = peers.map((solver) => `${solver} ${medianOf(of(solver))}`).join(', ');
  process.stdout.write(`${figures.join('\t')}\t${isMet ? 'met' : 'not met'}\t${medians}\n`);
  return isMet;
}

warmUp();
process.stdout.write('class\tplays\tsolved\tmean\tmedian\tbar\tverdict\tmedians of peers\n');
const rows = (await Promise.all(peers.map(playPeer))).flat();
let allMet = true;
for (const kind of classes) {
  rows.push(...playOurs(kind));
  allMet = report(kind, rows) && allMet;
}
if (options.write) {
  const folder = new URL('results/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL('valleys.json', folder), `[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]\n`);
}
if (!allMet && peers.length > 0) process.exitCode = 1;
