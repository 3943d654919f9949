/** Tests of the page in a real browser, against a real service. */
import axe from 'axe-core';
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { test as base, expect, inject } from 'vitest';
import { openPageSession } from '../../harness/page-session.ts';
import { IS_IN_FULL } from './in-full.ts';
import type { TestService } from './service.ts';

/** Largest height of a picture, in pixels. */
const TALLEST = 2_000;

export const PHONE = { width: 390, height: 844 } as const;

interface VisitOptions extends Pick<BrowserContextOptions, 'colorScheme' | 'viewport' | 'timezoneId'> {
  /** Signs in with it first; default: the key of the service; null: without a session. */
  readonly key?: string | null;
  /** Faults that the test causes. */
  readonly tolerates?: readonly RegExp[];
}

/** Opens an address of the service, in a browser context of its own. Relative addresses lead to this service. */
export type Visit = (service: TestService, path: string, options?: VisitOptions) => Promise<Page>;

const withBrowser = base
  // biome-ignore lint/correctness/noEmptyPattern: vitest requires a pattern as the first argument
  .extend('browser', { scope: 'worker' }, async ({}, { onCleanup }) => {
    const browser = await chromium.launch(inject('browser'));
    onCleanup(() => browser.close());
    return browser;
  })
  .extend('visit', async ({ browser, task }, { onCleanup }): Promise<Visit> => {
    const faults: string[] = [];
    const pages: Page[] = [];
    onCleanup(async () => {
      const hasFailed = task.result?.state === 'fail' || faults.length > 0;
      if (hasFailed) for (const [i, page] of pages.entries()) await takePicture(page, `failed ${task.name} ${i + 1}`);
      for (const page of pages) await page.context().close();
      expect(faults, 'what the browser reported').toEqual([]);
    });
    return async ({ service, key: ownKey }, path, { key = ownKey, tolerates = [], ...options } = {}) => {
      const context = await browser.newContext({
        baseURL: service.url!,
        locale: 'en-US',
        reducedMotion: 'reduce',
        viewport: { width: 1280, height: 900 },
        ...options,
        ...(key !== null && { storageState: (await openPageSession(service.url!, key)).storageState }),
      });
      context.setDefaultTimeout(60_000);
      const page = await context.newPage();
      pages.push(page);
      const note = (fault: string) => {
        if (!tolerates.some((pattern) => pattern.test(fault))) faults.push(fault);
      };
      page.on('pageerror', (error) => note(`error: ${error.stack}`));
      // Violations of the policy are reported there as well.
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) note(`${message.text()} (${message.location().url})`);
      });
      await page.goto(path);
      return page;
    };
  });

/** Skipped where there is no browser. `visit` fails the test on whatever the browser reports: errors, violations of the policy. */
export const test = inject('browser') === undefined ? withBrowser.skip : withBrowser;

/** Asserts that nothing scrolls sideways and, in `.ci/run`, that axe finds nothing wrong, in light and, as to colours, in dark. */
export async function expectAccessible(page: Page): Promise<void> {
  if (IS_IN_FULL) await expectNoViolations(page);
  expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'), 'sideways').toBeLessThan(1);
}

async function expectNoViolations(page: Page): Promise<void> {
  for (const [colorScheme, options] of [
    ['light', {}],
    // Nothing else depends on it.
    ['dark', { runOnly: ['color-contrast', 'link-in-text-block'] }],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    // Colours may take a moment to change.
    const message = `faults of accessibility, ${colorScheme}`;
    await expect.poll(() => findViolations(page, options), { message }).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: null });
}

async function findViolations(page: Page, options: object): Promise<string[]> {
  // Half a megabyte, which a document keeps.
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source);
  const run = `axe.run(${JSON.stringify({ resultTypes: ['violations'], ...options })}).then(({ violations }) => violations)`;
  const violations = await page.evaluate<axe.Result[]>(run);
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help}: ${target.join(' ')}: ${failureSummary}`),
  );
}

/** With TEST_SCREENSHOTS set: a picture of the page in test/page/screenshots, to look at. */
export async function screenshot(page: Page, name: string): Promise<void> {
  if ((process.env['TEST_SCREENSHOTS'] ?? '') !== '') await takePicture(page, name);
}

async function takePicture(page: Page, name: string): Promise<void> {
  const file = `${name.replaceAll(/[^\w.-]+/g, '-').slice(0, 100)}.png`;
  const path = new URL(`../page/screenshots/${file}`, import.meta.url).pathname;
  const { width, height } = await page.evaluate<{ width: number; height: number }>(
    '({ width: innerWidth, height: Math.max(innerHeight, document.documentElement.scrollHeight) })',
  );
  await page.screenshot({ path, fullPage: true, clip: { x: 0, y: 0, width, height: Math.min(height, TALLEST) } });
}
