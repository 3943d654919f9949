/** Tests what Prometheus reads from a running service, over HTTP. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { findFreePort } from '../../harness/free-port.ts';
import { requestSuggestion } from '../../src/application/search/suggest.ts';
import { readBacklog } from '../../src/db/backlog.ts';
import { claimJobs } from '../../src/db/search/suggestion-jobs.ts';
import { makeMetrics } from '../../src/telemetry/metrics.ts';
import { loadLinearObjective, openTestAccount } from '../support/fixtures.ts';
import { prepareTrial } from '../support/native-client.ts';
import { startTestService } from '../support/service.ts';
import { parseSamples, readValue, scrape } from './scrape.ts';

const POOL = { size: 10, open: 3, idle: 1, waiting: 2 };
const box = {
  minimums: [0, 0],
  maximums: [10, 10],
  inputTypes: ['float', 'float'],
  outputCount: 1,
  run: (x: readonly number[]) => [x[0]! + x[1]!],
};

const OBJECTIVE = {
  objectives: [11],
  objectiveTypes: ['exact'],
  initialInput: [1, 1],
  initialOutput: [2],
  desiredL1Norm: 0,
};

async function startObserved() {
  const port = await findFreePort();
  const service = await startTestService({ settings: { METRICS_PORT: String(port) } });
  return { service, port };
}

async function suggestOnce(service: Awaited<ReturnType<typeof startTestService>>) {
  const { trialPath } = await prepareTrial(service, box);
  const objective = await service.ok<{ id: number }>('POST', `${trialPath}/objectives`, OBJECTIVE);
  const path = `${trialPath}/objectives/${objective.id}/inverses`;
  await service.ok('POST', path);
  return path;
}

describe('/metrics', () => {
  it('/metrics counts requests by template and status, suggestions by phase, and the backlog', async () => {
    const { service, port } = await startObserved();
    try {
      await suggestOnce(service);
      await service.call('GET', '/nothing/here/12345');
      // The worker counts a suggestion after it has stored it.
      const suggested = { outcome: 'suggested' };
      await expect.poll(async () => readValue(await scrape(port), 'backsolve_suggestions_total', suggested)).toBe(1);
      const samples = await scrape(port);
      const suggest = {
        method: 'POST',
        route: '/v1/models/:model_id/projects/:project_id/trials/:trial_id/objectives/:objective_id/inverses',
        status: '201',
      };
      expect(readValue(samples, 'backsolve_http_request_duration_seconds_count', suggest)).toBe(1);
      const unknown = { method: 'GET', route: 'none', status: '404' };
      expect(readValue(samples, 'backsolve_http_request_duration_seconds_count', unknown)).toBe(1);
      for (const phase of ['waited', 'read', 'compute', 'write']) {
        expect(readValue(samples, 'backsolve_suggestion_phase_seconds_count', { phase }), phase).toBe(1);
      }
      expect(readValue(samples, 'backsolve_suggestions_total', { outcome: 'suggested' })).toBe(1);
      expect(readValue(samples, 'backsolve_database_up')).toBe(1);
      expect(readValue(samples, 'backsolve_queue_jobs', { state: 'waiting' })).toBe(0);
      expect(readValue(samples, 'backsolve_queue_oldest_waiting_seconds')).toBe(0);
      expect(readValue(samples, 'backsolve_worker_concurrency')).toBeGreaterThan(0);
      expect(readValue(samples, 'backsolve_http_requests_in_flight')).toBe(0);
      expect(readValue(samples, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
      expect(readValue(samples, 'process_resident_memory_bytes')).toBeGreaterThan(1e7);
    } finally {
      await service.close();
    }
  });

  it('/metrics has as many series after requests with many ids and paths as after a few', async () => {
    const { service, port } = await startObserved();
    try {
      const path = await suggestOnce(service);
      await service.call('GET', `${path}/1`);
      await service.call('GET', '/none');
      const isOurs = (name: string) => name.startsWith('backsolve_http');
      const before = (await scrape(port)).filter(({ name }) => isOurs(name)).length;
      for (let id = 1; id <= 20; id++) {
        await service.call('GET', `${path}/${1_000 + id}`);
        await service.call('GET', `/none/${id}`);
      }
      const after = (await scrape(port)).filter(({ name }) => isOurs(name));
      // One more status of a route: the 404 of an inverse that does not exist.
      expect(after.length - before).toBeLessThanOrEqual(15);
      expect(JSON.stringify(after)).not.toMatch(/"(10\d\d|bks_[^"]*)"/);
    } finally {
      await service.close();
    }
  });

  it('/metrics is served with the probes on a port of its own, not on the public one', async () => {
    const { service, port } = await startObserved();
    try {
      const open = await fetch(`${service.service.url}/metrics`);
      expect(open.status).toBe(404);
      expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
      expect((await fetch(`http://127.0.0.1:${port}/v1/models`)).status).toBe(404);
    } finally {
      await service.close();
    }
  });

  it('/metrics comes with a probe that answers like the public one', async () => {
    const port = await findFreePort();
    const settings = { METRICS_PORT: String(port), MAXIMUM_REQUESTS_IN_FLIGHT: '1' };
    const service = await startTestService({ worker: false, settings });
    const readiness = () =>
      Promise.all(
        [port, new URL(service.service.url!).port].map(async (one) => fetch(`http://127.0.0.1:${one}/readyz`)),
      ).then((answers) => answers.map(({ status }) => status));
    try {
      const { trialPath } = await prepareTrial(service, box);
      const objective = await service.ok<{ id: number }>('POST', `${trialPath}/objectives`, OBJECTIVE);
      expect(await readiness()).toEqual([200, 200]);
      const leaver = new AbortController();
      const waiting = fetch(`${service.service.url}/v1${trialPath}/objectives/${objective.id}/inverses`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.key}` },
        signal: leaver.signal,
      });
      await expect.poll(readiness).toEqual([503, 503]);
      leaver.abort();
      await expect(waiting).rejects.toThrow();
      await expect.poll(readiness).toEqual([200, 200]);
    } finally {
      await service.close();
    }
  });

  it('/metrics is served on the health port of a worker', async () => {
    const port = await findFreePort();
    const service = await startTestService({ ingress: false, settings: { HEALTH_PORT: String(port) } });
    try {
      const samples = await scrape(port);
      expect(readValue(samples, 'backsolve_worker_suggestions_running')).toBe(0);
      expect(readValue(samples, 'backsolve_database_pool_size')).toBe(10);
    } finally {
      await service.close();
    }
  });
});

describe('the backlog', () => {
  it('distinguishes waiting, leased and delayed jobs and deliveries, and names the accounts with the longest queues', async () => {
    const t = await openTestAccount();
    try {
      const jobs = { limit: 1, leaseMs: 60_000, workerName: 'test', afterAccountId: 0 };
      for (let i = 0; i < 3; i++) {
        const { path } = await loadLinearObjective(t);
        await requestSuggestion(t.db, t.accountId, path, { requestId: null });
      }
      expect(await claimJobs(t.db, jobs)).toHaveLength(1);
      const backlog = await readBacklog(t.db, 10);
      expect(backlog.jobs).toMatchObject({ waiting: 2, leased: 1, delayed: 0 });
      expect(backlog.jobs.oldestWaitingSeconds).toBeGreaterThan(0);
      expect(backlog.jobs.oldestOpenSeconds).toBeGreaterThanOrEqual(backlog.jobs.oldestWaitingSeconds);
      expect(backlog.accounts).toEqual([{ accountId: t.accountId, open: 3 }]);
      expect(backlog.deliveries).toEqual({ due: 0, delayed: 0, leased: 0, oldestDueSeconds: 0 });
      expect((await readBacklog(t.db, 0)).accounts).toEqual([]);
    } finally {
      await t.close();
    }
  });
});

describe('metrics without a database', () => {
  afterEach(() => {
    vi.useRealTimers();
  });
  const jobs = { waiting: 7, delayed: 0, leased: 0, oldestWaitingSeconds: 3, oldestOpenSeconds: 3 };
  const deliveries = { due: 0, delayed: 0, leased: 0, oldestDueSeconds: 0 };
  const evaluations = { waiting: 5, delayed: 0, leased: 2, oldestWaitingSeconds: 8 };
  const batches = { evaluatingCases: 0, solving: 3, paused: 1, oldestDueSeconds: 0 };

  it('leave out unknown values, which return with the database', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    const answers = [
      () => Promise.resolve({ jobs, accounts: [{ accountId: 4, open: 7 }], deliveries, evaluations, batches }),
      () => Promise.reject(new Error('ECONNREFUSED')),
      () => Promise.resolve({ jobs, accounts: [], deliveries, evaluations, batches }),
    ];
    const metrics = makeMetrics({
      readBacklog: () => answers.shift()!(),
      readPool: () => POOL,
      isDiskFull: () => false,
    });
    const read = async () => {
      vi.advanceTimersByTime(10_000);
      return parseSamples((await metrics.render()).body);
    };
    const first = await read();
    expect(readValue(first, 'backsolve_queue_jobs', { state: 'waiting' })).toBe(7);
    expect(readValue(first, 'backsolve_queue_account_jobs', { account: '4' })).toBe(7);
    expect(readValue(first, 'backsolve_evaluation_queue', { state: 'leased' })).toBe(2);
    expect(readValue(first, 'backsolve_batches', { status: 'paused' })).toBe(1);
    const second = await read();
    expect(readValue(second, 'backsolve_database_up')).toBe(0);
    expect(second.filter(({ name }) => /queue|evaluation_oldest|webhook_(backlog|oldest)/.test(name))).toEqual([]);
    expect(readValue(second, 'backsolve_database_pool_connections', { state: 'used' })).toBe(2);
    const third = await read();
    expect(readValue(third, 'backsolve_queue_oldest_waiting_seconds')).toBe(3);
    expect(readValue(third, 'backsolve_queue_account_jobs')).toBeUndefined();
  });

  it('Metrics without a database are served within seconds while the database does not respond', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    const metrics = makeMetrics({
      readBacklog: () => new Promise(() => undefined),
      readPool: () => POOL,
      isDiskFull: () => false,
    });
    const rendering = metrics.render();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(readValue(parseSamples((await rendering).body), 'backsolve_database_up')).toBe(0);
  });

  it('query the database once for simultaneous scrapes', async () => {
    let reads = 0;
    const readBacklog = async () => {
      reads += 1;
      return { jobs, accounts: [], deliveries, evaluations, batches };
    };
    const metrics = makeMetrics({ readBacklog, readPool: () => POOL, isDiskFull: () => false });
    await Promise.all([metrics.render(), metrics.render(), metrics.render()]);
    await metrics.render();
    expect(reads).toBe(1);
  });
});
