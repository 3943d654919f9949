/** Further cases for a trial, at any time. Its objectives learn from them with their next suggestion. */

import { type Db, inTransaction, type Trx } from '../../db/connection/transaction.ts';
import { countAddedCases, insertAddedCases, readCorrectedOutputs } from '../../db/data/added-cases.ts';
import { findOutputCaseSet } from '../../db/data/output-case-sets.ts';
import { raiseRevision } from '../../db/data/trials.ts';
import { findProject } from '../../db/problem/projects.ts';
import { BYTES_PER_NUMBER, NO_QUOTA, type StorageQuota } from '../../domain/accounts/storage.ts';
import { type CaseProject, isOutsideBounds, readAddedCases } from '../../domain/data/added-cases.ts';
import { rowColumnOf } from '../../domain/data/case-columns.ts';
import { type CaseLimits, checkTrialCases, NO_CASE_LIMITS } from '../../domain/data/case-limits.ts';
import type { CaseTable } from '../../domain/data/case-table.ts';
import { type CaseRows, FreshRows } from '../../domain/data/fresh-rows.ts';
import { readJacobians, toJacobianMatrix } from '../../domain/data/jacobian.ts';
import type { OutputCaseSet, Trial } from '../../domain/data/trial.ts';
import { refuseViolations, validationFailed } from '../../domain/errors.ts';
import type { Matrix } from '../../domain/matrix.ts';
import { areConditionsMet } from '../../domain/problem/conditions.ts';
import type { InputSpace } from '../../domain/problem/input-space.ts';
import type { Project } from '../../domain/problem/project.ts';
import { checkCaseSource } from '../../domain/problem/sources.ts';
import { refuseOverQuota } from '../accounts/account-limits.ts';
import { getTrial, lockTrialAt, refuseClosedTrial } from '../data/manage-trials.ts';
import { readStoredCases } from '../data/read-trial-cases.ts';
import type { TrialPath } from '../paths.ts';
import { judgeAfterCommit } from '../search/judge-runs.ts';

export interface AddedReport {
  readonly added: number;
  /** Rows that were known already, or stood earlier in the table. */
  readonly duplicates: number;
  /** Added ones outside the bounds or against a constraint. */
  readonly outside: number;
  readonly leftOut: number;
  /** Cases of the trial, designed and added. */
  readonly total: number;
  readonly revision: number;
}

/** Numbers compared at a time. Each read makes the server unpack whole batches. */
const NUMBERS_PER_READ = 200_000;

/**
 * All or nothing, in one transaction; without a new case nothing is written. Throws NOT_FOUND, TRIAL_CLOSED, VALIDATION_FAILED,
 * QUOTA_EXCEEDED.
 */
export async function addCases(
  db: Db | Trx,
  accountId: number,
  path: TrialPath,
  table: CaseTable,
  limits: CaseLimits & StorageQuota = { ...NO_CASE_LIMITS, ...NO_QUOTA },
): Promise<AddedReport> {
  const { projectId, outputCaseSetId } = await getTrial(db, accountId, path);
  const project = (await findProject(db, accountId, projectId))!;
  const set = (await findOutputCaseSet(db, accountId, outputCaseSetId))!;
  refuseViolations(checkCaseSource(project.sources, table.source));
  const report = await inTransaction(db, async (trx) => {
    const reports: AddedReport[] = [];
    for (const part of partsOf(table, project)) {
      reports.push(await addPart(trx, accountId, { path, project, set, limits, ...part }));
    }
    return summed(reports, table);
  });
  if (report.added > 0) await judgeAfterCommit(db, accountId, path.trialId);
  return report;
}

interface Part {
  readonly table: CaseTable;
  readonly only?: CaseProject['only'];
}

/** The rows of a file by the source of the project that its column sourceName says, as exports write it. */
function partsOf(table: CaseTable, { sources }: Project): readonly Part[] {
  if (
    sources === null ||
    table.source !== null ||
    !table.headings.some(({ title }) => title !== null && rowColumnOf(title) === 'sourceName')
  )
    return [{ table }];
  const names = sources.map(({ name }) => name);
  return [null, ...names].map((source) => ({ table: { ...table, source }, only: { source, sources: names } }));
}

function summed(reports: readonly AddedReport[], { values }: CaseTable): AddedReport {
  const sum = (count: (one: AddedReport) => number) => reports.reduce((total, one) => total + count(one), 0);
  const added = sum((one) => one.added);
  const duplicates = sum((one) => one.duplicates);
  const { total, revision } = reports.at(-1)!;
  const leftOut = values.rows - added - duplicates;
  return { added, duplicates, outside: sum((one) => one.outside), leftOut, total, revision };
}

interface PartOf extends Part {
  readonly path: TrialPath;
  readonly project: Project;
  readonly set: OutputCaseSet;
  readonly limits: CaseLimits & StorageQuota;
}

async function addPart(
  trx: Trx,
  accountId: number,
  { path, project, set, limits, table, only }: PartOf,
): Promise<AddedReport> {
  const of = { space: project, outputCount: set.outputCount, names: project.names, ...(only && { only }) };
  const read = readAddedCases(table, of);
  if (read.kind === 'violations') throw validationFailed(read.violations);
  const { cases } = read;
  const shape = { ...project, ...project.names, outputCount: set.outputCount };
  // JSON says of every row what it is, so that none is left out.
  const { jacobians, violations } = readJacobians(table.sentJacobians ?? [], shape, {
    field: 'jacobians',
    failed: new Set(cases.failed),
  });
  refuseViolations(violations);
  const trial = await lockTrialAt(trx, accountId, path);
  refuseClosedTrial(trial.id, trial.status);
  const known = set.caseCount + (await countAddedCases(trx, accountId, trial.id));
  const { rows, ...added } = await pickFresh(trx, accountId, { trial, set, known }, cases);
  const derivatives = toJacobianMatrix(
    rows.map((row) => jacobians[row] ?? null),
    shape,
  );
  const counts = {
    added: added.inputs.rows,
    duplicates: cases.inputs.rows - added.inputs.rows,
    outside: countOutside(project, added.inputs),
    leftOut: cases.leftOut,
    total: known + added.inputs.rows,
  };
  if (counts.added === 0) return { ...counts, revision: trial.revision };
  const width = { inputCount: project.inputCount, outputCount: set.outputCount };
  refuseViolations(checkTrialCases(known, counts.added, width, limits));
  const numbers = [added.inputs, added.outputs, derivatives].reduce((sum, one) => sum + (one?.values.length ?? 0), 0);
  await refuseOverQuota(trx, accountId, limits, { bytes: BYTES_PER_NUMBER * numbers, rows: 1 });
  const revision = await raiseRevision(trx, accountId, trial.id);
  const { source } = table;
  await insertAddedCases(trx, accountId, {
    ...added,
    jacobians: derivatives,
    trialId: trial.id,
    revision,
    firstNumber: known + 1,
    source,
  });
  return { ...counts, revision };
}

interface KnownCases {
  readonly trial: Trial;
  readonly set: OutputCaseSet;
  /** Number of cases of the trial. */
  readonly known: number;
}

/** The cases that equal neither a case of the trial, as it was or as it was corrected, nor one before them. */
async function pickFresh(
  trx: Trx,
  accountId: number,
  of: KnownCases,
  cases: CaseRows,
): Promise<CaseRows & { readonly rows: readonly number[] }> {
  const fresh = new FreshRows(cases);
  const { inputs, outputs } = cases;
  const size = Math.max(1, Math.floor(NUMBERS_PER_READ / (inputs.columns + outputs.columns)));
  for (let first = 1; first <= of.known; first += size) {
    const corrections = await readCorrectedOutputs(trx, accountId, of.trial.id, first, size);
    for (const rows of await readStoredCases(trx, accountId, of, first, size)) {
      const corrected = Map.groupBy(corrections, ({ caseNumber }) => caseNumber - rows.number);
      fresh.removeKnown(rows, new Map(Array.from(corrected, ([row, list]) => [row, list.map((one) => one.output)])));
    }
  }
  const rows = fresh.rows;
  const failed = new Set(cases.failed);
  return {
    rows,
    inputs: inputs.pick(rows),
    outputs: outputs.pick(rows),
    failed: rows.flatMap((row, k) => (failed.has(row) ? [k] : [])),
  };
}

function countOutside(space: InputSpace, inputs: Matrix): number {
  const conditions = space.details?.conditions ?? [];
  let count = 0;
  for (let row = 0; row < inputs.rows; row++) {
    const input = inputs.values.subarray(row * inputs.columns, (row + 1) * inputs.columns);
    const isOutside = isOutsideBounds(space, input) || !areConditionsMet(space, conditions, input);
    if (isOutside) count += 1;
  }
  return count;
}
