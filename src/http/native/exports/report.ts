import { z } from 'zod';
import { readReport } from '../../../application/exports/read-report.ts';
import type { InversePath, ObjectivePath } from '../../../application/paths.ts';
import { getHistory, getObjectiveStamp } from '../../../application/search/read-history.ts';
import { getInverse } from '../../../application/search/read-objectives.ts';
import { DomainError } from '../../../domain/errors.ts';
import { awaitsOutput } from '../../../domain/search/inverse.ts';
import { REPORT_POLICY } from '../../../report/html.ts';
import { answerDocument } from '../../answer/answer-document.ts';
import { goneSignalOf } from '../../operation/gone-signal.ts';
import { type Answer, type AnswerSpec, type Call, defineOperation, type Operation } from '../../operation/operation.ts';
import type { Wanted as WantedDocument, WantedReport } from '../../report/report-thread.ts';
import { toTimestamp } from '../../wire/fields.ts';
import { bytesSchema, MEDIA_TYPES } from '../../wire/formats.ts';
import { inCellQuery } from './links.wire.ts';
import { presentReport, writeHistory } from './report.wire.ts';

const POLICY = `${REPORT_POLICY}; frame-ancestors 'none'; sandbox`;

export type ReportCall = Call<ObjectivePath, unknown>;

const DOCUMENT_FORMATS = ['html', 'pdf'] as const;

const documentSpec = (description: string): Readonly<Record<number, AnswerSpec>> => ({
  200: {
    description,
    mediaType: MEDIA_TYPES.html,
    schema: z.string(),
    otherTypes: { [MEDIA_TYPES.pdf]: bytesSchema },
    headers: {
      ETag: 'Changes with the content.',
      Vary: 'Accept',
      'Content-Disposition': 'A name for the file, from the label or the project.',
    },
  },
  304: { description: 'Nothing has changed since the answer with the ETag in If-None-Match.' },
});

export const reportOperations: readonly Operation[] = [
  defineOperation({
    method: 'GET',
    path: '/models/{model_id}/projects/{project_id}/trials/{trial_id}/objectives/{objective_id}/report',
    operationId: 'getReport',
    tag: 'Objectives',
    summary: 'Read an objective as a report to print or file: problem, result, margins, charts, runs and log',
    description:
      'As text/html one file that loads nothing, as application/pdf a document on A4. The same state of the objective gives the same bytes: instead of the time of its making a report states that of the last change. Of more than 500 runs it has the best and the last.',
    formats: DOCUMENT_FORMATS,
    hasETag: true,
    answers: documentSpec('The report.'),
    handle: async (call) => writeDocument(call, await readSource(call)),
  }),
  defineOperation({
    method: 'GET',
    path: '/models/{model_id}/projects/{project_id}/trials/{trial_id}/objectives/{objective_id}/inverses/{inverse_id}/card',
    operationId: 'getRunCard',
    tag: 'Inverses',
    summary: 'Read the card of an input that waits, to print and take to the rig',
    description:
      'Its values and the targets, room for the outputs, and a QR code of the page where they are entered. As text/html or as application/pdf, for A4, one page unless it has very many outputs. The address in the code is PUBLIC_URL, or where the request came to.',
    formats: DOCUMENT_FORMATS,
    hasETag: true,
    answers: documentSpec('The card.'),
    refusals: { 400: 'The inverse is being computed, has its output or was given up (no-open-iteration).' },
    handle: async (call) => writeDocument(call, await readCard(call)),
  }),
];

async function writeDocument(
  { deps, format: asked, ifNoneMatch }: Pick<Call<unknown, unknown>, 'deps' | 'format' | 'ifNoneMatch'>,
  wanted: WantedDocument,
): Promise<Answer> {
  const format = asked === 'pdf' ? 'pdf' : 'html';
  const file = await deps.reports.write({ ...wanted, format });
  return answerDocument(file, { format, ifNoneMatch, policy: POLICY, headers: { vary: 'Accept' } });
}

/** Throws NOT_FOUND, and NO_OPEN_ITERATION unless the inverse waits for its output. */
async function readCard(call: Call<InversePath & ObjectivePath, unknown>) {
  const { deps, accountId, ids, origin, nextSlice } = call;
  const { inverse } = await getInverse(deps.db, accountId, ids);
  if (!awaitsOutput(inverse)) {
    const message = `Run ${inverse.iteration} does not wait for an output. List those that do with status=open.`;
    throw new DomainError('NO_OPEN_ITERATION', message);
  }
  const { iteration } = inverse;
  const stamp = await getObjectiveStamp(deps.db, accountId, ids);
  const request = { after: iteration - 1, every: 1, completed: null, wantsExplanation: false };
  const history = await getHistory(deps.db, accountId, stamp, request);
  const address = `${origin}/page/objectives/${ids.objectiveId}/runs/${iteration}${inCellQuery(deps.settings.cell)}`;
  const suggestedAt = toTimestamp(inverse.suggestedAt ?? inverse.createdAt);
  const text = await writeHistory(history, stamp, nextSlice);
  return { kind: 'card' as const, history: text, source: { iteration, address, suggestedAt } };
}

/** Throws NOT_FOUND. */
export async function readSource(call: ReportCall): Promise<WantedReport> {
  const { deps, accountId, ids, nextSlice } = call;
  const { db, modelInsights } = deps;
  const report = await readReport({ db, accountId, path: ids, modelInsights, signal: goneSignalOf(call) });
  return presentReport(report, nextSlice);
}
