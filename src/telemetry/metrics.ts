/**
 * The metrics that a process exposes to Prometheus. Every label has few values: routes are templates, statuses are codes, and only
 * the accounts with the longest queues appear. The names are an interface: deploy/monitoring depends on them.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Backlog } from '../db/backlog.ts';
import type { PoolUsage } from '../db/connection/client.ts';
import type { ReportOutcome } from '../domain/evaluations/evaluation.ts';
import { BacklogGauges } from './backlog-gauges.ts';

export interface MetricSources {
  /** A rejection means that the database is unreachable. */
  readonly readBacklog: () => Promise<Backlog>;
  readonly readPool: () => PoolUsage;
  /** Whether this process has seen that the database has no disk space left. */
  readonly isDiskFull: () => boolean;
  /** A label of all metrics; undefined: none. */
  readonly cell?: string | undefined;
}

interface RequestFacts {
  readonly method: string;
  /** Template of the route; undefined when none matched. */
  readonly route: string | undefined;
  readonly status: number;
  readonly seconds: number;
}

interface SuggestionFacts {
  readonly outcome: 'suggested' | 'stopped' | 'nothing-new' | 'lost' | 'fault' | 'interrupted';
  readonly waitedMs: number;
  /** Only for suggestions that were written. */
  readonly phases?: { readonly readMs: number; readonly computeMs: number; readonly writeMs: number };
}

/** slowed: not even looked up, because too many failed at the address. */
type SignInRoad = 'key' | 'link' | 'invitation' | 'account' | 'name' | 'openid';
type SignInOutcome = 'signed-in' | 'refused' | 'slowed';

export interface Metrics {
  requestStarted(): void;
  /** Once per started request, answered or not. */
  requestEnded(): void;
  requestAnswered(facts: RequestFacts): void;
  requestAborted(): void;
  suggestionFinished(facts: SuggestionFacts): void;
  leaseLost(): void;
  /** Adds the gauges of a worker. */
  watchWorker(read: () => { readonly running: number; readonly concurrency: number }): void;
  deliveryFinished(outcome: 'delivered' | 'failed' | 'dead' | 'lost', seconds: number): void;
  /** Once per report of an evaluator, or outcome of a call to one; `seconds` since the claim. */
  evaluationReported(outcome: ReportOutcome, seconds: number): void;
  /** Leases of evaluations that expired and were taken over, or were the last allowed. */
  evaluationLeaseLost(count: number): void;
  signInTried(by: SignInRoad, outcome: SignInOutcome): void;
  /** All metrics in the text format of Prometheus. */
  render(): Promise<{ readonly contentType: string; readonly body: string }>;
}

/** From a cached read to a request that waits for its suggestion as long as allowed. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25];
const PHASE_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** From a quick script to a run of days. */
const EVALUATION_SECONDS = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400, 345_600];
const DELIVERY_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Smallest lag reported. Measuring takes an idle process 1.5 ms per second; at the library's default of 10 ms, it takes 4 ms. */
const EVENT_LOOP_PRECISION_MS = 50;
const NO_ROUTE = 'none';

export function makeMetrics(sources: MetricSources): Metrics {
  const registry = new Registry();
  if (sources.cell !== undefined) registry.setDefaultLabels({ cell: sources.cell });
  const registers = [registry];
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS });
  const requests = new Histogram({
    name: 'backsolve_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last byte of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: REQUEST_SECONDS,
    registers,
  });
  const inFlight = new Gauge({
    name: 'backsolve_http_requests_in_flight',
    help: 'Requests being answered, including those that wait for a suggestion.',
    registers,
  });
  const aborted = new Counter({
    name: 'backsolve_http_requests_aborted_total',
    help: 'Requests whose client disconnected before the answer.',
    registers,
  });
  const suggestions = new Counter({
    name: 'backsolve_suggestions_total',
    help: 'Claimed suggestion jobs by outcome.',
    labelNames: ['outcome'],
    registers,
  });
  const phases = new Histogram({
    name: 'backsolve_suggestion_phase_seconds',
    help: 'Duration of suggestions by phase: waited for a worker, read, compute, write.',
    labelNames: ['phase'],
    buckets: PHASE_SECONDS,
    registers,
  });
  const leaseLosses = new Counter({
    name: 'backsolve_lease_losses_total',
    help: 'Jobs that another worker took over while this worker computed them.',
    registers,
  });
  const deliveries = new Histogram({
    name: 'backsolve_webhook_attempt_duration_seconds',
    help: 'Duration of attempts to deliver an event, by outcome.',
    labelNames: ['outcome'],
    buckets: DELIVERY_SECONDS,
    registers,
  });
  const evaluations = new Histogram({
    name: 'backsolve_evaluation_duration_seconds',
    help: 'Time from the claim of an evaluation to the report about it, by outcome.',
    labelNames: ['outcome'],
    buckets: EVALUATION_SECONDS,
    registers,
  });
  const evaluationLosses = new Counter({
    name: 'backsolve_evaluation_lease_losses_total',
    help: 'Leases of evaluations that expired, noticed when another evaluator took over or the evaluation failed.',
    registers,
  });
  const signIns = new Counter({
    name: 'backsolve_sign_ins_total',
    help: 'Sign-ins to the page, by what signed in, by outcome.',
    labelNames: ['by', 'outcome'],
    registers,
  });
  addPoolGauges(registry, sources.readPool);
  addDiskGauge(registry, sources.isDiskFull);
  const backlog = new BacklogGauges(registry, sources.readBacklog);

  return {
    requestStarted: () => inFlight.inc(),
    requestEnded: () => inFlight.dec(),
    requestAnswered: ({ method, route = NO_ROUTE, status, seconds }) => {
      requests.observe({ method, route, status }, seconds);
    },
    requestAborted: () => aborted.inc(),
    suggestionFinished: ({ outcome, waitedMs, phases: taken }) => {
      suggestions.inc({ outcome });
      phases.observe({ phase: 'waited' }, waitedMs / 1000);
      if (taken === undefined) return;
      phases.observe({ phase: 'read' }, taken.readMs / 1000);
      phases.observe({ phase: 'compute' }, taken.computeMs / 1000);
      phases.observe({ phase: 'write' }, taken.writeMs / 1000);
    },
    leaseLost: () => leaseLosses.inc(),
    watchWorker: (read) => addWorkerGauges(registry, read),
    deliveryFinished: (outcome, seconds) => deliveries.observe({ outcome }, seconds),
    evaluationReported: (outcome, seconds) => evaluations.observe({ outcome }, seconds),
    evaluationLeaseLost: (count) => evaluationLosses.inc(count),
    signInTried: (by, outcome) => signIns.inc({ by, outcome }),
    render: async () => {
      await backlog.refresh();
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
  };
}

function addPoolGauges(registry: Registry, readPool: MetricSources['readPool']): void {
  const registers = [registry];
  new Gauge({
    name: 'backsolve_database_pool_connections',
    help: 'Connections of the pool by state, and requests for a connection that wait (awaited).',
    labelNames: ['state'],
    registers,
    collect() {
      const { open, idle, waiting } = readPool();
      this.set({ state: 'used' }, open - idle);
      this.set({ state: 'idle' }, idle);
      this.set({ state: 'awaited' }, waiting);
    },
  });
  new Gauge({
    name: 'backsolve_database_pool_size',
    help: 'Largest number of connections in the pool.',
    registers,
    collect() {
      this.set(readPool().size);
    },
  });
}

function addDiskGauge(registry: Registry, isFull: MetricSources['isDiskFull']): void {
  new Gauge({
    name: 'backsolve_database_disk_full',
    help: 'Whether this process has seen that the database has no disk space left.',
    registers: [registry],
    collect() {
      this.set(isFull() ? 1 : 0);
    },
  });
}

function addWorkerGauges(registry: Registry, read: Parameters<Metrics['watchWorker']>[0]): void {
  const registers = [registry];
  new Gauge({
    name: 'backsolve_worker_suggestions_running',
    help: 'Suggestions that this worker is computing.',
    registers,
    collect() {
      this.set(read().running);
    },
  });
  new Gauge({
    name: 'backsolve_worker_concurrency',
    help: 'Suggestions that this worker computes at a time.',
    registers,
    collect() {
      this.set(read().concurrency);
    },
  });
}
