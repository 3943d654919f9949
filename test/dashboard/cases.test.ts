import { describe, expect, test } from 'vitest';
import { toCsv } from '../../src/dashboard/parts/export.ts';
import { readCases, toFile } from '../../src/dashboard/views/objective/actions/cases.ts';

const inputs = ['Length', 'Alloy'];
const outputs = ['Power', 'Drop'];
const fileOf = (text: string) => toFile(readCases(text, inputs, outputs).file!);

describe('data that is added', () => {
  test('from a spreadsheet becomes a file with decimal points', () => {
    expect(fileOf('Drop [Pa]\tPower\tAlloy\tLength\r\n2,5\t-1,5\tB\t3\r\n')).toBe(
      'Drop [Pa],Power,Alloy,Length\r\n2.5,-1.5,B,3\r\n',
    );
  });

  test('without a header has all inputs, then all outputs', () => {
    const { file } = readCases('3;B;1,5;2\n4;A', inputs, outputs);
    expect(file).toEqual({
      header: ['Length', 'Alloy', 'Power', 'Drop'],
      hasHeader: false,
      rows: [
        ['3', 'B', '1.5', '2'],
        // The run failed.
        ['4', 'A', '', ''],
      ],
    });
    expect(readCases('3,1,1.5,2\n4,0,1,2', inputs, outputs).file!.rows).toEqual([
      ['3', '1', '1.5', '2'],
      ['4', '0', '1', '2'],
    ]);
  });

  test('asks what a comma before three digits means, unless the table says it', () => {
    const text = 'Length\tAlloy\tPower\tDrop\n1\tB\t1,250\t2';
    expect(readCases(text, inputs, outputs).question?.text).toBe('1,250');
    expect(toFile(readCases(text, inputs, outputs, 'point').file!)).toContain('1,B,1250,2');
    expect(toFile(readCases(text, inputs, outputs, 'comma').file!)).toContain('1,B,1.25,2');
    expect(fileOf('Length,Alloy,Power,Drop\n1,B,"1,250",2')).toContain('1,B,1250,2');
  });

  test('from an exported file keeps names that a spreadsheet would run as formulas', () => {
    const exported = toCsv(['-x', "'=a", '@y'], [[1, '-low', -5]]);
    const { file } = readCases(exported, ['-x', "'=a"], ['@y']);
    expect(file).toEqual({ header: ['-x', "'=a", '@y'], hasHeader: true, rows: [['1', '-low', '-5']] });
    expect(toFile(file!)).toBe(exported);
  });

  test('keeps texts as they are, quoted where needed', () => {
    expect(fileOf('Length\tAlloy\tPower\tDrop\n1\t"A, the first"\tn/a\t2')).toBe(
      'Length,Alloy,Power,Drop\r\n1,"A, the first",n/a,2\r\n',
    );
  });

  test.each([
    ['', /Paste rows/],
    ['Length\tAlloy\tPower\tDrop', /no rows below/],
    ['1\t2\t3\t4\t5', /Row 1 has 5 cells; 4 are expected: Length, Alloy, Power, Drop\./],
    ['1\t2\t3\t4\n5', /Row 2 has 1 cell;/],
  ])('%j is refused', (text, message) => {
    expect(readCases(text, inputs, outputs).fault).toMatch(message);
  });
});
