/**
 * A trial is one load of output cases. States: active -> completed by the client; active -> failed is reserved for a
 * trial whose data turn out to be unusable. Only an active trial takes objectives and suggestions.
 */
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
