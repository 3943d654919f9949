import { afterAll, beforeAll, expect } from 'vitest';
import { createSignInLink } from '../../src/application/browser-sessions.ts';
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
  await page.reload();
  await page.getByRole('heading', { name: 'Administration' }).waitFor();
  expect(page.url()).toBe(`${service.service.url}/page/administration`);
  expect(requested.filter((url) => url.includes(token))).toEqual([]);
  const again = await visit(service, `/page#token=${token}`, { key: null, tolerates: [/status of 4.. .*\/session\)/] });
  await expect.poll(() => again.getByRole('alert').textContent()).toContain('used before or has expired');
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
  expect(await page.getByRole('alert').textContent()).toContain('Your session is over');
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
  const notice = page.getByText(/^Not connected; as of \d/);
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
