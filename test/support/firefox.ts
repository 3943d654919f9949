/** Tests of the page in Firefox, by WebDriver BiDi: Playwright drives only a Firefox of its own. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import axe from 'axe-core';
import puppeteer, { type Browser, type ConsoleMessage, type Page } from 'puppeteer-core';
import { test as base, expect } from 'vitest';

/** That of TEST_FIREFOX, otherwise the one on the PATH. */
function findFirefox(): string | undefined {
  const given = process.env['TEST_FIREFOX'] ?? '';
  if (given !== '') return given;
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.flatMap((folder) => ['firefox', 'firefox-esr'].map((name) => join(folder, name))).find(existsSync);
}

const executablePath = findFirefox();
if (executablePath === undefined)
  console.log('NOT TESTED IN FIREFOX: it is not installed, and TEST_FIREFOX is not set.');

type Open = (address: string) => Promise<Page>;

const withFirefox = base
  // biome-ignore lint/correctness/noEmptyPattern: vitest requires a pattern as the first argument
  .extend('firefox', { scope: 'worker' }, async ({}, { onCleanup }): Promise<Browser> => {
    const browser = await puppeteer.launch({ browser: 'firefox', executablePath: executablePath!, headless: true });
    onCleanup(() => browser.close());
    return browser;
  })
  .extend('open', async ({ firefox }, { onCleanup }): Promise<Open> => {
    const context = await firefox.createBrowserContext();
    const faults: string[] = [];
    onCleanup(async () => {
      await context.close();
      expect(faults, 'what Firefox reported').toEqual([]);
    });
    return async (address) => {
      const page = await context.newPage();
      page.setDefaultTimeout(60_000);
      await page.setViewport({ width: 1280, height: 900 });
      page.on('pageerror', (error) => faults.push(`error: ${error instanceof Error ? error.stack : String(error)}`));
      page.on('console', (message: ConsoleMessage) => {
        if (['error', 'warn'].includes(message.type())) faults.push(`${message.text()} (${message.location().url})`);
      });
      await page.goto(address);
      return page;
    };
  });

/** Skipped where there is no Firefox. `open` fails the test on whatever it reports: errors, violations of the policy. */
export const test = executablePath === undefined ? withFirefox.skip : withFirefox;

/** An element by its role and its accessible name, once it is there. */
export const byRole = (page: Page, role: string, name: string) =>
  page.locator(`::-p-aria([name="${name}"][role="${role}"])`);

/** Asserts that axe finds nothing wrong, and that nothing scrolls sideways. */
export async function expectAccessible(page: Page, message: string): Promise<void> {
  if (!(await page.evaluate<[], () => boolean>('"axe" in window' as never))) await page.evaluate(axe.source);
  const violations = async () =>
    (await page.evaluate(
      `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].target))`,
    )) as string[];
  await expect.poll(violations, { message }).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), `sideways: ${message}`).toBeLessThan(
    1,
  );
}
