import type { Db } from '../../db/connection/transaction.ts';
import { type ExportOptions, type ExportPage, exportAccount, exportModel } from './export-records.ts';

export interface ExportSubject {
  /** null: all models of the account. */
  readonly modelId: number | null;
  readonly withDeleted: boolean;
}

/** The records of an export. When it resolves, the first page has been read; it rejects as exportModel does. */
export async function beginExport(
  db: Db,
  accountId: number,
  { modelId, withDeleted }: ExportSubject,
  { signal, files }: Pick<ExportOptions, 'signal' | 'files'> = {},
): Promise<AsyncGenerator<ExportPage, void>> {
  const options = { withDeleted, signal, files };
  const isWhole = modelId === null;
  const pages = isWhole ? exportAccount(db, accountId, options) : exportModel(db, accountId, modelId, options);
  const first = await pages.next();
  return resume(first.value ?? [], pages);
}

async function* resume(first: ExportPage, pages: AsyncIterable<ExportPage>): AsyncGenerator<ExportPage, void> {
  yield first;
  yield* pages;
}
