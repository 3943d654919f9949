/** A problem that is being described: everything as it was typed, so that a reload loses nothing. Needs no browser. */

import type { GoalType } from '../../../../clients/typescript/src/generated/goal-types.ts';

export type InputType = 'float' | 'integer' | 'boolean' | 'category';
export interface InputDraft {
  /** Identifies a row while rows are moved. */
  readonly key: number;
  readonly name: string;
  readonly unit: string;
  readonly type: InputType;
  readonly minimum: string;
  readonly maximum: string;
  /** Names, separated by commas or semicolons. */
  readonly categories: string;
  /** auto: logarithmic where the range is wide. */
  readonly scale: 'auto' | 'linear' | 'log';
  readonly spacing: string;
  /** The tolerance; empty: the input is exact. */
  readonly tolerance: string;
  /** In the workbook. */
  readonly cell: string;
}

export interface OutputDraft {
  readonly key: number;
  readonly name: string;
  readonly unit: string;
  readonly type: GoalType;
  readonly target: string;
  /** Offsets from the target, of percent and value. */
  readonly from: string;
  readonly to: string;
  /** Empty: 1. */
  readonly weight: string;
  readonly priority: '1' | '2' | '3';
  /** Standard deviation of runs at one input. */
  readonly deviation: string;
  /** For a fit: the standard error of the measured value, or its share in percent; empty: unknown. */
  readonly sigma: string;
  /** In the workbook. */
  readonly cell: string;
}

/** Search options beyond the targets; empty texts set no option. */
export interface OptionsDraft {
  /** Whether runs at the same input differ, and by how much. */
  readonly noise: 'none' | 'estimate' | 'stated';
  /** Criterion that satisfies an objective: one run, the mean of several, or a probability. */
  readonly sure: 'run' | 'mean' | 'probability';
  readonly confirm: string;
  readonly confidence: string;
  readonly confidenceOf: 'run' | 'mean';
  /** Whether it ends when the best compromise is found, or no improvement is to be expected. */
  readonly endsByEvidence: boolean;
  readonly patience: string;
  readonly improvementBelow: string;
  /** Local time in the format of the browser's field. */
  readonly until: string;
  readonly maximumRuns: string;
  readonly solutionCount: string;
  readonly apart: string;
  readonly toleranceKind: 'normal' | 'uniform';
  readonly toleranceIn: 'units' | 'percent';
  /** Whether all robust runs look for the surest input; else those until the probability in `aim` is reached. */
  readonly aimsAtSurest: boolean;
  readonly aim: string;
  readonly robustRuns: string;
}

/** The user's own data: a table, and the use of each of its columns. */
export interface OwnData {
  readonly titles: readonly string[];
  /** "x0" for the first input, "y0" for the first output, "" for a column that is not used. */
  readonly uses: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Records created from the draft so far, with the fingerprints of their requests. */
export interface Made {
  readonly id: number;
  readonly print: string;
}

export interface Draft {
  readonly version: 1;
  /** Part of the keys under which requests are sent, so that a repetition does nothing twice. */
  readonly id: string;
  /** Raised when a request was refused or its result was deleted: the next one is another request. */
  readonly round: number;
  readonly name: string;
  /** null: a new one. */
  readonly modelId: number | null;
  readonly inputs: readonly InputDraft[];
  readonly outputs: readonly OutputDraft[];
  /** One per line. */
  readonly constraints: string;
  readonly data: 'designed' | 'own';
  readonly caseCount: string;
  /** Outputs of the designed points, as typed: a row per point, a cell per output. */
  readonly results: readonly (readonly string[])[];
  readonly own: OwnData | null;
  readonly desiredL1Norm: string;
  readonly parallelism: string;
  readonly maximumAttempts: string;
  readonly options: OptionsDraft;
  /** That the service calculates; null: runs are made elsewhere. */
  readonly workbook: { readonly id: number; readonly name: string } | null;
  /** The formula of the example's outputs. */
  readonly recipe: string;
  readonly model: Made | null;
  /** The project, with its points if the service designed them. */
  readonly project:
    | (Made & { readonly modelId: number; readonly points: readonly (readonly number[])[] | null })
    | null;
  readonly trial: Made | null;
}

export function newInput(key: number, stated: Partial<InputDraft> = {}): InputDraft {
  const blank = { name: '', unit: '', minimum: '', maximum: '', categories: '', spacing: '', tolerance: '', cell: '' };
  return { ...blank, type: 'float', scale: 'auto', ...stated, key };
}

export function newOutput(key: number, stated: Partial<OutputDraft> = {}): OutputDraft {
  const blank = { name: '', unit: '', target: '', weight: '', deviation: '', sigma: '', cell: '' };
  return { ...blank, type: 'percent', from: '-1', to: '1', priority: '1', ...stated, key };
}

export const NO_OPTIONS: OptionsDraft = {
  noise: 'none',
  sure: 'run',
  confirm: '3',
  confidence: '0.9',
  confidenceOf: 'run',
  endsByEvidence: false,
  patience: '',
  improvementBelow: '',
  until: '',
  maximumRuns: '',
  solutionCount: '',
  apart: '',
  toleranceKind: 'normal',
  toleranceIn: 'units',
  aimsAtSurest: false,
  aim: '',
  robustRuns: '',
};

export function nextKey(rows: readonly { readonly key: number }[]): number {
  return rows.reduce((largest, { key }) => Math.max(largest, key), 0) + 1;
}

/** @param id  a unique id */
export function emptyDraft(id: string): Draft {
  return {
    version: 1,
    id,
    round: 0,
    name: '',
    modelId: null,
    inputs: [newInput(1), newInput(2)],
    outputs: [newOutput(1)],
    constraints: '',
    data: 'designed',
    caseCount: '',
    results: [],
    own: null,
    desiredL1Norm: '0',
    parallelism: '1',
    maximumAttempts: '500',
    options: { ...NO_OPTIONS, endsByEvidence: true },
    workbook: null,
    recipe: '',
    model: null,
    project: null,
    trial: null,
  };
}

/** Small enough to be played with a pocket calculator: a flat bar that must be stiff enough and light enough. */
export function exampleDraft(id: string): Draft {
  return {
    ...emptyDraft(id),
    name: 'Bracket example',
    inputs: [
      newInput(1, { name: 'width', unit: 'mm', minimum: '10', maximum: '60' }),
      newInput(2, { name: 'thickness', unit: 'mm', minimum: '2', maximum: '10', spacing: '0.5' }),
    ],
    outputs: [
      newOutput(1, { name: 'stiffness', unit: 'N/mm', type: 'percent', target: '90', from: '-2', to: '2' }),
      newOutput(2, { name: 'mass', unit: 'g', type: 'lessthan_equal', target: '60' }),
    ],
    maximumAttempts: '50',
    recipe: 'stiffness = width × thickness × thickness / 10, mass = width × thickness / 2',
  };
}

/** Whether deleting the draft would lose nothing. */
export function isUntouched(draft: Draft): boolean {
  const empty = emptyDraft(draft.id);
  return JSON.stringify({ ...draft, round: 0 }) === JSON.stringify(empty);
}

/** The draft in a stored text; undefined if it is none, or one of another version of the page. */
export function parseDraft(text: string | undefined): Draft | undefined {
  if (text === undefined) return undefined;
  try {
    const stored = JSON.parse(text) as Draft | null;
    if (stored?.version !== 1) return undefined;
    const draft = { ...stored, workbook: stored.workbook ?? null, options: { ...NO_OPTIONS, ...stored.options } };
    return hasShape(emptyDraft(''), draft) ? withRows(draft) : undefined;
  } catch {
    return undefined;
  }
}

/** An earlier release stored fewer fields. */
function withRows(draft: Draft): Draft {
  return {
    ...draft,
    inputs: draft.inputs.map((input) => newInput(input.key, input)),
    outputs: draft.outputs.map((output) => newOutput(output.key, output)),
  };
}

/** Whether all fields are there, with lists where lists belong. */
function hasShape(empty: Draft, stored: Draft): boolean {
  return Object.entries(empty).every(([name, value]) => {
    const other = stored[name as keyof Draft];
    if (other === undefined || Array.isArray(value) !== Array.isArray(other)) return false;
    return typeof value !== 'string' || typeof other === 'string';
  });
}

/** The row at `from` moved by one or more places; the same rows if it cannot go there. */
export function moved<Row>(rows: readonly Row[], from: number, by: number): readonly Row[] {
  const to = from + by;
  if (to < 0 || to >= rows.length) return rows;
  const others = rows.toSpliced(from, 1);
  return others.toSpliced(to, 0, rows[from]!);
}

/** The draft with other inputs: columns of own data stay with theirs. */
export function withInputs({ inputs, own }: Draft, rows: readonly InputDraft[]): Partial<Draft> {
  return { inputs: rows, own: own && { ...own, uses: movedUses(own.uses, 'x', inputs, rows) } };
}

/** The draft with other outputs: results and columns of own data stay with theirs. */
export function withOutputs({ outputs, results, own }: Draft, rows: readonly OutputDraft[]): Partial<Draft> {
  const columns = rows.map(({ key }) => outputs.findIndex((output) => output.key === key));
  return {
    outputs: rows,
    results: results.map((row) => columns.map((column) => row[column] ?? '')),
    own: own && { ...own, uses: movedUses(own.uses, 'y', outputs, rows) },
  };
}

function movedUses(
  uses: readonly string[],
  letter: 'x' | 'y',
  before: readonly { readonly key: number }[],
  after: readonly { readonly key: number }[],
): readonly string[] {
  return uses.map((use) => {
    if (!use.startsWith(letter)) return use;
    const position = after.findIndex(({ key }) => key === before[Number(use.slice(1))]?.key);
    return position < 0 ? '' : `${letter}${position}`;
  });
}

/** The names of the inputs or outputs; default: x1 or y1, by number. */
export function namesOfRows(rows: readonly { readonly name: string }[], letter: 'x' | 'y'): readonly string[] {
  return rows.map(({ name }, i) => name.trim() || `${letter}${i + 1}`);
}

/** Names of categories as typed. */
export function splitCategories(text: string): readonly string[] {
  const separator = /[;|\n]/.test(text) ? /[;|\n]/ : ',';
  return text
    .split(separator)
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
