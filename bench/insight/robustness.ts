/**
 * Measures how right the robustness of an input is that the models report: problems of the collection are played until solved, the
 * solution is given tolerances of 0.2 and of 1 percent of each input's range, and the probability is compared with the truth
 * of 2,000 evaluations.
 *
 *   npx node bench/insight/robustness.ts [--seeds 1,2,3] [--problem a,b] [--list] [--aim]
 *
 * With --aim five more runs search for a surer input, for tolerances of 1 percent, and the true probability of the input that
 * they end with is compared with that of the first solution.
 */
import { parseArgs } from 'node:util';
import { compileGoal } from '../../src/domain/search/acceptance.ts';
import type { InputTolerances, SuggestRequest } from '../../src/optimizer/interface/problem.ts';
import { makeRandom } from '../../src/optimizer/numerics/random.ts';
import { robustness } from '../../src/optimizer/robustness.ts';
import { suggest } from '../../src/optimizer/suggest.ts';
import { judge } from '../problems/judge.ts';
import { type Problem, toDefinition } from '../problems/problem.ts';
import { problemsOf } from '../problems/sets.ts';
import { type Evaluation, playAndRecord, WORK_LIMIT } from '../solvers/play.ts';

const TRUTH_RUNS = 2000;
const SPREADS = [0.002, 0.01];
const AIMED_SPREAD = 0.01;
const AIMED_RUNS = 5;

const { values: options } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1' },
    problem: { type: 'string' },
    list: { type: 'boolean', default: false },
    aim: { type: 'boolean', default: false },
  },
});
const seeds = options.seeds.split(',').map(Number);
const names = options.problem?.split(',');
/** Exact targets allow no deviation at all, so they say nothing. */
const problems = problemsOf('collection').filter(
  ({ name, objectives, variables, desiredL1Norm }) =>
    (names?.includes(name) ?? true) &&
    (desiredL1Norm > 1e-3 || objectives.every(({ type }) => type !== 'exact')) &&
    variables.some(({ kind }) => kind === 'float') &&
    variables.length <= 40,
);

interface Row {
  readonly problem: string;
  readonly seed: number;
  readonly spread: number;
  readonly truth: number;
  readonly stated: { probability: number; low: number; high: number } | null;
}

const rows: Row[] = [];
const aimed: { before: number; after: number; runs: number }[] = [];
for (const problem of problems) {
  for (const seed of seeds) {
    const { play, evaluations } = playAndRecord(problem, seed);
    if (!play.solved) continue;
    const request = requestOf(problem, seed, evaluations);
    const input = evaluations.at(-1)!.input;
    if (options.aim) {
      const one = aim(problem, seed, evaluations);
      aimed.push(one);
      if (options.list)
        console.log(
          `${problem.name.padEnd(28)} ${seed} runs ${one.runs} ${one.before.toFixed(3)} -> ${one.after.toFixed(3)} ${one.seconds.toFixed(1)} s`,
        );
      continue;
    }
    for (const spread of SPREADS) {
      const tolerances = tolerancesOf(problem, spread);
      const started = performance.now();
      const stated = robustness(request, input, tolerances);
      const ms = performance.now() - started;
      const truth = trueProbability(problem, input, tolerances, seed);
      rows.push({ problem: problem.name, seed, spread, truth, stated });
      if (options.list)
        console.log(
          `${problem.name.padEnd(28)} ${seed} ${spread} runs ${evaluations.length} truth ${truth.toFixed(3)} stated ${stated ? `${stated.probability.toFixed(3)} [${stated.low.toFixed(3)}, ${stated.high.toFixed(3)}]` : 'nothing'} ${ms.toFixed(0)} ms`,
        );
    }
  }
}
if (options.aim) reportAimed();
else report(rows);

function tolerancesOf({ variables }: Problem, spread: number): InputTolerances {
  const values = variables.map(({ kind, minimum, maximum }) => (kind === 'float' ? spread * (maximum - minimum) : 0));
  return { kind: 'normal', in: 'units', values };
}

/** Five more runs; the truth about the first solution and about the input that they end with. */
function aim(problem: Problem, seed: number, solved: readonly Evaluation[]) {
  const tolerances = tolerancesOf(problem, AIMED_SPREAD);
  const evaluations = [...solved];
  const started = performance.now();
  for (;;) {
    const runsLeft = AIMED_RUNS - (evaluations.length - solved.length);
    const robustAim = { tolerances, probability: null, runsLeft, ownRuns: evaluations.length };
    const proposal = suggest({ ...requestOf(problem, seed, evaluations), firstSuggested: 0, robustAim });
    if (proposal.kind === 'candidate') {
      const input = Array.from(proposal.input);
      evaluations.push({ input, output: problem.evaluate(input, { seed, index: evaluations.length }) });
      continue;
    }
    const seconds = (performance.now() - started) / 1000;
    const [before, after] = [solved.length - 1, proposal.bestIndex].map((row) =>
      trueProbability(problem, evaluations[row]!.input, tolerances, seed),
    ) as [number, number];
    return { before, after, runs: evaluations.length - solved.length, seconds };
  }
}

function reportAimed(): void {
  const mean = (of: (one: (typeof aimed)[number]) => number) =>
    aimed.reduce((sum, one) => sum + of(one), 0) / aimed.length;
  console.log(
    '| inputs | further runs | first solution | in the end | more than 0.02 worse | better |\n| --- | --- | --- | --- | --- | --- |',
  );
  const worse = aimed.filter(({ before, after }) => after < before - 0.02).length;
  const better = aimed.filter(({ before, after }) => after > before + 0.02).length;
  console.log(
    `| ${aimed.length} | ${mean(({ runs }) => runs).toFixed(1)} | ${mean(({ before }) => before).toFixed(3)} | ${mean(({ after }) => after).toFixed(3)} | ${worse} | ${better} |`,
  );
}

function requestOf(problem: Problem, seed: number, evaluations: readonly Evaluation[]): SuggestRequest {
  const m = problem.objectives.length;
  return {
    space: { variables: problem.variables },
    goal: compileGoal(toDefinition(problem)),
    history: {
      count: evaluations.length,
      X: Float64Array.from(evaluations.flatMap(({ input }) => input)),
      Y: Float64Array.from(evaluations.flatMap(({ output }) => output ?? new Array<number>(m).fill(0))),
      failed: Uint8Array.from(evaluations, ({ output }) => (output ? 0 : 1)),
    },
    firstSuggested: evaluations.length,
    convergence: problem.convergence,
    seed,
    workLimit: WORK_LIMIT,
  };
}

/** The share of inputs made with the tolerances that satisfy the problem. */
function trueProbability(problem: Problem, x: readonly number[], { values }: InputTolerances, seed: number): number {
  const random = makeRandom(seed, 1234);
  let held = 0;
  for (let k = 0; k < TRUTH_RUNS; k++) {
    const made = x.map((value, v) => {
      const { minimum, maximum } = problem.variables[v]!;
      return Math.min(maximum, Math.max(minimum, value + values[v]! * random.normal()));
    });
    if (judge(problem, problem.evaluate(made, { seed: seed + 1000, index: k }))) held++;
  }
  return held / TRUTH_RUNS;
}

/** 95 percent of the shares of so many runs err by less. */
function errorOf(share: number): number {
  return 1.96 * Math.sqrt((share * (1 - share)) / TRUTH_RUNS) + 1 / TRUTH_RUNS;
}

function report(all: readonly Row[]): void {
  const known = all.flatMap(({ stated, truth, spread }) => (stated ? [{ ...stated, truth, spread }] : []));
  const open = known.filter(
    ({ truth, probability }) => Math.max(truth, probability) > 0.02 && Math.min(truth, probability) < 0.98,
  );
  console.log(
    '| tolerances | inputs | without a statement | median error | 90 percent | worst | truth in the range | mean width |',
  );
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
  const line = (name: string, list: typeof known, silent: number) => {
    const errors = list.map(({ probability, truth }) => Math.abs(probability - truth)).sort((a, b) => a - b);
    const at = (q: number) => errors[Math.min(errors.length - 1, Math.floor(q * errors.length))]?.toFixed(3);
    const inside = list.filter(
      ({ low, high, truth }) => truth >= low - errorOf(truth) && truth <= high + errorOf(truth),
    ).length;
    console.log(
      `| ${name} | ${list.length} | ${silent} | ${at(0.5)} | ${at(0.9)} | ${at(1)} | ${inside} (${((100 * inside) / list.length).toFixed(0)} %) | ${(list.reduce((sum, one) => sum + one.high - one.low, 0) / list.length).toFixed(3)} |`,
    );
  };
  for (const spread of SPREADS)
    line(
      `${100 * spread} %`,
      known.filter((one) => one.spread === spread),
      all.filter((one) => one.spread === spread && !one.stated).length,
    );
  line('all', known, all.length - known.length);
  line('neither surely met nor surely missed', open, 0);
  console.log('\n| stated | inputs | mean stated | mean truth |\n| --- | --- | --- | --- |');
  for (let fifth = 0; fifth < 5; fifth++) {
    const list = known.filter(({ probability }) => Math.min(4, Math.floor(5 * probability)) === fifth);
    const mean = (of: (one: (typeof known)[number]) => number) =>
      (list.reduce((sum, one) => sum + of(one), 0) / list.length).toFixed(3);
    console.log(
      `| ${(fifth / 5).toFixed(1)} to ${((fifth + 1) / 5).toFixed(1)} | ${list.length} | ${mean((one) => one.probability)} | ${mean((one) => one.truth)} |`,
    );
  }
}
