/**
 * A trial is one load of output cases. States: active -> completed by the client; active -> failed is reserved for a
 * trial whose data turn out to be unusable. Only an active trial takes objectives and suggestions.
 */
import { LISTED_VIOLATIONS, makeViolation, type Violation } from './errors.ts';
import { Matrix } from './matrix.ts';

export const TrialStatus = { active: 'active', completed: 'completed', failed: 'failed' } as const;
export type TrialStatus = (typeof TrialStatus)[keyof typeof TrialStatus];

/** The output of one row per input case, immutable once stored. */
export interface OutputCaseSet {
  readonly id: number;
  readonly modelId: number;
  readonly projectId: number;
  readonly outputCount: number;
  readonly caseCount: number;
  /** Zero-based rows whose run failed. */
  readonly failedCases: readonly number[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly disabledAt: Date | null;
}

export interface OutputCaseSetWithCases extends OutputCaseSet {
  /** caseCount x outputCount. Row i answers input case i; rows of failed runs hold what the client sent and are never used. */
  readonly outputCases: Matrix;
}

export interface Trial {
  readonly id: number;
  readonly modelId: number;
  readonly projectId: number;
  readonly outputCaseSetId: number;
  readonly number: number;
  readonly status: TrialStatus;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly disabledAt: Date | null;
}

/** A trial's status may be repeated, or moved from active to completed; everything else is refused. */
export function canMoveTrial(from: TrialStatus, to: TrialStatus): boolean {
  return from === to || (from === TrialStatus.active && to === TrialStatus.completed);
}

export interface OutputCases {
  readonly outputCount: number;
  /** rows x outputCount. */
  readonly outputCases: Matrix;
  readonly failedCases: readonly number[];
}

/**
 * Rows as a client sent them, as a matrix. A row of a failed run keeps its place: one of another length becomes zeros,
 * which nothing ever reads. Every other row needs outputCount values.
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
    makeViolation(['outputCases', i], `needs outputCount = ${outputCount} values, has ${rows[i]!.length}.`),
  );
  return { matrix, violations };
}

/** Violations of loaded output cases against the number of designed cases and the announced number of outputs. */
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
    const message = `has ${outputCases.rows} rows, the project has only ${project.caseCount} input cases.`;
    violations.push(makeViolation(['outputCases'], message));
  }
  return violations;
}

/** Failed rows must exist. */
export function checkFailedCases(failedCases: readonly number[], rowCount: number): readonly Violation[] {
  return failedCases.flatMap((row, k) =>
    row < rowCount ? [] : [makeViolation(['failedCases', k], `names row ${row}, the last row is ${rowCount - 1}.`)],
  );
}
