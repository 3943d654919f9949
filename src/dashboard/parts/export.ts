/** Takes data and pictures out of the page: text of tables, and files to save. */

import { fileName } from '../../presentation/file-name.ts';
import type { Drawing, PlotColours } from '../../presentation/plot.ts';
import { guardText } from './formula.ts';

export { fileName };

export type Cell = string | number | boolean | null | undefined;

function toText(cell: Cell): string {
  if (cell === null || cell === undefined) return '';
  return typeof cell === 'string' ? guardText(cell) : String(cell);
}

/** CSV as in RFC 4180. Numbers have all their digits; null is empty. */
export function toCsv(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const quote = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return [header, ...rows].map((row) => `${row.map((cell) => quote(toText(cell))).join(',')}\r\n`).join('');
}

/** The same with tabs, for pasting into spreadsheets. */
export function toTabs(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const quote = (text: string) => (/["\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return [header, ...rows].map((row) => `${row.map((cell) => quote(toText(cell))).join('\t')}\n`).join('');
}

/** Lets the browser save a file. */
export function save(name: string, content: Blob | string, type = 'text/plain'): void {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser reads it after this task.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export function saveCsv(title: string, header: readonly string[], rows: readonly (readonly Cell[])[]): void {
  save(fileName(title, 'csv'), toCsv(header, rows), 'text/csv;charset=utf-8');
}

export function saveJson(title: string, value: unknown): void {
  save(fileName(title, 'json'), JSON.stringify(value, null, 2), 'application/json');
}

/** Loaded with the first picture that is saved. */
async function toSvg(drawing: Drawing, colours: PlotColours): Promise<string> {
  const { drawSvg } = await import('../../presentation/drawing.ts');
  return drawSvg(drawing, colours);
}

export async function saveSvg(drawing: Drawing, colours: PlotColours): Promise<void> {
  save(fileName(drawing.title, 'svg'), await toSvg(drawing, colours), 'image/svg+xml');
}

/** Twice as many pixels as the drawing has points, for sharp print. Rejects if the browser cannot draw it. */
export async function savePng(drawing: Drawing, colours: PlotColours): Promise<void> {
  const address = URL.createObjectURL(new Blob([await toSvg(drawing, colours)], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = image.naturalWidth * 2;
    canvas.height = image.naturalHeight * 2;
    canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
    if (blob === null) throw new Error('The browser could not create the picture. Save it as SVG instead.');
    save(fileName(drawing.title, 'png'), blob);
  } finally {
    URL.revokeObjectURL(address);
  }
}
