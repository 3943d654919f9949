/** People who share an account on the page: invitations, roles, a course, and the OpenID provider of an organization. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { findFreePort } from '../../harness/free-port.ts';
import { createSignInLink } from '../../src/application/accounts/browser-sessions.ts';
import { expectAccessible, PHONE, screenshot, test, type Visit } from '../support/browser.ts';
import { startOpenIdProvider, type TestProvider } from '../support/openid-provider.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let provider: TestProvider;
beforeAll(async () => {
  const port = await findFreePort();
  provider = await startOpenIdProvider(`http://127.0.0.1:${port}/session/openid/callback`);
  service = await startTestService({
    worker: false,
    settings: {
      PORT: String(port),
      OPENID_ISSUER: provider.issuer,
      OPENID_CLIENT_ID: provider.clientId,
      OPENID_CLIENT_SECRET: provider.clientSecret,
      OPENID_SCOPES: 'openid profile email groups',
      OPENID_GROUPS: 'rig=rigs:member',
    },
  });
});
afterAll(async () => {
  await service.close();
  await provider.close();
});

/** The page of somebody who signed in by a link of the service and gave a name. */
async function openAs(visit: Visit, account: string, name: string): Promise<Page> {
  const token = await createSignInLink(service.service.db, account, { makesAccount: true });
  const page = await visit(service, `/page/people#token=${token}`, { key: null });
  await page.getByLabel('Your name').fill(name);
  await page.getByRole('button', { name: 'Go on with this name' }).click();
  await page.getByRole('row', { name }).waitFor();
  return page;
}

/** The secret that is shown once, after which the dialog is closed. */
async function takeSecret(page: Page, label: string): Promise<string> {
  const value = await page.getByRole('textbox', { name: label }).inputValue();
  await page.getByRole('button', { name: 'Done' }).click();
  return value;
}

const pathOf = (link: string) => link.slice(service.service.url!.length);

test('Somebody is invited, joins by name, comes back with a key, gets another role and is removed', async ({
  visit,
}) => {
  const page = await openAs(visit, 'plant', 'Olga');
  await page.getByRole('button', { name: 'Invite…' }).click();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Make the link' }).click();
  const link = await takeSecret(page, 'Invitation link');
  const guest = await visit(service, pathOf(link), { key: null, viewport: PHONE, tolerates: [/status of 40[13]/] });
  await guest.getByText('invites you to').waitFor();
  await expectAccessible(guest);
  await screenshot(guest, 'invitation phone');
  await guest.getByLabel('Your name').fill('Ada');
  await guest.getByRole('button', { name: 'Join' }).click();
  await guest.getByRole('heading', { name: 'Welcome, Ada' }).waitFor();
  await guest.getByRole('button', { name: 'Make a key to sign in again' }).click();
  const key = await guest.getByRole('textbox', { name: 'Your key' }).inputValue();
  expect(key).toMatch(/^bks_/);
  await expectAccessible(guest);
  await guest.getByRole('button', { name: 'Start' }).click();
  await guest.getByRole('heading', { name: 'Objectives' }).waitFor();
  expect(guest.url()).toBe(`${service.service.url}/page`);
  await guest.getByRole('button', { name: 'Sign out' }).click();
  await guest.getByLabel('API key').fill(key);
  await guest.getByRole('button', { name: 'Sign in', exact: true }).click();
  await guest.getByText('Ada, Account plant').waitFor();

  await page.reload();
  await page.getByLabel('Role of Ada').selectOption('reader');
  await expect.poll(() => page.getByLabel('Role of Ada').inputValue()).toBe('reader');
  await expectAccessible(page);
  await screenshot(page, 'people members');
  await guest.goto(`${service.service.url}/page/new`);
  await guest.reload();
  expect(await guest.getByRole('link', { name: 'New problem' }).count()).toBe(0);
  for (const section of ['Invitations', 'Sessions', 'Accounts', 'You']) {
    await page.getByRole('link', { name: section, exact: true }).click();
    await page.getByRole('heading', { name: section, level: 2 }).waitFor({ state: 'attached' });
    await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
    await expectAccessible(page);
    await screenshot(page, `people ${section}`);
  }
  await page.getByRole('link', { name: 'Members' }).click();
  await page.getByRole('button', { name: 'Remove Ada' }).click();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await expect.poll(() => page.getByRole('row', { name: 'Ada' }).count()).toBe(0);
  await guest.reload();
  await guest.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('A teacher starts a course, students get accounts of their own, and the teacher opens one of them', async ({
  visit,
}) => {
  const teacher = await openAs(visit, 'school', 'Tea');
  await teacher.getByRole('button', { name: 'Start a course…' }).click();
  await teacher.getByLabel('Name of the course').fill('Rigs 2027');
  await expectAccessible(teacher);
  await teacher.getByRole('button', { name: 'Make the link' }).click();
  const link = await takeSecret(teacher, 'Link for the course');
  for (const name of ['Ada', 'Bob']) {
    const student = await visit(service, pathOf(link), { key: null });
    await student.getByText('You get an account of your own').waitFor();
    await student.getByLabel('Your name').fill(name);
    await student.getByRole('button', { name: 'Join' }).click();
    await student.getByRole('button', { name: 'Start' }).click();
    await student.getByText(`${name}, Account Rigs 2027 – ${name}`).waitFor();
  }
  await teacher.getByRole('link', { name: 'Accounts', exact: true }).click();
  await teacher.getByRole('button', { name: 'Open Rigs 2027 – Bob' }).waitFor();
  await expectAccessible(teacher);
  await screenshot(teacher, 'people course');
  await teacher.getByRole('button', { name: 'Open Rigs 2027 – Ada' }).click();
  await teacher.getByText('Tea, Account Rigs 2027 – Ada').waitFor();
  expect(teacher.url()).toBe(`${service.service.url}/page`);
});

test('The organization signs people in, back where they were, and says why it does not', async ({ visit }) => {
  provider.accounts.set('ada', { name: 'Ada of the rig', email: 'ada@example.com', groups: ['rig'] });
  provider.accounts.set('eve', { name: 'Eve', email: 'eve@example.com' });
  provider.subject = 'eve';
  const page = await visit(service, '/page/people?show=sessions', { key: null });
  const button = page.getByRole('button', { name: 'Sign in with your organization' });
  await button.click();
  await expect.poll(() => page.getByRole('alert').textContent()).toContain('not a member of an account');
  expect(page.url()).toBe(`${service.service.url}/page`);
  await expectAccessible(page);
  // The provider remembers who signed in there; this is another browser.
  provider.subject = 'ada';
  const other = await visit(service, '/page/people?show=sessions', { key: null });
  await other.getByRole('button', { name: 'Sign in with your organization' }).click();
  await other.getByText('Ada of the rig, Account rigs').waitFor();
  await other.getByRole('row', { name: 'Ada of the rig (this browser)' }).waitFor();
  expect(other.url()).toBe(`${service.service.url}/page/people?show=sessions`);
});

test('An invitation that admits nobody says so, and leaves another way in', async ({ visit }) => {
  const gone = `/page#invitation=${'a'.repeat(8)}_${'b'.repeat(32)}`;
  const page = await visit(service, gone, { key: null, tolerates: [/status of 401/] });
  await expect.poll(() => page.getByRole('alert').textContent()).toContain('Ask whoever invited you');
  await page.getByRole('button', { name: 'Sign in instead' }).click();
  await page.getByLabel('API key').waitFor();
});
