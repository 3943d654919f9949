/**
 * A trial is one load of output cases. States: active -> completed by the client; active -> failed is reserved for a
 * trial whose data turn out to be unusable. Only an active trial takes objectives and suggestions.
 */
import { makeViolation, type Violation } from './errors.ts';

export const TrialStatus = { active: 'active', completed: 'completed', failed: 'failed' } as const;
export type TrialStatus = (typeof TrialStatus)[keyof typeof TrialStatus];

/** The output of one row per input case, immutable once stored. */
export interface OutputCaseSet {
  readonly id: number;
  readonly modelId: number;
  readonly projectId: number;
  readonly outputCount: number;
  /** Row i answers input case i; rows of failed runs hold zeros or what the client sent and are never used. */
  readonly outputCases: readonly (readonly number[])[];
  /** Zero-based rows whose run failed. */
  readonly failedCases: readonly number[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly disabledAt: Date | null;
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
  readonly outputCases: readonly (readonly number[])[];
  readonly failedCases: readonly number[];
}

/** Violations of loaded output cases against the number of designed cases and the announced number of outputs. */
export function checkOutputCases(
  cases: OutputCases,
  project: { readonly caseCount: number; readonly outputCount: number | null },
): readonly Violation[] {
  const { outputCount, outputCases, failedCases } = cases;
  const violations: Violation[] = [];
  if (project.outputCount !== null && outputCount !== project.outputCount) {
    const message = `must be ${project.outputCount}, the number stated when the project was created, is ${outputCount}.`;
    violations.push(makeViolation(['outputCount'], message));
  }
  if (outputCases.length > project.caseCount) {
    const message = `has ${outputCases.length} rows, the project has only ${project.caseCount} input cases.`;
    violations.push(makeViolation(['outputCases'], message));
  }
  const failed = new Set(failedCases);
  outputCases.forEach((row, i) => {
    if (!failed.has(i) && row.length !== outputCount) {
      const message = `needs outputCount = ${outputCount} values, has ${row.length}.`;
      violations.push(makeViolation(['outputCases', i], message));
    }
  });
  failedCases.forEach((row, k) => {
    if (row >= outputCases.length) {
      const message = `names row ${row}, the last row is ${outputCases.length - 1}.`;
      violations.push(makeViolation(['failedCases', k], message));
    }
  });
  return violations;
}

/** Rows of failed runs keep their place: a row of another length becomes zeros, which nothing ever reads. */
export function toRectangular(cases: OutputCases): readonly (readonly number[])[] {
  const zeros: readonly number[] = new Array<number>(cases.outputCount).fill(0);
  return cases.outputCases.map((row) => (row.length === cases.outputCount ? row : zeros));
}
