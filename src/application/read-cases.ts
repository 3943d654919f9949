/** Cases in batches that neither fill memory nor block the event loop, however many there are. */
import { readCases } from '../db/cases.ts';
import type { Db } from '../db/transaction.ts';
import type { Matrix } from '../domain/matrix.ts';
import type { Page, PageRequest } from '../domain/page.ts';
import type { Project } from '../domain/project.ts';
import type { OutputCaseSet } from '../domain/trial.ts';

/** Numbers read at a time, some 2 ms of the event loop. */
const NUMBERS_PER_READ = 25_000;

/** Rows, some at a time. */
export type CaseBatches = AsyncIterable<readonly (readonly number[])[]>;

/** A page of cases; their zero-based position counts as the id after which the next page begins. */
export interface CasePage extends Pick<Page<never>, 'nextAfter'> {
  /** Zero-based position of the first case. */
  readonly from: number;
  readonly batches: CaseBatches;
}

export function readAllInputCases(db: Db, accountId: number, project: Project): CaseBatches {
  return readInputCasePage(db, accountId, project, WHOLE).batches;
}

export function readInputCasePage(db: Db, accountId: number, project: Project, request: PageRequest): CasePage {
  return readPage(project.caseCount, project.inputCount, request, (from, count) =>
    readCases(db, accountId, 'projects', project.id, from, count),
  );
}

export function readAllOutputCases(db: Db, accountId: number, set: OutputCaseSet): CaseBatches {
  return readOutputCasePage(db, accountId, set, WHOLE).batches;
}

export function readOutputCasePage(db: Db, accountId: number, set: OutputCaseSet, request: PageRequest): CasePage {
  return readPage(set.caseCount, set.outputCount, request, (from, count) =>
    readCases(db, accountId, 'output_case_sets', set.id, from, count),
  );
}

const WHOLE: PageRequest = { limit: Number.POSITIVE_INFINITY, after: null };

function readPage(
  rows: number,
  columns: number,
  { limit, after }: PageRequest,
  read: (from: number, count: number) => Promise<Matrix>,
): CasePage {
  const from = Math.min(after ?? 0, rows);
  const end = Math.min(from + limit, rows);
  return { from, nextAfter: end < rows ? end : null, batches: readRows(from, end, columns, read) };
}

async function* readRows(
  from: number,
  end: number,
  columns: number,
  read: (from: number, count: number) => Promise<Matrix>,
): AsyncGenerator<readonly (readonly number[])[], void> {
  const size = Math.max(1, Math.floor(NUMBERS_PER_READ / columns));
  for (let next = from; next < end; next += size) yield (await read(next, Math.min(size, end - next))).toRows();
}
