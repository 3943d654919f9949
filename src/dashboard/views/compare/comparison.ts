/** Compares several objectives: what they share and where they differ. The service judges; this matches names. Needs no browser. */
import { GOAL_TYPES } from '../../../../clients/typescript/src/generated/goal-types.ts';
import type { History } from '../../../../clients/typescript/src/index.ts';
import {
  type Columns,
  emptyColumns,
  type Head,
  hasFailed,
  replaceRows,
  rowFrom,
} from '../../../presentation/columns.ts';
import { type Distances, isFit, leastMisfits, measureRuns, smallestSoFar } from '../../../presentation/distances.ts';
import { type Ends, near, short, titled, wanted, withUnit } from '../../../presentation/formats.ts';
import { fullInputText, inputNames, inputText, outputNames } from '../../../presentation/values.ts';

export const FEWEST = 2;
export const MOST = 6;

/** The ids in the query, each once, at most six; undefined where they are not at least two whole numbers. */
export function readIds(text: string | null): readonly number[] | undefined {
  const ids = [...new Set((text ?? '').split(/[\s,;+]+/).filter((one) => one !== ''))];
  if (ids.length < FEWEST || ids.length > MOST || !ids.every((id) => /^[1-9]\d{0,14}$/.test(id))) return undefined;
  return ids.map(Number);
}

export interface Compared {
  readonly id: number;
  readonly label: string;
  readonly head: Head;
  readonly columns: Columns;
  readonly distances: Distances;
  /** Distance of the worst output of the best run so far, in tolerances; its misfit if all that are compared are fits. */
  readonly best: Float64Array;
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
}

export function compare(histories: readonly History[]): readonly Compared[] {
  const labels = labelsOf(histories);
  const areFits = histories.every(isFit);
  return histories.map((head, k) => {
    const columns = replaceRows(emptyColumns(head.minimums.length, head.objectives.length), 0, head);
    const distances = measureRuns(columns, head.objectiveTypes, head.objectives);
    return {
      id: head.objectiveId,
      label: labels[k]!,
      head,
      columns,
      distances,
      best: areFits ? leastMisfits(columns, distances, head) : smallestSoFar(distances.worst, columns, head),
      inputNames: inputNames(head),
      outputNames: outputNames(head),
    };
  });
}

type Named = Pick<
  History,
  'modelName' | 'projectId' | 'projectName' | 'trialId' | 'trialNumber' | 'number' | 'objectiveId'
>;

/** The shortest labels that differ from each other. */
function labelsOf(histories: readonly Named[]): readonly string[] {
  const isSame = (of: (one: Named) => number) => new Set(histories.map(of)).size === 1;
  const label = (one: Named) =>
    [
      isSame(({ projectId }) => projectId) ? undefined : one.projectName,
      isSame(({ trialId }) => trialId) ? undefined : `trial ${one.trialNumber}`,
      `objective ${one.number}`,
    ]
      .filter((part) => part !== undefined)
      .join(', ');
  const labels = histories.map(label);
  const isAmbiguous = new Set(labels).size < labels.length;
  return isAmbiguous ? labels.map((text, k) => `${text} (${histories[k]!.objectiveId})`) : labels;
}

/** All names in the order in which they first come. */
export function allNames(compared: readonly Compared[], kind: 'inputNames' | 'outputNames'): readonly string[] {
  return [...new Set(compared.flatMap((one) => one[kind]))];
}

function unitOf(compared: readonly Compared[], kind: 'input' | 'output', name: string): string | null {
  for (const { head, inputNames, outputNames } of compared) {
    const i = (kind === 'input' ? inputNames : outputNames).indexOf(name);
    const unit = (kind === 'input' ? head.inputUnits : head.outputUnits)?.[i];
    if (i >= 0 && unit) return unit;
  }
  return null;
}

/** One cell of a table: its short text and all digits. */
interface Shown {
  readonly text: string;
  readonly full: string;
}

export interface OutputCell {
  readonly wanted: string;
  readonly interval: Ends;
  /** The output of the best run; null without one. */
  readonly value: number | null;
  readonly shown: Shown | null;
  /** null for an output of a fit, which no run meets by itself. */
  readonly isMet: boolean | null;
}

export interface OutputRow {
  readonly title: string;
  readonly areTargetsSame: boolean;
  /** One per objective; null where it has no such output. */
  readonly cells: readonly (OutputCell | null)[];
}

function wantedText({ objectives, objectiveTypes, intervals }: Head, j: number): string {
  const { met, direction } = GOAL_TYPES[objectiveTypes[j]!];
  if (met === 'never') return near(objectives[j]!);
  const interval = wanted(intervals[j]!);
  if (met === 'together') return `exactly ${interval}`;
  return direction === 'none' ? interval : `${direction}, ${interval}`;
}

export function outputRows(compared: readonly Compared[]): readonly OutputRow[] {
  return allNames(compared, 'outputNames').map((name) => {
    const cells = compared.map(({ head, outputNames }): OutputCell | null => {
      const j = outputNames.indexOf(name);
      if (j < 0) return null;
      const value = head.bestOutput?.[j] ?? null;
      const unit = head.outputUnits?.[j];
      return {
        wanted: withUnit(wantedText(head, j), unit),
        interval: head.intervals[j]!,
        value,
        shown: value === null ? null : { text: short(value), full: String(value) },
        isMet: head.objectiveTypes[j] === 'fit' ? null : head.bestMisses?.[j] === 0,
      };
    });
    const targets = cells.filter((cell) => cell !== null).map((cell) => JSON.stringify([cell.wanted, cell.interval]));
    return {
      title: titled(name, unitOf(compared, 'output', name)),
      areTargetsSame: new Set(targets).size === 1 && !cells.includes(null),
      cells,
    };
  });
}

export interface InputRow {
  readonly title: string;
  /** One per objective, of its best run. */
  readonly cells: readonly (Shown | null)[];
  readonly isSame: boolean;
}

export function inputRows(compared: readonly Compared[]): readonly InputRow[] {
  return allNames(compared, 'inputNames').map((name) => {
    const cells = compared.map(({ head, inputNames }): Shown | null => {
      const i = inputNames.indexOf(name);
      const value = head.bestInput?.[i];
      if (value === undefined) return null;
      return { text: inputText(head, i, value), full: fullInputText(head, i, value) };
    });
    return {
      title: titled(name, unitOf(compared, 'input', name)),
      cells,
      isSame: new Set(cells.map((cell) => cell?.full)).size === 1,
    };
  });
}

/** Names of the best so far and of its axis. A misfit of 0 is not a state that is met. */
export function measureOf(compared: readonly Compared[]) {
  return compared.every(({ head }) => isFit(head))
    ? { title: 'Least misfit so far', label: 'Misfit', hint: 'Misfit of the best run.', hasMet: false }
    : {
        title: 'Best distance so far',
        label: 'Worst miss (× allowed deviation)',
        hint: 'How far the worst output of the best run is from its target: 1 means one full tolerance outside the target.',
        hasMet: true,
      };
}

/** The name of the best run. */
export function bestSource({ bestIteration, bestCaseNumber }: Head): string {
  if (bestIteration !== null) return `run ${bestIteration}`;
  return bestCaseNumber === null ? 'no run yet' : `case ${bestCaseNumber}`;
}

export interface BestSteps {
  readonly iterations: readonly number[];
  readonly values: readonly number[];
}

/** The runs at which the best so far changes, and the last one: the corners of its line. */
export function bestSteps({ columns, best }: Pick<Compared, 'columns' | 'best'>): BestSteps {
  const iterations: number[] = [];
  const values: number[] = [];
  for (let row = 0; row < columns.count; row++) {
    const value = best[row]!;
    const isLast = row === columns.count - 1;
    if (Number.isNaN(value) || (!isLast && value === values.at(-1))) continue;
    iterations.push(columns.iterations[row]!);
    values.push(value);
  }
  return { iterations, values };
}

/** The best so far at a run; undefined before the first. */
export function bestAt({ columns, best }: Pick<Compared, 'columns' | 'best'>, iteration: number): number | undefined {
  const value = best[rowFrom(columns, iteration + 1) - 1];
  return Number.isNaN(value) ? undefined : value;
}

/** Whether the run counts: it has an output, did not fail, and is not excluded. */
export function counts(columns: Columns, row: number): boolean {
  return (
    !hasFailed(columns, row) && columns.excluded[row] === 0 && !Number.isNaN(columns.outputs[0]?.[row] ?? Number.NaN)
  );
}

/** A row per run of every objective: for files. */
export function runTable(compared: readonly Compared[]) {
  const inputs = allNames(compared, 'inputNames');
  const outputs = allNames(compared, 'outputNames');
  const header = [
    'objective',
    'run',
    ...inputs.map((name) => titled(name, unitOf(compared, 'input', name))),
    ...outputs.map((name) => titled(name, unitOf(compared, 'output', name))),
    'distance',
    measureOf(compared).title.toLowerCase(),
    'excluded',
  ];
  const orNull = (value: number | undefined) => (value === undefined || Number.isNaN(value) ? null : value);
  const rows = compared.flatMap(({ id, head, columns, distances, best, inputNames, outputNames }) =>
    Array.from({ length: columns.count }, (_, row) => [
      id,
      columns.iterations[row]!,
      ...inputs.map((name) => {
        const i = inputNames.indexOf(name);
        const value = orNull(columns.inputs[i]?.[row]);
        return value !== null && isWord(head, i) ? fullInputText(head, i, value) : value;
      }),
      ...outputs.map((name) => orNull(columns.outputs[outputNames.indexOf(name)]?.[row])),
      orNull(distances.worst[row]),
      orNull(best[row]),
      columns.excluded[row] === 1,
    ]),
  );
  return { header, rows };
}

function isWord({ inputTypes }: Head, i: number): boolean {
  return inputTypes[i] === 'category' || inputTypes[i] === 'boolean';
}
