/**
 * The runs after which each of several separate solution regions is reached, over those to the first one.
 *
 *   npx node bench/solvers/several.ts [--seeds 1,2,3] [--problem name,name] [--write]
 *
 * Ten problems with two to five regions, all known. A play counts designed cases and the start. It goes on after every
 * solution with those found so far to be avoided, and ends when each region has been reached, or after 60 runs per region.
 * `nearer` counts the suggestions that lie nearer to a solution than asked. --write stores the table as results/several.md.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { compileGoal, evaluateOutput } from '../../src/domain/search/acceptance.ts';
import { distanceBetween } from '../../src/domain/search/several-solutions.ts';
import { initialDesign } from '../../src/optimizer/initial-design.ts';
import { suggest } from '../../src/optimizer/suggest.ts';
import { toDefinition } from '../problems/problem.ts';
import { type SeveralProblem, severalProblems } from '../problems/several.ts';
import { WORK_LIMIT } from './play.ts';
import { geometricMean } from './scores.ts';

const RUNS_PER_REGION = 60;

interface Play {
  /** The run that first reached each region, in that order; shorter than the regions when some were not found. */
  readonly reached: readonly number[];
  /** Solutions found, several in one region included. */
  readonly solutions: number;
  readonly nearer: number;
  readonly end: string;
}

function play(problem: SeveralProblem, seed: number): Play {
  const { variables, regions, apart, start, convergence } = problem;
  const definition = toDefinition(problem);
  const goal = compileGoal(definition);
  const m = problem.objectives.length;
  const n = variables.length;
  const space = { variables };
  const X: number[] = [];
  const Y: number[] = [];
  const found: number[][] = [];
  const reached = new Map<number, number>();
  let nearer = 0;
  const count = () => X.length / n;
  const distance = (a: readonly number[], b: readonly number[]) => distanceBetween(variables, a, b);
  const evaluate = (input: readonly number[], isSuggested: boolean) => {
    const output = problem.evaluate(input);
    X.push(...input);
    Y.push(...output);
    const isApart = found.every((one) => distance(one, input) >= apart);
    if (isSuggested && !isApart) nearer++;
    if (!isApart || !evaluateOutput(definition, output).isSatisfied) return;
    found.push([...input]);
    const region = regions.reduce(
      (best, one, k) => (distance(one, input) < distance(regions[best]!, input) ? k : best),
      0,
    );
    if (!reached.has(region)) reached.set(region, count());
  };
  const design = initialDesign({ space, outputCount: m, caseCount: null, seed });
  for (let i = 0; i < design.count; i++) evaluate(Array.from(design.X.subarray(i * n, (i + 1) * n)), false);
  evaluate(start, false);
  const firstSuggested = count();
  const finish = (end: string): Play => ({ reached: [...reached.values()], solutions: found.length, nearer, end });
  while (reached.size < regions.length) {
    if (count() >= RUNS_PER_REGION * regions.length) return finish('budget');
    const proposal = suggest({
      space,
      goal,
      history: { count: count(), X: Float64Array.from(X), Y: Float64Array.from(Y), failed: new Uint8Array(count()) },
      firstSuggested,
      solutions: { found: Float64Array.from(found.flat()), apart },
      convergence,
      seed,
      workLimit: WORK_LIMIT,
    });
    if (proposal.kind === 'nothing-new') return finish(proposal.reason);
    evaluate(Array.from(proposal.input), true);
  }
  return finish('all');
}

const { values: options } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1,2,3' },
    problem: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});

const names = options.problem?.split(',');
const seeds = options.seeds.split(',').map(Number);
const lines = [
  '| problem | regions | runs to region 1, 2, ... (each seed) | last / first | nearer |',
  '| --- | ---: | --- | ---: | ---: |',
];
let within = 0;
const chosen = severalProblems.filter(({ name }) => !names || names.includes(name));
for (const problem of chosen) {
  const plays = seeds.map((seed) => play(problem, seed));
  const isComplete = plays.every(({ reached }) => reached.length === problem.regions.length);
  const ratio = geometricMean(plays.map(({ reached }) => reached.at(-1)! / reached[0]!));
  if (isComplete && ratio <= 3) within++;
  const runs = plays.map(({ reached, end }) => `${reached.join(' ')}${end === 'all' ? '' : ` (${end})`}`).join('; ');
  const nearer = plays.reduce((sum, one) => sum + one.nearer, 0);
  lines.push(
    `| ${problem.name} | ${problem.regions.length} | ${runs} | ${isComplete ? ratio.toFixed(2) : 'not all'} | ${nearer} |`,
  );
  console.log(lines.at(-1));
}
const summary = `All regions within 3 times the runs to the first: ${within} of ${chosen.length} problems.`;
console.log(summary);
if (options.write) {
  const text = [
    '# Several solutions',
    '',
    `\`npx node bench/solvers/several.ts --seeds ${options.seeds} --write\``,
    '',
    ...lines,
    '',
    summary,
    '',
  ];
  writeFileSync(new URL('./results/several.md', import.meta.url), text.join('\n'));
}
