/**
 * Outputs in files that a program leaves in its work folder. A rule is one of
 *
 *   out.json                              a JSON file with all outputs: a list, or an object by name
 *   mass=out.txt                          a file with one number
 *   mass=out.txt:/mass = (\S+)/           the first group, or all, of the last match; /.../first takes the first, i ignores case
 *   mass=out.json#/results/0/mass         a value in a JSON file, by JSON pointer (RFC 6901)
 *   level=out.csv:column h                 all cells of a column below the header, for an output that is an array
 *   mass=out.csv:row 3 column mass        a cell of a table: the third row below the header; `row last`; column 2 counts from 1,
 *                                         and then the first line is row 1
 *   mass=out.dat:row 3 columns 21-30      characters of a line, for columns that touch; the first line is row 1
 *
 * What is not plainly the output of the run is not read: see table.ts, find-pattern.ts, log-gap.ts.
 */
import path from 'node:path';
import { LocalFault } from '../../clients/typescript/src/evaluator/evaluation.ts';
import {
  findTitle,
  readEvenTable,
  readPositions,
  readTitledTable,
  TableError,
} from '../../clients/typescript/src/solve/table.ts';
import { type Expected, parseJson, placeInArray, type Reading, readDocument, shorten, toOutput } from './exchange.ts';
import { findByPattern } from './find-pattern.ts';
import { findInLog, isLog } from './log-gap.ts';
import { readRegularFile } from './read-file.ts';
import { ReadingError } from './reading-error.ts';
import { isOutside } from './work-folder.ts';

type Find = (text: string) => unknown;

interface Rule {
  /** Undefined: the file has all outputs. */
  readonly name: string | undefined;
  readonly file: string;
  readonly find: Find;
  /** Which part of a text is enough, where the middle is missing: the last match lies behind, the first one before. */
  readonly part: 'first' | 'last' | 'all';
  /** As given, for messages. */
  readonly text: string;
}

export interface OutputReader {
  /** Throws LocalFault unless every output has its rule and every rule its output. */
  check(names: readonly string[]): void;
  /** Files that must not be there when the command begins, so that no old one is read. */
  readonly removes?: readonly string[];
  read(folder: string, expected: Expected): Promise<Reading>;
}

/** Columns of a CSV file that are the curve of an output; x is null for the points of its data. */
export interface CurvePlace {
  readonly name: string;
  readonly csv: string;
  readonly x: string | null;
  readonly y: string;
}

/** Throws LocalFault naming the rule that is wrong. */
export function makeOutputReader(texts: readonly string[], curves: readonly CurvePlace[] = []): OutputReader {
  const rules = [...texts.map(parseRule), ...curves.map(ruleOfCurve)];
  const whole = rules.find(({ name }) => name === undefined);
  if (whole !== undefined && rules.length > 1) {
    throw new LocalFault(`--read ${whole.text} reads all outputs; leave the other rules out, or give it an output.`);
  }
  const twice = rules.find(({ name }, i) => rules.findIndex((rule) => rule.name === name) !== i);
  if (twice !== undefined) throw new LocalFault(`--read ${twice.text}: "${twice.name}" has a rule already.`);
  return {
    removes: rules.map(({ file }) => file),
    check(names) {
      if (whole !== undefined) return;
      const arrays = names.map((name) => placeInArray(name)?.array);
      const unknown = rules.find(({ name }) => !names.includes(name!) && !arrays.includes(name!));
      if (unknown !== undefined) {
        const fault = `there is no output "${unknown.name}"; the outputs are ${names.join(', ')}.`;
        throw new LocalFault(`--read ${unknown.text}: ${fault}`);
      }
      const missing = names.filter((name) => ruleOf(rules, name) === undefined);
      if (missing.length > 0) throw new LocalFault(`No --read says where to find the output ${missing.join(', ')}.`);
    },

    async read(folder, expected) {
      const { names, fits } = expected;
      const texts = new Map<string, string>();
      for (const { file } of rules) {
        if (texts.has(file)) continue;
        const text = await readRegularFile(path.join(folder, file)).then(
          (bytes) => bytes.toString('utf8'),
          (error: NodeJS.ErrnoException) => error,
        );
        if (text instanceof Error) return { kind: 'unreadable', reason: `${file}: ${whatIsWrong(text)}` };
        texts.set(file, text);
      }
      if (whole !== undefined) return readDocument(texts.get(whole.file)!, expected, whole.file);
      const output: number[] = [];
      for (const name of names) {
        const rule = ruleOf(rules, name)!;
        const found = findBy(rule, texts.get(rule.file)!);
        if (found instanceof Error) return { kind: 'unreadable', reason: `${rule.text}: ${found.message}` };
        const value = partOf(found, name, rule);
        if (value === undefined) return { kind: 'unreadable', reason: `${rule.text}: nothing was found` };
        const reading = toOutput([value], { names: [name], fits }, rule.file);
        if (reading.kind !== 'output') return reading;
        output.push(...reading.output);
      }
      return { kind: 'output', output };
    },
  };
}

/** Of an output, or of the array that it is a value of. */
function ruleOf(rules: readonly Rule[], name: string): Rule | undefined {
  return rules.find((one) => one.name === name) ?? rules.find((one) => one.name === placeInArray(name)?.array);
}

/** What it finds, or why that is not plainly the output. */
function findBy(rule: Rule, content: string): unknown {
  try {
    return isLog(rule.file) ? findInLog(content, rule.find, rule.part) : rule.find(content);
  } catch (error) {
    if (error instanceof TableError || error instanceof ReadingError) return error;
    throw error;
  }
}

function partOf(found: unknown, name: string, rule: Rule): unknown {
  if (rule.name === name) return found;
  return Array.isArray(found) ? found[placeInArray(name)!.at] : undefined;
}

function parseRule(text: string): Rule {
  const equals = text.indexOf('=');
  if (equals < 0)
    return { name: undefined, file: checkFile(text, text), find: (content) => content, part: 'all', text };
  const name = text.slice(0, equals).trim();
  const source = text.slice(equals + 1).trim();
  if (name === '') throw new LocalFault(`--read ${text}: the name of the output is missing before "=".`);
  for (const [pattern, make] of SELECTORS) {
    const match = pattern.exec(source);
    if (match === null) continue;
    const part = pattern !== PATTERN ? 'all' : match[3]!.includes('first') ? 'first' : 'last';
    return { name, file: checkFile(match[1]!, text), find: make(match, text), part, text };
  }
  return { name, file: checkFile(source, text), find: (content) => content.trim(), part: 'all', text };
}

function ruleOfCurve({ name, csv, x, y }: CurvePlace): Rule {
  const text = `${name}: ${csv}, ${x === null ? `column ${y}` : `columns ${x} and ${y}`}`;
  const find = (content: string) => {
    const table = readTitledTable(content);
    const [atX, atY] = [x ?? y, y].map((title) => findTitle(table, title));
    if (atX === undefined || atY === undefined) return undefined;
    const column = (at: number) => table.rows.map(({ cells }) => cells[at] || null);
    return x === null ? column(atY) : { x: column(atX), y: column(atY) };
  };
  return { name, file: checkFile(csv, text), find, part: 'all', text };
}

const PATTERN = /^(.+?):\s*\/(.*)\/(\w*)$/s;
const SELECTORS: readonly (readonly [RegExp, (match: RegExpExecArray, text: string) => Find])[] = [
  [PATTERN, ([, , pattern, flags], text) => findByPattern(pattern!, flags!, text)],
  [/^(.+?)#((?:\/.*)?)$/, ([, , pointer], text) => findByPointer(pointer!, text)],
  [
    /^(.+?):\s*row\s+(\d+|last)\s+columns\s+(\d+)\s*-\s*(\d+)$/,
    ([, , row, from, to], text) => findPositions(row!, Number(from), Number(to), text),
  ],
  [/^(.+?):\s*row\s+(\d+|last)\s+column\s+(.+)$/, ([, , row, column], text) => findCell(row!, column!.trim(), text)],
  [/^(.+?):\s*column\s+(.+)$/, ([, , column]) => findColumn(column!.trim())],
  [
    /^(.+?):(?=\s*(?:row|\/))/,
    (_, text) => {
      throw new LocalFault(`--read ${text}: write FILE:/PATTERN/ or FILE:row 3 column NAME.`);
    },
  ],
];

/** A file outside the work folder could be of another evaluation, or an old one. */
export function checkFile(file: string, text: string): string {
  const normal = path.normalize(file);
  if (file === '' || isOutside(file)) {
    throw new LocalFault(`--read ${text}: name a file in the work folder, where the command runs, not "${file}".`);
  }
  return normal;
}

function findByPointer(pointer: string, text: string): Find {
  const keys = pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (/~(?![01])/.test(pointer)) throw new LocalFault(`--read ${text}: in a JSON pointer, ~ is written ~0 and / ~1.`);
  return (content) => {
    let value = parseJson(content)?.value;
    for (const key of keys) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
      value = (value as Readonly<Record<string, unknown>>)[key];
    }
    return value;
  };
}

function findPositions(row: string, from: number, to: number, text: string): Find {
  if (row === '0') throw new LocalFault(`--read ${text}: rows count from 1.`);
  if (from < 1 || to < from) throw new LocalFault(`--read ${text}: columns count from 1, as in columns 21-30.`);
  return (content) => readPositions(content, row === 'last' ? row : Number(row), from, to);
}

function findCell(row: string, column: string, text: string): Find {
  if (row === '0') throw new LocalFault(`--read ${text}: rows count from 1.`);
  const number = /^\d+$/.test(column) ? Number(column) : undefined;
  if (number === 0) throw new LocalFault(`--read ${text}: columns count from 1.`);
  return (content) => {
    const table = number === undefined ? readTitledTable(content) : undefined;
    const rows = table?.rows ?? readEvenTable(content);
    const cells = (row === 'last' ? rows.at(-1) : rows[Number(row) - 1])?.cells;
    const at = table === undefined ? number! - 1 : findTitle(table, column);
    return at === undefined ? undefined : cells?.[at];
  };
}

function findColumn(title: string): Find {
  return (content) => {
    const table = readTitledTable(content);
    const at = findTitle(table, title);
    return at === undefined ? undefined : table.rows.map(({ cells }) => cells[at] || null);
  };
}

export function whatIsWrong(error: NodeJS.ErrnoException): string {
  return error.code === 'ENOENT' ? 'the command left no such file' : shorten(error.message);
}
