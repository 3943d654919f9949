/** Files of German and French spreadsheets at every door of the page. */
import { describe, expect, it } from 'vitest';
import { decodeText } from '../../src/dashboard/parts/decode-text.ts';
import { readTable, readValues } from '../../src/dashboard/parts/paste.ts';
import { readNumber } from '../../src/dashboard/parts/read-number.ts';
import { readTargetRows } from '../../src/dashboard/views/batch/target-rows.ts';
import { readDefinitions } from '../../src/dashboard/views/new-problem/definitions.ts';
import { type Draft, exampleDraft, newInput, newOutput } from '../../src/dashboard/views/new-problem/draft.ts';
import { readOwnCases, readOwnTable } from '../../src/dashboard/views/new-problem/own-data.ts';
import { pasteResults } from '../../src/dashboard/views/new-problem/results-table.ts';
import { readCases } from '../../src/dashboard/views/objective/actions/cases.ts';

const SPACE = '\u202f';
const GERMAN = '\uFEFFDruck [bar];Länge [mm];Leistung [W]\r\n43,25;1.250,5;0,125\r\n44;1.300;2.500,75\r\n';
const FRENCH = `\uFEFFDruck [bar];Länge [mm];Leistung [W]\r\n43,25;1${SPACE}250,5;0,125\r\n44;1${SPACE}300;2${SPACE}500,75\r\n`;
const INPUTS = [
  [43.25, 1250.5],
  [44, 1300],
];
const OUTPUTS = [[0.125], [2500.75]];

const draft: Draft = {
  ...exampleDraft('d'),
  inputs: [
    newInput(1, { name: 'Druck', unit: 'bar', minimum: '40', maximum: '50' }),
    newInput(2, { name: 'Länge', unit: 'mm', minimum: '1000', maximum: `2${SPACE}000` }),
  ],
  outputs: [newOutput(1, { name: 'Leistung', unit: 'W' })],
};

describe.each([
  ['German', GERMAN],
  ['French', FRENCH],
])('A %s file', (_, text) => {
  it('is read as own runs of a new problem', () => {
    const own = readOwnTable(readTable(text).rows!, draft);
    const { inputCases, outputCases, faults } = readOwnCases({ ...draft, own });
    expect([inputCases, outputCases, faults]).toEqual([INPUTS, OUTPUTS, {}]);
  });

  it('is read as data that are added', () => {
    const { file } = readCases(text, ['Druck', 'Länge'], ['Leistung']);
    expect(file!.header).toEqual(['Druck [bar]', 'Länge [mm]', 'Leistung [W]']);
    expect(file!.rows.map((row) => row.map(Number))).toEqual(INPUTS.map((input, r) => [...input, ...OUTPUTS[r]!]));
  });

  it('is read as outputs of designed points', () => {
    const project = { id: 1, print: '', modelId: 1, points: INPUTS };
    const pasted = pasteResults(readTable(text).rows!, { ...draft, project });
    expect(pasted.results!.map(([cell]) => readNumber(cell!).value)).toEqual([0.125, 2500.75]);
  });

  it('is read as targets of a batch', () => {
    const rows = readTable(text.replace(/^\uFEFF/, '')).rows!;
    expect(readTargetRows(rows, ['Druck', 'Länge', 'Leistung'], [1, 1, 1]).rows).toEqual([
      [43.25, 1250.5, 0.125],
      [44, 1300, 2500.75],
    ]);
  });

  it('gives the outputs of one run, with their names', () => {
    const oneRun = text.split('\r\n').slice(0, 2).join('\r\n');
    const { cells } = readValues(oneRun, ['Leistung', 'Druck', 'Länge']);
    expect(cells!.map((cell) => Number(cell.replace(',', '.')))).toEqual([0.125, 43.25, 1250.5]);
  });
});

describe('The inputs of a problem', () => {
  it.each([
    ['Name;Einheit;Typ;von;bis;Auflösung\nDruck;bar;Zahl;1,5;43,5;0,5\nStufen;;Ganzzahl;1;8;\n'],
    ['Nom;Unité;Type;de;à;Pas\nDruck;bar;nombre;1,5;43,5;0,5\nStufen;;entier;1;8;\n'],
  ])('are read from the header %j', (text) => {
    expect(readDefinitions(readTable(text).rows!, 1)).toEqual([
      newInput(1, { name: 'Druck', unit: 'bar', minimum: '1,5', maximum: '43,5', spacing: '0,5' }),
      newInput(2, { name: 'Stufen', type: 'integer', minimum: '1', maximum: '8' }),
    ]);
  });
});

describe('The text of a file', () => {
  const written = 'Länge;Maß\r\n1;2';

  it.each([
    ['UTF-8', new TextEncoder().encode(written)],
    ['UTF-8 with a mark', new TextEncoder().encode(`\uFEFF${written}`)],
    ['UTF-16 with a mark', new Uint8Array(Buffer.from(`\uFEFF${written}`, 'utf16le'))],
    ['the Western code page', new Uint8Array(Buffer.from(written, 'latin1'))],
  ])('is read from %s', (_, bytes) => {
    expect(decodeText(bytes)).toBe(written);
  });
});
