/** Running by hand: what a person at a rig does with the page. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { expectAccessible, PHONE, screenshot, test } from '../support/browser.ts';
import { heatExchanger, loadHeatExchanger } from '../support/heat-exchanger.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { openTab } from './objective-parts.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const ASK = 'Ask for the next input';
const card = (page: Page, iteration: number): Locator => page.getByRole('article', { name: `Run ${iteration}` });
const power = (within: Page | Locator): Locator => within.getByLabel('Power (kW)');
const drop = (within: Page | Locator): Locator => within.getByLabel('Drop (Pa)');

interface ReadObjective {
  readonly stopReason: number;
  readonly inverses: readonly {
    readonly status: string;
    readonly inputs: readonly number[];
    readonly outputs: readonly number[];
    readonly failureReason: string | null;
  }[];
}

/** The input that a card shows, with all digits. */
async function readInput(shown: Locator): Promise<number[]> {
  const texts = await shown.locator('dd').evaluateAll((values) => values.map((value) => value.getAttribute('title')!));
  return texts.map((text) => ('ABC'.includes(text) ? 'ABC'.indexOf(text) : Number(text)));
}

async function fill(shown: Locator, output: readonly (number | string)[]): Promise<void> {
  await power(shown).fill(String(output[0]));
  await drop(shown).fill(String(output[1]));
}

async function load(shown: Locator): Promise<void> {
  await shown.getByRole('button', { name: 'Load the outputs' }).click();
  await shown.waitFor({ state: 'hidden' });
}

async function ask(page: Page, iteration: number): Promise<Locator> {
  await page.getByRole('button', { name: ASK }).click();
  const shown = card(page, iteration);
  await shown.waitFor();
  return shown;
}

const isFocused = (element: Locator): Promise<boolean> => element.evaluate((it) => it === document.activeElement);

/** Puts a text on the clipboard of the page and pastes it into a field. */
async function paste(field: Locator, text: string): Promise<void> {
  await field.evaluate((element, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}

describe('an objective with one input open at a time', () => {
  test('is run by hand until its targets are met', async ({ visit }) => {
    const t = await loadHeatExchanger(service);
    const page = await visit(service, t.page);
    const verdict = page.getByText(/^Met at run \d+\.$/);
    for (let iteration = 2; ; iteration++) {
      const shown = await ask(page, iteration);
      if (iteration === 2) await screenshot(page, 'by hand, an input is open');
      const output = heatExchanger(await readInput(shown));
      // As people type in different countries; three digits after a comma could be thousands.
      await fill(
        shown,
        iteration % 2 === 0
          ? output.map((value) => String(value).replace(/\.(.*)/, (_, digits) => `,${digits.padEnd(4, '0')}`))
          : output,
      );
      await load(shown);
      const outcome = await page.locator('.hand-outcome').innerText();
      expect(outcome).toMatch(/^[012] of 2 met(, best so far)?\.$/);
      if (!outcome.startsWith('2')) continue;
      await verdict.waitFor();
      break;
    }
    await screenshot(page, 'by hand, met');
    const { inverses, stopReason } = await service.ok<ReadObjective>('GET', t.url);
    expect(stopReason).toBe(1);
    expect(inverses.length).toBeGreaterThan(2);
    for (const { inputs, outputs } of inverses.slice(1)) expect(outputs).toEqual(heatExchanger(inputs));
    await expectAccessible(page);
  });

  test('refuses text at its field, and what is typed survives a live update and the tab', async ({ visit }) => {
    const t = await loadHeatExchanger(service);
    const page = await visit(service, t.page);
    const shown = await ask(page, 2);
    await fill(shown, ['9.8 kW', '1.234,5']);
    await shown.getByRole('button', { name: 'Load the outputs' }).click();
    await shown.getByText('Write only the number: 9.8.').waitFor();
    await shown.getByText('Write 1.234,5 without marks between the thousands.').waitFor();
    expect(await power(shown).getAttribute('aria-invalid')).toBe('true');
    await expect.poll(() => isFocused(power(shown))).toBe(true);
    await screenshot(page, 'by hand, faults');
    await expectAccessible(page);

    await fill(shown, ['9,875', '17']);
    await shown.getByRole('button', { name: 'Load the outputs' }).click();
    await shown.getByText('9,875 can mean 9.875 or 9875. Write the one you mean.').waitFor();

    await fill(shown, ['9.75', '1.234,5']);
    // Somebody else changes something.
    await service.ok('PATCH', t.trialUrl.replace(/\/trials.*/, ''), { inputUnits: ['cm', '', ''] });
    await shown.getByText('cm').waitFor();
    expect(await power(shown).inputValue()).toBe('9.75');
    // In another tab, after the first one was closed.
    const tab = await page.context().newPage();
    await page.close();
    await tab.goto(t.page);
    const again = card(tab, 2);
    await again.waitFor();
    expect(await power(again).inputValue()).toBe('9.75');
    expect(await drop(again).inputValue()).toBe('1.234,5');
    await drop(again).fill('17');
    await load(again);
    const { inverses } = await service.ok<ReadObjective>('GET', t.url);
    expect(inverses.at(-1)!.outputs).toEqual([9.75, 17]);
  });

  test('shows two people at one input each other, and the slower one keeps what was typed', async ({ visit }) => {
    const t = await loadHeatExchanger(service);
    const page = await visit(service, t.page);
    const shown = await ask(page, 2);
    const other = await visit(service, t.page);
    const theirs = card(other, 2);
    await theirs.waitFor();
    await power(theirs).fill('9,75');
    await shown.getByText('Somebody else is typing outputs for this input').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'by hand, somebody else types');
    await drop(shown).fill('18');
    await theirs.getByText('Somebody else is typing outputs for this input').waitFor();
    await shown.getByRole('button', { name: 'Show them' }).click();
    await shown.getByText('Power: 9,75').waitFor();
    expect(await drop(shown).inputValue()).toBe('18');
    await drop(theirs).fill('17');
    await load(theirs);
    const overtaken = page.getByRole('article', { name: 'Run 2: your outputs were not loaded' });
    await overtaken.getByText('Another person or program has loaded other outputs of this run').waitFor();
    expect(await overtaken.textContent()).toContain('18');
    // A text that was sent is no draft any more; one that was not still is.
    const drafts = async () =>
      (await service.ok<{ typing: readonly object[] }>('GET', `${t.url}/history`)).typing.length;
    await expect.poll(drafts).toBe(1);
    await overtaken.getByRole('button', { name: /^Discard/ }).click();
    await overtaken.waitFor({ state: 'detached' });
    await expect.poll(drafts).toBe(0);
  });

  test('takes outputs from a spreadsheet, after a preview', async ({ visit }) => {
    const t = await loadHeatExchanger(service);
    const page = await visit(service, t.page);
    const shown = await ask(page, 2);
    await paste(power(shown), 'Drop (Pa)\tPower (kW)\r\n16,5\t9,75\r\n');
    const preview = shown.getByRole('table', { name: 'How the outputs are read' });
    await preview.waitFor();
    await screenshot(page, 'by hand, paste');
    expect(await preview.getByRole('row').allInnerTexts()).toEqual([
      'Output\tRead as',
      'Power (kW)\t9.75',
      'Drop (Pa)\t16.5',
    ]);
    await shown.getByLabel('Paste the outputs').fill('1\t2\t3');
    await shown.getByText('2 values are expected, but there are 3.').waitFor();
    await shown.getByLabel('Paste the outputs').fill('9,875;16');
    const question = shown.getByRole('group', { name: 'What the comma means' });
    await question.waitFor();
    await screenshot(page, 'by hand, what a comma means');
    await expectAccessible(page);
    await question.getByRole('button', { name: '9.875, with a decimal comma' }).click();
    await question.waitFor({ state: 'detached' });
    expect((await preview.getByRole('row').allInnerTexts())[1]).toBe('Power (kW)\t9.875');
    await shown.getByLabel('Paste the outputs').fill('9,75;16,5');
    await shown.getByRole('button', { name: 'Fill these in' }).click();
    expect(await power(shown).inputValue()).toBe('9,75');
    await load(shown);
    expect((await service.ok<ReadObjective>('GET', t.url)).inverses.at(-1)!.outputs).toEqual([9.75, 16.5]);
  });

  test('keeps what the slower of two people has typed, beside what the other one has loaded', async ({ visit }) => {
    const t = await loadHeatExchanger(service);
    const page = await visit(service, t.page);
    const mine = await ask(page, 2);
    await fill(mine, ['9,75', '17']);
    const { inverses } = await service.ok<{ inverses: readonly { id: number }[] }>('GET', t.url);
    const outputUrl = `${t.url}/inverses/${inverses.at(-1)!.id}/output`;
    await service.ok('PUT', outputUrl, { output: [9.25, 16] });
    const overtaken = page.getByRole('article', { name: 'Run 2: your outputs were not loaded' });
    await overtaken.getByText('Another person or program has loaded other outputs of this run').waitFor();
    await screenshot(page, 'by hand, somebody was faster');
    await expectAccessible(page);
    // It survives the tab.
    await page.reload();
    await overtaken.waitFor();
    expect(await overtaken.getByRole('row').allInnerTexts()).toEqual([
      'Output\tStored\tYours',
      'Power (kW)\t9.25\t9,75',
      'Drop (Pa)\t16\t17',
    ]);
    await overtaken.getByRole('button', { name: 'Correct the stored result with mine…' }).click();
    const dialog = page.getByRole('dialog');
    expect(await power(dialog).inputValue()).toBe('9,75');
    await dialog.getByLabel('Reason for the correction').fill('the other one had read the wrong scale');
    await dialog.getByRole('button', { name: 'Correct', exact: true }).click();
    await overtaken.waitFor({ state: 'detached' });
    expect((await service.ok<ReadObjective>('GET', t.url)).inverses.at(-1)!.outputs).toEqual([9.75, 17]);
    expect(await page.evaluate(() => Object.keys(localStorage).filter((name) => name.includes('outputs')))).toEqual([]);
  });

  test('keeps what was typed for an input that somebody gave up, as a further case', async ({ visit }) => {
    const t = await loadHeatExchanger(service);
    const page = await visit(service, t.page);
    await fill(await ask(page, 2), [9.75, 17]);
    await service.ok('POST', `${t.url}/stop`);
    const overtaken = page.getByRole('article', { name: 'Run 2: your outputs were not loaded' });
    await overtaken.getByText('The run was given up in the meantime.').waitFor();
    await overtaken.getByRole('button', { name: 'Add mine as a case' }).click();
    await overtaken.waitFor({ state: 'detached' });
    const cases = await service.ok<readonly object[]>('GET', `${t.trialUrl}/cases`);
    expect(cases.at(-1)).toMatchObject({ output: [9.75, 17], sourceName: 'run 2 after it was given up' });
  });

  test('reports a run that failed, with its reason', async ({ visit }) => {
    const t = await loadHeatExchanger(service);
    const page = await visit(service, t.page);
    const shown = await ask(page, 2);
    const button = shown.getByRole('button', { name: 'The run failed…' });
    await button.click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => isFocused(button)).toBe(true);
    await button.click();
    await page.getByLabel('What happened (optional)').fill('pump tripped');
    await screenshot(page, 'by hand, the run failed');
    await page.getByRole('button', { name: 'Report the failed run' }).click();
    await page.getByText('Run 2 failed.').waitFor();
    const { inverses } = await service.ok<ReadObjective>('GET', t.url);
    expect(inverses.at(-1)).toMatchObject({ status: 'failed', failureReason: 'pump tripped' });
    await ask(page, 3);
  });

  test('works by keyboard alone', async ({ visit }) => {
    const t = await loadHeatExchanger(service);
    const page = await visit(service, t.page);
    await page.getByRole('button', { name: ASK }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // From whichever part is open.
    await openTab(page, 'Insight');
    await page.keyboard.press('/');
    await expect.poll(() => isFocused(page.getByLabel('Go to run'))).toBe(true);
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press('n');
    const shown = card(page, 2);
    await shown.waitFor();
    const heading = shown.getByRole('heading', { name: 'Run 2' });
    await expect.poll(() => isFocused(heading)).toBe(true);
    await page.keyboard.press('n');
    await page.keyboard.type('9.75');
    await page.keyboard.press('Tab');
    // A question mark in a field is text.
    await page.keyboard.type('16?');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Enter');
    const next = page.getByRole('button', { name: ASK });
    await next.waitFor();
    await expect.poll(() => isFocused(next)).toBe(true);
    await page.keyboard.press('Enter');
    await card(page, 3).waitFor();
    expect((await service.ok<ReadObjective>('GET', t.url)).inverses[1]!.outputs).toEqual([9.75, 16]);
  });

  test('shows no control to a key that may only read', async ({ visit }) => {
    const t = await loadHeatExchanger(service);
    await service.ok('POST', `${t.url}/inverses`);
    const { key } = await service.ok<{ key: string }>('POST', '/keys', { label: 'reader', scopes: ['read'] });
    const page = await visit(service, t.page, { key });
    await card(page, 2).getByText('Waiting for its output.').waitFor();
    await screenshot(page, 'by hand, read only');
    const view = page.getByRole('main');
    expect(await view.getByRole('region', { name: 'Next input' }).getByRole('textbox').count()).toBe(0);
    const names = await view.getByRole('button').allInnerTexts();
    for (const control of [/Load/, /failed/, /Stop/, /Give up/, /Change targets/, /Add data/, /Correct/, /Several/]) {
      expect(names.filter((name) => control.test(name))).toEqual([]);
    }
    await page.keyboard.press('n');
    const { inverses } = await service.ok<ReadObjective>('GET', t.url);
    expect(inverses).toHaveLength(2);
  });
});

describe('an objective with several inputs open', () => {
  test('has a form for each; outputs come in any order, and late ones too', async ({ visit }) => {
    const t = await loadHeatExchanger(service, { parallelism: 3, holdBack: false });
    const page = await visit(service, t.page);
    await page.getByLabel('How many inputs').fill('2');
    await page.getByRole('button', { name: 'Ask for inputs' }).click();
    const [first, second, third] = [card(page, 2), card(page, 3), card(page, 4)] as const;
    await first.waitFor();
    await second.waitFor();
    await page.getByRole('button', { name: 'Ask for more' }).click();
    await third.waitFor();
    await page.getByText('No more runs may be open.').waitFor();
    await screenshot(page, 'by hand, several');
    await expectAccessible(page);

    await fill(second, [1, 2]);
    await fill(third, [7.5, 30]);
    await load(third);
    expect(await power(second).inputValue()).toBe('1');
    await power(first).fill('8');
    await first.getByRole('button', { name: 'Give up this run…' }).click();
    await page.getByRole('button', { name: 'Give it up' }).click();
    await first.waitFor({ state: 'hidden' });

    // It is open: what was typed for the input is in there.
    const late = page.getByRole('group').filter({ hasText: 'Late outputs (1)' });
    expect(await power(late).inputValue()).toBe('8');
    await drop(late).fill('25');
    await late.getByRole('button', { name: 'Load the outputs' }).click();
    await page.getByText('Late outputs').waitFor({ state: 'hidden' });
    const { inverses } = await service.ok<ReadObjective>('GET', t.url);
    expect(inverses.slice(1).map(({ outputs, status }) => ({ outputs, status }))).toEqual([
      { outputs: [8, 25], status: 'stopped' },
      { outputs: [], status: 'active' },
      { outputs: [7.5, 30], status: 'active' },
    ]);
  });
});

describe('while the service restarts', () => {
  /** Errors that a browser reports for requests that nothing answers. */
  const tolerates = [/net::ERR_/, /status of 50\d/];

  test('what is typed stays, and is loaded once the service is back', async ({ visit }) => {
    const t = await loadHeatExchanger(service);
    const page = await visit(service, t.page, { tolerates });
    const shown = await ask(page, 2);
    await fill(shown, [9.75, 17]);
    await service.stop();
    try {
      await shown.getByRole('button', { name: 'Load the outputs' }).click();
      await shown.getByText('The service does not respond.').waitFor();
      await screenshot(page, 'by hand, the service is away');
      expect(await power(shown).inputValue()).toBe('9.75');
    } finally {
      await service.start();
    }
    await load(shown);
    expect((await service.ok<ReadObjective>('GET', t.url)).inverses.at(-1)!.outputs).toEqual([9.75, 17]);
  });

  test('a question stays open, through a reload too, and is answered once', async ({ visit }) => {
    const t = await loadHeatExchanger(service);
    const page = await visit(service, t.page, { tolerates });
    await page.getByRole('button', { name: ASK }).waitFor();
    await service.stop();
    try {
      await page.getByRole('button', { name: ASK }).click();
      await page.getByText('Computing; this usually takes less than a second.').waitFor();
    } finally {
      await service.start();
    }
    await page.reload();
    await card(page, 2).waitFor();
    expect((await service.ok<ReadObjective>('GET', t.url)).inverses).toHaveLength(2);
  });
});

describe('on a phone', () => {
  test('the form comes first, its targets are large, and nothing scrolls sideways', async ({ visit }) => {
    const t = await loadHeatExchanger(service);
    const page = await visit(service, t.page, { viewport: PHONE });
    const shown = await ask(page, 2);
    await screenshot(page, 'by hand, phone');
    for (const name of ['Load the outputs', 'The run failed…']) {
      const box = await page.getByRole('button', { name }).boundingBox();
      expect(box!.height, name).toBeGreaterThanOrEqual(44);
    }
    const targets = await page.getByText('Targets', { exact: true }).boundingBox();
    expect((await shown.boundingBox())!.y).toBeLessThan(targets!.y);
    expect(await power(shown).getAttribute('inputmode')).toBe('decimal');
    await expectAccessible(page);
  });
});
