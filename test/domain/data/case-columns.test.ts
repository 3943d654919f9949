import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  columnTitle,
  derivativeTitle,
  fateOfRow,
  guardText,
  ROW_COLUMNS,
  rowColumnOf,
  rowTitle,
  titleOfRow,
  toCaseColumns,
  unguardText,
  verdictTitle,
} from '../../../src/domain/data/case-columns.ts';

describe('titles of columns', () => {
  it('Without names they are x1, x2, ... and y1, y2, ..., and an empty unit is none', () => {
    const { inputs, outputs } = toCaseColumns({
      inputCount: 2,
      outputCount: 1,
      inputNames: null,
      inputUnits: ['kW', ''],
      outputNames: null,
      outputUnits: null,
      categories: [[], ['steel']],
    });
    expect([...inputs, ...outputs].map(columnTitle)).toEqual(['x1 [kW]', 'x2', 'y1']);
    expect(inputs[1]!.categories).toEqual(['steel']);
  });

  it('A column about the row is known by its title, also where an input has taken that', () => {
    for (const column of ROW_COLUMNS) {
      for (const taken of [[], [column], [column, `row:${column}`]]) {
        const title = rowTitle(column, new Set(taken));
        expect(taken).not.toContain(title);
        expect(rowColumnOf(title)).toBe(column);
      }
    }
    expect(['run', 'row:run', 'iteration', 'inverse'].map(rowColumnOf)).toEqual(new Array(4).fill('iteration'));
    expect(ROW_COLUMNS.map((column) => rowColumnOf(titleOfRow(column)))).toEqual(ROW_COLUMNS);
    expect(rowColumnOf(rowTitle(verdictTitle('status'), new Set(['met:status'])))).toBe('ignored');
    expect(rowColumnOf(derivativeTitle('mass', 'width'))).toBe('ignored');
    expect(['x1', 'Status', 'rows', 'row:x1', ''].map(rowColumnOf)).toEqual(new Array(5).fill(undefined));
  });
});

describe('texts in cells', () => {
  it.each(['=1+1', '+x', '-x', '@sum', '\tx', '\rx', "'=x", "''-x"])('%j gets an apostrophe', (text) => {
    expect(guardText(text)).toBe(`'${text}`);
  });

  it.each(['steel', "'steel", '1=1', ' =x', ''])('%j stays', (text) => {
    expect(guardText(text)).toBe(text);
  });

  it('Every text comes back, and no cell begins like a formula', () => {
    const text = fc.string({ unit: fc.constantFrom(..."'=+-@\t\rx ") });
    fc.assert(
      fc.property(text, (sent) => {
        expect(unguardText(guardText(sent))).toBe(sent);
        expect(guardText(sent)).not.toMatch(/^[=+\-@\t\r]/);
      }),
    );
  });
});

describe('what a load makes of a row', () => {
  const row = { hasInput: true, hasOutput: false, status: undefined, excluded: undefined };
  it.each([
    [{ ...row, hasOutput: true }, 'case'],
    [{ ...row, hasOutput: true, status: 'active' }, 'case'],
    [row, 'failed'],
    [{ ...row, status: 'failed', excluded: 'false' }, 'failed'],
    [{ ...row, status: 'active' }, 'left-out'],
    [{ ...row, status: 'stopped' }, 'left-out'],
    [{ ...row, status: 'failed', hasInput: false }, 'left-out'],
    [{ ...row, hasOutput: true, excluded: 'true' }, 'left-out'],
  ] as const)('%j: %s', (sent, fate) => {
    expect(fateOfRow(sent)).toBe(fate);
  });
});
