/**
 * NAME.csv and NAME.json, beside the problem file. The table has a row per run: columns of inputs and outputs are titled with names
 * and units, as the service reads them, so that the file can be loaded as known runs elsewhere.
 */
import path from 'node:path';
import { FileError, replaceFile } from '../../clients/typescript/src/evaluator/durable-files.ts';
import type { Run } from '../../clients/typescript/src/evaluator/journal.ts';
import { probabilityOf } from '../../clients/typescript/src/evaluator/nearness.ts';
import { numberOf } from '../../clients/typescript/src/evaluator/run-name.ts';
import type { Advice } from '../../clients/typescript/src/solve/defaults.ts';
import { type FoundRun, type SearchState, stopReasonOf } from '../../clients/typescript/src/solve/followed-search.ts';
import { type Goal, seeksFront } from '../../clients/typescript/src/solve/goals.ts';
import { listed } from '../../clients/typescript/src/solve/plan.ts';
import {
  COMPLETED_ROW,
  columnTitle,
  FAILED_ROW,
  guardText,
  type RowColumn,
  rowTitle,
  titleOfRow,
} from '../domain/data/case-columns.ts';
import { byShownOutput, type Problem } from './problem.ts';
import { toInputValue, toNamedInput } from './problem-bodies.ts';
import type { FileRecord, RunFolder } from './run-folder.ts';
import type { SetStanding } from './standing.ts';

/** Solutions or front that a target set has found besides its best run; undefined if neither is sought. */
export function foundBy(
  problem: Problem,
  { objectives, states, fronts }: SearchState,
  k: number,
): { readonly kind: 'solutions' | 'front'; readonly runs: readonly FoundRun[] } | undefined {
  const id = objectives[k]?.objectiveId ?? -1;
  if (hasFront(problem.targetSets[k]!)) return { kind: 'front', runs: fronts.get(id) ?? [] };
  if (problem.search.solutions === undefined) return undefined;
  const solutions = (states.get(id)?.inverses ?? []).filter(({ status }) => status === CONVERGED);
  return { kind: 'solutions', runs: solutions.map(({ inputs, outputs }) => ({ input: inputs, output: outputs })) };
}

const CONVERGED = 'converged';

export function hasFront(goals: readonly Goal[]): boolean {
  return seeksFront(goals.map(({ target }) => target));
}

/** Whether the nearest run is what the search answers: not with a front, and not where more than its output decides. */
export function seeksNearest({ targetSets, search }: Problem, k: number): boolean {
  const { confirm, confidence, aimAtRobustness } = search;
  return confirm === undefined && confidence === undefined && !aimAtRobustness && !hasFront(targetSets[k]!);
}

export interface Results {
  readonly problem: Problem;
  readonly runs: readonly Run[];
  readonly nameOf: (run: Run) => string;
  readonly sets: readonly SetStanding[];
  readonly search: SearchState;
  readonly advice: readonly Advice[];
  /** Failed runs that were tried again. */
  readonly retried: number;
}

/** Writes both files after every change; of changes that come while it writes only the last counts. */
export class ResultFiles {
  readonly #files: { readonly csv: string; readonly json: string };
  #wanted: Results | undefined;
  #writing: Promise<void> | undefined;
  #error: FileError | null = null;

  constructor(folder: RunFolder, { csv, json }: FileRecord['results']) {
    this.#files = { csv: path.join(folder.home, csv), json: path.join(folder.home, json) };
  }

  get files(): { readonly csv: string; readonly json: string } {
    return this.#files;
  }

  /** Error of the last write; a later update may cure it. */
  get error(): FileError | null {
    return this.#error;
  }

  /** Resolves when the newest state is in the files, or cannot be. */
  update(results: Results): Promise<void> {
    this.#wanted = results;
    return (this.#writing ??= this.#writeAll().finally(() => (this.#writing = undefined)));
  }

  async #write(results: Results): Promise<void> {
    await replaceFile(this.#files.csv, formatTable(results));
    await replaceFile(this.#files.json, `${JSON.stringify(toSummary(results), null, 2)}\n`);
  }

  async #writeAll(): Promise<void> {
    for (let next = this.#wanted; next !== undefined; next = this.#wanted) {
      this.#wanted = undefined;
      this.#error = await this.#write(next).then(() => null, toFileError);
    }
  }
}

/** The journal has all that the files say, so runs go on without them. */
function toFileError(error: unknown): FileError {
  if (error instanceof FileError) return error;
  throw error;
}

/** Columns that a load ignores or heeds; the JSON file says more about each run. */
const ABOUT: readonly RowColumn[] = ['number', 'iteration', 'status', 'failureReason'];

function formatTable({ problem, runs }: Pick<Results, 'problem' | 'runs'>): string {
  const { inputs, outputs, sources } = problem;
  const titles = [...inputs, ...outputs].map(columnTitle);
  const names = outputs.map((output) => output.name);
  const taken = new Set(titles);
  const columns: readonly RowColumn[] = sources.length > 0 ? [...ABOUT, 'sourceName'] : ABOUT;
  const about = columns.map((title) => rowTitle(titleOfRow(title), taken));
  const rows = runs.map((run) => {
    const output = listed(run.outcome, names) ?? names.map(() => '');
    const reason = run.outcome.kind === 'failure' ? run.outcome.reason : '';
    const status = run.outcome.kind === 'output' ? COMPLETED_ROW : FAILED_ROW;
    const values = inputs.map((input, i) => toInputValue(input, run.input[i]!));
    const source = sources.length > 0 ? [run.source ?? ''] : [];
    return [...values, ...output, ...numbersOf(run), status, reason, ...source];
  });
  return [[...titles, ...about], ...rows].map((row) => `${row.map(toCell).join(',')}\r\n`).join('');
}

/** In the column of cases or in that of suggested runs, as in the tables of the service. */
function numbersOf(run: Run): readonly [number | string, number | string] {
  const number = numberOf(run) ?? '';
  return run.kind === 'case' ? [number, ''] : ['', number];
}

function toCell(value: string | number | boolean): string {
  if (typeof value !== 'string') return String(value);
  const text = guardText(value);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function toSummary({ problem, runs, nameOf, sets, search, advice, retried }: Results) {
  const names = problem.outputs.map((output) => output.name);
  const byName = <T>(values: readonly T[]) => byShownOutput(problem, values);
  // The points of a fit miss nothing.
  const missesByName = (values: readonly number[]) =>
    Object.fromEntries(problem.outputs.flatMap(({ name, fit }, j) => (fit === undefined ? [[name, values[j]]] : [])));
  const { blackBox, ...definition } = problem;
  const targets = problem.targetSets.map((goals, k) => {
    const state = search.states.get(search.objectives[k]?.objectiveId ?? -1);
    const best = sets[k]!.best;
    const found = foundBy(problem, search, k);
    return {
      stopReason: search.objectives[k]?.stopReason ?? stopReasonOf(state),
      goals: byName(goals),
      optimum: best && {
        run: best.number,
        name: best.name,
        runs: best.runs,
        input: toNamedInput(problem.inputs, best.input),
        output: byName(best.output),
        misses: missesByName(best.misses),
        worstMiss: best.worst,
        missedBy: missesByName(best.missedBy),
        isSatisfied: best.isMet,
      },
      ...(found && {
        [found.kind]: found.runs.map((run) => ({
          input: toNamedInput(problem.inputs, run.input),
          output: byName(run.output),
        })),
      }),
      probability: probabilityOf(state?.standing, problem.search) ?? null,
      ...(problem.fits.length > 0 && {
        fit: state?.fit ?? null,
        fitParameters: search.fits.get(search.objectives[k]?.objectiveId ?? -1) ?? null,
      }),
      insight: state?.insight ?? null,
      diagnosis: state?.diagnosis ?? null,
    };
  });
  return {
    name: problem.name,
    status: search.status,
    failureReason: search.failureReason,
    retried,
    advice,
    // A file with one target set needs no list.
    ...(targets.length === 1 ? targets[0] : { targets }),
    definition: { ...definition, ...blackBox.record },
    runs: runs.map((run) => {
      const output = listed(run.outcome, names);
      return {
        run: numberOf(run),
        name: nameOf(run),
        kind: run.kind,
        ...(problem.sources.length > 0 && { source: run.source ?? null }),
        at: run.at,
        seconds: run.seconds,
        input: toNamedInput(problem.inputs, run.input),
        output: output && byName(output),
        failureReason: run.outcome.kind === 'failure' ? run.outcome.reason : null,
      };
    }),
  };
}
