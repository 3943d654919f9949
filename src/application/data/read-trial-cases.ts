/** The cases of a trial, designed and added, as they were stored and as they are now. */

import type { Db, Trx } from '../../db/connection/transaction.ts';
import {
  type AddedRows,
  countAddedCases,
  readAddedJacobians,
  readAddedRows,
  readCorrectedCases,
} from '../../db/data/added-cases.ts';
import { readCaseJacobians, readCases } from '../../db/data/cases.ts';
import { findOutputCaseSet } from '../../db/data/output-case-sets.ts';
import { findProject } from '../../db/problem/projects.ts';
import { isKnown, type Jacobian } from '../../domain/data/jacobian.ts';
import type { OutputCaseSet, Trial } from '../../domain/data/trial.ts';
import { CaseOrigin, type TrialCase } from '../../domain/data/trial-cases.ts';
import { Matrix } from '../../domain/matrix.ts';
import type { PageRequest } from '../../domain/page.ts';
import type { Project } from '../../domain/problem/project.ts';
import { areEqualVectors } from '../../domain/vectors.ts';
import type { TrialPath } from '../paths.ts';
import { getTrial } from './manage-trials.ts';
import { type CasePage, readPage } from './read-cases.ts';

export interface TrialCasePage extends CasePage<TrialCase> {
  readonly project: Project;
  readonly set: OutputCaseSet;
}

/** Throws NOT_FOUND. The batches are read one after the other: a case added meanwhile is not among them. */
export async function readTrialCasePage(
  db: Db,
  accountId: number,
  path: TrialPath,
  request: PageRequest,
): Promise<TrialCasePage> {
  const trial = await getTrial(db, accountId, path);
  const project = (await findProject(db, accountId, trial.projectId))!;
  const set = (await findOutputCaseSet(db, accountId, trial.outputCaseSetId))!;
  const known = set.caseCount + (await countAddedCases(db, accountId, trial.id));
  const page = readPage(known, project.inputCount + set.outputCount, request, (from, count) =>
    readTrialCases(db, accountId, { trial, set }, from + 1, count),
  );
  return { ...page, project, set };
}

interface CasesOf {
  readonly trial: Pick<Trial, 'id' | 'projectId'>;
  readonly set: OutputCaseSet;
}

/** Cases as they are now, with numbers from `first` on, at most `count` of them. */
async function readTrialCases(
  db: Db | Trx,
  accountId: number,
  of: CasesOf,
  first: number,
  count: number,
): Promise<readonly TrialCase[]> {
  const corrected = await readCorrectedCases(db, accountId, of.trial.id, first, count);
  const newest = new Map(corrected.map(({ number, result }) => [number, result]));
  const stored = await readStoredCases(db, accountId, of, first, count);
  const jacobians = await readStoredJacobians(db, accountId, of, first, count);
  return stored.flatMap(({ inputs, outputs, failed: failedRows, number: start, origin, source }) => {
    const failed = new Set(failedRows);
    return Array.from({ length: inputs.rows }, (_, row) => {
      const number = start + row;
      const output = failed.has(row) ? null : outputs.row(row);
      const now = newest.get(number) ?? { output, jacobian: jacobians[number - first] ?? null, isExcluded: false };
      const isCorrected = !isSameOutput(now.output, output);
      return {
        number,
        input: inputs.row(row),
        output: now.output,
        jacobian: now.jacobian,
        isExcluded: now.isExcluded,
        isCorrected,
        origin,
        source,
      };
    });
  });
}

function isSameOutput(a: readonly number[] | null, b: readonly number[] | null): boolean {
  return a === null || b === null ? a === b : areEqualVectors(a, b);
}

/** Consecutive cases of one origin and source. */
export interface StoredCases extends AddedRows {
  readonly origin: CaseOrigin;
}

/** Cases as they were first stored, in order, with numbers from `first` on, at most `count` of them. */
export async function readStoredCases(
  db: Db | Trx,
  accountId: number,
  { trial, set }: CasesOf,
  first: number,
  count: number,
): Promise<readonly StoredCases[]> {
  const cases: StoredCases[] = [];
  const designed = Math.min(count, set.caseCount - first + 1);
  if (designed > 0) {
    const inputs = await readCases(db, accountId, 'projects', trial.projectId, first - 1, designed);
    const outputs = await readCases(db, accountId, 'output_case_sets', set.id, first - 1, designed);
    const failed = set.failedCases.map((at) => at - first + 1).filter((at) => at >= 0 && at < designed);
    cases.push({ number: first, origin: CaseOrigin.designed, source: null, inputs, outputs, failed });
  }
  const from = Math.max(first, set.caseCount + 1);
  const rest = first + count - from;
  if (rest > 0) {
    const added = await readAddedRows(db, accountId, trial.id, from, rest);
    cases.push(...added.map((rows) => ({ ...rows, origin: CaseOrigin.added })));
  }
  return cases;
}

/** The derivatives that came with these cases, in the same order; null where none are known. Empty where no case has any. */
export async function readStoredJacobians(
  db: Db | Trx,
  accountId: number,
  { trial, set }: CasesOf,
  first: number,
  count: number,
): Promise<readonly (Jacobian | null)[]> {
  const designed = set.hasJacobians ? await readCaseJacobians(db, accountId, set.id, first - 1, count) : NO_ROWS;
  const added = await readAddedJacobians(db, accountId, trial.id, Math.max(first, set.caseCount + 1), count);
  const found = [{ number: first, jacobians: designed }, ...added].filter(({ jacobians }) => jacobians.rows > 0);
  if (found.length === 0) return [];
  const rows = new Array<Jacobian | null>(count).fill(null);
  for (const { number, jacobians } of found) {
    for (const [k, row] of toKnownRows(jacobians).entries())
      if (number + k < first + count) rows[number + k - first] = row;
  }
  return rows;
}

const NO_ROWS = new Matrix(0, 0, new Float64Array());

function toKnownRows(jacobians: Matrix): (Jacobian | null)[] {
  return jacobians.toRows().map((row) => (isKnown(row) ? row : null));
}
