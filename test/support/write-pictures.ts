/**
 * Writes the pictures of the guides about fits and by trade: plays the problem file of each guide as a reader does, and takes a picture
 * of its page. Pictures of guides whose programs are missing stay as they are; NAMES choose among the rest.
 *
 *   npx node test/support/write-pictures.ts [NAMES]
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, chromium, type Locator } from 'playwright-core';
import { findBrowser } from '../../harness/find-browser.ts';
import { openPageSession } from '../../harness/page-session.ts';
import { type StartedService, startService } from '../../harness/started-service.ts';
import { buildPage } from '../../tools/build-page.ts';
import { isWritten } from './doc-blocks.ts';
import { blocksOf, readPages } from './doc-commands.ts';
import { findMissing } from './trades.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COMMAND = path.join(ROOT, 'bin/backsolve.js');

/**
 * By picture: the guide, its problem file, the heading of the section that is shown, and the part of the objective that has it; last the
 * output or the set of data that is chosen in that section.
 */
const PICTURES: readonly (readonly [string, string, string, string, string, string?])[] = [
  ['fit', 'docs/guides/calibrating-to-a-curve.md', 'tank.yaml', 'Fit', 'fit'],
  ['fit-runs', 'docs/guides/calibrating-to-a-curve.md', 'tank.yaml', 'Misfit run by run', 'charts'],
  ['fit-parameters', 'docs/guides/what-the-data-tell.md', 'outlet-flow.yaml', 'Estimates of the inputs', 'fit'],
  ['with-calculix', 'docs/guides/with-calculix.md', 'arm.yaml', 'Outputs, run by run', 'charts', 'sag'],
  ['with-cantera', 'docs/guides/with-cantera.md', 'combustor.yaml', 'Outputs, run by run', 'charts', 'temperature'],
  ['with-epanet', 'docs/guides/with-epanet.md', 'network.yaml', 'Fit', 'fit', 'node193'],
  ['with-ngspice', 'docs/guides/with-ngspice.md', 'filter.yaml', 'Outputs, run by run', 'charts', 'cutoff'],
  ['with-octave', 'docs/guides/with-octave.md', 'motor.yaml', 'Outputs, run by run', 'charts', 'settling'],
  ['with-pandapower', 'docs/guides/with-pandapower.md', 'feeder.yaml', 'Outputs, run by run', 'charts', 'highest'],
  ['with-swmm', 'docs/guides/with-swmm.md', 'catchment.yaml', 'Fit', 'fit', 'flow'],
];

async function take(
  browser: Browser,
  { url, key }: StartedService,
  folder: string,
  picture: (typeof PICTURES)[number],
): Promise<void> {
  const [name, guide, file, heading, part, output] = picture;
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
  const target = path.join(ROOT, 'docs/pictures', `${name}.png`);
  if (output === undefined) await section.screenshot({ path: target });
  else if (part === 'fit')
    await view.screenshot({ path: target, clip: await placeOf(section, output), fullPage: true });
  else {
    await section.getByRole('combobox', { name: 'Output' }).selectOption(output);
    await section.getByRole('figure').screenshot({ path: target });
  }
  await context.close();
}

/** From the heading of a set of data to the legend of its chart. */
async function placeOf(section: Locator, set: string) {
  const [whole, heading] = [await section.boundingBox(), section.getByRole('heading', { name: set, exact: true })];
  const legend = heading.locator('xpath=following::p[1]');
  await legend.waitFor();
  const [top, bottom] = [await heading.boundingBox(), await legend.boundingBox()];
  const y = top!.y - 8;
  return { ...whole!, y, height: bottom!.y + bottom!.height - y };
}

await buildPage({ root: ROOT, target: path.join(ROOT, 'dist/page'), onlyIfChanged: true });
const folder = await mkdtemp(path.join(tmpdir(), 'backsolve-pictures-'));
const service = await startService(folder);
const browser = await chromium.launch((await findBrowser()) as object);
try {
  const wanted = process.argv.slice(2);
  for (const picture of PICTURES) {
    const [name, guide] = picture;
    if (wanted.length > 0 ? wanted.includes(name) : findMissing(guide) === undefined)
      await take(browser, service, folder, picture);
  }
} finally {
  await browser.close();
  service.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
