/** The view of an objective with outputs that are fitted to data. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { connectTo } from '../../harness/database-handle.ts';
import { seedObjective } from '../../harness/seeded-history.ts';
import type { Db } from '../../src/db/connection/transaction.ts';
import { expectAccessible, PHONE, screenshot, test } from '../support/browser.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { openTab } from './objective-parts.ts';

let service: TestService;
let db: Db;
beforeAll(async () => {
  service = await startTestService();
  db = connectTo(service.databaseUrl);
});
afterAll(async () => {
  await db.destroy();
  await service.close();
});

/** A curve that decays from a height with a rate, measured at seven times, and a cost that grows with the height. */
const TIMES = [0, 0.5, 1, 1.5, 2, 3, 4];
const ERRORS = [0.02, -0.03, 0.01, 0.02, -0.02, -0.01, 0.01];
const decay = ([height, rate]: readonly number[]) => [...TIMES.map((t) => height! * Math.exp(-rate! * t)), 2 * height!];

/** Fits the curve until the search ends. Resolves to the id of the objective. */
async function fitDecay(): Promise<number> {
  const { ok } = service;
  const model = await ok<{ id: number }>('POST', '/models', { name: `decay ${crypto.randomUUID()}` });
  const cases = [
    [1, 0.2],
    [4, 1.5],
    [2.5, 1],
  ];
  const project = await ok<{ id: number }>('POST', `/models/${model.id}/projects`, {
    name: 'Decay',
    inputCount: 2,
    minimums: [0.5, 0.05],
    maximums: [5, 3],
    inputTypes: ['float', 'float'],
    inputCases: cases,
    inputNames: ['height', 'rate'],
    outputNames: [...TIMES.map((t) => `level at ${t} s`), 'cost'],
  });
  const projectUrl = `/models/${model.id}/projects/${project.id}`;
  const outputs = { outputCount: 8, outputCases: cases.map(decay) };
  const set = await ok<{ trial_id: number }>('POST', `${projectUrl}/output-cases`, outputs);
  const { id } = await ok<{ id: number }>('POST', `${projectUrl}/trials/${set.trial_id}/objectives`, {
    objectives: [...ERRORS.map((error, i) => decay([2, 0.7])[i]! + error), 100],
    objectiveTypes: [...TIMES.map(() => 'fit'), 'lessthan_equal'],
    fits: [{ sigma: 0.02 }],
    stop: {},
  });
  const url = `/objectives/${id}`;
  for (let run = 0; run < 40; run++) {
    if ((await ok<{ stopReason: number }>('GET', url)).stopReason !== 0) return id;
    const inverse = await ok<{ id: number; input: number[] }>('POST', `${url}/inverses`);
    await ok('PUT', `${url}/inverses/${inverse.id}/output`, { output: decay(inverse.input) });
  }
  throw new Error('The fit did not end within 40 runs.');
}

const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true }).first();

describe('a fit', () => {
  test('shows its best run, how well that fits, and the measured values beside those of the run', async ({ visit }) => {
    const fit = {
      objectives: [11, null, 14, 13, 100],
      objectiveTypes: ['fit', 'fit', 'fit', 'fit', 'lessthan_equal'],
      minimumBounds: [],
      maximumBounds: [],
      fits: [{ sigma: 0.05 }],
    };
    const id = await seedObjective(service.ok, db, { inputs: 2, outputs: 5, runs: 8, objective: fit });
    const page = await visit(service, `/page/objectives/${id}`);
    const header = page.locator('header.objective-header');
    await expect.poll(() => header.innerText()).toMatch(/Best fit: run \d/);
    const rows = await section(page, 'Targets').locator('tbody tr').allInnerTexts();
    const told = rows.map((row) => row.split(/\s*\t\s*|\n/).filter((cell) => cell !== ''));
    const of = (name: string) => told.find(([first]) => first === name)!;
    expect([of('y1')[1], of('y1').at(-1)]).toEqual(['near 11', '–']);
    expect([of('y2')[1], of('y2').at(-1)]).toEqual(['no measured value', '–']);
    expect(of('y5').at(-2)).toBe('yes');
    expect(of('y5').at(-1)).toMatch(/^[\d.]+ inside$/);
    expect(await page.locator('main').innerText()).toContain('The search fits 3 measured values');
    await expect.poll(() => header.innerText()).toMatch(/Chi-square [\d.]+ with 1 degree of freedom/);
    const fitted = section(page, 'Fit');
    await fitted.getByRole('img', { name: /^y: 3 measured values, at most .* standard errors/ }).waitFor();
    await fitted.getByRole('img', { name: 'Residuals of y' }).waitFor();
    await fitted.getByText('y as a table').click();
    const listed = await fitted.locator('tbody tr').allInnerTexts();
    expect(listed.map((row) => row.split('\t').slice(0, 3))).toEqual([
      ['y1', '11', '0.05'],
      ['y2', '–', '–'],
      ['y3', '14', '0.05'],
      ['y4', '13', '0.05'],
    ]);
    expect(await fitted.locator('li').count()).toBe(3);
    expect(await page.getByRole('link', { name: 'Front', exact: true }).count()).toBe(0);
    await screenshot(page, 'objective fit');
    await expectAccessible(page);
    await openTab(page, 'Runs');
    const run = section(page, 'Table of runs').locator('tbody tr', { hasText: 'loaded' }).first();
    const [met, misfit] = (await run.locator('td').nth(1).innerText()).split('\n');
    expect([met, Number(misfit!.replace(/\s/g, '')) > 0]).toEqual(['1/1', true]);
    await openTab(page, 'Charts');
    const runByRun = section(page, 'Misfit run by run');
    await runByRun.getByRole('img', { name: /^Misfit \(chi-square\): .* best [\d. ]+ at run \d/ }).waitFor();
    const measures = await runByRun.getByLabel('Which distance').locator('option').allInnerTexts();
    expect(measures).toEqual(['Misfit (chi-square)', 'Worst limit', 'Sum of all limits', 'y5']);
    await openTab(page, 'Insight');
    await section(page, 'Insight').waitFor();
    expect(await page.getByRole('region', { name: 'Further questions' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Change targets…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Measured value').first().waitFor();
    const texts = (label: string) =>
      dialog.getByLabel(label).evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value));
    expect(await texts('Measured value')).toEqual(['11', '', '14', '13']);
    expect(await texts('Standard error')).toEqual(['0.05', '0.05', '0.05', '0.05']);
    await dialog.getByLabel('Measured value').nth(1).fill('12.5');
    for (const at of [0, 1, 2, 3]) await dialog.getByLabel('Standard error').nth(at).fill('2 %');
    await dialog.getByRole('button', { name: 'Continue with these targets' }).click();
    await page.waitForURL((url) => !url.pathname.includes(`/${id}/`));
    const path = new URL(page.url()).pathname.replace('/page', '');
    const changed = await service.ok<{ objectives: number[]; fits: object[] }>('GET', path);
    expect(changed.objectives).toEqual([11, 12.5, 14, 13, 100]);
    expect(changed.fits).toMatchObject([{ outputs: [0, 1, 2, 3], sigma: { relative: 0.02 } }]);
  });

  test('that has ended shows its curve with a band over the times in the names, and what the data tell about the inputs', async ({
    visit,
  }) => {
    const id = await fitDecay();
    const page = await visit(service, `/page/objectives/${id}`, { colorScheme: 'dark' });
    const fitted = section(page, 'Fit');
    await fitted.getByText('what the data leave open, 95 %').waitFor();
    await page.getByText(/^The best fit is run \d+\.$/).waitFor();
    const { fit } = await service.ok<{ fit: { sentences: string[]; outputs: { low: number }[] } }>(
      'GET',
      `/objectives/${id}/fit`,
    );
    const told = await fitted.locator('li').allInnerTexts();
    expect(told).toEqual(expect.arrayContaining(fit.sentences.slice(0, 2)));
    expect(told.filter((text) => /^A larger height goes with a larger rate/.test(text)).length).toBeLessThan(2);
    expect(told.at(-1)).toMatch(/^cost: [\d.]+, from [\d.]+ to [\d.]+$/);
    const rows = await section(page, 'Estimates of the inputs').locator('tbody tr').allInnerTexts();
    expect(rows.map((row) => row.split('\t')[0])).toEqual(['height', 'rate']);
    for (const row of rows) expect(row).toMatch(/ … .*\tidentifiable/);
    await fitted.getByRole('img', { name: /^Profile of rate: chi-square rises by 3\.8/ }).waitFor();
    await fitted.getByText('level as a table').click();
    expect(await fitted.locator('details tbody tr').nth(1).innerText()).toMatch(/^level at 0\.5 s\t/);
    await screenshot(page, 'fit, dark');
    await expectAccessible(page);
    const overview = await visit(service, '/page');
    const line = overview.locator('tr.glance').filter({ hasText: 'Decay' });
    expect(await line.innerText()).toMatch(/7 outputs fitted to data, 1 more[\s\S]*misfit [\d.]+\s+1 of 1 met/);
    await line.getByRole('img', { name: /^Misfit from [\d. ]+ to [\d.]+$/ }).waitFor();
    await screenshot(overview, 'overview with a fit');
    const other = await fitDecay();
    const compared = await visit(service, `/page/compare?objectives=${id},${other}`);
    await section(compared, 'Least misfit so far').waitFor();
    expect(await section(compared, 'Outputs of the best runs').innerText()).not.toContain('not met');
    await screenshot(compared, 'compared fits');
    await page.setViewportSize(PHONE);
    await fitted.scrollIntoViewIfNeeded();
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    await screenshot(page, 'fit, phone');
    await expectAccessible(page);
  });
});
