import { Readable } from 'node:stream';
import { beginExport } from '../../../application/exports/begin-export.ts';
import type { HttpDeps } from '../../operation/deps.ts';
import { type Answer, type AnswerSpec, defineOperation, type Operation } from '../../operation/operation.ts';
import { EXPORT_MEDIA_TYPE, exportLineSchema, presentExport } from './export.wire.ts';

const tag = 'Export';
const flags = { deleted: 'Whether to include deleted records that are not yet purged.' };
const answers: Readonly<Record<number, AnswerSpec>> = {
  200: {
    description:
      'One JSON text per line: first a header with the format and its version, then the records, each after the one it belongs to, and finally a line of type end. An answer without that last line is incomplete.',
    schema: exportLineSchema,
    mediaType: EXPORT_MEDIA_TYPE,
  },
};

interface ExportCall {
  readonly deps: Pick<HttpDeps, 'db' | 'exportSlots' | 'files'>;
  readonly accountId: number;
  readonly flags: Readonly<Record<string, boolean>>;
}

/**
 * Sends the export while reading it, no faster than the client receives it. A failure before the first page gets its own
 * answer; after that the connection is cut, so that the client cannot mistake a partial export for a complete one.
 */
async function stream({ deps, accountId, flags }: ExportCall, modelId: number | null): Promise<Answer> {
  const leave = deps.exportSlots?.enter(accountId);
  try {
    const scope = { modelId, withDeleted: flags['deleted'] === true };
    const pages = await beginExport(deps.db, accountId, scope, {
      signal: deps.exportSlots?.signal,
      files: deps.files,
    });
    const body = Readable.from(presentExport({ ...scope, exportedAt: new Date() }, pages), { highWaterMark: 1 });
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
    summary: 'Export a model with everything in it as lines of JSON',
    description:
      'Each record is exported as it was when it was read. Until it is purged, a deleted model can be exported with deleted=true.',
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
