/** Questions about an objective that are answered on demand: solutions, fronts, robustness, identifiability. */
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

interface Suggested {
  readonly id: number;
  readonly status: string;
  readonly input: readonly number[];
}

/** @param error  of the outputs of a run */
async function play(url: string, runs: number, error: (run: number) => number = () => 0): Promise<void> {
  for (let run = 0; run < runs; run++) {
    const { id, input, status } = await service.ok<Suggested>('POST', `${url}/inverses`);
    if (status === 'stopped') return;
    const { stopReason } = await service
      .ok('PUT', `${url}/inverses/${id}/output`, { output: heatExchanger(input).map((y) => y + error(run)) })
      .then(() => service.ok<{ stopReason: number }>('GET', url));
    if (stopReason !== 0) return;
  }
}

const section = (page: Page) => page.getByRole('region', { name: 'Further questions' });
const open = (page: Page, text: string) => section(page).getByText(text).click();
const rows = (page: Page, table: string) => section(page).getByRole('region', { name: table }).locator('tbody tr');

describe('further questions', () => {
  test('nothing is computed until one is opened; a front and its growth', async ({ visit }) => {
    const targets = {
      objectives: [null, null],
      objectiveTypes: ['maximize', 'minimize'],
      minimumBounds: [],
      maximumBounds: [],
    };
    const t = await loadHeatExchanger(service, targets);
    await play(t.url, 12);
    // Before the page asks: one answer of an account is computed at a time.
    const { points, hypervolume } = await service.ok<{ points: unknown[]; hypervolume: number }>(
      'GET',
      `${t.url}/front`,
    );
    const page = await visit(service, `${t.page}/insight`);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.getByText('as large as possible').waitFor();
    await section(page).waitFor();
    expect(asked.filter((url) => /front|solutions|robustness|identifiability/.test(url))).toEqual([]);
    await openTab(page, 'Front');
    const front = page.getByRole('region', { name: 'Front', exact: true });
    await front.getByText(new RegExp(`^${points.length} runs on the front`)).waitFor();
    const scatter = front.getByRole('img', { name: /^The front: Drop \(Pa\) against Power \(kW\)/ });
    await scatter.waitFor();
    await front.getByLabel('Up').selectOption('Power (kW)');
    await front.getByRole('img', { name: /^The front: Power \(kW\) against/ }).waitFor();
    await front.getByLabel('Up').selectOption('Drop (Pa)');
    const volume = front.getByRole('img', { name: /^Hypervolume / });
    const shown = Number(/[\d.,]+\d/.exec((await volume.getAttribute('aria-label'))!)![0].replaceAll(',', ''));
    expect(shown / hypervolume).toBeCloseTo(1, 3);
    await front.getByText('The front as a table').click();
    await screenshot(page, 'front');
    await expectAccessible(page);
    await page.setViewportSize(PHONE);
    await front.scrollIntoViewIfNeeded();
    await screenshot(page, 'front, phone');
    await expectAccessible(page);
  });

  test('solutions, verified apart from expected; robustness; what fits', async ({ visit }) => {
    const t = await loadHeatExchanger(service, {
      solutions: { count: 2, apart: 0.05 },
      objectives: [10, 20],
      minimumBounds: [-5, null],
      maximumBounds: [5, null],
    });
    await play(t.url, 14);
    const { verified } = await service.ok<{ verified: { iteration: number }[] }>('GET', `${t.url}/solutions`);
    const page = await visit(service, `${t.page}/insight`);
    await open(page, 'Solutions: which inputs');
    expect(verified.length).toBeGreaterThan(0);
    await expect.poll(() => rows(page, 'Solutions that were run').count()).toBe(verified.length);
    expect(await rows(page, 'Solutions that were run').first().innerText()).toContain(`run ${verified[0]!.iteration}`);
    await section(page).getByLabel('At most').fill('1');
    await section(page).getByLabel('At most').blur();
    await section(page).getByRole('button', { name: 'Compute again' }).click();
    await expect.poll(() => rows(page, 'Solutions that were run').count()).toBe(1);

    await open(page, 'Robustness: are the targets');
    await section(page).getByLabel('Tolerance of Length').fill('one');
    await section(page).getByRole('button', { name: 'Compute', exact: true }).click();
    await section(page).getByText('“one” is not a number.').waitFor();
    await section(page).getByLabel('Tolerance of Length').fill('2');
    await section(page).getByRole('button', { name: 'Compute', exact: true }).click();
    await section(page).getByText('meets all targets with a probability of').waitFor();
    await rows(page, 'Input (Misses avoided if exact)').first().waitFor();

    await open(page, 'Identifiability: which');
    await expect.poll(() => rows(page, 'Values of the inputs that fit').count()).toBe(3);
    await section(page).scrollIntoViewIfNeeded();
    await screenshot(page, 'further questions');
    await expectAccessible(page);
    await page.setViewportSize(PHONE);
    await screenshot(page, 'further questions, phone');
    await expectAccessible(page);
  });

  test('a run of another objective is named and linked with it', async ({ visit }) => {
    const t = await loadHeatExchanger(service);
    const input = [5.656, 3, 2];
    // The second objective of the trial meets the targets of the first with its initial point.
    const targets = { objectives: [10, 18], objectiveTypes: ['percent', 'lessthan_equal'] };
    const bounds = { minimumBounds: [-0.5, null], maximumBounds: [0.5, null] };
    const initial = { initialInput: input, initialOutput: heatExchanger(input) };
    const second = await service.ok('POST', `${t.trialUrl}/objectives`, { ...targets, ...bounds, ...initial });
    const page = await visit(service, `${t.page}/insight`);
    await open(page, 'Solutions: which inputs');
    const link = rows(page, 'Solutions that were run').getByRole('link', { name: 'run 1 of objective 2', exact: true });
    await link.click();
    await expect.poll(() => page.url()).toContain(`/page/objectives/${t.objectiveId}/runs/`);
    expect(page.url()).toContain(String(second['id']));
    await page.getByRole('heading', { name: /Run 1\b/ }).waitFor();
  });

  test('the input that was confirmed is the answer, with the mean of its runs', async ({ visit }) => {
    const t = await loadHeatExchanger(service, {
      confirm: 2,
      objectives: [10, 20],
      minimumBounds: [-5, null],
      maximumBounds: [5, null],
    });
    await play(t.url, 30, (run) => 0.02 * (-1) ** run);
    const { answer } = await service.ok<{ answer: { kind: string; iteration: number; output: number[] } }>(
      'GET',
      t.url,
    );
    expect(answer.kind).toBe('declared');
    const page = await visit(service, t.page);
    const name = `Met at the input of run ${answer.iteration}, in the mean of 2 runs`;
    await page.locator('header.objective-header').getByText(name).waitFor();
    const power = page.getByRole('region', { name: 'Targets', exact: true }).locator('tbody tr', { hasText: 'Power' });
    expect(await power.innerText()).toContain(String(Number(answer.output[0]!.toPrecision(5))));
  });
});
