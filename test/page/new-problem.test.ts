/** From an empty service to a running objective, in a real browser on a real service. */
import { describe, expect } from 'vitest';
import { createKey } from '../../src/application/accounts/manage-keys.ts';
import { expectAccessible, screenshot, test } from '../support/browser.ts';
import { dropFile } from './drop-file.ts';
import {
  box,
  button,
  designExample,
  everything,
  fill,
  key,
  ok,
  paste,
  service,
  started,
  useService,
} from './new-problem-steps.ts';

useService();

describe('a new problem', () => {
  test('is described by form and started from its best case', async ({ visit }) => {
    const page = await visit(service, '/page', { key });
    await page.getByRole('navigation').getByRole('link', { name: 'New problem' }).click();
    await page.getByText('Describe what you can set').waitFor();
    await screenshot(page, 'new-problem empty');
    await expectAccessible(page);
    await fill(page, {
      'Name of the problem': 'Heat exchanger',
      'Name of input 1': 'length',
      'Unit of length': 'm',
      'Minimum of length': '0,5',
      'Maximum of length': '4',
      'Name of input 2': 'alloy',
      'Name of output 1': 'power',
      'Unit of power': 'kW',
    });
    await page.getByLabel('Type of alloy').selectOption('category');
    await box(page, 'Categories of alloy').fill('steel, copper, glass');
    await button(page, 'Add an output').click();
    await fill(page, { 'Name of output 2': 'drop', 'Unit of drop': 'Pa' });
    await button(page, 'Next: cases').click();
    await box(page, 'How many points').fill('4');
    await button(page, 'Design the points').click();
    await fill(page, {
      'power of case 1': '8,5',
      'drop of case 1': '12',
      'power of case 2': '9.6',
      'drop of case 2': '18',
    });
    await fill(page, { 'power of case 4': '4', 'drop of case 4': '2' });
    await page.getByText('now 1 of 4 is blank').waitFor();
    await screenshot(page, 'new-problem cases');
    await expectAccessible(page);
    await button(page, 'Next: targets').click();
    await fill(page, { 'Target of power': '10' });
    await page.getByText('9.9 … 10.1 kW').waitFor();
    await page.getByLabel('What is wanted of drop').selectOption('lessthan_equal');
    await fill(page, { 'Target of drop': '20', 'Runs at most': '40', 'Parallel runs': '2' });
    await page.getByText('≤ 20 Pa').waitFor();
    await page.getByText('It starts from the best of 3 runs.').waitFor();
    await screenshot(page, 'new-problem targets');
    await expectAccessible(page);
    await button(page, 'Start').click();
    expect(await started(page)).toMatchObject({
      objectives: [10, 20],
      objectiveTypes: ['percent', 'lessthan_equal'],
      minimumBounds: [-1, null],
      maximumBounds: [1, null],
      maximumAttempts: 40,
      parallelism: 2,
      initialOutput: [9.6, 18],
    });
    const { projects } = await everything();
    expect(projects).toMatchObject([
      {
        name: 'Heat exchanger',
        minimums: [0.5, 1],
        maximums: [4, 3],
        inputNames: ['length', 'alloy'],
        categories: [[], ['steel', 'copper', 'glass']],
        outputUnits: ['kW', 'Pa'],
        caseCount: 4,
      },
    ]);
    // The draft is used up.
    await page.goto('/page/new');
    await expect.poll(() => box(page, 'Name of the problem').inputValue()).toBe('');
  });

  test('is pasted from a spreadsheet, and its points go there and back', async ({ visit }) => {
    const page = await visit(service, '/page/new', { key });
    const inputs =
      'Name\tUnit\tMin\tMax\tType\tOptions\nwidth\tmm\t10\t60\t\t\nholes\t\t1\t8\tinteger\t\nalloy\t\t\t\t\tsteel, copper\n';
    await paste(page, page.getByLabel('Inputs from a spreadsheet'), inputs);
    await page.getByText('3 inputs added.').waitFor();
    expect(await box(page, 'Maximum of holes').inputValue()).toBe('8');
    await fill(page, { 'Name of the problem': 'Bracket', 'Name of output 1': 'stiffness' });
    await button(page, 'Next: cases').click();
    await button(page, 'Design the points').click();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await button(page, 'Copy for a spreadsheet').click();
    await page.getByText('3 rows copied.').waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    const [header, ...rows] = copied.replace(/\n$/, '').split('\n');
    expect(header).toBe('case\twidth [mm]\tholes\talloy\tstiffness');
    expect(rows[0]).toMatch(/^1\t35\t\d\tsteel\t$/);
    // Sorted otherwise, with decimal commas, and with a run that failed.
    const returned = [header, `${rows[2]}7,5`, `${rows[0]}5`, rows[1]].join('\n');
    await paste(page, page.getByLabel('Outputs from a spreadsheet'), returned);
    await page.getByText('The outputs are in the table.').waitFor();
    expect(await box(page, 'stiffness of case 3').inputValue()).toBe('7,5');
    await page.getByText('now 1 of 3 is blank').waitFor();
    // A column pasted into a cell fills downwards.
    await paste(page, box(page, 'stiffness of case 2'), '6\n7\n');
    expect(await box(page, 'stiffness of case 3').inputValue()).toBe('7');
    await button(page, 'Next: targets').click();
    await page.getByLabel('What is wanted of stiffness').selectOption('maximize');
    await fill(page, { 'Target of stiffness': '9' });
    await button(page, 'Start').click();
    expect(await started(page)).toMatchObject({ objectiveTypes: ['maximize'], initialOutput: [7] });
  });

  test('asks what the commas of a dropped file mean, once for all of it', async ({ visit }) => {
    const page = await visit(service, '/page/new', { key });
    await fill(page, {
      'Name of the problem': 'Commas',
      'Name of input 1': 'T',
      'Minimum of T': '1000',
      'Maximum of T': '2000',
      'Name of output 1': 'power',
    });
    await page.getByRole('button', { name: 'Remove input 2' }).click();
    await button(page, 'Next: cases').click();
    await page.getByLabel('Runs I have already made').check();
    const group = page.getByRole('group', { name: 'Your runs' });
    expect(await dropFile(group, 'rig.csv', 'T;power\n1,250;3,960\n1,500;4,000\n')).toBe(true);
    await screenshot(page, 'new-problem what a comma means');
    await expectAccessible(page);
    await group.getByRole('button', { name: '1250, the comma separates thousands' }).click();
    await page.getByText('2 rows read. 1,250 is read as 1250.').waitFor();
    await button(page, 'Next: targets').click();
    await page.getByLabel('What is wanted of power').selectOption('lessthan_equal');
    await fill(page, { 'Target of power': '3,500' });
    await button(page, 'Start').click();
    await page.getByText('3,500 can mean 3.500 or 3500. Write the one you mean.').waitFor();
    await fill(page, { 'Target of power': '3500' });
    await button(page, 'Start').click();
    expect(await started(page)).toMatchObject({ initialInput: [1250], initialOutput: [3960] });
    await page.getByText('3960').first().waitFor();
  });

  test('begins with runs of a CSV file: faults at their cells, columns by name, in an existing model', async ({
    visit,
  }) => {
    const model = await ok<{ id: number }>('POST', '/models', { name: 'Existing model' });
    const page = await visit(service, '/page/new', { key });
    await page.getByLabel('Model').selectOption(String(model.id));
    await fill(page, {
      'Name of the problem': 'Own runs',
      'Name of input 1': 'T',
      'Minimum of T': '300',
      'Maximum of T': '400',
      'Name of input 2': 'alloy',
      'Name of output 1': 'power',
    });
    await page.getByLabel('Type of alloy').selectOption('category');
    await box(page, 'Categories of alloy').fill('steel; copper');
    await button(page, 'Next: cases').click();
    await page.getByLabel('Runs I have already made').check();
    const csv =
      'leistung,t [K],Alloy,note\n9.2,350,copper,a\n,360,steel,failed\n8.8,420,steel,hot\n9,370,tin,b\n9.5,380,Steel,c\n';
    expect(await dropFile(page.getByRole('group', { name: 'Your runs' }), 'rig.csv', csv)).toBe(true);
    await page.getByText('5 rows read.').waitFor();
    await page.getByText('Choose the column of power.').waitFor();
    await page.getByLabel('What leistung is').selectOption('y0');
    await page.getByText('Is outside 300 … 400.').waitFor();
    await page.getByText('Must be one of steel, copper.').waitFor();
    await screenshot(page, 'new-problem own data');
    await expectAccessible(page);
    await box(page, 'Alloy of row 4').fill('copper');
    await box(page, 'Alloy of row 4').press('Tab');
    await button(page, 'Leave out the rows with errors').click();
    await page.getByText('4 runs, 1 of them failed (no outputs)').waitFor();
    await button(page, 'Next: targets').click();
    await page.getByLabel('What is wanted of power').selectOption('value');
    await fill(page, { 'Target of power': '10', 'From, offset of power': '-0.1', 'To, offset of power': '0.1' });
    await button(page, 'Start').click();
    expect(await started(page)).toMatchObject({ initialInput: [380, 1], initialOutput: [9.5] });
    const { models, objectives } = await everything();
    expect(models).toHaveLength(1);
    const { modelId, projectId, trialId } = objectives[0]!;
    const path = `/models/${modelId}/projects/${projectId}`;
    expect(await ok('GET', `${path}/trials/${trialId}/cases`)).toMatchObject([
      { input: [350, 2], output: [9.2] },
      { input: [360, 1], output: null, failed: true },
      { input: [370, 2], output: [9] },
      { input: [380, 1], output: [9.5] },
    ]);
  });
});

describe('faults', () => {
  test('of the service stand at their fields, in whatever part they are', async ({ visit }) => {
    await ok('POST', '/models', { name: 'Bracket example' });
    const page = await visit(service, '/page/new', { key, tolerates: [/status of 400/, /status of 409/] });
    await button(page, 'Try the example').click();
    await fill(page, { 'Minimum of width': '70', 'Resolution of thickness': '50' });
    await button(page, 'Next: cases').click();
    // The name of the model is taken, which is told before anything is designed.
    await expect.poll(() => page.getByLabel('Name of the problem').getAttribute('aria-invalid')).toBe('true');
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('field-name');
    await fill(page, { 'Name of the problem': 'Bracket 2' });
    await button(page, 'Next: cases').click();
    await button(page, 'Design the points').click();
    await page.getByText('Must be at least the minimum (70), is 60.').waitFor();
    const maximum = box(page, 'Maximum of width');
    expect(await maximum.getAttribute('aria-describedby')).toBe('fault-inputs-0-maximum');
    await screenshot(page, 'new-problem faults');
    await expectAccessible(page);
    await fill(page, { 'Minimum of width': '10' });
    // Each part is checked before the next one.
    await maximum.fill('sixty');
    await button(page, 'Next: cases').click();
    await page.getByText('“sixty” is not a number').waitFor();
    expect(new URL(page.url()).search).toBe('');
    await maximum.fill('60');
    await fill(page, { 'Resolution of thickness': '0.5' });
    await page.getByText('Constraints among the inputs').click();
    await page.getByLabel('One per line').fill('\nwidth + thicknes <= 65');
    await button(page, 'Next: cases').click();
    await button(page, 'Design the points').click();
    await page.getByText(/^Line 2: .*did you mean thickness\?/).waitFor();
    await page.getByLabel('One per line').fill('width + thickness <= 65');
    await button(page, 'Next: cases').click();
    await button(page, 'Design the points').click();
    await fill(page, { 'stiffness of case 1': '1o' });
    await page.getByRole('link', { name: '3 Targets' }).click();
    await fill(page, { 'To, percent of stiffness': '-3', 'Parallel runs': '65' });
    await button(page, 'Start').click();
    await page.getByText(/“1o” is not a number|Write only the number/).waitFor();
    await fill(page, { 'stiffness of case 1': '10', 'mass of case 1': '20' });
    await page.getByRole('link', { name: /3 Targets/ }).click();
    await button(page, 'Start').click();
    await page.getByText('Must be greater than the start of the range (-2), is -3.').waitFor();
    await fill(page, { 'To, percent of stiffness': '2' });
    await button(page, 'Start').click();
    await expect.poll(() => box(page, 'Parallel runs').getAttribute('aria-invalid')).toBe('true');
    await fill(page, { 'Parallel runs': '1' });
    await button(page, 'Start').click();
    await started(page);
    // Nothing that was refused on the way has left anything behind.
    const { models, projects, objectives } = await everything();
    expect([models.length, projects.length, objectives.length]).toEqual([2, 1, 1]);
  });

  test('a key that may only read is told why it cannot', async ({ visit }) => {
    const key = await createKey(service.service.db, {
      account: 'test',
      label: null,
      scopes: ['read'],
      expiresAt: null,
    });
    const page = await visit(service, '/page/new', { key });
    await page.getByRole('heading', { name: 'This key may only read' }).waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    await expectAccessible(page);
  });
});

describe('nothing is lost and nothing happens twice', () => {
  test('a reload in the middle keeps the draft, its points and what was typed', async ({ visit }) => {
    const page = await visit(service, '/page/new', { key });
    await designExample(page);
    await fill(page, { 'stiffness of case 1': '126', 'mass of case 1': '105' });
    await page.reload();
    expect(await box(page, 'stiffness of case 1').inputValue()).toBe('126');
    await button(page, 'Next: targets').click();
    // Labels and order change no point, and the outputs stay with theirs.
    await page.getByRole('link', { name: '1 Inputs and outputs' }).click();
    await button(page, 'Move mass up').click();
    await fill(page, { 'Name of output 1': 'weight' });
    await page.getByRole('link', { name: '2 Cases' }).click();
    expect(await box(page, 'weight of case 1').inputValue()).toBe('105');
    await page.getByRole('link', { name: '3 Targets' }).click();
    await button(page, 'Start').click();
    expect(await started(page)).toMatchObject({ objectives: [60, 90], initialOutput: [105, 126] });
    const { models, projects, objectives } = await everything();
    expect([models.length, projects.length, objectives.length]).toEqual([1, 1, 1]);
  });

  test('a draft is continued in another browser, and the one that was there is offered again', async ({ visit }) => {
    const page = await visit(service, '/page/new', { key });
    await box(page, 'Name of the problem').fill('Heat');
    const texts = async () =>
      (await ok<{ drafts: readonly { text: string }[] }>('GET', '/drafts')).drafts.map(
        ({ text }) => JSON.parse(text).name,
      );
    await expect.poll(texts).toEqual(['Heat']);
    const other = await visit(service, '/page/new', { key });
    await other.getByText('There is a draft, “Heat”').waitFor();
    await expectAccessible(other);
    await box(other, 'Name of the problem').fill('Wave');
    await expect.poll(texts).toEqual(['Wave', 'Heat']);
    await other.reload();
    await other.getByText('There is another draft, “Heat”').waitFor();
    await button(other, 'Continue with it').click();
    await expect.poll(() => box(other, 'Name of the problem').inputValue()).toBe('Heat');
    await other.reload();
    await other.getByText('There is another draft, “Wave”').waitFor();
    expect(await box(other, 'Name of the problem').inputValue()).toBe('Heat');
    await button(other, 'Delete it').click();
    await expect.poll(() => other.getByText('There is another draft').count()).toBe(0);
    await expect.poll(async () => new Set(await texts())).toEqual(new Set(['Heat']));
  });

  test('measured values to fit are pasted with their standard errors, and one is missing', async ({ visit }) => {
    const page = await visit(service, '/page/new', { key });
    await designExample(page);
    await fill(page, { 'stiffness of case 1': '126', 'mass of case 1': '105' });
    await button(page, 'Next: targets').click();
    await page.getByLabel('What is wanted of stiffness').selectOption('fit');
    await page.getByLabel('What is wanted of mass').selectOption('fit');
    await paste(page, box(page, 'Measured values'), '91,5\t2 %\n\t');
    await page.getByText('2 rows taken.').waitFor();
    expect(await box(page, 'Standard error of the measured stiffness').inputValue()).toBe('2 %');
    await expectAccessible(page);
    await button(page, 'Start').click();
    expect(await started(page)).toMatchObject({
      objectives: [91.5, null],
      fits: [{ outputs: [0, 1], sigma: { relative: 0.02 } }],
    });
  });

  test('other bounds need other points: those that were run must be run again', async ({ visit }) => {
    const page = await visit(service, '/page/new', { key });
    await designExample(page);
    await fill(page, { 'stiffness of case 1': '126', 'mass of case 1': '105' });
    await page.getByRole('link', { name: '1 Inputs and outputs' }).click();
    await fill(page, { 'Maximum of width': '80' });
    await page.getByRole('link', { name: '3 Targets' }).click();
    await button(page, 'Start').click();
    await page.getByText('The inputs have changed, so there are new points. Run the new ones.').waitFor();
    expect(await box(page, 'stiffness of case 1').inputValue()).toBe('');
    const { projects } = await everything();
    expect(projects).toMatchObject([{ maximums: [80, 10] }]);
  });

  test('two clicks, and a second tab, start one objective', async ({ visit }) => {
    // The second request of the two asks again until the first is answered.
    const page = await visit(service, '/page/new', { key, tolerates: [/status of 409/] });
    await designExample(page);
    await fill(page, { 'stiffness of case 1': '126', 'mass of case 1': '105' });
    await page.getByRole('link', { name: '3 Targets' }).click();
    // The draft is kept a moment after the last change.
    await expect.poll(() => page.evaluate(() => Object.values(localStorage).join())).toContain('126');
    const tab = await page.context().newPage();
    await tab.goto('/page/new?part=targets');
    // The tab has to take up the draft before the other one gives it up.
    await button(tab, 'Start').waitFor();
    await Promise.all([button(page, 'Start').dblclick(), button(tab, 'Start').dblclick()]);
    // While the first request runs for long the other tab stops asking, and says so. Starting again is what helps.
    const isStarted = async () => {
      if (/objectives\/\d+$/.test(tab.url())) return true;
      if (await tab.getByRole('alert').isVisible()) await button(tab, 'Start').click();
      return false;
    };
    const first = await started(page);
    await expect.poll(isStarted).toBe(true);
    const second = await started(tab);
    expect(first['id']).toBe(second['id']);
    const { models, projects, objectives } = await everything();
    expect([models.length, projects.length, objectives.length]).toEqual([1, 1, 1]);
  });

  test('an answer that was lost is asked for again', async ({ visit }) => {
    const page = await visit(service, '/page/new', { key, tolerates: [/Failed to load resource/] });
    await designExample(page);
    await fill(page, { 'stiffness of case 1': '126', 'mass of case 1': '105' });
    await page.getByRole('link', { name: '3 Targets' }).click();
    // The service does the work, and the page never hears of it.
    await page.route('**/objectives', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await button(page, 'Start').click();
    await page.getByText('The service does not respond.').waitFor();
    await page.unroute('**/objectives');
    await page.reload();
    await button(page, 'Start').click();
    await started(page);
    expect((await everything()).objectives).toHaveLength(1);
  });

  test('a draft that is given up takes its model with it', async ({ visit }) => {
    const page = await visit(service, '/page/new', { key });
    await designExample(page);
    await button(page, 'Start over').click();
    await button(page, 'Keep it').click();
    await button(page, 'Start over').click();
    await button(page, 'Delete the draft').click();
    await page.getByText('Describe what you can set').waitFor();
    expect((await everything()).models).toEqual([]);
  });
});
