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
 */
import path from 'node:path';
import { LocalFault } from '../../clients/typescript/src/evaluator/evaluation.ts';
import { readTable } from '../../clients/typescript/src/solve/table.ts';
import { type Expected, placeInArray, type Reading, readDocument, shorten, toOutput } from './exchange.ts';
import { readRegularFile } from './read-file.ts';
import { isOutside } from './work-folder.ts';

type Find = (text: string) => unknown;

interface Rule {
  /** Undefined: the file has all outputs. */
  readonly name: string | undefined;
  readonly file: string;
  readonly find: Find;
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
        const value = partOf(rule.find(texts.get(rule.file)!), name, rule);
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

function partOf(found: unknown, name: string, rule: Rule): unknown {
  if (rule.name === name) return found;
  return Array.isArray(found) ? found[placeInArray(name)!.at] : undefined;
}

function parseRule(text: string): Rule {
  const equals = text.indexOf('=');
  if (equals < 0) return { name: undefined, file: checkFile(text, text), find: (content) => content, text };
  const name = text.slice(0, equals).trim();
  const source = text.slice(equals + 1).trim();
  if (name === '') throw new LocalFault(`--read ${text}: the name of the output is missing before "=".`);
  for (const [pattern, make] of SELECTORS) {
    const match = pattern.exec(source);
    if (match !== null) return { name, file: checkFile(match[1]!, text), find: make(match, text), text };
  }
  return { name, file: checkFile(source, text), find: (content) => content.trim(), text };
}

function ruleOfCurve({ name, csv, x, y }: CurvePlace): Rule {
  const text = `${name}: ${csv}, ${x === null ? `column ${y}` : `columns ${x} and ${y}`}`;
  const find = (content: string) => {
    const [titles, ...rows] = readTable(content);
    const column = (title: string) => rows.map(({ cells }) => cells[titles!.cells.indexOf(title)] || null);
    if (![x ?? y, y].every((title) => titles?.cells.includes(title))) return undefined;
    return x === null ? column(y) : { x: column(x), y: column(y) };
  };
  return { name, file: checkFile(csv, text), find, text };
}

const SELECTORS: readonly (readonly [RegExp, (match: RegExpExecArray, text: string) => Find])[] = [
  [/^(.+?):\s*\/(.*)\/(\w*)$/s, ([, , pattern, flags], text) => findByPattern(pattern!, flags!, text)],
  [/^(.+?)#((?:\/.*)?)$/, ([, , pointer], text) => findByPointer(pointer!, text)],
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

function findByPattern(source: string, flags: string, text: string): Find {
  const match = /^(i?)(first)?(i?)$/.exec(flags);
  if (match === null)
    throw new LocalFault(`--read ${text}: "${flags}" is unknown; after /.../ comes i, first or nothing.`);
  let pattern: RegExp;
  try {
    pattern = new RegExp(source, flags.includes('i') && flags !== 'first' ? 'gmi' : 'gm');
  } catch (error) {
    throw new LocalFault(`--read ${text}: ${(error as Error).message}.`);
  }
  const isFirst = match[2] !== undefined;
  return (content) => {
    let found: RegExpExecArray | undefined;
    for (const one of content.matchAll(pattern)) {
      found = one;
      if (isFirst) break;
    }
    return found?.[1] ?? found?.[0];
  };
}

function findByPointer(pointer: string, text: string): Find {
  const keys = pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (/~(?![01])/.test(pointer)) throw new LocalFault(`--read ${text}: in a JSON pointer, ~ is written ~0 and / ~1.`);
  return (content) => {
    let value: unknown;
    try {
      value = JSON.parse(content);
    } catch {
      return undefined;
    }
    for (const key of keys) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
      value = (value as Readonly<Record<string, unknown>>)[key];
    }
    return value ?? undefined;
  };
}

function findCell(row: string, column: string, text: string): Find {
  if (row === '0') throw new LocalFault(`--read ${text}: rows count from 1.`);
  const number = /^\d+$/.test(column) ? Number(column) : undefined;
  if (number === 0) throw new LocalFault(`--read ${text}: columns count from 1.`);
  return (content) => {
    const rows = readTable(content);
    const body = number === undefined ? rows.slice(1) : rows;
    const cells = row === 'last' ? body.at(-1) : body[Number(row) - 1];
    const at = number === undefined ? (rows[0]?.cells ?? []).indexOf(column) : number - 1;
    return cells?.cells[at];
  };
}

function findColumn(title: string): Find {
  return (content) => {
    const [titles, ...rows] = readTable(content);
    const at = titles?.cells.indexOf(title) ?? -1;
    return at < 0 ? undefined : rows.map(({ cells }) => cells[at] || null);
  };
}

export function whatIsWrong(error: NodeJS.ErrnoException): string {
  return error.code === 'ENOENT' ? 'the command left no such file' : shorten(error.message);
}
