/**
 * A claimed job becomes a suggested inverse: snapshot, computation outside any transaction, then one transaction with the
 * fenced completion. A lost lease means that another worker has the job; the result is dropped. Events:
 * inverse.suggested, and objective.stopped when there is nothing new to suggest.
 */
import { saveExplanation } from '../db/explanations.ts';
import { listInverseData, updateInverse } from '../db/inverses.ts';
import { findObjective, lockObjective, updateObjective } from '../db/objectives.ts';
import { findOutputCaseSetWithCases } from '../db/output-case-sets.ts';
import { findProjectWithCases } from '../db/projects.ts';
import { finishJob } from '../db/suggestion-jobs.ts';
import { type Db, inTransaction, type Trx } from '../db/transaction.ts';
import { evaluateOutput } from '../domain/acceptance.ts';
import type { Objective } from '../domain/objective.ts';
import { findOptimum } from '../domain/optimum.ts';
import { checkInput, type Project } from '../domain/project.ts';
import { nextState } from '../domain/stop-reason.ts';
import type { LeasedJob } from '../domain/suggestion-job.ts';
import { withoutNegativeZero } from '../domain/vectors.ts';
import type { Engine } from '../engine/pool.ts';
import type { Proposal, SuggestRequest } from '../optimizer/problem.ts';
import { collectHistory, type HistoryCase, toSuggestRequest } from './engine-input.ts';
import { computeExplanation } from './explain-objective.ts';
import { judgeRuns } from './judge-runs.ts';
import { beatsOptimum } from './optimum.ts';
import { recordEvents } from './record-event.ts';
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

interface Snapshot {
  readonly objective: Objective;
  readonly project: Project;
  readonly cases: readonly HistoryCase[];
  readonly firstSuggested: number;
  /** The nearest run with all runs judged, to be stored with the suggestion. */
  readonly nearest: ReturnType<typeof judgeRuns>;
}

/** Throws when the database is away or the signal fires; the job then returns to the queue by itself. */
export async function computeSuggestion(
  deps: ComputeDeps,
  job: LeasedJob,
  signal: AbortSignal,
): Promise<ComputeOutcome> {
  const startedAt = performance.now();
  const snapshot = await readSnapshot(deps.db, job);
  if (snapshot === undefined) return { kind: 'lost' };
  const readMs = performance.now() - startedAt;
  const request = toSuggestRequest(snapshot.project, snapshot.objective, snapshot, deps.workLimit);
  const answer = await deps.engine.suggest(request, signal);
  if (!answer.ok) return { kind: 'fault', fault: answer.fault };
  const inverse = toInverse(snapshot, answer.result);
  if (typeof inverse === 'string') return { kind: 'fault', fault: inverse };
  // An end comes with its explanation; a suggestion is explained once it is out.
  const explanation = inverse.output === null ? undefined : await computeExplanation(deps.engine, request, signal);
  const computedAt = performance.now();
  const isWritten = await untilWritten(signal, () =>
    inTransaction(deps.db, async (trx) => {
      if (!(await writeInverse(trx, job, { ...inverse, nearest: snapshot.nearest }, answer.elapsedNs))) return false;
      if (explanation !== undefined) await saveExplanation(trx, job.accountId, job.objectiveId, explanation);
      return true;
    }),
  );
  if (!isWritten) return { kind: 'lost' };
  const kind = inverse.output === null ? 'suggested' : 'stopped';
  return { kind, suggestTimeNs: answer.elapsedNs, readMs, writeMs: performance.now() - computedAt, request };
}

/** No transaction: while its job is open an objective's history cannot grow, and the fenced write finds out the rest. */
async function readSnapshot(db: Db, job: LeasedJob): Promise<Snapshot | undefined> {
  const objective = await findObjective(db, job.accountId, job.objectiveId);
  if (objective === undefined || objective.disabledAt !== null) return undefined;
  const [project, set, inverses] = await Promise.all([
    findProjectWithCases(db, job.accountId, objective.projectId),
    findOutputCaseSetWithCases(db, job.accountId, objective.outputCaseSetId),
    listInverseData(db, job.objectiveId),
  ]);
  // Deleted meanwhile, and purged already.
  if (project === undefined || set === undefined) return undefined;
  const nearest = judgeRuns(objective, { inputCases: project.inputCases, set, inverses });
  return { objective, project, nearest, ...collectHistory({ project, set, objective, inverses }) };
}

interface Suggested {
  readonly input: readonly number[];
  /** Set when the optimizer has nothing new: the known output of the repeated best input. */
  readonly output: readonly number[] | null;
}

/** What the proposal means as an inverse, or the text of a fault: nothing outside the space ever reaches a client. */
function toInverse(snapshot: Snapshot, proposal: Proposal): Suggested | string {
  if (proposal.kind === 'candidate') {
    const input = withoutNegativeZero(Array.from(proposal.input));
    const violations = checkInput(snapshot.project, input, ['input']);
    if (violations.length > 0 || !input.every(Number.isFinite)) {
      return `the optimizer proposed an input outside the space: ${JSON.stringify(input)}`;
    }
    return { input, output: null };
  }
  const outputs = snapshot.cases.map((known) => known.output);
  const best = snapshot.cases[findOptimum(snapshot.objective, outputs) ?? proposal.bestIndex];
  if (best?.output == null) return 'the optimizer has nothing new and no run succeeded';
  return { input: best.input, output: best.output };
}

/** False when the lease was lost, or the objective ended or was deleted meanwhile. */
async function writeInverse(
  trx: Trx,
  job: LeasedJob,
  inverse: Suggested & Pick<Snapshot, 'nearest'>,
  suggestTimeNs: number,
): Promise<boolean> {
  const objective = await lockObjective(trx, job.accountId, job.objectiveId);
  const state =
    objective && nextState(objective.stopReason, inverse.output === null ? 'inverse-suggested' : 'nothing-new');
  if (objective === undefined || objective.disabledAt !== null || state === undefined) return false;
  if (!(await finishJob(trx, job))) return false;
  await updateInverse(trx, job.inverseId, {
    status: state.inverseStatus,
    input: inverse.input,
    ...(inverse.output === null ? {} : { output: inverse.output }),
    suggestTimeNs: Math.round(suggestTimeNs),
    reached: inverse.output === null ? ['suggestedAt'] : ['suggestedAt', 'stoppedAt'],
  });
  // The best point known may be one of the cases; repeated as an inverse it can be the optimal inverse.
  const isOptimum =
    inverse.output !== null &&
    (await beatsOptimum(trx, job.accountId, objective, evaluateOutput(objective, inverse.output)));
  const updated = await updateObjective(trx, objective.id, {
    stopReason: state.stopReason,
    attemptCount: objective.attemptCount + (inverse.output === null ? 1 : 0),
    ...(isOptimum && { optimalInverseId: job.inverseId }),
    nearest: inverse.nearest,
  });
  await recordEvents(trx, job.accountId, [{ name: 'inverse.suggested', resourceId: job.inverseId }], updated);
  return true;
}
