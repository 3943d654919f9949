/** Rows of cases or runs and their columns, before they are written in a format. domain/data/case-columns.ts states the columns. */
import {
  type CaseColumns,
  columnTitle,
  derivativeTitle,
  rowTitle,
  titleOfRow,
  verdictTitle,
} from '../../domain/data/case-columns.ts';
import type { Jacobian } from '../../domain/data/jacobian.ts';
import { makeViolation, refuseViolations } from '../../domain/errors.ts';

/** A number, or its text with all digits. */
export type NumberText = number | string;

/** Numbers, or their texts with commas in between. */
export type Numbers = readonly NumberText[] | string;

export interface ExportedRow {
  /** Categories by number. null: not known yet. */
  readonly input: Numbers | null;
  readonly output: Numbers | null;
  /** One per column of the table. */
  readonly facts: readonly (string | number | boolean | null)[];
  /** Whether each output meets its objective; null without an output, or in a table without verdicts. */
  readonly met: readonly boolean[] | null;
}

export interface RowTable {
  readonly columns: CaseColumns;
  /** Columns about the row, before the verdicts and after them. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly hasVerdicts: boolean;
  readonly batches: AsyncIterable<readonly ExportedRow[]>;
}

/** The titles of the columns of CSV files and workbooks: inputs, outputs, then what the row says about itself. */
export function titlesOf({ columns, before, after, hasVerdicts }: RowTable): readonly string[] {
  const { inputs, outputs } = columns;
  const titles = [...inputs, ...outputs].map(columnTitle);
  // A load knows an input by its name, too: `status [K]` is the input status.
  const taken = new Set([...titles, ...[...inputs, ...outputs].map(({ name }) => name)]);
  const verdicts = hasVerdicts ? outputs.map(({ name }) => verdictTitle(name)) : [];
  return [...titles, ...[...before.map(titleOfRow), ...verdicts, ...after].map((title) => rowTitle(title, taken))];
}

/** More columns are no table that people or spreadsheets read. */
const MOST_DERIVATIVES = 10_000;

/** The query parameter of operations that write rows of runs. */
export const DERIVATIVE_FLAGS = {
  derivatives:
    'For rows of CSV, lines of JSON and workbooks: whether to add a column for each derivative that may be known, such as d:mass/width.',
} as const;

/** Titles of the columns of all derivatives, output by output. Throws VALIDATION_FAILED. */
export function derivativeTitles({ inputs, outputs }: CaseColumns): readonly string[] {
  const count = inputs.length * outputs.length;
  const message = `must be left out: there would be ${count} columns of derivatives, and ${MOST_DERIVATIVES} is the most. The export of the model has them.`;
  if (count > MOST_DERIVATIVES) refuseViolations([makeViolation(['derivatives'], message)]);
  return outputs.flatMap((output) => inputs.map((input) => derivativeTitle(output.name, input.name)));
}

/** Their cells in a row. */
export function derivativeCells(titles: readonly string[], jacobian: Jacobian | null): readonly (number | null)[] {
  return titles.map((_, k) => (jacobian === null || Number.isNaN(jacobian[k]) ? null : jacobian[k]!));
}

export function toList(numbers: Numbers | null): readonly NumberText[] | null {
  return typeof numbers === 'string' ? numbers.split(',') : numbers;
}
