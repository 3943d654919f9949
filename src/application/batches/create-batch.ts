/**
 * Creating a batch, and adding objectives to one. Definitions are checked here as far as the project and the trial decide; what
 * only the results of the cases decide is checked when the time of an objective has come.
 */
import { randomBytes } from 'node:crypto';
import { beginCases } from '../../db/batches/batch-evaluations.ts';
import * as objectivesOf from '../../db/batches/batch-objectives.ts';
import { readBatchState } from '../../db/batches/batch-state.ts';
import * as batches from '../../db/batches/batches.ts';
import { type Db, inTransaction } from '../../db/connection/transaction.ts';
import { findOutputCaseSet } from '../../db/data/output-case-sets.ts';
import { findTrial } from '../../db/data/trials.ts';
import { findWorkbook, holdWorkbook } from '../../db/workbooks/workbooks.ts';
import type { StorageUsage } from '../../domain/accounts/storage.ts';
import {
  type Batch,
  BatchStatus,
  type BatchWithProgress,
  batchEnded,
  type Evaluator,
  isOpen,
  MAXIMUM_OBJECTIVES_IN_ALL,
  MAXIMUM_OPEN_BATCHES,
  type NewBatch,
} from '../../domain/batches/batch.ts';
import { type CaseLimits, checkCaseLimits, NO_CASE_LIMITS } from '../../domain/data/case-limits.ts';
import { DomainError, makeViolation, refuseViolations, type Violation, within } from '../../domain/errors.ts';
import { refField, refTerm } from '../../domain/messages.ts';
import { atNames, isByName } from '../../domain/problem/names.ts';
import type { Project } from '../../domain/problem/project.ts';
import { checkNewObjective, type NewObjective } from '../../domain/search/objective.ts';
import { resolveObjective } from '../../domain/search/objective-by-name.ts';
import { readObjectiveLimits } from '../../domain/search/objective-limits.ts';
import { cellsByName, checkCellsOfBatch, violationsOf } from '../../domain/workbooks/workbook.ts';
import type { JudgeUrl } from '../../outside/webhooks/target-guard.ts';
import { type AccountLimits, refuseOverQuota, takeWithin } from '../accounts/account-limits.ts';
import { formatSecret, SECRET_BYTES } from '../accounts/secrets.ts';
import { lockTrialAt, refuseClosedTrial } from '../data/manage-trials.ts';
import type { ProjectPath } from '../paths.ts';
import type { DesignEngine } from '../problem/designs.ts';
import { getProject, lockProjectAt } from '../problem/manage-projects.ts';
import { refuseEmptyRegion } from '../search/load-objectives.ts';
import { readUrl } from '../webhooks/manage-webhooks.ts';
import { type AllowedSheets, checkWorkbook, refuseWithoutSheets } from '../workbooks/keep-workbooks.ts';
import { lockBatch } from './manage-batches.ts';
import { getBatch } from './read-batches.ts';

export interface CheckDeps {
  readonly db: Db;
  readonly engine: DesignEngine;
  /** Returns the fault of an evaluator's URL, if there is one. */
  readonly judgeUrl: JudgeUrl;
  /** Calculates workbooks, if the service may. */
  readonly sheets?: AllowedSheets;
}

/** A batch that may be stored. */
export interface CheckedBatch extends NewBatch {
  readonly outputCount: number;
}

/**
 * Everything that can be known before a batch is stored. Throws NOT_FOUND, TRIAL_CLOSED, VALIDATION_FAILED. Runs the engine, so
 * outside any transaction.
 */
export async function checkBatch(
  { db, engine, judgeUrl, sheets }: CheckDeps,
  accountId: number,
  path: ProjectPath,
  request: NewBatch,
  limits: CaseLimits = NO_CASE_LIMITS,
): Promise<CheckedBatch> {
  const project = await getProject(db, accountId, path);
  const { trialId, objectives } = request;
  const stated = trialId === null ? project.outputCount : await readOutputCount(db, accountId, project, trialId);
  const outputCount = stated ?? countOutputs(objectives[0]!);
  if (trialId === null) refuseTooManyOutputs(project, outputCount, limits);
  const evaluator = await checkEvaluator(request.evaluator, { db, judgeUrl, sheets, accountId, project, outputCount });
  await checkDefinitions(engine, project, outputCount, objectives);
  return { ...request, evaluator, outputCount };
}

interface EvaluatorCheck extends Pick<CheckDeps, 'db' | 'judgeUrl' | 'sheets'> {
  readonly accountId: number;
  readonly project: Project;
  readonly outputCount: number;
}

/** Throws VALIDATION_FAILED, WORKBOOKS_NOT_ALLOWED, WORKBOOKS_UNAVAILABLE. */
async function checkEvaluator(evaluator: Evaluator, check: EvaluatorCheck): Promise<Evaluator> {
  if (evaluator.kind === 'pull') return evaluator;
  if (evaluator.kind === 'http') {
    return { ...evaluator, url: readUrl(check.judgeUrl, evaluator.url, ['evaluator', 'url']) };
  }
  const { db, sheets, accountId, project, outputCount } = check;
  refuseWithoutSheets(sheets);
  refuseViolations(checkCellsOfBatch(evaluator, project, outputCount));
  const cells = cellsByName(evaluator, project);
  const { workbookId } = evaluator;
  if ((await findWorkbook(db, accountId, workbookId)) === undefined) refuseViolations([noWorkbook(workbookId)]);
  const { faults } = await checkWorkbook(db, sheets, accountId, workbookId, cells);
  refuseViolations(violationsOf(faults, cells));
  return evaluator;
}

function noWorkbook(id: number): Violation {
  return makeViolation(['evaluator', 'workbookId'], `the account has no workbook ${id}.`);
}

/** Refuses designs whose outputs could not be loaded at the end, after days of evaluations. */
function refuseTooManyOutputs({ caseCount }: Project, outputCount: number, limits: CaseLimits): void {
  const [refused] = checkCaseLimits('outputCases', caseCount, outputCount, limits);
  if (refused === undefined) return;
  const message = `${refTerm('cannot be so many:', 'is required, because')} the designed cases could not be loaded once they are evaluated: ${refTerm('their outputs', 'outputCases')} ${refused.message}`;
  refuseViolations([makeViolation(['trialId'], message)]);
}

async function readOutputCount(db: Db, accountId: number, project: Project, trialId: number): Promise<number> {
  const trial = await findTrial(db, accountId, trialId);
  if (trial === undefined || trial.projectId !== project.id || trial.disabledAt !== null) {
    const message = `must be the id of a trial of project ${project.id}, is ${trialId}; leave it out to evaluate the designed cases first.`;
    refuseViolations([makeViolation(['trialId'], message)]);
  }
  refuseClosedTrial(trialId, trial!.status);
  return (await findOutputCaseSet(db, accountId, trial!.outputCaseSetId))!.outputCount;
}

/** The output count of the first definition, for projects without one. */
function countOutputs({ objectives, byName }: NewObjective): number {
  const sent = byName?.objectives;
  return isByName(sent) ? Object.keys(sent).length : objectives.length;
}

/** Different limits on the inputs that the engine looks at before a batch is stored; more are looked at when their time has come. */
const REGIONS_CHECKED = 20;

/** Throws VALIDATION_FAILED. */
async function checkDefinitions(
  engine: DesignEngine,
  project: Project,
  outputCount: number,
  definitions: readonly NewObjective[],
): Promise<void> {
  const violations = definitions.flatMap((definition, i) =>
    within(['objectives', i], checkDefinition(project, outputCount, definition)),
  );
  refuseViolations(violations);
  const seen = new Set<string>();
  for (const [i, definition] of definitions.entries()) {
    const { fixedInputs = null, constraints = null, byName } = definition;
    if ((fixedInputs === null && constraints === null) || seen.size >= REGIONS_CHECKED) continue;
    const key = JSON.stringify([fixedInputs, constraints, byName?.fixedInputs]);
    if (seen.has(key)) continue;
    seen.add(key);
    try {
      await refuseEmptyRegion(project, definition, engine);
    } catch (error) {
      if (!(error instanceof DomainError) || error.facts.violations === undefined) throw error;
      refuseViolations(within(['objectives', i], error.facts.violations));
    }
  }
}

/** Violations of one definition. */
function checkDefinition(project: Project, outputCount: number, sent: NewObjective): readonly Violation[] {
  const { objective, named, violations } = resolveObjective(sent, project, outputCount);
  const { violations: wrongLimits } = readObjectiveLimits(project, objective);
  const wrong = violations.length > 0 ? [] : checkNewObjective(objective, { outputCount, space: project });
  const mayNot =
    sent.continues == null
      ? []
      : [
          makeViolation(
            ['continues'],
            `is not possible ${refTerm('here', 'in a batch')}: ${refTerm('the searches of a problem', 'its objectives')} know each other unless ${refField('reuse')} is ${refTerm('false')}.`,
          ),
        ];
  return [...violations, ...atNames([...wrong, ...wrongLimits], named), ...mayNot];
}

export interface CreatedBatch {
  readonly batch: BatchWithProgress;
  /** Secret of an http evaluator: shown here and never again. */
  readonly secret: string | null;
}

/** Minimum storage of one batch objective. */
const OBJECTIVE_USAGE: StorageUsage = { bytes: 256, rows: 1 };

/**
 * One transaction. Without a trial the evaluations of the designed cases begin immediately. Throws NOT_FOUND, TRIAL_CLOSED,
 * LIMIT_REACHED, QUOTA_EXCEEDED.
 */
export async function createBatch(
  db: Db,
  accountId: number,
  path: ProjectPath,
  { outputCount, objectives, ...request }: CheckedBatch,
  limits?: AccountLimits,
): Promise<CreatedBatch> {
  const secret = request.evaluator.kind === 'http' ? randomBytes(SECRET_BYTES) : null;
  return inTransaction(db, async (trx) => {
    const project = await lockProjectAt(trx, accountId, path);
    const { trialId } = request;
    if (trialId !== null) {
      const trial = await lockTrialAt(trx, accountId, { trialId });
      refuseClosedTrial(trial.id, trial.status);
    }
    const isBelow = async (limit: number) => !(await batches.hasOpenBatches(trx, accountId, limit));
    if (!(await takeWithin(trx, accountId, MAXIMUM_OPEN_BATCHES, isBelow))) {
      const message = `The account already has ${MAXIMUM_OPEN_BATCHES} batches that have not ended; cancel one first.`;
      throw new DomainError('LIMIT_REACHED', message);
    }
    const evaluatedCases = trialId === null ? project.caseCount : 0;
    await refuseOverQuota(trx, accountId, limits, usageOf(objectives.length + evaluatedCases));
    const { evaluator } = request;
    if (evaluator.kind === 'workbook' && !(await holdWorkbook(trx, accountId, evaluator.workbookId))) {
      refuseViolations([noWorkbook(evaluator.workbookId)]);
    }
    const batchId = await batches.insertBatch(trx, accountId, {
      ...request,
      modelId: project.modelId,
      projectId: project.id,
      status: trialId === null ? BatchStatus.evaluatingCases : BatchStatus.solving,
      outputCount,
      evaluatorSecret: secret,
    });
    await objectivesOf.insertBatchObjectives(trx, accountId, batchId, 0, objectives);
    const { room = 0 } = (await readBatchState(trx, batchId)) ?? {};
    const count = Math.min(evaluatedCases, room);
    if (count > 0) await beginCases(trx, { id: batchId, projectId: project.id }, 0, count);
    const batch = (await batches.findBatch(trx, accountId, batchId))!;
    return { batch, secret: secret && formatSecret(secret) };
  });
}

function usageOf(count: number): StorageUsage {
  return { bytes: count * OBJECTIVE_USAGE.bytes, rows: count * OBJECTIVE_USAGE.rows };
}

/** Throws NOT_FOUND, BATCH_ENDED, VALIDATION_FAILED. Runs the engine, so outside any transaction. */
export async function checkAddedObjectives(
  { db, engine }: Pick<CheckDeps, 'db' | 'engine'>,
  accountId: number,
  batchId: number,
  objectives: readonly NewObjective[],
): Promise<void> {
  const batch = await getBatch(db, accountId, batchId);
  refuseNoMore(batch);
  const project = await getProject(db, accountId, { projectId: batch.projectId });
  await checkDefinitions(engine, project, batch.outputCount, objectives);
}

function refuseNoMore({ id, status }: Batch): void {
  if (!isOpen(status) && status !== BatchStatus.completed) throw batchEnded(id, status);
}

/**
 * One transaction. A completed batch goes on with them. Throws NOT_FOUND, BATCH_ENDED, LIMIT_REACHED, QUOTA_EXCEEDED.
 */
export async function addBatchObjectives(
  db: Db,
  accountId: number,
  batchId: number,
  objectives: readonly NewObjective[],
  limits?: AccountLimits,
): Promise<BatchWithProgress> {
  return inTransaction(db, async (trx) => {
    const batch = await lockBatch(trx, accountId, batchId);
    refuseNoMore(batch);
    const last = await objectivesOf.countBatchObjectives(trx, batchId);
    if (last + objectives.length > MAXIMUM_OBJECTIVES_IN_ALL) {
      const message = `A batch has at most ${MAXIMUM_OBJECTIVES_IN_ALL} objectives, this one has ${last}; create another batch.`;
      throw new DomainError('LIMIT_REACHED', message);
    }
    await refuseOverQuota(trx, accountId, limits, usageOf(objectives.length));
    await objectivesOf.insertBatchObjectives(trx, accountId, batchId, last, objectives);
    const goesOn = batch.status === BatchStatus.completed ? { status: BatchStatus.solving } : {};
    await batches.updateBatch(trx, batchId, goesOn);
    return (await batches.findBatch(trx, accountId, batchId))!;
  });
}
