/** Ways to the parts of an objective, as a person takes them. */
import type { Locator, Page } from 'playwright-core';

type Tab = 'Runs' | 'Charts' | 'Fit' | 'Front' | 'Insight' | 'Notes' | 'Data log';

/** Resolves once the part is the open one. */
export async function openTab(page: Page, name: Tab): Promise<void> {
  const tabs = page.getByRole('navigation', { name: 'Parts of this objective' });
  await tabs.getByRole('link', { name, exact: true }).click();
  await tabs.locator('[aria-current="page"]', { hasText: name }).waitFor();
}

/** Opens the menu at the end of a row of the table of runs. The run is named as "run 2" or "case 1". */
export async function openRowMenu(page: Page, run: string): Promise<Locator> {
  await page.getByRole('button', { name: `Actions on ${run}`, exact: true }).click();
  const menu = page.locator('.menu:popover-open');
  await menu.getByRole('link', { name: `Open ${run}`, exact: true }).waitFor();
  return menu;
}
