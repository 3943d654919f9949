/**
 * The cost of wrong rows: runs with them over runs without them, from the same clean history; geometric means over random
 * systems. Rows known beforehand are no runs.
 *
 *   npx node bench/badly-posed/wrong-rows.ts [--seeds 1,2,3,4,5,6,7,8] [--systems 6] [--only class;class] [--collection] [--write]
 *
 * Bars: at most 1.25 in each class, and every play is solved. The classes: some wrong rows at one new input, after a few right
 * rows; the same without any right row before the design; one input that was run twice, with one of the rows off by a share of
 * the values; a tenth of 40 rows wrong.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Problem } from '../problems/problem.ts';
import { makeNormal, makeUniform } from '../problems/random.ts';
import { problemsOf } from '../problems/sets.ts';
import { type Circumstances, type Evaluation, play } from '../solvers/play.ts';
import { costOf, geometricMean } from '../solvers/scores.ts';
import { responseSystem } from './response-systems.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1,2,3,4,5,6,7,8' },
    systems: { type: 'string', default: '6' },
    only: { type: 'string' },
    collection: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});

const BAR = 1.25;
const ROWS = 40;
const WRONG_OF_TEN = 0.1;

interface Posed {
  readonly right: readonly Evaluation[];
  readonly wrong: readonly Evaluation[];
  readonly hasDesign: boolean;
}
type Class = (problem: Problem, seed: number) => Posed;
type Mistake = (y: readonly number[]) => number[];

/** Some wrong rows at one input that has no right one. */
function atOneInput(count: number, hasRight: boolean): Class {
  return (problem, seed) => {
    const uniform = makeUniform(31 * seed + count);
    const normal = makeNormal(37 * seed + count);
    const n = problem.variables.length;
    const right = hasRight ? drawRows(problem, n + 3, uniform) : [];
    const [at] = drawRows(problem, 1, uniform);
    const size = magnitudes(problem, uniform);
    const wrong = Array.from({ length: count }, () => ({
      input: at!.input,
      output: at!.output!.map((y, j) => y + 10 * size[j]! * (normal() + 2 * Math.sign(uniform() - 0.5))),
    }));
    return { right, wrong, hasDesign: !hasRight };
  };
}

/** One input run twice: one of the rows, in turns the first and the second, is off by a share of each value. */
function rig(share: number): Class {
  return (problem, seed) => {
    const uniform = makeUniform(41 * seed + 3);
    const right = drawRows(problem, problem.variables.length + 5, uniform);
    const { input, output } = right[seed % right.length]!;
    const wrong = [{ input, output: output!.map((y) => y * (1 + (uniform() < 0.5 ? -share : share))) }];
    return { right, wrong, hasDesign: false };
  };
}

/** A tenth of 40 rows is wrong; the comparison has these rows right. */
function tenth(mistake: (j: number) => Mistake): Class {
  return (problem, seed) => {
    const uniform = makeUniform(43 * seed + 7);
    const rows = drawRows(problem, ROWS, uniform);
    const chosen = new Set<number>();
    while (chosen.size < WRONG_OF_TEN * ROWS) chosen.add(Math.floor(uniform() * ROWS));
    const wrong = rows.map(({ input, output }, i) => ({
      input,
      output: chosen.has(i) ? mistake(i)([...output!]) : output,
    }));
    return { right: rows, wrong, hasDesign: false };
  };
}

const placeholder = (value: number) => () => (y: readonly number[]) => y.map(() => value);
const CLASSES: Readonly<Record<string, Class>> = {
  'one at one input': atOneInput(1, true),
  'two at one input': atOneInput(2, true),
  'eight at one input': atOneInput(8, true),
  'two at one input, then a design': atOneInput(2, false),
  'eight at one input, then a design': atOneInput(8, false),
  'rig off by 5 percent': rig(0.05),
  'rig off by 30 percent': rig(0.3),
  'rig off by 100 percent': rig(1),
  'scaled by 10': tenth(() => (y) => y.map((one) => 10 * one)),
  'one output scaled by 10': tenth((i) => (y) => y.map((one, j) => (j === i % y.length ? 10 * one : one))),
  'scaled by -1': tenth(() => (y) => y.map((one) => -one)),
  swapped: tenth(() => (y) => [...y.slice(1), y[0]!]),
  'placeholder -999': tenth(placeholder(-999)),
  'placeholder 1e300': tenth(placeholder(1e300)),
};

const drawn = problemsOf('collection').filter(
  ({ noisy, variables, objectives }) => !noisy && variables.length <= 6 && objectives.length >= 2,
);
const seeds = values.seeds.split(',').map(Number);
const results = Object.entries(CLASSES)
  .filter(([name]) => !values.only || values.only.split(';').includes(name))
  .map(([name, pose]) => playClass(name, pose));
for (const { name, plays, solved, ratio, clean, runs } of results) {
  const isMet = ratio <= BAR && solved === plays;
  console.log(
    `${name.padEnd(36)} ${plays} plays, ${solved} solved, clean ${clean}, wrong ${runs}, ratio ${ratio} (bar ${BAR}) ${isMet ? 'met' : 'NOT MET'}`,
  );
}
if (values.write) {
  const folder = new URL('results/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    new URL('wrong-rows.json', folder),
    `${JSON.stringify({ seeds, systems: Number(values.systems), results }, null, 2)}\n`,
  );
}

function playClass(name: string, pose: Class) {
  const clean: number[] = [];
  const wrong: number[] = [];
  let solved = 0;
  for (const seed of seeds) {
    for (let k = 0; k < Number(values.systems); k++) {
      const number = 1000 * seed + k;
      const problem = values.collection ? drawn[(7 * seed + k) % drawn.length]! : responseSystem(number);
      const posed = pose(problem, number);
      const isTenth = posed.wrong.length === ROWS;
      const cleanPlay = playFrom(problem, seed, posed.right, posed.hasDesign);
      const wrongPlay = playFrom(
        problem,
        seed,
        isTenth ? posed.wrong : [...posed.right, ...posed.wrong],
        posed.hasDesign,
      );
      if (!cleanPlay.solved) continue;
      clean.push(costOf(cleanPlay, problem.budget));
      wrong.push(costOf(wrongPlay, problem.budget));
      if (wrongPlay.solved) solved++;
      if (process.env.VERBOSE) console.log(name, problem.name, cleanPlay.runs, wrongPlay.runs, wrongPlay.solved);
    }
  }
  const rounded = (value: number) => Number(value.toFixed(3));
  const ratio = rounded(geometricMean(wrong.map((runs, i) => runs / clean[i]!)));
  return {
    name,
    plays: wrong.length,
    solved,
    ratio,
    clean: rounded(geometricMean(clean)),
    runs: rounded(geometricMean(wrong)),
  };
}

function playFrom(problem: Problem, seed: number, known: readonly Evaluation[], hasDesign: boolean) {
  const circumstances: Circumstances = { known, hasDesign };
  return play(problem, seed, circumstances);
}

function drawRows(problem: Problem, count: number, uniform: () => number): Evaluation[] {
  return Array.from({ length: count }, (_, index) => {
    const input = problem.variables.map(({ kind, minimum, maximum }) => {
      const x = minimum + (maximum - minimum) * uniform();
      return kind === 'float' ? x : Math.round(x);
    });
    return { input, output: problem.evaluate(input, { seed: 0, index }) };
  });
}

/** The range of each output over some inputs. */
function magnitudes(problem: Problem, uniform: () => number): number[] {
  const rows = drawRows(problem, 30, uniform);
  return problem.objectives.map((_, j) => {
    const column = rows.map(({ output }) => output![j]!);
    return Math.max(...column) - Math.min(...column);
  });
}
