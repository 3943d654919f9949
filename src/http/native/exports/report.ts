import { z } from 'zod';
import { readReportFacts } from '../../../application/exports/read-report.ts';
import type { InversePath, ObjectivePath } from '../../../application/paths.ts';
import {
  getHistory,
  getObjectiveStamp,
  type HistoryRequest,
  type ObjectiveStamp,
} from '../../../application/search/read-history.ts';
import { getInverse } from '../../../application/search/read-objectives.ts';
import { readTrialRuns } from '../../../application/search/read-trial-runs.ts';
import type { Db } from '../../../db/connection/transaction.ts';
import { DomainError } from '../../../domain/errors.ts';
import { fitOutputs } from '../../../domain/search/fit.ts';
import { awaitsOutput } from '../../../domain/search/inverse.ts';
import { VERSION } from '../../../installation.ts';
import { REPORT_POLICY } from '../../../report/html.ts';
import { answerDocument } from '../../answer/answer-document.ts';
import { inSlices, type NextSlice } from '../../answer/write-json.ts';
import type { HttpDeps } from '../../operation/deps.ts';
import { goneSignalOf } from '../../operation/gone-signal.ts';
import { type Answer, type AnswerSpec, type Call, defineOperation, type Operation } from '../../operation/operation.ts';
import type { Wanted as WantedDocument, WantedReport } from '../../report/report-thread.ts';
import { toTimestamp } from '../../wire/fields.ts';
import { bytesSchema, MEDIA_TYPES } from '../../wire/formats.ts';
import { presentCorrection } from '../corrections/corrections.wire.ts';
import { presentNote } from '../notes/notes.wire.ts';
import { presentProjectSummary } from '../problem/projects.wire.ts';
import { presentFitParameters } from '../search/fit.wire.ts';
import { presentHistory } from '../search/history.wire.ts';
import { makePresentTrialRun, type trialRunSchema } from '../search/trial-runs.wire.ts';
import { inCellQuery } from './links.wire.ts';

const POLICY = `${REPORT_POLICY}; frame-ancestors 'none'; sandbox`;
/** Confidence of the intervals of a fit. */
const CONFIDENCE = 0.95;
/** More of the trial's other runs are not read. */
const MOST_OTHERS = 1_000;

export type ReportCall = Call<ObjectivePath, unknown>;

interface Wanted {
  readonly db: Db;
  readonly accountId: number;
  readonly path: ObjectivePath;
  readonly modelInsights: HttpDeps['modelInsights'];
  /** Fires when nobody waits for the report any more. */
  readonly signal: AbortSignal;
  readonly nextSlice: NextSlice;
}

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
  const { text } = await readHistoryText(deps.db, accountId, stamp, request, nextSlice);
  const address = `${origin}/page/objectives/${ids.objectiveId}/runs/${iteration}${inCellQuery(deps.settings.cell)}`;
  const suggestedAt = toTimestamp(inverse.suggestedAt ?? inverse.createdAt);
  return { kind: 'card' as const, history: text, source: { iteration, address, suggestedAt } };
}

async function readHistoryText(
  db: Db,
  accountId: number,
  stamp: ObjectiveStamp,
  request: HistoryRequest,
  nextSlice: NextSlice,
) {
  const history = await getHistory(db, accountId, stamp, request);
  let text = '';
  // Text that somebody is typing is never printed.
  for await (const piece of inSlices(presentHistory(history, { ...stamp, typing: [] }), nextSlice)) text += piece;
  return { history, text };
}

export function readSource(call: ReportCall) {
  const { deps, accountId, ids, nextSlice } = call;
  const { db, modelInsights } = deps;
  return readReportSource({ db, accountId, path: ids, modelInsights, signal: goneSignalOf(call), nextSlice });
}

/** Everything that a report is made of; commands use it too. Throws NOT_FOUND. */
export async function readReportSource(wanted: Wanted): Promise<WantedReport> {
  const { db, accountId, path, modelInsights, signal, nextSlice } = wanted;
  const stamp = await getObjectiveStamp(db, accountId, path);
  const request = { after: 0, every: 1, completed: null, wantsExplanation: true };
  const { history, text } = await readHistoryText(db, accountId, stamp, request, nextSlice);
  const { project, corrections, notes, caseCount, changedAt } = await readReportFacts(db, accountId, stamp, history);
  const others = await readOthers(wanted, history.objective.id);
  const fit =
    fitOutputs(history.objective.objectiveTypes).length > 0
      ? presentFitParameters(await modelInsights.fit({ db, accountId, signal }, path, CONFIDENCE))
      : null;
  return {
    kind: 'report',
    history: text,
    source: {
      project: presentProjectSummary(project),
      ...others,
      corrections: corrections.map(presentCorrection),
      notes: notes.map(presentNote),
      caseCount,
      fit,
      changedAt: toTimestamp(changedAt),
      version: VERSION,
    },
  };
}

async function readOthers({ db, accountId, path }: Wanted, objectiveId: number) {
  const runs = await readTrialRuns(db, accountId, path, { limit: MOST_OTHERS, after: null, without: objectiveId });
  const present = makePresentTrialRun(runs);
  const others: z.infer<typeof trialRunSchema>[] = [];
  for await (const batch of runs.batches) others.push(...batch.map(present));
  return { others, areOthersCut: runs.nextAfter !== null };
}
