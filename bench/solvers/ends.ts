/**
 * Measures how soon the default stop rule ends a search that minimizes or maximizes, and how far from the optimum. The problems of the
 * collection with such an output and without noise are played with aspirations out of reach: for odd seeds as far beyond the
 * optimum as the optimum is from zero, for even seeds a twentieth of that.
 *
 *   npx node bench/solvers/ends.ts [--seeds 1,2] [--problem name,name] [--json]
 *
 * A play arrives with the first run within 1 percent of the optimum; where that is 0, of a hundredth of the distance of the
 * start. It is `inTime` when it ends at most 10 runs later, `within20` and `within40` when later than that, `late` when it goes on,
 * `early` when the stop rule ends it before it arrives and `gaveUp` when the search does so by itself, as it would without the
 * rule. It is `lost` when its budget ends before it arrives, which no stop rule can change.
 * Bars: at least 95 percent in time, at most 2 percent early or given up.
 */
import { parseArgs } from 'node:util';
import { DEFAULT_IMPROVEMENT_BELOW } from '../../src/domain/search/stop-options.ts';
import { judge } from '../problems/judge.ts';
import type { Problem } from '../problems/problem.ts';
import { getProblemOfAnySet } from '../problems/sets.ts';
import { play } from './play.ts';

/** The best values known, from the sources of the problems or a differential evolution of a million runs. */
const OPTIMA: Readonly<Record<string, number>> = {
  branin: 0.39788735773,
  'goldstein-price': 3,
  'six-hump-camel': -1.03162845349,
  'hartmann-3': -3.86277978733,
  'hartmann-6': -3.32236801142,
  'ackley-4': 0,
  'rosenbrock-valley-3': 0,
  'g04-himmelblau': -30665.538672,
  'g06-cubic': -6961.813876,
  'g07-ten-inputs': 24.306209,
  'g08-maximum': 0.0958250414,
  'g09-seven-inputs': 680.630057,
  'g10-heat-exchangers': 7049.24802,
  'welded-beam-cost': 1.724852309,
  'pressure-vessel-cost': 5804.376217,
  'spring-weight': 0.01266523279,
  'speed-reducer-weight': 2994.471066,
  'alkylation-profit': 1161.3366023,
  'pressure-vessel-plates': 6059.714335,
  'spring-catalogue': 0.015629472464,
  'speed-reducer-teeth': 2994.471066,
  'welded-beam-materials': 1.9336086328,
  'concrete-beam': 359.208,
  'function-choice': -15.474426802,
  'sphere-aspiration-30': 0,
  'three-hump-camel': 0,
  mccormick: -1.913222955,
};
const WITHIN = 0.01;
const IN_TIME = 10;
const WATCHED = 40;
const MARGINS = { odd: 1, even: 0.05 };

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1,2' },
    problem: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const seeds = values.seeds.split(',').map(Number);
const names = Object.keys(OPTIMA).filter((name) => values.problem?.split(',').includes(name) ?? true);

const counts = { inTime: 0, within20: 0, within40: 0, late: 0, early: 0, gaveUp: 0, lost: 0 };
type Verdict = keyof typeof counts;
for (const name of names) {
  const line = seeds.map((seed) => {
    const played = end(getProblemOfAnySet(name), OPTIMA[name]!, seed);
    counts[played.verdict]++;
    if (values.json) console.log(JSON.stringify({ name, seed, ...played }));
    const { verdict, arrivedAt, runs, missed } = played;
    return `${verdict} (${arrivedAt ?? '-'}, ${runs}, ${(100 * missed).toPrecision(2)} %)`;
  });
  if (!values.json) console.log(`${name}: ${line.join(', ')}`);
}
const plays = Object.values(counts).reduce((sum, one) => sum + one, 0);
const share = (count: number) => Number((count / plays).toFixed(3));
const early = counts.early + counts.gaveUp;
const arrived = plays - early - counts.lost;
console.log(
  JSON.stringify({
    plays,
    ...counts,
    inTimeShare: share(counts.inTime),
    inTimeOfArrived: Number((counts.inTime / arrived).toFixed(3)),
    earlyShare: share(counts.early),
    earlyOrGaveUpShare: share(early),
  }),
);
process.exitCode = share(counts.inTime) >= 0.95 && share(early) <= 0.02 ? 0 : 1;

interface End {
  readonly verdict: Verdict;
  /** The run that came within 1 percent; null for none. */
  readonly arrivedAt: number | null;
  readonly runs: number;
  /** Distance of the best run from the optimum, in the unit of which 1 percent counts as arrived. */
  readonly missed: number;
}

/** Plays a problem until the rule ends it, or until it is too late. */
function end(problem: Problem, optimum: number, seed: number): End {
  const j = problem.objectives.findIndex(({ type }) => type === 'minimize' || type === 'maximize');
  const sign = problem.objectives[j]!.type === 'minimize' ? 1 : -1;
  const start = problem.evaluate(problem.start, { seed, index: 0 })?.[j] ?? 1;
  const margin = (Math.abs(optimum) || Math.abs(start)) * (seed % 2 === 1 ? MARGINS.odd : MARGINS.even);
  const target = optimum - sign * margin;
  const aspiring = { ...problem, objectives: problem.objectives.with(j, { ...problem.objectives[j]!, target }) };
  const feasible = {
    ...problem,
    objectives: problem.objectives.with(j, { ...problem.objectives[j]!, target: sign * 1e99 }),
  };
  const unit = Math.abs(optimum) || Math.abs(start) / 100;
  let [runs, missed] = [0, Number.POSITIVE_INFINITY];
  let arrivedAt: number | null = null;
  const evaluate: Problem['evaluate'] = (x, run) => {
    const output = problem.evaluate(x, run);
    runs++;
    if (judge(feasible, output)) missed = Math.min(missed, (sign * (output![j]! - optimum)) / unit);
    if (missed <= WITHIN) arrivedAt ??= runs;
    return output;
  };
  const played = play({ ...aspiring, evaluate }, seed, {
    stop: { improvementBelow: DEFAULT_IMPROVEMENT_BELOW },
    isOver: () => arrivedAt !== null && runs > arrivedAt + WATCHED,
  });
  return { verdict: verdictOf(played.end, arrivedAt, runs), arrivedAt, runs, missed };
}

function verdictOf(end: string, arrivedAt: number | null, runs: number): Verdict {
  const isEnd = end !== 'budget' && end !== 'over';
  if (arrivedAt === null && !isEnd) return 'lost';
  if (arrivedAt === null) return end === 'standstill' ? 'early' : 'gaveUp';
  const after = runs - arrivedAt;
  if (!isEnd || after > WATCHED) return 'late';
  if (after <= IN_TIME) return 'inTime';
  return after <= 20 ? 'within20' : 'within40';
}
