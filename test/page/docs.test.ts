/** The reference and the guides, as a reader uses them. */
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
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

test.for(['light', 'dark'] as const)(
  'The reference names operations and the version, %s',
  async (colorScheme, { visit }) => {
    const page = await visit(service, '/docs', { colorScheme });
    await opened(page);
    await page.getByText(`Version ${packageJson.version}`).waitFor();
    await screenshot(page, `docs ${colorScheme}`);
    await expectAccessible(page);
  },
);
