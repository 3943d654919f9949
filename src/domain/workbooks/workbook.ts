/** Workbooks of formulas that the service calculates: what is known of one, and which cells are its inputs and outputs. */
import { makeViolation, type Violation } from '../errors.ts';
import { InputType } from '../problem/input-space.ts';
import { inputNamesOf, outputNamesOf } from '../problem/names.ts';
import type { Project } from '../problem/project.ts';

/** A cell that may be an input, or an output. */
export interface SheetCell {
  /** Such as Sheet1!B3. */
  readonly cell: string;
  /** That the workbook gives the cell. */
  readonly name: string | null;
  /** The nearest text to its left or above. */
  readonly label: string | null;
  /** As the file was saved. */
  readonly value: number | null;
}

export interface SheetCells {
  readonly inputs: readonly SheetCell[];
  readonly outputs: readonly SheetCell[];
}

export interface Workbook {
  readonly id: number;
  readonly name: string;
  /** Size of the file. */
  readonly bytes: number;
  readonly createdAt: Date;
}

export interface SurveyedWorkbook extends Workbook {
  readonly cells: SheetCells;
}

/** Cells by the names of inputs and outputs. */
export interface ChosenCells {
  readonly inputs: Readonly<Record<string, string>>;
  readonly outputs: Readonly<Record<string, string>>;
}

export interface CellFault {
  readonly side: 'inputs' | 'outputs';
  /** Name of the input or output; empty if none is to blame. */
  readonly name: string;
  readonly message: string;
}

export interface CheckedCells {
  readonly faults: readonly CellFault[];
  readonly notes: readonly string[];
  /** The outputs as the file is; a sentence where one has no number. */
  readonly outputs: Readonly<Record<string, number | string>>;
}

/** Workbooks of one account that no purge has taken. */
export const MAXIMUM_WORKBOOKS = 200;
/** After which a workbook goes that no batch uses. */
export const UNUSED_WORKBOOK_DAYS = 7;
export const LONGEST_CELL = 300;

type CellsOfBatch = { readonly inputs: readonly string[]; readonly outputs: readonly string[] };

/** A cell for each input and output of the project, inputs being numbers. */
export function checkCellsOfBatch(
  { inputs, outputs }: CellsOfBatch,
  project: Pick<Project, 'inputCount' | 'inputTypes'>,
  outputCount: number,
): readonly Violation[] {
  const wrongCount = (side: 'inputs' | 'outputs', cells: readonly string[], count: number) =>
    cells.length === count
      ? []
      : [makeViolation(['evaluator', side], `must name a cell for each of the ${count} ${side}, has ${cells.length}.`)];
  return [
    ...wrongCount('inputs', inputs, project.inputCount),
    ...wrongCount('outputs', outputs, outputCount),
    ...project.inputTypes.flatMap((type, i) =>
      type === InputType.category
        ? [makeViolation(['evaluator', 'inputs', i], 'is a category, which no cell can hold.')]
        : [],
    ),
  ];
}

/** By the names of the project. */
export function cellsByName({ inputs, outputs }: CellsOfBatch, project: Project): ChosenCells {
  const { inputNames, outputNames } = project.names;
  return {
    inputs: byName(inputNamesOf(inputs.length, inputNames), inputs),
    outputs: byName(outputNamesOf(outputs.length, outputNames), outputs),
  };
}

function byName(names: readonly string[], cells: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(cells.map((cell, i) => [names[i]!, cell]));
}

/** Violations at the positions at which a batch states its cells. */
export function violationsOf(faults: readonly CellFault[], { inputs, outputs }: ChosenCells): readonly Violation[] {
  return faults.map(({ side, name, message }) => {
    const position = Object.keys(side === 'inputs' ? inputs : outputs).indexOf(name);
    return makeViolation(['evaluator', side, ...(position < 0 ? [] : [position])], message);
  });
}
