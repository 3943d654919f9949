/** The view of an objective: its runs as targets, charts and a table, live and at any size. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { connectTo } from '../../harness/database-handle.ts';
import { type SeededProblem, seedObjective } from '../../harness/seeded-history.ts';
import type { Db } from '../../src/db/connection/transaction.ts';
import { expectAccessible, PHONE, screenshot, test } from '../support/browser.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { openRowMenu, openTab } from './objective-parts.ts';

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

const seed = (problem: SeededProblem) => seedObjective(service.ok, db, problem);
const pathOf = (id: number, part = 'runs') => `/page/objectives/${id}/${part}`;
const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true }).first();
const bodyRows = (page: Page) => section(page, 'Runs').locator('tbody tr:not(.runs-spacer)');

/** The first iterations in the table of runs, which also has the cases of the trial. */
const firstIterations = (page: Page) =>
  bodyRows(page).and(page.locator(':not(.run-other)')).locator('th a').allTextContents();

describe('an objective', () => {
  test('shows how it stands: state, runs, targets with the worst first, and every run', async ({ visit }) => {
    const id = await seed({ inputs: 3, outputs: 4, runs: 30, failedEvery: 7, isOpen: true });
    const page = await visit(service, pathOf(id));
    const { body } = await service.call<Record<string, never>>('GET', `/objectives/${id}/history`);
    const header = page.locator('header.objective-header');
    await expect.poll(() => header.innerText()).toContain('Running');
    expect(await header.innerText()).toContain('30 of 100\u202f000 suggested runs');
    expect(await header.innerText()).toContain(`Best: run ${body['bestIteration']}`);
    const met = await section(page, 'Targets').locator('tbody td:last-child').allTextContents();
    expect(met).toHaveLength(4);
    expect(met.map((text) => text.startsWith('yes'))).toEqual(met.map((text) => text.startsWith('yes')).toSorted());
    const runs = section(page, 'Runs');
    await expect.poll(() => runs.locator('table').getAttribute('aria-rowcount')).toBe('33');
    expect((await firstIterations(page)).slice(0, 3)).toEqual(['31', '30', '29']);
    await runs.getByRole('button', { name: 'State' }).click();
    await runs.getByRole('button', { name: 'State' }).click();
    await expect.poll(async () => (await firstIterations(page)).slice(0, 5)).toEqual(['28', '21', '14', '7', '31']);
    expect(await bodyRows(page).first().innerText()).toContain('failed: mesh collapsed');
    await screenshot(page, 'objective 30 runs');
    await expectAccessible(page);
    await openTab(page, 'Charts');
    await section(page, 'Distance to the targets').waitFor();
    const legend = section(page, 'Distance to the targets').locator('.key-failed');
    expect(await legend.evaluate((key) => getComputedStyle(key, '::before').content)).toBe('"×"');
    const chart = section(page, 'Distance to the targets').getByRole('img');
    expect(await chart.getAttribute('aria-label')).toMatch(/30 runs, 4 failed; .* at run \d+/);
    await screenshot(page, 'objective 30 runs, charts');
    await expectAccessible(page);
  });

  test('follows what happens without a reload: a new output, a correction, the end', async ({ visit }) => {
    const far = {
      objectives: [99, 99],
      objectiveTypes: ['value', 'value'],
      minimumBounds: [-1, -1],
      maximumBounds: [1, 1],
    };
    const id = await seed({ inputs: 2, outputs: 2, runs: 5, objective: far });
    const page = await visit(service, pathOf(id));
    await expect.poll(() => firstIterations(page)).toEqual(['5', '4', '3', '2', '1']);
    await page.evaluate('window.isSamePage = true');
    const opened = await service.ok<{ id: number }>('POST', `/objectives/${id}/inverses`);
    await expect.poll(() => bodyRows(page).first().innerText()).toContain('waiting');
    await service.ok('POST', `/objectives/${id}/inverse-output`, { output: [10, 11] });
    await expect
      .poll(() => page.locator('header.objective-header').innerText())
      .toContain('5 of 100\u202f000 suggested runs');
    const firstRow = () => bodyRows(page).first().innerText();
    await expect.poll(firstRow).toContain('loaded');
    // The correction of an earlier iteration than the last: all are read again.
    const { body } = await service.call<{ inverseIds: number[] }>('GET', `/objectives/${id}/history`);
    const correction = { excluded: true, reason: 'sensor was not calibrated' };
    await service.ok('POST', `/objectives/${id}/inverses/${body.inverseIds[2]}/corrections`, correction);
    await expect.poll(() => bodyRows(page).nth(3).innerText()).toContain('left out');
    await service.ok('POST', `/objectives/${id}/stop`);
    await expect.poll(() => page.locator('.state').innerText()).toBe('Stopped');
    expect(opened.id).toBe(body.inverseIds[5]);
    expect(await page.evaluate('window.isSamePage')).toBe(true);
  });

  test('follows an output that comes late, and the insight that comes with suggestions', async ({ visit }) => {
    const id = await seed({ inputs: 2, outputs: 2, runs: 5, objective: { parallelism: 2, objectives: [99, -99] } });
    const page = await visit(service, pathOf(id));
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await expect.poll(() => firstIterations(page)).toHaveLength(5);
    const open = () => service.ok<{ id: number; iteration: number }>('POST', `/objectives/${id}/inverses`);
    const [early] = [await open(), await open()];
    const rowOf = (iteration: number) => bodyRows(page).nth(7 - iteration);
    await expect.poll(() => firstIterations(page)).toHaveLength(7);
    const insight = section(page, 'Insight');
    await openTab(page, 'Insight');
    await expect.poll(() => insight.locator('tbody tr').count()).toBeGreaterThan(0);
    await openTab(page, 'Runs');
    await service.ok('POST', `/objectives/${id}/stop`);
    await expect.poll(() => rowOf(early.iteration).innerText()).toContain('given up');
    const { completedCount, insightVersion } = await service.ok('GET', `/objectives/${id}/history`);
    const known = `completed=${completedCount}&knownInsight=${insightVersion}`;
    await expect.poll(() => asked.some((url) => url.includes(known))).toBe(true);
    await service.ok('PUT', `/objectives/${id}/inverses/${early.id}/output`, { output: [10, 11] });
    await expect.poll(() => rowOf(early.iteration).innerText()).toContain('loaded');
    await openTab(page, 'Insight');
    await expect.poll(() => insight.locator('tbody tr').count()).toBeGreaterThan(0);
  });

  test('of 10,000 runs can be selected, sorted and searched', async ({ visit }) => {
    const id = await seed({ inputs: 10, outputs: 10, runs: 10_000, failedEvery: 97 });
    const page = await visit(service, pathOf(id, 'charts'));
    const coordinates = section(page, 'Inputs and outputs');
    await expect.poll(() => coordinates.getByRole('status').innerText()).toBe('10\u202f000 runs');
    await coordinates.getByLabel('from').fill('0.4');
    await coordinates.getByLabel('from').press('Tab');
    const { body } = await service.call<{ inputs: number[][] }>('GET', `/objectives/${id}/history`);
    const count = body.inputs.filter(([x]) => x! >= 0.4).length.toLocaleString('en-US');
    await expect.poll(() => coordinates.getByRole('status').innerText()).toBe(`${count} of 10\u202f000 selected`);
    await openTab(page, 'Runs');
    const runs = section(page, 'Runs');
    // With the case of the trial.
    await expect.poll(() => runs.getByRole('status').first().innerText()).toMatch(/^\d+ of 10\u202f001 selected$/);
    await runs.getByRole('button', { name: 'Show all' }).click();
    await expect.poll(() => runs.getByRole('status').first().innerText()).toBe('');
    // Few of them are in the document.
    expect(await bodyRows(page).count()).toBeLessThan(60);
    await runs.getByRole('button', { name: 'x1', exact: true }).click();
    const smallest = 1 + body.inputs.findIndex(([x]) => x === Math.min(...body.inputs.map(([one]) => one!)));
    const equals = body.inputs.filter(([x]) => x === body.inputs[smallest - 1]![0]).length;
    if (equals === 1) await expect.poll(async () => (await firstIterations(page))[0]).toBe(String(smallest));
    await runs.getByLabel('Go to run').fill('4321');
    await runs.getByLabel('Go to run').press('Enter');
    await expect.poll(() => runs.locator('tr[aria-current] th a').allTextContents()).toEqual(['4321']);
    await runs.getByLabel('Go to run').fill('10001');
    await runs.getByLabel('Go to run').press('Enter');
    await expect.poll(() => runs.innerText()).toContain('There is no run 10001.');
    await screenshot(page, 'objective 10000 runs');
  });

  test('is brushed and enlarged by the pointer', async ({ visit }) => {
    const id = await seed({ inputs: 3, outputs: 2, runs: 200 });
    const page = await visit(service, pathOf(id, 'charts'));
    const coordinates = section(page, 'Inputs and outputs');
    const status = coordinates.getByRole('status');
    await expect.poll(() => status.innerText()).toBe('200 runs');
    // Charts above it may still come and move it: a person would drag once more.
    const brush = async () => {
      await drag(page, coordinates.locator('canvas'), { fromX: 46, fromY: 50, toX: 46, toY: 200 });
      return await status.innerText();
    };
    await expect.poll(brush).toMatch(/^\d+ of 200 selected$/);
    // A click on the axis ends it.
    await coordinates.locator('canvas').click({ position: { x: 46, y: 100 } });
    await expect.poll(() => status.innerText()).toBe('200 runs');
    const distance = section(page, 'Distance to the targets');
    const from = distance.getByLabel('Runs', { exact: true });
    expect(await from.inputValue()).toBe('1');
    const enlarge = async () => {
      await drag(page, distance.locator('canvas'), { fromX: 400, fromY: 100, toX: 700, toY: 100 });
      return Number(await from.inputValue());
    };
    await expect.poll(enlarge).toBeGreaterThan(20);
    await distance.getByRole('button', { name: 'Show all' }).click();
    await expect.poll(() => from.inputValue()).toBe('1');
  });

  test('has parts with addresses, which links, the back button and a reload lead to', async ({ visit }) => {
    const id = await seed({ inputs: 2, outputs: 2, runs: 6, failedEvery: 4 });
    const page = await visit(service, `/page/objectives/${id}`);
    // A chart answers more than a table, once there are runs to draw.
    await section(page, 'Distance to the targets').waitFor();
    await openTab(page, 'Data log');
    await section(page, 'Data log').getByRole('cell', { name: 'outputs loaded' }).first().waitFor();
    await section(page, 'Data log').getByRole('cell', { name: '1 case: first cases' }).waitFor();
    await screenshot(page, 'objective data log');
    await expectAccessible(page);
    await openTab(page, 'Insight');
    await section(page, 'Insight').waitFor();
    await expectAccessible(page);
    await page.goBack();
    await section(page, 'Data log').waitFor();
    expect(new URL(page.url()).pathname).toBe(`/page/objectives/${id}/log`);
    await expect.poll(() => page.title()).toBe('Heat exchanger, Data log – Backsolve');
    await page.reload();
    await section(page, 'Data log').getByRole('link', { name: 'run 4', exact: true }).click();
    await page.getByRole('heading', { name: 'Run 4', exact: true }).waitFor();
    await page.goto(pathOf(id, 'nothing'));
    await page.getByText('There is nothing at this address').waitFor();
  });

  test('has parts that are accessible at 200 %, by the keyboard too', async ({ visit }) => {
    const id = await seed({ inputs: 2, outputs: 2, runs: 6, failedEvery: 4 });
    // Rest of a window of 1280 pixels.
    const page = await visit(service, pathOf(id), { viewport: { width: 640, height: 450 } });
    const tabs = page.getByRole('navigation', { name: 'Parts of this objective' });
    await tabs.getByRole('link', { name: 'Runs' }).focus();
    for (const [name, title] of [
      ['Charts', 'Inputs and outputs'],
      ['Insight', 'Insight'],
      ['Notes', 'Notes and files'],
      ['Data log', 'Data log'],
    ] as const) {
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await section(page, title).waitFor();
      expect(await tabs.getByRole('link', { name, exact: true }).evaluate(isFocused)).toBe(true);
      await screenshot(page, `objective 200 percent ${name}`);
      await expectAccessible(page);
    }
    await page.goto(pathOf(id, 'runs/2'));
    await section(page, 'Run 2').waitFor();
    await expectAccessible(page);
    await openTab(page, 'Runs');
    await expect.poll(() => firstIterations(page)).toHaveLength(6);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Actions on run 5' }).press('Enter');
    const menu = page.locator('.menu:popover-open');
    await menu.waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Correct run 5' }).waitFor();
  });

  test('shows a run at its own address, and its neighbours, up to the cases of its trial', async ({ visit }) => {
    const id = await seed({ inputs: 4, outputs: 5, runs: 9, failedEvery: 4 });
    const { body } = await service.call<{ inputs: number[][]; inverseIds: number[] }>(
      'GET',
      `/objectives/${id}/history`,
    );
    const correction = { note: 'the pump was replaced before this run' };
    await service.ok('POST', `/objectives/${id}/inverses/${body.inverseIds[2]}/corrections`, correction);
    const page = await visit(service, pathOf(id, 'runs/3'));
    const run = section(page, 'Run 3');
    const inputs = run.getByRole('region', { name: 'Inputs of the run' });
    await expect.poll(() => inputs.locator('td.number').allTextContents()).toEqual(body.inputs[2]!.map(String));
    const margins = run.getByRole('region', { name: 'Outputs of the run' }).locator('td:last-child');
    await expect.poll(() => margins.first().innerText()).toMatch(/^(met, .* inside|missed, .* (above|below))/);
    await run.getByText('the pump was replaced before this run', { exact: true }).waitFor();
    await screenshot(page, 'objective run 3');
    await expectAccessible(page);
    await run.getByRole('link', { name: 'Next: run 4' }).click();
    await section(page, 'Run 4').getByText('mesh collapsed', { exact: true }).waitFor();
    await section(page, 'Run 4').getByText('Suggested', { exact: true }).waitFor();
    expect(await page.getByRole('heading', { name: 'Run 4', exact: true }).evaluate(isFocused)).toBe(true);
    for (const [name, title] of [
      ['Previous: run 3', 'Run 3'],
      ['Previous: run 2', 'Run 2'],
      ['Previous: run 1', 'Run 1'],
      ['Previous: case 1', 'Case 1'],
    ] as const) {
      await page.getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { name: title, exact: true }).waitFor();
    }
    expect(new URL(page.url()).pathname).toBe(pathOf(id, 'runs/case-1'));
    await page.getByRole('button', { name: 'Correct case 1' }).waitFor();
    await page.getByRole('link', { name: 'All runs' }).click();
    await expect
      .poll(() => section(page, 'Runs').locator('tr[aria-current] th a').allTextContents())
      .toEqual(['case 1']);
    await page.goto(pathOf(id, 'runs/99'));
    await page.getByText('There is no such run').waitFor();
  });

  test('has a table of runs that fits, marks missed values, and remembers its columns', async ({ visit }) => {
    const id = await seed({
      inputs: 4,
      outputs: 5,
      runs: 9,
      project: {
        inputNames: ['Pump speed', 'Coolant temperature', 'Valve opening', 'Pressure'],
        inputUnits: ['1/min', '°C', '%', 'bar'],
        outputNames: ['Power', 'Pressure drop', 'Outlet temperature', 'Noise level', 'Mass flow'],
        outputUnits: ['kW', 'Pa', '°C', 'dB', 'kg/s'],
      },
    });
    const page = await visit(service, pathOf(id));
    await expect.poll(() => firstIterations(page)).toHaveLength(9);
    const box = section(page, 'Runs').getByRole('region', { name: 'Table of runs' });
    expect(await box.evaluate((it) => it.scrollWidth - it.clientWidth), 'sideways').toBeLessThan(1);
    const missed = bodyRows(page).locator('.run-missed');
    expect(await missed.first().innerText()).toMatch(/^[▲▼]\s(above|below) the target:\s/);
    const menu = await openRowMenu(page, 'run 3');
    await expectAccessible(page);
    await menu.getByRole('link', { name: 'Open run 3' }).click();
    await page.getByRole('heading', { name: 'Run 3', exact: true }).waitFor();
    await openTab(page, 'Runs');
    const runs = section(page, 'Runs');
    await runs.getByRole('button', { name: 'Choose columns' }).click();
    await runs.getByLabel('Power (kW)', { exact: true }).uncheck();
    await expect.poll(() => box.getByRole('button', { name: 'Power' }).count()).toBe(0);
    await page.reload();
    await expect.poll(() => box.getByRole('button', { name: 'Noise level' }).count()).toBe(1);
    expect(await box.getByRole('button', { name: 'Power' }).count()).toBe(0);
  });

  test('writes names and reasons as text, whatever they hold', async ({ visit }) => {
    const id = await seed({
      inputs: 2,
      outputs: 2,
      runs: 12,
      failedEvery: 5,
      project: {
        name: '<img src=x onerror=alert(1)>',
        inputNames: ['<script>alert(1)</script>', 'n'.repeat(64)],
        outputNames: ['"><svg onload=alert(1)>', "';drop table runs;--"],
        outputUnits: ['<b>', '&amp;'],
      },
    });
    const page = await visit(service, pathOf(id), { viewport: PHONE });
    await expect.poll(() => page.locator('h1').innerText()).toBe('<img src=x onerror=alert(1)>');
    const targets = await section(page, 'Targets').locator('tbody th').allTextContents();
    expect(targets.toSorted()).toEqual(['"><svg onload=alert(1)> (<b>)', "';drop table runs;-- (&amp;)"].toSorted());
    await expect.poll(() => firstIterations(page)).toHaveLength(12);
    await screenshot(page, 'objective hostile phone');
    await expectAccessible(page);
  });

  test('with no run but the initial point, and one that does not exist, say what they are', async ({ visit }) => {
    const id = await seed({ inputs: 2, outputs: 2, runs: 1 });
    const page = await visit(service, pathOf(id));
    await expect.poll(() => firstIterations(page)).toEqual(['1']);
    await screenshot(page, 'objective initial point');
    await expectAccessible(page);
    const missing = await visit(service, pathOf(999_999), { tolerates: [/status of 404/] });
    await expect.poll(() => missing.locator('h1').innerText()).toBe('This objective does not exist or was deleted.');
  });

  test('of 1,000 outputs lists the worst and finds the others, and a thinned history finds every run', async ({
    visit,
  }) => {
    const id = await seed({ inputs: 5, outputs: 1_000, runs: 520 });
    const page = await visit(service, pathOf(id));
    const targets = section(page, 'Targets');
    await expect.poll(() => targets.locator('tbody tr').count()).toBe(40);
    await targets.getByLabel('Find an output').fill('y777');
    await expect.poll(() => targets.locator('tbody th').allTextContents()).toEqual(['y777']);
    expect(await page.locator('header.objective-header').innerText()).toContain('Every 2nd run is shown');
    const runs = section(page, 'Runs');
    await runs.getByLabel('Go to run').fill('222');
    await runs.getByLabel('Go to run').press('Enter');
    await expect.poll(() => runs.locator('tr[aria-current] th a').allTextContents()).toEqual(['222']);
  });

  test('saves all runs as CSV, and the charts as pictures', async ({ visit }) => {
    const id = await seed({ inputs: 2, outputs: 2, runs: 8 });
    const page = await visit(service, pathOf(id));
    const save = async (part: string, name: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        section(page, part).getByRole('button', { name }).click(),
      ]);
      return { name: download.suggestedFilename(), text: await textOf(await download.createReadStream()) };
    };
    const csv = await save('Runs', 'Save CSV');
    expect(csv.name).toBe('Heat-exchanger-trial-1-objective-1.csv');
    expect(csv.text.trim().split('\n')).toHaveLength(10);
    await openTab(page, 'Charts');
    const svg = await save('Distance to the targets', 'Save SVG');
    expect([svg.name, svg.text.startsWith('<svg')]).toEqual(['Heat-exchanger-distance-to-the-targets.svg', true]);
    const png = await save('Inputs and outputs', 'Save PNG');
    expect([png.name, png.text.slice(1, 4)]).toEqual(['Heat-exchanger-inputs-and-outputs.png', 'PNG']);
  });
});

const isFocused = (it: Element): boolean => it === document.activeElement;

interface Path {
  readonly fromX: number;
  readonly fromY: number;
  readonly toX: number;
  readonly toY: number;
}

async function drag(page: Page, canvas: ReturnType<Page['locator']>, { fromX, fromY, toX, toY }: Path): Promise<void> {
  await canvas.scrollIntoViewIfNeeded();
  const { x, y } = (await canvas.boundingBox())!;
  await page.mouse.move(x + fromX, y + fromY);
  await page.mouse.down();
  await page.mouse.move(x + toX, y + toY, { steps: 4 });
  await page.mouse.up();
}

async function textOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += Buffer.from(chunk).toString('latin1');
  return text;
}
