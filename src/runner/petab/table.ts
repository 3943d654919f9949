/** Tables of PEtab: text with tabs and a line of titles. */

import { readNumber } from '../../../clients/typescript/src/solve/number-text.ts';
import { readTable } from '../../../clients/typescript/src/solve/table.ts';
import { PetabError } from './petab-error.ts';

export interface PetabTable {
  /** The name of the file, as the problem names it. */
  readonly file: string;
  readonly titles: readonly string[];
  readonly rows: readonly PetabRow[];
}

export interface PetabRow {
  /** Position of the row, for messages. */
  readonly where: string;
  /** By the titles; empty ones are absent. */
  readonly cells: ReadonlyMap<string, string>;
}

/** Throws PetabError. */
export function parsePetabTable(text: string, file: string, needed: readonly string[]): PetabTable {
  const [head, ...lines] = readTable(text.replace(/^\uFEFF/, ''));
  const titles = head?.cells ?? [];
  const missing = needed.find((title) => !titles.includes(title));
  if (missing !== undefined) throw new PetabError(`${file} has no column ${missing}.`);
  const rows = lines.map(({ line, cells }) => ({
    where: `${file}:${line}`,
    cells: new Map(titles.flatMap((title, i) => (isEmpty(cells[i]) ? [] : [[title, cells[i]!] as const]))),
  }));
  return { file, titles, rows };
}

function isEmpty(cell: string | undefined): boolean {
  return cell === undefined || cell === '' || /^nan$/i.test(cell);
}

/** @param added  a title that takes the place of another one */
export function formatPetabTable({ titles, rows }: Pick<PetabTable, 'titles' | 'rows'>): string {
  const lines = rows.map(({ cells }) => titles.map((title) => cells.get(title) ?? '').join('\t'));
  return [titles.join('\t'), ...lines, ''].join('\n');
}

/** Throws PetabError where there is none. */
export function textOfCell({ where, cells }: PetabRow, title: string): string {
  const cell = cells.get(title);
  if (cell === undefined) throw new PetabError(`${where}: ${title} is missing.`);
  return cell;
}

/** Undefined for an empty cell; infinity only where it is a time. Throws PetabError for what is no number. */
export function numberOfCell(row: PetabRow, title: string): number | undefined {
  const cell = row.cells.get(title);
  if (cell === undefined) return undefined;
  if (title === 'time' && /^\+?inf(inity)?$/i.test(cell)) return Number.POSITIVE_INFINITY;
  const number = readNumber(cell);
  if (number !== undefined && Number.isFinite(number)) return number;
  throw new PetabError(`${row.where}: ${title} must be a number, is "${cell}".`);
}

/** Undefined for an empty cell and an infinite bound, which bounds nothing. Throws PetabError for what is no number. */
export function boundOfCell(row: PetabRow, title: string): number | undefined {
  return /^[-+]?inf(inity)?$/i.test(row.cells.get(title) ?? '') ? undefined : numberOfCell(row, title);
}
