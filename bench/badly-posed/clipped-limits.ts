/**
 * Measures how near a search comes to the best value where a program says of its limits only by how much they are broken, and answers 1e20
 * for what it does not calculate.
 *
 *   npx node bench/badly-posed/clipped-limits.ts [--set known,collection] [--seeds 1,2,3] [--forms plain,clipped] [--problem name,name] [--runs 10] [--json]
 *
 * Forms: `plain`, each limit as the difference g from its end, to keep at most 0; `clipped`, max(0, g); `summed`, one output with the sum
 * of these in units of what each varies by; `unknown`, clipped, and 1e20 in all outputs but the first limit where that is broken by more
 * than half such a unit. Sets: `known`, the problems of known-optima.ts with limits; `collection`, those of the collection with limits and
 * an output to minimize or maximize, on which the constants were chosen. --runs multiplies the number of inputs. A row says how far above
 * the optimum the best value within all limits lies after half and after all of the runs, in shares of the optimum, the lower median over
 * the seeds; and in how many plays it came within 1 percent.
 */
import { parseArgs } from 'node:util';
import { NO_TARGET } from '../../src/domain/search/objective.ts';
import { minimizeMaximizeProblems } from '../problems/minimize-maximize.ts';
import { atMost, maximize, minimize, type Objective, type Outputs, type Problem } from '../problems/problem.ts';
import { makeUniform } from '../problems/random.ts';
import { playAndRecord } from '../solvers/play.ts';
import { knownOptima } from './known-optima.ts';

const UNKNOWN = 1e20;
const NEAR = 0.01;
const KEPT = 1e-9;
/** Random inputs that tell what a limit varies by. */
const SAMPLED = 200;

const { values: options } = parseArgs({
  options: {
    set: { type: 'string', default: 'known' },
    seeds: { type: 'string', default: '1,2,3' },
    forms: { type: 'string', default: 'plain,clipped,summed,unknown' },
    problem: { type: 'string' },
    runs: { type: 'string', default: '10' },
    json: { type: 'boolean', default: false },
  },
});

/** One output to make small or large, others with limits. */
interface Limited extends Pick<Problem, 'name' | 'source' | 'variables' | 'start'> {
  readonly sign: 1 | -1;
  readonly optimum: number;
  /** The output, then by how much each limit is broken, negative where it is kept; null for a failed run. */
  readonly evaluate: (x: readonly number[]) => Outputs;
}

/** By how much y breaks a one-sided limit, in units of the output. */
function excess({ type, target }: Objective, y: number): number {
  return type.startsWith('less') ? y - target : target - y;
}

function limitedOf(
  { name, source, variables, start, evaluate }: Pick<Problem, 'name' | 'source' | 'variables' | 'start' | 'evaluate'>,
  direction: 'minimize' | 'maximize',
  optimum: number,
  limits: readonly Objective[],
): Limited {
  return {
    name,
    source,
    variables,
    start,
    sign: direction === 'minimize' ? 1 : -1,
    optimum,
    evaluate: (x) => {
      const y = evaluate(x, { seed: 1, index: 0 });
      return y && [y[0]!, ...limits.map((limit, j) => excess(limit, y[j + 1]!))];
    },
  };
}

const isOneSided = ({ type }: Objective) => type.startsWith('less') || type.startsWith('greater');

function problemsOf(set: string): Limited[] {
  if (set === 'known')
    return knownOptima.flatMap((one) =>
      one.limits.length > 0 && one.limits.every(isOneSided)
        ? [limitedOf(one, one.direction, one.optimum, one.limits)]
        : [],
    );
  return minimizeMaximizeProblems.flatMap((one) => {
    const [first, ...limits] = one.objectives;
    if (limits.length === 0 || !limits.every(isOneSided)) return [];
    const direction = first!.type === 'minimize' ? 'minimize' : 'maximize';
    return [limitedOf(one, direction, one.evaluate(one.known, { seed: 1, index: 0 })![0]!, limits)];
  });
}

/** Variation of each limit over the box: the median of its distance from the end. */
function unitsOf({ variables, evaluate }: Limited): number[] {
  const uniform = makeUniform(1);
  const rows = Array.from({ length: SAMPLED }, () =>
    evaluate(
      variables.map(({ kind, minimum, maximum }) => {
        const x = minimum + uniform() * (maximum - minimum);
        return kind === 'float' ? x : Math.round(x);
      }),
    ),
  ).filter((row) => row?.every(Number.isFinite));
  return rows[0]!.slice(1).map((_, j) => {
    const sizes = rows.map((row) => Math.abs(row![j + 1]!)).sort((a, b) => a - b);
    return sizes[sizes.length >> 1]! || 1;
  });
}

const FORMS: Record<string, (broken: readonly number[], units: readonly number[], y: number) => number[]> = {
  plain: (broken, _, y) => [y, ...broken],
  clipped: (broken, _, y) => [y, ...broken.map((one) => Math.max(0, one))],
  summed: (broken, units, y) => [y, broken.reduce((sum, one, j) => sum + Math.max(0, one) / units[j]!, 0)],
  unknown: (broken, units, y) => {
    const clipped = broken.map((one) => Math.max(0, one));
    const isUnknown = clipped[0]! > 0.5 * units[0]!;
    return isUnknown ? [UNKNOWN, clipped[0]!, ...clipped.slice(1).map(() => UNKNOWN)] : [y, ...clipped];
  },
};

function offAfter(limited: Limited, form: string, seed: number, factor: number): [number, number] {
  const { name, source, variables, start, sign, optimum, evaluate } = limited;
  const units = unitsOf(limited);
  const shaped = (x: readonly number[]) => {
    const y = evaluate(x);
    return y && FORMS[form]!(y.slice(1), units, y[0]!);
  };
  const m = shaped(start)!.length;
  const budget = factor * variables.length;
  const problem: Problem = {
    name,
    source,
    variables,
    start,
    evaluate: shaped,
    family: 'minimize-maximize',
    objectives: [
      sign > 0 ? minimize(NO_TARGET.minimize) : maximize(NO_TARGET.maximize),
      ...Array.from({ length: m - 1 }, () => atMost(0)),
    ],
    desiredL1Norm: 0,
    convergence: 1e-6,
    budget,
    noisy: false,
    known: [],
  };
  const { evaluations } = playAndRecord(problem, seed);
  const bestOf = (runs: number) =>
    evaluations.slice(0, runs).reduce((best, { input }) => {
      const y = evaluate(input);
      return y?.slice(1).every((one) => one <= KEPT)
        ? Math.min(best, (sign * (y[0]! - optimum)) / Math.abs(optimum))
        : best;
    }, Number.POSITIVE_INFINITY);
  return [bestOf(budget >> 1), bestOf(budget)];
}

const middle = (values: readonly number[]) => [...values].sort((a, b) => a - b)[(values.length - 1) >> 1]!;
const seeds = options.seeds.split(',').map(Number);
const problems = options.set.split(',').flatMap(problemsOf);
const chosen = options.problem ? problems.filter(({ name }) => options.problem!.split(',').includes(name)) : problems;
for (const form of options.forms.split(',')) {
  if (!(form in FORMS)) throw new Error(`No form ${form}: ${Object.keys(FORMS).join(', ')}.`);
  let near = 0;
  for (const one of chosen) {
    const started = process.cpuUsage();
    const offs = seeds.map((seed) => offAfter(one, form, seed, Number(options.runs)));
    const { user, system } = process.cpuUsage(started);
    const nearHere = offs.filter(([, off]) => off <= NEAR).length;
    near += nearHere;
    const row = {
      form,
      problem: one.name,
      half: middle(offs.map(([off]) => off)),
      all: middle(offs.map(([, off]) => off)),
      near: `${nearHere} of ${offs.length}`,
      seconds: (user + system) / 1e6,
    };
    console.log(
      options.json
        ? JSON.stringify(row)
        : `${form.padEnd(8)} ${one.name.padEnd(24)} ${row.half.toPrecision(3).padStart(10)} ${row.all.toPrecision(3).padStart(10)}  ${row.near}  ${row.seconds.toFixed(1)} s`,
    );
  }
  console.log(
    options.json
      ? JSON.stringify({ form, near, plays: seeds.length * chosen.length })
      : `${form}: ${near} of ${seeds.length * chosen.length} plays within 1 percent`,
  );
}
