/**
 * State of a search, and the effect of a change on it. `after` takes one change at a time, as requests and workers do;
 * `standingOf` forms the same from all runs (standing-of.ts).
 */
import type { Variable } from '../../optimizer/interface/problem.ts';
import { type Evaluation, evaluateOutput } from './acceptance.ts';
import type { InverseStatus } from './inverse.ts';
import { mayBeAnswer } from './ledger-run.ts';
import { isNearer, type MissMeasure, makeMissMeasure, type WeighedDefinition } from './nearest.ts';
import { findOptimum, isEligible } from './optimum.ts';
import type { Quest } from './quest.ts';
import { isApart } from './several-solutions.ts';
import {
  isFinal,
  lateOutputState,
  nextState,
  type ObjectiveEvent,
  StopReason,
  type Transition,
} from './stop-reason.ts';

/** Criteria by which runs are judged. */
export interface Terms {
  readonly quest: Quest;
  readonly definition: WeighedDefinition;
  /** In which distances between hits are measured; empty where hits need not be apart. */
  readonly variables: readonly Variable[];
}

/** A run with its output. */
export interface MeasuredRun {
  readonly id: number;
  readonly iteration: number;
  readonly input: readonly number[];
  readonly output: readonly number[];
}

type JudgedRun = Pick<MeasuredRun, 'id' | 'iteration' | 'output'>;

export interface Standing {
  readonly stopReason: StopReason;
  /** Inverses that were suggested. */
  readonly attemptCount: number;
  readonly maximumAttempts: number;
  /** Ids of the inverses that are computed or await their outputs, in order of iteration. */
  readonly open: readonly number[];
  readonly optimal: Pick<MeasuredRun, 'id' | 'output'> | null;
  /** Nearest of its own runs; undefined if not known. */
  readonly nearest: Pick<MeasuredRun, 'iteration' | 'output'> | null | undefined;
  /** Inputs of the hits in order of completion; empty where hits need not be apart. */
  readonly hits: readonly (readonly number[])[];
  /** All runs that may be optimal, in order of iteration; empty where each is compared with the best before it. */
  readonly candidates: readonly JudgedRun[];
}

/** Standing of a search without runs. */
export function nothingReached(maximumAttempts: number): Standing {
  const stopReason = StopReason.running;
  return {
    stopReason,
    attemptCount: 0,
    maximumAttempts,
    open: [],
    optimal: null,
    nearest: null,
    hits: [],
    candidates: [],
  };
}

/** Events that can happen to the inverse with an id, or to the objective. */
export type Change =
  | { readonly kind: 'opened'; readonly id: number }
  /** It was computed and handed out. */
  | { readonly kind: 'suggested'; readonly id: number }
  /** It repeats a known run, with which the search ends. */
  | {
      readonly kind: 'repeated';
      readonly id: number;
      readonly event: 'nothing-new' | 'held' | 'fitted' | 'attempts-used-up';
      readonly output: readonly number[];
    }
  /** isAdmissible and isCoarse: see `mayBeAnswer`. isLate: it was given up before. */
  | {
      readonly kind: 'output';
      readonly run: MeasuredRun;
      readonly isAdmissible: boolean;
      readonly isCoarse?: boolean;
      readonly isLate: boolean;
    }
  | { readonly kind: 'failed' | 'given-up' | 'not-computed' | 'removed'; readonly id: number }
  | { readonly kind: 'stopped' };

export interface Outcome {
  readonly standing: Standing;
  /** New status of the inverse of the change; undefined for a change without one. */
  readonly status: InverseStatus | undefined;
  /** Whether the run of the change is a hit. */
  readonly isHit: boolean;
  /** Whether the attempts are used up with the inverse of the change. */
  readonly isExhausting: boolean;
  /** Inverses that were open and are given up, since the objective has ended. */
  readonly givenUp: readonly number[];
}

/** Undefined when nothing can happen any more: the objective has ended, and the change is no late output. */
export function after(terms: Terms, standing: Standing, change: Change): Outcome | undefined {
  if (change.kind === 'output') return afterOutput(terms, standing, change);
  if (isFinal(standing.stopReason)) return undefined;
  if (change.kind === 'opened')
    return { ...nothing(standing), standing: { ...standing, open: [...standing.open, change.id] } };
  const others = 'id' in change ? standing.open.filter((id) => id !== change.id) : standing.open;
  if (change.kind === 'removed') return { ...nothing(standing), standing: { ...standing, open: others } };
  const isLast = areAttemptsUsed(terms, standing) && others.length === 0;
  const state = nextState(standing.stopReason, eventOf(change, isLast), isAchieved(terms, standing))!;
  if (change.kind === 'suggested') {
    return {
      ...nothing(standing),
      standing: { ...standing, attemptCount: standing.attemptCount + 1 },
      status: state.inverseStatus,
    };
  }
  const optimal =
    change.kind === 'repeated' &&
    (change.event === 'held' || takesOptimum(terms, standing, evaluateOutput(terms.definition, change.output)))
      ? { id: change.id, output: change.output }
      : standing.optimal;
  const status = change.kind === 'stopped' ? undefined : state.inverseStatus;
  return ended({ ...standing, optimal, open: others }, state, { status, isHit: false });
}

function nothing(standing: Standing): Outcome {
  return { standing, status: undefined, isHit: false, isExhausting: false, givenUp: [] };
}

/** Ends the objective and gives up its open inverses. */
function ended(
  standing: Standing,
  { stopReason }: Transition,
  { status, isHit }: Pick<Outcome, 'status' | 'isHit'>,
): Outcome {
  const isEnd = isFinal(stopReason) && !isFinal(standing.stopReason);
  const open = isEnd ? [] : standing.open;
  const isExhausting = isEnd && stopReason === StopReason.exhausted;
  return {
    standing: { ...standing, stopReason, open },
    status,
    isHit,
    isExhausting,
    givenUp: isEnd ? standing.open : [],
  };
}

/** @param isLast  whether the attempts are used and no other inverse is open */
function eventOf(change: Exclude<Change, { kind: 'output' | 'opened' }>, isLast: boolean): ObjectiveEvent {
  switch (change.kind) {
    case 'suggested':
      return 'inverse-suggested';
    case 'repeated':
      return change.event;
    case 'failed':
      return isLast ? 'last-run-failed' : 'run-failed';
    case 'given-up':
      return isLast ? 'last-inverse-stopped' : 'inverse-stopped';
    case 'not-computed':
      return 'computation-failed';
    default:
      return 'stopped-by-hand';
  }
}

/** Whether the last attempt has been suggested and no further suggestion is needed to decide. */
export function areAttemptsUsed(
  { quest }: Pick<Terms, 'quest'>,
  { attemptCount, maximumAttempts }: Pick<Standing, 'attemptCount' | 'maximumAttempts'>,
): boolean {
  return quest.endsWithRuns && attemptCount >= maximumAttempts;
}

/** Whether a hit was found and the search went on, so that every end is a success. */
function isAchieved({ quest, definition }: Terms, { optimal }: Standing): boolean {
  return quest.isAchieved(optimal && evaluateOutput(definition, optimal.output));
}

function afterOutput(terms: Terms, standing: Standing, change: Extract<Change, { kind: 'output' }>): Outcome {
  const { quest, definition } = terms;
  const { run, isLate } = change;
  const mayCount = mayBeAnswer(change);
  const evaluation = evaluateOutput(definition, run.output);
  const isHit = mayCount && isHitAfter(terms, standing.hits, run.input, evaluation);
  const others = standing.open.filter((id) => id !== run.id);
  const areUsed = areAttemptsUsed(terms, standing);
  const isLast = areUsed && others.length === 0;
  const missed = isLast ? 'last-output-unsatisfied' : 'output-unsatisfied';
  const event = isHit ? quest.eventOf({ before: standing.hits.length, areAttemptsUsed: areUsed, isLast }) : missed;
  const state = isLate
    ? lateOutputState(standing.stopReason, event)
    : nextState(standing.stopReason, event, isAchieved(terms, standing));
  const nearest = mayCount ? nearestWith(makeMissMeasure(definition), standing.nearest, run) : standing.nearest;
  if (state === undefined) throw new Error('an inverse is open although its objective has ended');
  const isCounted = mayCount && !isFinal(standing.stopReason);
  const reached = {
    ...standing,
    nearest,
    open: others,
    ...(isCounted && withOptimum(terms, standing, run, evaluation)),
  };
  const doesHit = isHit && isCounted;
  const hits = doesHit && quest.apart !== null ? [...standing.hits, run.input] : standing.hits;
  return ended({ ...reached, hits }, state, { status: state.inverseStatus, isHit: doesHit });
}

/** Whether a run is a hit beside those before it. */
export function isHitAfter(
  { quest, variables }: Terms,
  hits: readonly (readonly number[])[],
  input: readonly number[],
  evaluation: Evaluation,
): boolean {
  if (!quest.isHit(evaluation)) return false;
  return quest.apart === null || isApart(variables, { apart: quest.apart }, hits, input);
}

/** The nearest run once another one is known. Of equals the one with the lower iteration stays. */
export function nearestWith(
  measure: MissMeasure,
  nearest: Standing['nearest'],
  { iteration, output }: Pick<MeasuredRun, 'iteration' | 'output'>,
): Standing['nearest'] {
  if (nearest === undefined) return undefined;
  if (nearest === null) return { iteration, output };
  const [holder, challenger] =
    nearest.iteration < iteration ? [nearest, { iteration, output }] : [{ iteration, output }, nearest];
  return isNearer(measure.measure(challenger.output), measure.measure(holder.output)) ? challenger : holder;
}

/** The optimal run and what it is chosen from, once another one is known. */
export function withOptimum(
  terms: Terms,
  standing: Standing,
  run: JudgedRun,
  evaluation: Evaluation,
): Pick<Standing, 'optimal' | 'candidates'> {
  const { optimal, candidates } = standing;
  if (!isEligible(evaluation)) return { optimal, candidates };
  if (terms.quest.comparesAllRuns) return bestOfAll(terms, [...candidates, run]);
  return { optimal: takesOptimum(terms, standing, evaluation) ? run : optimal, candidates };
}

/** The optimal one of runs that may all be optimal, where it is chosen among all of them. */
export function bestOfAll(
  { definition }: Terms,
  eligible: readonly JudgedRun[],
): Pick<Standing, 'optimal' | 'candidates'> {
  const candidates = eligible.toSorted((a, b) => a.iteration - b.iteration);
  const best = findOptimum(
    definition,
    candidates.map(({ output }) => output),
  );
  return { optimal: best === null ? null : candidates[best]!, candidates };
}

/** Whether a run, or a repeat of one, becomes the optimal one. */
function takesOptimum(
  { quest, definition }: Terms,
  { optimal }: Pick<Standing, 'optimal'>,
  evaluation: Evaluation,
): boolean {
  if (!isEligible(evaluation)) return false;
  return optimal === null || quest.beats(evaluation, evaluateOutput(definition, optimal.output));
}
