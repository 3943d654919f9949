import { describe, expect, it } from 'vitest';
import { readTable } from '../../src/dashboard/parts/paste.ts';
import { readTargetRows } from '../../src/dashboard/views/batch/target-rows.ts';

const NAMES = ['Druck', 'Masse'];
const read = (text: string) => readTargetRows(readTable(text).rows!, NAMES, [5, null]);

describe('the targets of a batch', () => {
  it.each([
    [
      '4.5\t2\n4.75\t3\n',
      [
        [4.5, 2],
        [4.75, 3],
      ],
    ],
    [
      '\uFEFFMasse [kg];Druck [bar]\r\n2,5;43,25\r\n;44\r\n;\r\n',
      [
        [43.25, 2.5],
        [44, null],
      ],
    ],
    [
      'Druck\n1\n2\n',
      [
        [1, null],
        [2, null],
      ],
    ],
    [
      '1\u202f250,5;2\n2\u202f500,25;\n',
      [
        [1250.5, 2],
        [2500.25, null],
      ],
    ],
  ])('Of %j each row is a search', (text, rows) => {
    expect(read(text).rows).toEqual(rows);
  });

  it.each([
    ['', 'There is no row of targets.'],
    ['1;2;3', 'Paste 2 columns, one for each output (Druck, Masse), or a header that names the columns: a row has 3.'],
    ['a;b\n1;2', 'No column has the name of an output. The outputs are Druck, Masse.'],
    ['Druck;Länge\n1;2', '“Länge” is not an output. The outputs are Druck, Masse.'],
    ['1;2\n3;many', 'Row 2, Masse: “many” is not a number. Write it like 12.5 or 1.2e-3.'],
    ['1;2\n'.repeat(1_001), 'A batch begins with at most 1\u202f000 searches.'],
  ])('Of %j it says what is wrong', (text, fault) => {
    expect(read(text).fault).toBe(fault);
  });
});
