/** How a problem stands: which runs there are, which comes nearest to each target set, and what runs now. */
import type { Run } from '../../clients/typescript/src/evaluator/journal.ts';
import { nameOf } from '../../clients/typescript/src/evaluator/run-name.ts';
import type { Batch } from '../../clients/typescript/src/index.ts';
import type { RunningEvaluation } from '../../clients/typescript/src/solve/engine.ts';
import type { Goal } from '../../clients/typescript/src/solve/goals.ts';
import { isNearer, type Miss } from '../domain/nearest.ts';

/** Per output, in tolerances and in its unit, as the service sends them: misses are 0 where it is satisfied. */
interface Misses {
  readonly misses: readonly number[];
  readonly missedBy: readonly number[];
  /** By which the service compares runs. */
  readonly rank: Miss;
  /** One per data set of a fit. */
  readonly fits: readonly SetMisfit[];
}

/** How far a run is from one data set. */
export interface SetMisfit {
  /** Whether residuals are in standard errors, so that the sum is chi-square; otherwise they are in units of the output. */
  readonly isInErrors: boolean;
  readonly sumOfSquares: number;
  readonly points: number;
}
export type MeasureMisses = (output: readonly number[]) => Misses;

export interface BestRun extends Misses {
  readonly run: Run;
  /** Such as `run 17`. */
  readonly name: string;
  readonly input: readonly number[];
  readonly output: readonly number[];
  readonly worst: number;
}

/** One target set as the runs so far leave it. */
export interface SetStanding {
  readonly goals: readonly Goal[];
  readonly best: BestRun | null;
  /**
   * The worst miss of the best run after each run, in order; null before the first output. With a fit, the root mean square of its
   * residuals, once the limits are met.
   */
  readonly trend: readonly (number | null)[];
}

/** The best run is the one that the service names. */
export class StandingOfSet {
  readonly #measure: MeasureMisses;
  readonly #goals: readonly Goal[];
  readonly #trend: (number | null)[] = [];
  #best: Omit<BestRun, 'name'> | null = null;

  constructor(goals: readonly Goal[], measure: MeasureMisses) {
    this.#goals = goals;
    this.#measure = measure;
  }

  current(nameOf: (run: Run) => string): SetStanding {
    const best = this.#best && { ...this.#best, name: nameOf(this.#best.run) };
    return { goals: this.#goals, best, trend: this.#trend };
  }

  add(run: Run, output: readonly number[] | null): void {
    if (output !== null) {
      const missed = this.#measure(output);
      const worst = Math.max(...missed.misses);
      if (this.#best === null || isNearer(missed.rank, this.#best.rank))
        this.#best = { run, input: run.input, output, ...missed, worst };
    }
    this.#trend.push(this.#best === null ? null : heightOf(this.#best));
  }
}

function heightOf({ worst, fits }: Omit<BestRun, 'name'>): number | null {
  if (fits.length === 0) return worst;
  return worst > 0 ? null : rootMeanSquare(fits);
}

/** Of all residuals, each in units of its data set. */
export function rootMeanSquare(fits: readonly SetMisfit[]): number {
  const sum = fits.reduce((total, { sumOfSquares }) => total + sumOfSquares, 0);
  return Math.sqrt(sum / fits.reduce((total, { points }) => total + points, 0));
}

/** Something that runs now. */
export interface RunningNow {
  readonly label: string;
  readonly input: readonly number[];
  /** By performance.now(). */
  readonly sinceMs: number;
}

export function runningNow({ evaluation, kind, sinceMs }: RunningEvaluation): RunningNow {
  return { label: nameOf({ ...evaluation, kind }), input: evaluation.input, sinceMs };
}

type Phase = 'starting' | 'designed runs' | 'searching' | 'done';

/** Without a status there is no batch yet. */
export function phaseOf(status: Batch['status'] | undefined): Phase {
  if (status === undefined) return 'starting';
  if (status === 'evaluating-cases') return 'designed runs';
  return status === 'solving' ? 'searching' : 'done';
}

export interface Standing {
  readonly phase: Phase;
  readonly runs: number;
  readonly failed: number;
  /** Failed runs that were tried again. */
  readonly retried: number;
  readonly maximumRuns: number | null;
  /** Designed runs that come first: how many of how many are over. */
  readonly designed: { readonly done: number; readonly planned: number };
  readonly sets: readonly SetStanding[];
  /** The target set that is shown. */
  readonly shown: number;
  readonly satisfiedSets: number;
  readonly running: readonly RunningNow[];
  readonly elapsedMs: number;
  /** What a person should know now, such as that the service does not answer. */
  readonly note: string | null;
}
