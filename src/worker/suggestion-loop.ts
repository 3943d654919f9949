/** Claims no more jobs than there are free places and computes them. */
import PQueue from 'p-queue';
import { type ComputeDeps, type ComputeOutcome, computeSuggestion } from '../application/compute-suggestion.ts';
import { type ExplainRequest, explainObjective } from '../application/explain-objective.ts';
import { failExhaustedJobs } from '../application/maintenance.ts';
import type { Listener } from '../db/listen.ts';
import { claimJobs, JOBS_CHANNEL, releaseJob, renewLeases } from '../db/suggestion-jobs.ts';
import { isDiskFull } from '../domain/errors.ts';
import { type LeasedJob, MAXIMUM_JOB_ATTEMPTS, retryDelayMs } from '../domain/suggestion-job.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { ClaimLoop } from './claim-loop.ts';
import { LEASE_LOST, LeaseKeeper } from './lease-keeper.ts';
import { SlowAccounts } from './slow-accounts.ts';

/** The part of a pino logger that is used here. */
export interface WorkerLog {
  info(facts: object, event: string): void;
  warn(facts: object, event: string): void;
  error(facts: object, event: string): void;
}

export interface SuggestionLoopDeps extends ComputeDeps {
  readonly listener: Pick<Listener, 'subscribe'>;
  readonly log: WorkerLog;
  /** Stored with a lease, for whoever looks at the table. */
  readonly workerName: string;
  readonly concurrency: number;
  readonly leaseMs: number;
  readonly pollIntervalMs: number;
  /** While it is true nothing is claimed: what would be computed could not be stored. */
  readonly isPaused?: (() => boolean) | undefined;
  readonly metrics?: Pick<Metrics, 'suggestionSettled' | 'leaseLost'> | undefined;
  readonly tracing?: Tracing | undefined;
}

const SHUTDOWN = 'shutdown';
/** A full disk may last for days, and is no reason to give a suggestion up. */
const DISK_FULL_PAUSE = { delayMs: 5_000, countsAsAttempt: false } as const;

export class SuggestionLoop {
  readonly #deps: SuggestionLoopDeps;
  readonly #queue: PQueue;
  readonly #keeper: LeaseKeeper;
  /** By lease token: the same job may come back while its lost lease is still being computed. */
  readonly #running = new Map<string, AbortController>();
  /** Whose jobs are in hand, by lease token. */
  readonly #accounts = new Map<string, number>();
  readonly #slowAccounts: SlowAccounts;
  readonly #claims: ClaimLoop;
  /** The account that was served last; the next claim goes on after it. */
  #afterAccountId = 0;
  /** Whether jobs may wait that no notification will tell of: the last claim left some, or none was made. */
  #mayHaveLeft = true;
  #stopping: Promise<void> | undefined;

  constructor(deps: SuggestionLoopDeps) {
    this.#deps = deps;
    this.#queue = new PQueue({ concurrency: deps.concurrency });
    this.#slowAccounts = new SlowAccounts(deps.concurrency, () => performance.now());
    this.#keeper = new LeaseKeeper({
      leaseMs: deps.leaseMs,
      renew: (held) => renewLeases(deps.db, held, deps.leaseMs),
      onError: (error) => deps.log.warn({ err: error }, 'lease.renewal-failed'),
    });
    this.#claims = new ClaimLoop({
      listener: deps.listener,
      channel: JOBS_CHANNEL,
      pollIntervalMs: deps.pollIntervalMs,
      claim: () => this.#claim(),
      onError: (error) => deps.log.warn({ err: error }, 'jobs.claim-failed'),
      isPaused: deps.isPaused,
    });
  }

  /** Jobs in hand. */
  get runningCount(): number {
    return this.#running.size;
  }

  start(): void {
    this.#claims.start();
  }

  /** Claims nothing more, lets running jobs finish within the grace, then aborts them and hands them back. */
  stop(graceMs: number): Promise<void> {
    this.#stopping ??= this.#shutDown(graceMs);
    return this.#stopping;
  }

  async #shutDown(graceMs: number): Promise<void> {
    const graceEndsAt = performance.now() + graceMs;
    // The wait for a claim under way is part of the grace; what it still brings is aborted with the rest.
    await this.#claims.stop();
    const abort = () => {
      for (const controller of this.#running.values()) controller.abort(SHUTDOWN);
    };
    const grace = setTimeout(abort, Math.max(0, graceEndsAt - performance.now()));
    await this.#queue.onIdle();
    clearTimeout(grace);
  }

  async #claim(): Promise<void> {
    const free = this.#deps.concurrency - this.#running.size;
    this.#mayHaveLeft = true;
    if (free <= 0) return;
    const running = [...this.#accounts.values()];
    const passedOver = this.#slowAccounts.withoutPlace(running);
    const limit = this.#slowAccounts.limitOf(free, running);
    const claim = { ...this.#deps, limit, afterAccountId: this.#afterAccountId, passedOver };
    const jobs = await claimJobs(this.#deps.db, claim);
    this.#afterAccountId = jobs.at(-1)?.accountId ?? this.#afterAccountId;
    this.#mayHaveLeft = jobs.length === limit || passedOver.length > 0;
    for (const job of jobs) this.#begin(job);
    if (limit < free && jobs.length === limit) this.#claims.wake();
  }

  #begin(job: LeasedJob): void {
    const controller = new AbortController();
    this.#running.set(job.leaseToken, controller);
    this.#accounts.set(job.leaseToken, job.accountId);
    this.#keeper.hold(job, controller);
    void this.#queue.add(async () => {
      await this.#compute(job, controller.signal);
      this.#keeper.letGo(job);
      this.#running.delete(job.leaseToken);
      this.#accounts.delete(job.leaseToken);
      if (this.#mayHaveLeft) this.#claims.wake();
    });
  }

  /** Never rejects: whatever goes wrong, the job is either written, handed back, or left to its lease. */
  async #compute(job: LeasedJob, signal: AbortSignal): Promise<void> {
    const { log } = this.#deps;
    const { leaseToken: _secret, accountId: _account, traceParent: _trace, ...facts } = job;
    try {
      const outcome = await this.#computeInSpan(job, signal);
      this.#count(job, outcome);
      if (outcome.kind === 'fault') {
        log.error({ ...facts, fault: outcome.fault }, 'suggestion.fault');
        await this.#handBack(job, outcome.fault.split('\n', 1)[0]!);
      } else if (outcome.kind === 'lost') {
        log.warn(facts, 'suggestion.lost');
      } else {
        const { request, ...figures } = outcome;
        log.info({ ...facts, ...figures }, 'suggestion.computed');
        this.#slowAccounts.note(job.accountId, outcome.suggestTimeNs / 1e6);
        if (outcome.kind === 'suggested') await this.#explain(job, request, signal);
      }
    } catch (error) {
      await this.#afterError(job, signal, error);
    }
  }

  /** As computeSuggestion; traced, it goes on with the trace of the request that opened the job. */
  async #computeInSpan(job: LeasedJob, signal: AbortSignal): Promise<ComputeOutcome> {
    const { tracing } = this.#deps;
    if (tracing === undefined) return computeSuggestion(this.#deps, job, signal);
    const { id, accountId, objectiveId, inverseId, attempt, waitedMs, traceParent: parent } = job;
    tracing.begin({ name: 'wait for a worker', kind: 'internal', parent, startedAgoMs: waitedMs }).end();
    const attributes = {
      'backsolve.account_id': accountId,
      'backsolve.objective_id': objectiveId,
      'backsolve.inverse_id': inverseId,
      'backsolve.job_id': id,
      'backsolve.job_attempt': attempt,
    };
    return tracing.inSpan({ name: 'compute suggestion', kind: 'consumer', parent, attributes }, async (span) => {
      const outcome = await computeSuggestion(this.#deps, job, signal);
      span.set({ 'backsolve.outcome': outcome.kind });
      if (outcome.kind === 'fault') span.fail(new Error(outcome.fault.split('\n', 1)[0]));
      return outcome;
    });
  }

  #count(job: LeasedJob, outcome: ComputeOutcome | { readonly kind: 'interrupted' }): void {
    const isWritten = outcome.kind === 'suggested' || outcome.kind === 'stopped';
    this.#deps.metrics?.suggestionSettled({
      outcome: outcome.kind,
      waitedMs: job.waitedMs,
      ...(isWritten && {
        phases: { readMs: outcome.readMs, computeMs: outcome.suggestTimeNs / 1e6, writeMs: outcome.writeMs },
      }),
    });
    if (outcome.kind === 'lost') this.#deps.metrics?.leaseLost();
  }

  /** The job is done and gone; whatever goes wrong here, the next suggestion brings a newer explanation. */
  async #explain(job: LeasedJob, request: ExplainRequest, signal: AbortSignal): Promise<void> {
    this.#keeper.letGo(job);
    if (signal.reason === SHUTDOWN) return;
    // A renewal that was under way while the job ended takes it for lost; the explanation ends with the worker only.
    const explaining = new AbortController();
    this.#running.set(job.leaseToken, explaining);
    try {
      await explainObjective(this.#deps, job, request, explaining.signal);
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
      // The database is away: the lease runs out by itself and another attempt follows.
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
