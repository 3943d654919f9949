/**
 * Rules by which an objective ends before it is satisfied or its attempts are used up: after runs without an
 * improvement, at a time, or after a number of runs.
 */
import type { StopRule } from '../../optimizer/interface/problem.ts';
import { makeViolation, type Violation } from '../errors.ts';
import { refTerm } from '../messages.ts';

/** As stored. */
export interface StopOptions {
  /** Suggested inputs in a row without an improvement. Left out: ended by evidence that nothing is left to gain. */
  readonly patience?: number;
  /** The largest improvement that counts as none, as a share; of a fit in chi-square. */
  readonly improvementBelow: number;
  /** In UTC, as Date.toISOString writes it, so that the order of texts is that of times. */
  readonly until?: string;
  /** Runs of the trial's cases, the initial point and the suggested inputs together; `maximumAttempts` allows no more. */
  readonly maximumRuns?: number;
}

/** As a client states it. An empty object: by evidence. false or null: never before it must. */
export type SentStop =
  | false
  | null
  | {
      readonly patience?: number | null | undefined;
      readonly improvementBelow?: number | null | undefined;
      readonly until?: Date | null | undefined;
      readonly maximumRuns?: number | null | undefined;
    };

/** The largest improvement that counts as none unless a client states another. */
export const DEFAULT_IMPROVEMENT_BELOW = 0.005;
/** The same of a fit: a reduction of chi-square, of which one is what a standard error of one parameter makes. */
export const FIT_IMPROVEMENT_BELOW = 0.05;
export const LARGEST_PATIENCE = 100_000;

/** The options as they are stored; undefined for none. */
export function stopOptionsOf(
  sent: SentStop | undefined,
  { isFit = false }: { readonly isFit?: boolean } = {},
): StopOptions | undefined {
  if (!sent) return undefined;
  const { patience, improvementBelow, until, maximumRuns } = sent;
  return {
    ...(patience != null && { patience }),
    improvementBelow: improvementBelow ?? (isFit ? FIT_IMPROVEMENT_BELOW : DEFAULT_IMPROVEMENT_BELOW),
    ...(until != null && { until: until.toISOString() }),
    ...(maximumRuns != null && { maximumRuns }),
  };
}

/** The rule for the optimizer; undefined where there is none. */
export function stopRuleOf(stop: StopOptions | undefined): StopRule | undefined {
  if (stop === undefined) return undefined;
  const { patience, improvementBelow } = stop;
  return { improvementBelow, ...(patience !== undefined && { patience }) };
}

/** Number of inverses that may be suggested when so many runs are made before the first one. */
export function attemptsWithin(maximumAttempts: number, stop: SentStop | undefined, earlierRuns: number): number {
  const maximumRuns = stop ? stop.maximumRuns : null;
  return maximumRuns == null ? maximumAttempts : Math.min(maximumAttempts, maximumRuns - earlierRuns);
}

/** Violations of a limit that leaves no run. @param earlierRuns  cases of the trial and the initial point */
export function checkMaximumRuns(stop: SentStop | undefined, earlierRuns: number): readonly Violation[] {
  const maximumRuns = stop ? stop.maximumRuns : null;
  if (maximumRuns == null || maximumRuns > earlierRuns) return [];
  const message = `must be more than ${earlierRuns}, is ${maximumRuns}: the ${refTerm('designed runs', 'cases of the trial')} and the ${refTerm('start', 'initial point')} count.`;
  return [makeViolation(['stop', 'maximumRuns'], message)];
}

export function isOver(stop: StopOptions | undefined, now: Date): boolean {
  return stop?.until !== undefined && stop.until <= now.toISOString();
}
