/** Derivatives of the outputs of a run by its inputs, in the units of both. */
import { describeWrongType, LISTED_VIOLATIONS, makeViolation, type Violation, type ViolationPath } from '../errors.ts';
import { Matrix } from '../matrix.ts';
import { refTerm } from '../messages.ts';
import { inputNamesOf, isByName, makeListReader, outputNamesOf } from '../problem/names.ts';

/** Outputs x inputs, row by row; NaN where a derivative is not known. */
export type Jacobian = readonly number[];

/** As sent: rows in order of the outputs, or by their names; null where nothing is known. */
export type SentJacobian = readonly unknown[] | Readonly<Record<string, unknown>>;

export interface JacobianShape {
  readonly outputCount: number;
  readonly inputCount: number;
  readonly outputNames: readonly string[] | null;
  readonly inputNames: readonly string[] | null;
  /** null: not known. */
  readonly inputTypes: readonly string[] | null;
}

/** Types of inputs along which nothing has a derivative. */
const WITHOUT_DERIVATIVE: ReadonlySet<string> = new Set(['boolean', 'category']);

/** @returns null where no derivative is known, and where there are violations */
export function readJacobian(
  sent: SentJacobian | null,
  shape: JacobianShape,
  path: ViolationPath,
): { readonly jacobian: Jacobian | null; readonly violations: readonly Violation[] } {
  if (sent === null) return { jacobian: null, violations: [] };
  const outputs = outputNamesOf(shape.outputCount, shape.outputNames);
  const inputs = inputNamesOf(shape.inputCount, shape.inputNames);
  const violations: Violation[] = [];
  const jacobian: number[] = [];
  const rows = readList(sent, outputs, 'output', path, violations);
  outputs.forEach((output, j) => {
    const row = rows[j] ?? null;
    const at = [...path, isByName(sent) ? output : j];
    const list = row === null ? [] : readList(row, inputs, 'input', at, violations);
    inputs.forEach((input, v) => {
      const type = shape.inputTypes?.[v] ?? '';
      const hasNone = WITHOUT_DERIVATIVE.has(type);
      // Codes that fill whole rows have 0 there.
      const value = hasNone && list[v] === 0 ? null : (list[v] ?? null);
      jacobian.push(typeof value === 'number' ? value : Number.NaN);
      if (value === null || violations.length >= LISTED_VIOLATIONS) return;
      const where = [...at, isByName(row) ? input : v];
      if (!Number.isFinite(value)) {
        const message = `the derivative of ${output} by ${input} ${describeWrongType('a finite number or null', value)}`;
        violations.push(makeViolation(where, message));
      } else if (hasNone) {
        const message = `must be ${refTerm('nothing', 'null')}, 0 or left out, is ${value}: ${output} has no derivative by ${input}, which is a ${refTerm(type)}. A difference between two of its values is known from their runs.`;
        violations.push(makeViolation(where, message));
      }
    });
  });
  return { jacobian: violations.length === 0 && isKnown(jacobian) ? jacobian : null, violations };
}

/** Whether any derivative is known. */
export function isKnown(jacobian: Jacobian): boolean {
  return jacobian.some((value) => !Number.isNaN(value));
}

/** Matrix of the derivatives of cases: one row each, NaN where not known; null without any. */
export function toJacobianMatrix(
  rows: readonly (Jacobian | null)[],
  { outputCount, inputCount }: Pick<JacobianShape, 'outputCount' | 'inputCount'>,
): Matrix | null {
  if (rows.every((row) => row === null)) return null;
  const width = outputCount * inputCount;
  const values = new Float64Array(rows.length * width).fill(Number.NaN);
  for (const [i, row] of rows.entries()) if (row !== null) values.set(row, i * width);
  return new Matrix(rows.length, width, values);
}

/** The derivatives of cases as they were sent, in a list at `field`; null for those whose run failed. */
export function readJacobians(
  sent: readonly (SentJacobian | null)[],
  shape: JacobianShape,
  { field, failed }: { readonly field: string; readonly failed: ReadonlySet<number> },
): { readonly jacobians: readonly (Jacobian | null)[]; readonly violations: readonly Violation[] } {
  const read = sent.map((one, i) => readJacobian(failed.has(i) ? null : one, shape, [field, i]));
  return {
    jacobians: read.map(({ jacobian }) => jacobian),
    violations: read.flatMap(({ violations }) => violations).slice(0, LISTED_VIOLATIONS),
  };
}

/** In the order of the names; empty with a violation where it is neither a list of that length nor an object. */
function readList(
  sent: unknown,
  names: readonly string[],
  what: 'input' | 'output',
  path: ViolationPath,
  violations: Violation[],
): readonly unknown[] {
  if (violations.length >= LISTED_VIOLATIONS) return [];
  if (isByName(sent)) {
    const { list, violations: wrong } = makeListReader(names, what, { isComplete: false })(sent, path);
    violations.push(...wrong);
    return list;
  }
  if (!Array.isArray(sent)) {
    violations.push(
      makeViolation(
        path,
        describeWrongType(`a list with one entry per ${what}, or an object by the names of the ${what}s`, sent),
      ),
    );
    return [];
  }
  if (sent.length === names.length) return sent;
  const message = `must have one ${what === 'output' ? 'row' : 'number or null'} per ${what} (${names.length}), has ${sent.length}: a Jacobian has a row per output with a number per input.`;
  violations.push(makeViolation(path, message));
  return [];
}

/** Derivatives of cases; null for a case of which no derivative is known. */
export type CaseJacobians = (ReturnType<typeof toRows> | null)[];

export function toCaseJacobians(jacobians: Matrix, outputCount: number): CaseJacobians {
  return jacobians.toRows().map((row) => (isKnown(row) ? toRows(row, outputCount) : null));
}

/** As rows with null where a derivative is not known. */
export function toRows(jacobian: Jacobian, outputCount: number): (number | null)[][] {
  const inputCount = jacobian.length / outputCount;
  return Array.from({ length: outputCount }, (_, j) =>
    jacobian.slice(j * inputCount, (j + 1) * inputCount).map((value) => (Number.isNaN(value) ? null : value)),
  );
}
