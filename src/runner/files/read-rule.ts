/**
 * Finds a value in a file that a program leaves, by rules such as
 *
 *   out.txt                               a file with one number
 *   out.txt:/mass = (\S+)/                the first group, or all, of the last match; /.../first takes the first, i ignores case
 *   out.json#/results/0/mass              a value in a JSON file, by JSON pointer (RFC 6901)
 *   out.csv:column h                      all cells of a column below the header, for an output that is an array
 *   out.csv:row 3 column mass             a cell of a table: the third row below the header; `row last`; column 2 counts from 1,
 *                                         and then the first line is row 1
 *   out.dat:row 3 columns 21-30           characters of a line, for columns that touch; the first line is row 1
 *   out.csv:titles in line 3, row ...     tables whose titles are not in the first line, `titles (time, mass)` where they are missing, or
 *                                         `no titles`; `rows from line 5` where units stand below the titles
 *
 * What is not plainly the output of the run is not read: see table.ts, find-pattern.ts, log-gap.ts.
 */
import path from 'node:path';
import { LocalFault } from '../../../clients/typescript/src/evaluator/evaluation.ts';
import {
  readColumns,
  readEvenTable,
  readPositions,
  readTitledTable,
  refuseThousands,
  TableError,
  type TableLayout,
  type TableRow,
} from '../../../clients/typescript/src/solve/table.ts';
import { findByPattern } from './find-pattern.ts';
import { parseJson } from './json-text.ts';
import { findInLog, isLog, type Part } from './log-gap.ts';
import { ReadingError } from './reading-error.ts';
import { isOutside } from './work-folder.ts';

type Find = (text: string) => unknown;

/** A place in a file. */
export interface Place {
  readonly file: string;
  readonly find: Find;
  readonly part: Part;
}

/** @param origin  the rule with its flag, for messages. Throws LocalFault. */
export function parsePlace(text: string, origin: string): Place {
  for (const [pattern, make] of SELECTORS) {
    const match = pattern.exec(text);
    if (match === null) continue;
    const part = pattern === PATTERN ? partOf(match[3]!) : 'all';
    return { file: checkFile(match[1]!, origin), find: make(match, origin), part };
  }
  return { file: checkFile(text, origin), find: (content) => content.trim(), part: 'all' };
}

/** @param flags  behind a pattern */
function partOf(flags: string): Part {
  return flags.includes('first') ? 'first' : 'last';
}

/** Returns the value that the rule finds, undefined if it finds none, or the reason why it is not plainly the value asked for. */
export function findAt({ file, find, part }: Place, content: string): unknown {
  try {
    return isLog(file) ? findInLog(content, find, part) : find(content);
  } catch (error) {
    if (error instanceof TableError || error instanceof ReadingError) return error;
    throw error;
  }
}

/** A file outside the work folder could be of another evaluation, or an old one. */
export function checkFile(file: string, origin: string): string {
  const normal = path.normalize(file);
  if (file === '' || isOutside(file)) {
    throw new LocalFault(`${origin}: name a file in the work folder, where the command runs, not "${file}".`);
  }
  return normal;
}

const PATTERN = /^(.+?):\s*\/(.*)\/(\w*)$/s;
/** FILE, and behind a colon what its table does not say of itself. */
const TABLE = String.raw`^(.+?):\s*((?:(?:no\s+titles|titles\s+in\s+line\s+\d+|titles\s*\([^()]*\)|rows\s+from\s+line\s+\d+)\s*,\s*)*)`;

const SELECTORS: readonly (readonly [RegExp, (match: RegExpExecArray, origin: string) => Find])[] = [
  [PATTERN, ([, , pattern, flags], origin) => findByPattern(pattern!, flags!, origin)],
  [/^(.+?)#((?:\/.*)?)$/, ([, , pointer], origin) => findByPointer(pointer!, origin)],
  [
    /^(.+?):\s*row\s+(\d+|last)\s+columns\s+(\d+)\s*-\s*(\d+)$/,
    ([, , row, from, to], origin) => findPositions(row!, Number(from), Number(to), origin),
  ],
  [
    new RegExp(String.raw`${TABLE}row\s+(\d+|last)\s+column\s+(.+)$`),
    ([, , layout, row, column], origin) => findCell(readLayout(layout!, origin), row!, column!.trim(), origin),
  ],
  [
    new RegExp(String.raw`${TABLE}column\s+(.+)$`),
    ([, , layout, column], origin) => findColumn(readLayout(layout!, origin), column!.trim()),
  ],
  [
    /^(.+?):(?=\s*(?:row|titles|no\s+titles|\/))/,
    (_, origin) => {
      throw new LocalFault(
        `${origin}: write FILE:/PATTERN/, FILE:row 3 column NAME or FILE:titles in line 2, row 3 column NAME.`,
      );
    },
  ],
];

function readLayout(text: string, origin: string): TableLayout {
  const stated = [
    ...text.matchAll(/(no\s+titles)|titles\s+in\s+line\s+(\d+)|titles\s*\(([^()]*)\)|rows\s+from\s+line\s+(\d+)/g),
  ];
  const titles = stated.flatMap(([, none, line, given]): NonNullable<TableLayout['titles']>[] => {
    if (none !== undefined) return ['none'];
    if (given !== undefined) return [given.split(',').map((title) => title.trim())];
    return line === undefined ? [] : [Number(line)];
  });
  const from = stated.flatMap(([, , , , line]) => (line === undefined ? [] : [Number(line)]));
  if (titles.length > 1 || from.length > 1) throw new LocalFault(`${origin}: say once where titles and rows are.`);
  if (titles[0] === 0 || from[0] === 0) throw new LocalFault(`${origin}: lines count from 1.`);
  return { titles: titles[0], rowsFrom: from[0] };
}

function findByPointer(pointer: string, origin: string): Find {
  const keys = pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (/~(?![01])/.test(pointer)) throw new LocalFault(`${origin}: in a JSON pointer, ~ is written ~0 and / ~1.`);
  return (content) => {
    let value = parseJson(content)?.value;
    for (const key of keys) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
      value = (value as Readonly<Record<string, unknown>>)[key];
    }
    return value;
  };
}

function findPositions(row: string, from: number, to: number, origin: string): Find {
  if (row === '0') throw new LocalFault(`${origin}: rows count from 1.`);
  if (from < 1 || to < from) throw new LocalFault(`${origin}: columns count from 1, as in columns 21-30.`);
  return (content) => readPositions(content, row === 'last' ? row : Number(row), from, to);
}

/** By the number of a column every line is a row, unless the rule says where titles are. */
function findCell(layout: TableLayout, row: string, column: string, origin: string): Find {
  if (row === '0') throw new LocalFault(`${origin}: rows count from 1.`);
  const number = /^\d+$/.test(column) ? Number(column) : undefined;
  if (number === 0) throw new LocalFault(`${origin}: columns count from 1.`);
  return (content) => {
    if (number !== undefined && layout.titles !== 'none') {
      const all =
        layout.titles === undefined ? readEvenTable(content, layout.rowsFrom) : readTitledTable(content, layout).rows;
      return cellOf(all, row, number - 1);
    }
    const { rows, places } = readColumns(content, [column], layout);
    return cellOf(rows, row, places[0]!);
  };
}

function cellOf(rows: readonly TableRow[], row: string, place: number): string | undefined {
  const cell = (row === 'last' ? rows.at(-1) : rows[Number(row) - 1])?.cells[place];
  refuseThousands(rows, place, cell);
  return cell;
}

function findColumn(layout: TableLayout, column: string): Find {
  return (content) => {
    const { rows, places } = readColumns(content, [column], layout);
    return rows.map(({ cells }) => cells[places[0]!] || null);
  };
}
