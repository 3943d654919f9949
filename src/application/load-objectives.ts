/**
 * Loading objectives stores the definition, and its initial point as iteration 1, already completed. Initialize-inverse does
 * the same, but while an objective with that definition is running it returns that objective. Events: objectives.loaded, and
 * objective.satisfied when the initial point satisfies everything.
 */
import { insertInverse, listAllInverses } from '../db/inverses.ts';
import {
  findRunningTwin,
  hasOpenObjectives,
  insertObjective,
  type NewObjectiveRow,
  updateObjective,
} from '../db/objectives.ts';
import { findOutputCaseSet } from '../db/output-case-sets.ts';
import { findProject } from '../db/projects.ts';
import { type Db, inTransaction, type Trx } from '../db/transaction.ts';
import { evaluateOutput } from '../domain/acceptance.ts';
import { DomainError, refuseViolations } from '../domain/errors.ts';
import { InverseStatus } from '../domain/inverse.ts';
import { atNames } from '../domain/names.ts';
import { checkNewObjective, type NewObjective, type ObjectiveWithInverses } from '../domain/objective.ts';
import { resolveObjective } from '../domain/objective-by-name.ts';
import { isEligible } from '../domain/optimum.ts';
import { seedOf } from '../domain/seed.ts';
import { nextState, StopReason } from '../domain/stop-reason.ts';
import type { OutputCaseSet, Trial } from '../domain/trial.ts';
import { type AccountLimits, refuseOverQuota, takeWithin } from './account-limits.ts';
import { findNearestCase } from './judge-runs.ts';
import { lockTrialAt, refuseClosedTrial } from './manage-trials.ts';
import type { TrialPath } from './paths.ts';
import { recordEvents } from './record-event.ts';
import { type InverseView, viewOf } from './views.ts';

/**
 * One transaction. Without limits the account may have anything. Throws NOT_FOUND, TRIAL_CLOSED, VALIDATION_FAILED,
 * LIMIT_REACHED, QUOTA_EXCEEDED.
 */
export async function loadObjectives(
  db: Db,
  accountId: number,
  path: TrialPath,
  request: NewObjective,
  limits?: AccountLimits,
): Promise<ObjectiveWithInverses> {
  return inTransaction(db, async (trx) => {
    const trial = await lockTrialAt(trx, accountId, path);
    const { row, set } = await toCheckedRow(trx, accountId, trial, request);
    await refuseBeyondLimits(trx, accountId, limits);
    return store(trx, accountId, row, set);
  });
}

/**
 * One transaction. With the definition of a running objective it returns iteration 1 of that one, whatever the limits. Throws
 * what loadObjectives throws.
 */
export async function initializeInverse(
  db: Db,
  accountId: number,
  trialId: number,
  request: NewObjective,
  limits?: AccountLimits,
): Promise<InverseView> {
  return inTransaction(db, async (trx) => {
    const trial = await lockTrialAt(trx, accountId, { trialId });
    const { row, set } = await toCheckedRow(trx, accountId, trial, request);
    const twin = await findRunningTwin(trx, accountId, trialId, row);
    if (twin === undefined) await refuseBeyondLimits(trx, accountId, limits);
    const objective = twin ?? (await store(trx, accountId, row, set));
    const inverses = await listAllInverses(trx, accountId, [objective.id]);
    return viewOf(objective, inverses[0]!);
  });
}

async function refuseBeyondLimits(trx: Trx, accountId: number, limits: AccountLimits | undefined): Promise<void> {
  await refuseManyOpen(trx, accountId, limits?.openObjectives ?? 0);
  await refuseOverQuota(trx, accountId, limits);
}

async function refuseManyOpen(trx: Trx, accountId: number, maximumOpen: number): Promise<void> {
  const isBelow = async (limit: number) => limit === 0 || !(await hasOpenObjectives(trx, accountId, limit));
  if (await takeWithin(trx, accountId, maximumOpen, isBelow)) return;
  const message = `This account already has ${maximumOpen} running objectives, which is its limit; stop or delete one first.`;
  throw new DomainError('LIMIT_REACHED', message);
}

async function toCheckedRow(
  trx: Trx,
  accountId: number,
  trial: Trial,
  sent: NewObjective,
): Promise<{ readonly row: NewObjectiveRow; readonly set: OutputCaseSet }> {
  refuseClosedTrial(trial.id, trial.status);
  const project = (await findProject(trx, accountId, trial.projectId))!;
  const set = (await findOutputCaseSet(trx, accountId, trial.outputCaseSetId))!;
  const { objective: request, named, violations } = resolveObjective(sent, project, set.outputCount);
  refuseViolations(violations);
  refuseViolations(atNames(checkNewObjective(request, { outputCount: set.outputCount, space: project }), named));
  const row = {
    ...request,
    modelId: trial.modelId,
    projectId: trial.projectId,
    trialId: trial.id,
    stopReason: StopReason.running,
    seed: seedOf([
      request.objectives,
      request.objectiveTypes,
      request.minimumBounds,
      request.maximumBounds,
      project.seed,
    ]),
  };
  return { row, set };
}

async function store(
  trx: Trx,
  accountId: number,
  row: NewObjectiveRow,
  set: OutputCaseSet,
): Promise<ObjectiveWithInverses> {
  const evaluation = evaluateOutput(row, row.initialOutput);
  const { isSatisfied } = evaluation;
  const state = isSatisfied ? nextState(StopReason.running, 'output-satisfied')! : undefined;
  const nearestCase = await findNearestCase(trx, accountId, row, { projectId: row.projectId, set });
  const nearest = { ...nearestCase, nearestIteration: 1, judgedThrough: 1 };
  const objectiveId = await insertObjective(trx, accountId, { ...row, ...nearest });
  const inverseId = await insertInverse(trx, accountId, {
    objectiveId,
    iteration: 1,
    status: state?.inverseStatus ?? InverseStatus.active,
    input: row.initialInput,
    output: row.initialOutput,
    isLoaded: true,
    isSatisfied,
  });
  const objective = await updateObjective(trx, objectiveId, {
    stopReason: state?.stopReason ?? StopReason.running,
    optimalInverseId: isEligible(evaluation) ? inverseId : null,
  });
  await recordEvents(trx, accountId, [{ name: 'objectives.loaded', resourceId: objectiveId }], objective);
  return { ...objective, inverses: await listAllInverses(trx, accountId, [objectiveId]) };
}
