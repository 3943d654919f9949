/**
 * Corrects what was run: the result of an inverse, or that of a case. One transaction locks the trial, then the objective, logs
 * the correction and gives the data of the trial its next revision. The verdicts of the objective are then formed again from its
 * inverses as they are now. A correction that changes nothing is not logged. Events: objective.reopened when an objective that had
 * ended goes on, and the end that a correction leads to.
 */

import { type Db, inTransaction, type Trx } from '../../db/connection/transaction.ts';
import {
  correctRepeats,
  findCopies,
  hasCorrections,
  hasNewerCorrection,
  insertCorrection,
  listCorrections,
  wasCorrected,
} from '../../db/corrections/corrections.ts';
import { countAddedCases, readCorrectedCases } from '../../db/data/added-cases.ts';
import { findOutputCaseSet } from '../../db/data/output-case-sets.ts';
import { raiseRevision } from '../../db/data/trials.ts';
import { findProject } from '../../db/problem/projects.ts';
import { findInverse, storeResult } from '../../db/search/inverses.ts';
import {
  findObjective,
  lockObjective,
  type ObjectiveWithParents,
  updateObjective,
} from '../../db/search/objectives.ts';
import {
  areEqualResults,
  type Correction,
  changeResult,
  copyResult,
  correctionSize,
  MAXIMUM_CORRECTIONS,
  type NewCorrection,
  type ResultChange,
  resultOf,
} from '../../domain/corrections/correction.ts';
import { type JacobianShape, readJacobian } from '../../domain/data/jacobian.ts';
import type { RunResult } from '../../domain/data/run-result.ts';
import type { Trial } from '../../domain/data/trial.ts';
import { DomainError, makeViolation, refuseViolations } from '../../domain/errors.ts';
import type { Page, PageRequest } from '../../domain/page.ts';
import type { Inverse } from '../../domain/search/inverse.ts';
import { checkLength } from '../../domain/vectors.ts';
import { type AccountLimits, refuseOverQuota } from '../accounts/account-limits.ts';
import { getTrial, lockTrialAt } from '../data/manage-trials.ts';
import { readStoredCases, readStoredJacobians } from '../data/read-trial-cases.ts';
import { replaceNewest } from '../notes/keep-notes.ts';
import { type InversePath, isUnder, missingInPath, parentsOf, type TrialPath } from '../paths.ts';
import { judgeAfterCommit } from '../search/judge-runs.ts';
import { inOrder, jacobianShapeOf } from '../search/output-by-name.ts';
import { reviseObjective, reviseOptima } from '../search/revise-objective.ts';
import { type InverseView, viewOf } from '../views.ts';

/** The account that corrects, its actor, and its limits. */
export interface CorrectionContext {
  readonly accountId: number;
  /** As whom the log names whoever corrects. */
  readonly actor: string;
  /** Default: none. */
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
    const change = readChange(sent, jacobianShapeOf(objective));
    refuseFailedStart(change, inverse);
    const before = resultOf(inverse);
    await refuseSuperseded(trx, trial.id, sent, before);
    if (change.kind === 'note') {
      const noted = { target: targetOf(objective, inverse), before, after: before };
      const correction = await log(trx, context, trial.id, sent, [noted]);
      const note = { objectiveId: objective.id, inverse, text: sent.reason, writtenBy: correction.correctedBy };
      await replaceNewest(trx, accountId, note);
      return { correction, view: viewOf((await findObjective(trx, accountId, objective.id))!, inverse) };
    }
    const after = changeResult(before, change);
    const isChanged = !areEqualResults(before, after);
    const mayReopen = sent.mayReopen && (isChanged || (await wasCorrected(trx, inverse.id)));
    if (!isChanged && !mayReopen) return { correction: null, view: viewOf(objective, inverse) };
    const target = targetOf(objective, inverse);
    const run = { input: inverse.input!, before, after };
    const correction = isChanged ? await log(trx, context, trial.id, sent, [{ target, before, after }]) : null;
    const repeating = isChanged ? await correctRepeats(trx, accountId, trial.id, run) : [];
    await storeResult(trx, inverse.id, after);
    await reviseObjective(trx, context, objective, {
      id: inverse.id,
      result: after,
      reopening: mayReopen ? 'yes' : 'no',
    });
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
  if (corrected.correction !== null) await judgeAfterCommit(db, accountId, corrected.view.objective.trialId);
  return { correction: corrected.correction, ...corrected.view };
}

function targetOf({ id: objectiveId }: ObjectiveWithParents, { id: inverseId, iteration }: Inverse) {
  return { kind: 'inverse', objectiveId, inverseId, iteration } as const;
}

export interface CorrectedCase {
  /** null: nothing was changed. */
  readonly correction: Correction | null;
  readonly number: number;
  readonly input: readonly number[];
  readonly result: RunResult;
}

/**
 * Corrects the result of a case, by its number from 1. The set of output cases stays as it is: the log says what counts. Initial
 * points that are copies of the case follow, each with its own entry in the log. `mayReopen` lets them change the verdicts of
 * objectives that have ended; no other objective changes its state.
 *
 * Throws NOT_FOUND, VALIDATION_FAILED, REOPENING_NEEDED, LIMIT_REACHED, QUOTA_EXCEEDED.
 */
export async function correctCase(
  db: Db | Trx,
  context: CorrectionContext,
  path: TrialPath & { readonly number: number },
  sent: NewCorrection & { readonly mayReopen: boolean },
): Promise<CorrectedCase> {
  const { accountId } = context;
  const { number } = path;
  const corrected = await inTransaction(db, async (trx): Promise<CorrectedCase> => {
    const trial = await lockTrialAt(trx, accountId, path);
    const { input, result: before, change } = await getCase(trx, accountId, trial, number, sent);
    await refuseSuperseded(trx, trial.id, sent, before);
    const after = changeResult(before, change);
    if (areEqualResults(before, after)) return { correction: null, number, input, result: before };
    const target = { kind: 'case', caseNumber: number } as const;
    const correction = await log(trx, context, trial.id, sent, [{ target, before, after }]);
    const repeating = await correctRepeats(trx, accountId, trial.id, { input, before, after });
    const copying = await correctCopies(trx, context, trial.id, sent, { caseNumber: number, input, before, after });
    await reviseOptima(
      trx,
      accountId,
      repeating.filter((id) => !copying.has(id)),
    );
    return { correction, number, input, result: after };
  });
  if (corrected.correction !== null) await judgeAfterCommit(db, accountId, path.trialId);
  return corrected;
}

interface CorrectedCaseRun {
  readonly caseNumber: number;
  readonly input: readonly number[];
  readonly before: RunResult;
  readonly after: RunResult;
}

/**
 * Corrects the initial points that are copies of a case, and returns the ids of their objectives, whose repeats must have followed
 * already. A suggestion is repeated from the log, so each copy has an entry and a revision of its own. The objectives are locked.
 */
async function correctCopies(
  trx: Trx,
  context: CorrectionContext,
  trialId: number,
  sent: NewCorrection & { readonly mayReopen: boolean },
  run: CorrectedCaseRun,
): Promise<ReadonlySet<number>> {
  const { accountId } = context;
  const found = await findCopies(trx, accountId, trialId, run);
  const copies = found
    .map((copy) => ({ ...copy, after: copyResult(copy.before, run) }))
    .filter(({ before, after }) => !areEqualResults(before, after));
  if (copies.length === 0) return new Set();
  await log(trx, context, trialId, sent, copies);
  for (const { target, after } of copies) {
    const { objectiveId, inverseId } = target;
    const objective = (await findObjective(trx, accountId, objectiveId))!;
    await storeResult(trx, inverseId, after);
    await updateObjective(trx, objectiveId, { initialOutput: after.output! });
    const reopening = sent.mayReopen ? 'verdict' : 'no';
    await reviseObjective(trx, context, objective, { id: inverseId, result: after, reopening });
  }
  return new Set(copies.map(({ target }) => target.objectiveId));
}

/** Throws CORRECTION_SUPERSEDED where another correction, or anything else, came after the one that is taken back. */
async function refuseSuperseded(
  trx: Trx,
  trialId: number,
  { undoes }: NewCorrection,
  result: RunResult,
): Promise<void> {
  if (undoes === undefined) return;
  const isLast = areEqualResults(undoes.after, result) && !(await hasNewerCorrection(trx, trialId, undoes));
  if (isLast) return;
  const message = `Since correction ${undoes.id} the result was changed again. Undo the newest correction first, or correct the result.`;
  throw new DomainError('CORRECTION_SUPERSEDED', message);
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

/**
 * The change with its output in the order of the outputs, and its derivatives in that of outputs and inputs. Throws VALIDATION_FAILED for
 * those of another length or with other names.
 */
function readChange({ change }: NewCorrection, shape: JacobianShape): ResultChange {
  if (change.kind !== 'output') return change;
  const { outputCount, outputNames } = shape;
  const ordered = inOrder(change, outputCount, outputNames);
  refuseViolations(checkLength(['output'], ordered.output, outputCount, 'output'));
  if (change.sentJacobian === undefined) return ordered;
  const { jacobian, violations } = readJacobian(change.sentJacobian, shape, ['jacobian']);
  refuseViolations(violations);
  return { ...ordered, jacobian };
}

function refuseFailedStart(change: ResultChange, { iteration }: Inverse): void {
  if (change.kind !== 'failed' || iteration !== 1) return;
  const message = 'must be left out for run 1: the initial point needs an output. Exclude it instead (excluded: true).';
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
  const { names, inputCount, inputTypes } = (await findProject(trx, accountId, trial.projectId))!;
  const change = readChange(sent, { ...names, inputCount, inputTypes, outputCount: set.outputCount });
  const total = set.caseCount + (number <= set.caseCount ? 0 : await countAddedCases(trx, accountId, trial.id));
  if (number > total) throw missingCase(trial.id, number, total);
  const [corrected] = await readCorrectedCases(trx, accountId, trial.id, number, 1);
  const [stored] = await readStoredCases(trx, accountId, { trial, set }, number, 1);
  const { inputs, outputs, failed } = stored!;
  const [jacobian = null] = await readStoredJacobians(trx, accountId, { trial, set }, number, 1);
  const loaded = {
    output: failed.length > 0 ? null : outputs.row(0),
    jacobian,
    failureReason: null,
    isExcluded: false,
  };
  return { input: inputs.row(0), result: corrected?.result ?? loaded, change };
}

function missingCase(trialId: number, number: number, total: number): DomainError {
  const what = total === 1 ? 'it has one case, number 1' : `it has ${total} cases, numbered from 1 to ${total}`;
  return new DomainError('NOT_FOUND', `There is no case ${number} in the trial ${trialId}: ${what}.`);
}

type LoggedCorrection = Pick<Correction, 'target' | 'before' | 'after'>;

/**
 * Logs corrections under the next revisions of the trial's data, whose objectives are locked from then on. Returns the first of
 * them.
 */
async function log(
  trx: Trx,
  { accountId, actor, limits }: CorrectionContext,
  trialId: number,
  { change, reason }: NewCorrection,
  corrections: readonly LoggedCorrection[],
): Promise<Correction> {
  const count = corrections.length;
  if (count > MAXIMUM_CORRECTIONS || (await hasCorrections(trx, trialId, MAXIMUM_CORRECTIONS - count + 1))) {
    const full = `has ${MAXIMUM_CORRECTIONS} corrections, the most that a trial may have`;
    const nearlyFull = `may have at most ${MAXIMUM_CORRECTIONS} corrections, and ${count} initial points would follow this one`;
    const message = `The trial ${trialId} ${count === 1 ? full : nearlyFull}; start another trial on the right data.`;
    throw new DomainError('LIMIT_REACHED', message);
  }
  const sizes = corrections.map((correction) => correctionSize({ ...correction, reason }));
  await refuseOverQuota(trx, accountId, limits, {
    bytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0),
    rows: count,
  });
  const last = await raiseRevision(trx, accountId, trialId, count);
  const logged: Correction[] = [];
  for (const [k, { target, before, after }] of corrections.entries()) {
    const revision = last - count + 1 + k;
    logged.push(
      await insertCorrection(trx, accountId, trialId, {
        revision,
        target,
        before,
        after,
        reason,
        isNote: change.kind === 'note',
        correctedBy: actor,
      }),
    );
  }
  return logged[0]!;
}
