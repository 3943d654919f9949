/**
 * Measures the reference at /docs in a real browser: from the navigation until its first heading is drawn, and its longest task. The
 * address that sends requests, which loads a library, is there to compare.
 *
 *   npx node bench/page/docs-view.ts [--repeats 5]
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import Fastify from 'fastify';
import { type Browser, chromium } from 'playwright-core';
import { findBrowser } from '../../harness/find-browser.ts';
import { addDocs } from '../../src/http/page/docs.ts';
import { buildPage } from '../../tools/build-page.ts';
import { quantile } from '../quantile.ts';

const { values: options } = parseArgs({ options: { repeats: { type: 'string', default: '5' } } });
const ADDRESSES = ['/docs', '/docs/v1/models', '/docs/v1/objectives', '/docs/api', '/docs/guides', '/docs/try'];
/** Tasks after the heading count as well. */
const WATCHED_MS = 3_000;

const OBSERVER = `
  window.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
  }).observe({ type: 'longtask', buffered: true });
  const look = () => requestAnimationFrame(() => {
    if (document.querySelector('h1')) requestAnimationFrame(() => { window.heading = performance.now(); });
    else look();
  });
  look();
`;

const found = await findBrowser();
if ('reason' in found) throw new Error(found.reason);
const root = path.join(import.meta.dirname, '../..');
const folder = path.join(root, 'dist/page');
await buildPage({ root, target: folder, onlyIfChanged: true });
const app = Fastify();
await addDocs(app, folder);
const url = await app.listen({ port: 0, host: '127.0.0.1' });
const browser = await chromium.launch(found);
try {
  for (const address of ADDRESSES) {
    const views: Awaited<ReturnType<typeof measure>>[] = [];
    for (let i = 0; i < Number(options.repeats); i++) views.push(await measure(browser, url + address));
    const middle = (key: 'heading' | 'longest') =>
      Math.round(
        quantile(
          views.map((view) => view[key]),
          0.5,
        ),
      );
    console.log(
      `${address}: heading after ${middle('heading')} ms, longest task ${middle('longest')} ms (medians of ${views.length})`,
    );
  }
} finally {
  await browser.close();
  await app.close();
}

/** In a browser context of its own, so that nothing is cached. A task below 50 ms counts as 0. */
async function measure(of: Browser, address: string): Promise<{ heading: number; longest: number }> {
  const context = await of.newContext();
  try {
    const page = await context.newPage();
    await page.addInitScript(OBSERVER);
    await page.goto(address);
    await page.waitForFunction('window.heading');
    await page.waitForTimeout(WATCHED_MS);
    return await page.evaluate<{ heading: number; longest: number }>('({ heading, longest })');
  } finally {
    await context.close();
  }
}
