/**
 * Corrects what was run: the result of an inverse, or that of a case. One transaction locks the trial, then the objective, logs
 * the correction and gives the data of the trial its next revision. The verdicts of the objective are then formed anew from its
 * inverses as they are now. A correction that changes nothing is not logged. Events: objective.reopened when an objective that had
 * ended goes on, and the end that a correction leads to.
 */
import { countAddedCases, readCorrectedCases } from '../db/added-cases.ts';
import { findKey } from '../db/api-keys.ts';
import { correctRepeats, hasCorrections, insertCorrection, listCorrections, wasCorrected } from '../db/corrections.ts';
import { findInverse, listInverses, storeResult, storeRevisedStates } from '../db/inverses.ts';
import { findObjective, lockObjective, type ObjectiveWithParents, updateObjective } from '../db/objectives.ts';
import { findOutputCaseSet } from '../db/output-case-sets.ts';
import { findProject } from '../db/projects.ts';
import { dropJob } from '../db/suggestion-jobs.ts';
import { type Db, inTransaction, type Trx } from '../db/transaction.ts';
import { raiseRevision } from '../db/trials.ts';
import { type Evaluation, evaluateOutput } from '../domain/acceptance.ts';
import {
  areEqualResults,
  type Correction,
  changeResult,
  correctionSize,
  MAXIMUM_CORRECTIONS,
  type NewCorrection,
  type ResultChange,
  type RunResult,
  resultOf,
} from '../domain/correction.ts';
import { DomainError, makeViolation, refuseViolations } from '../domain/errors.ts';
import { revisionEvent } from '../domain/event.ts';
import { awaitsOutput, type Inverse, InverseStatus, isBeingComputed, isRepeat } from '../domain/inverse.ts';
import type { ObjectiveDefinition } from '../domain/objective.ts';
import { isAdmissible } from '../domain/objective-limits.ts';
import { isBetter, isEligible } from '../domain/optimum.ts';
import type { Page, PageRequest } from '../domain/page.ts';
import { isFinal, type RevisedRun, reviseStates, StopReason } from '../domain/stop-reason.ts';
import type { Trial } from '../domain/trial.ts';
import { checkLength } from '../domain/vectors.ts';
import { type AccountLimits, refuseOverQuota } from './account-limits.ts';
import { judgeUnlessLocked } from './judge-runs.ts';
import { refuseManyOpen } from './load-objectives.ts';
import { getTrial, lockTrialAt } from './manage-trials.ts';
import { inOrder } from './output-by-name.ts';
import { type InversePath, isUnder, missingInPath, parentsOf, type TrialPath } from './paths.ts';
import { readStoredCases } from './read-trial-cases.ts';
import { recordEvents } from './record-event.ts';
import { type InverseView, viewOf } from './views.ts';

/** Who corrects, and what the account may have. */
export interface CorrectionContext {
  readonly accountId: number;
  /** Of the API key. */
  readonly keyId: string;
  /** None unless given. */
  readonly limits?: AccountLimits | undefined;
}

export interface CorrectedInverse extends InverseView {
  /** null: nothing was changed. */
  readonly correction: Correction | null;
}

/**
 * Corrects the result of an inverse, whatever the state of its objective. A correction that changes the verdict of an objective
 * that has ended needs `mayReopen`; that also brings a stopped objective back that the wrong result may have stopped.
 *
 * Throws NOT_FOUND, VALIDATION_FAILED, NOTHING_TO_CORRECT, REOPENING_NEEDED, LIMIT_REACHED, QUOTA_EXCEEDED.
 */
export async function correctInverse(
  db: Db | Trx,
  context: CorrectionContext,
  path: InversePath,
  sent: NewCorrection & { readonly mayReopen: boolean },
): Promise<CorrectedInverse> {
  const { accountId } = context;
  const corrected = await inTransaction(db, async (trx) => {
    const { trial, objective, inverse } = await lockInverseAt(trx, accountId, path);
    const change = readChange(sent, objective.objectives.length, objective.labels?.outputNames ?? null);
    refuseFailedStart(change, inverse);
    const before = resultOf(inverse);
    const after = changeResult(before, change);
    const isChanged = !areEqualResults(before, after);
    const mayReopen = sent.mayReopen && (isChanged || (await wasCorrected(trx, inverse.id)));
    if (!isChanged && !mayReopen) return { correction: null, view: viewOf(objective, inverse) };
    const target = {
      kind: 'inverse',
      objectiveId: objective.id,
      inverseId: inverse.id,
      iteration: inverse.iteration,
    } as const;
    const run = { input: inverse.input!, before, after };
    const correction = isChanged ? await log(trx, context, trial.id, { sent, target, ...run }) : null;
    const repeating = isChanged ? await correctRepeats(trx, accountId, trial.id, run) : [];
    await storeResult(trx, inverse.id, after);
    await reviseObjective(trx, context, objective, { id: inverse.id, result: after, mayReopen });
    if (inverse.iteration === 1 && after.output !== null) {
      await updateObjective(trx, objective.id, { initialOutput: after.output });
    }
    await reviseOptima(
      trx,
      accountId,
      repeating.filter((id) => id !== objective.id),
    );
    const now = (await findObjective(trx, accountId, objective.id))!;
    return { correction, view: viewOf(now, (await findInverse(trx, accountId, inverse.id))!) };
  });
  if (corrected.correction !== null) await judgeUnlessLocked(db, accountId, corrected.view.objective.trialId);
  return { correction: corrected.correction, ...corrected.view };
}

export interface CorrectedCase {
  /** null: nothing was changed. */
  readonly correction: Correction | null;
  readonly number: number;
  readonly input: readonly number[];
  readonly result: RunResult;
}

/**
 * Corrects the result of a case, by its number from 1. The set of output cases stays as it is: the log says what counts. No
 * objective changes its state: what a case shows is known before an objective begins, and never its verdict.
 *
 * Throws NOT_FOUND, VALIDATION_FAILED, LIMIT_REACHED, QUOTA_EXCEEDED.
 */
export async function correctCase(
  db: Db | Trx,
  context: CorrectionContext,
  path: TrialPath & { readonly number: number },
  sent: NewCorrection,
): Promise<CorrectedCase> {
  const { accountId } = context;
  const { number } = path;
  const corrected = await inTransaction(db, async (trx): Promise<CorrectedCase> => {
    const trial = await lockTrialAt(trx, accountId, path);
    const { input, result: before, change } = await getCase(trx, accountId, trial, number, sent);
    const after = changeResult(before, change);
    if (areEqualResults(before, after)) return { correction: null, number, input, result: before };
    const target = { kind: 'case', caseNumber: number } as const;
    const correction = await log(trx, context, trial.id, { sent, target, before, after });
    await reviseOptima(trx, accountId, await correctRepeats(trx, accountId, trial.id, { input, before, after }));
    return { correction, number, input, result: after };
  });
  if (corrected.correction !== null) await judgeUnlessLocked(db, accountId, path.trialId);
  return corrected;
}

/** Oldest first. Throws NOT_FOUND. */
export async function readCorrections(
  db: Db,
  accountId: number,
  path: TrialPath,
  page: PageRequest,
): Promise<Page<Correction>> {
  await getTrial(db, accountId, path);
  return listCorrections(db, accountId, path.trialId, page);
}

/** The trial, the objective and the inverse of the path, locked in this order. */
async function lockInverseAt(
  trx: Trx,
  accountId: number,
  path: InversePath,
): Promise<{ readonly trial: Trial; readonly objective: ObjectiveWithParents; readonly inverse: Inverse }> {
  const known = await findInverse(trx, accountId, path.inverseId);
  const parent = known && (await findObjective(trx, accountId, known.objectiveId));
  if (parent === undefined || !isUnder(path, { ...parentsOf(parent), objectiveId: parent.id })) {
    throw await missingInPath(trx, accountId, path, { resource: 'inverse', id: path.inverseId });
  }
  const trial = await lockTrialAt(trx, accountId, { trialId: parent.trialId });
  const objective = await lockObjective(trx, accountId, parent.id);
  const inverse = objective?.disabledAt === null ? await findInverse(trx, accountId, path.inverseId) : undefined;
  if (objective === undefined || inverse === undefined) {
    throw await missingInPath(trx, accountId, {}, { resource: 'inverse', id: path.inverseId });
  }
  return { trial, objective, inverse };
}

/** The change with its output in the order of the outputs. Throws VALIDATION_FAILED for one of another length or with other names. */
function readChange({ change }: NewCorrection, outputCount: number, names: readonly string[] | null): ResultChange {
  if (change.kind !== 'output') return change;
  const ordered = inOrder(change, outputCount, names);
  refuseViolations(checkLength(['output'], ordered.output, outputCount, 'output'));
  return ordered;
}

function refuseFailedStart(change: ResultChange, { iteration }: Inverse): void {
  if (change.kind !== 'failed' || iteration !== 1) return;
  const message =
    'must be left out for iteration 1: the initial point needs an output. Exclude it instead (excluded: true).';
  refuseViolations([makeViolation(['failed'], message)]);
}

/** The case of that number as it counts now, and the change to it. */
async function getCase(
  trx: Trx,
  accountId: number,
  trial: Trial,
  number: number,
  sent: NewCorrection,
): Promise<{ readonly input: readonly number[]; readonly result: RunResult; readonly change: ResultChange }> {
  const set = (await findOutputCaseSet(trx, accountId, trial.outputCaseSetId))!;
  const { names } = (await findProject(trx, accountId, trial.projectId))!;
  const change = readChange(sent, set.outputCount, names.outputNames);
  const total = set.caseCount + (number <= set.caseCount ? 0 : await countAddedCases(trx, accountId, trial.id));
  if (number > total) throw missingCase(trial.id, number, total);
  const [corrected] = await readCorrectedCases(trx, accountId, trial.id, number, 1);
  const [stored] = await readStoredCases(trx, accountId, { trial, set }, number, 1);
  const { inputs, outputs, failed } = stored!;
  const loaded = { output: failed.length > 0 ? null : outputs.row(0), failureReason: null, isExcluded: false };
  return { input: inputs.row(0), result: corrected?.result ?? loaded, change };
}

function missingCase(trialId: number, number: number, total: number): DomainError {
  const what = total === 1 ? 'it has one case, number 1' : `it has ${total} cases, numbered from 1 to ${total}`;
  return new DomainError('NOT_FOUND', `There is no case ${number} in the trial ${trialId}: ${what}.`);
}

type LoggedCorrection = Pick<Correction, 'target' | 'before' | 'after'> & { readonly sent: NewCorrection };

/** Logs a correction under the next revision of the trial's data, whose objectives are locked from then on. */
async function log(
  trx: Trx,
  { accountId, keyId, limits }: CorrectionContext,
  trialId: number,
  { sent, target, before, after }: LoggedCorrection,
): Promise<Correction> {
  if (await hasCorrections(trx, trialId, MAXIMUM_CORRECTIONS)) {
    const message = `The trial ${trialId} has ${MAXIMUM_CORRECTIONS} corrections, the most that a trial may have; start another trial on the right data.`;
    throw new DomainError('LIMIT_REACHED', message);
  }
  await refuseOverQuota(trx, accountId, limits, correctionSize({ before, after, reason: sent.reason }));
  const revision = await raiseRevision(trx, accountId, trialId);
  const correctedBy = (await findKey(trx, keyId))?.label ?? keyId;
  return insertCorrection(trx, accountId, trialId, {
    revision,
    target,
    before,
    after,
    reason: sent.reason,
    correctedBy,
  });
}

interface RevisedResult {
  /** Of the inverse. */
  readonly id: number;
  readonly result: RunResult;
  readonly mayReopen: boolean;
}

/** Stores the states and the optimal inverse that follow from the inverses as they are now, with the event if there is one. */
async function reviseObjective(
  trx: Trx,
  { accountId, limits }: CorrectionContext,
  objective: ObjectiveWithParents,
  revised: RevisedResult,
): Promise<void> {
  const { runs, optimalInverseId } = await reviewInverses(trx, accountId, objective, revised);
  const states = reviseStates(objective, runs, revised.mayReopen);
  if (states === undefined) throw reopeningNeeded(objective, revised.id);
  const { stopReason } = states;
  const event = revisionEvent(objective.stopReason, stopReason);
  if (event === 'objective.reopened') await refuseManyOpen(trx, accountId, limits?.openObjectives ?? 0);
  await storeRevisedStates(trx, objective.id, states);
  const open = runs.find(({ result }) => result === 'open');
  if (open !== undefined && isFinal(stopReason)) await dropJob(trx, { objectiveId: objective.id, inverseId: open.id });
  await updateObjective(trx, objective.id, { stopReason, optimalInverseId });
  await recordEvents(trx, accountId, event === undefined ? [] : [{ name: event, resourceId: objective.id }]);
}

/** Finds the optimal inverses of objectives anew whose repeats followed a correction. Their states stay. */
async function reviseOptima(trx: Trx, accountId: number, objectiveIds: Iterable<number>): Promise<void> {
  for (const id of objectiveIds) {
    const objective = (await findObjective(trx, accountId, id))!;
    const { optimalInverseId } = await reviewInverses(trx, accountId, objective);
    await updateObjective(trx, id, { optimalInverseId });
  }
}

function reopeningNeeded(objective: ObjectiveWithParents, inverseId: number): DomainError {
  const verdict =
    objective.stopReason === StopReason.satisfied
      ? `The objective ${objective.id} is satisfied, and with this correction no inverse satisfies it any more`
      : `The objective ${objective.id} has ended without success, and with this correction an inverse satisfies it`;
  const message = `${verdict}. Send the correction with reopen: true to change its verdict; nothing was stored.`;
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
): Promise<{ readonly runs: readonly RevisedRun[]; readonly optimalInverseId: number | null }> {
  const project = (await findProject(trx, accountId, objective.projectId))!;
  const runs: RevisedRun[] = [];
  let best: { readonly id: number; readonly evaluation: Evaluation } | null = null;
  let after: number | null = null;
  do {
    const page: Page<Inverse> = await listInverses(trx, accountId, objective.id, { limit: INVERSES_PER_READ, after });
    for (const inverse of page.items) {
      const { id, status } = inverse;
      const known = revised?.id === id ? revised.result : undefined;
      // A run outside the limits, such as the initial point may be, is data and no solution.
      const mayEnd = inverse.input !== null && isAdmissible(project, objective, inverse.input);
      const evaluation = mayEnd ? judgeCounted(objective, inverse, known) : null;
      runs.push({ id, status, result: toResult(inverse, known, evaluation) });
      const isBest =
        evaluation !== null && isEligible(evaluation) && (best === null || isBetter(evaluation, best.evaluation));
      if (isBest) best = { id, evaluation };
    }
    after = page.nextAfter;
  } while (after !== null);
  return { runs, optimalInverseId: best?.id ?? null };
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
    const isRun = inverse.status !== InverseStatus.stopped && inverse.input !== null;
    if (!isRun || isRepeat(inverse)) return 'never-run';
  }
  const { output } = known ?? inverse;
  if (output === null) return 'failed';
  return evaluation?.isSatisfied ? 'satisfied' : 'unsatisfied';
}
