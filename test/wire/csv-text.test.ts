import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CaseTable } from '../../src/domain/data/case-table.ts';
import { parseCsvText } from '../../src/http/body/csv-text.ts';

const CELLS = { values: 3_000_000 };

function read(text: string | Uint8Array, limits = CELLS) {
  return parseCsvText(typeof text === 'string' ? Buffer.from(text) : text, limits);
}

/** The cells as a reader of the file would see them: numbers, texts, null for empty ones. */
function cellsOf(text: string | Uint8Array): (number | string | null)[][] {
  const { headings, values, marks, texts } = tableOf(text);
  return Array.from({ length: values.rows }, (_, i) =>
    headings.map((_, j) => {
      const mark = marks[i * headings.length + j]!;
      if (mark === 0) return values.values[i * headings.length + j]!;
      return mark > 0 ? texts[mark - 1]! : null;
    }),
  );
}

function tableOf(text: string | Uint8Array): CaseTable {
  const result = read(text);
  if (result.kind === 'unreadable' || result.value.kind === 'violations') throw new Error(JSON.stringify(result));
  return result.value.value;
}

function titlesOf(text: string): (string | null)[] {
  return tableOf(text).headings.map(({ title }) => title);
}

/** Faults of the file, each as `property: message`. */
function faultsOf(text: string | Uint8Array): readonly string[] {
  const result = read(text);
  if (result.kind === 'unreadable') return [result.message];
  if (result.value.kind === 'value') return [];
  return result.value.violations.map(({ property, message }) => `${property}: ${message}`);
}

describe('what a CSV file may look like', () => {
  it('A header and rows of numbers become a table, whatever ends the lines', () => {
    const rows = [
      [1.5, -2],
      [3e-5, 4],
    ];
    for (const end of ['\n', '\r\n', '\r']) {
      const lines = ['a,b', '1.5,-2', '3e-5,+4.'];
      expect(cellsOf(lines.join(end))).toEqual(rows);
      expect(cellsOf(lines.join(end) + end)).toEqual(rows);
      expect(cellsOf(`${lines.join(end)}${end}${end}\t${end},${end}`)).toEqual(rows);
    }
    expect(cellsOf('a,b\r\n1.5,-2\n3e-5,4\r\n')).toEqual(rows);
  });

  it('A byte order mark does not belong to the first name', () => {
    expect(titlesOf('\ufeffT,p\n1,2')).toEqual(['T', 'p']);
    expect(titlesOf('\ufeff"T",p\n1,2')).toEqual(['T', 'p']);
  });

  it('Quoted cells may contain separators, quotes and line breaks, in the header as well', () => {
    expect(titlesOf('"T, hot",p\n1,2')).toEqual(['T, hot', 'p']);
    expect(cellsOf('a,b,c\n"x, y","say ""no""","two\r\nlines"\n1,2,3')).toEqual([
      ['x, y', 'say "no"', 'two\r\nlines'],
      [1, 2, 3],
    ]);
    expect(cellsOf('a,b\n 1 , "2" \n')).toEqual([[1, 2]]);
  });

  it('Whatever texts a table has, its quoted form reads back as the same texts', () => {
    const cell = fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => `t${text}t`);
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 8 }), (rows) => {
        const quoted = (one: string) => `"${one.replaceAll('"', '""')}"`;
        const text = [['a', 'b', 'c'], ...rows].map((row) => row.map(quoted).join(',')).join('\r\n');
        expect(cellsOf(text)).toEqual(rows);
      }),
    );
  });

  it('Every finite number reads back to the bit', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(cellsOf(`a,b\n${value},1`)).toEqual([[value + 0, 1]]);
      }),
    );
  });

  it('Empty cells are kept apart from zeros', () => {
    expect(cellsOf('a,b,c\n0,,""\n')).toEqual([[0, null, null]]);
  });

  it('The line of a row is that of the file, with empty lines and line breaks in quotes', () => {
    expect(tableOf('a,b\n\n1,2\n"x\ny",3\n\n4,5\n').lines).toEqual([3, 5, 7]);
  });
});

describe('semicolons and decimal commas', () => {
  it('Semicolons separate cells where the header has no commas, and decimal commas are numbers then', () => {
    expect(cellsOf('a;b\n1,5;-2\n3,5e2;,25')).toEqual([
      [1.5, -2],
      [350, 0.25],
    ]);
    expect(cellsOf('a;b\n1.5;2')).toEqual([[1.5, 2]]);
    expect(titlesOf('"T, hot";p\n1;2')).toEqual(['T, hot', 'p']);
  });

  it('A file with both decimal marks is ambiguous: what differs from the first one is no number', () => {
    expect(cellsOf('a;b\n1,5;2.5')).toEqual([[1.5, '2.5']]);
    expect(cellsOf('a;b\n1.5;2,5')).toEqual([[1.5, '2,5']]);
    expect(cellsOf('a;b\n1.234,5;2')).toEqual([['1.234,5', 2]]);
  });

  it('A decimal comma between commas gives a row of another length, with advice', () => {
    expect(faultsOf('a,b\n1,5,2,5\n')).toEqual([
      'row 1 (line 2): must have as many cells as the header (2), has 4. Write decimal points (1.5, not 1,5), or separate the cells by semicolons; put a text with a comma in double quotes.',
    ]);
    expect(cellsOf('a,b\n"1,5",2')).toEqual([['1,5', 2]]);
  });
});

describe('what a CSV file must not look like', () => {
  it('Texts that other programs write for numbers are texts', () => {
    const texts = ['NaN', 'inf', '-Infinity', '1e400', '0x10', '1_000', '1 000', '#DIV/0!', 'NULL', '--1', '1e', '.'];
    expect(cellsOf(`a,b\n${texts.map((text) => `${text},1`).join('\n')}`)).toEqual(texts.map((text) => [text, 1]));
  });

  it('Rows of another length are named with row and line', () => {
    expect(faultsOf('a,b\n1,2\n\n3\n4,5,6\n')).toEqual([
      'row 2 (line 4): must have as many cells as the header (2), has 1.',
      expect.stringMatching(
        /^row 3 \(line 5\): must have as many cells as the header \(2\), has 3\. Write decimal points/,
      ),
    ]);
  });

  it('A stray or open quote is named with its line', () => {
    expect(faultsOf('a,b\n1,2\n3,4"\n')).toEqual([expect.stringMatching(/^line 3: has a stray double quote/)]);
    expect(faultsOf('a,b\n1,2\n"3"4,5\n')).toEqual([expect.stringMatching(/^line 3: has a stray double quote/)]);
    expect(faultsOf('a,b\n1,2\n3,"4\n5,6\n')).toEqual([
      expect.stringContaining('opens a double quote that nothing closes'),
    ]);
  });

  it('A file without rows, or without anything, says what it lacks', () => {
    expect(faultsOf('')).toEqual([expect.stringContaining('it is empty')]);
    expect(faultsOf('\r\n\r\n')).toEqual([expect.stringContaining('it is empty')]);
    expect(faultsOf('a,b\n')).toEqual([expect.stringContaining('it has only a header (a, b)')]);
  });

  it('Text in another encoding is refused', () => {
    expect(read(Buffer.from('T \u00e4,b\n1,2', 'latin1'))).toEqual({
      kind: 'unreadable',
      message: expect.stringContaining('UTF-8'),
    });
    expect(faultsOf('a\u0000,b\n1,2')).toEqual([expect.stringContaining('UTF-8')]);
  });

  it('At most 50 faults are listed', () => {
    expect(faultsOf(`a,b\n${'1\n'.repeat(1_000)}`)).toHaveLength(50);
  });

  it('One row more than 10,000 is refused with its number', () => {
    expect(tableOf(`a,b\n${'1,2\n'.repeat(10_000)}`).values.rows).toBe(10_000);
    expect(faultsOf(`a,b\n${'1,2\n'.repeat(10_001)}`)).toEqual([
      expect.stringMatching(/^row 10001 \(line 10002\): is one too many: a file may have 10000 rows/),
    ]);
  });

  it('More columns than any project has are refused', () => {
    expect(faultsOf(`${Array.from({ length: 6_000 }, (_, j) => `c${j}`).join(',')}\n1`)).toEqual([
      'header: must have at most 5300 columns, has 6000.',
    ]);
  });

  it('More different texts than categories can have are refused', () => {
    const rows = Array.from({ length: 10_000 }, (_, i) => Array.from({ length: 6 }, (_, j) => `t${i}-${j}`).join(','));
    expect(faultsOf(`a,b,c,d,e,f\n${rows.join('\n')}`)).toEqual([expect.stringContaining('is one text too many')]);
  });
});

describe('large files', () => {
  it('A million cells are read', () => {
    const row = Array.from({ length: 100 }, (_, j) => j + 0.5).join(',');
    const header = Array.from({ length: 100 }, (_, j) => `c${j}`).join(',');
    const { values } = tableOf(`${header}\n${`${row}\n`.repeat(10_000)}`);
    expect([values.rows, values.columns, values.values.at(-1)]).toEqual([10_000, 100, 99.5]);
  });

  it('More cells than the limit are refused before they are read', () => {
    expect(read(Buffer.alloc(31 * 1024 * 1024, ','))).toEqual({
      kind: 'unreadable',
      message: 'The file must have at most 3000000 cells, has 32505857.',
    });
    expect(read('a;b\r\n1;2', { values: 4 }).kind).toBe('value');
    expect(read('a;b\r\n1;2\r\n3;4', { values: 4 }).kind).toBe('unreadable');
  });

  it.each([
    ['quotes', '"'],
    ['digits', '1'],
    ['spaces', ' '],
    ['signs', '-'],
  ])('4 MB of %s in one cell are refused after the first', (_, character) => {
    const file = Buffer.alloc(4 * 1024 * 1024, character);
    for (const [i, header] of ['', 'a,b\n'].entries()) {
      file.write(header);
      expect(faultsOf(file)).toEqual([expect.stringContaining(`line ${i + 1}: begins or ends a row of more than`)]);
    }
  });

  it('A row that is too long is named by its line, also after line breaks in quotes', () => {
    expect(faultsOf(`a,"b\n"\r\n1,2\r${' '.repeat(2 ** 20 + 1)}\n3,4\n`)).toEqual([
      expect.stringMatching(/^line 4: begins or ends a row of more than 1048576 bytes/),
    ]);
  });
});
