import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasHeader, readValues, splitPaste, withoutUnit } from '../../src/dashboard/parts/paste.ts';
import { readNumber } from '../../src/dashboard/parts/read-number.ts';

describe('a number', () => {
  test.each([
    ['12.5', 12.5],
    [' 12,5 ', 12.5],
    ['-3', -3],
    ['−3,25', -3.25],
    ['+.5', 0.5],
    [',5', 0.5],
    ['5.', 5],
    ['1e-3', 0.001],
    ['1,2E+4', 12_000],
    ['\u00a07', 7],
  ])('%j is %d', (text, value) => {
    expect(readNumber(text)).toEqual({ value });
  });

  test.each([
    ['', /missing/],
    ['  ', /missing/],
    ['abc', /“abc” is not a number/],
    ['NaN', /is not a number/],
    ['Infinity', /is not a number/],
    ['0x10', /is not a number|only the number/],
    ['1e999', /too large/],
    ['12.5 kW', /only the number: 12\.5\./],
    ['12%', /only the number: 12\./],
    ['1,234.5', /without marks/],
    ['1.234,5', /without marks/],
    ["1'234", /without marks/],
    ['1 234', /without marks/],
    ['1.2.3', /is not a number/],
    ['--1', /is not a number/],
  ])('%j is refused', (text, message) => {
    expect(readNumber(text).fault).toMatch(message);
  });

  test('every double is read as it is written, with a point and with a comma', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = String(value);
        expect(readNumber(text).value === value).toBe(true);
        expect(readNumber(text.replace('.', ',')).value === value).toBe(true);
      }),
    );
  });
});

describe('rows of cells', () => {
  test.each<[string, string, string[][]]>([
    [
      'tabs, as spreadsheets copy',
      '1\t2\r\n3\t4\r\n',
      [
        ['1', '2'],
        ['3', '4'],
      ],
    ],
    ['tabs with decimal commas', '1,5\t2,5\n', [['1,5', '2,5']]],
    ['an empty cell', '1\t\t3', [['1', '', '3']]],
    ['an empty line', '1\t2\n\n5\t6\n\n', [['1', '2'], [''], ['5', '6']]],
    [
      'semicolons with decimal commas',
      '1,5;2,5\n3;4',
      [
        ['1,5', '2,5'],
        ['3', '4'],
      ],
    ],
    ['a column of decimal commas', '1,5\n2,5', [['1,5'], ['2,5']]],
    [
      'commas beside points',
      '1.5,2.5\n3,4',
      [
        ['1.5', '2.5'],
        ['3', '4'],
      ],
    ],
    ['commas and spaces', '1, 2, 3', [['1', '2', '3']]],
    [
      'a header with commas',
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['spaces between numbers', ' 1.5  2.5e3\n', [['1.5', '2.5e3']]],
    ['spaces within words', 'first case', [['first case']]],
    [
      'quotes',
      '"a;b";"say ""x"""\n"two\nlines";2',
      [
        ['a;b', 'say "x"'],
        ['two\nlines', '2'],
      ],
    ],
    ['a quote that does not end', '"a\t2', [['"a', '2']]],
    ['lines of an old Mac', '1\r2', [['1'], ['2']]],
    ['a byte order mark', '\ufeffa\tb', [['a', 'b']]],
    ['nothing', ' \n \n', []],
  ])('%s', (_, text, rows) => {
    expect(splitPaste(text)).toEqual(rows);
  });

  test('the width decides what a comma means', () => {
    expect(splitPaste('1,5\n2,5', 2)).toEqual([
      ['1', '5'],
      ['2', '5'],
    ]);
    expect(splitPaste('1,5\n2,5', 1)).toEqual([['1,5'], ['2,5']]);
  });

  test('cells come back whatever they hold', () => {
    const cell = fc
      .string()
      .map((text) => text.trim().replaceAll('\0', ''))
      .filter((text) => text !== '');
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 2 }), { minLength: 1 }), (rows) => {
        const quoted = rows.map((row) => row.map((text) => `"${text.replaceAll('"', '""')}"`).join('\t')).join('\r\n');
        expect(splitPaste(quoted)).toEqual(rows);
      }),
    );
  });

  test('a header has no number', () => {
    expect(hasHeader([['Length', 'Power (kW)']])).toBe(true);
    expect(hasHeader([['Length', '3']])).toBe(false);
    expect(hasHeader([])).toBe(false);
    expect(withoutUnit('Power [kW]')).toBe('Power');
    expect(withoutUnit('Power (kW)')).toBe('Power');
    expect(withoutUnit('Power')).toBe('Power');
  });
});

describe('the values of a run', () => {
  const names = ['Power', 'Drop'];

  test.each([
    ['a row', '1\t2'],
    ['a column', '1\n2\n'],
    ['a column with gaps', '1\n\n2\n'],
    ['semicolons', '1;2'],
    ['commas', '1,2'],
    ['names above', 'Drop [Pa]\tPower [kW]\n2\t1'],
    ['names beside', 'Power\t1\nDrop (Pa)\t2'],
  ])('%s', (_, text) => {
    expect(readValues(text, names)).toEqual({ cells: ['1', '2'] });
  });

  test('decimal commas stay in a column, and for one output', () => {
    expect(readValues('1,5\n2,5', names)).toEqual({ cells: ['1,5', '2,5'] });
    expect(readValues('1,5', ['Power'])).toEqual({ cells: ['1,5'] });
  });

  test('says how many are expected', () => {
    expect(readValues('1\t2\t3', names).fault).toBe('2 values are expected, here are 3.');
    expect(readValues('1', names).fault).toBe('2 values are expected, here is 1.');
    expect(readValues('1\t2\n3\t4', names).fault).toMatch(/one row or one column/);
    expect(readValues('', names).fault).toBe('2 values are expected, here are 0.');
  });
});
