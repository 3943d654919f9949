/** Shared parts of the tests of the page: the page, built from its sources, and a browser. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { type BrowserToLaunch, findBrowser } from '../../harness/find-browser.ts';
import { buildPage } from '../../tools/build-page.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** undefined where there is none: the tests are skipped. */
    browser: BrowserToLaunch | undefined;
  }
}

/** Throws if TEST_BROWSER_REQUIRED is set and there is no browser. */
export default async function setup(project: TestProject): Promise<void> {
  const found = await findBrowser();
  if ('reason' in found) {
    const line = `NOT TESTED IN A BROWSER: ${found.reason}`;
    if ((process.env['TEST_BROWSER_REQUIRED'] ?? '') !== '') throw new Error(line);
    // Below the summary, where it is seen.
    process.once('exit', () => console.log(line));
    project.provide('browser', undefined);
    return;
  }
  project.provide('browser', found);
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const outcome = await buildPage({ root, target: join(root, 'dist/page'), onlyIfChanged: true });
  console.log(`The page for the tests: ${outcome}`);
}
