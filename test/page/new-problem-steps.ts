/** Shared parts of the tests of a new problem. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { createKey } from '../../src/application/accounts/manage-keys.ts';
import { startTestService, type TestService } from '../support/service.ts';

export let service: TestService;
/** An account of its own for every test: what it has is what the test has made. */
export let key: string;
let count = 0;

/** Gives the test file that calls it a service of its own: files share this module, but no hooks. */
export function useService(): void {
  beforeAll(async () => {
    service = await startTestService({ worker: false });
  });
  beforeEach(async () => {
    key = await createKey(service.service.db, {
      account: `test-${++count}`,
      label: null,
      scopes: ['read', 'write'],
      expiresAt: null,
    });
  });
  afterAll(() => service?.close());
}

export async function ok<T>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await service.call<T>(method, path, body, { authorization: `Bearer ${key}` });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body;
}

export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
export const box = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });

export async function fill(page: Page, values: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(values)) await box(page, name).fill(value);
}

/** As the keyboard does it: the text comes from the clipboard. */
export async function paste(page: Page, target: Locator, text: string): Promise<void> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  await target.focus();
  await page.keyboard.press('Control+V');
}

interface Everything {
  readonly models: readonly { readonly id: number; readonly name: string }[];
  readonly projects: readonly Record<string, unknown>[];
  readonly objectives: readonly {
    readonly id: number;
    readonly modelId: number;
    readonly projectId: number;
    readonly trialId: number;
  }[];
}

export async function everything(): Promise<Everything> {
  const models = await ok<Everything['models']>('GET', '/models');
  const projects = await Promise.all(
    models.map(({ id }) => ok<Record<string, unknown>[]>('GET', `/models/${id}/projects`)),
  );
  const objectives = await ok<Everything['objectives']>('GET', '/objectives');
  return { models, projects: projects.flat(), objectives };
}

/** The objective whose page has been opened. */
export async function started(page: Page): Promise<Record<string, unknown>> {
  await page.waitForURL(/\/page\/objectives\/\d+$/);
  return await ok('GET', `/objectives/${/\d+$/.exec(page.url())![0]}`);
}

/** Fills the first part with the example, and has its points designed. */
export async function designExample(page: Page): Promise<void> {
  await button(page, 'Try the example').click();
  await button(page, 'Next: cases').click();
  await button(page, 'Design the points').click();
  await box(page, 'stiffness of case 1').waitFor();
}
