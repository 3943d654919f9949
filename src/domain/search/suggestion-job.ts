/**
 * A suggestion job is the request to compute one inverse. States: waiting, and leased (a worker computes it until the lease
 * expires). A finished job is deleted; its result is stored with the inverse. The lease token fences every later write.
 */
export interface LeasedJob {
  readonly id: number;
  readonly accountId: number;
  readonly objectiveId: number;
  readonly inverseId: number;
  readonly leaseToken: string;
  /** Including this attempt. */
  readonly attempt: number;
  /** Id of the HTTP request that asked for it, for the logs. */
  readonly requestId: string | null;
  /** Trace of that request in the form of W3C Trace Context; null without one. */
  readonly traceParent: string | null;
  /** Milliseconds that the job waited before it was claimed, by the database's clock. */
  readonly waitedMs: number;
}

/** A crash of a worker counts as an attempt, so that a job that crashes its worker cannot do so forever. */
export const MAXIMUM_JOB_ATTEMPTS = 5;

/** Delay before the next attempt after `attempt` failed: 0.2 s, doubled each time, at most 5 s. */
export function retryDelayMs(attempt: number): number {
  return Math.min(5_000, 200 * 2 ** (attempt - 1));
}

/** A lease is renewed three times within its duration: two renewals may get lost. */
export function renewIntervalMs(leaseMs: number): number {
  return Math.max(50, Math.floor(leaseMs / 3));
}
