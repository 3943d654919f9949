/**
 * The nonlinear problems of the NIST Statistical Reference Datasets, from bounds alone: ten times beyond the two starts that the datasets
 * pose. Shows the digits that agree with the certified values, and how far the parameters are from these in certified standard errors.
 *
 *   npx node bench/fits/nist.ts [--problem Misra1a] [--seeds 1] [--budget 150] [--improvement 1e-6]
 *
 * Source of nist.json: National Institute of Standards and Technology, https://www.itl.nist.gov/div898/strd/nls/nls_main.shtml (public domain).
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Variable } from '../../src/optimizer/interface/problem.ts';
import { warmUp } from '../../src/optimizer/suggest.ts';
import { play } from './play.ts';
import { type FitProblem, log, oneSet, real } from './problem.ts';

interface Dataset {
  readonly name: string;
  readonly starts: readonly (readonly number[])[];
  readonly certified: readonly number[];
  /** Standard errors of the parameters. */
  readonly errors: readonly number[];
  /** Residual sum of squares. */
  readonly rss: number;
  /** y, then the predictors. */
  readonly rows: readonly (readonly number[])[];
}

type Model = (b: ArrayLike<number>, x: number, z: number) => number;

const { exp, atan, cos, sin, PI } = Math;
const chwirut: Model = (b, x) => exp(-b[0]! * x) / (b[1]! + b[2]! * x);
const gauss: Model = (b, x) =>
  b[0]! * exp(-b[1]! * x) + b[2]! * exp(-(((x - b[3]!) / b[4]!) ** 2)) + b[5]! * exp(-(((x - b[6]!) / b[7]!) ** 2));
const lanczos: Model = (b, x) => b[0]! * exp(-b[1]! * x) + b[2]! * exp(-b[3]! * x) + b[4]! * exp(-b[5]! * x);
const cubicOverCubic: Model = (b, x) =>
  (b[0]! + b[1]! * x + b[2]! * x ** 2 + b[3]! * x ** 3) / (1 + b[4]! * x + b[5]! * x ** 2 + b[6]! * x ** 3);

const MODELS: Readonly<Record<string, Model>> = {
  Bennett5: (b, x) => b[0]! * (b[1]! + x) ** (-1 / b[2]!),
  BoxBOD: (b, x) => b[0]! * (1 - exp(-b[1]! * x)),
  Chwirut1: chwirut,
  Chwirut2: chwirut,
  DanWood: (b, x) => b[0]! * x ** b[1]!,
  ENSO: (b, x) =>
    b[0]! +
    b[1]! * cos((2 * PI * x) / 12) +
    b[2]! * sin((2 * PI * x) / 12) +
    b[4]! * cos((2 * PI * x) / b[3]!) +
    b[5]! * sin((2 * PI * x) / b[3]!) +
    b[7]! * cos((2 * PI * x) / b[6]!) +
    b[8]! * sin((2 * PI * x) / b[6]!),
  Eckerle4: (b, x) => (b[0]! / b[1]!) * exp(-0.5 * ((x - b[2]!) / b[1]!) ** 2),
  Gauss1: gauss,
  Gauss2: gauss,
  Gauss3: gauss,
  Hahn1: cubicOverCubic,
  Kirby2: (b, x) => (b[0]! + b[1]! * x + b[2]! * x ** 2) / (1 + b[3]! * x + b[4]! * x ** 2),
  Lanczos1: lanczos,
  Lanczos2: lanczos,
  Lanczos3: lanczos,
  MGH09: (b, x) => (b[0]! * (x ** 2 + x * b[1]!)) / (x ** 2 + x * b[2]! + b[3]!),
  MGH10: (b, x) => b[0]! * exp(b[1]! / (x + b[2]!)),
  MGH17: (b, x) => b[0]! + b[1]! * exp(-x * b[3]!) + b[2]! * exp(-x * b[4]!),
  Misra1a: (b, x) => b[0]! * (1 - exp(-b[1]! * x)),
  Misra1b: (b, x) => b[0]! * (1 - (1 + (b[1]! * x) / 2) ** -2),
  Misra1c: (b, x) => b[0]! * (1 - (1 + 2 * b[1]! * x) ** -0.5),
  Misra1d: (b, x) => (b[0]! * b[1]! * x) / (1 + b[1]! * x),
  Nelson: (b, x, z) => b[0]! - b[1]! * x * exp(-b[2]! * z),
  Rat42: (b, x) => b[0]! / (1 + exp(b[1]! - b[2]! * x)),
  Rat43: (b, x) => b[0]! / (1 + exp(b[1]! - b[2]! * x)) ** (1 / b[3]!),
  Roszman1: (b, x) => b[0]! - b[1]! * x - atan(b[2]! / (x - b[3]!)) / PI,
  Thurber: cubicOverCubic,
};

/** Ten times beyond both starts; of one sign on a logarithm. */
function boundsOf(starts: readonly number[]): { readonly variable: Variable; readonly sign: 1 | -1 } {
  const [least, most] = [Math.min(...starts), Math.max(...starts)];
  if (least > 0) return { variable: log(least / 10, most * 10), sign: 1 };
  if (most < 0) return { variable: log(-most / 10, -least * 10), sign: -1 };
  const reach = 10 * Math.max(-least, most);
  return { variable: real(-reach, reach), sign: 1 };
}

function toProblem({ name, starts, certified, rows }: Dataset): FitProblem & { readonly signs: readonly number[] } {
  const bounds = certified.map((_, v) => boundsOf(starts.map((start) => start[v]!)));
  const signs = bounds.map(({ sign }) => sign);
  const model = (u: ArrayLike<number>) => {
    const b = signs.map((sign, v) => sign * u[v]!);
    return rows.map(([, x, z]) => {
      const y = MODELS[name]!(b, x!, z ?? 0);
      return Number.isFinite(y) ? Math.max(-1e9, Math.min(1e9, y)) : 1e9;
    });
  };
  const values = rows.map(([y]) => (name === 'Nelson' ? Math.log(y!) : y!));
  const truth = certified.map((value, v) => value * signs[v]!);
  return { name, variables: bounds.map(({ variable }) => variable), truth, model, fits: oneSet(values, null), signs };
}

function readDatasets(): readonly Dataset[] {
  return JSON.parse(readFileSync(new URL('nist.json', import.meta.url), 'utf8')) as readonly Dataset[];
}

export function nistProblems(): readonly FitProblem[] {
  return readDatasets().map(toProblem);
}

function main(): void {
  const { values } = parseArgs({
    options: {
      problem: { type: 'string' },
      seeds: { type: 'string', default: '1' },
      budget: { type: 'string', default: '150' },
      improvement: { type: 'string', default: '1e-6' },
    },
  });
  warmUp();
  const datasets = readDatasets();
  let [solved, count] = [0, 0];
  for (const dataset of datasets) {
    if (values.problem !== undefined && values.problem !== dataset.name) continue;
    const problem = toProblem(dataset);
    for (const seed of values.seeds.split(',').map(Number)) {
      const { misfits, inputs, reason } = play(problem, seed, Number(values.budget), Number(values.improvement));
      const best = inputs[misfits.indexOf(Math.min(...misfits))]!.map((x, v) => x * problem.signs[v]!);
      const digits = best.map(
        (b, v) => -Math.log10(Math.abs(b - dataset.certified[v]!) / Math.abs(dataset.certified[v]!)),
      );
      const off = best.map((b, v) => Math.abs(b - dataset.certified[v]!) / dataset.errors[v]!);
      const isSolved = Math.min(...digits) >= 4 || Math.max(...off) <= 0.01;
      count++;
      if (isSolved) solved++;
      const line = {
        problem: dataset.name,
        seed,
        runs: misfits.length,
        reason,
        digits: round(Math.min(...digits)),
        standardErrors: round(Math.max(...off)),
        rss: round((Math.exp(Math.min(...misfits) / dataset.rows.length) ** 1 * dataset.rows.length) / dataset.rss),
        solved: isSolved,
      };
      process.stdout.write(`${JSON.stringify(line)}\n`);
    }
  }
  process.stdout.write(`${JSON.stringify({ solved, of: count })}\n`);
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}

if (import.meta.main) main();
