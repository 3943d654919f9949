/** Translates the domain's records into the optimizer's arrays, with problem/optimizer-space.ts for the inputs. */
import type { CoarseRuns } from '../../db/search/source-rows.ts';
import type { Snapshot } from '../../db/search/suggestions.ts';
import type { Matrix } from '../../domain/matrix.ts';
import { compileGoal, evaluateOutput } from '../../domain/search/acceptance.ts';
import { outputsWithoutTarget } from '../../domain/search/objective.ts';
import { isAdmissible } from '../../domain/search/objective-limits.ts';
import { DEFAULT_ROBUST_RUNS } from '../../domain/search/robust-options.ts';
import { solutionsAmong } from '../../domain/search/several-solutions.ts';
import { stopRuleOf } from '../../domain/search/stop-options.ts';
import type { CoarseSource, Goal, History, SuggestRequest } from '../../optimizer/interface/problem.ts';
import { toObjectiveSpace, toOptimizerSpace } from '../problem/optimizer-space.ts';

/**
 * Everything known before a suggestion: the cases, the runs of other objectives that it learns from, the initial point, then its
 * own inverses that were run.
 *
 * @param workLimit  see SuggestRequest.workLimit
 */
export function toSuggestRequest(snapshot: Snapshot, workLimit: number): SuggestRequest {
  return toSourcedRequest(snapshot, workLimit).request;
}

/** Origin of a row of a history: a case, numbered from 0, or an iteration of an objective. */
export type RowSource = { readonly caseNumber: number } | { readonly objectiveId: number; readonly iteration: number };

/** The same request, and where each row of its history comes from. */
export function toSourcedRequest(
  snapshot: Snapshot,
  workLimit: number,
): {
  readonly request: SuggestRequest;
  readonly sourceOf: (row: number) => RowSource;
  readonly objective: Snapshot['objective'];
} {
  const { objective, space, caseNumbers, outputCases, others, iterations } = snapshot;
  const stop = stopRuleOf(objective.options?.stop);
  const { kept, ...history } = toHistory(snapshot);
  const request: SuggestRequest = {
    space: toObjectiveSpace(space, objective, objective.initialInput),
    goal: toGoal(objective),
    ...toNoise(objective),
    ...history,
    ...solutionsOf(snapshot),
    ...robustAimOf(snapshot),
    ...(snapshot.pending.rows > 0 && { pending: Float64Array.from(snapshot.pending.values) }),
    ...(snapshot.coarse.length > 0 && { coarse: snapshot.coarse.map(toCoarseSource) }),
    convergence: objective.convergence,
    ...(stop && { stop }),
    seed: objective.seed,
    workLimit,
  };
  const sourceOf = (row: number): RowSource => {
    const k = kept === null ? row : kept[row]!;
    const other = k - outputCases.rows;
    if (other < 0) return { caseNumber: caseNumbers?.[k] ?? k };
    const own = other - others.outputs.rows;
    return own < 0
      ? { objectiveId: others.objectiveIds[other]!, iteration: others.iterations[other]! }
      : { objectiveId: objective.id, iteration: iterations[own]! };
  };
  return { request, sourceOf, objective };
}

/** The cases of a cheaper source, then its runs. */
function toCoarseSource({ cost, cases, inputs, outputs, jacobians, pending }: CoarseRuns): CoarseSource {
  const loaded = cases?.inputs.rows ?? 0;
  const all = [...(cases?.outputs.values ?? []), ...outputs.values];
  const width = outputs.columns || (cases?.outputs.columns ?? 0);
  const count = loaded + inputs.rows;
  const history = {
    count,
    X: Float64Array.from([...(cases?.inputs.values ?? []), ...inputs.values]),
    Y: Float64Array.from(all, (value) => (Number.isNaN(value) ? 0 : value)),
    failed: Uint8Array.from({ length: count }, (_, row) => (Number.isNaN(all[row * width]) ? 1 : 0)),
    ...derivativesOf([cases?.jacobians ?? null, loaded], [jacobians, inputs.rows]),
  };
  return {
    cost,
    history,
    ...(loaded > 0 && { loaded }),
    ...(pending.rows > 0 && { pending: Float64Array.from(pending.values) }),
  };
}

/** Joins the derivatives of parts with so many rows each. */
function derivativesOf(
  ...parts: readonly (readonly [known: Matrix | null, rows: number])[]
): Pick<History, 'jacobian'> {
  const columns = parts.find(([known]) => known !== null)?.[0]?.columns;
  if (columns === undefined) return {};
  const unknown = (rows: number) => new Array<number>(rows * columns).fill(Number.NaN);
  return { jacobian: Float64Array.from(parts.flatMap(([known, rows]) => (known ? [...known.values] : unknown(rows)))) };
}

/** The solutions among the runs of an objective that seeks several. */
function solutionsOf(snapshot: Snapshot): Pick<SuggestRequest, 'solutions'> {
  const { objective, space, inputs, iterations, completedOrders } = snapshot;
  const option = objective.options?.solutions;
  if (!option) return {};
  const { variables } = toOptimizerSpace(space, objective);
  const rows = Array.from(iterations.keys()).filter((row) => isSatisfiedAt(snapshot, row));
  rows.sort((a, b) => (completedOrders[a] ?? 0) - (completedOrders[b] ?? 0) || a - b);
  const runs = rows.map((row) => ({ input: inputs.row(row) }));
  const found = solutionsAmong(variables, option, runs).flatMap(({ input }) => input);
  return { solutions: { found: Float64Array.from(found), apart: option.apart } };
}

/** Whether a run of the objective succeeded and satisfies everything within all limits. @param row of its own runs */
function isSatisfiedAt({ objective, space, inputs, outputs }: Snapshot, row: number): boolean {
  const output = outputs.row(row);
  return (
    !output.some(Number.isNaN) &&
    isAdmissible(space, objective, inputs.row(row)) &&
    evaluateOutput(objective, output).isSatisfied
  );
}

/** The search for a surer input. How many runs are left follows from those after the first that satisfies everything. */
function robustAimOf(snapshot: Snapshot): Pick<SuggestRequest, 'robustAim'> {
  const { objective, iterations, pending } = snapshot;
  const { inputTolerances: tolerances, aimAtRobustness, robustRuns = DEFAULT_ROBUST_RUNS } = objective.options ?? {};
  if (aimAtRobustness === undefined || tolerances === undefined) return {};
  const first = iterations.findIndex((_, row) => isSatisfiedAt(snapshot, row));
  const made = first < 0 ? 0 : iterations.length - 1 - first + pending.rows;
  const runsLeft = Math.max(0, robustRuns - made);
  const probability = aimAtRobustness === true ? null : aimAtRobustness;
  return { robustAim: { tolerances, probability, runsLeft, ownRuns: iterations.length } };
}

function toGoal(objective: Snapshot['objective']): Goal {
  const { weights, priorities, front } = objective.options ?? {};
  const goal = compileGoal(objective);
  const open = outputsWithoutTarget(objective);
  const targets = front
    ? goal.targets.map((target, j) =>
        open.includes(j) ? { ...target, reference: front.reference[open.indexOf(j)]! } : target,
      )
    : goal.targets;
  return { ...goal, targets, ...(weights && { weights }), ...(priorities && { priorities }) };
}

/** A row of a matrix that is stored row by row. */
export function rowOf(values: Float64Array, row: number, columns: number): number[] {
  return Array.from(values.subarray(row * columns, (row + 1) * columns));
}

/** The runs at an input that succeeded, in order, and the mean of their outputs. */
export function runsAt({ X, Y, count, failed }: History, input: readonly number[]) {
  const rows = Array.from({ length: count }, (_, row) => row).filter(
    (row) => failed[row] === 0 && input.every((value, v) => value === X[row * input.length + v]),
  );
  const outputs = rows.map((row) => rowOf(Y, row, Y.length / count));
  return { rows, mean: outputs[0]!.map((_, j) => outputs.reduce((sum, output) => sum + output[j]! / rows.length, 0)) };
}

function toNoise({ options }: Snapshot['objective']): Pick<SuggestRequest, 'noise'> {
  const { noise, confirm, confidence, confidenceOf = 'run' } = options ?? {};
  if (noise === undefined) return {};
  const standardDeviations = noise === 'estimate' ? null : noise.standardDeviations;
  if (confidence !== undefined) {
    return { noise: { standardDeviations, asked: { kind: 'confidence', least: confidence, of: confidenceOf } } };
  }
  return { noise: { standardDeviations, asked: confirm === undefined ? null : { kind: 'confirm', runs: confirm } } };
}

/** kept: the rows that are left of all known ones, in order; null for all. */
function toHistory(
  snapshot: Snapshot,
): Pick<SuggestRequest, 'history' | 'firstSuggested' | 'firstOwn'> & { readonly kept: readonly number[] | null } {
  const { space, objective, inputCases, outputCases, failedCases, others, iterations } = snapshot;
  const n = space.inputCount;
  const m = objective.objectives.length;
  const firstOther = outputCases.rows;
  const firstOwn = firstOther + others.outputs.rows;
  const count = firstOwn + iterations.length;
  const X = new Float64Array(count * n);
  const Y = new Float64Array(count * m);
  const failed = new Uint8Array(count);
  X.set(inputCases.values.subarray(0, firstOther * n));
  Y.set(outputCases.values);
  X.set(others.inputs.values, firstOther * n);
  Y.set(others.outputs.values, firstOther * m);
  X.set(snapshot.inputs.values, firstOwn * n);
  Y.set(snapshot.outputs.values, firstOwn * m);
  const fail = (row: number): void => {
    failed[row] = 1;
    Y.fill(0, row * m, (row + 1) * m);
  };
  for (const row of failedCases) fail(row);
  for (let row = firstOther; row < count; row++) if (Number.isNaN(Y[row * m])) fail(row);
  const hasInitialPoint = iterations[0] === 1;
  const jacobian = jacobianOf(snapshot, n * m, count);
  const history = { count, X, Y, failed, ...(jacobian && { jacobian }) };
  const found = findRepeated(history, { from: firstOther, to: firstOwn, and: hasInitialPoint ? [firstOwn] : [] });
  const copied = objective.options?.noise && hasInitialPoint ? findCopied(history, firstOther, firstOwn) : -1;
  const repeated = copied < 0 ? found : new Set([...found, copied]);
  const first = firstOwn - repeated.size;
  // Without them everything before the search is its own design.
  const hasForeign = snapshot.caseNumbers !== null || others.outputs.rows > 0;
  const kept = Array.from({ length: count }, (_, row) => row).filter((row) => !repeated.has(row));
  return {
    history: repeated.size === 0 ? history : onlyRows(history, kept),
    kept: repeated.size === 0 ? null : kept,
    firstSuggested: first + (hasInitialPoint ? 1 : 0),
    ...(hasForeign && { firstOwn: first }),
  };
}

/** The derivatives of all rows, NaN where not known; null without any. */
function jacobianOf({ caseJacobians, others, jacobians, outputCases }: Snapshot, width: number, count: number) {
  const parts = [
    [0, caseJacobians],
    [outputCases.rows, others.jacobians],
    [outputCases.rows + others.outputs.rows, jacobians],
  ] as const;
  if (parts.every(([, part]) => part === null)) return null;
  const all = new Float64Array(count * width).fill(Number.NaN);
  for (const [first, part] of parts) if (part) all.set(part.values, first * width);
  return all;
}

/** The first of the cases whose run the initial point is, which is no second run there; -1 without one. */
function findCopied({ X, Y, count }: History, cases: number, initial: number): number {
  const [n, m] = [X.length / count, Y.length / count];
  const isEqual = (all: Float64Array, columns: number, row: number) =>
    all.subarray(row * columns, (row + 1) * columns).every((value, k) => value === all[initial * columns + k]);
  for (let row = 0; row < cases; row++) if (isEqual(X, n, row) && isEqual(Y, m, row)) return row;
  return -1;
}

/** The rows from `from` up to `to` that equal an earlier row or one of `and`, in input and in output. */
function findRepeated(
  history: History,
  { from, to, and }: { readonly from: number; readonly to: number; readonly and: readonly number[] },
): ReadonlySet<number> {
  const repeated = new Set<number>();
  if (from === to) return repeated;
  const known = new Map<number, number[]>();
  const hashes = rowHasher(history);
  const add = (row: number) => {
    const hash = hashes(row);
    const rows = known.get(hash);
    if (rows === undefined) known.set(hash, [row]);
    else rows.push(row);
  };
  for (let row = 0; row < from; row++) add(row);
  and.forEach(add);
  for (let row = from; row < to; row++) {
    if (known.get(hashes(row))?.some((other) => areEqualRows(history, row, other))) repeated.add(row);
    else add(row);
  }
  return repeated;
}

/** FNV-1a over the words of a row. */
function rowHasher({ count, X, Y }: History): (row: number) => number {
  const parts = [X, Y].map((values) => ({
    words: new Uint32Array(values.buffer, values.byteOffset, 2 * values.length),
    width: (2 * values.length) / count,
  }));
  return (row) => {
    let hash = 0x811c9dc5;
    for (const { words, width } of parts) {
      for (let k = row * width; k < (row + 1) * width; k++) hash = Math.imul(hash ^ words[k]!, 0x01000193);
    }
    return hash;
  };
}

function areEqualRows({ count, X, Y, failed }: History, a: number, b: number): boolean {
  const areEqual = (values: Float64Array) => {
    const width = values.length / count;
    for (let k = 0; k < width; k++) if (values[a * width + k] !== values[b * width + k]) return false;
    return true;
  };
  return failed[a] === failed[b] && areEqual(X) && areEqual(Y);
}

function onlyRows({ count, X, Y, failed, jacobian }: History, kept: readonly number[]): History {
  const pick = (values: Float64Array) => {
    const width = values.length / count;
    const picked = new Float64Array(kept.length * width);
    for (const [k, row] of kept.entries()) picked.set(values.subarray(row * width, (row + 1) * width), k * width);
    return picked;
  };
  return {
    count: kept.length,
    X: pick(X),
    Y: pick(Y),
    failed: Uint8Array.from(kept, (row) => failed[row]!),
    ...(jacobian && { jacobian: pick(jacobian) }),
  };
}
