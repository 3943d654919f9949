/**
 * The verdicts of objectives whose runs were corrected, formed anew from their inverses as they are now: the states, the optimal
 * inverse, and the event that follows.
 */

import type { Trx } from '../../db/connection/transaction.ts';
import { findProject } from '../../db/data/projects.ts';
import { listInverses, storeRevisedStates } from '../../db/search/inverses.ts';
import { findObjective, type ObjectiveWithParents, updateObjective } from '../../db/search/objectives.ts';
import { listOpenInverses } from '../../db/search/open-inverses.ts';
import { dropJob } from '../../db/search/suggestion-jobs.ts';
import { type Evaluation, evaluateOutput } from '../../domain/acceptance.ts';
import type { RunResult } from '../../domain/correction.ts';
import { DomainError } from '../../domain/errors.ts';
import { type NewEvent, revisionEvent } from '../../domain/event.ts';
import { awaitsOutput, type Inverse, InverseStatus, isBeingComputed, isRepeat } from '../../domain/inverse.ts';
import { type ObjectiveDefinition, outputsWithoutTarget } from '../../domain/objective.ts';
import { isAdmissible } from '../../domain/objective-limits.ts';
import type { Page } from '../../domain/page.ts';
import type { Project } from '../../domain/project.ts';
import { aimsOn } from '../../domain/robust-options.ts';
import { isBetter, isEligible } from '../../domain/search/optimum.ts';
import { solutionsAmong } from '../../domain/search/several-solutions.ts';
import { isFinal, type RevisedRun, reviseStates, StopReason } from '../../domain/search/stop-reason.ts';
import { endsWithOneRun } from '../../domain/search-options.ts';
import { areEqualVectors } from '../../domain/vectors.ts';
import type { AccountLimits } from '../accounts/account-limits.ts';
import { recordEvents } from '../webhooks/record-event.ts';
import { toOptimizerSpace } from './engine-input.ts';
import { giveUpOpen } from './give-up.ts';
import { refuseManyOpen } from './load-objectives.ts';
import { kneeOf } from './optimum.ts';

/** Whose limits hold for objectives that go on. */
interface RevisionContext {
  readonly accountId: number;
  readonly limits?: AccountLimits | undefined;
}

interface RevisedResult {
  /** Of the inverse. */
  readonly id: number;
  readonly result: RunResult;
  /** no: a change of the verdict of an objective that has ended is refused. verdict: it is made. yes: a stopped one goes on, too. */
  readonly reopening: 'no' | 'verdict' | 'yes';
}

/**
 * Stores the states and the optimal inverse that follow from the inverses as they are now, with the event if there is one. The
 * caller holds the lock of the objective. Throws REOPENING_NEEDED, LIMIT_REACHED.
 */
export async function reviseObjective(
  trx: Trx,
  { accountId, limits }: RevisionContext,
  objective: ObjectiveWithParents,
  revised: RevisedResult,
): Promise<void> {
  const { runs, optimalInverseId, isVerdictAffected } = await reviewInverses(trx, accountId, objective, revised);
  const revise = (mayReopen: boolean) => reviseStates(objective, runs, mayReopen, isVerdictAffected);
  const states =
    revised.reopening === 'yes'
      ? revise(true)
      : (revise(false) ?? (revised.reopening === 'no' ? undefined : revise(true)));
  if (states === undefined) throw reopeningNeeded(objective, revised.id);
  const { stopReason } = states;
  const event = revisionEvent(objective.stopReason, stopReason);
  if (event === 'objective.reopened') await refuseManyOpen(trx, accountId, limits?.openObjectives ?? 0);
  const givenUp = await giveUpEnded(trx, objective, runs, stopReason);
  await storeRevisedStates(trx, objective.id, states);
  // What holds was decided by all runs at the input, and not by the best of them.
  const isHeld = !endsWithOneRun(objective.options) && stopReason === StopReason.satisfied;
  await updateObjective(trx, objective.id, { stopReason, ...(!isHeld && { optimalInverseId }) });
  const ended = event === undefined ? [] : [{ name: event, resourceId: objective.id }];
  await recordEvents(trx, accountId, [...givenUp, ...ended]);
}

/** What is open when the objective ends. Where one inverse may be open, no event reports what happens to it. */
async function giveUpEnded(
  trx: Trx,
  objective: ObjectiveWithParents,
  runs: readonly RevisedRun[],
  stopReason: StopReason,
): Promise<readonly NewEvent[]> {
  const open = runs.find(({ result }) => result === 'open');
  if (open === undefined || !isFinal(stopReason)) return [];
  if (objective.isParallel) return giveUpOpen(trx, objective.id, await listOpenInverses(trx, objective.id));
  await dropJob(trx, { objectiveId: objective.id, inverseId: open.id });
  return [];
}

/** Finds the optimal inverses of objectives anew whose repeats followed a correction. Their states stay. */
export async function reviseOptima(trx: Trx, accountId: number, objectiveIds: Iterable<number>): Promise<void> {
  for (const id of objectiveIds) {
    const objective = (await findObjective(trx, accountId, id))!;
    const { optimalInverseId } = await reviewInverses(trx, accountId, objective);
    await updateObjective(trx, id, { optimalInverseId });
  }
}

function reopeningNeeded(objective: ObjectiveWithParents, inverseId: number): DomainError {
  const verdict = !endsWithOneRun(objective.options)
    ? `The objective ${objective.id} is satisfied, and its verdict rests on all runs at this input`
    : objective.stopReason === StopReason.satisfied
      ? `The objective ${objective.id} is satisfied, and with this correction no run satisfies it any more`
      : `The objective ${objective.id} has ended without success, and with this correction a run satisfies it`;
  const message = `${verdict}. Nothing was stored; to change the verdict, send the correction with reopen: true.`;
  return new DomainError('REOPENING_NEEDED', message, { inverse: { objectiveId: objective.id, inverseId } });
}

/** Inverses read at a time. */
const INVERSES_PER_READ = 200;

/** Judges all inverses of an objective, with the new result of one of them if it is given. */
async function reviewInverses(
  trx: Trx,
  accountId: number,
  objective: ObjectiveWithParents,
  revised?: RevisedResult,
): Promise<{
  readonly runs: readonly RevisedRun[];
  readonly optimalInverseId: number | null;
  /** See reviseStates. */
  readonly isVerdictAffected: boolean;
}> {
  const project = (await findProject(trx, accountId, objective.projectId))!;
  const runs: RevisedRun[] = [];
  const eligible: { readonly id: number; readonly output: readonly number[] }[] = [];
  const satisfied: Inverse[] = [];
  let best: { readonly id: number; readonly evaluation: Evaluation } | null = null;
  let hasSurest = false;
  let after: number | null = null;
  let held: readonly number[] | null = null;
  let changed: readonly number[] | null = null;
  do {
    const page: Page<Inverse> = await listInverses(trx, accountId, objective.id, { limit: INVERSES_PER_READ, after });
    for (const inverse of page.items) {
      const { id, status } = inverse;
      if (id === objective.optimalInverseId) held = inverse.input;
      if (id === revised?.id) changed = inverse.input;
      const known = revised?.id === id ? revised.result : undefined;
      // A run outside the limits, such as the initial point may be, is data and no solution.
      const mayEnd = inverse.input !== null && isAdmissible(project, objective, inverse.input);
      const evaluation = mayEnd ? judgeCounted(objective, inverse, known) : null;
      runs.push({ id, status, result: toResult(inverse, known, evaluation) });
      if (evaluation?.isSatisfied) satisfied.push(inverse);
      if (evaluation !== null && isEligible(evaluation)) {
        eligible.push({ id, output: evaluation.results.map((result) => result.output) });
      }
      // The surest of those that satisfy everything was chosen by the models and stays.
      const isSurest = aimsOn(objective) && id === objective.optimalInverseId && evaluation?.isSatisfied === true;
      const isBest =
        isSurest ||
        (evaluation !== null && isEligible(evaluation) && (best === null || isBetter(evaluation, best.evaluation)));
      if (isBest && !hasSurest) best = { id, evaluation: evaluation! };
      if (isSurest) hasSurest = true;
    }
    after = page.nextAfter;
  } while (after !== null);
  const isVerdictAffected =
    !endsWithOneRun(objective.options) &&
    objective.stopReason === StopReason.satisfied &&
    held !== null &&
    changed !== null &&
    areEqualVectors(held, changed);
  const near = nearSolutions(project, objective, satisfied);
  return {
    runs: runs.map((run) => (near.has(run.id) ? { ...run, result: asNear(run.result) } : run)),
    optimalInverseId: outputsWithoutTarget(objective).length > 0 ? kneeOf(objective, eligible) : (best?.id ?? null),
    isVerdictAffected,
  };
}

/** Ids of the inverses that satisfy everything too near to a solution completed before them. */
function nearSolutions(
  project: Project,
  objective: ObjectiveWithParents,
  satisfied: readonly Inverse[],
): ReadonlySet<number> {
  const option = objective.options?.solutions;
  if (!option) return new Set();
  const { variables } = toOptimizerSpace(project, objective);
  const runs = satisfied
    .toSorted((a, b) => (a.completedOrder ?? 0) - (b.completedOrder ?? 0))
    .map(({ id, input }) => ({ id, input: input! }));
  const solutions = new Set(solutionsAmong(variables, option, runs));
  return new Set(runs.flatMap((run) => (solutions.has(run) ? [] : [run.id])));
}

function asNear(result: RevisedRun['result']): RevisedRun['result'] {
  return result === 'satisfied' ? 'unsatisfied' : result === 'late' ? 'never-run' : result;
}

/** null: without an output, or excluded. */
function judgeCounted(
  definition: ObjectiveDefinition,
  { output, excludedAt }: Inverse,
  known: RunResult | undefined,
): Evaluation | null {
  const counted = known ?? { output, isExcluded: excludedAt !== null };
  return counted.output === null || counted.isExcluded ? null : evaluateOutput(definition, counted.output);
}

function toResult(inverse: Inverse, known: RunResult | undefined, evaluation: Evaluation | null): RevisedRun['result'] {
  if (known === undefined) {
    if (isBeingComputed(inverse) || awaitsOutput(inverse)) return 'open';
    if (inverse.status === InverseStatus.stopped && inverse.output !== null && !isRepeat(inverse)) {
      return evaluation?.isSatisfied ? 'late' : 'never-run';
    }
    const isRun = inverse.status !== InverseStatus.stopped && inverse.input !== null;
    if (!isRun) return 'never-run';
  }
  const { output } = known ?? inverse;
  if (output === null) return 'failed';
  return evaluation?.isSatisfied ? 'satisfied' : 'unsatisfied';
}
