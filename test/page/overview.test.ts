import { sql } from 'kysely';
import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createKey } from '../../src/application/accounts/manage-keys.ts';
import { expectAccessible, PHONE, screenshot, test } from '../support/browser.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** Calls of an account of its own, by which the service answers as it does to its page. */
async function openAccount() {
  const scopes = ['read', 'write', 'admin'] as const;
  const account = `account ${crypto.randomUUID()}`;
  const makeKey = (some: typeof scopes | readonly ['read']) =>
    createKey(service.service.db, { account, label: null, scopes: some, expiresAt: null });
  const key = await makeKey(scopes);
  const call = async <T = { id: number }>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await service.call<T>(method, path, body, { authorization: `Bearer ${key}` });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  return { key, readKey: () => makeKey(['read']), call };
}

type Call = Awaited<ReturnType<typeof openAccount>>['call'];

const blackBox = ([a, b]: readonly number[]) => [a! + b!, a! - b!];

/** Within 1 percent of the outputs at [3, 7]. */
const TARGETS = {
  objectives: blackBox([3, 7]),
  objectiveTypes: ['percent', 'percent'],
  minimumBounds: [-1, -1],
  maximumBounds: [1, 1],
  desiredL1Norm: 0,
  initialInput: [4, 8],
  initialOutput: blackBox([4, 8]),
};

async function makeTrial(call: Call, { modelName = 'Plant', projectName = 'Heat exchanger' } = {}) {
  const model = await call('POST', '/models', { name: modelName });
  const inputCases = [
    [1, 1],
    [9, 2],
    [4, 8],
  ];
  const project = await call('POST', `/models/${model.id}/projects`, {
    name: projectName,
    inputCount: 2,
    minimums: [0, 0],
    maximums: [10, 10],
    inputTypes: ['float', 'float'],
    inputCases,
  });
  const path = `/models/${model.id}/projects/${project.id}`;
  const outputCases = inputCases.map(blackBox);
  const { trial_id } = await call<{ trial_id: number }>('POST', `${path}/output-cases`, {
    outputCount: 2,
    outputCases,
  });
  return `${path}/trials/${trial_id}/objectives`;
}

const rows = (page: Page) => page.getByRole('main').locator('tr.glance');
const row = (page: Page, text: string) => rows(page).filter({ hasText: text });

test('An empty account is told what to do', async ({ visit }) => {
  const { key, readKey } = await openAccount();
  const page = await visit(service, '/page', { key });
  await page.getByRole('heading', { name: 'No objectives yet' }).waitFor();
  await expectAccessible(page);
  await screenshot(page, 'overview empty');
  expect(await page.getByText('npx backsolve demo').textContent()).toContain(service.service.url!);
  await page.getByRole('main').getByRole('link', { name: 'New problem' }).click();
  expect(new URL(page.url()).pathname).toBe('/page/new');
  const reader = await visit(service, '/page', { key: await readKey() });
  await reader.getByRole('heading', { name: 'No objectives yet' }).waitFor();
  expect(await reader.getByRole('link', { name: 'New problem' }).count()).toBe(0);
});

test('An objective shows where it stands, and follows what happens to it', async ({ visit }) => {
  const { key, call } = await openAccount();
  const objectives = await makeTrial(call);
  const { id } = await call('POST', objectives, TARGETS);
  const page = await visit(service, '/page', { key });
  const glance = row(page, 'Heat exchanger');
  await expect.poll(() => glance.textContent()).toContain('1 of 2 met');
  for (const text of ['trial 1, objective 1', 'Running', '0 of 500', / off by \d/]) {
    expect(await glance.textContent()).toMatch(text);
  }
  const { input } = await call<{ input: number[] }>('POST', `/objectives/${id}/inverses`);
  await glance.getByText('waits for your output').waitFor();
  await call('POST', `/objectives/${id}/inverse-output`, { output: blackBox(input.map((x) => x + 1)) });
  await glance.getByText('waits for your output').waitFor({ state: 'detached' });
  expect(await glance.textContent()).toContain('1 of 500');
  await call('PATCH', objectives.split('/trials/')[0]!, { name: 'Cooler' });
  await page.getByRole('button', { name: 'Cooler', exact: true }).waitFor();
  await call('POST', `/objectives/${id}/stop`);
  await row(page, 'Stopped').waitFor();
  await row(page, 'Cooler').getByRole('link', { name: 'Cooler' }).click();
  expect(new URL(page.url()).pathname).toBe(`/page/objectives/${id}`);
});

test('While nothing changes the page waits, and one that is hidden does not', async ({ visit }) => {
  const { key, call } = await openAccount();
  await call('POST', await makeTrial(call), TARGETS);
  const page = await visit(service, '/page', { key });
  const isWait = (request: Request) => request.headers()['prefer'] === 'wait=20';
  const waits = await page.waitForRequest(isWait);
  expect(waits.headers()['if-none-match']).toMatch(/^"/);
  const over = page.waitForEvent('requestfailed', (request) => request === waits);
  const hide = (isHidden: boolean) =>
    page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'))`);
  await hide(true);
  await over;
  const again = page.waitForRequest(isWait);
  await hide(false);
  await again;
});

test('Of many tabs some wait and the others ask briefly, so that none starves', async ({ visit }) => {
  const { key, call } = await openAccount();
  const objectives = await makeTrial(call);
  await call('POST', objectives, TARGETS);
  const first = await visit(service, '/page', { key });
  const context = first.context();
  const waits = new Set<Request>();
  let brief = 0;
  context.on('request', (request) => {
    const prefer = request.headers()['prefer'];
    if (prefer === 'wait=20') waits.add(request);
    if (prefer === 'wait=1') brief += 1;
  });
  context.on('requestfinished', (request) => waits.delete(request));
  context.on('requestfailed', (request) => waits.delete(request));
  const tabs = [first];
  for (let n = 0; n < 7; n++) {
    const tab = await context.newPage();
    await tab.goto('/page');
    await rows(tab).first().waitFor();
    tabs.push(tab);
  }
  await first.reload();
  await expect.poll(() => waits.size).toBe(4);
  await expect.poll(() => brief).toBeGreaterThan(3);
  expect(waits.size).toBe(4);
  // All of them see it.
  await call('PATCH', objectives.split('/trials/')[0]!, { name: 'Cooler' });
  for (const tab of tabs) await row(tab, 'Cooler').waitFor();
});

describe('60 objectives', () => {
  let key = '';
  const ids: number[] = [];
  beforeAll(async () => {
    const account = await openAccount();
    key = account.key;
    const few = await makeTrial(account.call, { modelName: 'Epidemic', projectName: 'Wave' });
    const many = await makeTrial(account.call);
    for (let n = 0; n < 60; n++) ids.push((await account.call('POST', n < 3 ? few : many, TARGETS)).id);
    for (const n of [1, 58]) await account.call('POST', `/objectives/${ids[n]}/stop`);
  });

  test('The newest 50 are listed, the older ones on another page', async ({ visit }) => {
    const page = await visit(service, '/page', { key });
    await expect.poll(() => rows(page).count()).toBe(50);
    await page.getByText('50 of 60 objectives').waitFor();
    // Rows show what tells objectives of one trial from each other.
    expect(await rows(page).first().innerText()).toMatch(/≤|<|…/);
    await expectAccessible(page);
    await screenshot(page, 'overview 60 light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await screenshot(page, 'overview 60 dark');
    await page.setViewportSize(PHONE);
    await expectAccessible(page);
    await screenshot(page, 'overview 60 phone');
    await page.getByRole('link', { name: 'Next' }).click();
    await expect.poll(() => rows(page).count()).toBe(10);
    await page.reload();
    await expect.poll(() => rows(page).count()).toBe(10);
    expect(await page.getByRole('link', { name: 'Next' }).count()).toBe(0);
    await page.getByRole('link', { name: 'First' }).click();
    await expect.poll(() => rows(page).count()).toBe(50);
  });

  test('A state and words choose among them, and the address keeps the choice', async ({ visit }) => {
    const page = await visit(service, '/page', { key });
    await page.getByLabel('State').selectOption({ label: 'Stopped' });
    await expect.poll(() => rows(page).count()).toBe(2);
    expect(new URL(page.url()).search).toBe('?state=stopped');
    const find = page.getByLabel('Find by model');
    await find.fill('epidemic objective 2');
    await expect.poll(() => rows(page).count()).toBe(1);
    await page.getByText('1 stopped objective found for “epidemic objective 2”.').waitFor();
    await page.reload();
    await expect.poll(() => rows(page).count()).toBe(1);
    expect(await page.getByLabel('State').inputValue()).toBe('stopped');
    expect(await find.inputValue()).toBe('epidemic objective 2');
    // Further back than the page reaches without a search.
    await page.getByLabel('State').selectOption({ label: 'All states' });
    await find.fill('EPIDEM');
    await expect.poll(() => rows(page).count()).toBe(3);
    await find.fill('nothing like it');
    await page.getByText('No objectives found for “nothing like it”.').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'overview nothing found');
    await page.getByRole('link', { name: 'Show all objectives' }).click();
    await expect.poll(() => rows(page).count()).toBe(50);
    expect(await find.inputValue()).toBe('');
    await page.goBack();
    await expect.poll(() => find.inputValue()).toBe('nothing like it');
  });

  test('Two to six that are ticked are compared', async ({ visit }) => {
    const page = await visit(service, '/page', { key });
    const ticks = rows(page).getByRole('checkbox');
    await ticks.nth(0).check();
    await page.getByText('Tick another objective').waitFor();
    expect(await page.getByRole('link', { name: /^Compare/ }).count()).toBe(0);
    for (const n of [1, 2, 3, 4, 5]) await ticks.nth(n).check();
    expect(await ticks.nth(6).isDisabled()).toBe(true);
    await expectAccessible(page);
    for (const n of [2, 3, 4, 5]) await ticks.nth(n).uncheck();
    await page.getByRole('link', { name: 'Compare 2 objectives' }).click();
    const { pathname, search } = new URL(page.url());
    expect(pathname + search).toBe(`/page/compare?objectives=${ids[59]},${ids[58]}`);
  });
});

test('Objectives are grouped by project, and a folded project stays folded', async ({ visit }) => {
  const { key, call } = await openAccount();
  const heat = await makeTrial(call);
  const wave = await makeTrial(call, { modelName: 'Epidemic', projectName: 'Wave' });
  for (const path of [heat, heat, wave]) await call('POST', path, TARGETS);
  const page = await visit(service, '/page', { key });
  const project = (name: string) => page.locator('tr.glance-group').filter({ hasText: name });
  await project('Heat exchanger').getByText('2 objectives').waitFor();
  await expect
    .poll(() => page.locator('tr.glance-group bdi').allTextContents())
    .toEqual(['Wave', 'Epidemic', 'Heat exchanger', 'Plant']);
  const button = project('Heat exchanger').getByRole('button');
  await button.click();
  await expect.poll(() => rows(page).count()).toBe(1);
  expect(await button.getAttribute('aria-expanded')).toBe('false');
  await page.getByText('2 of 3 objectives').waitFor();
  await page.reload();
  await expect.poll(() => rows(page).count()).toBe(1);
  await project('Heat exchanger').getByText('2 objectives').waitFor();
  await expectAccessible(page);
  await button.focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => rows(page).count()).toBe(3);
  expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.getByRole('checkbox', { name: 'By project' }).uncheck();
  await expect
    .poll(() => page.locator('.glance-project bdi').allTextContents())
    .toEqual(['Wave', 'Heat exchanger', 'Heat exchanger']);
  await page.getByRole('button', { name: 'Project' }).click();
  const head = page.getByRole('columnheader', { name: 'Project' });
  await expect.poll(() => head.getAttribute('aria-sort')).toBe('ascending');
  await expect.poll(() => page.locator('.glance-project bdi').first().textContent()).toBe('Heat exchanger');
  await page.getByRole('button', { name: 'Project' }).click();
  await expect.poll(() => page.locator('.glance-project bdi').first().textContent()).toBe('Wave');
  expect(new URL(page.url()).search).toBe('?sort=project+reversed&grouped=no');
  await expectAccessible(page);
});

test('An objective is labelled, archived, put back and deleted from its menu, by keyboard as well', async ({
  visit,
}) => {
  const { key, call } = await openAccount();
  const path = await makeTrial(call);
  for (let n = 0; n < 2; n++) await call('POST', path, TARGETS);
  const page = await visit(service, '/page', { key });
  await expect.poll(() => rows(page).count()).toBe(2);
  const act = async (of: string, what: string) => {
    const menu = row(page, of).getByRole('button', { name: /^Actions of/ });
    await menu.focus();
    await page.keyboard.press('Enter');
    const action = row(page, of).getByText(what, { exact: true });
    await action.waitFor();
    await expectAccessible(page);
    await action.focus();
    await page.keyboard.press('Enter');
  };
  await act('objective 2', 'Label…');
  await page.getByRole('textbox', { name: 'Label' }).fill('Stiff <b>bracket</b>');
  await page.keyboard.press('Enter');
  await row(page, 'Stiff <b>bracket</b>').waitFor();
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  await act('Stiff', 'Archive');
  await expect.poll(() => rows(page).count()).toBe(1);
  await page.getByText('is archived.').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => rows(page).count()).toBe(2);
  await act('Stiff', 'Delete…');
  await page.getByRole('dialog').getByText('The cases of its trial and all other objectives stay').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'archive it instead' }).click();
  await expect.poll(() => rows(page).count()).toBe(1);
  await page.getByLabel('State').selectOption({ label: 'Archived' });
  await row(page, 'Stiff').waitFor();
  await page.getByText('1 archived objective', { exact: true }).waitFor();
  await act('Stiff', 'Put back into the list');
  await page.getByText('No archived objectives').waitFor();
  await page.getByRole('link', { name: 'Show all objectives' }).click();
  await expect.poll(() => rows(page).count()).toBe(2);
  await act('Stiff', 'Delete…');
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect.poll(() => rows(page).count()).toBe(1);
  await page.getByText('is deleted.').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => rows(page).count()).toBe(2);
  await act('Stiff', 'Delete…');
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect.poll(() => rows(page).count()).toBe(1);
  await act('objective 1', 'Rename the project…');
  await page.getByRole('textbox', { name: 'Name of the project' }).fill('Cooler');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Cooler', exact: true }).waitFor();
});

test('A problem is copied into the form of a new one, which asks before it replaces a draft', async ({ visit }) => {
  const { key, call } = await openAccount();
  const { id } = await call('POST', await makeTrial(call), { ...TARGETS, confirm: 3 });
  const page = await visit(service, '/page', { key });
  const copy = async () => {
    await row(page, 'objective 1')
      .getByRole('button', { name: /^Actions of/ })
      .click();
    await row(page, 'objective 1').getByRole('link', { name: 'Copy the problem' }).click();
  };
  await copy();
  const name = page.getByLabel('Name of the problem');
  await expect.poll(() => name.inputValue()).toBe('Heat exchanger (copy)');
  expect(new URL(page.url()).search).toBe('');
  expect(await page.getByLabel('Minimum of x1').inputValue()).toBe('0');
  await page.getByRole('link', { name: '3 Targets' }).click();
  await expect.poll(() => page.getByLabel('Target of y1').inputValue()).toBe('10');
  await page.goto(`/page/new?copy=${id}`);
  await page.getByRole('alertdialog').getByText('There is a draft of another problem').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Delete the draft and copy' }).click();
  await expect.poll(() => page.getByRole('alertdialog').count()).toBe(0);
  await expect.poll(() => name.inputValue()).toBe('Heat exchanger (copy)');
});

test('Names are shown as they are, whatever they contain', async ({ visit }) => {
  const { key, call } = await openAccount();
  const names = ['<img src=x onerror=alert(1)>', 'x'.repeat(96), '🔥 ünïcödé 温度', 'غلاف حراري', 'a & b &lt;'];
  for (const name of names) await call('POST', await makeTrial(call, { modelName: name, projectName: name }), TARGETS);
  const page = await visit(service, '/page', { key, viewport: PHONE });
  await expect.poll(() => rows(page).count()).toBe(names.length);
  const titles = await page.locator('tr.glance-group button bdi').allTextContents();
  expect(titles).toEqual(names.toReversed());
  await expectAccessible(page);
  await screenshot(page, 'overview names phone');
  await page.setViewportSize({ width: 1280, height: 900 });
  await expectAccessible(page);
  await screenshot(page, 'overview names');
});

test('Objectives look different by what they have reached and what they wait for', async ({ visit }) => {
  const { key, call } = await openAccount();
  const objectives = await makeTrial(call);
  const load = async () => (await call('POST', objectives, TARGETS)).id;
  const runOnce = async (id: number) => {
    const { input } = await call<{ input: number[] }>('POST', `/objectives/${id}/inverses`);
    await call('POST', `/objectives/${id}/inverse-output`, { output: blackBox(input) });
    return (await call<{ stopReason: number }>('GET', `/objectives/${id}`)).stopReason;
  };
  const waiting = await load();
  await call('POST', `/objectives/${waiting}/inverses`);
  const solved = await load();
  while ((await runOnce(solved)) === 0);
  const unjudged = await load();
  const doubtful = await load();
  const { db } = service.service;
  await sql`insert into explanations (objective_id, account_id, case_count, diagnosis)
    select id, account_id, 4, '{"unmet": [], "conflicts": []}' from objectives where id = ${doubtful}`.execute(db);
  const page = await visit(service, '/page', { key });
  const textOf = (number: number) => row(page, `objective ${number}`).textContent();
  await expect.poll(() => textOf(1)).toContain('waits for your output');
  expect(await textOf(2)).toMatch(/Satisfied.*2 of 2 met/);
  expect(await textOf(2)).not.toContain('off by');
  expect(await row(page, 'objective 2').getByRole('img').getAttribute('aria-label')).toBe('Worst miss from 19 to 0');
  // A worker judges it soon after; then it is made unjudged again.
  const showUnjudged = async () => {
    await sql`update objectives set judged_through = null where id = ${unjudged}`.execute(db);
    return textOf(3);
  };
  await expect.poll(showUnjudged, { interval: 200 }).toContain('not judged yet');
  expect(await textOf(4)).toContain('may be out of reach');
  await expectAccessible(page);
  await screenshot(page, 'overview small');
  await page.setViewportSize(PHONE);
  await expectAccessible(page);
  await screenshot(page, 'overview small phone');
});
