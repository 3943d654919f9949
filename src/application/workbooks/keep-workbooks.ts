/** Workbooks that people upload. What is in them is read by a guarded process alone, before anything is stored. */
import { type Db, inTransaction } from '../../db/connection/transaction.ts';
import * as workbooks from '../../db/workbooks/workbooks.ts';
import type { StorageQuota } from '../../domain/accounts/storage.ts';
import { DomainError, makeViolation, notFound, validationFailed } from '../../domain/errors.ts';
import type { Page, PageRequest } from '../../domain/page.ts';
import {
  type CheckedCells,
  type ChosenCells,
  MAXIMUM_WORKBOOKS,
  type SheetCells,
  type SurveyedWorkbook,
  type Workbook,
} from '../../domain/workbooks/workbook.ts';
import { refuseOverQuota, takeWithin } from '../accounts/account-limits.ts';

export interface SheetFile {
  readonly accountId: number;
  readonly name: string;
  readonly content: Uint8Array;
}

/** Reads and calculates workbooks. Its errors are DomainErrors: VALIDATION_FAILED, WORKBOOKS_UNAVAILABLE, OVERLOADED. */
export interface SheetReader {
  survey(file: SheetFile): Promise<SheetCells>;
  check(file: SheetFile, cells: ChosenCells): Promise<CheckedCells>;
  copy(file: SheetFile, values: Readonly<Record<string, number>>): Promise<Uint8Array>;
}

/** Undefined: the operator does not allow it. */
export type AllowedSheets = SheetReader | undefined;

/** Throws WORKBOOKS_NOT_ALLOWED. */
export function refuseWithoutSheets(sheets: AllowedSheets): SheetReader {
  if (sheets !== undefined) return sheets;
  const message =
    'The operator of this service does not let it calculate workbooks. Run `backsolve run` with the workbook on your own machine, or ask the operator to set ALLOW_WORKBOOKS.';
  throw new DomainError('WORKBOOKS_NOT_ALLOWED', message);
}

export interface SurveyedFile extends SheetFile {
  readonly cells: SheetCells;
}

/** Outside any transaction. Throws VALIDATION_FAILED, WORKBOOKS_NOT_ALLOWED, WORKBOOKS_UNAVAILABLE, LIMIT_REACHED. */
export async function surveyWorkbook(
  db: Db,
  sheets: AllowedSheets,
  accountId: number,
  file: SheetFile,
  maximumBytes: number,
): Promise<SurveyedFile> {
  const reader = refuseWithoutSheets(sheets);
  if (file.content.length > maximumBytes) {
    const message = `has ${file.content.length} bytes; at most ${maximumBytes} are taken here.`;
    throw validationFailed([makeViolation(['content'], message)]);
  }
  if (await workbooks.hasMostWorkbooks(db, accountId)) throw tooMany();
  return { ...file, cells: await reader.survey(file) };
}

/** Throws LIMIT_REACHED, QUOTA_EXCEEDED. */
export async function keepWorkbook(
  db: Db,
  accountId: number,
  file: SurveyedFile,
  quota?: StorageQuota,
): Promise<SurveyedWorkbook> {
  return inTransaction(db, async (trx) => {
    const isBelow = async () => !(await workbooks.hasMostWorkbooks(trx, accountId));
    if (!(await takeWithin(trx, accountId, MAXIMUM_WORKBOOKS, isBelow))) throw tooMany();
    await refuseOverQuota(trx, accountId, quota, { bytes: file.content.length, rows: 1 });
    const id = await workbooks.insertWorkbook(trx, accountId, file);
    return (await workbooks.findWorkbook(trx, accountId, id))!;
  });
}

function tooMany(): DomainError {
  return new DomainError('LIMIT_REACHED', `The account already has ${MAXIMUM_WORKBOOKS} workbooks; delete one first.`);
}

/** Throws NOT_FOUND. */
export async function getWorkbook(db: Db, accountId: number, id: number): Promise<SurveyedWorkbook> {
  const found = await workbooks.findWorkbook(db, accountId, id);
  if (found === undefined) throw notFound('workbook', id);
  return found;
}

export function listWorkbooks(db: Db, accountId: number, page: PageRequest): Promise<Page<Workbook>> {
  return workbooks.listWorkbooks(db, accountId, page);
}

/** Removes it for good, immediately. Throws NOT_FOUND, WORKBOOK_IN_USE. */
export async function deleteWorkbook(db: Db, accountId: number, id: number): Promise<void> {
  await inTransaction(db, async (trx) => {
    if (await workbooks.removeWorkbook(trx, accountId, id)) return;
    if ((await workbooks.findWorkbook(trx, accountId, id)) === undefined) throw notFound('workbook', id);
    const batchId = await workbooks.findBatchOf(trx, id);
    const message = `Batch ${batchId} calculates the workbook ${id}. Delete its project and purge it: the workbook goes with it.`;
    throw new DomainError('WORKBOOK_IN_USE', message);
  });
}

/** Throws NOT_FOUND, WORKBOOKS_NOT_ALLOWED, WORKBOOKS_UNAVAILABLE, VALIDATION_FAILED for a file that cannot be calculated here. */
export async function checkWorkbook(
  db: Db,
  sheets: AllowedSheets,
  accountId: number,
  id: number,
  cells: ChosenCells,
): Promise<CheckedCells> {
  const file = await readFile(db, accountId, id);
  return refuseWithoutSheets(sheets).check(file, cells);
}

/** The file with other values in cells; without any as it came. Throws as checkWorkbook does. */
export async function copyWorkbook(
  db: Db,
  sheets: AllowedSheets,
  accountId: number,
  id: number,
  values: Readonly<Record<string, number>>,
): Promise<SheetFile> {
  const file = await readFile(db, accountId, id);
  if (Object.keys(values).length === 0) return file;
  return { ...file, content: await refuseWithoutSheets(sheets).copy(file, values) };
}

async function readFile(db: Db, accountId: number, id: number): Promise<SheetFile> {
  const file = await workbooks.readFile(db, accountId, id);
  if (file === undefined) throw notFound('workbook', id);
  return { ...file, accountId };
}

/** One pass of the schedule. */
export async function purgeWorkbooks(db: Db): Promise<{ readonly purged: number }> {
  return { purged: await workbooks.removeUnused(db) };
}
