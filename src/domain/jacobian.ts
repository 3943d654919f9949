/** Derivatives of the outputs of a run by its inputs, in the units of both. */
import { describeWrongType, LISTED_VIOLATIONS, makeViolation, type Violation, type ViolationPath } from './errors.ts';
import { inputNamesOf, isByName, makeListReader, outputNamesOf } from './names.ts';

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
      const value = list[v] ?? null;
      jacobian.push(typeof value === 'number' ? value : Number.NaN);
      if (value === null || violations.length >= LISTED_VIOLATIONS) return;
      const where = [...at, isByName(row) ? input : v];
      if (!Number.isFinite(value)) {
        const message = `the derivative of ${output} by ${input} ${describeWrongType('a finite number or null', value)}`;
        violations.push(makeViolation(where, message));
      } else if (WITHOUT_DERIVATIVE.has(shape.inputTypes?.[v] ?? '')) {
        const message = `must be null or left out: ${output} has no derivative by ${input}, which is a ${shape.inputTypes![v]}.`;
        violations.push(makeViolation(where, message));
      }
    });
  });
  const isKnown = violations.length === 0 && jacobian.some((value) => !Number.isNaN(value));
  return { jacobian: isKnown ? jacobian : null, violations };
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

/** As rows with null where a derivative is not known. */
export function toRows(jacobian: Jacobian, outputCount: number): (number | null)[][] {
  const inputCount = jacobian.length / outputCount;
  return Array.from({ length: outputCount }, (_, j) =>
    jacobian.slice(j * inputCount, (j + 1) * inputCount).map((value) => (Number.isNaN(value) ? null : value)),
  );
}
