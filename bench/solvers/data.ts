/**
 * Measures the runs saved by earlier ones, at the level of the optimizer:
 * - a reactor with 100 rows of old data: runs with them over runs without, designed cases included;
 * - targets changed midway: runs of a second objective that knows all runs of the first and starts from its best case, over
 *   runs of a fresh project with the new targets, designed cases included. The new targets are the outputs at another
 *   point of the space.
 *
 *   npx node bench/solvers/data.ts [--problems 20] [--seed 1] [--reactors 10]
 *
 * Bars, geometric means: at most 0.5 and at most 0.333.
 */
import { parseArgs } from 'node:util';
import { compileGoal } from '../../src/domain/search/acceptance.ts';
import { bestOf, lossesOf, toIntervals } from '../../src/optimizer/goal/targets.ts';
import { makeRandom, type RandomStream } from '../../src/optimizer/numerics/random.ts';
import { judge } from '../problems/judge.ts';
import { type Objective, type Problem, toDefinition } from '../problems/problem.ts';
import { reactorAt, reactorVariables } from '../problems/reactor.ts';
import { problemsOf } from '../problems/sets.ts';
import { type Evaluation, play, playAndRecord } from './play.ts';
import { costOf, geometricMean } from './scores.ts';

const { values } = parseArgs({
  options: {
    problems: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    reactors: { type: 'string', default: '10' },
  },
});
const firstSeed = Number(values.seed);
const ROWS = 100;
/** Points drawn until one has targets that nothing known meets. */
const DRAWS = 50;

const oldData: number[] = [];
for (let seed = firstSeed; seed < firstSeed + Number(values.reactors); seed++) {
  const random = makeRandom(seed, 21);
  const reactor = reactorAt(randomInput(reactorVariables, random));
  const rows = Array.from({ length: ROWS }, () => evaluate(reactor, randomInput(reactor.variables, random)));
  const without = costOf(play(reactor, seed), reactor.budget);
  const played = play(reactor, seed, { known: rows, hasDesign: false, start: bestKnown(reactor, rows) });
  oldData.push(Math.max(1, costOf(played, reactor.budget)) / without);
  console.log(`reactor ${seed}: without old data ${without}, with ${played.runs}${played.solved ? '' : '!'}`);
}

const secondObjective: number[] = [];
const candidates = problemsOf('collection').filter(
  ({ noisy, variables, objectives }) =>
    !noisy && variables.length <= 20 && objectives.every(({ type }) => ['exact', 'value', 'percent'].includes(type)),
);
const every = candidates.length / Number(values.problems);
for (let number = 0; number < Number(values.problems); number++) {
  const problem = candidates[Math.floor(number * every)]!;
  const { evaluations } = playAndRecord(problem, firstSeed);
  const next = withOtherTargets(problem, evaluations, makeRandom(firstSeed, 22, number));
  if (next === null) {
    console.log(`${problem.name}: no other targets`);
    continue;
  }
  const fresh = play(next, firstSeed);
  const second = play(next, firstSeed, { known: evaluations, hasDesign: false, start: bestKnown(next, evaluations) });
  secondObjective.push(Math.max(1, costOf(second, next.budget)) / costOf(fresh, next.budget));
  console.log(
    `${problem.name}: first objective ${evaluations.length}, fresh ${fresh.runs}${fresh.solved ? '' : '!'}, second ${second.runs}${second.solved ? '' : '!'}`,
  );
}
console.log(
  JSON.stringify({
    reactors: oldData.length,
    oldData: Number(geometricMean(oldData).toFixed(3)),
    problems: secondObjective.length,
    secondObjective: Number(geometricMean(secondObjective).toFixed(3)),
  }),
);

function evaluate(problem: Problem, input: readonly number[]): Evaluation {
  return { input, output: problem.evaluate(input, { seed: firstSeed, index: 0 }) };
}

function randomInput(variables: Problem['variables'], random: RandomStream): number[] {
  return variables.map(({ kind, minimum, maximum }) =>
    kind === 'float' ? minimum + (maximum - minimum) * random.uniform() : minimum + random.below(maximum - minimum + 1),
  );
}

/** The input of the known case that comes nearest to the targets, which a service proposes as the initial one. */
function bestKnown(problem: Problem, known: readonly Evaluation[]): readonly number[] {
  const usable = known.filter(({ output }) => output?.every(Number.isFinite));
  const Y = Float64Array.from(usable.flatMap(({ output }) => output!));
  const goal = compileGoal(toDefinition(problem));
  return usable[bestOf(lossesOf(toIntervals(goal, Y, usable.length), Y, usable.length))]!.input;
}

/** The problem with the outputs at a random point as targets; null when the runs known or the start meet all those tried. */
function withOtherTargets(problem: Problem, known: readonly Evaluation[], random: RandomStream): Problem | null {
  const start = evaluate(problem, problem.start);
  for (let k = 0; k < DRAWS; k++) {
    const point = randomInput(problem.variables, random);
    const { output } = evaluate(problem, point);
    if (!output?.every((y) => Number.isFinite(y) && y !== 0)) continue;
    const objectives = problem.objectives.map((one, j): Objective => ({ ...one, target: output[j]! }));
    const next: Problem = { ...problem, objectives, known: point };
    if (![start, ...known].some((one) => judge(next, one.output))) return next;
  }
  return null;
}
