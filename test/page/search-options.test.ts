/** Tests how the page shows what may be asked of the search beyond the targets, and how it lets users state it. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { expectAccessible, PHONE, screenshot, test } from '../support/browser.ts';
import { heatExchanger, loadHeatExchanger } from '../support/heat-exchanger.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { openTab } from './objective-parts.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true }).first();

interface Suggested {
  readonly id: number;
  readonly iteration: number;
  readonly status: string;
  readonly input: readonly number[];
  readonly isRepeat: boolean;
}

const suggest = (url: string) => service.ok<Suggested>('POST', `${url}/inverses`);

/** Plays with a little noise that is the same each time, until an input is to be run again. */
async function playToRepeat(url: string): Promise<Suggested> {
  for (let run = 1; run < 60; run++) {
    const inverse = await suggest(url);
    if (inverse.isRepeat) return inverse;
    await load(url, inverse, run);
  }
  throw new Error('no input was suggested again');
}

async function load(url: string, { id, input }: Suggested, run: number): Promise<void> {
  const noise = 0.004 * Math.sin(run * 12.9898);
  const output = heatExchanger(input).map((value) => value * (1 + noise));
  await service.ok('PUT', `${url}/inverses/${id}/output`, { output });
}

describe('what else is asked of the search', () => {
  test('is stated with other targets, with faults at their fields, and stays as it was', async ({ visit }) => {
    const t = await loadHeatExchanger(service, { weights: [3, 1], stop: { patience: 9 } });
    const page = await visit(service, t.page, { tolerates: [/status of 400/] });
    await region(page, 'Search options').getByText('Weights: Power 3, Drop 1.').waitFor();
    await page.getByRole('button', { name: 'Change targets…' }).click();
    const dialog = page.getByRole('dialog');
    const answer = (question: string) => dialog.getByRole('switch', { name: question });
    expect(await answer('Do some outputs matter more than others?').isChecked()).toBe(true);
    expect(await dialog.getByLabel('Satisfied when').count()).toBe(0);
    await answer('Are the runs noisy?').check();
    await answer('Are the inputs made with tolerances?').check();
    expect(await dialog.getByLabel('Weight of Power').inputValue()).toBe('3');
    expect(await dialog.getByLabel('Runs without improvement').inputValue()).toBe('9');
    await dialog.getByLabel('Satisfied when').selectOption('an input meets them with a probability of');
    await dialog.getByLabel('Probability').fill('1.5');
    await dialog.getByLabel('Two runs at the same input').selectOption('differ: standard deviations below');
    await dialog.getByLabel('Standard deviation of Power').fill('0.02');
    await dialog.getByLabel('Standard deviation of Drop').fill('0,1');
    await dialog.getByLabel('Tolerance of Length').fill('0.01');
    await dialog.getByRole('button', { name: 'Continue with these targets' }).click();
    const probability = dialog.getByLabel('Probability');
    await expect.poll(() => probability.getAttribute('aria-invalid')).toBe('true');
    await expect.poll(() => probability.evaluate((field) => field === document.activeElement)).toBe(true);
    await screenshot(page, 'options, a fault');
    await expectAccessible(page);
    await page.setViewportSize(PHONE);
    await screenshot(page, 'options, phone');
    await expectAccessible(page);
    await probability.fill('0.9');
    await dialog.getByRole('button', { name: 'Continue with these targets' }).click();
    await region(page, 'Probability of meeting the targets').getByText('with a probability of 90 %').waitFor();
    const loaded = await service.ok('GET', `/objectives/${new URL(page.url()).pathname.split('/').at(-1)}`);
    expect(loaded).toMatchObject({
      continues: t.objectiveId,
      weights: [3, 1],
      confidence: 0.9,
      noise: { standardDeviations: [0.02, 0.1] },
      stop: { patience: 9 },
      inputTolerances: { kind: 'normal', in: 'units', values: [0.01, 0, 0] },
    });
  });
});

describe('a noisy objective', () => {
  test('shows repeats, how surely an input holds, and why it ended', async ({ visit }) => {
    const t = await loadHeatExchanger(service, { confidence: 0.8, weights: [2, 1] });
    let inverse = await playToRepeat(t.url);
    const page = await visit(service, t.page);
    await page.getByText(/^Repeat the input of .* to see how much the outputs scatter\.$/).waitFor();
    const surely = region(page, 'Probability of meeting the targets');
    const chances = () => surely.locator('dd').allTextContents();
    await expect.poll(async () => (await chances())[0]).toMatch(/^\S.* % \(.* % to .* %\)$/);
    expect(await surely.innerText()).toContain('a new run meets all targets with a probability of 80 %');
    expect(await surely.innerText()).toContain('Weights: Power 2, Drop 1.');
    await openTab(page, 'Runs');
    const runs = region(page, 'Runs');
    await runs.getByText('repeat', { exact: true }).first().waitFor();
    await openTab(page, 'Charts');
    await region(page, 'Distance to the targets').getByText('the same input again').first().waitFor();
    expect(await page.locator('.objective-end').count()).toBe(0);
    await screenshot(page, 'noisy objective');
    await expectAccessible(page);
    for (let run = 100; inverse.status !== 'stopped'; run++) {
      await load(t.url, inverse, run);
      inverse = await suggest(t.url);
    }
    const { endReason } = await service.ok<{ endReason: string }>('GET', t.url);
    await expect.poll(() => page.locator('.objective-end').innerText()).toBe(endReason);
    expect(endReason).toMatch(
      /^Satisfied: the input of run \d+ meets every target with a probability of 0\.8 in each run\.$/,
    );
    await openTab(page, 'Runs');
    await runs.getByText('not run: the best input').first().waitFor();
    await screenshot(page, 'noisy objective, ended');
    await page.setViewportSize(PHONE);
    await screenshot(page, 'noisy objective, phone');
    await expectAccessible(page);
  });

  test('says in the list why an objective was stopped', async ({ visit }) => {
    const t = await loadHeatExchanger(service);
    await service.ok('POST', `${t.url}/stop`);
    const page = await visit(service, '/page?state=stopped');
    await page.getByText('by hand', { exact: true }).first().waitFor();
    await expectAccessible(page);
  });
});
