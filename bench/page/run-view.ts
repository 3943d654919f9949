/**
 * Measures the charts of an objective with 10,000 iterations of 10 inputs and 10 outputs in a real browser: the time from the
 * navigation until the page can be used and until all is drawn, of brushing and zooming, and from the answer to a new output until it
 * is in the table of runs; also the processor time of the main thread, in all and per gesture, the heap and the size of the code. The
 * processor times do not depend on other load.
 *
 *   npx node bench/page/run-view.ts [--runs 10000] [--inputs 10] [--outputs 10] [--repeats 5]
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';
import { makeCheapEngine } from '../../harness/cheap-engine.ts';
import { connectTo, migrateDatabase } from '../../harness/database-handle.ts';
import { findBrowser } from '../../harness/find-browser.ts';
import { openPageSession } from '../../harness/page-session.ts';
import { seedObjective } from '../../harness/seeded-history.ts';
import { startTemporaryPostgres } from '../../harness/temporary-postgres.ts';
import { createKey } from '../../src/application/accounts/manage-keys.ts';
import { startService } from '../../src/composing/compose.ts';
import { makeLog } from '../../src/log.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { buildPage } from '../../tools/build-page.ts';
import { quantile } from '../quantile.ts';
import { type Client, makeClient } from '../service/client.ts';

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '10000' },
    inputs: { type: 'string', default: '10' },
    outputs: { type: 'string', default: '10' },
    repeats: { type: 'string', default: '5' },
  },
});
const sizes = { runs: Number(options.runs), inputs: Number(options.inputs), outputs: Number(options.outputs) };
const MOVES = 40;
const ZOOMS = 20;
const NEW_RUNS = 5;
const ROOT = new URL('../../', import.meta.url).pathname;

/** Runs in the page before its own code; notes in window.measured when things are drawn, and how long gestures take. */
const OBSERVER = `
  window.measured = { gestures: [] };
  let isDone;
  window.whenDrawn = new Promise((resolve) => { isDone = resolve; });
  const afterFrame = (then) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => then(performance.now());
    port2.postMessage(0);
  });
  const isDrawn = (selector) => (document.querySelector(selector)?.width ?? 0) > 300;
  const look = () => {
    const { measured } = window;
    if (!measured.interactive && document.querySelector('.targets-table tbody tr') && isDrawn('.chart canvas'))
      afterFrame((at) => { measured.interactive ??= at; });
    const others = [...document.querySelectorAll('.charts-part .chart canvas')];
    if (isDrawn('canvas.coordinates') && others.length > 1 && others.every(({ width }) => width > 100))
      afterFrame((at) => { measured.drawn ??= at; isDone(); });
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  for (const name of ['pointermove', 'pointerup']) addEventListener(name, ({ type, timeStamp }) => {
    afterFrame((at) => window.measured.gestures.push({ type, ms: at - timeStamp }));
  }, true);
  window.whenNewest = (iteration) => new Promise((resolve) => {
    const check = () => {
      const row = document.querySelector('.runs tbody tr:not(.runs-spacer)');
      const isIt = row?.querySelector('th a')?.textContent === iteration;
      if (isIt && row.querySelector('td:nth-of-type(2)').textContent.includes('/'))
        afterFrame((at) => resolve(performance.timeOrigin + at));
      else requestAnimationFrame(check);
    };
    check();
  });
`;

interface Measured {
  readonly interactive: number;
  readonly drawn: number;
  readonly gestures: readonly { readonly type: string; readonly ms: number }[];
}

const log = makeLog({ level: 'error' });
await using postgres = await startTemporaryPostgres({ log });
await main();

async function main(): Promise<void> {
  await buildPage({ root: ROOT, target: `${ROOT}dist/page`, onlyIfChanged: true });
  await migrateDatabase(postgres.url);
  const config = loadConfig({
    PORT: '0',
    RATE_LIMIT_PER_MINUTE: '0',
    MAXIMUM_EVENT_LOOP_DELAY_MS: '0',
    DATABASE_URL: postgres.url,
  });
  const service = await startService(config, postgres.url, log, {
    ingress: true,
    worker: true,
    engine: makeCheapEngine(),
  });
  const key = await createKey(service.db, {
    account: 'bench',
    label: null,
    scopes: ['read', 'write'],
    expiresAt: null,
  });
  const client = makeClient(service.url!, key, 2);
  const db = connectTo(postgres.url);
  const id = await seedObjective(client.call, db, { ...sizes, failedEvery: 97 });
  await db.destroy();
  const found = await findBrowser();
  if ('reason' in found) throw new Error(found.reason);
  const browser = await chromium.launch(found);
  const visits: Awaited<ReturnType<typeof measureVisit>>[] = [];
  for (let repeat = 0; repeat < Number(options.repeats); repeat++) {
    visits.push(await measureVisit(browser, { url: service.url!, key, client, id }));
  }
  await browser.close();
  client.close();
  await service.close();
  const median = (name: keyof (typeof visits)[number]) =>
    Number(
      quantile(
        visits.map((visit) => visit[name]),
        0.5,
      ).toFixed(1),
    );
  console.log(
    `${sizes.runs} iterations of ${sizes.inputs} inputs and ${sizes.outputs} outputs, medians of ${visits.length}:`,
  );
  for (const name of Object.keys(visits[0]!) as (keyof (typeof visits)[number])[]) {
    console.log(`${name.padEnd(34)} ${median(name)}`);
  }
}

interface Subject {
  readonly url: string;
  readonly key: string;
  readonly client: Client;
  readonly id: number;
}

async function measureVisit(browser: Browser, { url, key, client, id }: Subject) {
  const { storageState } = await openPageSession(url, key);
  const viewport = { width: 1280, height: 900 };
  const context = await browser.newContext({ baseURL: url, locale: 'en-US', viewport, storageState });
  await context.addInitScript(OBSERVER);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  // Counts the processor time of the thread, regardless of other load.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.goto(`/page/objectives/${id}/charts`);
  await page.evaluate('window.whenDrawn');
  const { interactive, drawn } = await page.evaluate<Measured>('window.measured');
  const processor = await metric(session, 'TaskDuration');
  const each = async (type: string, count: number, work: () => Promise<void>) => {
    const before = await metric(session, 'TaskDuration');
    const wall = await gestures(page, type, work);
    return { wall, processor: (1_000 * ((await metric(session, 'TaskDuration')) - before)) / count };
  };
  const brush = await each('pointermove', MOVES, () => brushAxis(page));
  const zoom = await each('pointerup', ZOOMS, () => zoomChart(page, '.chart'));
  const zoomAll = await each('pointerup', ZOOMS, () => zoomChart(page, '[aria-labelledby=over-runs-title] .chart'));
  await session.send('HeapProfiler.collectGarbage');
  const heap = await metric(session, 'JSHeapUsedSize');
  const code = await codeSize(page);
  const newRun = await measureNewRuns(page, client, id);
  await context.close();
  return {
    'interactive after (ms)': interactive,
    'all drawn after (ms)': drawn,
    'main thread until then (CPU ms)': 1_000 * processor,
    'brush p95 (ms)': brush.wall,
    'brush (CPU ms each)': brush.processor,
    'zoom p95 (ms)': zoom.wall,
    'zoom (CPU ms each)': zoom.processor,
    'zoom of all outputs p95 (ms)': zoomAll.wall,
    'zoom of all outputs (CPU ms each)': zoomAll.processor,
    'answer to new run drawn (ms)': newRun,
    'heap (MB)': heap / 1e6,
    'code loaded (kB gz)': code / 1_000,
  };
}

async function metric(session: CDPSession, name: string): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find((one) => one.name === name)!.value;
}

/** The 95th percentile from an event to the frame that shows what follows. */
async function gestures(page: Page, type: string, work: () => Promise<void>): Promise<number> {
  await page.evaluate('window.measured.gestures = []');
  await work();
  const { gestures: noted } = await page.evaluate<Measured>('window.measured');
  return quantile(
    noted.filter((one) => one.type === type).map(({ ms }) => ms),
    0.95,
  );
}

async function brushAxis(page: Page): Promise<void> {
  // The answers of the models move what is below them.
  await page.getByRole('button', { name: 'Compute again' }).nth(1).waitFor();
  const canvas = page.locator('canvas.coordinates');
  await canvas.scrollIntoViewIfNeeded();
  const { x, y, height } = (await canvas.boundingBox())!;
  await page.mouse.move(x + 46, y + 60);
  await page.mouse.down();
  for (let move = 1; move <= MOVES; move++) await page.mouse.move(x + 46, y + 60 + ((height - 90) * move) / MOVES);
  await page.mouse.up();
  await page.getByRole('button', { name: 'Select all' }).click();
}

/** @param chart  selects it, and perhaps others that zoom as well */
async function zoomChart(page: Page, chart: string): Promise<void> {
  const plot = page.locator(`${chart} .u-over`).first();
  await plot.scrollIntoViewIfNeeded();
  const { x, y, width } = (await plot.boundingBox())!;
  for (let zoom = 0; zoom < ZOOMS; zoom++) {
    await page.mouse.move(x + 10 + zoom * 5, y + 50);
    await page.mouse.down();
    await page.mouse.move(x + width - 10, y + 50, { steps: 2 });
    await page.mouse.up();
  }
  await plot.dblclick();
}

/** The median from the answer to a loaded output until it is drawn; both clocks are this machine's. */
async function measureNewRuns(page: Page, client: Client, id: number): Promise<number> {
  await page.goto(`/page/objectives/${id}/runs`);
  await page.locator('.runs tbody th a').first().waitFor();
  const times: number[] = [];
  for (let run = 0; run < NEW_RUNS; run++) {
    const { iteration } = await client.call<{ iteration: number }>('POST', `/objectives/${id}/inverses`, {});
    const shown = page.evaluate<number>(`window.whenNewest('${iteration}')`);
    await client.call('POST', `/objectives/${id}/inverse-output`, { output: new Array(sizes.outputs).fill(10) });
    const answeredAt = performance.timeOrigin + performance.now();
    times.push((await shown) - answeredAt);
  }
  return quantile(times, 0.5);
}

/** Size of the code and style sheets that the page has loaded, as gzip -9 makes them. */
async function codeSize(page: Page): Promise<number> {
  const urls = await page.evaluate<string[]>('performance.getEntriesByType("resource").map(({ name }) => name)');
  const names = new Set(urls.map((url) => /\/page\/(assets\/[^/]+\.(?:js|css))$/.exec(url)?.[1]).filter(Boolean));
  let size = 0;
  for (const name of names) size += gzipSync(await readFile(`${ROOT}dist/page/${name}`), { level: 9 }).length;
  return size;
}
