/** A walk through the page in Firefox: every view, and a run by hand. */
import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { byRole, expectAccessible, test } from '../support/firefox.ts';
import { heatExchanger, loadHeatExchanger } from '../support/heat-exchanger.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** The addresses of the page that its links lead to, without those of other objects. */
const linksOf = (page: Page, selector: string): Promise<string[]> =>
  page.$$eval(selector, (links) => links.map((link) => new URL((link as HTMLAnchorElement).href).pathname));

async function signIn(page: Page): Promise<void> {
  await page.locator('input[type=password]').fill(service.key);
  await byRole(page, 'button', 'Sign in').click();
}

async function hasLoaded(page: Page): Promise<void> {
  await page.waitForFunction(`!document.querySelector('main')?.innerText.includes('Loading…')`);
}

test('Every view is shown without an error, and is accessible', async ({ open }) => {
  const { page: address } = await loadHeatExchanger(service);
  const page = await open(`${service.service.url}${address}`);
  await signIn(page);
  await byRole(page, 'heading', 'Heat exchanger').wait();
  const views = new Set([
    ...(await linksOf(page, '.tabs a')),
    ...(await linksOf(page, 'header nav a')).filter((path) => path.startsWith('/page')),
    `/page/compare?objectives=${address.split('/').at(-1)},${(await loadHeatExchanger(service)).objectiveId}`,
  ]);
  expect(views.size).toBeGreaterThan(6);
  for (const view of views) {
    await page.goto(`${service.service.url}${view}`);
    await page.waitForSelector('main h1');
    await hasLoaded(page);
    await expectAccessible(page, view);
  }
});

test('A person asks for an input, enters its outputs and sees the run', async ({ open }) => {
  const { page: address, url } = await loadHeatExchanger(service);
  const page = await open(`${service.service.url}${address}`);
  await signIn(page);
  await byRole(page, 'button', 'Ask for the next input').click();
  await byRole(page, 'article', 'Run 2').wait();
  const texts = await page.$$eval('article dd', (values) => values.map((value) => value.getAttribute('title') ?? ''));
  const input = texts.map((text) => ('ABC'.includes(text) ? 'ABC'.indexOf(text) : Number(text)));
  const [power, drop] = heatExchanger(input);
  await byRole(page, 'textbox', 'Power (kW)').fill(String(power));
  await byRole(page, 'textbox', 'Drop (Pa)').fill(String(drop));
  await byRole(page, 'button', 'Load the outputs').click();
  const loaded = () => service.ok<{ inverses: { outputs: number[] }[] }>('GET', url);
  await expect.poll(async () => (await loaded()).inverses.at(-1)!.outputs).toEqual([power, drop]);
  await page.goto(`${service.service.url}${address}/runs`);
  await page.waitForSelector('.runs tbody th');
  expect(await page.$eval('.runs tbody', (rows) => (rows as HTMLElement).innerText)).toContain(
    String(power).slice(0, 4),
  );
});
