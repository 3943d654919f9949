/**
 * Runs to the goal on smooth systems without derivatives, with them, and with wrong ones.
 *
 *   npx node bench/gradients/run.ts [--system beam] [--seeds 8] [--reports none,full] [--budget 60]
 */
import { parseArgs } from 'node:util';
import type { Target } from '../../src/optimizer/interface/problem.ts';
import { warmUp } from '../../src/optimizer/suggest.ts';
import { type Game, play, type Report } from './play.ts';
import { type SmoothSystem, SYSTEMS, spreads } from './systems.ts';

const REPORTS: Readonly<Record<string, Report>> = {
  none: () => null,
  full: (J) => J,
  'half of the outputs': (J) => J.map((row, j) => (j % 2 === 0 ? row : row.map(() => null))),
  'half of the inputs': (J) => J.map((row) => row.map((d, v) => (v % 2 === 0 ? d : null))),
  sign: (J) => J.map((row) => row.map((d) => -d)),
  'sign of one input': (J) => J.map((row) => row.map((d, v) => (v === 0 ? -d : d))),
  'degrees for radians': (J) => J.map((row) => row.map((d) => (d * 180) / Math.PI)),
  'percent of one input': (J) => J.map((row) => row.map((d, v) => (v === 1 ? d / 100 : d))),
  'columns in another order': (J) => J.map((row) => [...row.slice(1), row[0]!]),
  'rows in another order': (J) => [...J.slice(1), J[0]!],
  'twice as large': (J) => J.map((row) => row.map((d) => 2 * d)),
  'of the logarithm': (J, x) => J.map((row) => row.map((d, v) => d * x[v]!)),
};

function gameOf(system: SmoothSystem): Game {
  const { model, variables, solution, tolerance } = system;
  const wanted = model(solution);
  const sds = spreads(system);
  const targets = wanted.map((y, j): Target => {
    const width = tolerance * sds[j]!;
    return { lower: y - width, upper: y + width, lowerOpen: false, upperOpen: false, direction: 'none' };
  });
  const isReached = (y: readonly number[]) => targets.every(({ lower, upper }, j) => y[j]! >= lower && y[j]! <= upper);
  return { variables, model, goal: { targets, l1: null }, isReached };
}

function main(): void {
  const { values } = parseArgs({
    options: {
      system: { type: 'string' },
      seeds: { type: 'string', default: '8' },
      reports: { type: 'string', default: Object.keys(REPORTS).join() },
      budget: { type: 'string', default: '60' },
    },
  });
  const budget = Number(values.budget);
  const seeds = Array.from({ length: Number(values.seeds) }, (_, k) => k + 1);
  const systems = SYSTEMS.filter(({ name }) => values.system === undefined || name === values.system);
  warmUp();
  const without = new Map<string, number>();
  for (const name of values.reports.split(',')) {
    const line = systems.map((system) => {
      const played = seeds.map((seed) => play(gameOf(system), REPORTS[name]!, seed, budget));
      const runs = Math.exp(played.reduce((sum, one) => sum + Math.log(one.runs), 0) / played.length);
      const missed = played.filter(({ isReached }) => !isReached).length;
      if (name === 'none') without.set(system.name, runs);
      return { system: system.name, runs, missed, ms: played.reduce((most, one) => Math.max(most, one.mostMs), 0) };
    });
    const mean = Math.exp(line.reduce((sum, one) => sum + Math.log(one.runs), 0) / line.length);
    const ratios = line.flatMap(({ system, runs }) =>
      without.has(system) ? [Math.log(runs / without.get(system)!)] : [],
    );
    const ratio = Math.exp(ratios.reduce((sum, one) => sum + one, 0) / ratios.length);
    const cells = line.map(
      ({ system, runs, missed }) => `${system} ${runs.toFixed(1)}${missed > 0 ? ` (${missed} missed)` : ''}`,
    );
    const most = Math.max(...line.map(({ ms }) => ms));
    console.log(
      `${name}: ${mean.toFixed(1)} runs, ratio ${ratio.toFixed(2)}, slowest ${most.toFixed(0)} ms | ${cells.join(', ')}`,
    );
  }
}

main();
