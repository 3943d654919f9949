/** For teams: sharing an objective, what the reader of a link sees without a session, run cards, and undo in the data log. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import { expectAccessible, PHONE, screenshot, test } from '../support/browser.ts';
import { type HeatExchanger, loadHeatExchanger } from '../support/heat-exchanger.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let rig: HeatExchanger;
beforeAll(async () => {
  service = await startTestService();
  rig = await loadHeatExchanger(service);
  for (let i = 0; i < 3; i++) {
    await service.ok('POST', `${rig.url}/inverses`);
    await service.ok('POST', `${rig.url}/inverse-output`, { output: [40 + i, 30] });
  }
});
afterAll(() => service.close());

test('A colleague without a key reads an objective by a link, saves its runs, and no more once the link is revoked', async ({
  visit,
}) => {
  const page = await visit(service, rig.page);
  await page.getByRole('button', { name: 'Share…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Nobody has a link to this objective yet.').waitFor();
  await expectAccessible(page);
  await dialog.getByLabel('Label (optional, for this list only)').fill('for <b>the</b> supplier');
  await dialog.getByRole('button', { name: 'Make the link' }).click();
  const address = await dialog.getByLabel('Address').inputValue();
  expect(address).toMatch(new RegExp(`^${service.service.url}/shared/\\w+/$`));
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Done' }).click();
  const list = dialog.getByRole('table');
  await list.getByText('for <b>the</b> supplier').waitFor();
  await screenshot(page, 'links');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await expectAccessible(page);

  const colleague = await visit(service, address, { key: null, tolerates: [/status of 404/] });
  await colleague.getByRole('heading', { name: 'Heat exchanger' }).waitFor();
  await screenshot(colleague, 'links, the page behind one');
  await colleague.setViewportSize(PHONE);
  await screenshot(colleague, 'links, the page behind one, phone');
  const saved = colleague.waitForEvent('download');
  await colleague.getByRole('link', { name: 'Runs as CSV' }).click();
  const file = await readFile(await (await saved).path(), 'utf8');
  expect(file.trim().split('\r\n').length).toBeGreaterThanOrEqual(1 + 3);
  // The page of the service stays closed to them.
  await colleague.goto(rig.page);
  await colleague.getByLabel('API key').waitFor();

  await list.getByRole('button', { name: 'Revoke the link for <b>the</b> supplier' }).click();
  await dialog.getByText('Nobody has a link to this objective yet.').waitFor();
  await colleague.goto(address);
  await colleague.getByText('Ask whoever sent it to you for a new one.').waitFor();
});

test('The page behind a link is accessible', async ({ visit }) => {
  const { url } = await service.ok<{ url: string }>('POST', `${rig.url}/links`, { kind: 'report' });
  // Its sandbox runs no scripts, those of axe included: the same HTML is checked from the service's own address of the report.
  const report = await (await fetch(url)).text();
  const page = await visit(service, '/page', { key: null });
  await page.route('**/checked', (route) => route.fulfill({ contentType: 'text/html', body: report }));
  await page.goto('/checked');
  await page.getByRole('navigation', { name: 'Download' }).waitFor();
  await expectAccessible(page);
});

test('The card of an open run is saved as a PDF', async ({ visit }) => {
  const { objectiveId, url, page: address } = await loadHeatExchanger(service);
  const { iteration } = await service.ok<{ iteration: number }>('POST', `${url}/inverses`);
  const page = await visit(service, address);
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Card to print' }).click();
  const download = await saved;
  expect(download.suggestedFilename()).toBe(`run-${iteration}-of-objective-${objectiveId}.pdf`);
  expect((await readFile(await download.path(), 'latin1')).slice(0, 5)).toBe('%PDF-');
  await expectAccessible(page);
});

test('The last change of a run is taken back from the data log, and the log tells both', async ({ visit }) => {
  const other = await loadHeatExchanger(service);
  const { id } = await service.ok('POST', `${other.url}/inverses`);
  await service.ok('PUT', `${other.url}/inverses/${id}/output`, { output: [40, 30] });
  const correct = (body: object) => service.ok('POST', `${other.url}/inverses/${id}/corrections`, body);
  await correct({ output: [4, 30], reason: 'decimal point misread' });
  await correct({ output: [44, 30], reason: 'misread again' });
  const page = await visit(service, `${other.page}/log`);
  const log = page.getByRole('region', { name: 'Entries of the data log' });
  // The older correction cannot be taken back.
  await log.getByText('misread again').waitFor();
  expect(await log.getByRole('button', { name: /^Undo/ }).count()).toBe(1);
  await screenshot(page, 'undo in the log');
  await expectAccessible(page);
  await log.getByRole('button', { name: 'Undo: run 2, Power 4 → 44 kW' }).click();
  const dialog = page.getByRole('dialog', { name: 'Undo this change?' });
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Undo', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await log.getByText('Undo of: misread again').waitFor();
  const { output } = await service.ok<{ output: number[] }>('GET', `${other.url}/inverses/${id}`);
  expect(output).toEqual([4, 30]);
});
