/** Describes in few numbers how near the runs of an objective came as they were made. */
import { isNearer, type Miss, makeMissMeasure, type NearestRun, type WeighedDefinition } from './nearest.ts';
import type { NearestSoFar, ObjectiveDefinition } from './objective.ts';

/** The worst miss of the nearest run so far, after each iteration that was looked at. */
export interface Trend {
  /** Ascending; 0 stands for the cases. */
  readonly iterations: readonly number[];
  /** One per iteration, in tolerances. It rises only where weights or priorities make another miss count more. */
  readonly misses: readonly number[];
  /** Likewise its misfit; null without a fit. */
  readonly misfits: readonly number[] | null;
}

/** Outputs of one objective that are looked at hold at most so many numbers. */
const NUMBERS_PER_TREND = 1_000;

/** Iterations to look at, evenly spaced up to `last`: all if they are few, fewer than `points` where outputs are long. */
export function chooseIterations({ objectives }: ObjectiveDefinition, last: number, points: number): readonly number[] {
  const count = Math.max(1, Math.min(last, points, Math.floor(NUMBERS_PER_TREND / objectives.length)));
  return Array.from({ length: count }, (_, i) => Math.round(((i + 1) * last) / count));
}

interface Run {
  readonly iteration: number;
  readonly output: readonly number[];
}

/**
 * @param best  the nearest run of all
 * @param runs  those looked at; only such that may be the answer
 */
export function makeTrend(
  objective: WeighedDefinition & NearestSoFar,
  best: NearestRun | null,
  runs: readonly Run[],
): Trend {
  const { measure, missesOf, misfitOf } = makeMissMeasure(objective);
  const known = new Map(runs.map(({ iteration, output }) => [iteration, output]));
  if (objective.nearestCaseOutput !== null) known.set(0, objective.nearestCaseOutput);
  if (best?.source.kind === 'inverse') known.set(best.source.iteration, best.output);
  const iterations = [...known.keys()].sort((a, b) => a - b);
  let nearest: { readonly miss: Miss; readonly output: readonly number[] } | null = null;
  const nearestSoFar = iterations.map((iteration) => {
    const output = known.get(iteration)!;
    const miss = measure(output);
    if (nearest === null || isNearer(miss, nearest.miss)) nearest = { miss, output };
    return nearest.output;
  });
  const misfits = nearestSoFar.map(misfitOf).filter((misfit) => misfit !== null);
  return {
    iterations,
    misses: nearestSoFar.map((output) => Math.max(...missesOf(output))),
    misfits: misfits.length > 0 ? misfits : null,
  };
}
