/** Notes and files on an objective and its runs, at a desk and at the rig with a phone. */
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { connectTo } from '../../harness/database-handle.ts';
import { seedObjective } from '../../harness/seeded-history.ts';
import type { Db } from '../../src/db/connection/transaction.ts';
import { expectAccessible, PHONE, screenshot, test } from '../support/browser.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { openTab } from './objective-parts.ts';

let service: TestService;
let db: Db;
beforeAll(async () => {
  service = await startTestService();
  db = connectTo(service.databaseUrl);
});
afterAll(async () => {
  await db.destroy();
  await service.close();
});

const seed = () => seedObjective(service.ok, db, { inputs: 2, outputs: 2, runs: 5, failedEvery: 4, isOpen: true });
const notesOf = (page: Page) => page.getByRole('region', { name: 'Notes and files', exact: true });
const entry = (page: Page, text: string) => notesOf(page).getByRole('listitem').filter({ hasText: text });

async function write(page: Page, text: string): Promise<void> {
  await notesOf(page).getByLabel('New note').fill(text);
  await notesOf(page).getByRole('button', { name: 'Add', exact: true }).click();
  await entry(page, text).waitFor();
}

async function openMenu(one: Locator): Promise<Locator> {
  await one.getByRole('button', { name: /^Actions for the note/ }).click();
  return one.locator('.menu:popover-open');
}

/** A photo as a phone takes it: larger than any thumbnail. */
async function takePhoto(page: Page): Promise<Buffer> {
  const base64 = await page.evaluate(() => {
    const canvas = document.createElement('canvas');
    canvas.width = 1200;
    canvas.height = 1600;
    const context = canvas.getContext('2d')!;
    context.fillStyle = '#7a8c99';
    context.fillRect(0, 0, 1200, 1600);
    context.fillStyle = '#b3261e';
    context.fillRect(300, 400, 600, 300);
    return canvas.toDataURL('image/jpeg').split(',')[1]!;
  });
  return Buffer.from(base64, 'base64');
}

describe('notes and files', () => {
  test('are written at a desk, changed, deleted and taken back, and others see them without a reload', async ({
    visit,
  }) => {
    const id = await seed();
    const page = await visit(service, `/page/objectives/${id}`);
    const other = await visit(service, `/page/objectives/${id}/notes`);
    await openTab(page, 'Notes');
    await notesOf(page).getByText('None yet.').waitFor();
    expect(await notesOf(page).getByRole('button', { name: 'Add', exact: true }).isDisabled()).toBe(true);
    await write(page, 'Rig 3 has a new seal.\nAsk Ada before 8 bar.');
    await entry(other, 'Rig 3 has a new seal.').waitFor();
    await (await openMenu(entry(page, 'Rig 3'))).getByRole('button', { name: 'Edit the text' }).click();
    const field = notesOf(page).getByLabel('Text of the note');
    await field.fill('Rig 4 has a new seal.');
    await notesOf(page).getByRole('button', { name: 'Save', exact: true }).click();
    await entry(page, 'Rig 4 has a new seal.')
      .getByText(/; changed, /)
      .waitFor();
    await entry(other, 'Rig 4 has a new seal.').waitFor();
    await screenshot(page, 'notes of an objective');
    await expectAccessible(page);
    await (await openMenu(entry(page, 'Rig 4'))).getByRole('button', { name: 'Delete' }).click();
    await notesOf(page).getByText('None yet.').waitFor();
    await notesOf(other).getByText('None yet.').waitFor();
    await notesOf(page).getByRole('button', { name: 'Undo' }).click();
    await entry(page, 'Rig 4 has a new seal.').waitFor();
    await entry(other, 'Rig 4 has a new seal.').waitFor();
    await openTab(page, 'Data log');
    await page.getByRole('cell', { name: 'note: Rig 4 has a new seal.' }).waitFor();
  });

  test('that two people change together are not lost: the slower one is told', async ({ visit }) => {
    const id = await seed();
    const { id: noteId } = await service.ok<{ id: number }>('POST', `/objectives/${id}/notes`, { text: 'first' });
    const page = await visit(service, `/page/objectives/${id}/notes`, { tolerates: [/409/] });
    await (await openMenu(entry(page, 'first'))).getByRole('button', { name: 'Edit the text' }).click();
    await notesOf(page).getByLabel('Text of the note').fill('mine');
    await service.ok('PATCH', `/objectives/${id}/notes/${noteId}`, { text: 'theirs' });
    await notesOf(page).getByRole('button', { name: 'Save', exact: true }).click();
    await notesOf(page)
      .getByRole('alert')
      .getByText(/was changed by/)
      .waitFor();
    expect(await notesOf(page).getByLabel('Text of the note').inputValue()).toBe('mine');
    await notesOf(page).getByRole('button', { name: 'Cancel' }).click();
    await entry(page, 'theirs').waitFor();
  });

  test('come with a photo from a phone, on a run that is still open, with a small picture and without a place', async ({
    visit,
  }) => {
    const id = await seed();
    const page = await visit(service, `/page/objectives/${id}`, { viewport: PHONE });
    await page.getByRole('article', { name: 'Run 6' }).getByRole('link', { name: 'Notes', exact: true }).click();
    await page.getByRole('heading', { name: 'Run 6', exact: true }).and(page.locator('h2')).waitFor();
    const camera = notesOf(page).getByLabel('Take a photo');
    expect([await camera.getAttribute('accept'), await camera.getAttribute('capture')]).toEqual([
      'image/*',
      'environment',
    ]);
    const buffer = await takePhoto(page);
    await camera.setInputFiles({ name: 'IMG_0001.JPG', mimeType: 'image/jpeg', buffer });
    await notesOf(page)
      .getByText(/IMG_0001\.JPG.*will be attached/)
      .waitFor();
    await write(page, 'crack at the weld');
    const one = entry(page, 'crack at the weld');
    await expect
      .poll(() => one.locator('img').evaluate((image) => (image as HTMLImageElement).naturalHeight))
      .toBe(320);
    await screenshot(page, 'notes of a run on a phone');
    await expectAccessible(page);
    const download = page.waitForEvent('download');
    await one.getByRole('button', { name: /^Save IMG_0001\.JPG/ }).click();
    const saved = await download;
    expect(saved.suggestedFilename()).toBe('IMG_0001.JPG');
    expect((await readFile(await saved.path())).equals(buffer)).toBe(true);
    await page.goto(`/page/objectives/${id}/notes`);
    await entry(page, 'crack at the weld').getByRole('link', { name: 'run 6' }).click();
    await page.getByRole('heading', { name: 'Run 6', exact: true }).and(page.locator('h2')).waitFor();
    await page.goto(`/page/objectives/${id}/log`);
    await page.getByRole('cell', { name: /^note: crack at the weld; file: IMG_0001\.JPG/ }).waitFor();
  });

  test('with hostile files are shown as text, and what cannot be taken is said before it is sent', async ({
    visit,
  }) => {
    const id = await seed();
    const page = await visit(service, `/page/objectives/${id}/notes`);
    const chooser = notesOf(page).getByLabel('Attach a file');
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>document.title="run"</script></svg>';
    await chooser.setInputFiles({ name: '<img src=x>.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(svg) });
    await write(page, '<b>bold</b>');
    await entry(page, '<b>bold</b>').getByRole('button', { name: 'Save -img src=x-.svg' }).waitFor();
    expect(await entry(page, '<b>bold</b>').locator('b').count()).toBe(0);
    await chooser.setInputFiles({ name: 'large.bin', mimeType: 'application/zip', buffer: Buffer.alloc(10_000_001) });
    await notesOf(page).getByText('large.bin has 10 MB; at most 10 MB are taken. Choose a smaller file.').waitFor();
    await chooser.setInputFiles({ name: 'none.txt', mimeType: 'text/plain', buffer: Buffer.alloc(0) });
    await notesOf(page).getByText('none.txt is empty. Choose another file.').waitFor();
    await notesOf(page).getByLabel('New note').fill('typed and left');
    await page.reload();
    await expect.poll(() => notesOf(page).getByLabel('New note').inputValue()).toBe('typed and left');
  });

  test('are only read by whoever may only read', async ({ visit }) => {
    const id = await seed();
    await service.ok('POST', `/objectives/${id}/notes`, { text: 'for all' });
    const { key } = await service.ok<{ key: string }>('POST', '/keys', { scopes: ['read'] });
    const page = await visit(service, `/page/objectives/${id}/notes`, { key });
    await entry(page, 'for all').waitFor();
    expect(await notesOf(page).getByLabel('New note').count()).toBe(0);
    expect(await notesOf(page).getByRole('button').count()).toBe(0);
    await expectAccessible(page);
  });
});
