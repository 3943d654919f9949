/** The view of an objective with outputs that are fitted to data. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { connectTo } from '../../harness/database-handle.ts';
import { seedObjective } from '../../harness/seeded-history.ts';
import type { Db } from '../../src/db/connection/transaction.ts';
import { expectAccessible, screenshot, test } from '../support/browser.ts';
import { startTestService, type TestService } from '../support/service.ts';

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
    expect(of('y5').at(-1)).toBe('yes');
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
    await section(page, 'Runs').waitFor();
    expect(await page.getByRole('region', { name: 'Further questions' }).count()).toBe(0);
    await screenshot(page, 'objective fit');
    await expectAccessible(page);
  });
});
