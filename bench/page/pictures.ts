/**
 * Takes the pictures of the page that the README and the guides show: plays `backsolve demo` and photographs its objective, light and
 * dark; then states a problem of a rig and runs it by hand, on a screen and on a phone.
 *
 *   npx node bench/page/pictures.ts [--folder docs/pictures]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { chromium, type Locator, type Page } from 'playwright-core';
import { findBrowser } from '../../harness/find-browser.ts';
import { buildPage } from '../../tools/build-page.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const { values: options } = parseArgs({ options: { folder: { type: 'string', default: 'docs/pictures' } } });
const folder = path.resolve(ROOT, options.folder);
const ASK = 'Ask for the next input';

const found = await findBrowser();
if ('reason' in found) throw new Error(found.reason);
await buildPage({ root: ROOT, target: path.join(ROOT, 'dist/page'), onlyIfChanged: true });
await mkdir(folder, { recursive: true });

const demo = spawn(process.execPath, [path.join(ROOT, 'src/main.ts'), 'demo', '--pace', '0.1'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const ended = once(demo, 'exit');
const browser = await chromium.launch({ ...found });
let link: string | undefined;
try {
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
  await page.locator('.pane-part section').first().waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const file = path.join(folder, `objective-${colorScheme}.png`);
    await page.screenshot({ path: file, animations: 'disabled' });
    console.log(file);
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await photographRig(page);
} finally {
  await browser.close();
  demo.kill('SIGINT');
  await ended;
}

async function photographRig(page: Page): Promise<void> {
  const photograph = async (name: string): Promise<void> => {
    const file = path.join(folder, `${name}.png`);
    await page.screenshot({ path: file, animations: 'disabled' });
    console.log(file);
  };
  await page.setViewportSize({ width: 1180, height: 1000 });
  await page.goto(new URL('/page/new', link).href);
  await page.getByRole('button', { name: 'Try the example' }).click();
  await photograph('new-problem');

  const objective = await loadRig(page);
  await page.goto(new URL(`/page/objectives/${objective}`, link).href);
  const first = await askForInput(page, 2);
  const values = await first
    .locator('dd')
    .evaluateAll((all) => all.map((value) => Number(value.getAttribute('title'))));
  const [power, drop] = heatExchanger(values[0]!, values[1]!);
  await first.getByLabel('Power (kW)').fill(power.toFixed(2));
  await first.getByLabel('Drop (Pa)').fill(drop.toFixed(1));
  await first.getByRole('button', { name: 'Load the outputs' }).click();
  await first.waitFor({ state: 'hidden' });
  const card = await askForInput(page, 3);
  await card.scrollIntoViewIfNeeded();
  await photograph('by-hand');
  await page.setViewportSize({ width: 390, height: 844 });
  await page.reload();
  await card.getByLabel('Power (kW)').fill('7.71');
  await card.evaluate((shown) => shown.scrollIntoView());
  await photograph('by-hand-phone');
}

/** The card on which its outputs are entered. */
async function askForInput(page: Page, iteration: number): Promise<Locator> {
  await page.getByRole('button', { name: ASK }).click();
  const card = page.getByRole('article', { name: `Run ${iteration}` });
  await card.waitFor();
  return card;
}

/** Power in kW and pressure drop in Pa. */
function heatExchanger(length: number, passes: number): [number, number] {
  return [1.2 * length * (1 + 0.12 * passes) ** 0.9, 2 * length + 0.4 * passes ** 2];
}

/** Returns the number of the objective. The session of the page may write. */
async function loadRig(page: Page): Promise<number> {
  const pageSecret = await page.evaluate<string>("localStorage.getItem('backsolve-page-secret')");
  const headers = { origin: new URL(link!).origin, 'x-page-secret': pageSecret };
  const post = async (where: string, data: object): Promise<{ readonly id: number; readonly trial_id: number }> => {
    const answer = await page.request.post(new URL(`/v1${where}`, link).href, { data, headers });
    if (!answer.ok()) throw new Error(await answer.text());
    return answer.json();
  };
  const model = await post('/models', { name: 'Test bench 3' });
  const inputCases = [
    [2, 2],
    [5, 3],
    [3, 6],
  ] as const;
  const project = await post(`/models/${model.id}/projects`, {
    name: 'Heat exchanger on the rig',
    inputCount: 2,
    inputNames: ['Length', 'Passes'],
    inputUnits: ['m', ''],
    minimums: [1, 1],
    maximums: [6, 8],
    inputTypes: ['float', 'integer'],
    outputNames: ['Power', 'Drop'],
    outputUnits: ['kW', 'Pa'],
    inputCases,
  });
  const where = `/models/${model.id}/projects/${project.id}`;
  const outputCases = inputCases.map(([length, passes]) => heatExchanger(length, passes));
  const { trial_id: trial } = await post(`${where}/output-cases`, { outputCount: 2, outputCases });
  const objective = await post(`${where}/trials/${trial}/objectives`, {
    objectives: [8, 16],
    objectiveTypes: ['percent', 'lessthan_equal'],
    minimumBounds: [-0.05, null],
    maximumBounds: [0.05, null],
  });
  return objective.id;
}
