/** The reference and the guides, as a reader uses them. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { expectAccessible, PHONE, screenshot, test } from '../support/browser.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ worker: false });
});
afterAll(() => service.close());

const opened = (page: Page) => page.getByRole('heading', { name: 'Backsolve', level: 1 }).waitFor();

test('The reference leads to an operation and sends it with the session of the page', async ({ visit }) => {
  const page = await visit(service, '/page');
  await page.getByRole('link', { name: 'Reference' }).click();
  await opened(page);
  await page.getByText(`Version ${packageJson.version}`).waitFor();
  await screenshot(page, 'docs light');
  await expectAccessible(page);
  await page.getByLabel('Colours').selectOption('dark');
  await screenshot(page, 'docs dark');
  await page.getByRole('main').getByRole('link', { name: 'Create a model' }).click();
  await page.waitForURL('**/docs/v1/models#POST/models');
  await page.getByRole('heading', { name: 'Create a model' }).waitFor();
  await screenshot(page, 'docs operation');
  await expectAccessible(page);
  await page.getByRole('link', { name: 'NewModel' }).click();
  await page.getByRole('heading', { name: 'NewModel' }).waitFor();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.getByRole('link', { name: 'Try it: Create a model' }).click();
  await page.getByRole('heading', { name: 'Create a model' }).waitFor();
  expect(await page.getByText('Powered by').isVisible()).toBe(false);
  await screenshot(page, 'docs try');
  await expectAccessible(page);
  await page.getByRole('button', { name: /Test Request.*post \/models\)/i }).click();
  await screenshot(page, 'docs request');
  const answer = page.waitForResponse((one) => one.url().endsWith('/v1/models') && one.request().method() === 'POST');
  await page.getByRole('button', { name: /^Send post request/ }).click();
  expect((await answer).status()).toBe(201);
  await screenshot(page, 'docs answer');
  expect(requests.filter((url) => !/^(data|blob):/.test(url) && !url.startsWith(`${service.service.url}/`))).toEqual(
    [],
  );
});

test('The library that sends requests does nothing that its policy forbids, and takes no orders from the query of the address', async ({
  visit,
}) => {
  const page = await visit(service, '/page', { key: null });
  await page.addInitScript(`
    globalThis.violations = [];
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => violations.push(violatedDirective + ' ' + blockedURI));
  `);
  for (const query of ['api=__proto__', 'api=constructor', 'scalar_url=/api/openapi.json']) {
    await page.goto(`/docs/try?${query}#tag/models/POST/models`);
    await page.getByRole('heading', { name: 'Create a model' }).waitFor();
    expect(await page.evaluate('violations')).toEqual([]);
    expect(new URL(page.url()).hash).toBe('#tag/models/POST/models');
  }
});

test('The reference of existing clients fits a phone', async ({ visit }) => {
  const page = await visit(service, '/docs/api', { viewport: PHONE, key: null });
  await page.getByRole('heading', { name: 'Backsolve for existing client libraries' }).waitFor();
  await screenshot(page, 'docs phone');
  await expectAccessible(page);
  await page.getByRole('heading', { name: 'Inverses' }).getByRole('link').click();
  await page.getByRole('heading', { name: 'Inverses', level: 1 }).waitFor();
  await screenshot(page, 'docs objects phone');
  await expectAccessible(page);
  await page.goto('/docs/api/try');
  await page.getByRole('heading', { name: 'Backsolve for existing client libraries' }).waitFor();
  await expectAccessible(page);
});

test('The reference has a page for every section, and earlier addresses of operations lead there', async ({
  visit,
}) => {
  const page = await visit(service, '/docs', { key: null });
  const sections = await page.getByRole('navigation', { name: 'Sections' }).getByRole('link').all();
  const addresses = await Promise.all(sections.map((one) => one.getAttribute('href')));
  expect(addresses.length).toBeGreaterThan(10);
  for (const address of addresses) {
    await page.goto(address!);
    await page.getByRole('heading', { name: 'Objects', level: 2 }).waitFor();
  }
  await page.goto('/docs#tag/objectives/GET/objectives/{objective_id}/fit');
  await page.waitForURL(
    ({ hash, pathname }) => `${pathname}${hash}` === '/docs/v1/objectives#GET/objectives/{objective_id}/fit',
  );
  await expectAccessible(page);
});

test('Guides open from the reference, lead to each other and back to the page', async ({ visit }) => {
  const page = await visit(service, '/docs', { key: null });
  await opened(page);
  await page.getByRole('link', { name: 'Guides', exact: true }).click();
  await page.getByRole('heading', { name: 'Guides', level: 1 }).waitFor();
  await screenshot(page, 'guides');
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Keys', exact: false }).first().click();
  await page.getByRole('heading', { level: 1 }).waitFor();
  await screenshot(page, 'guide');
  await expectAccessible(page);
  await page
    .getByRole('main')
    .getByRole('link', { name: 'clients.md' })
    .or(page.getByRole('main').locator('a[href^="/docs/guides/clients#"]'))
    .first()
    .click();
  await page.waitForURL('**/docs/guides/clients#registration');
  await page.setViewportSize(PHONE);
  await screenshot(page, 'guide phone');
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Backsolve', exact: true }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('The search finds sections and operations by keyboard', async ({ visit }) => {
  const page = await visit(service, '/docs/guides', { key: null });
  await page.keyboard.press('/');
  const box = page.getByRole('searchbox', { name: 'Search the documentation' });
  await page.keyboard.type('leaked secret');
  const found = page.getByRole('region', { name: 'Found' });
  await found.getByRole('status').getByText('result').waitFor();
  await screenshot(page, 'search');
  await expectAccessible(page);
  // The first word may be any of those in the section, the last one unfinished.
  await box.fill('webhooks a new secr');
  const first = found.getByRole('link').first();
  await found.getByRole('link', { name: 'A new secret – Webhooks' }).waitFor();
  expect(await first.textContent()).toBe('A new secret – Webhooks');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('A new secret – Webhooks');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/docs/guides/webhooks#a-new-secret');
  expect(await found.isVisible()).toBe(false);

  await box.fill('zzzzzz');
  await found.getByText('No results for “zzzzzz”.').waitFor();
  await page.keyboard.press('Escape');
  expect(await found.isVisible()).toBe(false);

  await box.fill('a new secret');
  await found.getByRole('link', { name: 'A new secret – Webhooks' }).waitFor();
  await found.getByRole('link', { name: 'A new secret – Webhooks' }).click();
  expect(await found.isVisible()).toBe(false);

  await box.fill('POST webhooks redeliver');
  await found.getByRole('link', { name: 'Send an event again – Reference' }).click();
  await page.getByRole('heading', { name: 'Send an event again' }).waitFor();
  await box.fill('batch');
  await found.getByRole('link').first().waitFor();
  await screenshot(page, 'search reference');
});

test('The search fits a phone, and says so when it cannot be loaded', async ({ visit }) => {
  const page = await visit(service, '/docs/guides/first-problem', {
    key: null,
    viewport: PHONE,
    tolerates: [/Failed to load/],
  });
  await page.route('**/docs/assets/search-*.json', (route) => route.abort());
  const box = page.getByRole('searchbox', { name: 'Search the documentation' });
  const found = page.getByRole('region', { name: 'Found' });
  await box.fill('noise');
  await found.getByText('The search could not be loaded').waitFor();
  await page.unroute('**/docs/assets/search-*.json');
  await box.fill('noisy runs');
  await found
    .getByRole('link', { name: /Noisy runs$/ })
    .first()
    .waitFor();
  await screenshot(page, 'search phone');
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/docs/guides/noisy-runs*');
});
