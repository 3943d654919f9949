/**
 * Whether solutions of noisy problems hold. Each play of a random system (../problems/random-systems.ts) asks for a confidence
 * of 0.9 and ends when the optimizer declares an input or the budget is spent. Then:
 * - held: the share of declared inputs that meet all targets in at least 90 percent of 1,000 fresh runs, or whose outputs meet
 *   them on average (--of mean);
 * - ratio: the runs of these plays over those of the search on the averaged function, which knows no noise, as geometric means.
 *
 *   npx node bench/solvers/noisy-solutions.ts [--of run,mean] [--set systems] [--seeds 1-20] [--problem a,b] [--known] [--quiet]
 *
 * --set queues plays those of ../problems/queues.ts, whose mean waits are skewed, tuning-queues the ones that constants were chosen
 * on. Of queues each has to hold by itself. --known states the standard deviations where they are the same everywhere; without it the noise is estimated. Bars: held at
 * least 0.85, ratio at most 3.
 */
import { parseArgs } from 'node:util';
import { queues, tuningQueues } from '../problems/queues.ts';
import { randomSystems } from '../problems/random-systems.ts';
import { CONFIDENCE, type ConfidenceOf, playNoisily, truthAt } from './noisy-play.ts';
import { play } from './play.ts';
import { geometricMean } from './scores.ts';

const { values: options } = parseArgs({
  options: {
    of: { type: 'string', default: 'run,mean' },
    set: { type: 'string', default: 'systems' },
    seeds: { type: 'string', default: '1-20' },
    problem: { type: 'string' },
    known: { type: 'boolean', default: false },
    quiet: { type: 'boolean', default: false },
  },
});
/** Means of skewed outputs take more runs to be known. */
const SETS = {
  systems: { systems: randomSystems, freshRuns: 1_000 },
  queues: { systems: queues, freshRuns: 10_000 },
  'tuning-queues': { systems: tuningQueues, freshRuns: 10_000 },
} as const;
if (!(options.set in SETS)) throw new Error(`--set must be one of ${Object.keys(SETS).join(', ')}`);
const { systems: all, freshRuns } = SETS[options.set as keyof typeof SETS];
const [firstSeed, lastSeed = firstSeed] = options.seeds.split('-').map(Number);
const names = options.problem?.split(',');
const systems = all.filter(({ name }) => !names || names.includes(name));

for (const of of options.of.split(',') as ConfidenceOf[]) {
  const runs: number[] = [];
  const noiseless: number[] = [];
  let [declared, held] = [0, 0];
  for (const system of systems) {
    const own = { runs: [] as number[], noiseless: [] as number[], shares: [] as number[], held: 0 };
    for (let seed = firstSeed!; seed <= lastSeed!; seed++) {
      const result = playNoisily(system, seed, of, { areKnown: options.known });
      own.runs.push(result.runs);
      own.noiseless.push(play({ ...system, evaluate: (x) => system.average(x) }, seed).runs);
      if (!result.declared) continue;
      const truth = truthAt(system, result.declared, freshRuns);
      own.shares.push(truth.run);
      if (of === 'run' ? truth.run >= CONFIDENCE : truth.mean) own.held++;
    }
    runs.push(...own.runs);
    noiseless.push(...own.noiseless);
    declared += own.shares.length;
    held += own.held;
    if (options.quiet) continue;
    const [mean, without] = [geometricMean(own.runs), geometricMean(own.noiseless)];
    const least = own.shares.toSorted((a, b) => a - b);
    console.log(
      `${of} ${system.name}: declared ${least.length}, held ${own.held}, runs ${mean.toFixed(1)}, without noise ${without.toFixed(1)}, fresh runs that meet the targets ${least.map((share) => share.toFixed(2)).join(' ')}`,
    );
  }
  const ratio = geometricMean(runs) / geometricMean(noiseless);
  const round = (value: number) => Number(value.toFixed(3));
  console.log(JSON.stringify({ of, plays: runs.length, declared, held: round(held / declared), ratio: round(ratio) }));
}
