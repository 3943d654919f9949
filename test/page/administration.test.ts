import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { createKey } from '../../src/application/accounts/manage-keys.ts';
import type { Scope } from '../../src/domain/accounts/api-key.ts';
import { openReceiver } from '../outside/webhooks/receiver.ts';
import { expectAccessible, PHONE, screenshot, test } from '../support/browser.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ settings: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
});
afterAll(() => service.close());

/** Calls of an account of its own. */
async function openAccount() {
  const account = `account ${crypto.randomUUID()}`;
  const makeKey = (scopes: readonly Scope[]) =>
    createKey(service.service.db, { account, label: null, scopes, expiresAt: null });
  const key = await makeKey(['read', 'write', 'admin']);
  const call = async <T = { id: number }>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await service.call<T>(method, path, body, { authorization: `Bearer ${key}` });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  return { key, makeKey, call };
}

type Call = Awaited<ReturnType<typeof openAccount>>['call'];

const HOSTILE = '<img src=x onerror=alert(1)> gnol';

/** A batch whose designed cases wait for an evaluator. */
async function makeBatch(call: Call, name: string, projectName = 'Heat exchanger') {
  const model = await call('POST', '/models', { name: 'Plant' });
  const project = await call('POST', `/models/${model.id}/projects`, {
    name: projectName,
    inputCount: 2,
    minimums: [0, 0],
    maximums: [10, 10],
    inputTypes: ['float', 'float'],
    inputNames: ['length', 'width'],
    outputCount: 2,
    inputCases: [
      [1, 1],
      [9, 2],
      [4, 8],
    ],
  });
  const wanted = (sum: number) => ({
    objectives: [sum, 2],
    objectiveTypes: ['percent', 'percent'],
    minimumBounds: [-1, -1],
    maximumBounds: [1, 1],
    desiredL1Norm: 0,
  });
  return call('POST', `/models/${model.id}/projects/${project.id}/batches`, {
    name,
    objectives: [wanted(10), wanted(11)],
  });
}

interface Claimed {
  readonly id: number;
  readonly leaseToken: string;
  readonly input: readonly number[];
}

async function claim(call: Call, evaluator: string, limit = 1, wait = 20): Promise<readonly Claimed[]> {
  const body = { evaluator, limit, leaseSeconds: 600, wait };
  return (await call<{ evaluations: readonly Claimed[] }>('POST', '/evaluations/claim', body)).evaluations;
}

const show = (section: string) => `/page/administration?show=${section}`;
const main = (page: Page) => page.getByRole('main');
const button = (page: Page, name: string | RegExp) => main(page).getByRole('button', { name });
const dialog = (page: Page) => page.getByRole('dialog');

/** In light, dark and on a phone. */
async function pictures(page: Page, name: string): Promise<void> {
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: 'light' });
  await screenshot(page, `administration ${name} light`);
  await page.emulateMedia({ colorScheme: 'dark' });
  await screenshot(page, `administration ${name} dark`);
  const before = page.viewportSize()!;
  await page.setViewportSize(PHONE);
  await expectAccessible(page);
  await screenshot(page, `administration ${name} phone`);
  await page.setViewportSize(before);
}

test('A key is created, shown once, used, replaced and revoked', async ({ visit }) => {
  const { key } = await openAccount();
  const page = await visit(service, '/page/administration', { key });
  await button(page, 'Create a key').click();
  await dialog(page).getByLabel('Label').fill(HOSTILE);
  await dialog(page).getByLabel('write:').uncheck();
  await dialog(page).getByLabel('Expires').selectOption({ label: 'In 30 days' });
  await expectAccessible(page);
  await screenshot(page, 'administration new key');
  await dialog(page).getByRole('button', { name: 'Create' }).click();
  const made = dialog(page).getByLabel('API key');
  await made.waitFor();
  const text = await made.inputValue();
  await expectAccessible(page);
  // As where the page is served neither over https nor from this machine.
  await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
  await dialog(page).getByRole('button', { name: 'Copy' }).click();
  await dialog(page).getByText('Copied.').waitFor();
  await screenshot(page, 'administration key shown');
  const models = () => service.call('GET', '/models', undefined, { authorization: `Bearer ${text}` });
  expect((await models()).status).toBe(200);
  await dialog(page).getByRole('button', { name: 'Done' }).click();
  const row = main(page)
    .getByRole('row')
    .filter({ hasText: text.slice(4, 12) });
  await row.getByText('Active').waitFor();
  for (const part of [HOSTILE, 'read']) expect(await row.textContent()).toContain(part);
  expect(await main(page).textContent()).not.toContain(text);

  await row.getByRole('button', { name: 'Rotate' }).click();
  await dialog(page).getByLabel('The old key should').selectOption({ label: 'keep working for an hour' });
  await dialog(page).getByRole('button', { name: 'Replace' }).click();
  const successor = await dialog(page).getByLabel('New API key').inputValue();
  expect((await service.call('GET', '/models', undefined, { authorization: `Bearer ${successor}` })).status).toBe(200);
  await dialog(page).getByRole('button', { name: 'Done' }).click();
  await row.getByText(`replaced by ${successor.slice(4, 12)}`).waitFor();

  await row.getByRole('button', { name: 'Revoke' }).click();
  await screenshot(page, 'administration revoke');
  await dialog(page).getByRole('button', { name: 'Revoke' }).click();
  await row.getByText('Revoked').waitFor();
  expect((await models()).status).toBe(401);
  await pictures(page, 'keys');
  await page.reload();
  await row.getByText('Revoked').waitFor();
});

test('Who replaces or revokes the key they are signed in with is told what follows', async ({ visit }) => {
  const { key, makeKey } = await openAccount();
  await makeKey(['admin']);
  const page = await visit(service, '/page/administration', { key, tolerates: [/status of 401/] });
  const rowOf = (text: string) => main(page).getByRole('row').filter({ hasText: text });
  const own = rowOf(key.slice(4, 12));
  await own.getByText('you are signed in with it').waitFor();
  const another = rowOf('admin').filter({ hasNotText: 'you are signed in with it' });
  await another.getByRole('button', { name: 'Revoke' }).click();
  expect(await dialog(page).getByText('You are signed in with this key').count()).toBe(0);
  await page.keyboard.press('Escape');

  await own.getByRole('button', { name: 'Rotate' }).click();
  await dialog(page).getByText('You are signed in with this key').waitFor();
  // The new key would be gone before it was copied.
  expect(await dialog(page).getByRole('option', { name: 'stop working immediately' }).count()).toBe(0);
  await expectAccessible(page);
  await page.keyboard.press('Escape');

  await own.getByRole('button', { name: 'Revoke' }).click();
  await dialog(page).getByText('You are signed in with this key, so you will be signed out as well.').waitFor();
  await expectAccessible(page);
  await screenshot(page, 'administration revoke own key');
  await dialog(page).getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('The last key with the scope admin is kept, and the reason is shown', async ({ visit }) => {
  const { key } = await openAccount();
  const page = await visit(service, show('keys'), { key, tolerates: [/409 \(Conflict\)/] });
  await button(page, /^Revoke/).click();
  await dialog(page).getByRole('button', { name: 'Revoke' }).click();
  await dialog(page).getByRole('alert').getByText('admin').waitFor();
});

test('A webhook is created; what fails to arrive is listed and sent again', async ({ visit }) => {
  const { key, call } = await openAccount();
  const receiver = await openReceiver();
  try {
    const page = await visit(service, show('webhooks'), { key, tolerates: [/400 \(Bad Request\)/] });
    await page.getByText('There are no webhooks yet').waitFor();
    await pictures(page, 'no webhooks');
    await button(page, 'Create a webhook').click();
    await dialog(page).getByLabel('Address').fill('nowhere');
    await dialog(page).getByRole('button', { name: 'Create' }).click();
    await dialog(page).getByRole('alert').waitFor();
    expect(await dialog(page).getByLabel('Address').getAttribute('aria-invalid')).toBe('true');
    await dialog(page).getByLabel('Address').fill(receiver.url);
    await dialog(page).getByLabel('Description').fill(HOSTILE);
    await dialog(page).getByLabel('All events').uncheck();
    await dialog(page).getByLabel('project.created').check();
    await expectAccessible(page);
    await screenshot(page, 'administration new webhook');
    await dialog(page).getByRole('button', { name: 'Create' }).click();
    expect(await dialog(page).getByLabel('Signing secret').inputValue()).toMatch(/^whsec_/);
    await dialog(page).getByRole('button', { name: 'Done' }).click();
    await main(page).getByText('Takes project.created').waitFor();
    receiver.reply = 500;
    await makeBatch(call, 'any');
    await receiver.next();
    await main(page).getByRole('link', { name: 'Deliveries' }).click();
    const row = main(page).getByRole('row').filter({ hasText: 'project.created' });
    await row.getByText('HTTP 500').waitFor();
    await main(page).getByText('Failing', { exact: true }).waitFor();
    await pictures(page, 'deliveries');
    receiver.reply = 204;
    await row.getByRole('button', { name: 'Redeliver' }).click();
    await receiver.next();
    await row.getByText('Delivered').waitFor();
    await page.reload();
    await row.waitFor();
    await button(page, /^Disable/).click();
    await main(page).getByText('Disabled').waitFor();
    await button(page, /^Enable/).click();
    await main(page).getByText('Enabled').waitFor();
    await button(page, /^Delete/).click();
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There are no webhooks yet').waitFor();
    expect(await call('GET', '/webhooks')).toEqual([]);
  } finally {
    await receiver.close();
  }
});

test('What evaluators do, what waits and what failed is shown as it changes', async ({ visit }) => {
  const { key, call } = await openAccount();
  const page = await visit(service, show('evaluators'), { key });
  await page.getByText('No evaluation is under way').waitFor();
  await makeBatch(call, 'Night shift', HOSTILE);
  await page.getByText(`npx backsolve evaluate --url ${service.service.url}`).waitFor();
  const [first, second] = await claim(call, HOSTILE, 2);
  await call('POST', `/evaluations/${first!.id}/heartbeat`, {
    leaseToken: first!.leaseToken,
    progress: 0.4,
    message: 'mesh done',
  });
  const underWay = page.getByRole('region', { name: 'Evaluations under way' });
  await underWay.getByText('mesh done').waitFor();
  const row = underWay.getByRole('row').filter({ hasText: 'mesh done' });
  await row.getByText('case').waitFor();
  await expect.poll(() => row.textContent()).toContain(HOSTILE);
  expect(await row.textContent()).toContain('40 %');
  await page.getByRole('heading', { name: '1 evaluation waiting' }).waitFor();
  const failure = { leaseToken: second!.leaseToken, reason: 'the mesh collapsed', retryable: false };
  await call('POST', `/evaluations/${second!.id}/failure`, failure);
  await page.getByRole('region', { name: 'Failed evaluations' }).getByText('the mesh collapsed').waitFor();
  await pictures(page, 'evaluators');
  await underWay.getByRole('link', { name: 'Night shift' }).click();
  await page.getByRole('region', { name: 'Objectives of Night shift' }).waitFor();
});

test('A batch is followed, paused, resumed and cancelled; its objectives lead to theirs', async ({ visit }) => {
  const { key, call } = await openAccount();
  const page = await visit(service, show('batches'), { key });
  await page.getByText('There are no batches yet').waitFor();
  await pictures(page, 'no batches');
  await makeBatch(call, HOSTILE);
  const batch = main(page).getByRole('listitem').filter({ hasText: HOSTILE });
  await batch.getByText('Evaluating cases').waitFor();
  await batch.getByText('Evaluations: 3 waiting').waitFor();
  await batch.getByRole('button', { name: 'Pause' }).click();
  await batch.getByText('Paused').waitFor();
  await batch.getByRole('button', { name: 'Resume' }).click();
  await batch.getByText('Paused').waitFor({ state: 'detached' });
  for (const { id, leaseToken, input } of await claim(call, 'rig', 3)) {
    const [a, b] = input as [number, number];
    await call('PUT', `/evaluations/${id}/output`, { leaseToken, output: [a + b, a - b] });
  }
  await batch.getByText('Solving').waitFor();
  await batch.getByRole('link', { name: 'Objectives' }).click();
  const objectives = page.getByRole('region', { name: 'Objectives of' });
  await objectives.getByText('Running').first().waitFor();
  await expect.poll(() => objectives.textContent()).toMatch(/length [\d.]+, width [\d.]+/);
  await batch.getByText('0 of 2 objectives satisfied, 2 running').waitFor();
  await pictures(page, 'batches');
  await page.reload();
  await objectives.waitFor();
  await batch.getByRole('button', { name: 'Cancel' }).click();
  await dialog(page).getByRole('button', { name: 'Cancel the batch' }).click();
  await batch.getByText('Cancelled', { exact: true }).waitFor();
  expect(await batch.getByRole('button').count()).toBe(1);
  await page.getByLabel('Status').selectOption({ label: 'Solving' });
  await page.getByText('No batch has the status “Solving”').waitFor();
  expect(new URL(page.url()).search).toBe('?show=batches&status=solving');
  await page.getByRole('link', { name: 'Show all batches' }).click();
  await batch.getByRole('link', { name: 'Objectives' }).click();
  await objectives
    .getByRole('link', { name: /^objective \d+$/ })
    .first()
    .click();
  expect(new URL(page.url()).pathname).toMatch(/^\/page\/objectives\/\d+$/);
});

test('A batch is started from an objective with a row of targets for each search, and watched to its end', async ({
  visit,
}) => {
  const { key, call } = await openAccount();
  const model = await call('POST', '/models', { name: 'Plant' });
  const inputCases = [
    [1, 1],
    [9, 2],
    [4, 8],
  ];
  const outputOf = ([a, b]: readonly number[]) => [a! + b!, a! - b!];
  const project = await call('POST', `/models/${model.id}/projects`, {
    name: 'Heat exchanger',
    inputCount: 2,
    minimums: [0, 0],
    maximums: [10, 10],
    inputTypes: ['float', 'float'],
    outputNames: ['Druck', 'Masse'],
    outputUnits: ['bar', 'kg'],
    outputCount: 2,
    inputCases,
  });
  const path = `/models/${model.id}/projects/${project.id}`;
  const outputCases = inputCases.map(outputOf);
  const { trial_id } = await call<{ trial_id: number }>('POST', `${path}/output-cases`, {
    outputCount: 2,
    outputCases,
  });
  const objective = await call('POST', `${path}/trials/${trial_id}/objectives`, {
    objectives: [8, 1],
    objectiveTypes: ['percent', 'value'],
    minimumBounds: [-5, -1],
    maximumBounds: [5, 1],
  });
  const page = await visit(service, '/page', { key });
  await main(page)
    .getByRole('button', { name: /^Actions of Heat exchanger/ })
    .click();
  await main(page).getByRole('link', { name: 'Start a batch…' }).click();
  const start = main(page).getByRole('button', { name: /^Start/ });
  await start.waitFor();
  expect(await start.isDisabled()).toBe(true);
  const area = main(page).getByRole('textbox', { name: 'Targets' });
  await area.fill('Länge;Druck\n1;2');
  await button(page, 'Read this text').click();
  await main(page).getByText('“Länge” is not an output. The outputs are Druck, Masse.').waitFor();
  await area.fill('\uFEFFMasse [kg];Druck [bar]\r\n0,25;9,5\r\n;10\r\n');
  await button(page, 'Read this text').click();
  await main(page).getByText('2 searches read.').waitFor();
  const preview = main(page).getByRole('region', { name: 'Targets as they are read' });
  await expect.poll(() => preview.getByRole('row').nth(1).textContent()).toBe('19.50.25');
  await main(page).getByLabel('Name of the batch').fill('Night shift');
  await pictures(page, 'start a batch');
  await start.click();
  const batch = main(page).getByRole('listitem').filter({ hasText: 'Night shift' });
  await batch.getByText('0 of 2 objectives satisfied').waitFor();
  const definitions = await call<readonly { objectives: number[] }[]>(
    'GET',
    `/models/${model.id}/projects/${project.id}/trials/${trial_id}/objectives`,
  );
  expect(definitions[0]).toMatchObject({ id: objective.id, objectives: [8, 1] });
  let status = '';
  while (status !== 'completed') {
    for (const { id, leaseToken, input } of await claim(call, 'rig', 4, 1)) {
      await call('PUT', `/evaluations/${id}/output`, { leaseToken, output: outputOf(input) });
    }
    const [one] = await call<readonly { status: string }[]>('GET', '/batches');
    status = one!.status;
  }
  await batch.getByText('2 of 2 objectives satisfied').waitFor();
  const saved = page.waitForEvent('download');
  await batch.getByRole('button', { name: 'Save CSV' }).click();
  const file = await saved;
  expect(file.suggestedFilename()).toBe('Night-shift.csv');
  const csv = (await (await file.createReadStream()).toArray()).join('');
  expect(csv.trim().split(/\r?\n/)).toHaveLength(3);
  expect(csv).toContain('Druck');
});

test('A key that may only read sees the batches, and no button', async ({ visit }) => {
  const { makeKey, call } = await openAccount();
  await makeBatch(call, 'Night shift');
  const page = await visit(service, '/page/administration', { key: await makeKey(['read']) });
  await page.getByText('Evaluations: 3 waiting').waitFor();
  expect(await main(page).getByRole('button').allTextContents()).toEqual(['Save CSV of Night shift']);
  for (const section of ['Keys', 'Webhooks']) {
    await main(page).getByRole('link', { name: section }).click();
    await main(page).getByText(`To see and change the ${section.toLowerCase()}`).waitFor();
    expect(await main(page).getByRole('button').count()).toBe(0);
  }
  await pictures(page, 'no admin');
});
