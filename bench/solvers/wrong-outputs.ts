/**
 * The cost of one wrong output: runs with one output of one run wrong over runs of the clean history, geometric means over
 * problems of the collection. The run is the second suggestion or, in turns, a designed case.
 *
 *   npx node bench/solvers/wrong-outputs.ts [--problems 24] [--seed 1] [--only name,name]
 *
 * Bars: at most 2 with an output ten times too large that is never corrected, at most 1.3 when it is corrected five
 * suggestions later; an output of 1e300 does not keep a problem from being solved. `falseAlarms` counts the rows of the clean
 * histories that were set aside.
 */
import { parseArgs } from 'node:util';
import { initialDesign } from '../../src/optimizer/initial-design.ts';
import type { SuggestRequest } from '../../src/optimizer/interface/problem.ts';
import { prepare } from '../../src/optimizer/search/prepare.ts';
import { judge } from '../problems/judge.ts';
import type { Problem } from '../problems/problem.ts';
import { problemsOf } from '../problems/sets.ts';
import { type Circumstances, play, playAndRecord } from './play.ts';
import { costOf, geometricMean } from './scores.ts';

const { values } = parseArgs({
  options: {
    problems: { type: 'string', default: '24' },
    only: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
});
const seed = Number(values.seed);
const candidates = problemsOf('collection').filter(({ noisy, variables }) => !noisy && variables.length <= 20);
const every = candidates.length / Number(values.problems);
const problems = Array.from({ length: Number(values.problems) }, (_, k) => candidates[Math.floor(k * every)]!);

const CORRECTED_AFTER = 5;
const ratios: Record<string, number[]> = { kept: [], corrected: [], huge: [] };
let unsolved = 0;
let falseAlarms = 0;
const watch = (request: SuggestRequest) => {
  falseAlarms += prepare(request).examined.setAside.length;
};
for (const [number, problem] of problems.entries()) {
  if (values.only && !values.only.split(',').includes(problem.name)) continue;
  const clean = playAndRecord(problem, seed, { watch });
  const wrong = wrongRun(problem, number, clean.evaluations);
  const variants: Record<string, Circumstances> = {
    kept: { report: reporter(wrong, (y) => 10 * y, Infinity) },
    corrected: { report: reporter(wrong, (y) => 10 * y, wrong.index + 1 + CORRECTED_AFTER) },
    huge: { report: reporter(wrong, () => 1e300, Infinity) },
  };
  const line = Object.entries(variants).map(([kind, circumstances]) => {
    const played = play(problem, seed, circumstances);
    ratios[kind]!.push(costOf(played, problem.budget) / costOf(clean.play, problem.budget));
    if (kind === 'huge' && !played.solved && clean.play.solved) unsolved++;
    return `${kind} ${played.runs}${played.solved ? '' : '!'}`;
  });
  console.log(
    `${problem.name}: run ${wrong.index + 1}, output ${wrong.output + 1}, clean ${clean.play.runs}, ${line.join(', ')}`,
  );
}
const means = Object.fromEntries(
  Object.entries(ratios).map(([kind, list]) => [kind, Number(geometricMean(list).toFixed(3))]),
);
console.log(
  JSON.stringify({
    problems: ratios.kept!.length,
    seed,
    ...means,
    unsolvedWithHuge: unsolved,
    falseAlarms,
  }),
);

interface WrongRun {
  readonly index: number;
  readonly output: number;
}

/** The second suggestion of a clean play that has one, for every other problem a designed case; an output other than 0. */
function wrongRun(
  problem: Problem,
  number: number,
  evaluations: readonly { output: readonly number[] | null }[],
): WrongRun {
  const m = problem.objectives.length;
  const designed = initialDesign({
    space: { variables: problem.variables },
    outputCount: m,
    caseCount: null,
    seed,
  }).count;
  const preferred = number % 2 === 0 ? designed + 2 : number % Math.max(1, designed);
  for (const index of [preferred, ...evaluations.keys()]) {
    if (index >= evaluations.length - 1) continue;
    for (let k = 0; k < m; k++) {
      const output = (number + k) % m;
      const y = evaluations[index]!.output;
      if (!y || y[output] === 0) continue;
      const isSatisfied = [10 * y[output]!, 1e300].some((value) => judge(problem, y.with(output, value)));
      if (!isSatisfied) return { index, output };
    }
  }
  throw new Error(`${problem.name}: no run to get wrong`);
}

/** Reports of a client who mistakes one output of one run until `corrected` runs are known. */
function reporter(
  { index: wrong, output: j }: WrongRun,
  mistake: (y: number) => number,
  corrected: number,
): Circumstances['report'] {
  return (output, index, count) =>
    index === wrong && count < corrected ? output.with(j, mistake(output[j]!)) : output;
}
