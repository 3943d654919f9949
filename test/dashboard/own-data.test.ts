import { describe, expect, it } from 'vitest';
import { toCsv, toTabs } from '../../src/dashboard/parts/export.ts';
import { readTable, readValues, splitPaste } from '../../src/dashboard/parts/paste.ts';
import { readDefinitions } from '../../src/dashboard/views/new-problem/definitions.ts';
import { type Draft, exampleDraft, newInput, newOutput } from '../../src/dashboard/views/new-problem/draft.ts';
import { readInputCell, readOwnCases, readOwnTable } from '../../src/dashboard/views/new-problem/own-data.ts';
import { fillFrom, pasteResults, pointsTable } from '../../src/dashboard/views/new-problem/results-table.ts';

const inputs = [
  newInput(1, { name: 'T', unit: 'K', minimum: '300', maximum: '400' }),
  newInput(2, { name: 'alloy', type: 'category', categories: 'steel, copper' }),
  newInput(3, { name: 'wet', type: 'boolean' }),
];
const outputs = [newOutput(1, { name: 'power', unit: 'kW' }), newOutput(2, { name: 'drop' })];
const draft: Draft = { ...exampleDraft('d'), data: 'own', inputs, outputs };

const readOwn = (text: string) => {
  const own = readOwnTable(splitPaste(text), draft);
  return { own, ...readOwnCases({ ...draft, own }) };
};

describe('definitions of inputs', () => {
  it('are read with a header in any order', () => {
    const read = readDefinitions(
      splitPaste(
        'Unit;Parameter;Min;Max;Type;Options\nK;T;300,5;400;;\n;n;1;8;whole number;\n;alloy;;;;steel, copper\n;wet;;;bool;',
      ),
      5,
    );
    expect(read).toEqual([
      newInput(5, { name: 'T', unit: 'K', minimum: '300,5', maximum: '400' }),
      newInput(6, { name: 'n', type: 'integer', minimum: '1', maximum: '8' }),
      newInput(7, { name: 'alloy', type: 'category', categories: 'steel, copper' }),
      newInput(8, { name: 'wet', type: 'boolean' }),
    ]);
  });

  it('are read by position without one, and blank rows are skipped', () => {
    expect(readDefinitions(splitPaste('rate\t1/s\tdecimal\t1e-6\t100\t\tlogarithmic\t\n\t\t\nT\tK\n'), 1)).toEqual([
      newInput(1, { name: 'rate', unit: '1/s', minimum: '1e-6', maximum: '100', scale: 'log' }),
      newInput(2, { name: 'T', unit: 'K' }),
    ]);
    expect(readDefinitions([], 1)).toEqual([]);
  });
});

describe('own data', () => {
  it('finds columns by their names, with units or another case', () => {
    const { own, inputCases, outputCases, failedCases, faults } = readOwn(
      'drop,note,t [K],Alloy,wet,power (kW)\n12,a,350,copper,yes,1.5\n,,360,1,0,\n"-1e-3",b,300,Steel,FALSE,2\n',
    );
    expect(own.uses).toEqual(['y1', '', 'x0', 'x1', 'x2', 'y0']);
    expect(faults).toEqual({});
    expect(inputCases).toEqual([
      [350, 2, 1],
      [360, 1, 0],
      [300, 1, 0],
    ]);
    expect(outputCases).toEqual([
      [1.5, 12],
      [0, 0],
      [2, -0.001],
    ]);
    expect(failedCases).toEqual([1]);
  });

  it('prefers the exact name where two titles fit', () => {
    expect(readOwnTable(splitPaste('t\tT\n1\t2'), draft).uses).toEqual(['', 'x0']);
  });

  it('takes columns in order where there are no titles', () => {
    const { own, faults } = readOwn('350\tcopper\tyes\t1\t2');
    expect(own.titles).toEqual(['Column 1', 'Column 2', 'Column 3', 'Column 4', 'Column 5']);
    expect(own.uses).toEqual(['x0', 'x1', 'x2', 'y0', 'y1']);
    expect(faults).toEqual({});
  });

  it('puts faults at the cells, and asks for missing columns', () => {
    const { faults } = readOwn('T,alloy,wet,power\n250,tin,maybe,1\n350,steel,,x\n');
    expect(faults).toEqual({
      columns: 'Choose the column of drop.',
      'own/0/0': 'Is outside 300 … 400.',
      'own/0/1': 'Must be one of steel, copper.',
      'own/0/2': 'Write yes or no.',
      'own/1/2': 'An input is missing.',
      'own/1/3': expect.stringContaining('not a number'),
    });
  });

  it('keeps a number with two readings for its user to correct, and takes one that the table decides', () => {
    const text = (power: string) => `350\tsteel\tno\t1,250\t${power}`;
    expect(readOwn(text('7')).faults).toEqual({ 'own/0/3': expect.stringContaining('1.250 or 1250') });
    const own = readOwnTable(readTable(text('0.5')).rows!, draft);
    expect(readOwnCases({ ...draft, own })).toMatchObject({ faults: {}, outputCases: [[1250, 0.5]] });
  });

  it('needs a row with outputs', () => {
    expect(readOwn('T,alloy,wet,power,drop\n350,steel,no,,\n').faults).toHaveProperty('own');
    expect(readOwnCases({ ...draft, own: null }).faults).toHaveProperty('own');
  });

  it('reads a category by its name before its number', () => {
    const input = newInput(1, { type: 'category', categories: '2, 1, 7' });
    expect(['2', '1', '7', '3'].map((cell) => readInputCell(input, cell).value)).toEqual([1, 2, 3, 3]);
    expect(readInputCell(newInput(1, { type: 'integer', minimum: '1', maximum: '9' }), '2.5').fault).toContain('whole');
  });
});

describe('names that spreadsheets would run as formulas', () => {
  const named: Draft = {
    ...draft,
    inputs: [
      newInput(1, { name: '-x', unit: 'm', minimum: '0', maximum: '9' }),
      newInput(2, { name: '=a (b)', type: 'category', categories: '-low, +high' }),
    ],
    outputs: [newOutput(1, { name: '@y' }), newOutput(2, { name: "'-z", unit: 'kW' })],
  };

  it('are found in own runs from an exported file', () => {
    const text = toCsv(['-x [m]', '=a (b)', '@y', "'-z [kW]"], [[1, '+high', -5, 2]]);
    const own = readOwnTable(splitPaste(text), named);
    expect(own.uses).toEqual(['x0', 'x1', 'y0', 'y1']);
    expect(readOwnCases({ ...named, own })).toMatchObject({ inputCases: [[1, 2]], outputCases: [[-5, 2]], faults: {} });
  });

  it('are found in designed points that were saved, and in pasted outputs', () => {
    const points = [
      [1, 1],
      [2, 2],
    ];
    const designed = { ...named, project: { points } } as unknown as Draft;
    const { header, rows } = pointsTable(designed);
    const filled = rows.map((row, r) => [...row.slice(0, -2), r + 0.5, -r]);
    expect(pasteResults(splitPaste(toCsv(header, filled)), designed).results).toEqual([
      ['0.5', '0'],
      ['1.5', '-1'],
    ]);
    expect(readValues(toTabs(["'-z [kW]", '@y'], [[7, 8]]), ['@y', "'-z"])).toEqual({ cells: ['8', '7'] });
  });
});

describe('designed points', () => {
  const points = [
    [350, 1, 0],
    [1 / 3 + 300, 2, 1],
    [400, 2, 0],
  ];
  const designed: Draft = {
    ...draft,
    data: 'designed',
    project: { id: 1, print: '', modelId: 1, points },
    results: [['5', '6']],
  };

  it('go to a spreadsheet and come back', () => {
    const { header, rows } = pointsTable(designed);
    expect(header).toEqual(['case', 'T [K]', 'alloy', 'wet', 'power [kW]', 'drop']);
    expect(rows[1]).toEqual([2, 300.3333333333333, 'copper', 'yes', '', '']);
    expect(pasteResults(splitPaste(toTabs(header, rows), 2), designed).results).toEqual([
      ['5', '6'],
      ['', ''],
      ['', ''],
    ]);
  });

  it('take sorted rows by the number of the case', () => {
    const { results } = pasteResults(splitPaste('drop\tcase\tpower\n30\t3\t3.5\n20\t2\t2.5\n', 2), designed);
    expect(results).toEqual([
      ['5', '6'],
      ['2.5', '20'],
      ['3.5', '30'],
    ]);
  });

  it('take columns of outputs alone, where a blank row is a failed run', () => {
    expect(pasteResults(splitPaste('1,5\t2\n\n3,5\t4\n', 2), designed).results).toEqual([
      ['1,5', '2'],
      ['', ''],
      ['3,5', '4'],
    ]);
    const single: Draft = { ...designed, outputs: [outputs[0]!] };
    expect(pasteResults(splitPaste('1,5\n\n-2', 1), single).results).toEqual([['1,5'], [''], ['-2']]);
  });

  it.each([
    ['', 'nothing'],
    ['1\t2\t3', '2 columns'],
    ['power\n1\n', 'drop is missing'],
    ['1\t2\n1\t2\n1\t2\n1\t2', 'There are 3 cases'],
    ['case\tpower\tdrop\nx\t1\t2', 'no case number'],
    ['case\tpower\tdrop\n4\t1\t2', 'There are 3 cases'],
  ])('refuse %j', (text, words) => {
    expect(pasteResults(splitPaste(text, 2), designed).fault).toContain(words);
  });

  it('are filled from one cell on', () => {
    const size = { rows: 2, columns: 2 };
    expect(fillFrom([['a', 'b']], size, { row: 0, column: 1 }, [['1', '2'], ['3'], ['4']])).toEqual([
      ['a', '1'],
      ['', '3'],
    ]);
  });
});
