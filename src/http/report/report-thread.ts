/** Runs in a worker thread: makes the file of a report, so that no request waits while it is laid out. */
import '../../earlier-node.ts';
import { readFile } from 'node:fs/promises';
import { move, transferableSymbol, valueSymbol } from 'piscina';
import { ROOT } from '../../installation.ts';
import type { Download } from '../../report/document.ts';
import { writeHtml } from '../../report/html.ts';
import { makeReport } from '../../report/make-report.ts';
import type { ReportSource } from '../../report/source.ts';
import { fileName } from '../../shown/file-name.ts';

export interface ReportTask {
  /** As JSON: cheaper to hand over than its values. */
  readonly history: string;
  readonly source: Omit<ReportSource, 'history'>;
  readonly format: 'html' | 'pdf';
  /** Other forms of it that the HTML offers; default: none. */
  readonly downloads?: readonly Download[];
}

export interface ReportFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** In every file system. */
  readonly name: string;
}

export default async function run({ history, source, format, downloads = [] }: ReportTask): Promise<unknown> {
  const made = makeReport({ ...source, history: JSON.parse(history) as ReportSource['history'] });
  const report = { ...made, downloads };
  const bytes = format === 'html' ? new TextEncoder().encode(writeHtml(report)) : await toPdf(report);
  // A buffer of a pool cannot be moved.
  const own = new Uint8Array(bytes);
  const file: ReportFile = { bytes: own, name: fileName(`${report.title} report`, format) };
  return move({ [transferableSymbol]: [own.buffer], [valueSymbol]: file });
}

async function toPdf(report: ReturnType<typeof makeReport>): Promise<Uint8Array<ArrayBuffer>> {
  const { writePdf } = await import('../../report/pdf.ts');
  const font = (name: string) => readFile(new URL(`fonts/${name}.ttf`, ROOT));
  return writePdf(report, { regular: await font('DejaVuSans'), bold: await font('DejaVuSans-Bold') });
}
