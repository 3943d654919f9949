/** The alert rules and the dashboard use metrics that exist; promtool accepts them where it is installed. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { makeMetrics } from '../../src/telemetry/metrics.ts';

const folder = new URL('../../deploy/monitoring/', import.meta.url).pathname;
const rules = readRules();
const dashboard = JSON.parse(readFileSync(path.join(folder, 'dashboard.json'), 'utf8')) as Dashboard;
const dashboardExpressions = dashboard.panels.flatMap(({ targets }) => targets?.map(({ expr }) => expr) ?? []);
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
if (!hasPromtool)
  console.log('promtool is not installed here: the rules are not run (Debian: apt-get install prometheus)');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string };
}

interface Dashboard {
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

function readRules(): readonly Rule[] {
  const { groups } = parse(readFileSync(path.join(folder, 'alerts.yaml'), 'utf8')) as {
    groups: { rules: Rule[] }[];
  };
  return groups.flatMap((group) => group.rules);
}

/** Every series that a process can export, histograms with their suffixes. */
async function knownNames(): Promise<ReadonlySet<string>> {
  const jobs = { waiting: 0, delayed: 0, leased: 0, oldestWaitingSeconds: 0, oldestOpenSeconds: 0 };
  const deliveries = { due: 0, delayed: 0, leased: 0, oldestDueSeconds: 0 };
  const evaluations = { waiting: 0, delayed: 0, leased: 0, oldestWaitingSeconds: 0 };
  const batches = { evaluatingCases: 0, solving: 0, paused: 0, oldestDueSeconds: 0 };
  const metrics = makeMetrics({
    readBacklog: async () => ({ jobs, accounts: [], deliveries, evaluations, batches }),
    readPool: () => ({ size: 1, open: 0, idle: 0, waiting: 0 }),
    isDiskFull: () => false,
  });
  metrics.watchWorker(() => ({ running: 0, concurrency: 1 }));
  const { body } = await metrics.render();
  const names = new Set<string>();
  for (const [, name, kind] of body.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    names.add(name!);
    if (kind === 'histogram') for (const suffix of ['_count', '_sum', '_bucket']) names.add(`${name}${suffix}`);
  }
  return names;
}

function namesIn(expression: string): readonly string[] {
  return Array.from(expression.matchAll(/\b(?:backsolve|nodejs|process)_\w+/g), ([name]) => name);
}

function runPromtool(args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8', cwd: folder });
  expect(`${stdout}${stderr}`).not.toMatch(/FAILED|ERROR/);
  expect(status).toBe(0);
}

describe('alert rules', () => {
  it('Alert rules have a unique name, a severity and a summary', () => {
    expect(rules.length).toBeGreaterThan(10);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const rule of rules) {
      expect(['critical', 'warning'], rule.alert).toContain(rule.labels.severity);
      expect(rule.annotations.summary, rule.alert).toMatch(/\.$/);
    }
  });

  it('use metrics that a process exports', async () => {
    const known = await knownNames();
    const unknown = rules.flatMap(({ expr }) => namesIn(expr)).filter((name) => !known.has(name));
    expect(unknown).toEqual([]);
    expect(known).not.toContain('backsolve_no_such_thing');
  });

  it.skipIf(!hasPromtool)('pass promtool, including their own tests', { timeout: 60_000 }, () => {
    runPromtool(['check', 'rules', 'alerts.yaml']);
    runPromtool(['test', 'rules', 'alerts-test.yaml']);
    runPromtool(['check', 'config', '--syntax-only', 'prometheus.yaml']);
  });
});

describe('the dashboard', () => {
  it('The dashboard uses metrics that a process exports', async () => {
    const known = await knownNames();
    expect(dashboardExpressions.length).toBeGreaterThan(20);
    expect(dashboardExpressions.flatMap(namesIn).filter((name) => !known.has(name))).toEqual([]);
  });

  it('The dashboard has panels with unique ids and positions', () => {
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const taken = new Map<string, string>();
    for (const { title, gridPos } of dashboard.panels) {
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken.get(`${x}:${y}`), `${title} lies upon another panel`).toBeUndefined();
          taken.set(`${x}:${y}`, title);
        }
      }
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
    }
  });

  it.skipIf(!hasPromtool)('has expressions that Prometheus parses', { timeout: 60_000 }, () => {
    const temporary = mkdtempSync(path.join(tmpdir(), 'backsolve-dashboard-'));
    try {
      const file = path.join(temporary, 'panels.yaml');
      const records = dashboardExpressions.map((expr, i) => ({
        record: `panel_${i}`,
        expr: expr.replaceAll('$__rate_interval', '1m'),
      }));
      writeFileSync(file, stringify({ groups: [{ name: 'dashboard', rules: records }] }));
      runPromtool(['check', 'rules', file]);
    } finally {
      rmSync(temporary, { recursive: true });
    }
  });
});
