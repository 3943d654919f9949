/**
 * An evaluation that the worker posts to an http evaluator. The worker holds the lease while it waits for the answer; an evaluator
 * that answers 202 holds it from then on, and reports as one that claims.
 */
import { PUSHED_CHANNEL } from '../../db/batches/batch-evaluations.ts';
import { readServedEvaluators, type ServedEvaluator } from '../../db/batches/batches.ts';
import type { Db } from '../../db/connection/transaction.ts';
import { claimEvaluations } from '../../db/evaluations/evaluations.ts';
import { readFile } from '../../db/workbooks/workbooks.ts';
import { DomainError } from '../../domain/errors.ts';
import { type ClaimedEvaluation, outcomeOf, type ReportOutcome } from '../../domain/evaluations/evaluation.ts';
import {
  type EvaluatorOutcome,
  readEvaluatorAnswer,
  toStorableReason,
} from '../../domain/evaluations/evaluator-answer.ts';
import type { ChosenCells } from '../../domain/workbooks/workbook.ts';
import type { CallEvaluator, EvaluatorAnswer } from '../../outside/webhooks/call-evaluator.ts';
import { untilWritten } from '../until-written.ts';
import { extendEvaluation } from './extend-evaluation.ts';
import { failEvaluation } from './fail-evaluation.ts';
import { releaseEvaluation } from './release-evaluation.ts';
import { reportEvaluation } from './report-evaluation.ts';

export { PUSHED_CHANNEL };

export interface PushDeps {
  readonly db: Db;
  readonly call: CallEvaluator;
  /** The body of a call, as an evaluator that claims would see the evaluation. */
  readonly bodyOf: (evaluation: ClaimedEvaluation) => Uint8Array;
  /** Maximum time that an evaluator may keep a call open, whatever its batch allows. */
  readonly longestCallMs: number;
  /** Calculates workbooks, if the service may. */
  readonly sheets?: SheetRunner | undefined;
}

/** Rejects with a DomainError where no workbook can be calculated now, or with the signal's reason. */
interface SheetRunner {
  run(
    workbook: {
      readonly accountId: number;
      readonly key: string;
      readonly cells: ChosenCells;
      load(): Promise<{ readonly name: string; readonly content: Uint8Array }>;
    },
    values: Readonly<Record<string, number>>,
    limitMs: number,
    signal: AbortSignal,
  ): Promise<
    | { readonly kind: 'output'; readonly outputs: Readonly<Record<string, number>> }
    | { readonly kind: 'failure'; readonly reason: string }
  >;
}

export interface PushedEvaluation extends ClaimedEvaluation {
  readonly evaluator: ServedEvaluator;
}

export interface PushClaim {
  readonly limit: number;
  readonly leaseSeconds: number;
  /** The batch served last; 0 for none. */
  readonly afterBatchId: number;
  /** Accounts from which nothing is claimed. */
  readonly passedOver: readonly number[];
  readonly workerName: string;
}

/** Claims evaluations of batches that workers serve, round robin. */
export async function claimPushed(db: Db, claim: PushClaim): Promise<readonly PushedEvaluation[]> {
  const { workerName: evaluator, ...limits } = claim;
  const anywhere = { accountId: null, projectId: null, batchId: null, isPushed: true };
  const claimed = await claimEvaluations(db, { ...anywhere, ...limits, evaluator });
  if (claimed.length === 0) return [];
  const evaluators = await readServedEvaluators(
    db,
    claimed.map(({ batchId }) => batchId),
  ).catch(async (error: unknown) => {
    // Nobody would call them before their leases expire. If the database is away, just that happens.
    await Promise.all(claimed.map((one) => handBackEvaluation(db, one).catch(() => undefined)));
    throw error;
  });
  return claimed.flatMap((one) => {
    const found = evaluators.get(one.batchId);
    return found === undefined ? [] : [{ ...one, evaluator: found }];
  });
}

/** Extends the lease; false when nobody wants the output any more, or the lease is lost. Throws when the database is away. */
export async function keepLease(db: Db, { accountId, id, leaseToken }: PushedEvaluation): Promise<boolean> {
  try {
    const held = { accountId, id, leaseToken, progress: null, message: null };
    return (await extendEvaluation(db, held)).isWanted;
  } catch (error) {
    if (error instanceof DomainError) return false;
    throw error;
  }
}

type PushOutcome = EvaluatorOutcome & { readonly retryAfterSeconds: number | null };

/** Calls the evaluator, or calculates the workbook. Rejects only with the signal's reason. */
export async function pushEvaluation(
  deps: PushDeps,
  evaluation: PushedEvaluation,
  signal: AbortSignal,
): Promise<PushOutcome> {
  const { evaluator } = evaluation;
  return evaluator.kind === 'workbook'
    ? { ...(await calculate(deps, evaluation, evaluator, signal)), retryAfterSeconds: null }
    : callEvaluator(deps, evaluation, evaluator, signal);
}

async function calculate(
  { db, sheets }: Pick<PushDeps, 'db' | 'sheets'>,
  { accountId, batchId, input }: PushedEvaluation,
  { workbookId, inputs, outputs, timeoutSeconds }: ServedEvaluator & { readonly kind: 'workbook' },
  signal: AbortSignal,
): Promise<EvaluatorOutcome> {
  if (sheets === undefined)
    return { kind: 'away', reason: 'the operator no longer lets this service calculate workbooks' };
  const load = async () => {
    const file = await readFile(db, accountId, workbookId);
    if (file === undefined) throw new Error(`workbook ${workbookId} of batch ${batchId} is gone`);
    return file;
  };
  const byCell = (cells: readonly string[]) => Object.fromEntries(cells.map((cell, i) => [String(i), cell]));
  const workbook = {
    accountId,
    key: String(batchId),
    cells: { inputs: byCell(inputs), outputs: byCell(outputs) },
    load,
  };
  try {
    const values = Object.fromEntries(input.map((value, i) => [String(i), value]));
    const outcome = await sheets.run(workbook, values, 1_000 * timeoutSeconds, signal);
    if (outcome.kind === 'failure') return { ...outcome, reason: toStorableReason(outcome.reason), isRetryable: false };
    return { kind: 'output', output: outputs.map((_, i) => outcome.outputs[String(i)]!) };
  } catch (error) {
    if (error instanceof DomainError) return { kind: 'away', reason: error.message };
    throw error;
  }
}

async function callEvaluator(
  { call, bodyOf, longestCallMs }: Pick<PushDeps, 'call' | 'bodyOf' | 'longestCallMs'>,
  evaluation: PushedEvaluation,
  { url, secret, timeoutSeconds }: ServedEvaluator & { readonly kind: 'http' },
  signal: AbortSignal,
): Promise<PushOutcome> {
  const outgoing = { url, secrets: [secret!], id: `evl_${evaluation.id}`, body: bodyOf(evaluation) };
  const answer = await call(outgoing, Math.min(1_000 * timeoutSeconds, longestCallMs), signal);
  const retryAfterSeconds = answer.kind === 'answered' ? answer.retryAfterSeconds : null;
  const silence =
    1_000 * timeoutSeconds <= longestCallMs
      ? `no answer within ${timeoutSeconds} s`
      : `no answer within ${longestCallMs / 1_000} s, the longest call; answer 202 to longer runs and report later`;
  return { ...readCallAnswer(answer, silence), retryAfterSeconds };
}

function readCallAnswer(answer: EvaluatorAnswer, silence: string): EvaluatorOutcome {
  switch (answer.kind) {
    case 'answered':
      return readEvaluatorAnswer(answer.status, answer.body);
    case 'away':
      return { kind: 'away', reason: `the evaluator cannot be reached: ${answer.reason}` };
    case 'broken':
      return { kind: 'failure', reason: answer.reason, isRetryable: true };
    case 'refused':
      return { kind: 'failure', reason: answer.reason, isRetryable: false };
    case 'out-of-time':
      return { kind: 'failure', reason: silence, isRetryable: false };
  }
}

/** Outcome of a call. later: the evaluator reports. lost: another worker has the evaluation, or it was over before. */
export interface StoredCall {
  readonly outcome: ReportOutcome | 'later' | 'lost';
  /** Since the claim; 0 where nothing was reported. */
  readonly heldMs: number;
}

/**
 * Stores the outcome, through restarts of the database.
 *
 * @param delaySeconds  before an evaluator that is away is called again
 */
export async function storeOutcome(
  db: Db,
  evaluation: PushedEvaluation,
  outcome: EvaluatorOutcome,
  delaySeconds: number,
  signal: AbortSignal,
): Promise<StoredCall> {
  try {
    return await untilWritten(signal, () => store(db, evaluation, outcome, delaySeconds));
  } catch (error) {
    if (error instanceof DomainError) return { outcome: 'lost', heldMs: 0 };
    throw error;
  }
}

async function store(
  db: Db,
  { accountId, id, leaseToken }: PushedEvaluation,
  outcome: EvaluatorOutcome,
  delaySeconds: number,
): Promise<StoredCall> {
  const fail = async (reason: string, isRetryable: boolean): Promise<StoredCall> => {
    const { state, heldMs } = await failEvaluation(db, accountId, id, { leaseToken, reason, isRetryable });
    return { outcome: outcomeOf(state), heldMs };
  };
  switch (outcome.kind) {
    case 'output':
      try {
        const report = { ...outcome, leaseToken, computeTimeNs: null };
        const { state, heldMs } = await reportEvaluation(db, accountId, id, report);
        return { outcome: outcomeOf(state), heldMs };
      } catch (error) {
        if (!(error instanceof DomainError) || error.code !== 'VALIDATION_FAILED') throw error;
        // It quotes names that the evaluator sent.
        return fail(toStorableReason(error.message), true);
      }
    case 'failure':
      return fail(outcome.reason, outcome.isRetryable);
    case 'away': {
      const release = { leaseToken, delaySeconds, reason: outcome.reason };
      const { isReleased, heldMs } = await releaseEvaluation(db, accountId, id, release);
      return isReleased ? { outcome: 'released', heldMs } : { outcome: 'lost', heldMs: 0 };
    }
    case 'later':
      await extendEvaluation(db, { accountId, id, leaseToken, progress: null, message: null });
      return { outcome: 'later', heldMs: 0 };
  }
}

/** Hands an evaluation back immediately: the worker is leaving. */
export async function handBackEvaluation(db: Db, { accountId, id, leaseToken }: ClaimedEvaluation): Promise<void> {
  await releaseEvaluation(db, accountId, id, { leaseToken });
}
