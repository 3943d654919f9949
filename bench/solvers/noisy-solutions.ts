/**
 * Whether solutions of noisy problems hold. Each play of a random system (../problems/random-systems.ts) asks for a confidence
 * of 0.9 and ends when the optimizer declares an input or the budget is spent. Then:
 * - held: the share of declared inputs that meet all targets in at least 90 percent of 1,000 fresh runs, or whose outputs meet
 *   them on average (--of mean);
 * - ratio: the runs of these plays over those of the search on the averaged function, which knows no noise, as geometric means;
 * - calibration: every third of the probabilities reported on the way, in fifths: what was stated and what holds, on average.
 *
 *   npx node bench/solvers/noisy-solutions.ts [--of run,mean] [--seeds 1-20] [--problem a,b] [--known] [--quiet]
 *
 * --known states the standard deviations where they are the same everywhere; without it the noise is estimated. Bars: held at
 * least 0.85, ratio at most 3, calibration within 0.07 in each fifth.
 */
import { parseArgs } from 'node:util';
import { compileGoal } from '../../src/domain/acceptance.ts';
import { initialDesign } from '../../src/optimizer/initial-design.ts';
import type { Noise, Standing } from '../../src/optimizer/problem.ts';
import { suggest } from '../../src/optimizer/suggest.ts';
import { judge } from '../problems/judge.ts';
import { toDefinition } from '../problems/problem.ts';
import { type RandomSystem, randomSystems } from '../problems/random-systems.ts';
import { play, WORK_LIMIT } from './play.ts';
import { geometricMean } from './scores.ts';

const { values: options } = parseArgs({
  options: {
    of: { type: 'string', default: 'run,mean' },
    seeds: { type: 'string', default: '1-20' },
    problem: { type: 'string' },
    known: { type: 'boolean', default: false },
    quiet: { type: 'boolean', default: false },
  },
});
const CONFIDENCE = 0.9;
/** Fresh runs that tell the truth about a declared input, and about one whose probability was reported on the way. */
const FRESH = { declared: 1_000, reported: 100 };
/** A seed that no play has. */
const FRESH_SEED = 1e6;
const [firstSeed, lastSeed = firstSeed] = options.seeds.split('-').map(Number);
const names = options.problem?.split(',');
const systems = randomSystems.filter(({ name }) => !names || names.includes(name));

interface Truth {
  /** Share of fresh runs that meet all targets. */
  readonly run: number;
  /** Whether the outputs do on average. */
  readonly mean: boolean;
}

interface NoisyPlay {
  readonly runs: number;
  readonly declared: readonly number[] | null;
  readonly reported: readonly { readonly input: readonly number[]; readonly standing: Standing }[];
  readonly end: string;
}

function truthAt(system: RandomSystem, input: readonly number[], count: number): Truth {
  const outputs = Array.from({ length: count }, (_, index) => system.evaluate(input, { seed: FRESH_SEED, index })!);
  const means = system.objectives.map((_, j) => outputs.reduce((sum, y) => sum + y[j]! / count, 0));
  return { run: outputs.filter((y) => judge(system, y)).length / count, mean: judge(system, means) };
}

function playNoisily(system: RandomSystem, seed: number, of: 'run' | 'mean'): NoisyPlay {
  const n = system.variables.length;
  const m = system.objectives.length;
  const space = { variables: system.variables };
  const design = initialDesign({ space, outputCount: m, caseCount: null, seed });
  const X = [...design.X, ...system.start];
  const Y: number[] = [];
  const evaluate = () => {
    const index = Y.length / m;
    Y.push(...system.evaluate(X.slice(index * n, (index + 1) * n), { seed, index })!);
  };
  while (Y.length / m < X.length / n) evaluate();
  const firstSuggested = Y.length / m;
  const reported: NoisyPlay['reported'][number][] = [];
  const noise: Noise = {
    standardDeviations: options.known ? system.deviations : null,
    asked: { kind: 'confidence', least: CONFIDENCE, of },
  };
  for (;;) {
    const count = Y.length / m;
    const history = { count, X: Float64Array.from(X), Y: Float64Array.from(Y), failed: new Uint8Array(count) };
    const goal = compileGoal(toDefinition(system));
    const { convergence } = system;
    const proposal = suggest({ space, goal, history, firstSuggested, convergence, seed, workLimit: WORK_LIMIT, noise });
    const { standing } = proposal;
    const inputOf = (row: number) => X.slice(row * n, (row + 1) * n);
    if (standing && count % 3 === 0) reported.push({ input: inputOf(standing.row), standing });
    if (proposal.kind === 'nothing-new') {
      const declared = proposal.reason === 'reached' ? inputOf(proposal.bestIndex) : null;
      return { runs: count, declared, reported, end: proposal.reason };
    }
    if (count >= system.budget) return { runs: count, declared: null, reported, end: 'budget' };
    X.push(...proposal.input);
    evaluate();
  }
}

/** The fifth of a probability, from 0. */
const fifthOf = (value: number) => Math.min(4, Math.floor(5 * value));

for (const of of options.of.split(',') as ('run' | 'mean')[]) {
  const runs: number[] = [];
  const noiseless: number[] = [];
  let [plays, declared, held] = [0, 0, 0];
  const calibration = { run: fifths(), mean: fifths() };
  for (const system of systems) {
    const own = { runs: [] as number[], noiseless: [] as number[], shares: [] as number[], held: 0, declared: 0 };
    for (let seed = firstSeed!; seed <= lastSeed!; seed++) {
      const result = playNoisily(system, seed, of);
      plays++;
      own.runs.push(result.runs);
      const averaged = play({ ...system, evaluate: (x) => system.average(x) }, seed);
      own.noiseless.push(averaged.runs);
      const truths = new Map<string, Truth>();
      for (const { input, standing } of result.reported) {
        const key = input.join();
        const truth = truths.get(key) ?? truthAt(system, input, FRESH.reported);
        truths.set(key, truth);
        count(calibration.run, standing.run.value, truth.run);
        count(calibration.mean, standing.mean.value, truth.mean ? 1 : 0);
      }
      if (!result.declared) continue;
      const truth = truthAt(system, result.declared, FRESH.declared);
      own.declared++;
      own.shares.push(truth.run);
      if (of === 'run' ? truth.run >= CONFIDENCE : truth.mean) own.held++;
    }
    runs.push(...own.runs);
    noiseless.push(...own.noiseless);
    declared += own.declared;
    held += own.held;
    if (options.quiet) continue;
    const [mean, without] = [geometricMean(own.runs), geometricMean(own.noiseless)];
    const least = own.shares.toSorted((a, b) => a - b);
    console.log(
      `${of} ${system.name}: declared ${own.declared}, held ${own.held}, runs ${mean.toFixed(1)}, without noise ${without.toFixed(1)}, fresh runs that meet the targets ${least.map((share) => share.toFixed(2)).join(' ')}`,
    );
  }
  const ratio = geometricMean(runs) / geometricMean(noiseless);
  console.log(
    JSON.stringify({
      of,
      plays,
      declared,
      held: round(held / declared),
      ratio: round(ratio),
      calibration: told(calibration),
    }),
  );
}

function fifths() {
  return Array.from({ length: 5 }, () => ({ count: 0, stated: 0, true: 0 }));
}

function count(into: ReturnType<typeof fifths>, stated: number, truth: number): void {
  const one = into[fifthOf(stated)]!;
  one.count++;
  one.stated += stated;
  one.true += truth;
}

function told(both: Readonly<Record<'run' | 'mean', ReturnType<typeof fifths>>>) {
  const each = (list: ReturnType<typeof fifths>) =>
    list.map(
      ({ count, stated, true: hold }) => `${round(stated / count)} stated, ${round(hold / count)} hold, of ${count}`,
    );
  return { run: each(both.run), mean: each(both.mean) };
}

function round(value: number): number {
  return Number(value.toFixed(3));
}
