/** Rows of a control file: in lines with fixed places, or in CSV files of version 2 with titles. */

import { readNumber } from '../../../clients/typescript/src/solve/number-text.ts';
import { readTable } from '../../../clients/typescript/src/solve/table.ts';
import { limitOfGroup, type PestLimit, type PestObservation, type PestParameter } from './control.ts';
import { listSome } from './control-rules.ts';
import { type ControlLine, placeOf, withoutMark, wordsOf } from './control-sections.ts';
import { PestFileError } from './pest-error.ts';

export interface Row {
  /** Position of the row, for messages. */
  readonly where: string;
  /** By titles in small letters; empty ones are absent. */
  readonly cells: ReadonlyMap<string, string>;
}

/** Texts of files by their names in the control file, or why they cannot be read. */
export type FileTexts = ReadonlyMap<string, string | Error>;

/** Lines in which the words stand at the places of the titles. */
function rowsOfLines(lines: readonly ControlLine[], titles: readonly string[]): readonly Row[] {
  return lines.map((line) => {
    const words = wordsOf(line.text);
    return { where: placeOf(line), cells: new Map(titles.flatMap((title, i) => cellOf(title, words[i]))) };
  });
}

/** A line of a section `* ... external`: `par.csv sep ; missing_value -999`. */
export interface ExternalFile {
  readonly name: string;
  /** Separator of its columns; w for blanks and tabs. */
  readonly separator: string;
  /** Stands for an empty cell; undefined for none. */
  readonly missing: string | undefined;
}

/** Throws PestFileError. */
export function externalFileIn(line: ControlLine): ExternalFile {
  const [name = '', ...options] = wordsOf(line.text);
  const refuse = (why: string): never => {
    throw new PestFileError(`${placeOf(line)}: ${why}`);
  };
  let [separator, missing]: [string, string | undefined] = [',', undefined];
  for (let i = 0; i < options.length; i += 2) {
    const [key, value] = [options[i]!.toLowerCase(), options[i + 1]];
    if (value === undefined) return refuse(`${key} has no value; write it behind.`);
    if (key === 'sep') separator = value.toLowerCase() === 'w' || value.length === 1 ? value : refuse(SEPARATOR);
    else if (key === 'missing_value') missing = value;
    else refuse(`${key} is not known here; known are sep and missing_value.`);
  }
  return { name: name.replaceAll('\\', '/'), separator: separator.toLowerCase() === 'w' ? ' ' : separator, missing };
}

const SEPARATOR = 'sep must be one character, or w for blanks and tabs.';

/** The rows of CSV files, whose titles PEST++ also knows by `aliases`. Throws PestFileError. */
export function rowsOfFiles(
  lines: readonly ControlLine[],
  files: FileTexts,
  aliases: Readonly<Record<string, string>>,
): readonly Row[] {
  return lines.flatMap((line) => {
    const { name, separator, missing } = externalFileIn(line);
    const text = files.get(name);
    if (text === undefined || text instanceof Error) {
      throw new PestFileError(`${placeOf(line)}: ${text?.message ?? `${name} is missing.`}`);
    }
    const [head, ...rows] = readTable(withoutMark(text), separator);
    const titles = (head?.cells ?? []).map((title) => title.trim().toLowerCase()).map((one) => aliases[one] ?? one);
    const twice = titles.find((title, i) => titles.indexOf(title) !== i);
    if (twice !== undefined) throw new PestFileError(`${name}:${head!.line}: the column ${twice} is there twice.`);
    return rows
      .filter(({ cells }) => !cells[0]!.startsWith('#'))
      .map(({ line: number, cells }) => {
        const where = `${name}:${number}`;
        if (cells.length !== titles.length) {
          throw new PestFileError(`${where}: has ${cells.length} cells, but there are ${titles.length} columns.`);
        }
        return { where, cells: new Map(titles.flatMap((title, i) => cellOf(title, cells[i], missing))) };
      });
  });
}

/** Says which columns with values are not used. */
function noteUnused(rows: readonly Row[], used: readonly string[], where: string, notes: string[]): void {
  const unused = [...new Set(rows.flatMap(({ cells }) => [...cells.keys()]))].filter((title) => !used.includes(title));
  if (unused.length > 0) notes.push(`Columns of the ${where} that are not used: ${listSome(unused)}.`);
}

/** None where it is empty. */
function cellOf(title: string, cell: string | undefined, missing?: string): readonly (readonly [string, string])[] {
  const isEmpty = cell === undefined || cell === '' || /^nan$/i.test(cell);
  return isEmpty || cell.toLowerCase() === missing?.toLowerCase() ? [] : [[title, cell]];
}

const PARAMETER_TITLES = [
  'parnme',
  'partrans',
  'parchglim',
  'parval1',
  'parlbnd',
  'parubnd',
  'pargp',
  'scale',
  'offset',
  'dercom',
];
const PARAMETER_ALIASES = {
  name: 'parnme',
  transform: 'partrans',
  value: 'parval1',
  upper_bound: 'parubnd',
  lower_bound: 'parlbnd',
  group: 'pargp',
};
const OBSERVATION_TITLES = ['obsnme', 'obsval', 'weight', 'obgnme'];
const OBSERVATION_ALIASES = { name: 'obsnme', value: 'obsval', group: 'obgnme' };
const LIMIT_TITLES = ['less_than', 'greater_than'];
/**
 * @param files  undefined for lines of the control file itself
 * @param notes  gets sentences about what is not used
 */
export function readParameters(
  lines: readonly ControlLine[],
  files: FileTexts | undefined,
  notes: string[],
): readonly PestParameter[] {
  if (files !== undefined) {
    const rows = rowsOfFiles(lines, files, PARAMETER_ALIASES);
    noteUnused(rows, [...PARAMETER_TITLES, 'change_limit', 'partied'], 'parameters', notes);
    return rows.map((row) => toParameter(row, null));
  }
  // Behind the parameters come lines with two words: tied ones, with the parameter that each follows.
  const pairs = lines.filter(({ text }) => wordsOf(text).length < 4);
  const parents = new Map(
    pairs.map(({ text }) => text.toLowerCase()).map((text) => wordsOf(text).slice(0, 2) as [string, string]),
  );
  const rows = rowsOfLines(
    lines.filter((line) => !pairs.includes(line)),
    PARAMETER_TITLES,
  );
  const names = rows.map(({ cells }) => cells.get('parnme')!.toLowerCase());
  for (const line of pairs) {
    const name = wordsOf(line.text)[0]!.toLowerCase();
    if (!names.includes(name)) throw new PestFileError(`${placeOf(line)}: ${name} is not a parameter of this section.`);
  }
  return rows.map((row, i) => toParameter(row, parents.get(names[i]!) ?? null));
}

export function readObservations(
  lines: readonly ControlLine[],
  files: FileTexts | undefined,
  notes: string[],
): readonly PestObservation[] {
  const rows =
    files === undefined ? rowsOfLines(lines, OBSERVATION_TITLES) : rowsOfFiles(lines, files, OBSERVATION_ALIASES);
  if (files !== undefined) noteUnused(rows, [...OBSERVATION_TITLES, ...LIMIT_TITLES], 'observations', notes);
  return rows.map((row) => {
    const weight = numberIn(row, 'weight');
    if (weight < 0) throw new PestFileError(`${row.where}: the weight of an observation must not be negative.`);
    const group = (row.cells.get('obgnme') ?? 'obgnme').toLowerCase();
    const value = numberIn(row, 'obsval');
    const limit = weight > 0 ? limitIn(row, group, value) : undefined;
    return { name: textIn(row, 'obsnme').toLowerCase(), value, weight, group, limit };
  });
}

/** By its group, else by its columns, as PESTPP-IES looks for it. */
function limitIn(row: Row, group: string, value: number): PestLimit | undefined {
  const end = limitOfGroup(group);
  if (end !== undefined) return { [end]: value };
  const [atMost, atLeast] = LIMIT_TITLES.map((title) => (row.cells.has(title) ? numberIn(row, title) : undefined));
  if (atMost === undefined && atLeast === undefined) return undefined;
  if (atMost !== undefined && atLeast !== undefined && !(atLeast < atMost)) {
    throw new PestFileError(`${row.where}: GREATER_THAN, ${atLeast}, must be below LESS_THAN, ${atMost}.`);
  }
  return { atLeast, atMost };
}

const TRANSFORMS: readonly string[] = ['none', 'log', 'fixed', 'tied'];

function toParameter(row: Row, parent: string | null): PestParameter {
  const name = textIn(row, 'parnme').toLowerCase();
  const transform = (row.cells.get('partrans') ?? 'log').toLowerCase();
  if (!TRANSFORMS.includes(transform)) {
    throw new PestFileError(`${row.where}: PARTRANS of ${name} must be none, log, fixed or tied, is "${transform}".`);
  }
  const stated = parent ?? row.cells.get('partied')?.toLowerCase() ?? null;
  if (transform === 'tied' && stated === null) {
    throw new PestFileError(`${row.where}: ${name} is tied, but the section does not say to which parameter.`);
  }
  return {
    name,
    transform: transform as PestParameter['transform'],
    initial: numberIn(row, 'parval1'),
    lower: numberIn(row, 'parlbnd', transform === 'log' || transform === 'none' ? undefined : 0),
    upper: numberIn(row, 'parubnd', transform === 'log' || transform === 'none' ? undefined : 0),
    group: (row.cells.get('pargp') ?? 'pargp').toLowerCase(),
    scale: numberIn(row, 'scale', 1),
    offset: numberIn(row, 'offset', 0),
    parent: transform === 'tied' ? stated : null,
  };
}

export function textIn(row: Row, title: string): string {
  const text = row.cells.get(title);
  if (text === undefined) throw new PestFileError(`${row.where}: ${title.toUpperCase()} is missing.`);
  return text;
}

/** Also as Fortran writes it. Throws PestFileError. */
export function numberIn(row: Row, title: string, fallback?: number): number {
  const text = row.cells.get(title);
  if (text === undefined && fallback !== undefined) return fallback;
  const number = readNumber(textIn(row, title));
  if (number !== undefined && Number.isFinite(number)) return number;
  throw new PestFileError(`${row.where}: ${title.toUpperCase()} must be a number, is "${text}".`);
}
