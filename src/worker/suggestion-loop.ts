/** Claims suggestion jobs for its free slots, computes them under a lease that it keeps, and explains what it suggested. */

import { type ComputeDeps, type ComputeOutcome, computeSuggestion } from '../application/search/compute-suggestion.ts';
import { type ExplainRequest, explainObjective } from '../application/search/explain-objective.ts';
import { failExhaustedJobs } from '../application/search/maintenance.ts';
import type { Listener } from '../db/connection/listen.ts';
import { claimJobs, JOBS_CHANNEL, releaseJob, renewLeases } from '../db/search/suggestion-jobs.ts';
import { isDiskFull } from '../domain/errors.ts';
import { type LeasedJob, MAXIMUM_JOB_ATTEMPTS, retryDelayMs } from '../domain/search/suggestion-job.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { AroundJob } from '../telemetry/traced.ts';
import { AccountSlots } from './account-slots.ts';
import { LEASE_LOST, LeaseKeeper } from './lease-keeper.ts';
import { type Claimed, SHUTDOWN, type Work, type WorkerLog, WorkLoop } from './work-loop.ts';

export interface SuggestionLoopDeps extends ComputeDeps {
  readonly listener: Pick<Listener, 'subscribe'>;
  readonly log: WorkerLog;
  /** Stored with each lease, for people who look at the table. */
  readonly workerName: string;
  /** Suggestions computed at a time. */
  readonly concurrency: number;
  readonly leaseMs: number;
  readonly pollIntervalMs: number;
  /** While true, nothing is claimed: a result could not be stored. */
  readonly isPaused?: (() => boolean) | undefined;
  readonly metrics?: Pick<Metrics, 'suggestionFinished' | 'leaseLost'> | undefined;
  /** Runs the computation of a job, in a span of its trace. */
  readonly aroundJob?: AroundJob | undefined;
}

export function makeSuggestionLoop(deps: SuggestionLoopDeps): WorkLoop<LeasedJob> {
  return new WorkLoop(new SuggestionWork(deps), {
    listener: deps.listener,
    channel: JOBS_CHANNEL,
    pollIntervalMs: deps.pollIntervalMs,
    isPaused: deps.isPaused,
    onClaimError: (error) => deps.log.warn({ err: error }, 'jobs.claim-failed'),
  });
}

/** A full disk may last for days and is no reason to give up a suggestion. */
const DISK_FULL_PAUSE = { delayMs: 5_000, countsAsAttempt: false } as const;

/** A suggestion that was written. */
interface Computed {
  readonly job: LeasedJob;
  readonly request: ExplainRequest;
  /** The next job; null: the job is done. */
  readonly next: LeasedJob | null;
}

class SuggestionWork implements Work<LeasedJob> {
  readonly #deps: SuggestionLoopDeps;
  readonly #keeper: LeaseKeeper;
  readonly #accountSlots: AccountSlots;
  /** The account served last; the round robin continues after it. */
  #afterAccountId = 0;

  constructor(deps: SuggestionLoopDeps) {
    this.#deps = deps;
    this.#accountSlots = new AccountSlots(deps.concurrency, () => performance.now());
    this.#keeper = new LeaseKeeper({
      leaseMs: deps.leaseMs,
      renew: (held) => renewLeases(deps.db, held, deps.leaseMs),
      onError: (error) => deps.log.warn({ err: error }, 'lease.renewal-failed'),
    });
  }

  async claim(inHand: readonly LeasedJob[]): Promise<Claimed<LeasedJob>> {
    const free = this.#deps.concurrency - inHand.length;
    if (free <= 0) return { items: [], again: 'when-finished' };
    const accounts = inHand.map((job) => job.accountId);
    const passedOver = this.#accountSlots.withoutSlot(accounts);
    const limit = this.#accountSlots.limitOf(free, accounts);
    const claim = { ...this.#deps, limit, afterAccountId: this.#afterAccountId, passedOver };
    const items = await claimJobs(this.#deps.db, claim);
    this.#afterAccountId = items.at(-1)?.accountId ?? this.#afterAccountId;
    // No notification announces the jobs that a claim left behind.
    const mayHaveLeft = items.length === limit || passedOver.length > 0;
    if (limit < free && items.length === limit) return { items, again: 'at-once' };
    return { items, again: mayHaveLeft ? 'when-finished' : 'when-woken' };
  }

  /** Never rejects: the result is written, or the job is handed back or left until its lease expires. */
  async perform(job: LeasedJob, leaving: AbortSignal): Promise<void> {
    const lease = new AbortController();
    const leave = () => lease.abort(leaving.reason);
    leaving.addEventListener('abort', leave);
    if (leaving.aborted) leave();
    this.#keeper.hold(job, lease);
    try {
      const written = await this.#computeAll(job, lease.signal);
      // The job is gone, and a running renewal would see its lease as lost: only leaving ends the explanation.
      this.#keeper.letGo(job);
      if (written !== undefined && !leaving.aborted) await this.#explain(written.job, written.request, leaving);
    } finally {
      this.#keeper.letGo(job);
      leaving.removeEventListener('abort', leave);
    }
  }

  /** Computes the inverse of the job, then those requested behind it. Returns the suggestion to explain. */
  async #computeAll(job: LeasedJob, signal: AbortSignal): Promise<Computed | undefined> {
    let last: Computed | undefined;
    for (let next: LeasedJob | null = job; next !== null; ) {
      const computed: Computed | undefined = await this.#compute(next, signal);
      // An explanation of the stored suggestions is better than none.
      last = computed ?? last;
      next = computed?.next ?? null;
    }
    return last;
  }

  async #compute(job: LeasedJob, signal: AbortSignal): Promise<Computed | undefined> {
    const { log, aroundJob } = this.#deps;
    const { leaseToken: _secret, accountId: _account, traceParent: _trace, ...facts } = job;
    const compute = () => computeSuggestion(this.#deps, job, signal);
    try {
      const outcome = await (aroundJob === undefined ? compute() : aroundJob(job, compute));
      this.#count(job, outcome);
      if (outcome.kind === 'fault') {
        log.error({ ...facts, fault: outcome.fault }, 'suggestion.fault');
        await this.#handBack(job, outcome.fault.split('\n', 1)[0]!);
      } else if (outcome.kind === 'lost') {
        log.warn(facts, 'suggestion.lost');
      } else if (outcome.kind === 'nothing-new') {
        log.info(facts, 'suggestion.nothing-new-yet');
      } else {
        const { request, next, ...figures } = outcome;
        log.info({ ...facts, ...figures }, 'suggestion.computed');
        this.#accountSlots.note(job.accountId, outcome.suggestTimeNs / 1e6);
        if (outcome.kind === 'suggested') return { job, request, next };
      }
    } catch (error) {
      await this.#afterError(job, signal, error);
    }
    return undefined;
  }

  #count(job: LeasedJob, outcome: ComputeOutcome | { readonly kind: 'interrupted' }): void {
    const isWritten = outcome.kind === 'suggested' || outcome.kind === 'stopped';
    this.#deps.metrics?.suggestionFinished({
      outcome: outcome.kind,
      waitedMs: job.waitedMs,
      ...(isWritten && {
        phases: { readMs: outcome.readMs, computeMs: outcome.suggestTimeNs / 1e6, writeMs: outcome.writeMs },
      }),
    });
    if (outcome.kind === 'lost') this.#deps.metrics?.leaseLost();
  }

  /** Never rejects: the next suggestion brings a newer explanation. */
  async #explain(job: LeasedJob, request: ExplainRequest, leaving: AbortSignal): Promise<void> {
    try {
      await explainObjective(this.#deps, job, request, leaving);
    } catch (error) {
      this.#deps.log.warn({ err: error, objectiveId: job.objectiveId }, 'explanation.interrupted');
    }
  }

  async #afterError(job: LeasedJob, signal: AbortSignal, error: unknown): Promise<void> {
    const { log, db } = this.#deps;
    const facts = { jobId: job.id, inverseId: job.inverseId, requestId: job.requestId };
    const isLost = signal.aborted && signal.reason === LEASE_LOST;
    this.#count(job, { kind: isLost ? 'lost' : 'interrupted' });
    if (isLost) {
      log.warn(facts, 'suggestion.lease-lost');
      return;
    }
    const isLeaving = signal.aborted && signal.reason === SHUTDOWN;
    log.warn({ ...facts, err: error, isLeaving }, 'suggestion.interrupted');
    try {
      if (isLeaving) await releaseJob(db, job, { delayMs: 0, error: null, countsAsAttempt: false });
      else if (isDiskFull(error)) await releaseJob(db, job, { ...DISK_FULL_PAUSE, error: null });
      else await this.#handBack(job, error instanceof Error ? error.message : String(error));
    } catch (again) {
      // The database is unreachable: another attempt follows when the lease expires.
      log.warn({ ...facts, err: again }, 'suggestion.not-handed-back');
    }
  }

  async #handBack(job: LeasedJob, error: string): Promise<void> {
    const isLast = job.attempt >= MAXIMUM_JOB_ATTEMPTS;
    const delayMs = isLast ? 0 : retryDelayMs(job.attempt);
    await releaseJob(this.#deps.db, job, { delayMs, error, countsAsAttempt: true });
    if (isLast) await failExhaustedJobs(this.#deps.db);
  }
}
