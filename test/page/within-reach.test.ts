/** Tests what must not be out of reach: values on a phone, whole reasons, the top of a part, text in a box, a program at an address. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { connectTo } from '../../harness/database-handle.ts';
import { seedObjective } from '../../harness/seeded-history.ts';
import type { Db } from '../../src/db/connection/transaction.ts';
import { expectAccessible, PHONE, screenshot, test } from '../support/browser.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { openTab } from './objective-parts.ts';

let service: TestService;
let db: Db;
beforeAll(async () => {
  service = await startTestService({ worker: false, settings: { ALLOW_PRIVATE_EVALUATORS: 'rig.internal' } });
  db = connectTo(service.databaseUrl);
});
afterAll(async () => {
  await db.destroy();
  await service.close();
});

const seed = () => seedObjective(service.ok, db, { inputs: 3, outputs: 4, runs: 60, failedEvery: 7, isOpen: true });
const rows = (page: Page) => page.locator('table.runs tbody tr:not(.runs-spacer)');

test('three columns of values fit on a phone, and the rest is one swipe away', async ({ visit }) => {
  const page = await visit(service, `/page/objectives/${await seed()}/runs`, { viewport: PHONE });
  await rows(page).first().waitFor();
  await page.getByText('Swipe the table sideways for all 7 values.').waitFor();
  const whole = await page
    .locator('table.runs thead .run-value')
    .evaluateAll((cells) => cells.filter((cell) => cell.getBoundingClientRect().right <= innerWidth).length);
  await screenshot(page, 'runs on a phone');
  expect(whole).toBeGreaterThanOrEqual(3);
  await expectAccessible(page);
});

test('the reason of a failed run leads to the whole of it, by keyboard too', async ({ visit }) => {
  const page = await visit(service, `/page/objectives/${await seed()}/runs`);
  const reason = page.getByRole('link', { name: 'failed: mesh collapsed' }).first();
  expect(await reason.getAttribute('title')).toBe('failed: mesh collapsed');
  await reason.focus();
  await page.keyboard.press('Enter');
  await page.getByText('Why it failed').waitFor();
  await page.getByText('mesh collapsed', { exact: true }).waitFor();
});

test('another part begins at its top, where the one before was scrolled', async ({ visit }) => {
  const id = await seed();
  const page = await visit(service, `/page/objectives/${id}/charts`, { viewport: { width: 1280, height: 500 } });
  await page.getByRole('heading', { name: 'Outputs, run by run' }).scrollIntoViewIfNeeded();
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await page.evaluate((to) => document.querySelector<HTMLElement>(`.tabs a[href$="${to}"]`)!.click(), '/log');
  await openTab(page, 'Data log');
  const top = () => page.locator('.tabs').evaluate((nav) => nav.getBoundingClientRect().top);
  await expect.poll(top).toBeGreaterThan(-1);
});

test('two equal names and text that was not read are told before the form goes on', async ({ visit }) => {
  const page = await visit(service, '/page/new');
  await page.getByRole('button', { name: 'Try the example' }).click();
  await page.getByRole('textbox', { name: 'Name of input 2' }).fill('width');
  const box = page.getByRole('textbox', { name: 'Inputs from a spreadsheet' });
  await box.fill('depth;mm;decimal;1;9');
  const next = page.getByRole('button', { name: 'Next: cases' });
  await next.click();
  await page.getByText('The text under “Inputs from a spreadsheet” is not read yet').waitFor();
  await box.fill('');
  await next.click();
  await page.getByText('width is the name of input 1.').waitFor();
  await page.getByRole('textbox', { name: 'Name of input 2' }).fill('thickness');
  await next.click();
  await page.getByRole('button', { name: 'Design the points' }).waitFor();
});

test('a batch may call a program at an address, checked as over HTTP, whose secret is shown once', async ({
  visit,
}) => {
  const page = await visit(service, `/page/batch?of=${await seed()}`, { tolerates: [/status of 400/] });
  await page.getByRole('textbox', { name: 'Targets' }).fill('1\t2\t3\t4');
  await page.getByRole('button', { name: 'Read this text' }).click();
  await page.getByText('A program at an address').click();
  const address = page.getByRole('textbox', { name: 'Address' });
  await address.fill('http://127.0.0.1:9/run');
  await page.getByRole('button', { name: 'Start 1 search' }).click();
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('alert').innerText()).toMatch(/evaluator\.url: must/);
  await expectAccessible(page);
  await address.fill('http://rig.internal:9000/run');
  await page.getByRole('button', { name: 'Start 1 search' }).click();
  const secret = page.getByRole('textbox', { name: 'Secret of the evaluator' });
  expect(await secret.inputValue()).toMatch(/^whsec_/);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.waitForURL(/show=batches&open=\d+$/);
});
