/**
 * Resumes what an interrupted run left with the service: results are reported, leases given back, so that nothing waits for them to expire.
 */
import { type EvaluationCalls, type Lease, troubleOf } from './evaluation-calls.ts';
import { type ClaimedLine, type FinishedLine, type Journal, unsettledOf } from './journal.ts';
import { inParallel } from './parallel.ts';

/** They are independent of each other, and a remote service may be far away. */
const AT_A_TIME = 16;
const LIMIT_MS = 30_000;

export interface Resumed {
  /** Results of earlier runs that the service hears of only now. */
  readonly reported: number;
  readonly released: number;
}

/** Evaluations that the service no longer wants count as done. Throws what `calls` throws when the service does not answer. */
export async function resumeLeases(journal: Journal, calls: EvaluationCalls): Promise<Resumed> {
  const { unreported, interrupted } = unsettledOf(journal.lines);
  await inParallel(unreported, AT_A_TIME, async (line) => {
    const lease = leaseOf(line);
    const signal = AbortSignal.timeout(LIMIT_MS);
    const answer = await unlessLost(() => calls.report(lease, line.outcome, line.seconds * 1e9, signal));
    await journal.reported(lease, answer?.state ?? 'dropped');
  });
  await inParallel(interrupted, AT_A_TIME, async (line) => {
    const lease = leaseOf(line);
    await unlessLost(() => calls.release(lease, AbortSignal.timeout(LIMIT_MS)));
    await journal.released(lease);
  });
  return { reported: unreported.length, released: interrupted.length };
}

/** Undefined when the lease is lost, or when the service will never take this. */
async function unlessLost<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    const trouble = troubleOf(error);
    if (trouble === 'lost' || trouble === 'refused') return undefined;
    throw error;
  }
}

function leaseOf({ evaluation, leaseToken }: ClaimedLine | FinishedLine): Lease {
  return { id: evaluation, leaseToken };
}
