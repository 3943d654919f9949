/** The charts of an objective: what a person sees of runs, models and targets, with links to the runs. */
import type { Page } from 'playwright-core';
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
    await outputs.getByLabel(/^Output/).selectOption('Power');
    await outputs.getByLabel(/^over/).selectOption('Length');
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
});
