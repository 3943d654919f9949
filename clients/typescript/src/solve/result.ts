/** What came of a problem. */
import { type Run as JournalRun, runsOf } from '../evaluator/journal.ts';
import { countRetried } from '../evaluator/retries.ts';
import type { Diagnosis, ExplainedObjective } from '../generated/schemas.ts';
import { pause } from '../retry.ts';
import type { Goals, OutputsOf } from './goals.ts';
import { type Inputs, toValues, type ValuesOf } from './inputs.ts';
import type { Session } from './session.ts';

/**
 * satisfied: every goal is met. stopped: no new input promises anything better. exhausted: the budget is used up. failed: too many
 * runs failed, `reason` says why. cancelled: on the service. interrupted: by the signal; the same call goes on.
 */
export type Status = 'satisfied' | 'stopped' | 'exhausted' | 'failed' | 'cancelled' | 'interrupted';

/** A run that is over. */
export interface FinishedRun<I extends Inputs, G extends Goals> {
  /** From 1, in the order in which runs ended. */
  readonly number: number;
  readonly kind: 'designed' | 'suggested';
  readonly input: ValuesOf<I>;
  /** null if the run failed. */
  readonly output: OutputsOf<G> | null;
  /** Why it failed. */
  readonly error: string | null;
  readonly seconds: number;
  /** ISO 8601. */
  readonly at: string;
}

export interface Best<I extends Inputs, G extends Goals> {
  readonly input: ValuesOf<I>;
  readonly output: OutputsOf<G>;
  /** How far each output is from its goal, in units of its tolerance; 0 where it is met. */
  readonly misses: OutputsOf<G>;
  readonly worstMiss: number;
}

export interface Result<I extends Inputs, G extends Goals> {
  readonly status: Status;
  /** The run that comes nearest to the goals; null if none has an output. */
  readonly best: Best<I, G> | null;
  /** The runs of this machine, the first one first. */
  readonly history: readonly FinishedRun<I, G>[];
  /** How many failed runs were tried again. */
  readonly retried: number;
  /** Which goals cannot be met together, and by how much; null without evidence. */
  readonly diagnosis: Diagnosis | null;
  /** Why it failed. */
  readonly reason: string | null;
  /** Everything that the service says about the search, such as its model; null before it has begun. */
  readonly objective: ExplainedObjective | null;
  /** Where it is on the service. */
  readonly ids: {
    readonly modelId: number;
    readonly projectId: number;
    readonly trialId: number | null;
    readonly objectiveId: number | null;
    readonly batchId: number;
  };
}

/** A search that has ended may be explained a moment later. */
const EXPLANATION_WAIT_MS = 5_000;
const EXPLANATION_POLL_MS = 100;

/** What is known now; of a search that is over with its explanation. */
export async function readResult<I extends Inputs, G extends Goals>(session: Session<I, G>): Promise<Result<I, G>> {
  const { client, problem, record } = session;
  const batch = await session.refresh();
  const { body: objectives } = await client.call('listBatchObjectives', { path: { batch_id: batch.id } });
  const [listed] = objectives;
  const objective = await readObjective(session, listed?.objectiveId ?? null);
  return {
    status: statusOf(batch.status, listed?.failureReason ?? null, objective),
    best: bestOf(problem, objective),
    history: runsOf(session.journal.lines).map((run) => toRun(problem, run)),
    retried: countRetried(session.journal.lines),
    diagnosis: objective?.diagnosis ?? null,
    reason: batch.failureReason === null ? (listed?.failureReason ?? null) : withAdvice(batch.failureReason),
    objective,
    ids: {
      modelId: record.modelId!,
      projectId: record.projectId!,
      trialId: batch.trialId,
      objectiveId: objective?.id ?? null,
      batchId: batch.id,
    },
  };
}

/** The black box may be mended by the time that somebody reads it. */
function withAdvice(failure: string): string {
  return `${failure.replace(/\.?$/, '.')} Once the fault is mended, retryFailed: true runs the failed runs once more; fresh: true starts over.`;
}

async function readObjective<I extends Inputs, G extends Goals>({ client, isOver }: Session<I, G>, id: number | null) {
  if (id === null) return null;
  const deadline = performance.now() + EXPLANATION_WAIT_MS;
  for (;;) {
    const { body } = await client.call('getObjectiveFlat', { path: { objective_id: id } });
    const isComplete = !isOver || body.stopReason === 1 || body.insight !== null;
    if (isComplete || performance.now() > deadline) return body;
    await pause(EXPLANATION_POLL_MS, undefined);
  }
}

const STATUSES = ['interrupted', 'satisfied', 'stopped', 'exhausted'] as const;

function statusOf(batch: string, failure: string | null, objective: ExplainedObjective | null): Status {
  if (batch === 'failed' || batch === 'cancelled') return batch;
  if (failure !== null) return 'failed';
  return objective === null || batch !== 'completed' ? 'interrupted' : STATUSES[objective.stopReason];
}

interface Named<I extends Inputs, G extends Goals> {
  readonly inputs: I;
  readonly goals: G;
}

function bestOf<I extends Inputs, G extends Goals>(
  { inputs, goals }: Named<I, G>,
  objective: ExplainedObjective | null,
): Best<I, G> | null {
  if (objective?.best == null) return null;
  const { input, output, misses, worstMiss } = objective.best;
  return { input: toValues(inputs, input), output: byName(goals, output), misses: byName(goals, misses), worstMiss };
}

export function toRun<I extends Inputs, G extends Goals>(
  { inputs, goals }: Named<I, G>,
  { number, kind, input, outcome, seconds, at }: JournalRun,
): FinishedRun<I, G> {
  return {
    number,
    kind: kind === 'inverse' ? 'suggested' : 'designed',
    input: toValues(inputs, input),
    output: outcome.kind === 'output' ? byName(goals, outcome.output as readonly number[]) : null,
    error: outcome.kind === 'failure' ? outcome.reason : null,
    seconds,
    at,
  };
}

function byName<G extends Goals>(goals: G, values: readonly number[]): OutputsOf<G> {
  return Object.fromEntries(Object.keys(goals).map((name, j) => [name, values[j]!])) as OutputsOf<G>;
}
