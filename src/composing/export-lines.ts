import { beginExport, type ExportSubject } from '../application/exports/begin-export.ts';
import type { Db } from '../db/connection/transaction.ts';
import { presentExport } from '../http/native/exports/export.wire.ts';
import type { Config } from '../settings/config.ts';
import { makeFiles } from './files.ts';

/** The text of an export in pieces of whole lines, without a service. When it resolves, the first page has been read. */
export async function exportLines(
  db: Db,
  accountId: number,
  subject: ExportSubject,
  config: Config,
): Promise<AsyncGenerator<string, void>> {
  const pages = await beginExport(db, accountId, subject, { files: makeFiles(config) });
  return presentExport({ ...subject, exportedAt: new Date() }, pages);
}
