/**
 * Writes the pictures of the guides about fits: plays the problem file of each guide as a reader does, and takes a picture of its page.
 *
 *   npx node test/support/write-pictures.ts
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';
import { findBrowser } from '../../harness/find-browser.ts';
import { openPageSession } from '../../harness/page-session.ts';
import { type StartedService, startService } from '../../harness/started-service.ts';
import { buildPage } from '../../src/dev/build-page.ts';
import { isWritten } from './doc-blocks.ts';
import { blocksOf, readPages } from './doc-commands.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COMMAND = path.join(ROOT, 'bin/backsolve.js');

/** By picture: the guide, its problem file, the heading of the section that is shown, and the part of the objective that has it. */
const PICTURES = [
  ['fit', 'docs/guides/calibrating-to-a-curve.md', 'tank.yaml', 'Fit', 'fit'],
  ['fit-runs', 'docs/guides/calibrating-to-a-curve.md', 'tank.yaml', 'Misfit run by run', 'charts'],
  ['fit-parameters', 'docs/guides/what-the-data-tell.md', 'outlet-flow.yaml', 'Estimates of the inputs', 'fit'],
] as const;

async function take(
  browser: Browser,
  { url, key }: StartedService,
  folder: string,
  picture: (typeof PICTURES)[number],
): Promise<void> {
  const [name, guide, file, heading, part] = picture;
  const page = (await readPages()).find((one) => one.path === guide)!;
  for (const block of blocksOf(page).filter(isWritten)) await writeFile(path.join(folder, block.info), block.text);
  const env = { ...process.env, BACKSOLVE_URL: url, BACKSOLVE_API_KEY: key };
  await promisify(execFile)(process.execPath, [COMMAND, 'run', file], { cwd: folder, env });
  const { storageState } = await openPageSession(url, key);
  const context = await browser.newContext({
    baseURL: url,
    locale: 'en-US',
    reducedMotion: 'reduce',
    viewport: { width: 1000, height: 900 },
    deviceScaleFactor: 1.5,
    storageState,
  });
  const view = await context.newPage();
  const objectives = (await (
    await fetch(`${url}/v1/objectives?limit=1`, { headers: { authorization: `Bearer ${key}` } })
  ).json()) as { id: number }[];
  await view.goto(`/page/objectives/${objectives[0]!.id}/${part}`);
  const section = view.getByRole('region', { name: heading, exact: true }).first();
  if (part === 'fit') {
    await view
      .getByText(/^what the data leave open/)
      .first()
      .waitFor();
  }
  await section.waitFor();
  await section.screenshot({ path: path.join(ROOT, 'docs/pictures', `${name}.png`) });
  await context.close();
}

await buildPage({ root: ROOT, target: path.join(ROOT, 'dist/page'), onlyIfChanged: true });
const folder = await mkdtemp(path.join(tmpdir(), 'backsolve-pictures-'));
const service = await startService(folder);
const browser = await chromium.launch((await findBrowser()) as object);
try {
  for (const picture of PICTURES) await take(browser, service, folder, picture);
} finally {
  await browser.close();
  service.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
