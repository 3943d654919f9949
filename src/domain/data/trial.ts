/**
 * A trial is one load of output cases. States: active -> completed by the client; active -> failed is reserved for trials
 * with unusable data. Only an active trial accepts objectives and suggestions.
 */
import { LISTED_VIOLATIONS, makeViolation, type Violation } from '../errors.ts';
import { Matrix } from '../matrix.ts';
import { refField } from '../messages.ts';
import { type ByName, makeOutputReader } from '../problem/names.ts';
import type { Jacobian, SentJacobian } from './jacobian.ts';

export const TrialStatus = { active: 'active', completed: 'completed', failed: 'failed' } as const;
export type TrialStatus = (typeof TrialStatus)[keyof typeof TrialStatus];

/** One row of outputs per input case, immutable once stored. */
export interface OutputCaseSet {
  readonly id: number;
  readonly modelId: number;
  readonly projectId: number;
  readonly outputCount: number;
  readonly caseCount: number;
  /** Zero-based rows whose run failed. */
  readonly failedCases: readonly number[];
  /** Whether derivatives came with some of its cases. */
  readonly hasJacobians: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly disabledAt: Date | null;
}

export interface OutputCaseSetWithCases extends OutputCaseSet {
  /** caseCount x outputCount. Row i belongs to input case i; rows of failed runs hold what the client sent and are never used. */
  readonly outputCases: Matrix;
}

export interface Trial {
  readonly id: number;
  readonly modelId: number;
  readonly projectId: number;
  readonly outputCaseSetId: number;
  readonly number: number;
  readonly status: TrialStatus;
  /** Revision of its data: raised by every call that adds cases and by every correction. */
  readonly revision: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly disabledAt: Date | null;
}

/** Whether a trial may change its status: only from active to completed, or not at all. */
export function canMoveTrial(from: TrialStatus, to: TrialStatus): boolean {
  return from === to || (from === TrialStatus.active && to === TrialStatus.completed);
}

export interface OutputCases {
  readonly outputCount: number;
  /** rows x outputCount. */
  readonly outputCases: Matrix;
  readonly failedCases: readonly number[];
  /** Per row its derivatives; absent: none are known. */
  readonly jacobians?: readonly (Jacobian | null)[];
  /** The same as they were sent. */
  readonly sentJacobians?: readonly (SentJacobian | null)[];
  /** Rows that were sent by name, which are zeros in outputCases. See resolveOutputRows. */
  readonly byName?: readonly RowByName[];
}

export interface RowByName {
  /** Zero-based. */
  readonly row: number;
  readonly output: ByName;
}

/** The cases with the numbers of the rows that were sent by name, and what is wrong with those rows, at most 100 of them. */
export function resolveOutputRows(
  { byName = [], ...cases }: OutputCases,
  outputNames: readonly string[] | null,
): { readonly cases: OutputCases; readonly violations: readonly Violation[] } {
  if (byName.length === 0) return { cases, violations: [] };
  const { rows, columns } = cases.outputCases;
  const values = cases.outputCases.values.slice();
  const read = makeOutputReader(columns, outputNames);
  const violations: Violation[] = [];
  for (const { row, output } of byName) {
    if (violations.length >= LISTED_VIOLATIONS) break;
    const { vector, violations: wrong } = read(output, ['outputCases', row]);
    violations.push(...wrong);
    if (wrong.length === 0) values.set(vector, row * columns);
  }
  return { cases: { ...cases, outputCases: new Matrix(rows, columns, values) }, violations };
}

/**
 * The client's rows as a matrix. The row of a failed run is kept, as zeros if it has another length; nothing reads it. Every
 * other row must have outputCount values.
 */
export function toOutputMatrix(
  rows: readonly (readonly number[])[],
  outputCount: number,
  failedCases: readonly number[],
): { readonly matrix: Matrix; readonly violations: readonly Violation[] } {
  const failed = new Set(failedCases);
  const { matrix, uneven } = Matrix.fromSent(rows, outputCount);
  const wrong = uneven.filter((i) => !failed.has(i)).slice(0, LISTED_VIOLATIONS);
  const violations = wrong.map((i) =>
    makeViolation(
      ['outputCases', i],
      `must have ${refField('outputCount')} = ${outputCount} values, has ${rows[i]!.length}.`,
    ),
  );
  return { matrix, violations };
}

/** Violations of output cases that do not match their project. */
export function checkOutputCases(
  { outputCount, outputCases }: OutputCases,
  project: { readonly caseCount: number; readonly outputCount: number | null },
): readonly Violation[] {
  const violations: Violation[] = [];
  if (project.outputCount !== null && outputCount !== project.outputCount) {
    const message = `must be ${project.outputCount}, the number stated when the project was created, is ${outputCount}.`;
    violations.push(makeViolation(['outputCount'], message));
  }
  if (outputCases.rows > project.caseCount) {
    const message = `must have at most ${project.caseCount} rows, one per input case of the project, has ${outputCases.rows}.`;
    violations.push(makeViolation(['outputCases'], message));
  }
  return violations;
}

/** Every failed row must exist. */
export function checkFailedCases(
  failedCases: readonly number[],
  rowCount: number,
  field = 'failedCases',
): readonly Violation[] {
  return failedCases.flatMap((row, k) =>
    row < rowCount ? [] : [makeViolation([field, k], `must be at most ${rowCount - 1}, the last row, is ${row}.`)],
  );
}
