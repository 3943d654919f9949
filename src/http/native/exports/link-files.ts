/** The files behind a link: each is a name below its address, and how its content is made. */
import { readReport } from '../../../application/exports/read-report.ts';
import { readKeptFile } from '../../../application/exports/shared-links.ts';
import { getObjectiveStamp, getRunTable } from '../../../application/search/read-history.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { SharedKind, SharedSubject } from '../../../domain/exports/shared-link.ts';
import { fileName } from '../../../presentation/file-name.ts';
import type { Download } from '../../../report/document.ts';
import { REPORT_POLICY } from '../../../report/html.ts';
import { answerDocument } from '../../answer/answer-document.ts';
import { answerRows } from '../../answer/rows.ts';
import type { NextSlice } from '../../answer/write-json.ts';
import type { HandlerDeps } from '../../operation/deps.ts';
import type { Answer } from '../../operation/operation.ts';
import type { ReportTask } from '../../report/report-thread.ts';
import { toRunTable } from '../search/runs.wire.ts';
import { inCellQuery } from './links.wire.ts';
import { presentReport } from './report.wire.ts';

interface SharedRequest {
  readonly deps: HandlerDeps;
  readonly subject: SharedSubject;
  readonly ifNoneMatch: string | undefined;
  readonly signal: AbortSignal;
  readonly nextSlice: NextSlice;
}

interface SharedFile {
  /** Below the address of the link; '' is the page itself. */
  readonly name: string;
  /** Text with which the page offers it; null: it does not. */
  readonly text: string | null;
  /** The kinds of links that have it. */
  readonly kinds: readonly SharedKind[];
  answer(request: SharedRequest): Promise<Answer>;
}

const BOTH: readonly SharedKind[] = ['objective', 'report'];

export const SHARED_FILES: readonly SharedFile[] = [
  { name: '', text: null, kinds: BOTH, answer: (request) => answerReport(request, 'html') },
  { name: 'report.pdf', text: 'PDF', kinds: BOTH, answer: (request) => answerReport(request, 'pdf') },
  { name: 'runs.csv', text: 'Runs as CSV', kinds: ['objective'], answer: (request) => answerRuns(request, 'csv') },
  { name: 'runs.xlsx', text: 'Runs as XLSX', kinds: ['objective'], answer: (request) => answerRuns(request, 'xlsx') },
];

/** Downloads that the page of a link offers. */
export function downloadsOf(kind: SharedKind, cell: string | undefined): readonly Download[] {
  return SHARED_FILES.flatMap(({ name, text, kinds }) =>
    text !== null && kinds.includes(kind) ? [{ text, href: `${name}${inCellQuery(cell)}` }] : [],
  );
}

/** The page may offer downloads, but may not run, load or send anything. */
const SHARED_POLICY = `${REPORT_POLICY}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox allow-downloads`;

type Format = ReportTask['format'];

async function answerReport(request: SharedRequest, format: Format): Promise<Answer> {
  const file = await (request.subject.kind === 'report' ? readKept : writeNow)(request, format);
  const { ifNoneMatch } = request;
  return answerDocument(file, { format, ifNoneMatch, policy: SHARED_POLICY, isPdfAttached: true });
}

async function writeNow({ deps, subject, signal, nextSlice }: SharedRequest, format: Format) {
  const { accountId, objectiveId, kind } = subject;
  const { db, modelInsights } = deps;
  const report = await readReport({ db, accountId, path: { objectiveId }, modelInsights, signal });
  const source = await presentReport(report, nextSlice);
  return deps.reports.write({ ...source, format, downloads: downloadsOf(kind, deps.settings.cell) });
}

async function readKept({ deps, subject }: SharedRequest, format: Format) {
  const kept = await readKeptFile(deps.db, subject, format);
  // Revoked since the token was looked up.
  if (kept === undefined) throw new DomainError('SHARED_LINK_ENDED', 'This link has just been revoked.');
  return { bytes: kept.bytes, name: kept.fileName.replace(/\.html$/, `.${format}`) };
}

/** All runs of the objective. */
async function answerRuns({ deps, subject, nextSlice }: SharedRequest, format: 'csv' | 'xlsx'): Promise<Answer> {
  const { accountId, objectiveId } = subject;
  const stamp = await getObjectiveStamp(deps.db, accountId, { objectiveId });
  const all = { iteration: 0, inverseId: 0, limit: Number.POSITIVE_INFINITY, withDerivatives: false };
  const table = toRunTable(await getRunTable(deps.db, accountId, stamp, all), false);
  const name = fileName(`objective ${objectiveId} runs`, format);
  const flags = { bom: true };
  return answerRows({ format, texts: {}, flags, nextSlice }, table, {
    'content-disposition': `attachment; filename="${name}"`,
  });
}
