/** State of a problem: its runs, the answer to each target set so far, and the runs in progress. */
import type { Run } from '../../clients/typescript/src/evaluator/journal.ts';
import { nameOf, numberOf } from '../../clients/typescript/src/evaluator/run-name.ts';
import type { Batch, SearchAnswer } from '../../clients/typescript/src/index.ts';
import { isMet } from '../../clients/typescript/src/solve/answer.ts';
import type { RunningEvaluation } from '../../clients/typescript/src/solve/engine.ts';
import type { Goal } from '../../clients/typescript/src/solve/goals.ts';
import { isNearer, type Miss } from '../domain/search/nearest.ts';

/** Per output, in tolerances and in its unit, as the service sends them: misses are 0 where it is satisfied. */
interface Misses {
  readonly misses: readonly number[];
  readonly missedBy: readonly number[];
  /** By which the service compares runs. */
  readonly rank: Miss;
  /** One per data set of a fit. */
  readonly fits: readonly SetMisfit[];
}

/** Distance of a run from one data set. */
export interface SetMisfit {
  /** Whether residuals are in standard errors, so that the sum is chi-square; otherwise they are in units of the output. */
  readonly isInErrors: boolean;
  readonly sumOfSquares: number;
  readonly points: number;
}
export type MeasureMisses = (output: readonly number[]) => Misses;

/** The answer of a target set, or while the service cannot know it the nearest run. */
export interface BestRun extends Omit<Misses, 'rank'> {
  /** Such as `run 17`: the first run at the input. */
  readonly name: string;
  readonly number: number | null;
  readonly input: readonly number[];
  readonly output: readonly number[];
  readonly worst: number;
  /** Number of runs whose mean the output is. */
  readonly runs: number | null;
  /** Whether it meets what is asked: of an input that is to be declared, whether it was. */
  readonly isMet: boolean;
  /** With confirm or confidence, where the answer is an input and not a run. */
  readonly isInput: boolean;
}

/** One target set as the runs so far leave it. */
export interface SetStanding {
  readonly goals: readonly Goal[];
  readonly best: BestRun | null;
  /**
   * The worst miss of the nearest run after each run, in order; null before the first output. With a fit, the root mean square of its
   * residuals, once the limits are met.
   */
  readonly trend: readonly (number | null)[];
}

/** Follows the runs as they end, before the service can say what they mean. */
export class StandingOfSet {
  readonly #measure: MeasureMisses;
  readonly #goals: readonly Goal[];
  readonly #trend: (number | null)[] = [];
  #nearest: (Misses & Pick<BestRun, 'output' | 'worst'> & { readonly run: Run }) | null = null;

  constructor(goals: readonly Goal[], measure: MeasureMisses) {
    this.#goals = goals;
    this.#measure = measure;
  }

  /** @param told  the answer that the service names; left out where the nearest run stands for it */
  current(nameOf: (run: Run) => string, told?: Told | null): SetStanding {
    const best = told === undefined ? this.#nearestAsBest(nameOf) : told && this.#asBest(told);
    return { goals: this.#goals, best, trend: this.#trend };
  }

  add(run: Run, output: readonly number[] | null): void {
    if (output !== null) {
      const missed = this.#measure(output);
      const worst = Math.max(...missed.misses);
      if (this.#nearest === null || isNearer(missed.rank, this.#nearest.rank))
        this.#nearest = { run, output, ...missed, worst };
    }
    this.#trend.push(this.#nearest === null ? null : heightOf(this.#nearest));
  }

  #nearestAsBest(nameOf: (run: Run) => string): BestRun | null {
    if (this.#nearest === null) return null;
    const { run, rank: _, ...missed } = this.#nearest;
    const isMet = missed.worst === 0;
    return { ...missed, name: nameOf(run), number: numberOf(run), input: run.input, runs: 1, isMet, isInput: false };
  }

  #asBest({ answer, name, number }: Told): BestRun {
    const { kind, input, output, misses, missedBy, worstMiss: worst, runs } = answer;
    const { fits } = this.#measure(output);
    const isInput = kind === 'declared' || kind === 'likeliest';
    return { name, number, input, output, misses, missedBy, worst, fits, runs, isMet: isMet(answer), isInput };
  }
}

/** Answer of the service, and the name of its run on this machine. */
export interface Told {
  readonly answer: SearchAnswer;
  readonly name: string;
  readonly number: number | null;
}

function heightOf({ worst, fits }: Pick<BestRun, 'worst' | 'fits'>): number | null {
  if (fits.length === 0) return worst;
  return worst > 0 ? null : rootMeanSquare(fits);
}

/** Root mean square of all residuals, each in units of its data set. */
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
  /** Message that a person should see now, such as that the service does not answer. */
  readonly note: string | null;
}
