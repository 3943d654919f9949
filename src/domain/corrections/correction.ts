/**
 * Corrections of what was run: a case, designed or added, or an inverse. Each states a reason, is logged with what it replaced,
 * and gives the data of its trial the next revision.
 */

import { BYTES_PER_NUMBER, type StorageUsage } from '../accounts/storage.ts';
import type { Jacobian, SentJacobian } from '../data/jacobian.ts';
import type { RunResult } from '../data/run-result.ts';
import { DomainError } from '../errors.ts';
import type { ByName } from '../problem/names.ts';
import { awaitsOutput, type Inverse, InverseStatus, isBeingComputed, isRepeat } from '../search/inverse.ts';
import { areEqualVectors } from '../vectors.ts';

/** Statement of a correction about a run. */
export type ResultChange =
  /** By the names of the outputs, `output` is empty until it is read with them. So is `jacobian`, which is left out where none is sent. */
  | {
      readonly kind: 'output';
      readonly output: readonly number[];
      readonly byName?: ByName;
      readonly sentJacobian?: SentJacobian | null;
      readonly jacobian?: Jacobian | null;
    }
  /** Without a reason a failure that is known already stays as it is. */
  | { readonly kind: 'failed'; readonly failureReason: string | null }
  | { readonly kind: 'excluded'; readonly isExcluded: boolean }
  /** The result before a correction, again. */
  | { readonly kind: 'restored'; readonly result: RunResult }
  /** The result stays. */
  | { readonly kind: 'note' };

export interface NewCorrection {
  readonly change: ResultChange;
  /** The text of a note, empty to remove it. */
  readonly reason: string;
  /** The correction that this one takes back. */
  readonly undoes?: Correction;
}

/** A case by its number, from 1, or an inverse. */
export type CorrectionTarget =
  | { readonly kind: 'case'; readonly caseNumber: number }
  | {
      readonly kind: 'inverse';
      readonly objectiveId: number;
      readonly inverseId: number;
      readonly iteration: number;
    };

export interface Correction {
  readonly id: number;
  /** That it gave to the data of the trial. */
  readonly revision: number;
  readonly target: CorrectionTarget;
  readonly before: RunResult;
  readonly after: RunResult;
  readonly reason: string;
  /** Whether it is a note, whose text is the reason; default: false. */
  readonly isNote?: boolean;
  /** As nameOfActor says. */
  readonly correctedBy: string;
  readonly createdAt: Date;
}

/** Characters of the reason for a correction. */
export const LONGEST_REASON = 1_000;

/** Corrections that a trial may have. */
export const MAXIMUM_CORRECTIONS = 10_000;

/**
 * The result after a change; an output or a failure leaves it excluded if it is. Derivatives belong to the output they came with: another
 * one without any has none.
 */
export function changeResult(known: RunResult, change: ResultChange): RunResult {
  switch (change.kind) {
    case 'output': {
      const { output } = change;
      const isSame = known.output !== null && areEqualVectors(known.output, output);
      const { jacobian = isSame ? known.jacobian : null } = change;
      return { ...known, output, jacobian, failureReason: null };
    }
    case 'failed': {
      const failureReason = change.failureReason ?? (known.output === null ? known.failureReason : null);
      return { ...known, output: null, jacobian: null, failureReason };
    }
    case 'excluded':
      return { ...known, isExcluded: change.isExcluded };
    case 'restored':
      return change.result;
    case 'note':
      return known;
  }
}

/**
 * The result of an initial point that is a copy of a case, after a correction of the case. An initial point needs an output, so
 * that it is excluded where the case failed.
 */
export function copyResult(
  copy: RunResult & { readonly output: readonly number[] },
  { before, after }: { readonly before: RunResult; readonly after: RunResult },
): RunResult & { readonly output: readonly number[] } {
  const isExcluded = isLeftOut(before) === isLeftOut(after) ? copy.isExcluded : isLeftOut(after);
  const { output, jacobian } =
    after.output === null || areSame(after.output, copy.output) ? copy : { ...after, output: after.output };
  return { output, jacobian, failureReason: null, isExcluded };
}

function isLeftOut({ output, isExcluded }: RunResult): boolean {
  return isExcluded || output === null;
}

export function areEqualResults(a: RunResult, b: RunResult): boolean {
  if (a.isExcluded !== b.isExcluded || a.failureReason !== b.failureReason) return false;
  return areSame(a.output, b.output) && areSame(a.jacobian, b.jacobian);
}

/** Unknown derivatives are NaN. */
function areSame(a: readonly number[] | null, b: readonly number[] | null): boolean {
  if (a === null || b === null) return a === b;
  return a.length === b.length && a.every((value, k) => value === b[k] || (Number.isNaN(value) && Number.isNaN(b[k])));
}

/** Size of a correction in the account's storage: migrations/repeatable/stored-records.sql. */
export function correctionSize({
  before,
  after,
  reason,
}: Pick<Correction, 'before' | 'after' | 'reason'>): StorageUsage {
  const vectors = [before.output, before.jacobian, after.output, after.jacobian];
  const numbers = vectors.reduce((sum, vector) => sum + (vector?.length ?? 0), 0);
  const texts = [reason, before.failureReason ?? '', after.failureReason ?? ''];
  const textBytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return { bytes: ROW_BYTES + BYTES_PER_NUMBER * numbers + textBytes, rows: 1 };
}

const ROW_BYTES = 256;

type RunInverse = Pick<
  Inverse,
  'iteration' | 'status' | 'input' | 'output' | 'jacobian' | 'loadedAt' | 'failureReason' | 'excludedAt'
>;

/** Facts known about the run of an inverse. Throws NOTHING_TO_CORRECT, with advice, when it has none. */
export function resultOf(inverse: RunInverse): RunResult {
  const { output, jacobian, failureReason, excludedAt } = inverse;
  const advice = adviceWithoutRun(inverse);
  if (advice === undefined) return { output, jacobian, failureReason, isExcluded: excludedAt !== null };
  throw new DomainError('NOTHING_TO_CORRECT', `Run ${inverse.iteration} ${advice}`);
}

function adviceWithoutRun(inverse: RunInverse): string | undefined {
  if (isBeingComputed(inverse)) return 'is still being computed; ask for the suggestion, run it and load its output.';
  if (awaitsOutput(inverse)) return 'still waits for its output; load it, or report that the run failed.';
  if (isRepeat(inverse)) {
    return 'repeats a known input and was not run itself; correct the case or the run with that input, and this one follows.';
  }
  if (inverse.status === InverseStatus.stopped && inverse.output === null) {
    return 'was given up before it had an output; if you have one, add it to the trial as a case.';
  }
  return inverse.input === null ? 'could not be computed and was never run; ask for the next suggestion.' : undefined;
}
