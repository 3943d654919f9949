/** Cases in batches that neither fill memory nor block the event loop, however many there are. */

import type { Db } from '../../db/connection/transaction.ts';
import { readCases } from '../../db/data/cases.ts';
import type { OutputCaseSet } from '../../domain/data/trial.ts';
import type { Page, PageRequest } from '../../domain/page.ts';
import type { Project } from '../../domain/problem/project.ts';

/** Numbers read at a time, some 2 ms of the event loop. */
const NUMBERS_PER_READ = 25_000;

/** Rows, some at a time. */
export type CaseBatches<T = readonly number[]> = AsyncIterable<readonly T[]>;

/** A page of cases; their zero-based position counts as the id after which the next page begins. */
export interface CasePage<T = readonly number[]> extends Pick<Page<never>, 'nextAfter'> {
  /** Zero-based position of the first case. */
  readonly from: number;
  /** Zero-based position behind the last case. */
  readonly end: number;
  readonly batches: CaseBatches<T>;
}

export function readAllInputCases(db: Db, accountId: number, project: Project): CaseBatches {
  return readInputCasePage(db, accountId, project, WHOLE).batches;
}

export function readInputCasePage(db: Db, accountId: number, project: Project, request: PageRequest): CasePage {
  return readPage(project.caseCount, project.inputCount, request, async (from, count) =>
    (await readCases(db, accountId, 'projects', project.id, from, count)).toRows(),
  );
}

export function readAllOutputCases(db: Db, accountId: number, set: OutputCaseSet): CaseBatches {
  return readOutputCasePage(db, accountId, set, WHOLE).batches;
}

export function readOutputCasePage(db: Db, accountId: number, set: OutputCaseSet, request: PageRequest): CasePage {
  return readPage(set.caseCount, set.outputCount, request, async (from, count) =>
    (await readCases(db, accountId, 'output_case_sets', set.id, from, count)).toRows(),
  );
}

const WHOLE: PageRequest = { limit: Number.POSITIVE_INFINITY, after: null };

/**
 * @param numbers  in each of the rows
 * @param read  `count` rows from the zero-based position `from` on
 */
export function readPage<T>(
  rows: number,
  numbers: number,
  { limit, after }: PageRequest,
  read: (from: number, count: number) => Promise<readonly T[]>,
): CasePage<T> {
  const from = Math.min(after ?? 0, rows);
  const end = Math.min(from + limit, rows);
  return { from, end, nextAfter: end < rows ? end : null, batches: readRows(from, end, numbers, read) };
}

async function* readRows<T>(
  from: number,
  end: number,
  numbers: number,
  read: (from: number, count: number) => Promise<readonly T[]>,
): AsyncGenerator<readonly T[], void> {
  const size = Math.max(1, Math.floor(NUMBERS_PER_READ / numbers));
  for (let next = from; next < end; next += size) yield await read(next, Math.min(size, end - next));
}
