/** The cases of an export, some rows at a time, with their derivatives. */
import type { Db } from '../../db/connection/transaction.ts';
import { type ExportedAddedCases, readAddedCasesAsJson } from '../../db/data/added-cases.ts';
import { type CasesTable, readCaseJacobians, readCasesAsJson } from '../../db/data/cases.ts';
import { type CaseJacobians, toCaseJacobians } from '../../domain/data/jacobian.ts';
import type { OutputCaseSet } from '../../domain/data/trial.ts';

/** Some rows of a list of cases. */
export interface CaseRows {
  /** Zero-based number of the first of them. */
  readonly first: number;
  /** JSON. */
  readonly rows: string;
  /** Derivatives of the outputs. */
  readonly jacobians?: CaseJacobians | null;
}

interface AddedRows {
  readonly added: ExportedAddedCases;
  readonly jacobians: CaseJacobians | null;
}

/** Some 2 MB of text. For every part that is read the database unpacks the whole list of cases, up to 80 MB. */
const CASE_NUMBERS_PER_PAGE = 100_000;

/** A record was purged during its export. */
export class PurgedMeanwhileError extends Error {
  constructor() {
    super('a record was purged while it was being exported');
    this.name = 'PurgedMeanwhileError';
  }
}

export async function* readCases(db: Db, table: CasesTable, id: number, width: number): AsyncGenerator<CaseRows, void> {
  const count = Math.max(1, Math.floor(CASE_NUMBERS_PER_PAGE / width));
  for (let first = 0; ; first += count) {
    const rows = await readCasesAsJson(db, table, id, first, count);
    if (rows === undefined) throw new PurgedMeanwhileError();
    if (rows === '[]') return;
    yield { first, rows };
  }
}

export async function* readOutputCases(
  db: Db,
  accountId: number,
  { id, outputCount, hasJacobians }: OutputCaseSet,
  inputCount: number,
): AsyncGenerator<CaseRows, void> {
  const width = hasJacobians ? outputCount * (1 + inputCount) : outputCount;
  for await (const cases of readCases(db, 'output_case_sets', id, width)) {
    const count = Math.max(1, Math.floor(CASE_NUMBERS_PER_PAGE / width));
    yield hasJacobians
      ? {
          ...cases,
          jacobians: toCaseJacobians(await readCaseJacobians(db, accountId, id, cases.first, count), outputCount),
        }
      : cases;
  }
}

/** As they were added, some rows at a time; a later purge of the trial is noticed with it. */
export async function* readAddedCases(
  db: Db,
  trialId: number,
  { inputCount, outputCount }: { readonly inputCount: number; readonly outputCount: number },
): AsyncGenerator<AddedRows, void> {
  const rowsOf = (width: number) => Math.max(1, Math.floor(CASE_NUMBERS_PER_PAGE / width));
  const width = inputCount + outputCount;
  const [count, withJacobians] = [rowsOf(width), rowsOf(width + inputCount * outputCount)];
  let from = 1;
  for (;;) {
    const added = await readAddedCasesAsJson(db, trialId, from, count, withJacobians);
    if (added === undefined) return;
    const jacobians = added.jacobians && toCaseJacobians(added.jacobians, outputCount);
    yield { added, jacobians };
    from = added.firstNumber + added.rows;
  }
}
