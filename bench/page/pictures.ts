/**
 * Takes the pictures of the page that the README shows: plays `backsolve demo` and photographs the objective, light and dark.
 *
 *   npx node bench/page/pictures.ts [--folder docs/pictures]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { findBrowser } from '../../harness/find-browser.ts';
import { buildPage } from '../../src/dev/build-page.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const { values: options } = parseArgs({ options: { folder: { type: 'string', default: 'docs/pictures' } } });
const folder = path.resolve(ROOT, options.folder);

const found = await findBrowser();
if ('reason' in found) throw new Error(found.reason);
await buildPage({ root: ROOT, target: path.join(ROOT, 'dist/page'), onlyIfChanged: true });
await mkdir(folder, { recursive: true });

const demo = spawn(process.execPath, [path.join(ROOT, 'src/main.ts'), 'demo', '--pace', '0.1'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const ended = once(demo, 'exit');
const browser = await chromium.launch({ ...found });
try {
  let link: string | undefined;
  for await (const line of createInterface({ input: demo.stdout })) {
    link ??= /http:\S+#token=\S+/.exec(line)?.[0];
    // All is over, and the service stays.
    if (line.includes('until you press Ctrl-C')) break;
  }
  if (link === undefined) throw new Error('The demo printed no link.');
  const context = await browser.newContext({ viewport: { width: 1180, height: 1000 }, deviceScaleFactor: 1.5 });
  const page = await context.newPage();
  await page.goto(link);
  await page.locator('main a[href*="/page/objectives/"]').first().click();
  await page.locator('.runs tbody th').first().waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const file = path.join(folder, `objective-${colorScheme}.png`);
    await page.screenshot({ path: file, animations: 'disabled' });
    console.log(file);
  }
} finally {
  await browser.close();
  demo.kill('SIGINT');
  await ended;
}
