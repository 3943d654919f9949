/**
 * Stores what the optimizer has learned after a suggestion, for clients that poll. It is computed once the suggestion has been handed out,
 * so that no client waits for it. When a worker dies here, the next suggestion brings a newer explanation.
 */

import type { Db } from '../../db/connection/transaction.ts';
import { saveExplanation } from '../../db/search/explanations.ts';
import type { FirstRun, InputStanding, StoredExplanation } from '../../domain/search/explanation.ts';
import type { LeasedJob } from '../../domain/search/suggestion-job.ts';
import type { Engine } from '../../engine/pool.ts';
import type { Standing } from '../../optimizer/interface/problem.ts';
import { type RowSource, rowOf, runsAt, type toSourcedRequest } from './engine-input.ts';

/** The request that a suggestion was computed from. Opaque to callers. */
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
  asked: ExplainRequest,
  signal: AbortSignal,
): Promise<StoredExplanation | undefined> {
  const { request, sourceOf } = asked;
  const answer = await engine.explain(request, signal);
  if (!answer.ok) return undefined;
  const { standing, advice, ...explanation } = answer.result;
  return {
    ...explanation,
    caseCount: request.history.count,
    standing: standing ? atItsInput(standing, asked) : null,
    advice: advice?.map(({ rows, ...one }) => (rows ? { ...one, runs: rows.map(sourceOf) } : one)) ?? null,
  };
}

/** With what the runs at the input gave, so that lists need not look for them. */
function atItsInput(
  { row, runs, run, mean }: Standing,
  { request, sourceOf, objective }: ExplainRequest,
): InputStanding {
  const { history, space } = request;
  const input = rowOf(history.X, row, space.variables.length);
  const there = runsAt(history, input);
  const from = firstOf(there.rows.map(sourceOf), objective.id);
  return {
    input,
    runs,
    run,
    mean,
    output: there.mean,
    meanOf: there.rows.length,
    from,
    revision: objective.dataRevision,
  };
}

/** A case comes before a run of the objective, and that before a run of another one. */
function firstOf(sources: readonly RowSource[], ownId: number): FirstRun {
  const rankOf = (source: RowSource) => {
    if ('caseNumber' in source) return 0;
    return source.objectiveId === ownId ? 1 : 2;
  };
  const first = sources.reduce((best, source) => (rankOf(source) < rankOf(best) ? source : best));
  if ('caseNumber' in first || first.objectiveId !== ownId) return first;
  return { iteration: first.iteration };
}
