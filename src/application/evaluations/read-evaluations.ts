import type { Db, Trx } from '../../db/connection/transaction.ts';
import type { EvaluationFilter } from '../../db/evaluations/evaluations.ts';
import * as evaluations from '../../db/evaluations/evaluations.ts';
import { notFound } from '../../domain/errors.ts';
import type { EvaluationRecord } from '../../domain/evaluations/evaluation.ts';
import type { Page, PageRequest } from '../../domain/page.ts';

/** Throws NOT_FOUND. */
export async function getEvaluation(db: Db | Trx, accountId: number, id: number): Promise<EvaluationRecord> {
  const evaluation = await evaluations.findEvaluation(db, accountId, id);
  if (evaluation === undefined) throw notFound('evaluation', id);
  return evaluation;
}

export function listEvaluations(
  db: Db,
  accountId: number,
  filter: EvaluationFilter,
  page: PageRequest,
): Promise<Page<EvaluationRecord>> {
  return evaluations.listEvaluations(db, accountId, filter, page);
}
