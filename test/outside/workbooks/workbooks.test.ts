/** Uploaded workbooks in their guarded processes. */
import { execFileSync } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import { BEAM, openWorkbooks, sheetPython, writeBook } from '../../../harness/sheet-python.ts';
import type { ChosenCells } from '../../../src/domain/workbooks/workbook.ts';
import type { Workbooks, WorkbooksOptions } from '../../../src/outside/workbooks/workbooks.ts';

const CELLS = {
  inputs: { h: 'height', w: 'Beam!B2' },
  outputs: { sag: 'sag', mass: 'Beam!B4' },
};
const never = new AbortController().signal;
let opened: Workbooks[] = [];
afterEach(() => {
  for (const one of opened) one.close();
  opened = [];
});

function open(options: Partial<WorkbooksOptions> = {}): Workbooks {
  const sheets = openWorkbooks(options);
  opened.push(sheets);
  return sheets;
}

function kept(content: Uint8Array, cells: ChosenCells = CELLS, key = '1') {
  return { accountId: 1, key, cells, load: async () => ({ name: 'beam.xlsx', content }) };
}

it('a Python that is missing is told to the operator, once, and to whoever asks', async () => {
  const troubles: string[] = [];
  const sheets = open({ python: '/no/such/python', onTrouble: (trouble) => troubles.push(trouble) });
  const file = { accountId: 1, name: 'a.xlsx', content: Buffer.from('PK') };
  for (const _ of [1, 2]) {
    await expect(sheets.survey(file)).rejects.toMatchObject({
      code: 'WORKBOOKS_UNAVAILABLE',
      message: expect.stringContaining('set WORKBOOK_PYTHON'),
    });
  }
  expect(troubles).toHaveLength(1);
});

describe.skipIf(sheetPython === undefined)('with a Python that has IronCalc', () => {
  const beam = sheetPython === undefined ? Buffer.from('') : writeBook(BEAM);

  it('a survey names the cells that may be inputs and outputs, named ones first', async () => {
    expect(await open().survey({ accountId: 1, name: 'beam.xlsx', content: beam })).toEqual({
      inputs: [
        { cell: 'Beam!B1', name: 'height', label: 'Height', value: 20 },
        { cell: 'Beam!B2', name: null, label: 'Width', value: 40 },
      ],
      outputs: [
        { cell: 'Beam!B3', name: 'sag', label: 'Sag', value: null },
        { cell: 'Beam!B4', name: null, label: 'Mass', value: null },
      ],
    });
  });

  it('cells are checked as inputs and outputs, and the outputs calculated', async () => {
    const file = { accountId: 1, name: 'beam.xlsx', content: beam };
    const checked = await open().check(file, CELLS);
    expect(checked.faults).toEqual([]);
    expect(checked.outputs['sag']).toBeCloseTo(15.625);
    const wrong = await open().check(file, { inputs: { h: 'Beam!B3', t: 'Beam!A1' }, outputs: { mass: 'Beam!B1' } });
    expect(wrong.faults.map(({ side, name }) => [side, name])).toEqual([
      ['inputs', 'h'],
      ['outputs', 'mass'],
    ]);
    const text = await open().check(file, { inputs: { t: 'Beam!A1', h: 'height' }, outputs: { mass: 'Beam!B4' } });
    expect(text.faults).toEqual([
      { side: 'inputs', name: 't', message: 'Beam!A1 holds no number: choose a cell with one.' },
    ]);
  });

  it('runs follow one another in one process, and an output without a number is a failed run', async () => {
    const sheets = open();
    const results = await Promise.all([25, 0].map((h) => sheets.run(kept(beam), { h, w: 40 }, 30_000, never)));
    expect(results[0]).toEqual({ kind: 'output', outputs: { sag: 8, mass: expect.closeTo(7.85, 9) } });
    expect(results[1]).toEqual({ kind: 'failure', reason: 'Beam!B3 is #DIV/0!.' });
  });

  it('a workbook whose time is over, or whose memory, is a failed run, and others go on', async () => {
    const sums = Array.from({ length: 300 }, () => ['=SUM($A$2:$A$5000)*$B$1']);
    const numbers = Array.from({ length: 5_000 }, (_, i) => [i]);
    const slow = writeBook({ sheets: { S: [['=SUM(A5002:A5301)', 1], ...numbers, ...sums] } });
    const cells = { inputs: { x: 'S!B1' }, outputs: { y: 'S!A1' } };
    const short = open({ limitMs: 1 });
    expect(await short.run(kept(slow, cells), { x: 2 }, 30_000, never)).toEqual({
      kind: 'failure',
      reason: 'the workbook gave no result: it took longer than 0.001 s',
    });
    const small = open({ memoryMib: 1 });
    expect(await small.run(kept(slow, cells), { x: 2 }, 30_000, never)).toEqual({
      kind: 'failure',
      reason: expect.stringMatching(/memory/),
    });
    expect((await open().run(kept(beam), { h: 25, w: 40 }, 30_000, never)).kind).toBe('output');
  });

  it('who waits for a process gets that of a batch which pauses', async () => {
    const sheets = open({ processes: 1 });
    const first = await sheets.run(kept(beam), { h: 25, w: 40 }, 30_000, never);
    const second = await sheets.run(kept(beam, CELLS, '2'), { h: 25, w: 40 }, 30_000, never);
    expect([first.kind, second.kind]).toEqual(['output', 'output']);
  });

  it.each([
    ['no workbook', Buffer.from('hello'), /is not a workbook/],
    ['an old or protected one', Buffer.from('d0cf11e0a1b11ae1', 'hex'), /protected by a password, or of Excel 97/],
    ['half of one', beam.subarray(0, 900), /cannot be read as a workbook/],
  ])('%s is refused by its content', async (_, content, message) => {
    await expect(open().survey({ accountId: 1, name: 'beam.xlsx', content })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      message: expect.stringMatching(message),
    });
  });

  it('what unpacks to more than it may is refused', async () => {
    const bomb = execFileSync(sheetPython!, [
      '-c',
      'import io,sys,zipfile\nm=io.BytesIO()\nz=zipfile.ZipFile(m,"w",zipfile.ZIP_DEFLATED)\nz.writestr("xl/workbook.xml",b"0"*(60<<20))\nz.close()\nsys.stdout.buffer.write(m.getvalue())',
    ]);
    expect(bomb.length).toBeLessThan(100_000);
    await expect(open().survey({ accountId: 1, name: 'beam.xlsx', content: bomb })).rejects.toThrow(
      'would unpack to more than 50 MiB',
    );
  });

  it('a copy has other values in its cells', async () => {
    const sheets = open();
    const content = await sheets.copy({ accountId: 1, name: 'beam.xlsx', content: beam }, { 'Beam!B1': 25 });
    const { inputs } = await sheets.survey({ accountId: 1, name: 'beam.xlsx', content });
    expect(inputs.map(({ value }) => value)).toEqual([25, 40]);
  });
});
