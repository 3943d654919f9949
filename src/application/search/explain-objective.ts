/**
 * What the optimizer has learned, stored after a suggestion for clients that poll. It is computed once the suggestion has been
 * handed out, so that no client waits for it. When a worker dies here, the next suggestion brings a newer explanation.
 */

import type { Db } from '../../db/connection/transaction.ts';
import { saveExplanation } from '../../db/search/explanations.ts';
import type { InputStanding, StoredExplanation } from '../../domain/explanation.ts';
import type { LeasedJob } from '../../domain/suggestion-job.ts';
import type { Engine } from '../../engine/pool.ts';
import type { Standing } from '../../optimizer/problem.ts';
import { rowOf, type toSourcedRequest } from './engine-input.ts';

/** What a suggestion was computed from. Opaque to callers. */
export type ExplainRequest = ReturnType<typeof toSourcedRequest>;

export interface ExplainDeps {
  readonly db: Db;
  readonly engine: Pick<Engine, 'explain'>;
}

/** Throws when the database is away or the signal fires; after a fault of the optimizer the stored explanation stays. */
export async function explainObjective(
  deps: ExplainDeps,
  job: Pick<LeasedJob, 'accountId' | 'objectiveId' | 'inverseId'>,
  request: ExplainRequest,
  signal: AbortSignal,
): Promise<void> {
  const explanation = await computeExplanation(deps.engine, request, signal);
  if (explanation !== undefined) await saveExplanation(deps.db, job.accountId, job, explanation);
}

/** Undefined when the optimizer cannot explain the history: the suggestion itself does not depend on it. */
export async function computeExplanation(
  engine: Pick<Engine, 'explain'>,
  { request, sourceOf }: ExplainRequest,
  signal: AbortSignal,
): Promise<StoredExplanation | undefined> {
  const answer = await engine.explain(request, signal);
  if (!answer.ok) return undefined;
  const { standing, advice, ...explanation } = answer.result;
  const { X, count } = request.history;
  return {
    ...explanation,
    caseCount: count,
    standing: standing ? atItsInput(standing, X, X.length / count) : null,
    advice: advice?.map(({ rows, ...one }) => (rows ? { ...one, runs: rows.map(sourceOf) } : one)) ?? null,
  };
}

/** @param X rows of n inputs */
function atItsInput({ row, runs, run, mean }: Standing, X: Float64Array, n: number): InputStanding {
  return { input: rowOf(X, row, n), runs, run, mean };
}
