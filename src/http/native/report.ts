import { createHash } from 'node:crypto';
import { z } from 'zod';
import { readTrialRuns } from '../../application/data/read-trial-runs.ts';
import type { ObjectivePath } from '../../application/paths.ts';
import { getHistory, getObjectiveStamp } from '../../application/search/read-history.ts';
import { readReportFacts } from '../../application/search/read-report.ts';
import type { Db } from '../../db/connection/transaction.ts';
import { fitOutputs } from '../../domain/fit.ts';
import { VERSION } from '../../installation.ts';
import { REPORT_POLICY } from '../../report/html.ts';
import { inSlices, type NextSlice } from '../answer/write-json.ts';
import type { HttpDeps } from '../deps.ts';
import { goneSignalOf } from '../gone-signal.ts';
import { type Call, defineOperation, type Operation } from '../operation.ts';
import type { ReportTask } from '../report/report-thread.ts';
import { matchesETag } from '../wire/etag.ts';
import { toTimestamp } from '../wire/fields.ts';
import { bytesSchema, MEDIA_TYPES } from '../wire/formats.ts';
import { presentCorrection } from './corrections.wire.ts';
import { presentFitParameters } from './fit.wire.ts';
import { presentHistory } from './history.wire.ts';
import { presentNote } from './notes.wire.ts';
import { presentProjectSummary } from './projects.wire.ts';
import { makePresentTrialRun, type trialRunSchema } from './trial-runs.wire.ts';

const POLICY = `${REPORT_POLICY}; frame-ancestors 'none'; sandbox`;
/** Of the intervals of a fit. */
const CONFIDENCE = 0.95;
/** More of the trial's other runs are not read. */
const MOST_OTHERS = 1_000;

type ReportCall = Call<ObjectivePath, unknown>;

interface Wanted {
  readonly db: Db;
  readonly accountId: number;
  readonly path: ObjectivePath;
  readonly modelInsights: HttpDeps['modelInsights'];
  /** Fires when nobody waits for the report any more. */
  readonly signal: AbortSignal;
  readonly nextSlice: NextSlice;
}

export const reportOperations: readonly Operation[] = [
  defineOperation({
    method: 'GET',
    path: '/models/{model_id}/projects/{project_id}/trials/{trial_id}/objectives/{objective_id}/report',
    operationId: 'getReport',
    tag: 'Objectives',
    summary: 'Read an objective as a report to print or file: problem, result, margins, charts, runs and log',
    description:
      'As text/html one file that loads nothing, as application/pdf a document on A4. The same state of the objective gives the same bytes: instead of the time of its making a report states that of the last change. Of more than 500 runs it has the best and the last.',
    formats: ['html', 'pdf'],
    hasETag: true,
    answers: {
      200: {
        description: 'The report.',
        mediaType: MEDIA_TYPES.html,
        schema: z.string(),
        otherTypes: { [MEDIA_TYPES.pdf]: bytesSchema },
        headers: {
          ETag: 'Changes with the report.',
          Vary: 'Accept',
          'Content-Disposition': 'A name for the file, from the label or the project.',
        },
      },
      304: { description: 'Nothing has changed since the answer with the ETag in If-None-Match.' },
    },
    handle: async (call) => {
      const format = call.format === 'pdf' ? 'pdf' : 'html';
      const { bytes, name } = await call.deps.reports.write({ ...(await readSource(call)), format });
      const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
      const headers = { etag, vary: 'Accept' };
      if (matchesETag(call.ifNoneMatch, etag)) return { status: 304, headers };
      return {
        status: 200,
        headers: {
          ...headers,
          'content-type': format === 'pdf' ? MEDIA_TYPES.pdf : `${MEDIA_TYPES.html}; charset=utf-8`,
          'content-disposition': `inline; filename="${name}"`,
          ...(format === 'html' && { 'content-security-policy': POLICY }),
        },
        body: Buffer.from(bytes.buffer),
      };
    },
  }),
];

function readSource(call: ReportCall) {
  const { deps, accountId, ids, nextSlice } = call;
  const { db, modelInsights } = deps;
  return readReportSource({ db, accountId, path: ids, modelInsights, signal: goneSignalOf(call), nextSlice });
}

/** Everything that a report is made of; commands use it too. Throws NOT_FOUND. */
export async function readReportSource(wanted: Wanted): Promise<Omit<ReportTask, 'format'>> {
  const { db, accountId, path, modelInsights, signal, nextSlice } = wanted;
  const stamp = await getObjectiveStamp(db, accountId, path);
  const request = { after: 0, every: 1, completed: null, wantsExplanation: true };
  const history = await getHistory(db, accountId, stamp, request);
  let text = '';
  // What somebody is typing is no part of a report.
  for await (const piece of inSlices(presentHistory(history, { ...stamp, typing: [] }), nextSlice)) text += piece;
  const { project, corrections, notes, caseCount, changedAt } = await readReportFacts(db, accountId, stamp, history);
  const others = await readOthers(wanted, history.objective.id);
  const fit =
    fitOutputs(history.objective.objectiveTypes).length > 0
      ? presentFitParameters(await modelInsights.fit({ db, accountId, signal }, path, CONFIDENCE))
      : null;
  return {
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
