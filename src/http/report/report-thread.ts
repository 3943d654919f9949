/** Runs in a worker thread: makes the file of a report, so that no request waits while it is laid out. */
import '../../earlier-node.ts';
import { readFile } from 'node:fs/promises';
import { move, transferableSymbol, valueSymbol } from 'piscina';
import { ROOT } from '../../installation.ts';
import { fileName } from '../../presentation/file-name.ts';
import { type CardSource, makeCard } from '../../report/card.ts';
import type { Download, Report } from '../../report/document.ts';
import { writeHtml } from '../../report/html.ts';
import { makeReport } from '../../report/make-report.ts';
import type { ReportSource } from '../../report/source.ts';

/** Document that is made of a history. */
type Subject =
  | { readonly kind: 'report'; readonly source: Omit<ReportSource, 'history'> }
  | { readonly kind: 'card'; readonly source: Omit<CardSource, 'history'> };

/** A report or a card, before it is known in which format. */
export type Wanted = Subject & {
  /** As JSON: cheaper to hand over than its values. */
  readonly history: string;
};
export type WantedReport = Extract<Wanted, { readonly kind: 'report' }>;

export type ReportTask = Wanted & {
  readonly format: 'html' | 'pdf';
  /** Other forms of it that the HTML offers; default: none. */
  readonly downloads?: readonly Download[];
};

export interface ReportFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** In every file system. */
  readonly name: string;
}

export default async function run(task: ReportTask): Promise<unknown> {
  const { kind, format, downloads = [] } = task;
  const report = { ...make(task), downloads };
  const bytes = format === 'html' ? new TextEncoder().encode(writeHtml(report)) : await toPdf(report);
  // A buffer of a pool cannot be moved.
  const own = new Uint8Array(bytes);
  const file: ReportFile = { bytes: own, name: fileName(`${report.title} ${kind}`, format) };
  return move({ [transferableSymbol]: [own.buffer], [valueSymbol]: file });
}

function make({ kind, source, ...task }: ReportTask): Report {
  const history = JSON.parse(task.history) as ReportSource['history'];
  return kind === 'card' ? makeCard({ ...source, history }) : makeReport({ ...source, history });
}

async function toPdf(report: Report): Promise<Uint8Array<ArrayBuffer>> {
  const { writePdf } = await import('../../report/pdf.ts');
  const font = (name: string) => readFile(new URL(`fonts/${name}.ttf`, ROOT));
  return writePdf(report, { regular: await font('DejaVuSans'), bold: await font('DejaVuSans-Bold') });
}
