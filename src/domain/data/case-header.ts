/** Finds the column of every input and output by the header of a file, or by the names or positions of rows in JSON. */

import { makeViolation, type Violation } from '../errors.ts';
import { findNearestName } from '../nearest-name.ts';
import {
  type CaseColumn,
  type CaseColumns,
  columnTitle,
  type RowColumn,
  rowColumnOf,
  unguardText,
} from './case-columns.ts';
import { atHeader, type CaseHeading, type CaseTable, shorten } from './case-table.ts';

/** Positions of columns in a table. */
export interface MatchedColumns {
  readonly inputs: readonly number[];
  /** Empty for JSON rows without an output. */
  readonly outputs: readonly number[];
  readonly about: ReadonlyMap<RowColumn, number>;
}

const SIDES = ['inputs', 'outputs'] as const;
type Side = (typeof SIDES)[number];
const WHAT = { inputs: 'input', outputs: 'output' } as const;
/** Comparing a title with all names takes time; a file has this many typing errors at most. */
const MAXIMUM_PROPOSALS = 10;
/** Names that a message lists. */
const LISTED_NAMES = 20;

/** `Power [kW]` or `Power (kW)`: a name with its unit. */
function splitTitle(title: string): { readonly name: string; readonly unit: string } | undefined {
  const [open, close] = title.endsWith(']') ? ['[', ']'] : ['(', ')'];
  const start = title.lastIndexOf(open);
  if (start < 0 || !title.endsWith(close)) return undefined;
  return { name: title.slice(0, start).trim(), unit: title.slice(start + 1, -1).trim() };
}

export class ColumnMatcher {
  readonly #columns: CaseColumns;
  readonly #indexes: Readonly<Record<Side, ReadonlyMap<string, number>>>;
  /** Inputs and outputs by the title that an export gives them; `y [m]` without a unit and y in m have the same. */
  readonly #titles: Readonly<Record<Side, ReadonlyMap<string, readonly number[]>>>;
  /** Columns of the table, by input and by output. */
  readonly #taken: Readonly<Record<Side, (number | undefined)[]>> = { inputs: [], outputs: [] };
  readonly #about = new Map<RowColumn, number>();
  readonly #violations: Violation[] = [];
  readonly #meant = new Set<string>();
  #proposals = MAXIMUM_PROPOSALS;

  constructor(columns: CaseColumns) {
    this.#columns = columns;
    this.#indexes = { inputs: indexOf(columns.inputs), outputs: indexOf(columns.outputs) };
    this.#titles = { inputs: titlesOf(columns.inputs), outputs: titlesOf(columns.outputs) };
  }

  match(heading: CaseHeading, column: number): void {
    const { field, position, title } = heading;
    if (field === null) this.#matchTitle(title!.trim(), column);
    else if (title === null) this.#taken[field][position] = column;
    else this.#matchName(field, title, column);
  }

  #matchName(side: Side, name: string, column: number): void {
    const index = this.#indexes[side].get(name);
    if (index !== undefined) this.#taken[side][index] = column;
    else
      this.#violations.push(makeViolation([side, 0, name], `is not an ${WHAT[side]}; ${this.#advise(name, [side])}`));
  }

  #matchTitle(sent: string, column: number): void {
    const title = unguardText(sent);
    const split = splitTitle(title);
    // An input and an output may have the same name and differ in their units, and units may contain brackets.
    if (split !== undefined && (this.#takeTitled(title, column) || this.#takeTitled(columnTitle(split), column)))
      return;
    // A name may contain brackets itself.
    if (this.#take(title, column)) return;
    if (split !== undefined && this.#take(split.name, column, split.unit, sent)) return;
    const about = rowColumnOf(title);
    if (about !== undefined) {
      if (about !== 'ignored') this.#about.set(about, column);
      return;
    }
    this.#violations.push(atHeader(sent, this.#describeUnknown(title, split?.name ?? title)));
  }

  /** Whether an input or output without a column as yet has exactly this title, unit included. */
  #takeTitled(title: string, column: number): boolean {
    for (const side of SIDES) {
      const index = (this.#titles[side].get(title) ?? []).find((one) => this.#taken[side][one] === undefined);
      if (index === undefined) continue;
      this.#taken[side][index] = column;
      return true;
    }
    return false;
  }

  /** Whether an input or output has the name; one that has its column already is refused. */
  #take(name: string, column: number, unit?: string, sent = name): boolean {
    const sides = SIDES.filter((side) => this.#indexes[side].has(name));
    const side = sides.find((one) => this.#taken[one][this.#indexes[one].get(name)!] === undefined);
    if (side === undefined) {
      if (sides.length === 0) return false;
      this.#violations.push(atHeader(sent, `is there twice: ${shorten(name)} needs one column.`));
      return true;
    }
    const index = this.#indexes[side].get(name)!;
    this.#taken[side][index] = column;
    const known = this.#columns[side][index]!.unit;
    if (unit !== undefined && known !== null && unit !== known) {
      const message = `has the unit ${shorten(unit)}; the unit of ${name} is ${known}. Units are compared as text and never converted: convert the numbers, or correct the header.`;
      this.#violations.push(atHeader(sent, message));
    }
    return true;
  }

  #describeUnknown(title: string, name: string): string {
    if (title === '') return 'has no title; name the input or output, or delete the column.';
    const semicolons = title.includes(';') ? ' Separate the cells by commas or by semicolons, not by both.' : '';
    const tabs = title.includes('\t') ? ' Separate the cells by commas, not by tabs.' : '';
    const advice = this.#advise(name, SIDES);
    const end =
      advice.endsWith('?') || semicolons !== '' || tabs !== '' ? '' : ' Correct the title, or delete the column.';
    return `is neither an input nor an output; ${advice}${semicolons}${tabs}${end}`;
  }

  #advise(name: string, sides: readonly Side[]): string {
    const known = sides.flatMap((side) => this.#columns[side].map((one) => one.name));
    const nearest = this.#proposals-- > 0 ? findNearestName(name, known) : undefined;
    if (nearest !== undefined) {
      this.#meant.add(nearest);
      return `did you mean ${nearest}?`;
    }
    const rest = known.length > LISTED_NAMES ? `, ... (${known.length} in all)` : '';
    return `the names are ${known.slice(0, LISTED_NAMES).join(', ')}${rest}.`;
  }

  finish({ headings, failed, values }: CaseTable): MatchedColumns & { readonly violations: Violation[] } {
    // JSON rows that all failed have no output to name.
    const hasOutputs = headings.some(({ field }) => field !== 'inputs') || failed.length < values.rows;
    for (const side of SIDES) {
      if (side === 'outputs' && !hasOutputs) continue;
      const own = headings.filter(({ field }) => field === side);
      const isPositional = own.length > 0 && own[0]!.title === null;
      if (isPositional) this.#checkCount(side, own.length);
      else this.#checkMissing(side, headings[0]!.field === null);
    }
    const { inputs, outputs } = this.#taken;
    return {
      inputs: inputs as number[],
      outputs: outputs as number[],
      about: this.#about,
      violations: this.#violations,
    };
  }

  #checkCount(side: Side, count: number): void {
    const wanted = this.#columns[side].length;
    if (count === wanted) return;
    const message = `must have one value per ${WHAT[side]} (${wanted}), has ${count}.`;
    this.#violations.push(makeViolation([side, 0], message));
  }

  #checkMissing(side: Side, isFile: boolean): void {
    for (const [index, column] of this.#columns[side].entries()) {
      if (this.#taken[side][index] !== undefined || this.#meant.has(column.name)) continue;
      const message = isFile
        ? `is missing: the header needs the names of all inputs and outputs, this one is ${WHAT[side]} ${index + 1}.`
        : `is required: send one value per ${WHAT[side]}.`;
      const at = isFile ? atHeader(columnTitle(column), message) : makeViolation([side, 0, column.name], message);
      this.#violations.push(at);
    }
  }
}

function indexOf(columns: readonly { readonly name: string }[]): ReadonlyMap<string, number> {
  return new Map(columns.map(({ name }, i) => [name, i]));
}

function titlesOf(columns: readonly CaseColumn[]): ReadonlyMap<string, readonly number[]> {
  return Map.groupBy(columns.keys(), (i) => columnTitle(columns[i]!).trim());
}
