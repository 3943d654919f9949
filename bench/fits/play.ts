/**
 * Plays fits through the optimizer alone: runs to 1.05 times the least misfit, the end, and the misfit of the best run.
 *
 *   npx node bench/fits/play.ts [--problem kinetics] [--seeds 1,2,3] [--budget 80] [--unknown] [--jitter 0.1]
 *
 * `--unknown` leaves out the standard errors. `--jitter` adds normal noise to the model, in standard errors of the data, that is the same
 * whenever an input is repeated: what adaptive steps, iteration limits and rounded files do to simulations.
 */
import { parseArgs } from 'node:util';
import { misfitOf } from '../../src/numbers/misfit.ts';
import { initialDesign } from '../../src/optimizer/initial-design.ts';
import type { SuggestRequest, Target } from '../../src/optimizer/interface/problem.ts';
import { makeRandom } from '../../src/optimizer/numerics/random.ts';
import { suggest, warmUp } from '../../src/optimizer/suggest.ts';
import { type FitProblem, leastMisfit } from './problem.ts';
import { FIT_PROBLEMS } from './problems.ts';

const FREE: Target = { lower: -Infinity, upper: Infinity, lowerOpen: false, upperOpen: false, direction: 'none' };

export interface Played {
  /** The misfit of every run. */
  readonly misfits: readonly number[];
  readonly inputs: readonly (readonly number[])[];
  /** The request with all runs. */
  readonly request: SuggestRequest;
  /** Reason for its end; null for the budget. */
  readonly reason: string | null;
  /** Processor time of a suggestion, in milliseconds: mean and largest. */
  readonly meanMs: number;
  readonly mostMs: number;
}

export function play(
  { variables, model, fits }: FitProblem,
  seed: number,
  budget: number,
  improvementBelow = 0.05,
): Played {
  const space = { variables };
  const n = variables.length;
  const design = initialDesign({
    space,
    outputCount: model(variables.map(({ minimum }) => minimum)).length,
    caseCount: null,
    seed,
  });
  const X = Array.from(design.X);
  const Y: number[] = [];
  for (let i = 0; i < design.count; i++) Y.push(...model(X.slice(i * n, (i + 1) * n)));
  const m = Y.length / design.count;
  const times: number[] = [];
  let reason: string | null = null;
  const requestAt = (count: number): SuggestRequest => ({
    space,
    goal: { targets: Array.from({ length: m }, () => FREE), l1: null, fits },
    history: { count, X: Float64Array.from(X), Y: Float64Array.from(Y), failed: new Uint8Array(count) },
    firstSuggested: design.count,
    convergence: 1e-6,
    stop: { improvementBelow },
    seed,
    workLimit: 3e3,
  });
  for (let count = design.count; count < budget; count++) {
    const before = process.cpuUsage();
    const proposal = suggest(requestAt(count));
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1e3);
    if (proposal.kind === 'nothing-new') {
      reason = proposal.reason;
      break;
    }
    X.push(...proposal.input);
    Y.push(...model(proposal.input));
  }
  const runs = Y.length / m;
  return {
    request: requestAt(runs),
    misfits: Array.from({ length: runs }, (_, i) => misfitOf(fits, Y, i * m)),
    inputs: Array.from({ length: runs }, (_, i) => X.slice(i * n, (i + 1) * n)),
    reason,
    meanMs: times.reduce((sum, one) => sum + one, 0) / times.length,
    mostMs: Math.max(...times),
  };
}

function main(): void {
  const { values } = parseArgs({
    options: {
      problem: { type: 'string' },
      seeds: { type: 'string', default: '1,2,3' },
      budget: { type: 'string', default: '80' },
      unknown: { type: 'boolean', default: false },
      jitter: { type: 'string', default: '0' },
    },
  });
  warmUp();
  for (const make of FIT_PROBLEMS) {
    for (const seed of values.seeds.split(',').map(Number)) {
      const made = make(seed);
      if (values.problem !== undefined && made.name !== values.problem) continue;
      const smooth = values.unknown ? withoutErrors(made) : made;
      const least = leastMisfit(smooth);
      const problem = withJitter(smooth, made.fits, Number(values.jitter));
      const { misfits, reason, meanMs, mostMs } = play(problem, seed, Number(values.budget));
      const goal = values.unknown ? least + problem.truth.length * 0.1 : 1.05 * least;
      const reached = misfits.findIndex((one) => one <= goal) + 1;
      const line = {
        problem: made.name,
        seed,
        least: round(least),
        reached,
        runs: misfits.length,
        reason,
        best: round(Math.min(...misfits)),
        meanMs: Math.round(meanMs),
        mostMs: Math.round(mostMs),
      };
      process.stdout.write(`${JSON.stringify(line)}\n`);
    }
  }
}

function withoutErrors(problem: FitProblem): FitProblem {
  return { ...problem, fits: problem.fits.map((fit) => ({ ...fit, sigmas: null, loss: 'linear' as const })) };
}

/** @param errors the data with their standard errors */
function withJitter(problem: FitProblem, errors: FitProblem['fits'], jitter: number): FitProblem {
  if (jitter === 0) return problem;
  const sigmas = errors.flatMap((fit) => Array.from(fit.sigmas!));
  const model = (x: ArrayLike<number>) => {
    const words = Array.from(new Uint32Array(Float64Array.from(Array.from(x)).buffer));
    const random = makeRandom(...words);
    return problem.model(x).map((y, j) => y + jitter * sigmas[j]! * random.normal());
  };
  return { ...problem, model };
}

function round(value: number): number {
  return Number(value.toPrecision(6));
}

if (import.meta.main) main();
