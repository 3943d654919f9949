/**
 * A claimed job becomes a suggested inverse: snapshot, computation outside any transaction, then one write that the lease
 * fences. A lost lease means that another worker has the job; the result is dropped. Events: inverse.suggested, and
 * objective.stopped when there is nothing new to suggest.
 */
import { saveExplanation } from '../db/explanations.ts';
import { findObjective } from '../db/objectives.ts';
import { readSnapshot, type Snapshot, type StoredSuggestion, storeSuggestion } from '../db/suggestions.ts';
import { type Db, inTransaction } from '../db/transaction.ts';
import { evaluateOutput } from '../domain/acceptance.ts';
import type { StoredExplanation } from '../domain/explanation.ts';
import { checkSuggestion, isAdmissible } from '../domain/objective-limits.ts';
import { findOptimum } from '../domain/optimum.ts';
import { nextState } from '../domain/stop-reason.ts';
import type { LeasedJob } from '../domain/suggestion-job.ts';
import { withoutNegativeZero } from '../domain/vectors.ts';
import type { Engine } from '../engine/pool.ts';
import type { History, Proposal, SuggestRequest } from '../optimizer/problem.ts';
import { toSuggestRequest } from './engine-input.ts';
import { computeExplanation } from './explain-objective.ts';
import { judgeAll, judgeRuns } from './judge-runs.ts';
import { beatsOptimum } from './optimum.ts';
import { withEnd } from './record-event.ts';
import { untilWritten } from './until-written.ts';

export interface ComputeDeps {
  readonly db: Db;
  readonly engine: Pick<Engine, 'suggest' | 'explain'>;
  readonly workLimit: number;
}

export type ComputeOutcome =
  /** The inverse was written. */
  | {
      readonly kind: 'suggested' | 'stopped';
      readonly suggestTimeNs: number;
      readonly readMs: number;
      readonly writeMs: number;
      /** What was computed from, for an explanation of it. */
      readonly request: SuggestRequest;
    }
  /** The lease or the objective was lost meanwhile; nothing was written. */
  | { readonly kind: 'lost' }
  /** The optimizer failed; the job is to be tried again. */
  | { readonly kind: 'fault'; readonly fault: string };

/** Throws when the database is away or the signal fires; the job then returns to the queue once its lease has run out. */
export async function computeSuggestion(
  deps: ComputeDeps,
  job: LeasedJob,
  signal: AbortSignal,
): Promise<ComputeOutcome> {
  const startedAt = performance.now();
  // While its job is open nothing is added to the objective's own runs. A correction, an added case or a run of another objective
  // that comes meanwhile counts from the next suggestion on; an end is never stored on data that has changed.
  const snapshot = await readSnapshot(deps.db, job);
  if (snapshot === undefined) return { kind: 'lost' };
  const readMs = performance.now() - startedAt;
  const request = toSuggestRequest(snapshot, deps.workLimit);
  const answer = await deps.engine.suggest(request, signal);
  if (!answer.ok) return { kind: 'fault', fault: answer.fault };
  const suggested = toSuggested(snapshot, request.history, answer.result);
  if (typeof suggested === 'string') return { kind: 'fault', fault: suggested };
  const nearest =
    judgeRuns(snapshot.objective, snapshot) ?? (await judgeAll(deps.db, job.accountId, snapshot.objective));
  const suggestion = nearest && toStored(snapshot, job, suggested, { suggestTimeNs: answer.elapsedNs, nearest });
  if (suggestion === undefined) return { kind: 'lost' };
  // An end comes with its explanation; a suggestion is explained after it has been handed out.
  const isEnd = suggested.output !== null;
  const explanation = isEnd ? await computeExplanation(deps.engine, request, signal) : undefined;
  const computedAt = performance.now();
  const isWritten = await untilWritten(signal, () => write(deps.db, suggestion, explanation));
  if (!isWritten && isEnd && (await hasNewerData(deps.db, job, snapshot))) return computeSuggestion(deps, job, signal);
  if (!isWritten) return { kind: 'lost' };
  const kind = isEnd ? 'stopped' : 'suggested';
  return { kind, suggestTimeNs: answer.elapsedNs, readMs, writeMs: performance.now() - computedAt, request };
}

/** Whether the data of the trial changed after the snapshot, while the objective goes on. */
async function hasNewerData(db: Db, { accountId, objectiveId }: LeasedJob, { objective }: Snapshot): Promise<boolean> {
  const now = await findObjective(db, accountId, objectiveId);
  return now !== undefined && now.disabledAt === null && now.dataRevision !== objective.dataRevision;
}

interface Suggested {
  readonly input: readonly number[];
  readonly expected: readonly number[] | null;
  /** Set when the optimizer has nothing new: the known output of the repeated best input. */
  readonly output: readonly number[] | null;
}

/**
 * What the proposal means as an inverse, or the text of a fault: nothing outside the space and the limits of the objective ever
 * reaches a client.
 */
export function toSuggested({ objective, space }: Snapshot, history: History, proposal: Proposal): Suggested | string {
  if (proposal.kind === 'candidate') {
    const input = withoutNegativeZero(Array.from(proposal.input));
    const violations = checkSuggestion(space, objective, input);
    if (violations.length > 0 || !input.every(Number.isFinite)) {
      return `the optimizer proposed an input outside the space: ${JSON.stringify(input)}`;
    }
    return { input, output: null, expected: proposal.expected ? Array.from(proposal.expected) : null };
  }
  const outputs = Array.from({ length: history.count }, (_, row) =>
    history.failed[row] === 1 || !isAdmissible(space, objective, rowOf(history.X, row, space.inputCount))
      ? null
      : rowOf(history.Y, row, objective.objectives.length),
  );
  const best = findOptimum(objective, outputs) ?? proposal.bestIndex;
  const output = outputs[best];
  if (output == null) return 'the optimizer has nothing new and no run succeeded';
  return { input: rowOf(history.X, best, space.inputCount), output, expected: null };
}

function rowOf(values: Float64Array, row: number, columns: number): number[] {
  return Array.from(values.subarray(row * columns, (row + 1) * columns));
}

/** Undefined when the objective has ended. */
function toStored(
  snapshot: Snapshot,
  job: LeasedJob,
  { input, output, expected }: Suggested,
  { suggestTimeNs, nearest }: Pick<StoredSuggestion, 'suggestTimeNs' | 'nearest'>,
): StoredSuggestion | undefined {
  const { objective, optimalOutput } = snapshot;
  const state = nextState(objective.stopReason, output === null ? 'inverse-suggested' : 'nothing-new');
  if (state === undefined) return undefined;
  const suggested = { name: 'inverse.suggested', resourceId: job.inverseId } as const;
  return {
    job,
    state,
    input,
    output,
    suggestTimeNs: Math.round(suggestTimeNs),
    // The best point known may be one of the cases; repeated as an inverse it can be the optimal inverse.
    isOptimal: output !== null && beatsOptimum(objective, evaluateOutput(objective, output), optimalOutput),
    expected,
    dataRevision: objective.dataRevision,
    learnedFrom: snapshot.learnedFrom,
    nearest,
    events: withEnd([suggested], { id: objective.id, stopReason: state.stopReason }),
  };
}

/** False when the lease was lost, or the objective ended or was deleted meanwhile. */
function write(db: Db, suggestion: StoredSuggestion, explanation: StoredExplanation | undefined): Promise<boolean> {
  if (explanation === undefined) return storeSuggestion(db, suggestion);
  const { job } = suggestion;
  return inTransaction(db, async (trx) => {
    if (!(await storeSuggestion(trx, suggestion))) return false;
    await saveExplanation(trx, job.accountId, job, explanation);
    return true;
  });
}
