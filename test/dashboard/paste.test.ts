import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasHeader, readTable, readValues, splitPaste, withoutUnit } from '../../src/dashboard/parts/paste.ts';
import { AMBIGUOUS, readNumber } from '../../src/dashboard/parts/read-number.ts';
import { grouped, short } from '../../src/presentation/formats.ts';

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
    ['−1.2e−5', -1.2e-5],
    ['0,125', 0.125],
    ['1.250', 1.25],
    ['1250,375', 1250.375],
    ['3\u202f960', 3960],
    ['12\u00a0345\u00a0678,5', 12_345_678.5],
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
    ['1,250', /^1,250 can mean 1\.250 or 1250\. Write the one you mean\.$/],
    ['−12,500', /^-12,500 can mean -12\.500 or -12500/],
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
        const withComma = text.replace('.', ',');
        if (!AMBIGUOUS.test(withComma)) expect(readNumber(withComma).value === value).toBe(true);
      }),
    );
  });
});

describe('a number that is shown', () => {
  test('is read back as the same number, however large or small', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, min: -1e300, max: 1e300 }), (value) => {
        expect(short(readNumber(short(value)).value!)).toBe(short(value));
      }),
    );
    expect(short(3960)).toBe('3960');
    expect(short(-1_234_567)).toBe('−1234600');
    expect(grouped(1_234_567)).toBe('1\u202f234\u202f567');
    expect(readNumber(grouped(1_234_567))).toEqual({ value: 1_234_567 });
  });
});

describe('a comma before three digits', () => {
  const rowsOf = (text: string) => readTable(text).rows;

  test.each<[string, string, string[][]]>([
    ['separates thousands where another cell of its column has a decimal point', '1,250\n3.5\n', [['1250'], ['3.5']]],
    ['is a decimal sign where another cell of its column has one', '1,250\n3,5\n', [['1.250'], ['3,5']]],
    [
      'separates thousands beside groups of them',
      '1,250\tx\n3,960,000\ty',
      [
        ['1250', 'x'],
        ['3960000', 'y'],
      ],
    ],
    [
      'separates thousands beside a fraction',
      '1,250\tx\n3,960.5\ty',
      [
        ['1250', 'x'],
        ['3960.5', 'y'],
      ],
    ],
    ['means what it does in the rest of the table', '1,250\t0.5', [['1250', '0.5']]],
    [
      'is asked of each column first',
      '1,250\t1,250\n0.5\t0,5',
      [
        ['1250', '1.250'],
        ['0.5', '0,5'],
      ],
    ],
    [
      'within quotes of a file with commas separates thousands',
      'a,b\n"1,250",7',
      [
        ['a', 'b'],
        ['1250', '7'],
      ],
    ],
    ['makes points the marks of thousands where it is the decimal sign', '1.250\t3,5', [['1250', '3,5']]],
  ])('%s', (_, text, rows) => {
    expect(rowsOf(text)).toEqual(rows);
  });

  test('is asked about once where nothing decides, and the answer counts for all', () => {
    const text = 'heat\twear\n1,250\t3,960\n7\t8';
    expect(readTable(text).question).toEqual({ text: '1,250', readings: { comma: '1.250', point: '1250' } });
    expect(readTable(text, { sign: 'comma' }).rows!.slice(1)).toEqual([
      ['1.250', '3.960'],
      ['7', '8'],
    ]);
    expect(readTable(text, { sign: 'point' }).rows!.slice(1)).toEqual([
      ['1250', '3960'],
      ['7', '8'],
    ]);
  });

  test('is asked about where a column has both signs', () => {
    expect(readTable('1,250\n0.5\n0,5').question?.text).toBe('1,250');
  });

  test('is said to be read, and so is a point', () => {
    expect(readTable('1,250\n3.5').note).toBe('1,250 is read as 1250.');
    expect(readTable('9.875\t16.250')).toEqual({ rows: [['9.875', '16.250']], note: '9.875 is read as 9.875.' });
    expect(readTable('9.5\t16').note).toBe('');
  });

  test('is asked about in the outputs of one run', () => {
    expect(readValues('1,250\t7', ['heat', 'wear']).question?.readings).toEqual({ comma: '1.250', point: '1250' });
    expect(readValues('1,250\t7', ['heat', 'wear'], 'point').cells).toEqual(['1250', '7']);
    expect(readValues('1,250.5\n3,960', ['heat', 'wear']).cells).toEqual(['1250.5', '3960']);
  });

  test('spaces and apostrophes between thousands are taken away', () => {
    expect(rowsOf("1 250\t3'960,5\t12\u202f000")).toEqual([['1250', '3960.5', '12000']]);
    expect(rowsOf('1\u00a0250\n3\u00a0960')).toEqual([['1250'], ['3960']]);
  });

  test('a row of such numbers is no header', () => {
    expect(hasHeader([['1 250', '1,250.5']])).toBe(false);
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
    expect(readValues('1\t2\t3', names).fault).toBe('2 values are expected, but there are 3.');
    expect(readValues('1', names).fault).toBe('2 values are expected, but there is 1.');
    expect(readValues('1\t2\n3\t4', names).fault).toMatch(/one row or one column/);
    expect(readValues('', names).fault).toBe('2 values are expected, but there are 0.');
  });
});
