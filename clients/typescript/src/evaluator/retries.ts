/**
 * Failed runs that are tried again, such as those of a program that is mended now. The journal marks them first and keeps what came of
 * them before the service hears of it, so that a crash at any moment repeats nothing. The service takes an output as a correction of
 * the failure; where it has no trial yet, another batch evaluates the designed runs.
 */
import { BacksolveError } from '../index.ts';
import type { Reportable, ServiceClient } from './evaluation-calls.ts';
import {
  type FinishedLine,
  isOwn,
  type Journal,
  type JournalLine,
  type Place,
  type RetriedLine,
  retryKeyOf,
  runsOf,
} from './journal.ts';
import { inParallel } from './parallel.ts';

export interface TrialPath {
  readonly modelId: number;
  readonly projectId: number;
  readonly trialId: number;
}

/** Failed runs that are tried again, for who opens a problem. */
export interface Retries {
  /** Number of runs that were marked so far. */
  readonly count: number;
  /** Runs those that are marked, on a trial of the service. */
  run(trial: TrialPath): Promise<void>;
  /** See areRetriesNews. */
  areNews(since: number, hasTrial: boolean): boolean;
}

/** Marks every failed run to be tried again; returns how many there are. */
export async function markFailures(journal: Journal): Promise<number> {
  const failed = runsOf(journal.lines).filter(({ outcome }) => outcome.kind === 'failure');
  if (failed.length > 0) await journal.retried(failed);
  return failed.length;
}

/** Number of runs that were tried again or are about to be. */
export function countRetried(lines: readonly JournalLine[]): number {
  return lines.filter(({ kind }) => kind === 'retried').length;
}

/**
 * Whether a search that has ended should be followed by another one, because of runs that were marked since the first `since` of them:
 * one without a trial has all its designed runs to make again, another one knows an output now that it lacked.
 */
export function areRetriesNews(lines: readonly JournalLine[], since: number, hasTrial: boolean): boolean {
  const marked = lines.filter((line) => line.kind === 'retried').slice(since);
  if (!hasTrial) return marked.length > 0;
  const solved = runsOf(lines).filter(({ outcome }) => outcome.kind === 'output');
  const keys = new Set(solved.map((run) => retryKeyOf({ ...run, run: run.kind })));
  return marked.some((line) => keys.has(retryKeyOf(line)));
}

export interface RetryOptions {
  readonly client: ServiceClient;
  readonly journal: Journal;
  readonly trial: TrialPath;
  /** At a time. */
  readonly jobs: number;
  /** Undefined when it was ended early; it then stays marked. */
  readonly evaluate: (line: RetriedLine) => Promise<Reportable | undefined>;
  /** Is called when the journal has another result. */
  readonly onResult?: () => void;
}

/** Runs what is marked, and tells the service every output of it that it does not have. */
export async function retryRuns({ client, journal, trial, jobs, evaluate, onResult }: RetryOptions): Promise<void> {
  const { marked, unsent } = retriesOf(journal.lines);
  const send = async (line: RetriedLine | FinishedLine, outcome: Reportable) => {
    if (outcome.kind !== 'output') return;
    await sendOutput(client, trial, line, outcome);
    await journal.corrected({ id: line.evaluation, leaseToken: '' }, outcome);
  };
  await inParallel(unsent, jobs, (line) => send(line, line.outcome));
  await inParallel(marked, jobs, async (line) => {
    const beganMs = performance.now();
    const outcome = await evaluate(line);
    if (outcome === undefined) return;
    await journal.finishedAgain(line, outcome, (performance.now() - beganMs) / 1000);
    onResult?.();
    await send(line, outcome);
  });
}

/** Runs that are marked and not over, and outputs that the service may not have. */
function retriesOf(lines: readonly JournalLine[]): {
  readonly marked: readonly RetriedLine[];
  readonly unsent: readonly FinishedLine[];
} {
  const marked = new Map<Place, RetriedLine>();
  const unsent = new Map<number, FinishedLine>();
  for (const line of lines) {
    if (line.kind === 'retried') marked.set(retryKeyOf(line), line);
    if (line.kind === 'finished') marked.delete(retryKeyOf(line));
    if (line.kind === 'finished' && line.isAgain === true) unsent.set(line.evaluation, line);
    if (line.kind === 'corrected') unsent.delete(line.evaluation);
  }
  return { marked: [...marked.values()], unsent: [...unsent.values()] };
}

const REASON = 'tried again after a failure';

async function sendOutput(
  client: ServiceClient,
  { modelId, projectId, trialId }: TrialPath,
  { run, objectiveId, inverseId, caseNumber, input }: RetriedLine | FinishedLine,
  { output, jacobian }: Extract<Reportable, { kind: 'output' }>,
): Promise<void> {
  const trial = { model_id: modelId, project_id: projectId, trial_id: trialId };
  const told = { output, ...(jacobian != null && { jacobian }) };
  if (isOwn(run)) {
    // The service had no output of it, so it is new to the trial.
    const jacobians = jacobian == null ? {} : { jacobians: [jacobian] };
    await client.call('addCases', {
      path: trial,
      body: { inputs: [input], outputs: [output], ...jacobians, source: run },
    });
  } else if (run === 'inverse') {
    const path = { objective_id: objectiveId!, inverse_id: inverseId! };
    await correct((body) => client.call('correctInverse', { path, body }), told);
  } else {
    const path = { ...trial, number: caseNumber! };
    await correct((body) => client.call('correctCase', { path, body }), told);
  }
}

/** Changes the verdict of a search that has ended only where the output satisfies it. */
async function correct(send: (body: object) => Promise<unknown>, told: object): Promise<void> {
  const body = { ...told, reason: REASON };
  await send(body).catch((error: unknown) => {
    if (!(error instanceof BacksolveError) || error.code !== 'REOPENING_NEEDED') throw error;
    return send({ ...body, reopen: true });
  });
}
