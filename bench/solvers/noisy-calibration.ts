/**
 * Whether the probabilities reported for noisy problems are calibrated. The ten random systems and ten scattered problems are
 * played at a confidence of 0.9. Every answer states two probabilities of one input: that a fresh run meets all targets, and that
 * the means of the outputs do. Per fifth of what was stated: its average, the share that holds, and how far they differ. Statements
 * of one play often concern the same input, so `error`, the standard error of the difference, is taken over plays, not statements.
 *
 *   npx node bench/solvers/noisy-calibration.ts [--of run,mean] [--seeds 1-5] [--problem a,b] [--budget 100] [--statements file]
 *
 * A play ends after --budget runs at the latest, so that those which are hard to decide do not outweigh the others. --statements
 * appends every statement to a file, one JSON object a line. Bar: a difference of at most 0.07 in each fifth.
 */
import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { RandomSystem } from '../problems/random-systems.ts';
import { randomSystems } from '../problems/random-systems.ts';
import { scatteredProblems } from '../problems/scattered.ts';
import { type ConfidenceOf, playNoisily, type Truth, truthAt } from './noisy-play.ts';

const { values: options } = parseArgs({
  options: {
    of: { type: 'string', default: 'run,mean' },
    seeds: { type: 'string', default: '1-5' },
    problem: { type: 'string' },
    budget: { type: 'string', default: '100' },
    statements: { type: 'string' },
  },
});
const FRESH_RUNS = 300;
const [firstSeed, lastSeed = firstSeed] = options.seeds.split('-').map(Number);
const names = options.problem?.split(',');
const systems = [...randomSystems, ...scatteredProblems]
  .filter(({ name }) => !names || names.includes(name))
  .map((system): RandomSystem => ({ ...system, budget: Number(options.budget) }));

interface Stated {
  readonly play: string;
  readonly value: number;
  readonly truth: number;
}

const stated: Record<ConfidenceOf, Stated[]> = { run: [], mean: [] };
for (const of of options.of.split(',') as ConfidenceOf[]) {
  for (const system of systems) {
    for (let seed = firstSeed!; seed <= lastSeed!; seed++) {
      const truths = new Map<string, Truth>();
      for (const { input, standing } of playNoisily(system, seed, of).statements) {
        const key = input.join();
        const truth = truths.get(key) ?? truthAt(system, input, FRESH_RUNS);
        truths.set(key, truth);
        const play = `${of} ${system.name} ${seed}`;
        stated.run.push({ play, value: standing.run.value, truth: truth.run });
        stated.mean.push({ play, value: standing.mean.value, truth: truth.mean ? 1 : 0 });
        if (options.statements)
          appendFileSync(options.statements, `${JSON.stringify({ play, input, ...standing, truth })}\n`);
      }
    }
  }
}
for (const kind of ['run', 'mean'] as const) {
  for (let fifth = 0; fifth < 5; fifth++) {
    const members = stated[kind].filter(({ value }) => Math.min(4, Math.floor(5 * value)) === fifth);
    console.log(`of ${kind === 'run' ? 'a run ' : 'means '} ${fifth / 5} to ${(fifth + 1) / 5}: ${told(members)}`);
  }
}

function told(members: readonly Stated[]): string {
  const { length } = members;
  if (length === 0) return 'nothing stated';
  const average = (value: (one: Stated) => number) => members.reduce((sum, one) => sum + value(one), 0) / length;
  const difference = average(({ value, truth }) => truth - value);
  const byPlay = Map.groupBy(members, ({ play }) => play);
  let squares = 0;
  for (const ones of byPlay.values())
    squares += ones.reduce((sum, { value, truth }) => sum + truth - value - difference, 0) ** 2;
  const figures = [
    average(({ value }) => value),
    average(({ truth }) => truth),
    difference,
    Math.sqrt(squares) / length,
  ];
  const [value, truth, by, error] = figures.map((figure) => figure.toFixed(3));
  return `${value} stated, ${truth} hold, difference ${by}, error ${error}, of ${length} in ${byPlay.size} plays`;
}
