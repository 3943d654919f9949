/** Runs that an answer of the models is about: which meet every target, and where each comes from. */

import type { Db } from '../../db/connection/transaction.ts';
import { listInverseIds } from '../../db/search/inverses.ts';
import type { Snapshot } from '../../db/search/suggestions.ts';
import { makeVerdict } from '../../domain/search/acceptance.ts';
import { hasNoTarget } from '../../domain/search/objective.ts';
import { isAdmissible } from '../../domain/search/objective-limits.ts';
import type { SuggestRequest } from '../../optimizer/interface/problem.ts';
import { type RowSource, rowOf } from './engine-input.ts';

/** A run, with its input and output as they count now. */
export interface KnownRun {
  /** Numbered from 0; null for an inverse. */
  readonly caseNumber: number | null;
  readonly inverseId: number | null;
  /** The objective of that inverse, which may be another one of the trial, and its number there. */
  readonly objectiveId: number | null;
  readonly objectiveNumber: number | null;
  /** Its number within that objective. */
  readonly iteration: number | null;
  readonly input: readonly number[];
  readonly output: readonly number[];
}

/** Rows within all limits that meet every target; an output without one meets it always. */
export function rowsThatMeet({ objective, space }: Snapshot, { history }: SuggestRequest): number[] {
  const verdict = makeVerdict(objective);
  const [n, m] = [space.inputCount, objective.objectives.length];
  const isOpen = objective.objectives.map((_, j) => hasNoTarget(objective, j));
  return Array.from({ length: history.count }, (_, row) => row).filter(
    (row) =>
      history.failed[row] === 0 &&
      verdict(rowOf(history.Y, row, m)).every((isMet, j) => isMet || isOpen[j]) &&
      isAdmissible(space, objective, rowOf(history.X, row, n)),
  );
}

export const NO_INVERSE = { inverseId: null, objectiveId: null, objectiveNumber: null, iteration: null };

/** Rows of the history of a request as clients see them. */
export async function toRuns(
  db: Db,
  rows: readonly number[],
  { history, space, goal }: SuggestRequest,
  sourceOf: (row: number) => RowSource,
): Promise<KnownRun[]> {
  const [n, m] = [space.variables.length, goal.targets.length];
  const sources = rows.map(sourceOf);
  const ids = await listInverseIds(
    db,
    sources.flatMap((source) => ('iteration' in source ? [source] : [])),
  );
  return rows.map((row, k) => {
    const source = sources[k]!;
    const run = { input: rowOf(history.X, row, n), output: rowOf(history.Y, row, m) };
    if ('caseNumber' in source) return { ...NO_INVERSE, caseNumber: source.caseNumber, ...run };
    const { objectiveId, iteration } = source;
    const { id = null, objectiveNumber = null } = ids.get(`${objectiveId} ${iteration}`) ?? {};
    return { caseNumber: null, inverseId: id, objectiveId, objectiveNumber, iteration, ...run };
  });
}
