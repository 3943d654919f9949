import { Readable } from 'node:stream';
import { type ExportPage, exportAccount, exportModel } from '../../application/export-records.ts';
import type { Db } from '../../db/transaction.ts';
import type { HttpDeps } from '../deps.ts';
import { type Answer, type AnswerSpec, defineOperation, type Operation } from '../operation.ts';
import { EXPORT_MEDIA_TYPE, type ExportScope, exportLineSchema, presentExport } from './export.wire.ts';

const tag = 'Export';
const flags = { deleted: 'Whether deleted records that are not purged yet are exported too.' };
const answers: Readonly<Record<number, AnswerSpec>> = {
  200: {
    description:
      'One JSON text per line: first a header that names the format and its version, then every record after the one that it belongs to, last a line of type end. An answer without that last line is not complete.',
    schema: exportLineSchema,
    mediaType: EXPORT_MEDIA_TYPE,
  },
};

/**
 * The text of an export in pieces of whole lines, for commands too. The first page is read when this resolves; it rejects as
 * exportModel does.
 */
export async function beginExport(
  db: Db,
  accountId: number,
  scope: Pick<ExportScope, 'modelId' | 'withDeleted'>,
  signal?: AbortSignal,
): Promise<AsyncGenerator<string, void>> {
  const { modelId, withDeleted } = scope;
  const options = { withDeleted, signal };
  const isWhole = modelId === null;
  const pages = isWhole ? exportAccount(db, accountId, options) : exportModel(db, accountId, modelId, options);
  const first = await pages.next();
  return presentExport({ modelId, withDeleted, exportedAt: new Date() }, goOn(first.value ?? [], pages));
}

async function* goOn(first: ExportPage, pages: AsyncIterable<ExportPage>): AsyncGenerator<ExportPage, void> {
  yield first;
  yield* pages;
}

interface ExportCall {
  readonly deps: Pick<HttpDeps, 'db' | 'exportSlots'>;
  readonly accountId: number;
  readonly flags: Readonly<Record<string, boolean>>;
}

/**
 * Sent while it is read, and read no faster than the client takes it. What fails before the first page gets an answer of its
 * own; later the connection is cut, so that nobody takes what has arrived for all of it.
 */
async function stream({ deps, accountId, flags }: ExportCall, modelId: number | null): Promise<Answer> {
  const leave = deps.exportSlots?.enter(accountId);
  try {
    const scope = { modelId, withDeleted: flags['deleted'] === true };
    const text = await beginExport(deps.db, accountId, scope, deps.exportSlots?.signal);
    const body = Readable.from(text, { highWaterMark: 1 });
    body.once('close', () => leave?.());
    return { status: 200, headers: { 'content-type': `${EXPORT_MEDIA_TYPE}; charset=utf-8` }, body };
  } catch (error) {
    leave?.();
    throw error;
  }
}

export const exportOperations: readonly Operation[] = [
  defineOperation({
    method: 'GET',
    path: '/models/{model_id}/export',
    operationId: 'exportModel',
    tag,
    summary: 'Export everything of a model as lines of JSON',
    description:
      'Each record is shown as it was when it was read. A deleted model is exported with deleted=true, until it is purged.',
    flags,
    isStream: true,
    answers,
    handle: (call) => stream(call, call.ids.modelId),
  }),
  defineOperation({
    method: 'GET',
    path: '/export',
    operationId: 'exportAccount',
    tag,
    summary: 'Export all models of the account as lines of JSON',
    flags,
    isStream: true,
    answers,
    handle: (call) => stream(call, null),
  }),
];
