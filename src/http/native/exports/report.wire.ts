/** Presents what a report is laid out from, as the interface writes it. */
import type { z } from 'zod';
import type { Report } from '../../../application/exports/read-report.ts';
import type { History, ObjectiveStamp } from '../../../application/search/read-history.ts';
import type { TrialRuns } from '../../../application/search/read-trial-runs.ts';
import { VERSION } from '../../../installation.ts';
import { inSlices, type NextSlice } from '../../answer/write-json.ts';
import type { WantedReport } from '../../report/report-thread.ts';
import { toTimestamp } from '../../wire/fields.ts';
import { presentCorrection } from '../corrections/corrections.wire.ts';
import { presentNote } from '../notes/notes.wire.ts';
import { presentProjectSummary } from '../problem/projects.wire.ts';
import { presentFitParameters } from '../search/fit.wire.ts';
import { presentHistory } from '../search/history.wire.ts';
import { makePresentTrialRun, type trialRunSchema } from '../search/trial-runs.wire.ts';

/** Reads all runs of the report. */
export async function presentReport(report: Report, nextSlice: NextSlice): Promise<WantedReport> {
  const { stamp, history, project, corrections, notes, caseCount, changedAt, others, fit } = report;
  return {
    kind: 'report',
    history: await writeHistory(history, stamp, nextSlice),
    source: {
      project: presentProjectSummary(project),
      ...(await presentOthers(others)),
      corrections: corrections.map(presentCorrection),
      notes: notes.map(presentNote),
      caseCount,
      fit: fit && presentFitParameters(fit),
      changedAt: toTimestamp(changedAt),
      version: VERSION,
    },
  };
}

/** JSON, written in slices. */
export async function writeHistory(history: History, stamp: ObjectiveStamp, nextSlice: NextSlice): Promise<string> {
  let text = '';
  // Text that somebody is typing is never printed.
  for await (const piece of inSlices(presentHistory(history, { ...stamp, typing: [] }), nextSlice)) text += piece;
  return text;
}

async function presentOthers(runs: TrialRuns) {
  const present = makePresentTrialRun(runs);
  const others: z.infer<typeof trialRunSchema>[] = [];
  for await (const batch of runs.batches) others.push(...batch.map(present));
  return { others, areOthersCut: runs.nextAfter !== null };
}
