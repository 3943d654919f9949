/**
 * Forms the standing of a search from all its runs. A correction uses it, and changes taken one at a time must lead to
 * the same (`after` in standing.ts).
 */
import { type Evaluation, evaluateOutput } from './acceptance.ts';
import { InverseStatus } from './inverse.ts';
import { type LedgerRun, mayBeAnswer } from './ledger-run.ts';
import { makeMissMeasure } from './nearest.ts';
import { isEligible } from './optimum.ts';
import type { Quest } from './quest.ts';
import {
  areAttemptsUsed,
  bestOfAll,
  isHitAfter,
  nearestWith,
  nothingReached,
  type Standing,
  type Terms,
  withOptimum,
} from './standing.ts';
import { isFinal, StopReason, TRANSITIONS } from './stop-reason.ts';

export interface Verdict extends Pick<Standing, 'stopReason' | 'attemptCount' | 'maximumAttempts'> {
  readonly optimalInverseId: number | null;
}

export interface Formed {
  readonly standing: Standing;
  /** By the id of the inverse; only those that change. */
  readonly statuses: ReadonlyMap<number, InverseStatus>;
  /** The inverse with which the attempts were used up, if the objective is exhausted. */
  readonly exhaustedId: number | null;
}

/**
 * Undefined when an objective that has ended would get another verdict, and `mayReopen` does not allow that.
 *
 * @param runs  all inverses, in order of iteration
 * @param isVerdictAffected  see reviseStates
 */
export function standingOf(
  terms: Terms,
  verdict: Verdict,
  runs: readonly LedgerRun[],
  { mayReopen = false, isVerdictAffected = false } = {},
): Formed | undefined {
  const completed = runs.toSorted((a, b) => orderOf(a) - orderOf(b) || a.iteration - b.iteration);
  const evaluations = new Map(completed.map((run) => [run.id, evaluationOf(terms, run)]));
  const { hits, hitIds } = findHits(terms, completed, evaluations);
  const results = runs.map((run) => ({
    id: run.id,
    status: run.status,
    completedOrder: run.completedOrder,
    isExhausting: run.isExhausting,
    result: resultOf(run, hitIds.has(run.id)),
  }));
  const states = reviseStates(terms.quest, verdict, results, mayReopen, isVerdictAffected);
  if (states === undefined) return undefined;
  const { stopReason, statuses, exhaustedId } = states;
  const open = isFinal(stopReason) ? [] : results.flatMap(({ id, result }) => (result === 'open' ? [id] : []));
  const { attemptCount, maximumAttempts } = verdict;
  const reached = { stopReason, attemptCount, maximumAttempts, open, hits: terms.quest.apart === null ? [] : hits };
  const standing = {
    ...reached,
    ...findOptimal(terms, { ...verdict, after: stopReason }, completed, evaluations),
    nearest: findNearest(terms, completed),
  };
  return { standing, statuses, exhaustedId };
}

/** Position of a run in the order of completion: the initial point first, and a repeat, which has no number, last. */
function orderOf({ completedOrder, isRepeat }: LedgerRun): number {
  return isRepeat ? Number.MAX_SAFE_INTEGER : (completedOrder ?? 0);
}

/** null where the run is no solution whatever its output. */
function evaluationOf({ definition }: Terms, run: LedgerRun): Evaluation | null {
  return run.output !== null && mayBeAnswer(run) ? evaluateOutput(definition, run.output) : null;
}

type Evaluations = ReadonlyMap<number, Evaluation | null>;

function findHits(terms: Terms, completed: readonly LedgerRun[], evaluations: Evaluations) {
  const hits: (readonly number[])[] = [];
  const hitIds = new Set<number>();
  for (const { id, input } of completed) {
    const evaluation = evaluations.get(id)!;
    if (evaluation === null || input === null || !isHitAfter(terms, hits, input, evaluation)) continue;
    hits.push(input);
    hitIds.add(id);
  }
  return { hits, hitIds };
}

/** Whether the output came after the inverse had been given up. */
function isLate({ status, output, isRepeat }: LedgerRun): boolean {
  return output !== null && !isRepeat && status === InverseStatus.stopped;
}

function resultOf(run: LedgerRun, isHit: boolean): RevisedRun['result'] {
  const { status, input, output } = run;
  if (status === InverseStatus.active && output === null && !run.isFailed) return 'open';
  if (isLate(run)) return isHit ? 'late' : 'never-run';
  if (run.isRepeat || input === null) return 'never-run';
  if (status === InverseStatus.stopped) return run.isFailed ? 'failed' : 'never-run';
  if (output === null) return 'failed';
  return isHit ? 'satisfied' : 'unsatisfied';
}

/**
 * Late outputs move the optimum only while the objective runs, that is until the last of the others was completed or given up, or
 * when one of them alone keeps it satisfied.
 *
 * @param after  the stop reason that all runs lead to
 */
function findOptimal(
  terms: Terms,
  { stopReason, optimalInverseId, after }: Verdict & { readonly after: StopReason },
  completed: readonly LedgerRun[],
  evaluations: Evaluations,
): Pick<Standing, 'optimal' | 'candidates'> {
  const chosen = completed.find(({ id }) => id === optimalInverseId);
  if (terms.quest.isChosenByModels && chosen && evaluations.get(chosen.id)?.isSatisfied) {
    return { optimal: { id: chosen.id, output: chosen.output! }, candidates: [] };
  }
  const lastOrder = completed.reduce((last, run) => (isLate(run) ? last : Math.max(last, run.completedOrder ?? 0)), 0);
  const inTime = completed.filter(
    (run) => !isLate(run) || !isFinal(stopReason) || (run.completedOrder ?? 0) < lastOrder,
  );
  const found = bestOf(terms, inTime, evaluations);
  const isMet = found.optimal !== null && evaluateOutput(terms.definition, found.optimal.output).isSatisfied;
  return after !== StopReason.satisfied || isMet ? found : bestOf(terms, completed, evaluations);
}

function bestOf(
  terms: Terms,
  runs: readonly LedgerRun[],
  evaluations: Evaluations,
): Pick<Standing, 'optimal' | 'candidates'> {
  const judged = runs.flatMap(({ id, iteration, output }) => {
    const evaluation = evaluations.get(id)!;
    return evaluation === null ? [] : [{ evaluation, run: { id, iteration, output: output! } }];
  });
  if (terms.quest.comparesAllRuns) {
    // Together: one after the other, each would be compared with all before it.
    return bestOfAll(
      terms,
      judged.flatMap(({ evaluation, run }) => (isEligible(evaluation) ? [run] : [])),
    );
  }
  let found = nothingReached(0);
  for (const { evaluation, run } of judged) found = { ...found, ...withOptimum(terms, found, run, evaluation) };
  return { optimal: found.optimal, candidates: found.candidates };
}

function findNearest({ definition }: Terms, completed: readonly LedgerRun[]): Standing['nearest'] {
  const measure = makeMissMeasure(definition);
  let nearest: Standing['nearest'] = null;
  for (const run of completed) {
    const { iteration, output, isRepeat } = run;
    if (output !== null && !isRepeat && mayBeAnswer(run))
      nearest = nearestWith(measure, nearest, { iteration, output });
  }
  return nearest;
}

/** An inverse as its result counts after a correction. */
export interface RevisedRun extends Pick<LedgerRun, 'id' | 'status' | 'completedOrder' | 'isExhausting'> {
  /**
   * - open: the output is missing, or the suggestion is being computed.
   * - satisfied, unsatisfied: completed; an excluded one satisfies nothing.
   * - failed: the client reported that the run failed.
   * - late: the output came after the inverse had been given up, and satisfies everything; it may keep an objective satisfied,
   *   and brings none back by itself.
   * - never-run: stopped, not computed, or a repeat of a known run; also a late output that satisfies nothing.
   */
  readonly result: 'open' | 'satisfied' | 'unsatisfied' | 'failed' | 'late' | 'never-run';
}

type Ended = Pick<Verdict, 'stopReason' | 'attemptCount' | 'maximumAttempts'>;

interface RevisedStates extends Pick<Formed, 'statuses' | 'exhaustedId'> {
  readonly stopReason: StopReason;
}

/**
 * The states of an objective and its inverses that follow from the results as they are now. Undefined when an objective that has
 * ended would get another verdict, and `mayReopen` does not allow that.
 *
 * @param runs  all inverses, in order of iteration; of several solutions, those too near to another one count as unsatisfied
 * @param isVerdictAffected  whether the objective does not end with one run, has ended satisfied, and rests on the corrected one
 */
export function reviseStates(
  quest: Quest,
  objective: Ended,
  runs: readonly RevisedRun[],
  mayReopen: boolean,
  isVerdictAffected = false,
): RevisedStates | undefined {
  if (!quest.endsWithRuns) return reviseHeld(objective, runs, mayReopen, isVerdictAffected);
  const doLateCount =
    mayReopen || objective.stopReason === StopReason.running || objective.stopReason === StopReason.satisfied;
  const { sought } = quest;
  const inTime = runs.filter(({ result }) => result === 'satisfied');
  // Late outputs count where the others are too few: beside enough of them they stay what they were when the search ended.
  const doLateDecide = doLateCount && inTime.length < sought;
  const satisfied = doLateDecide ? runs.filter(({ result }) => result === 'satisfied' || result === 'late') : inTime;
  const isSatisfied = satisfied.length >= sought;
  const stopReason = reviseStopReason(quest, objective, isSatisfied, {
    mayReopen,
    isOpen: runs.some(({ result }) => result === 'open'),
  });
  if (stopReason === undefined) return undefined;
  const exhaustedId = stopReason === StopReason.exhausted ? findExhausting(runs) : null;
  const statuses = new Map<number, InverseStatus>();
  for (const run of runs) {
    const isCounted = satisfied.includes(run);
    const isSolution = isCounted && (sought > 1 || (run.result === 'late' && stopReason === StopReason.satisfied));
    const status = isSolution ? InverseStatus.converged : reviseStatus(run, stopReason, run.id === exhaustedId);
    if (status !== run.status) statuses.set(run.id, status);
  }
  return { stopReason, statuses, exhaustedId };
}

/** Revises an objective that does not end with one run: its next suggestion decides again. */
function reviseHeld(
  { stopReason: before }: { readonly stopReason: StopReason },
  runs: readonly RevisedRun[],
  mayReopen: boolean,
  isVerdictAffected: boolean,
): RevisedStates | undefined {
  if (isVerdictAffected && !mayReopen) return undefined;
  const stopReason = mayReopen ? StopReason.running : before;
  const statuses = new Map<number, InverseStatus>();
  for (const run of runs) {
    const status = reviseStatus({ ...run, result: satisfyingNothing(run.result) }, stopReason, false);
    if (status !== run.status) statuses.set(run.id, status);
  }
  return { stopReason, statuses, exhaustedId: null };
}

/** The result of a run whose output satisfies nothing by itself. */
function satisfyingNothing(result: RevisedRun['result']): RevisedRun['result'] {
  switch (result) {
    case 'satisfied':
      return 'unsatisfied';
    case 'late':
      return 'never-run';
    default:
      return result;
  }
}

/** The run with which the attempts were used up: one that was given up says so itself, else the last one completed. */
function findExhausting(runs: readonly RevisedRun[]): number | null {
  const givenUp = runs.find(({ status, isExhausting }) => isExhausting && status === InverseStatus.stopped);
  const byOrder = runs
    .filter(({ result }) => result !== 'never-run')
    .toSorted((a, b) => (a.completedOrder ?? 0) - (b.completedOrder ?? 0));
  return givenUp?.id ?? byOrder.at(-1)?.id ?? null;
}

function reviseStopReason(
  quest: Quest,
  objective: Ended,
  isSatisfied: boolean,
  { mayReopen, isOpen }: { readonly mayReopen: boolean; readonly isOpen: boolean },
): StopReason | undefined {
  const { stopReason } = objective;
  // The next suggestion decides which run is the surest.
  const mayGoOn = stopReason === StopReason.running || mayReopen;
  if (isSatisfied && mayGoOn && goesOnAfterHit(quest, objective, isOpen)) return StopReason.running;
  if (isSatisfied) {
    return mayReopen || stopReason === StopReason.running || stopReason === StopReason.satisfied
      ? StopReason.satisfied
      : undefined;
  }
  const goingOn = areAttemptsUsed({ quest }, objective) ? StopReason.exhausted : StopReason.running;
  if (stopReason === StopReason.satisfied) return mayReopen ? goingOn : undefined;
  // It may have stopped because of the wrong result.
  const goesOn = mayReopen && stopReason === StopReason.stopped && goingOn === StopReason.running;
  return goesOn ? StopReason.running : stopReason;
}

/** Whether the search goes on although all that is sought is found. */
function goesOnAfterHit(quest: Quest, objective: Ended, isOpen: boolean): boolean {
  const areUsed = areAttemptsUsed({ quest }, objective) && !isOpen;
  const event = quest.eventOf({ before: quest.sought - 1, areAttemptsUsed: areUsed, isLast: areUsed });
  return TRANSITIONS[event].stopReason === StopReason.running;
}

function reviseStatus({ status, result }: RevisedRun, stopReason: StopReason, isExhausting: boolean): InverseStatus {
  switch (result) {
    case 'open':
      return isFinal(stopReason) ? InverseStatus.stopped : status;
    case 'satisfied':
      return InverseStatus.converged;
    case 'unsatisfied':
      return isExhausting ? InverseStatus.maxIterations : InverseStatus.active;
    case 'failed':
      return InverseStatus.failed;
    case 'late':
    case 'never-run':
      return status;
  }
}
