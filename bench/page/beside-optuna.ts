/**
 * Takes the same screens of our page and of optuna-dashboard, on the same runs: solves the welded beam (Ragsdell, Phillips 1976; cheapest
 * within four limits), copies the runs into a study of Optuna, and photographs progress, model and one run of both.
 *
 *   npx node bench/page/beside-optuna.ts --python PYTHON [--folder docs/pictures]
 *
 * PYTHON: a Python with optuna 5.0.0 and optuna-dashboard 0.21.0.
 */
import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { atLeast, atMost, minimize, solve } from '../../clients/typescript/src/solve.ts';
import { findBrowser } from '../../harness/find-browser.ts';
import { findFreePort } from '../../harness/free-port.ts';
import { openPageSession } from '../../harness/page-session.ts';
import { type StartedService, startService } from '../../harness/started-service.ts';
import { buildPage } from '../../tools/build-page.ts';
import { weldedBeam } from '../problems/engineering.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const { values: options } = parseArgs({
  options: { python: { type: 'string' }, folder: { type: 'string', default: 'docs/pictures' } },
});
if (options.python === undefined) throw new Error('Give --python: one with optuna and optuna-dashboard.');
const folder = path.resolve(ROOT, options.folder);
const RUNS = 40;
/** The heading of the charts of the models. */
const MODEL = 'Outputs over inputs';
const INPUTS = { weld: [0.125, 2], length: [0.5, 10], height: [2, 10], width: [0.125, 2] } as const;
const LIMITS = {
  shear: [null, 13_600],
  bending: [null, 30_000],
  deflection: [null, 0.25],
  buckling: [6_000, null],
} as const;

function beam({ weld, length, height, width }: Readonly<Record<keyof typeof INPUTS, number>>) {
  const [cost, shear, bending, , deflection, buckling] = weldedBeam([weld, length, height, width]);
  return { cost: cost!, shear: shear!, bending: bending!, deflection: deflection!, buckling: buckling! };
}

async function search({ url, key }: StartedService) {
  const inputs = INPUTS as unknown as Record<keyof typeof INPUTS, [number, number]>;
  const goals = {
    cost: minimize(),
    shear: atMost(13_600),
    bending: atMost(30_000),
    deflection: atMost(0.25),
    buckling: atLeast(6_000),
  };
  return solve(beam, { name: 'Welded beam', inputs, goals, budget: RUNS, url, key, progress: false });
}

type Found = Awaited<ReturnType<typeof search>>;

async function startDashboard({ history }: Found, work: string) {
  const runs = history.map(({ input, output }) => ({ input, output }));
  const [file, study] = [path.join(work, 'runs.json'), path.join(work, 'study.db')];
  await writeFile(file, JSON.stringify({ name: 'Welded beam', inputs: INPUTS, goal: 'cost', limits: LIMITS, runs }));
  await promisify(execFile)(options.python!, [path.join(import.meta.dirname, 'optuna_study.py'), file, study]);
  const port = await findFreePort();
  const command = path.join(path.dirname(options.python!), 'optuna-dashboard');
  const child = spawn(command, ['--port', String(port), `sqlite:///${study}`], { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  for (;;) {
    const isUp = await fetch(`${url}/dashboard`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return { url, close: () => child.kill() };
    if (child.exitCode !== null) throw new Error(`optuna-dashboard ended with ${child.exitCode}.`);
    await delay(200);
  }
}

/** By screen: the addresses below that of the page and of the dashboard, which numbers all runs from 0. */
const screensOf = (objectiveId: number, best: number, bestTrial: number) => ({
  progress: { backsolve: `/page/objectives/${objectiveId}/charts`, optuna: '/dashboard/studies/1' },
  model: { backsolve: `/page/objectives/${objectiveId}/charts`, optuna: '/dashboard/studies/1/analytics' },
  run: {
    backsolve: `/page/objectives/${objectiveId}/runs/${best}`,
    optuna: `/dashboard/studies/1/trials?numbers=${bestTrial}`,
  },
});

await buildPage({ root: ROOT, target: path.join(ROOT, 'dist/page'), onlyIfChanged: true });
await mkdir(folder, { recursive: true });
const work = await mkdtemp(path.join(tmpdir(), 'backsolve-beside-'));
process.chdir(work);
const service = await startService(work);
const browser = await chromium.launch((await findBrowser()) as object);
try {
  const found = await search(service);
  console.log(`${found.status} after ${found.history.length} runs, cost ${found.best?.output.cost}`);
  const dashboard = await startDashboard(found, work);
  const bestTrial = found.history.findIndex(({ name }) => name === found.best!.name);
  const { storageState } = await openPageSession(service.url, service.key);
  const context = await browser.newContext({
    locale: 'en-US',
    reducedMotion: 'reduce',
    viewport: { width: 1280, height: 900 },
    storageState,
  });
  const page = await context.newPage();
  for (const [screen, addresses] of Object.entries(screensOf(found.ids.objectiveId!, found.best!.run!, bestTrial))) {
    for (const [name, address] of Object.entries(addresses)) {
      await page.goto(`${name === 'optuna' ? dashboard.url : service.url}${address}`);
      await page.waitForLoadState('networkidle').catch(() => undefined);
      await delay(2_000);
      if (screen === 'model' && name === 'backsolve') {
        await page.getByRole('region', { name: MODEL }).first().scrollIntoViewIfNeeded();
      }
      const file = path.join(folder, `beside-${screen}-${name}.png`);
      await page.screenshot({ path: file, animations: 'disabled' });
      console.log(file);
    }
  }
  dashboard.close();
} finally {
  await browser.close();
  service.close();
  await rm(work, { recursive: true, force: true, maxRetries: 5 });
}
