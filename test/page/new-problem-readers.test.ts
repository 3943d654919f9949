/** Describing a problem by keyboard, on a phone, with many inputs, and with names that look like code. */
import type { Locator } from 'playwright-core';
import { describe, expect } from 'vitest';
import { expectAccessible, PHONE, screenshot, test } from '../support/browser.ts';
import { box, button, everything, fill, key, paste, service, started, useService } from './new-problem-steps.ts';

useService();

describe('whoever describes it', () => {
  test('may use the keyboard alone', async ({ visit }) => {
    const page = await visit(service, '/page/new', { key });
    const press = async (control: Locator, key: string) => {
      await control.focus();
      await page.keyboard.press(key);
    };
    await press(button(page, 'Try the example'), 'Enter');
    await press(button(page, 'Add an input'), 'Enter');
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('field-inputs-2-name');
    await page.keyboard.type('colour');
    await press(button(page, 'Move colour up'), 'Enter');
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('field-inputs-1-up');
    await page.keyboard.press('Enter');
    expect(await box(page, 'Name of input 1').inputValue()).toBe('colour');
    await press(button(page, 'Remove colour'), 'Enter');
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('field-inputs-0-name');
    await press(button(page, 'Next: cases'), 'Enter');
    await press(button(page, 'Design the points'), 'Enter');
    await box(page, 'stiffness of case 1').focus();
    await page.keyboard.type('126');
    await page.keyboard.press('Tab');
    await page.keyboard.type('105');
    await press(button(page, 'Next: targets'), 'Enter');
    await press(button(page, 'Start'), 'Enter');
    expect(await started(page)).toMatchObject({ initialOutput: [126, 105] });
  });

  test('may call things as code looks, on a phone', async ({ visit }) => {
    const hostile = '<img src=x onerror=alert(1)>';
    const page = await visit(service, '/page/new', { key, viewport: PHONE });
    await button(page, 'Try the example').click();
    await fill(page, {
      'Name of the problem': `${hostile}"`,
      'Name of input 1': hostile,
      'Name of output 1': `${hostile}'`,
    });
    await screenshot(page, 'new-problem phone');
    await expectAccessible(page);
    await button(page, 'Next: cases').click();
    await button(page, 'Design the points').click();
    await fill(page, { [`${hostile}' of case 1`]: '1', 'mass of case 1': '2' });
    await screenshot(page, 'new-problem cases phone');
    await expectAccessible(page);
    await button(page, 'Next: targets').click();
    await screenshot(page, 'new-problem targets phone');
    await expectAccessible(page);
    await button(page, 'Start').click();
    await started(page);
    expect((await everything()).projects).toMatchObject([{ name: `${hostile}"`, inputNames: [hostile, 'thickness'] }]);
  });

  test('may have 200 inputs', async ({ visit }) => {
    const page = await visit(service, '/page/new', { key, colorScheme: 'dark' });
    const rows = Array.from({ length: 200 }, (_, i) => `input ${i + 1},mm,0,${i + 1}`);
    await paste(page, page.getByLabel('Inputs from a spreadsheet'), ['name,unit,min,max', ...rows].join('\n'));
    await page.getByText('200 inputs added.').waitFor();
    await fill(page, { 'Name of the problem': 'Many inputs', 'Maximum of input 200': '3' });
    expect(await box(page, 'Maximum of input 200').inputValue()).toBe('3');
    await screenshot(page, 'new-problem 200 inputs dark');
    await button(page, 'Next: cases').click();
    await button(page, 'Design the points').click();
    await fill(page, { 'y1 of case 1': '4' });
    await screenshot(page, 'new-problem 200 inputs cases dark');
    await expectAccessible(page);
    await button(page, 'Next: targets').click();
    await fill(page, { 'Target of y1': '7' });
    await button(page, 'Start').click();
    expect(await started(page)).toMatchObject({ initialOutput: [4] });
  });
});
