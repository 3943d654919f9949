/** For teams: sharing an objective, what the reader of a link sees without a session, run cards, and undo in the data log. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import { expectAccessible, PHONE, screenshot, test } from '../support/browser.ts';
import { type HeatExchanger, loadHeatExchanger } from '../support/heat-exchanger.ts';
import { type MailServer, openMailServer } from '../support/mail-server.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let mails: MailServer;
let rig: HeatExchanger;
beforeAll(async () => {
  mails = await openMailServer({ offersTls: false });
  service = await startTestService({
    settings: {
      SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
      SMTP_ALLOW_PLAIN: 'true',
      MAIL_FROM: 'backsolve@example.com',
      PUBLIC_URL: 'http://rig.example:8080',
    },
  });
  rig = await loadHeatExchanger(service);
  for (let i = 0; i < 3; i++) {
    await service.ok('POST', `${rig.url}/inverses`);
    await service.ok('POST', `${rig.url}/inverse-output`, { output: [40 + i, 30] });
  }
});
afterAll(async () => {
  await service.close();
  await mails.close();
});

test('A colleague without a key reads an objective by a link, saves its runs, and no more once the link is revoked', async ({
  visit,
}) => {
  const page = await visit(service, rig.page);
  await page.getByRole('button', { name: 'Share or tell…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Nobody has a link to this objective yet.').waitFor();
  await expectAccessible(page);
  await dialog.getByLabel('Label (optional, for this list only)').fill('for <b>the</b> supplier');
  await dialog.getByRole('button', { name: 'Make the link' }).click();
  const address = await dialog.getByLabel('Address').inputValue();
  const { origin, pathname } = new URL(address);
  expect([origin, pathname]).toEqual(['http://rig.example:8080', expect.stringMatching(/^\/shared\/\w+\/$/)]);
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Done' }).click();
  const list = dialog.getByRole('table');
  await list.getByText('for <b>the</b> supplier').waitFor();
  await screenshot(page, 'links');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await expectAccessible(page);

  const colleague = await visit(service, pathname, { key: null, tolerates: [/status of 404/] });
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
  await colleague.goto(pathname);
  await colleague.getByText('Ask whoever sent it to you for a new one.').waitFor();
});

test('The page behind a link is accessible', async ({ visit }) => {
  const { url } = await service.ok<{ url: string }>('POST', `${rig.url}/links`, { kind: 'report' });
  // Its sandbox runs no scripts, those of axe included: the same HTML is checked from the service's own address of the report.
  const report = await (await fetch(`${service.service.url}${new URL(url).pathname}`)).text();
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
  await log.getByRole('button', { name: /^Undo/ }).first().waitFor();
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

test('A person is added, asked by e-mail, agrees in a browser without a session, is told, and ends it', async ({
  visit,
}) => {
  const other = await loadHeatExchanger(service);
  const page = await visit(service, other.page);
  await page.getByRole('button', { name: 'Share or tell…' }).click();
  await page.getByRole('button', { name: 'Tell somebody…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Tell somebody' });
  await dialog.getByText('Nobody is told by e-mail yet.').waitFor();
  await expectAccessible(page);
  await dialog.getByLabel('E-mail address').fill('rig@example.com');
  await dialog.getByRole('button', { name: 'Tell them' }).click();
  await dialog.getByText('An e-mail asks rig@example.com to agree. Nothing else is sent until then.').waitFor();
  await dialog.getByText('has not agreed yet').waitFor();
  await screenshot(page, 'tell somebody');
  await expectAccessible(page);

  const linkIn = (act: string) =>
    new RegExp(`http://rig.example:8080(/mail/${act}/[\\w-]+)`).exec(mails.mails.at(-1)!.source)![1]!;
  await expect.poll(() => mails.mails.length).toBe(1);
  const person = await visit(service, linkIn('confirm'), { key: null, tolerates: [/status of 404/] });
  await person.getByRole('button', { name: 'Yes, tell me' }).click();
  await person.getByText('You will be told from now on.').waitFor();
  await dialog.getByText('is told', { exact: true }).waitFor();

  await service.ok('POST', `${other.url}/stop`, {});
  await expect.poll(() => mails.mails.length).toBe(2);
  expect(mails.mails[1]!.source).toContain(`/page/objectives/${other.objectiveId}`);
  await person.goto(linkIn('stop'));
  await person.getByRole('button', { name: 'No more e-mails' }).click();
  await person.getByText('No more of these e-mails are sent to you.').waitFor();
  await dialog.getByText('Nobody is told by e-mail yet.').waitFor();
});

test('A browser that asked for it shows a notification when an input waits and when the search ends, in a tab behind', async ({
  visit,
}) => {
  const other = await loadHeatExchanger(service);
  const page = await visit(service, other.page);
  // A browser without a screen denies notifications: this one notes what it would show. The tab is put behind others below.
  await page.addInitScript(`
    window.shown = [];
    window.Notification = class {
      static permission = 'default';
      static requestPermission = async () => (this.permission = 'granted');
      constructor(title, { body }) { shown.push(title + ': ' + body); }
    };
    if (localStorage.getItem('backsolve-notifies') !== null) Notification.permission = 'granted';
  `);
  await page.clock.install();
  await page.reload();
  await page.getByRole('button', { name: 'Share or tell…' }).click();
  await page.getByRole('button', { name: 'Tell somebody…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Tell somebody' });
  await dialog.getByLabel('Show a notification when a search ends or an input waits').check();
  await page.reload();
  await page.getByRole('heading', { name: 'Heat exchanger' }).waitFor();
  await page.evaluate(
    `Object.defineProperty(document, 'hidden', { get: () => true }); document.dispatchEvent(new Event('visibilitychange'))`,
  );
  const shown = async () => {
    await page.clock.runFor(21_000);
    return page.evaluate<string[]>('shown');
  };
  await shown();
  const { iteration } = await service.ok<{ iteration: number }>('POST', `${other.url}/inverses`);
  await expect.poll(shown).toEqual([`Heat exchanger: Run ${iteration} waits for its outputs.`]);
  await service.ok('POST', `${other.url}/stop`, {});
  await expect.poll(shown).toEqual([expect.any(String), 'Heat exchanger: The search has ended.']);
});
