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

test('The reference opens an operation and sends it with the session of the page', async ({ visit }) => {
  const page = await visit(service, '/page');
  await page.getByRole('link', { name: 'Reference' }).click();
  await opened(page);
  await page.getByText(`Version ${packageJson.version}`).waitFor();
  expect(await page.getByText('Powered by').isVisible()).toBe(false);
  await screenshot(page, 'docs light');
  await expectAccessible(page);
  await page.getByLabel('Colours').selectOption('dark');
  await screenshot(page, 'docs dark');
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.goto('/docs#tag/models/POST/models');
  await page.getByRole('heading', { name: 'Create a model' }).waitFor();
  await screenshot(page, 'docs operation');
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

test('The reference of existing clients fits a phone', async ({ visit }) => {
  const page = await visit(service, '/docs/api', { viewport: PHONE, key: null });
  await page.getByRole('heading', { name: 'Backsolve for existing client libraries' }).waitFor();
  await screenshot(page, 'docs phone');
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
