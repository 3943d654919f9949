import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { openPageSession } from '../../harness/page-session.ts';
import { createSignInLink } from '../../src/application/accounts/browser-sessions.ts';
import { createKey } from '../../src/application/accounts/manage-keys.ts';
import { expectAccessible, PHONE, screenshot, test } from '../support/browser.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ worker: false });
});
afterAll(() => service.close());

test('A key signs in, and leads to the address that was opened', async ({ visit }) => {
  const page = await visit(service, '/page/administration', { key: null, viewport: PHONE });
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await expectAccessible(page);
  await screenshot(page, 'sign-in phone');
  await page.getByLabel('API key').fill(` ${service.key} `);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Administration' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/page/administration');
  await page.reload();
  await page.getByRole('heading', { name: 'Administration' }).waitFor();
});

test('A wrong key is refused with a reason, and the right one then works', async ({ visit }) => {
  const page = await visit(service, '/page', { key: null, tolerates: [/status of 401 .*\/session\)/] });
  await page.getByLabel('API key').fill('bks_wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect.poll(() => page.getByRole('alert').textContent()).toContain('This API key is not valid');
  await expectAccessible(page);
  await screenshot(page, 'sign-in wrong key');
  await page.getByLabel('API key').fill(service.key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Objectives' }).waitFor();
});

test('A link signs in once; its token leaves the address and reaches no requested address', async ({ visit }) => {
  const token = await createSignInLink(service.service.db, 'test');
  const requested: string[] = [];
  const page = await visit(service, '/page', { key: null });
  page.on('request', (request) => requested.push(request.url()));
  await page.goto(`/page/administration#token=${token}`);
  // A page that is left before it has the answer is not signed in.
  await page.getByRole('heading', { name: 'Administration' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Administration' }).waitFor();
  expect(page.url()).toBe(`${service.service.url}/page/administration`);
  expect(requested.filter((url) => url.includes(token))).toEqual([]);
  const again = await visit(service, `/page#token=${token}`, { key: null, tolerates: [/status of 4.. .*\/session\)/] });
  await expect.poll(() => again.getByRole('alert').textContent()).toContain('has been used or has expired');
  expect(again.url()).toBe(`${service.service.url}/page`);
});

test('Who signs out sees nothing any more, and the session is over', async ({ visit }) => {
  const page = await visit(service, '/page');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await page.getByRole('navigation').count()).toBe(0);
  await page.reload();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await page.context().cookies()).toEqual([]);
});

test('A link signs in where the page is open already', async ({ visit }) => {
  const token = await createSignInLink(service.service.db, 'test');
  const page = await visit(service, '/page', { key: null });
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.goto(`/page#token=${token}`);
  await page.getByRole('heading', { name: 'Objectives' }).waitFor();
  expect(page.url()).toBe(`${service.service.url}/page`);
});

test('When the key is revoked, the open page asks for another one and goes on where it was', async ({ visit }) => {
  const label = 'of the reader';
  const { key, id } = await service.ok<{ key: string; id: number }>('POST', '/keys', { label, scopes: ['read'] });
  const page = await visit(service, '/page?state=running', { key, tolerates: [/status of 401/] });
  await page.getByRole('heading', { name: 'Objectives' }).waitFor();
  await service.ok('DELETE', `/keys/${id}`);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await page.getByRole('alert').textContent()).toContain('Your session has expired');
  await page.getByLabel('API key').fill(service.key);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Objectives' }).waitFor();
  expect(page.url()).toBe(`${service.service.url}/page?state=running`);
});

test('While the service is away the page says so, and goes on without a reload', async ({ visit }) => {
  const page = await visit(service, '/page', { tolerates: [/ERR_CONNECTION_REFUSED/, /ERR_EMPTY_RESPONSE/] });
  await page.getByRole('heading', { name: 'Objectives' }).waitFor();
  await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));
  await service.stop();
  const notice = page.getByText(/^Not connected; data as of \d/);
  await notice.waitFor();
  await page.getByRole('heading', { name: 'Objectives' }).waitFor();
  await expectAccessible(page);
  await screenshot(page, 'away');
  await service.start();
  await notice.waitFor({ state: 'detached' });
  expect(await page.evaluate(() => 'isSamePage' in globalThis)).toBe(true);
});

test('The keyboard alone signs in, goes through the page and signs out', async ({ visit }) => {
  const page = await visit(service, '/page', { key: null });
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  const press = async (key: string, role: Parameters<typeof page.getByRole>[0], name: string) => {
    const target = page.getByRole(role, { name, exact: true });
    for (let i = 0; i < 20 && !(await target.evaluate((one) => one === document.activeElement)); i++)
      await page.keyboard.press('Tab');
    expect(await target.evaluate((one) => one === document.activeElement && one.matches(':focus-visible')), name).toBe(
      true,
    );
    await page.keyboard.press(key);
  };
  await press('Enter', 'link', 'Skip to the content');
  await page.keyboard.press('Tab');
  await page.keyboard.type(service.key);
  await press('Enter', 'button', 'Sign in');
  await page.getByRole('heading', { name: 'Objectives' }).waitFor();
  await press('Enter', 'link', 'Administration');
  await page.getByRole('heading', { name: 'Administration' }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'Objectives' }).waitFor();
  await press('Space', 'button', 'Sign out');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor();
const accountIn = (page: Page) => page.getByRole('banner').getByText(/^Account /);
const keyOf = (account: string) =>
  createKey(service.service.db, { account, label: null, scopes: ['read', 'write', 'admin'], expiresAt: null });

test('The header names the account, and a new tab of the browser is signed in as well', async ({ visit }) => {
  const page = await visit(service, '/page');
  expect(await accountIn(page).textContent()).toBe('Account test');
  const tab = await page.context().newPage();
  await tab.goto('/page/administration');
  await heading(tab, 'Administration');
  expect(await accountIn(tab).textContent()).toBe('Account test');
  await page.setViewportSize(PHONE);
  await expectAccessible(page);
});

test('A sign-out shows in the other tabs, and a sign-in to the same account brings them back', async ({ visit }) => {
  const page = await visit(service, '/page/administration', { tolerates: [/status of 401/] });
  await heading(page, 'Administration');
  const tab = await page.context().newPage();
  await tab.goto('/page');
  await heading(tab, 'Objectives');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await heading(tab, 'Sign in');
  expect(await tab.getByRole('alert').textContent()).toBe('You signed out in another tab.');
  await page.getByLabel('API key').fill(service.key);
  await page.keyboard.press('Enter');
  await heading(tab, 'Objectives');
  expect(await tab.getByRole('alert').count()).toBe(0);
});

test('A tab says so when another one signs in to another account, and shows that one only when asked', async ({
  visit,
}) => {
  const page = await visit(service, '/page', { tolerates: [/status of 401/] });
  await heading(page, 'Objectives');
  const token = await createSignInLink(service.service.db, 'other', { makesAccount: true });
  const tab = await page.context().newPage();
  await tab.goto(`/page#token=${token}`);
  await tab.getByRole('button', { name: 'Sign in with the link' }).click();
  await expect.poll(() => accountIn(tab).textContent()).toBe('Account other');
  await heading(page, 'Sign in');
  expect(await page.getByRole('alert').textContent()).toContain('Another tab signed in to the account other');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Continue with other' }).click();
  await expect.poll(() => accountIn(page).textContent()).toBe('Account other');
});

test('A link is not used while somebody is signed in until it is clicked, and one that fails ends no session', async ({
  visit,
}) => {
  const page = await visit(service, '/page', { tolerates: [/status of 401 .*\/session\)/] });
  await heading(page, 'Objectives');
  const tries: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') tries.push(request.url());
  });
  for (const letter of ['a', 'b']) {
    await page.goto(`/page#token=${letter.repeat(8)}_${letter.repeat(32)}`);
    await page.getByText('You are signed in to the account test').waitFor();
  }
  await expectAccessible(page);
  await screenshot(page, 'sign-in offered link');
  await page.getByRole('button', { name: 'Ignore the link' }).click();
  expect([tries, new URL(page.url()).hash]).toEqual([[], '']);
  await page.goto(`/page#token=${'c'.repeat(8)}_${'c'.repeat(32)}`);
  await page.getByRole('button', { name: 'Sign in with the link' }).click();
  await expect.poll(() => page.getByRole('alert').textContent()).toContain('has been used or has expired');
  expect(await accountIn(page).textContent()).toBe('Account test');
  expect(await page.getByRole('heading', { name: 'Objectives' }).isVisible()).toBe(true);
  expect(tries).toHaveLength(1);
  await page.reload();
  await heading(page, 'Objectives');
});

test('After a link has failed the next one waits for a click', async ({ visit }) => {
  const page = await visit(service, `/page#token=${'d'.repeat(8)}_${'d'.repeat(32)}`, {
    key: null,
    tolerates: [/status of 401 .*\/session\)/],
  });
  await expect.poll(() => page.getByRole('alert').textContent()).toContain('has been used or has expired');
  const token = await createSignInLink(service.service.db, 'test');
  await page.goto(`/page#token=${token}`);
  await page.getByRole('button', { name: 'Sign in with the link' }).click();
  await heading(page, 'Objectives');
});

test('A cookie planted by a program on another port changes neither the account nor what is written', async ({
  visit,
}) => {
  const page = await visit(service, '/page');
  await heading(page, 'Objectives');
  const thief = await openPageSession(service.service.url!, await keyOf('thief'));
  const [name, value] = thief.cookie.split('=') as [string, string];
  const planted = { name, value, domain: '127.0.0.1', httpOnly: true, sameSite: 'Strict' as const };
  await page.context().addCookies([{ ...planted, path: '/v1' }]);
  await page.reload();
  await heading(page, 'Objectives');
  expect(await accountIn(page).textContent()).toBe('Account test');
  await expect.poll(async () => (await page.context().cookies()).map(({ path }) => path)).toEqual(['/']);
});

test('Whoever signs out is told what they have not sent, and it leaves the browser', async ({ visit }) => {
  const page = await visit(service, '/page/new', { tolerates: [/status of 401/] });
  await page.getByLabel('Name of the problem').fill('Secret rig');
  const drafts = () => page.evaluate<string[]>("Object.keys(localStorage).filter((key) => key.includes('draft'))");
  await expect.poll(drafts).toHaveLength(1);
  const tab = await page.context().newPage();
  await tab.goto('/page/new');
  await tab.getByLabel('Name of the problem').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  expect(await dialog.getByRole('listitem').allTextContents()).toEqual(['the new problem']);
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect(await drafts()).toHaveLength(1);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await dialog.getByRole('button', { name: 'Sign out and delete' }).click();
  await heading(page, 'Sign in');
  await heading(tab, 'Sign in');
  expect(await drafts()).toEqual([]);
});
