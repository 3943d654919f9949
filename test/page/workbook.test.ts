/** A workbook of formulas from its upload to the copy with the best input, in a real browser on a real service that calculates it. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { BEAM, openWorkbooks, sheetPython, writeBook } from '../../harness/sheet-python.ts';
import { expectAccessible, PHONE, screenshot, test } from '../support/browser.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
const sheets = openWorkbooks();
beforeAll(async () => {
  service = await startTestService({
    settings: { ALLOW_WORKBOOKS: 'true', WORKBOOK_PYTHON: sheetPython ?? 'python3', WORKBOOK_MAXIMUM_BYTES: '50000' },
  });
});
afterAll(async () => {
  sheets.close();
  await service?.close();
});

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const box = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });

async function choose(page: Page, name: string, buffer: Buffer): Promise<void> {
  await page.getByText('A spreadsheet calculates the outputs').click();
  await page.locator('input[type=file][accept=".xlsx"]').setInputFiles({ name, mimeType: '', buffer });
}

test('what no workbook is, and one that is too large, is told where it was chosen', async ({ visit }) => {
  const page = await visit(service, '/page/new', { tolerates: [/status of 400/, /status of 501/] });
  await choose(page, 'letter.xlsx', Buffer.from('Dear Madam'));
  await page.getByText(sheetPython === undefined ? /cannot calculate/ : 'letter.xlsx is not a workbook').waitFor();
  await page
    .locator('input[accept=".xlsx"]')
    .setInputFiles({ name: 'b.xlsx', mimeType: '', buffer: Buffer.alloc(60_000) });
  await page.getByText(/b\.xlsx is larger than/).waitFor();
});

test('without the permission of the operator the form says what to do instead', async ({ visit }) => {
  const strict = await startTestService({ worker: false });
  try {
    const page = await visit(strict, '/page/new');
    await page.getByText('does not let it calculate spreadsheets').waitFor();
    expect(await page.locator('input[accept=".xlsx"]').count()).toBe(0);
  } finally {
    await strict.close();
  }
});

describe.skipIf(sheetPython === undefined)('with a Python that has IronCalc', () => {
  const hostile = '<img src=x onerror=alert(1)>';

  test('it is searched to the end, and the best copy saved', async ({ visit }) => {
    const page = await visit(service, '/page/new');
    const content = writeBook({
      ...BEAM,
      sheets: { Beam: [...BEAM.sheets['Beam']!, [hostile, 7], [`${hostile} out`, '=B5*2']] },
    });
    await choose(page, 'beam.xlsx', content);
    await page.getByText('beam.xlsx has 3 cells with a number and 3 formulas.').waitFor();
    await screenshot(page, 'workbook cells');
    await page.getByRole('checkbox', { name: /^height / }).check();
    await page.getByRole('checkbox', { name: /^Width / }).check();
    await page.getByRole('checkbox', { name: /^sag / }).check();
    await page.getByRole('checkbox', { name: /^Mass / }).check();
    await page.getByRole('checkbox', { name: /out Beam!B6/ }).check();
    await box(page, 'Name of the problem').fill('Beam by workbook');
    for (const [name, text] of [
      ['Minimum of height', '10'],
      ['Maximum of height', '60'],
      ['Minimum of Width', '20'],
      ['Maximum of Width', '80'],
    ] as const) {
      await box(page, name).fill(text);
    }
    await expectAccessible(page);
    await button(page, 'Next: cases').click();
    await page.getByText('Beam!B6 does not depend on any input').waitFor();
    await page.getByRole('checkbox', { name: /out Beam!B6/ }).uncheck();
    // The draft survives a reload.
    await page.reload();
    await page.getByRole('checkbox', { name: /^sag / }).waitFor();
    expect(await page.getByRole('checkbox', { name: /^sag / }).isChecked()).toBe(true);
    await button(page, 'Next: cases').click();
    await page.getByText('The service calculates the first runs itself').waitFor();
    await expectAccessible(page);
    await button(page, 'Next: targets').click();
    await page.getByLabel('What is wanted of sag').selectOption('lessthan_equal');
    await page.getByLabel('What is wanted of Mass').selectOption('lessthan_equal');
    await box(page, 'Target of sag').fill('4');
    await box(page, 'Target of Mass').fill('9');
    await button(page, 'Start').click();
    await page.waitForURL(/\/page\/objectives\/\d+$/);
    await page
      .getByText(/^Met at run \d+\.$|^The best so far is/)
      .first()
      .waitFor();
    await screenshot(page, 'workbook result');
    await expectAccessible(page);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      button(page, 'Save the workbook with this input').click(),
    ]);
    expect(download.suggestedFilename()).toBe('beam.best.xlsx');
    const saved = await readFile((await download.path())!);
    const found = await sheets.check(
      { accountId: 1, name: 'beam.best.xlsx', content: saved },
      { inputs: { h: 'height', w: 'Beam!B2' }, outputs: { sag: 'sag', mass: 'Beam!B4' } },
    );
    expect(found.outputs['sag']).toBeLessThanOrEqual(4);
    expect(found.outputs['mass']).toBeLessThanOrEqual(9);
    await page.setViewportSize(PHONE);
    await screenshot(page, 'workbook result phone');
  });

  test('the cells fit on a phone, in the dark', async ({ visit }) => {
    const page = await visit(service, '/page/new', { viewport: PHONE, colorScheme: 'dark' });
    await choose(page, 'beam.xlsx', writeBook(BEAM));
    await page.getByRole('checkbox', { name: /^height / }).check();
    await page.getByRole('checkbox', { name: /^sag / }).check();
    await screenshot(page, 'workbook cells phone');
    await expectAccessible(page);
    await button(page, 'Remove the workbook').click();
    await box(page, 'Name of input 2').waitFor();
  });
});
