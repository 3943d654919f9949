/** Result of a problem. */
import type { Run as JournalRun } from '../evaluator/journal.ts';
import { describeProbability, probabilityOf } from '../evaluator/nearness.ts';
import { countRetried } from '../evaluator/retries.ts';
import { numberOf } from '../evaluator/run-name.ts';
import type { Diagnosis, ExplainedObjective } from '../generated/schemas.ts';
import { adviceIn } from './adviser.ts';
import { runOfAnswer } from './answer.ts';
import type { Advice } from './defaults.ts';
import { type FitResult, fitOf } from './fitted.ts';
import { FollowedSearch } from './followed-search.ts';
import { byName, flatten, type Goals, type MissesOf, type OutputsOf } from './goals.ts';
import { type Inputs, toValues, type ValuesOf } from './inputs.ts';
import type { Session } from './session.ts';

/**
 * satisfied: every goal is met. stopped: no new input promises anything better. exhausted: the budget is used up. failed: too many
 * runs failed, `reason` says why. cancelled: on the service. interrupted: by the signal; the same call goes on.
 */
export type Status = 'satisfied' | 'stopped' | 'exhausted' | 'failed' | 'cancelled' | 'interrupted';

/** A run that is over. */
export interface FinishedRun<I extends Inputs, G extends Goals> {
  /** Such as `case 3`, `run 17` or `run 5 of an earlier search`, as on the page of the service. */
  readonly name: string;
  /**
   * The number of the case or of the suggested run, as the service counts them. null for a start that failed, and for suggested runs
   * that an earlier release made.
   */
  readonly number: number | null;
  readonly kind: 'designed' | 'suggested';
  /** The cheaper source that was run; null for the black box itself. */
  readonly source: string | null;
  readonly input: ValuesOf<I>;
  /** null if the run failed. */
  readonly output: OutputsOf<G> | null;
  /** Reason for its failure. */
  readonly error: string | null;
  readonly seconds: number;
  /** ISO 8601. */
  readonly at: string;
}

export interface Best<I extends Inputs, G extends Goals> {
  /** As in `history`: `case 3` or `run 17`. */
  readonly name: string;
  /** Its number, as in `history`. With `confirm` or `confidence` this is the first run at the input. */
  readonly run: number | null;
  /** Number of runs at the input whose mean `output` is; null for an input that an earlier release declared. */
  readonly runs: number | null;
  readonly input: ValuesOf<I>;
  readonly output: OutputsOf<G>;
  /** Distance of each output from its goal, in units of its tolerance; 0 where it is met. */
  readonly misses: MissesOf<G>;
  readonly worstMiss: number;
  /** By how much each output lies beyond its limit, in units of the output: negative below it, 0 where it is met. */
  readonly missedBy: MissesOf<G>;
}

export interface Result<I extends Inputs, G extends Goals> {
  readonly status: Status;
  /**
   * The answer of the search: the run that meets the goals or comes nearest to them, the best value or fit, or with `confirm` or
   * `confidence` the input that meets them most surely. null if no run has an output.
   */
  readonly best: Best<I, G> | null;
  /** The runs of this machine, the first one first. */
  readonly history: readonly FinishedRun<I, G>[];
  /** Number of failed runs that were tried again. */
  readonly retried: number;
  /** Goals that cannot be met together, what each costs and how to relax them, in words as `detail`; null without evidence. */
  readonly diagnosis: Diagnosis | null;
  /** Findings that you can act on: how the problem was understood, and what the runs show. */
  readonly advice: readonly Advice[];
  /** With `confidence`: the probability with which the best input meets the goals, and what leaves it between low and high. */
  readonly probability: { readonly value: number; readonly low: number; readonly high: number } | null;
  /** Quality of the best run's fit, and conclusions from the data about the inputs; null without a fit. */
  readonly fit: FitResult<I, G> | null;
  /** Reason for a failure, or for an end without success and how near it came; null otherwise. */
  readonly reason: string | null;
  /** Everything that the service says about the search, such as its model; null before it has begun. */
  readonly objective: ExplainedObjective | null;
  /** Ids of the problem on the service. */
  readonly ids: {
    readonly modelId: number;
    readonly projectId: number;
    readonly trialId: number | null;
    readonly objectiveId: number | null;
    readonly batchId: number;
  };
}

/** Resolves to what is known now; for a search that is over with its explanation. */
export async function readResult<I extends Inputs, G extends Goals>(
  session: Session,
  problem: Named<I, G>,
): Promise<Result<I, G>> {
  const { record, runs } = session;
  const batch = await session.refresh();
  const search = new FollowedSearch(session);
  await search.refresh();
  await (session.isOver ? search.readEnd() : search.readFits());
  const { fits, objectives, states } = search.state;
  const [listed] = objectives;
  const objective = states.get(listed?.objectiveId ?? -1) ?? null;
  const status = statusOf(batch.status, listed?.failureReason ?? null, objective);
  const best = bestOf(problem, objective, session);
  return {
    status,
    best,
    history: runs.map((run) => toRun(problem, run, session.nameOf(run))),
    retried: countRetried(session.journal.lines),
    diagnosis: objective?.diagnosis ?? null,
    advice: [...session.advice, ...adviceIn(search.state)],
    probability: objective === null ? null : (probabilityOf(objective.standing, objective) ?? null),
    fit: fitOf(problem, objective?.fit ?? null, fits.get(objective?.id ?? -1)),
    reason:
      batch.failureReason === null
        ? (listed?.failureReason ?? describeEnd(status, objective))
        : withAdvice(batch.failureReason),
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
  session: Session,
): Best<I, G> | null {
  if (objective?.answer == null) return null;
  const { answer } = objective;
  const { input, output, runs, misses, missedBy, worstMiss } = answer;
  const { name, number } = runOfAnswer(answer, session.runs, (run) => session.nameOf(run));
  return {
    name,
    run: number,
    runs,
    input: toValues(inputs, input),
    output: byName(goals, output),
    misses: missesByName(goals, misses),
    worstMiss,
    missedBy: missesByName(goals, missedBy),
  };
}

/** null unless it ended without success. */
function describeEnd(status: Status, objective: ExplainedObjective | null): string | null {
  if (objective === null || (status !== 'stopped' && status !== 'exhausted')) return null;
  const why = (objective.endReason ?? status).replace(/\.$/, '');
  const probability = probabilityOf(objective.standing, objective);
  return `${why}${probability === undefined ? '' : `; ${describeProbability(probability, objective)}`}.`;
}

export function toRun<I extends Inputs, G extends Goals>(
  { inputs, goals }: Named<I, G>,
  run: JournalRun,
  name: string,
): FinishedRun<I, G> {
  const { kind, input, outcome, seconds, at } = run;
  return {
    name,
    number: numberOf(run),
    kind: kind === 'inverse' ? 'suggested' : 'designed',
    source: run.source ?? null,
    input: toValues(inputs, input),
    output: outcome.kind === 'output' ? byName(goals, outcome.output as readonly number[]) : null,
    error: outcome.kind === 'failure' ? outcome.reason : null,
    seconds,
    at,
  };
}

function missesByName<G extends Goals>(goals: G, values: readonly number[]): MissesOf<G> {
  const { names, goals: flat } = flatten(goals);
  const kept = [...names.keys()].filter((j) => flat[j]!.type !== 'fit');
  return Object.fromEntries(kept.map((j) => [names[j]!, values[j]!])) as MissesOf<G>;
}
