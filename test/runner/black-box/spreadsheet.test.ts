import { expect, it } from 'vitest';
import { readProblem } from '../../../src/runner/problem-file.ts';

const FILE = `
spreadsheet: {file: model.xlsx, engine: libreoffice, conditions: {heat: Sheet1!B4}}
inputs:
  width: {cell: Sheet1!B3, minimum: 1, maximum: 9}
  depth: {minimum: 1, maximum: 9}
outputs:
  sag: {cell: Sheet1!B9, below: 3}
  cold: {cell: Sheet1!C1:C3, fit: {data: [1, 2, 3], output: level, when: {heat: 280}}}
  warm: {fit: {data: [2, 3, 4], output: level, when: {heat: 300}}}
`;
const DESCRIBED = { inputs: {}, outputs: {}, faults: [], model: { sizes: { sag: 1, level: 3 } } };

function read(text: string, described: object = DESCRIBED) {
  return readProblem(text, 'p', new Map(), described as typeof DESCRIBED);
}

function complaints(text: string, described?: object): readonly string[] {
  return read(text, described).violations.map(({ position, key, message }) => `${position.line} ${key}: ${message}`);
}

it('a workbook is recognised by its file and cells, wherever it is', () => {
  const { problem } = read(FILE);
  expect(problem?.blackBox.identity).toEqual([
    'spreadsheet',
    {
      file: 'model.xlsx',
      conditions: { heat: 'Sheet1!B4' },
      inputs: { width: 'Sheet1!B3', depth: null },
      outputs: { sag: 'Sheet1!B9', level: 'Sheet1!C1:C3' },
    },
  ]);
  expect(problem?.blackBox.copies?.map(({ names }) => names('plan', '-2'))).toEqual([['plan.best-2.xlsx']]);
});

it('what is wrong with the cells is told at their keys', () => {
  const sizes = { model: { sizes: { sag: 4 } }, inputs: {}, outputs: {}, faults: [] };
  expect(
    complaints(FILE.replace('engine: libreoffice', 'engine: excel').replace('heat: Sheet1!B4', 'cold: A1'), sizes),
  ).toEqual([
    '2 spreadsheet.conditions.cold: is not a condition of a fit.',
    '2 spreadsheet.engine: must be auto, formulas or libreoffice, is "excel".',
    '7 outputs.sag.cell: is a range: an output that is not a fit is one cell.',
  ]);
  expect(complaints(FILE.replace('file: model.xlsx, ', ''))).toEqual([
    '2 spreadsheet.file: is required: the name of the workbook.',
  ]);
  const faults = [{ path: ['inputs', 'width', 'cell'], message: 'Sheet1!B3 holds the formula =1.' }];
  expect(complaints(FILE, { ...DESCRIBED, faults })).toEqual(['4 inputs.width.cell: Sheet1!B3 holds the formula =1.']);
});

it('the cell of an input belongs to a workbook alone', () => {
  expect(complaints(FILE.replace(/spreadsheet:.*/, 'command: [run]'))).toContainEqual(
    expect.stringMatching(/^4 inputs\.width\.cell: is not known here/),
  );
});

it('data must have as many values as their range has cells', async () => {
  const { problem } = read(FILE, { ...DESCRIBED, model: { sizes: { level: 4 } } });
  const box = problem!.blackBox.open({ home: '/', workFolder: '/', environment: {} });
  const fits = new Map([['level', { count: 3, x: null, positions: [0, 1, 2] }]]) as never;
  await expect(box.call({ names: { inputs: [], outputs: [] }, fits, curves: [], isWhole: true })).rejects.toThrow(
    'The data of level have 3 values but its range has 4 cells; the counts must match.',
  );
  await box.close();
});
