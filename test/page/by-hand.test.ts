/** Running by hand: what a person at a rig does with the page. */
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

const ASK = 'Ask for the next input';
const card = (page: Page, iteration: number): Locator => page.getByRole('article', { name: `Iteration ${iteration}` });

/** The input that a card shows, with all digits. */
async function readInput(shown: Locator): Promise<number[]> {
  const texts = await shown.locator('dd').evaluateAll((values) => values.map((value) => value.title));
  return texts.map((text) => ('ABC'.includes(text) ? 'ABC'.indexOf(text) : Number(text)));
}

async function fill(shown: Locator, output: readonly (number | string)[]): Promise<void> {
  await shown.getByLabel('Power (kW)').fill(String(output[0]));
  await shown.getByLabel('Drop (Pa)').fill(String(output[1]));
}

describe('an objective with one input open at a time', () => {
  test('is run by hand until its targets are met', async ({ visit }) => {
    const t = await loadHeatExchanger(service);
    const page = await visit(service, t.page);
    const verdict = page.getByText(/^Met at iteration \d+\.$/);
    let last = '';
    for (let iteration = 2; !(await verdict.isVisible()); iteration++) {
      await page.getByRole('button', { name: ASK }).click();
      const shown = card(page, iteration);
      await shown.waitFor();
      if (iteration === 2) await screenshot(page, 'by hand, an input is open');
      const output = heatExchanger(await readInput(shown));
      // As people type in different countries.
      await fill(shown, iteration % 2 === 0 ? output.map((value) => String(value).replace('.', ',')) : output);
      await shown.getByRole('button', { name: 'Load the outputs' }).click();
      await shown.waitFor({ state: 'hidden' });
      last = await page.locator('.hand-outcome').innerText();
      expect(last).toMatch(/^[012] of 2 met(, best so far)?\.$/);
    }
    expect(last).toBe('2 of 2 met, best so far.');
    await screenshot(page, 'by hand, met');
    const { inverses, stopReason } = await service.ok<{
      inverses: { inputs: number[]; outputs: number[] }[];
      stopReason: number;
    }>('GET', t.url);
    expect(stopReason).toBe(1);
    for (const { inputs, outputs } of inverses.slice(1)) expect(outputs).toEqual(heatExchanger(inputs));
    await expectAccessible(page);
  });
});

describe('on a phone', () => {
  test('the form comes first, its targets are large, and nothing scrolls sideways', async ({ visit }) => {
    const t = await loadHeatExchanger(service);
    const page = await visit(service, t.page, { viewport: PHONE });
    await page.getByRole('button', { name: ASK }).click();
    await card(page, 2).waitFor();
    await screenshot(page, 'by hand, phone');
    for (const name of ['Load the outputs', 'The run failed…']) {
      const box = await page.getByRole('button', { name }).boundingBox();
      expect(box!.height, name).toBeGreaterThanOrEqual(44);
    }
    const form = (await card(page, 2).boundingBox())!;
    const targets = (await page.getByRole('heading', { name: 'Targets' }).boundingBox())!;
    expect(form.y).toBeLessThan(targets.y);
    await expect(page.getByLabel('Power (kW)').getAttribute('inputmode')).resolves.toBe('decimal');
    await expectAccessible(page);
  });
});
