/** Derivatives that a black box gives beside its outputs, as `[outputs, jacobian]`. */
import { type Fit, isFit } from './fit.ts';
import type { Goals } from './goals.ts';
import type { Inputs } from './inputs.ts';

/** One row per output with one number per input; null where a derivative is not known. */
export type JacobianRows = readonly (readonly (number | null)[])[];

type Derivative = number | null | undefined;
/**
 * Derivatives of one output: one number per input, or by their names; of a fit, one such row per point, or by inputs one number per point.
 */
type Slopes =
  | readonly Derivative[]
  | Readonly<Record<string, Derivative | readonly Derivative[]>>
  | readonly (readonly Derivative[])[]
  | null
  | undefined;
/** Outputs x inputs in the units of both, as rows in the order of the outputs or by their names; null where one is not known. */
export type Jacobian = readonly Slopes[] | Readonly<Record<string, Slopes>>;

const isNamed = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
const isList = (value: unknown): value is ArrayLike<unknown> => Array.isArray(value) || ArrayBuffer.isView(value);

function entriesOf(given: unknown): readonly unknown[] {
  if (isList(given)) return Array.from(given);
  return isNamed(given) ? Object.values(given) : [];
}

/**
 * A pair whose second part has rows, or names of outputs, holds derivatives; where there is one number as output, also one with a number
 * per input. A pair of lists is a curve.
 *
 * @param isCurve whether the only output is one
 */
export function splitGiven(
  names: readonly string[],
  isCurve: boolean,
  given: unknown,
): { readonly outputs: unknown; readonly jacobian: unknown } {
  const plain = { outputs: given, jacobian: undefined };
  if (!Array.isArray(given) || given.length !== 2) return plain;
  const [outputs, second] = given;
  const hasRows = entriesOf(second).some((row) => isList(row) || isNamed(row));
  const isByOutput = isNamed(second) && Object.keys(second).every((name) => names.includes(name));
  const isOfOne = names.length === 1 && (isNamed(second) || (isList(second) && !isCurve));
  return isOfOne || (hasRows && (isList(second) || isByOutput)) ? { outputs, jacobian: second } : plain;
}

/** Rows in the order of the outputs, of which a fit has one per point. Throws TypeError for what no run can cure. */
export function readJacobian(inputs: Inputs, goals: Goals, given: unknown): JacobianRows {
  const names = Object.keys(goals);
  const sizes = names.map((name) => sizeOf(goals[name]!));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const isOne = names.length === 1 && !(isNamed(given) && names[0]! in given);
  const named = isOne ? { [names[0]!]: given } : given;
  if (isNamed(named)) {
    const unknown = Object.keys(named).filter((name) => !names.includes(name));
    if (unknown.length > 0)
      throw new TypeError(`The Jacobian has ${unknown.join(' and ')}, which is not an output: ${names.join(', ')}.`);
    return names.flatMap((name, j) => rowsOf(inputs, name, named[name], isFit(goals[name]!), sizes[j]!));
  }
  const rows = Array.from(named as ArrayLike<unknown>);
  if (rows.length !== total) {
    throw new TypeError(
      `The Jacobian has ${rows.length} rows instead of ${total}: one per output, with one number per input.`,
    );
  }
  const owners = names.flatMap((name, j) => new Array<string>(sizes[j]!).fill(name));
  return rows.map((row, k) => rowOf(inputs, owners[k]!, row));
}

function sizeOf(goal: Goals[string] | Fit): number {
  return isFit(goal) ? goal.values.length : 1;
}

function rowsOf(inputs: Inputs, output: string, given: unknown, isCurve: boolean, count: number): JacobianRows {
  if (given == null) return Array.from({ length: count }, () => Object.keys(inputs).map(() => null));
  if (!isCurve) {
    const only = isList(given) && given.length === 1 && (isList(given[0]) || isNamed(given[0])) ? given[0] : given;
    return [rowOf(inputs, output, only)];
  }
  const need = (length: number) => {
    if (length === count) return;
    throw new TypeError(
      `The derivatives of ${output} need one row per point of its data, ${count}, not ${length}: they are not interpolated.`,
    );
  };
  if (isNamed(given)) {
    const columns = Object.entries(given).map(
      ([name, column]) => [name, column == null ? null : Array.from(column as ArrayLike<unknown>)] as const,
    );
    for (const [, column] of columns) if (column) need(column.length);
    return Array.from({ length: count }, (_, k) =>
      rowOf(inputs, output, Object.fromEntries(columns.map(([name, column]) => [name, column?.[k]]))),
    );
  }
  const rows = Array.from(given as ArrayLike<unknown>);
  need(rows.length);
  return rows.map((row) => rowOf(inputs, output, row));
}

function rowOf(inputs: Inputs, output: string, given: unknown): readonly (number | null)[] {
  const names = Object.keys(inputs);
  if (given == null) return names.map(() => null);
  if (isNamed(given)) {
    const unknown = Object.keys(given).filter((name) => !names.includes(name));
    if (unknown.length > 0)
      throw new TypeError(
        `The derivatives of ${output} have ${unknown.join(' and ')}, which is not an input: ${names.join(', ')}.`,
      );
    return names.map((name) => numberOf(inputs, output, name, given[name]));
  }
  const row = isList(given) ? Array.from(given) : [given];
  if (row.length !== names.length) {
    throw new TypeError(
      `The derivatives of ${output} are ${row.length} numbers instead of ${names.length}: ${names.join(', ')}.`,
    );
  }
  return names.map((name, v) => numberOf(inputs, output, name, row[v]));
}

function numberOf(inputs: Inputs, output: string, name: string, value: unknown): number | null {
  if (value == null || Number.isNaN(value)) return null;
  const input = inputs[name]!;
  const kind = 'type' in input ? input.type : 'float';
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw new TypeError(`The derivative of ${output} by ${name} must be a finite number or null, is ${String(value)}.`);
  }
  if (kind !== 'boolean' && kind !== 'category') return value;
  if (value === 0) return null;
  throw new TypeError(`${output} has no derivative by ${name}, which is a ${kind}: give null for it.`);
}
