/**
 * A worker process is killed while suggestions wait, and the alerts of deploy/monitoring fire: in Prometheus where it is installed,
 * and in any case by evaluating the conditions of the rules on a scrape.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { findFreePort } from '../../harness/free-port.ts';
import { execute } from '../../harness/one-statement.ts';
import { prepareTrial } from '../support/native-client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { readValue, type Sample, scrape } from './scrape.ts';

const hasPrometheus = spawnSync('prometheus', ['--version']).status === 0;
if (!hasPrometheus) console.log('Prometheus is not installed: only this test evaluates the alerts');

const main = new URL('../../src/main.ts', import.meta.url).pathname;
const rulesFile = new URL('../../deploy/monitoring/alerts.yaml', import.meta.url);
const LEASE_MS = 500;

interface Rules {
  groups: { interval: string; rules: { alert: string; expr: string; for?: string }[] }[];
}

async function readRules(): Promise<Rules> {
  return parse(await readFile(rulesFile, 'utf8')) as Rules;
}

async function startWorker(databaseUrl: string): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const port = await findFreePort();
  const settings = { HEALTH_PORT: String(port), LEASE_MS: String(LEASE_MS), ENGINE_THREADS: '1', LOG_LEVEL: 'silent' };
  const env = { ...process.env, ...settings, DATABASE_URL: databaseUrl };
  const child = spawn(process.execPath, [main, 'work'], { env, stdio: 'ignore' });
  await until(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok);
  return { child, port };
}

/** Makes jobs look a minute old. */
function pretendThatItWaits(service: TestService): Promise<unknown> {
  return execute(service.databaseUrl, "update suggestion_jobs set visible_at = now() - interval '1 minute'");
}

/** Polls until the condition holds; an error counts as not yet. */
async function until(isMet: () => Promise<boolean>): Promise<void> {
  await expect.poll(() => isMet().catch(() => false)).toBe(true);
}

async function loadObjective(service: TestService): Promise<string> {
  const box = {
    minimums: [0, 0],
    maximums: [10, 10],
    inputTypes: ['float', 'float'],
    outputCount: 1,
    run: (x: readonly number[]) => [x[0]! + x[1]!],
  };
  const { trialPath } = await prepareTrial(service, box);
  const objective = await service.ok<{ id: number }>('POST', `${trialPath}/objectives`, {
    objectives: [11],
    objectiveTypes: ['exact'],
    initialInput: [1, 1],
    initialOutput: [2],
    desiredL1Norm: 0,
  });
  return `${trialPath}/objectives/${objective.id}/inverses`;
}

/** Evaluates a rule of the form max(metric{label="value"}) > number on one scrape. */
function isMetBy(samples: readonly Sample[], expression: string): boolean {
  const match = /^max\((\w+)(?:\{(\w+)="(\w+)"\})?\) > (\d+)$/.exec(expression.split(' unless ')[0]!);
  if (match === null) throw new Error(`this test cannot evaluate ${expression}`);
  const [, name, label, value, bound] = match;
  const found = readValue(samples, name!, label === undefined ? {} : { [label]: value! });
  return found !== undefined && found > Number(bound);
}

async function startPrometheus(targets: readonly string[]) {
  const folder = await mkdtemp(path.join(tmpdir(), 'backsolve-prometheus-'));
  const port = await findFreePort();
  const rules = await readRules();
  // The same conditions, with shorter durations.
  for (const group of rules.groups) {
    group.interval = '500ms';
    for (const rule of group.rules) if (rule.for !== undefined) rule.for = '1s';
  }
  await writeFile(path.join(folder, 'alerts.yaml'), stringify(rules));
  const config = {
    global: { scrape_interval: '500ms', scrape_timeout: '500ms', evaluation_interval: '500ms' },
    rule_files: ['alerts.yaml'],
    scrape_configs: [{ job_name: 'backsolve', static_configs: [{ targets }] }],
  };
  await writeFile(path.join(folder, 'prometheus.yaml'), stringify(config));
  const child = spawn(
    'prometheus',
    [
      `--config.file=${folder}/prometheus.yaml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  );
  const origin = `http://127.0.0.1:${port}`;
  await until(async () => (await fetch(`${origin}/-/ready`)).ok);
  const ask = async <T>(apiPath: string): Promise<T> =>
    ((await (await fetch(`${origin}/api/v1/${apiPath}`)).json()) as { data: T }).data;
  return {
    countTargetsUp: async (): Promise<number> => {
      const { result } = await ask<{ result: { value: [number, string] }[] }>('query?query=sum(up)');
      return Number(result[0]?.value[1] ?? 0);
    },
    firing: async (): Promise<readonly string[]> => {
      const { alerts } = await ask<{ alerts: { state: string; labels: { alertname: string } }[] }>('alerts');
      return alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname);
    },
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

describe('killing the only worker', () => {
  it('Killing the only worker makes the conditions of BacksolveQueueStalled and BacksolveNoWorker true', async () => {
    const metricsPort = await findFreePort();
    const service = await startTestService({ worker: false, settings: { METRICS_PORT: String(metricsPort) } });
    const worker = await startWorker(service.databaseUrl);
    try {
      const rules = (await readRules()).groups.flatMap((group) => group.rules);
      const exprOf = (name: string) => rules.find(({ alert }) => alert === name)!.expr;
      const path = await loadObjective(service);
      expect((await service.call('POST', path)).status).toBe(201);
      const healthy = await scrape(metricsPort);
      expect(isMetBy(healthy, exprOf('BacksolveQueueStalled'))).toBe(false);
      expect(isMetBy(healthy, exprOf('BacksolveNoWorker'))).toBe(false);

      await kill(worker.child);
      const next = await loadObjective(service);
      await service.call('POST', next, undefined, { prefer: 'respond-async' });
      await pretendThatItWaits(service);
      await until(async () => isMetBy(await scrape(metricsPort), exprOf('BacksolveNoWorker')));
      await until(async () => isMetBy(await scrape(metricsPort), exprOf('BacksolveQueueStalled')));
    } finally {
      await kill(worker.child);
      await service.close();
    }
  });

  it.skipIf(!hasPrometheus)('fires them in Prometheus', async () => {
    const metricsPort = await findFreePort();
    const service = await startTestService({ worker: false, settings: { METRICS_PORT: String(metricsPort) } });
    const worker = await startWorker(service.databaseUrl);
    const prometheus = await startPrometheus([`127.0.0.1:${metricsPort}`, `127.0.0.1:${worker.port}`]);
    try {
      const path = await loadObjective(service);
      expect((await service.call('POST', path)).status).toBe(201);
      // BacksolveUnseen fires until the first scrape has arrived.
      await until(async () => (await prometheus.countTargetsUp()) === 2 && (await prometheus.firing()).length === 0);

      await kill(worker.child);
      await service.call('POST', await loadObjective(service), undefined, { prefer: 'respond-async' });
      await pretendThatItWaits(service);
      const expected = ['BacksolveNoWorker', 'BacksolveQueueStalled'];
      await until(async () => {
        const firing = await prometheus.firing();
        return expected.every((name) => firing.includes(name));
      });
    } finally {
      await prometheus.stop();
      await kill(worker.child);
      await service.close();
    }
  });
});
