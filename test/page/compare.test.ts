/** Comparing objectives, in a real browser on a real service. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { expectAccessible, PHONE, screenshot, test } from '../support/browser.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
/** Two of one trial, then one of another project. */
let ids: number[];

const HOSTILE = '<img src=x onerror=alert(1)>';

/** A bar of some width and thickness: stiffness and mass. */
const bar = ([width, thickness]: readonly number[]) => [(width! * thickness! ** 2) / 10, (width! * thickness!) / 2];

interface Suggestion {
  readonly id: number;
  readonly input: readonly number[];
}

async function solve(trialId: number, path: string, definition: object, runs: number): Promise<number> {
  const { id } = await service.ok<{ id: number }>('POST', `${path}/trials/${trialId}/objectives`, definition);
  for (let run = 0; run < runs; run++) {
    const suggestion = await service.ok<Suggestion>('POST', `/objectives/${id}/inverses`, {});
    const answer = await service.call('PUT', `/objectives/${id}/inverses/${suggestion.id}/output`, {
      output: bar(suggestion.input),
    });
    expect(answer.status).toBe(200);
  }
  return id;
}

async function createTrial(name: string, outputNames: readonly string[]) {
  const model = await service.ok<{ id: number }>('POST', '/models', { name });
  const project = await service.ok<{ id: number; inputCases: number[][] }>('POST', `/models/${model.id}/projects`, {
    name,
    inputCount: 2,
    minimums: [10, 2],
    maximums: [60, 10],
    inputTypes: ['float', 'float'],
    inputNames: ['width', HOSTILE],
    inputUnits: ['mm', 'mm'],
    outputNames,
    outputUnits: ['N/mm', 'g'],
  });
  const path = `/models/${model.id}/projects/${project.id}`;
  const cases = { outputCount: 2, outputCases: project.inputCases.map(bar) };
  const loaded = await service.ok<{ trial_id: number }>('POST', `${path}/output-cases`, cases);
  return { path, trialId: loaded.trial_id };
}

beforeAll(async () => {
  service = await startTestService();
  const first = await createTrial('Bracket', ['stiffness', 'mass']);
  const second = await createTrial(`Plate ${HOSTILE}`, ['stiffness', HOSTILE]);
  const tradeOff = { objectives: [300, 40], objectiveTypes: ['maximize', 'minimize'] };
  const value = {
    objectives: [90, 60],
    objectiveTypes: ['percent', 'lessthan_equal'],
    minimumBounds: [-2, null],
    maximumBounds: [2, null],
  };
  ids = [
    await solve(first.trialId, first.path, tradeOff, 4),
    await solve(first.trialId, first.path, { ...tradeOff, objectives: [200, 30] }, 3),
    await solve(second.trialId, second.path, value, 1),
  ];
});

afterAll(() => service?.close());

async function saved(page: Page, button: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button, exact: true }).click(),
  ]);
  return await readFile(await download.path(), 'utf8');
}

describe('comparing', () => {
  test('objectives of one trial: best so far, best runs and a trade-off', async ({ visit }) => {
    const page = await visit(service, `/page/compare?objectives=${ids[0]},${ids[1]}`);
    await page.getByRole('heading', { name: 'Compare 2 objectives' }).waitFor();
    await page.getByText(/Objective 1: .* after \d+ runs?; objective 2:/).waitFor();
    expect(await page.locator('.chart canvas').count()).toBe(2);
    await page.getByText('2 of 2 outputs have different targets.').waitFor();
    const outputs = page.getByRole('region', { name: 'Outputs of the best runs' });
    await outputs.getByText('maximize, ≥ 300 N/mm').waitFor();
    await outputs.getByText('minimize, ≤ 30 g').waitFor();
    const tradeOff = page.getByRole('region', { name: 'Trade-off' });
    await tradeOff
      .getByText(/runs; values that meet the targets are shaded; \d+ non-dominated (run has a ring|runs have rings)/)
      .waitFor();
    await tradeOff.getByText('Non-dominated runs', { exact: true }).click();
    expect(await tradeOff.getByRole('row').count()).toBeGreaterThan(1);
    await screenshot(page, 'compare-light');
    const chart = page.getByRole('img', { name: /^Best distance so far\. Objective 1/ });
    await chart.hover({ position: { x: 300, y: 100 } });
    await page.getByText(/^objective 2: (met|[\d.]+)$/).waitFor();
    await page.getByRole('spinbutton', { name: 'Runs' }).fill('2');
    await page.getByRole('spinbutton', { name: 'Runs' }).press('Enter');
    await page.getByRole('button', { name: 'Show all' }).click();
    expect(await page.getByRole('spinbutton', { name: 'Runs' }).inputValue()).toBe('1');
    await page.getByText('The best so far as a table').click();
    await page.getByRole('columnheader', { name: 'Run' }).first().waitFor();
    await tradeOff.getByLabel('Up').selectOption(`x:${HOSTILE}`);
    await tradeOff.getByText(/^\d+ runs; values that meet the targets are shaded\.$/).waitFor();
    await expectAccessible(page);
  });

  test('objectives of several projects, in dark, with names that look like code', async ({ visit }) => {
    const page = await visit(service, `/page/compare?objectives=${ids.join()}`, { colorScheme: 'dark' });
    await page.getByRole('heading', { name: 'Compare 3 objectives' }).waitFor();
    const outputs = page.getByRole('region', { name: 'Outputs of the best runs' });
    await outputs.getByRole('row', { name: HOSTILE }).first().waitFor();
    expect(await outputs.getByText('no such output').count()).toBe(3);
    await screenshot(page, 'compare-dark');
    await page.getByRole('link', { name: /Plate/ }).first().click();
    await page.waitForURL(`**/page/objectives/${ids[2]}`);
  });

  test('on a phone, without scrolling sideways', async ({ visit }) => {
    const page = await visit(service, `/page/compare?objectives=${ids.join()}`, { viewport: PHONE });
    await page.getByRole('heading', { name: 'Compare 3 objectives' }).waitFor();
    await page.locator('.chart canvas').nth(1).waitFor();
    await screenshot(page, 'compare-phone');
    await expectAccessible(page);
  });

  test('a new run is drawn without a reload', async ({ visit }) => {
    const page = await visit(service, `/page/compare?objectives=${ids[2]},${ids[0]}`);
    await page
      .getByText(/objective 1 after|objective 1.* after \d+ run/)
      .first()
      .waitFor();
    const before = await page.getByText(/ after \d+ run/).textContent();
    const suggestion = await service.ok<Suggestion>('POST', `/objectives/${ids[0]}/inverses`, {});
    await service.call('PUT', `/objectives/${ids[0]}/inverses/${suggestion.id}/output`, {
      output: bar(suggestion.input),
    });
    await expect.poll(() => page.getByText(/ after \d+ run/).textContent()).not.toBe(before);
  });

  test('saves CSV, JSON, SVG and PNG', async ({ visit }) => {
    const page = await visit(service, `/page/compare?objectives=${ids[0]},${ids[1]}`);
    await page.locator('.chart canvas').nth(1).waitFor();
    const csv = await saved(page, 'Save CSV');
    expect(csv.split('\r\n')[0]).toBe(
      `objective,run,width (mm),${HOSTILE} (mm),stiffness (N/mm),mass (g),distance,best distance so far,excluded`,
    );
    expect(csv).toMatch(new RegExp(`^${ids[1]},1,`, 'm'));
    expect(JSON.parse(await saved(page, 'Save JSON'))).toMatchObject([
      { objectiveId: ids[0] },
      { objectiveId: ids[1] },
    ]);
    expect(await saved(page, 'Save SVG: Best distance so far')).toContain('</svg>');
    expect(await saved(page, 'Save PNG: mass (g) against stiffness (N/mm)')).toContain('PNG');
  });
});

describe('says what to do', () => {
  test('without two objectives, and where one is not there', async ({ visit }) => {
    const page = await visit(service, '/page/compare?objectives=7', { tolerates: [/status of 404/] });
    await page.getByRole('heading', { name: 'Choose what to compare' }).waitFor();
    await expectAccessible(page);
    await page.goto(`/page/compare?objectives=${ids[0]},999999`);
    await page.getByRole('heading', { name: 'An objective was not found' }).waitFor();
  });
});
