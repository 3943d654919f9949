/** Rows of a control file: in lines with fixed places, or in CSV files of version 2 with titles. */
import { readTable } from '../../../clients/typescript/src/solve/table.ts';
import { readNumber } from '../exchange.ts';
import type { PestObservation, PestParameter } from './control.ts';
import { type ControlLine, placeOf, wordsOf } from './control-sections.ts';
import { PestFileError } from './pest-error.ts';

export interface Row {
  /** Where it stands, for messages. */
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

/** The names of CSV files in a section `* ... external`, one a line. */
export function externalFilesIn(lines: readonly ControlLine[]): readonly string[] {
  return lines.map(({ text }) => wordsOf(text)[0]!.replaceAll('\\', '/'));
}

/** The rows of CSV files, whose titles PEST++ also knows by `aliases`. Throws PestFileError. */
export function rowsOfFiles(
  lines: readonly ControlLine[],
  files: FileTexts,
  aliases: Readonly<Record<string, string>>,
): readonly Row[] {
  return lines.flatMap((line) => {
    const [name] = externalFilesIn([line]);
    const text = files.get(name!);
    if (text === undefined || text instanceof Error) {
      throw new PestFileError(`${placeOf(line)}: ${text?.message ?? `${name} is missing.`}`);
    }
    const [head, ...rows] = readTable(text);
    const titles = (head?.cells ?? []).map((title) => title.toLowerCase()).map((title) => aliases[title] ?? title);
    return rows.map(({ line: number, cells }) => ({
      where: `${name}:${number}`,
      cells: new Map(titles.flatMap((title, i) => cellOf(title, cells[i]))),
    }));
  });
}

function cellOf(title: string, cell: string | undefined): readonly (readonly [string, string])[] {
  return cell === undefined || cell === '' || /^nan$/i.test(cell) ? [] : [[title, cell]];
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

/** @param files  undefined for lines of the control file itself */
export function readParameters(lines: readonly ControlLine[], files: FileTexts | undefined): readonly PestParameter[] {
  if (files !== undefined) return rowsOfFiles(lines, files, PARAMETER_ALIASES).map((row) => toParameter(row, null));
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
    if (!names.includes(name)) throw new PestFileError(`${placeOf(line)}: ${name} is no parameter of this section.`);
  }
  return rows.map((row, i) => toParameter(row, parents.get(names[i]!) ?? null));
}

export function readObservations(
  lines: readonly ControlLine[],
  files: FileTexts | undefined,
): readonly PestObservation[] {
  const rows =
    files === undefined ? rowsOfLines(lines, OBSERVATION_TITLES) : rowsOfFiles(lines, files, OBSERVATION_ALIASES);
  return rows.map((row) => {
    const weight = numberIn(row, 'weight', 1);
    if (weight < 0) throw new PestFileError(`${row.where}: the weight of an observation must not be negative.`);
    return {
      name: textIn(row, 'obsnme').toLowerCase(),
      value: numberIn(row, 'obsval'),
      weight,
      group: (row.cells.get('obgnme') ?? 'obgnme').toLowerCase(),
    };
  });
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
