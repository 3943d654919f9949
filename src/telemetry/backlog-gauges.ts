/**
 * The backlog of the whole service. Every process reports the same one: aggregate with max, never sum. It is read from the
 * database at a scrape, at most once in a few seconds.
 */
import { Gauge, type Registry } from 'prom-client';
import type { Backlog } from '../db/backlog.ts';

/** Accounts with their own series in one scrape. */
export const TOP_ACCOUNTS = 10;
/** Several scrapers share one statement. */
const FRESH_MS = 2_000;
/** A result is reused for this many times as long as it took to read, so that counting a long queue takes 1 percent of the time. */
const FRESH_PER_READ = 100;
/** Scrapes time out after 10 s by default, and must get the metrics of this process even when the database is unreachable. */
const READ_LIMIT_MS = 3_000;

export class BacklogGauges {
  readonly #read: () => Promise<Backlog>;
  readonly #gauges: ReturnType<typeof makeGauges>;
  #refreshing: Promise<void> | undefined;
  #freshUntil = Number.NEGATIVE_INFINITY;

  constructor(registry: Registry, read: () => Promise<Backlog>) {
    this.#read = read;
    this.#gauges = makeGauges(registry);
  }

  /** Never rejects: when the database is unreachable, its gauges are left out and backsolve_database_up is 0. */
  async refresh(): Promise<void> {
    if (performance.now() < this.#freshUntil) return;
    this.#refreshing ??= this.#readOnce().finally(() => {
      this.#refreshing = undefined;
    });
    await this.#refreshing;
  }

  async #readOnce(): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(resolve, READ_LIMIT_MS, undefined);
    const startedAt = performance.now();
    const reading = this.#read().catch(() => undefined);
    const backlog = await Promise.race([reading, late]).finally(() => clearTimeout(timer));
    this.#gauges.databaseUp.set(backlog === undefined ? 0 : 1);
    const endedAt = performance.now();
    if (backlog !== undefined) this.#freshUntil = endedAt + Math.max(FRESH_MS, FRESH_PER_READ * (endedAt - startedAt));
    this.#show(backlog);
  }

  #show(backlog: Backlog | undefined): void {
    const { jobs, oldestWaiting, oldestOpen, accounts, deliveries, oldestDue, evaluations, oldestEvaluation } =
      this.#gauges;
    const { batches, oldestDueBatch } = this.#gauges;
    // Without this, old values would look current. prom-client resets gauges with labels and removes those without.
    for (const gauge of [jobs, accounts, deliveries, evaluations, batches]) gauge.reset();
    for (const gauge of [oldestWaiting, oldestOpen, oldestDue, oldestEvaluation, oldestDueBatch]) gauge.remove();
    if (backlog === undefined) return;
    for (const state of ['waiting', 'delayed', 'leased'] as const) jobs.set({ state }, backlog.jobs[state]);
    oldestWaiting.set(backlog.jobs.oldestWaitingSeconds);
    oldestOpen.set(backlog.jobs.oldestOpenSeconds);
    for (const { accountId, open } of backlog.accounts) accounts.set({ account: accountId }, open);
    for (const state of ['due', 'delayed', 'leased'] as const) deliveries.set({ state }, backlog.deliveries[state]);
    oldestDue.set(backlog.deliveries.oldestDueSeconds);
    for (const state of ['waiting', 'delayed', 'leased'] as const)
      evaluations.set({ state }, backlog.evaluations[state]);
    oldestEvaluation.set(backlog.evaluations.oldestWaitingSeconds);
    batches.set({ status: 'evaluating-cases' }, backlog.batches.evaluatingCases);
    batches.set({ status: 'solving' }, backlog.batches.solving);
    batches.set({ status: 'paused' }, backlog.batches.paused);
    oldestDueBatch.set(backlog.batches.oldestDueSeconds);
  }
}

function makeGauges(registry: Registry) {
  const registers = [registry];
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name: `backsolve_${name}`, help, labelNames, registers });
  return {
    databaseUp: gauge('database_up', 'Whether the database answered the last scrape.'),
    jobs: gauge('queue_jobs', 'Open suggestion jobs by state; waiting means claimable now.', ['state']),
    oldestWaiting: gauge('queue_oldest_waiting_seconds', 'How long the oldest claimable job has been claimable.'),
    oldestOpen: gauge('queue_oldest_open_seconds', 'Age of the oldest open job in any state.'),
    accounts: gauge('queue_account_jobs', 'Open jobs of the accounts that have the most.', ['account']),
    deliveries: gauge('webhook_backlog', 'Unfinished webhook deliveries by state; due means claimable now.', ['state']),
    evaluations: gauge('evaluation_queue', 'Open evaluations by state; waiting means claimable now.', ['state']),
    oldestEvaluation: gauge(
      'evaluation_oldest_waiting_seconds',
      'How long the oldest claimable evaluation has been claimable.',
    ),
    batches: gauge('batches', 'Batches that have not ended, by status; paused ones count as paused only.', ['status']),
    oldestDueBatch: gauge('batch_oldest_due_seconds', 'How long a batch has been due that no worker has looked at.'),
    oldestDue: gauge('webhook_oldest_due_seconds', 'How long the oldest due delivery has been due.'),
  };
}
