/**
 * A suggestion job is the request to compute one inverse, held under a lease while a worker computes it. States: waiting
 * (nobody holds it), leased (a worker holds it until the lease expires); a finished job is deleted, its result stands on
 * the inverse. The token of the lease fences every later write.
 */
export interface LeasedJob {
  readonly id: number;
  readonly accountId: number;
  readonly objectiveId: number;
  readonly inverseId: number;
  readonly leaseToken: string;
  /** This attempt included. */
  readonly attempt: number;
  /** Request id of the ingress call that asked, for the logs. */
  readonly requestId: string | null;
  /** Trace of that call, as W3C Trace Context writes it; null without one. */
  readonly traceParent: string | null;
  /** Milliseconds that the job had been waiting when it was claimed, by the database's clock. */
  readonly waitedMs: number;
}

/** A job is tried this often; a crash of a worker counts, so that a job which kills its worker cannot do it for ever. */
export const MAXIMUM_JOB_ATTEMPTS = 5;

/** Delay before the attempt after `attempt` failed: 0.2 s, doubling, at most 5 s. */
export function retryDelayMs(attempt: number): number {
  return Math.min(5_000, 200 * 2 ** (attempt - 1));
}

/** A lease is renewed three times within its length, so that two lost renewals are survived. */
export function renewIntervalMs(leaseMs: number): number {
  return Math.max(50, Math.floor(leaseMs / 3));
}
