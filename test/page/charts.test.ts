/** The charts of an objective: what a person sees of runs, models and targets, with links to the runs. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { expectAccessible, PHONE, screenshot, test } from '../support/browser.ts';
import { heatExchanger, loadHeatExchanger } from '../support/heat-exchanger.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

interface Suggested {
  readonly id: number;
  readonly status: string;
  readonly input: readonly number[];
}

async function play(url: string, runs: number): Promise<void> {
  for (let run = 0; run < runs; run++) {
    const { id, input, status } = await service.ok<Suggested>('POST', `${url}/inverses`);
    if (status === 'stopped') return;
    await service.ok('PUT', `${url}/inverses/${id}/output`, { output: heatExchanger(input) });
    const { stopReason } = await service.ok<{ stopReason: number }>('GET', url);
    if (stopReason !== 0) return;
  }
}

/** Out of reach together, so that the search goes on. */
const HARD = { objectives: [10, 5] };
const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const picture = (page: Page, name: RegExp) => page.getByRole('img', { name });

describe('charts', () => {
  test('show outputs run by run and over inputs, with the models and the targets', async ({ visit }) => {
    const t = await loadHeatExchanger(service, HARD);
    await play(t.url, 6);
    const page = await visit(service, `${t.page}/charts`);
    await part(page, 'Distance to the targets').waitFor();
    await picture(page, /^Power \(kW\) over \d+ runs, \d+ within 9\.95 … 10\.05; best run/).waitFor();
    await picture(page, /^Drop \(Pa\) over \d+ runs, \d+ within ≤ 5; best run/).waitFor();
    // The models' curves arrive later than the runs.
    const outputs = part(page, 'Outputs over inputs');
    await expect.poll(() => outputs.getByRole('img', { name: /the models expect/ }).count()).toBe(3);
    await outputs.getByRole('combobox').first().selectOption('Power');
    await outputs.getByRole('combobox').nth(1).selectOption('Length');
    await picture(page, /^Power \(kW\) over Length \(m\): the models expect/).waitFor();
    await outputs.getByText('The model’s curve as a table').click();
    await outputs.getByRole('columnheader', { name: 'Chance of all targets' }).waitFor();
    const grid = part(page, 'Two inputs at once');
    await grid.getByLabel('Across').selectOption('Length');
    await grid.getByLabel('Up').selectOption('Alloy');
    await grid.getByLabel('Shade').selectOption('chance of all targets');
    await picture(page, /^Chance of all targets over Length \(m\) and Alloy, from 0 %/).waitFor();
    await screenshot(page, 'charts');
    await expectAccessible(page);
    await page.setViewportSize(PHONE);
    await screenshot(page, 'charts, phone');
    await expectAccessible(page);
  });

  test('begin with the best value so far where one output is minimized', async ({ visit }) => {
    const t = await loadHeatExchanger(service, {
      objectives: [null, 18],
      objectiveTypes: ['minimize', 'lessthan_equal'],
    });
    await play(t.url, 4);
    const page = await visit(service, `${t.page}/charts`);
    await part(page, 'Best Power (kW) so far').waitFor();
    await picture(page, /^Power \(kW\) over \d+ runs; best so far [\d.]+$/).waitFor();
    expect(await page.getByRole('link', { name: 'Front', exact: true }).count()).toBe(0);
  });

  test('are drawn where the language of the browser is no valid tag', async ({ visit }) => {
    const t = await loadHeatExchanger(service, HARD);
    await play(t.url, 3);
    const page = await visit(service, t.page);
    await page.addInitScript("Object.defineProperty(navigator, 'language', { value: 'en-US@posix' })");
    await page.goto(`${t.page}/charts`);
    await part(page, 'Outputs, run by run').waitFor();
  });

  test('that cannot be loaded say so, and are there after a reload', async ({ visit }) => {
    const t = await loadHeatExchanger(service, HARD);
    await play(t.url, 3);
    const page = await visit(service, `${t.page}/runs`, {
      tolerates: [/ERR_FAILED|Failed to fetch dynamically imported module/],
    });
    await page.getByRole('region', { name: 'Runs', exact: true }).waitFor();
    await page.route(/assets.charts-/, (route) => route.abort());
    await page.getByRole('link', { name: 'Charts', exact: true }).click();
    await page.getByText('This part could not be loaded.').waitFor();
    await expectAccessible(page);
    await page.unroute(/assets.charts-/);
    await page.getByRole('button', { name: 'reload the page' }).click();
    await part(page, 'Outputs, run by run').waitFor();
  });

  test('lead from a point to its run, and zoom together', async ({ visit }) => {
    const t = await loadHeatExchanger(service, HARD);
    await play(t.url, 4);
    const page = await visit(service, `${t.page}/charts`);
    const outputs = part(page, 'Outputs, run by run');
    const power = outputs.locator('figure').filter({ hasText: 'Power' });
    const plot = power.locator('.u-over');
    await plot.scrollIntoViewIfNeeded();
    // The answers of the models come below.
    await expect
      .poll(() =>
        part(page, 'Outputs over inputs')
          .getByRole('img', { name: /the models expect/ })
          .count(),
      )
      .toBe(3);
    const to = outputs.getByRole('spinbutton', { name: 'to' });
    expect(await to.inputValue()).toBe('5');
    await expect.poll(() => pointAt(page, plot, { run: 3, first: 1 - t.caseCount, last: 5 })).toContain('Run 3: ');
    await page.mouse.down();
    await page.mouse.up();
    await expect.poll(() => new URL(page.url()).pathname).toBe(`${t.page}/runs/3`);
    await page.goBack();
    await plot.waitFor();
    const { x, y, width } = (await plot.boundingBox())!;
    await plot.scrollIntoViewIfNeeded();
    await page.mouse.move(x + width / 2, y + 20);
    await page.mouse.down();
    await page.mouse.move(x + width - 5, y + 25, { steps: 3 });
    await page.mouse.up();
    await outputs.getByRole('button', { name: 'Show all' }).waitFor();
    await outputs.getByRole('button', { name: 'Show all' }).click();
    await expect.poll(() => to.inputValue()).toBe('5');
    await outputs.getByRole('combobox').first().selectOption('Power');
    const saved = page.waitForEvent('download');
    await outputs.getByRole('button', { name: /^Save SVG/ }).click();
    expect((await saved).suggestedFilename()).toBe('Heat-exchanger-Power-kW-run-by-run.svg');
  });

  test('begin with the front where one is sought, and with the third run', async ({ visit }) => {
    const targets = {
      objectives: [null, null],
      objectiveTypes: ['maximize', 'minimize'],
      minimumBounds: [],
      maximumBounds: [],
    };
    const t = await loadHeatExchanger(service, targets);
    await play(t.url, 4);
    const page = await visit(service, `${t.page}/charts`);
    await picture(page, /^The front: Drop \(Pa\) against Power \(kW\), \d+ runs? of \d+$/).waitFor();
    await expectAccessible(page);
  });
});

/** Moves the pointer down the column of a run, one position per call; resolves to what is said about the point there. */
async function pointAt(
  page: Page,
  plot: Locator,
  { run, first, last }: { readonly run: number; readonly first: number; readonly last: number },
): Promise<string> {
  const { x, y, width, height } = (await plot.boundingBox())!;
  const room = 0.04 * (last - first);
  const share = (run - first + room) / (last - first + 2 * room);
  for (let down = 3; down < height; down += 6) {
    await page.mouse.move(x + share * width, y + down);
    // uPlot follows the pointer with the next frame.
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
    const text = await plot.locator('xpath=ancestor::figure').locator('.chart-pointed').innerText();
    if (text.includes(`Run ${run}:`)) return text;
  }
  return '';
}
