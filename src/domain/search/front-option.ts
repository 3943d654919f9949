/** Options of the search for a front: the point below which it is measured. */
import { makeViolation, type Violation } from '../errors.ts';
import type { ByName } from '../problem/names.ts';
import { checkLength } from '../vectors.ts';

export interface FrontOption {
  /** One per output without target: values that are worse count nothing. */
  readonly reference: readonly number[];
}

/** As a client states it. */
export interface SentFrontOption {
  /** By the names of the outputs without target as well. */
  readonly reference: readonly number[] | ByName;
}

/** The valid option as it is stored. */
export function frontOptionOf({ reference }: SentFrontOption): FrontOption {
  return { reference: Array.isArray(reference) ? reference : [] };
}

/** @param openCount outputs without target */
export function checkFront(front: SentFrontOption | null | undefined, openCount: number): readonly Violation[] {
  if (front == null || !Array.isArray(front.reference)) return [];
  const path = ['front', 'reference'];
  if (openCount === 0) {
    const message = 'must be left out: every output has a target, so no front is sought.';
    return [makeViolation(['front'], message)];
  }
  return checkLength(path, front.reference, openCount, 'output without target');
}
