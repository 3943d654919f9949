/** Rows as workbooks and as CSV for spreadsheets, and cases that are loaded from a workbook. */
import { strToU8, unzipSync, zipSync } from 'fflate';
import { readXlsx, writeXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NativeService, openNativeService } from './native-service.ts';

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

let service: NativeService;
beforeAll(async () => {
  service = await openNativeService();
});
afterAll(() => service.close());

const send: NativeService['send'] = (...request) => service.send(...request);

/** A float, a category with a name like a formula, and two outputs with units. */
async function prepare() {
  const { body: model } = await send('POST', '/v1/models', { name: `model ${crypto.randomUUID()}` });
  const { body: project } = await send('POST', `/v1/models/${model.id}/projects`, {
    name: 'rig 7',
    inputCount: 2,
    minimums: [0, 1],
    maximums: [10, 2],
    inputTypes: ['float', 'category'],
    categories: [[], ['=1+1', 'brass; "old"']],
    inputNames: ['Druck', 'Material'],
    inputUnits: ['bar', ''],
    outputNames: ['Power', 'Loss'],
    outputUnits: ['kW', ''],
    inputCases: [[1.5, 1]],
  });
  const projectUrl = `/v1/models/${model.id}/projects/${project.id}`;
  const { body: set } = await send('POST', `${projectUrl}/output-cases`, {
    outputCount: 2,
    outputCases: [[0.1, 1e-7]],
  });
  return { cases: `${projectUrl}/trials/${set.trial_id}/cases` };
}

async function get(url: string, accept: string) {
  const answer = await service.app.inject({
    method: 'GET',
    url,
    headers: { authorization: `Bearer ${service.key}`, accept },
  });
  return {
    status: answer.statusCode,
    type: answer.headers['content-type'],
    bytes: answer.rawPayload,
    text: answer.body,
  };
}

async function post(url: string, bytes: Uint8Array) {
  const answer = await service.app.inject({
    method: 'POST',
    url,
    headers: { authorization: `Bearer ${service.key}`, 'content-type': XLSX },
    payload: Buffer.from(bytes),
  });
  return { status: answer.statusCode, body: answer.json() };
}

type Rows = (string | number | boolean | Date | null)[][];
const book = (rows: Rows, name = 'Cases') => writeXlsx({ sheets: [{ name, rows }] });
const HEAD = ['Druck [bar]', 'Material', 'Power [kW]', 'Loss'];

describe('rows as a workbook', () => {
  it('have numbers as numbers, texts that no spreadsheet runs, and units in the titles', async () => {
    const { cases } = await prepare();
    const { status, type, bytes } = await get(cases, XLSX);
    expect([status, type]).toEqual([200, XLSX]);
    const { sheets } = await readXlsx(bytes);
    expect(sheets).toHaveLength(1);
    expect(sheets[0]!.rows).toEqual([
      [...HEAD, 'number', 'status', 'excluded'],
      [1.5, '=1+1', 0.1, 1e-7, 1, 'completed', false],
    ]);
    const sheet = Buffer.from(unzipSync(bytes)['xl/worksheets/sheet1.xml']!).toString();
    expect(sheet).not.toContain('<f>');
  });

  it('can be loaded again, where nothing of them is new', async () => {
    const { cases } = await prepare();
    const { bytes } = await get(cases, XLSX);
    const loaded = await post(cases, bytes);
    expect([loaded.status, loaded.body.added, loaded.body.duplicates]).toEqual([201, 0, 1]);
  });
});

describe('rows as CSV for spreadsheets', () => {
  it('have decimal commas, semicolons and a byte order mark on request, and can be loaded again', async () => {
    const { cases } = await prepare();
    await send('POST', cases, { inputs: [[2.25, 2]], outputs: [null] });
    const { text } = await get(`${cases}?decimal=comma&bom=true`, 'text/csv');
    expect(text).toBe(
      [
        '\uFEFFDruck [bar];Material;Power [kW];Loss;number;status;excluded',
        "1,5;'=1+1;0,1;1e-7;1;completed;false",
        '2,25;"brass; ""old""";;;2;failed;false',
        '',
      ].join('\r\n'),
    );
    const again = await send('POST', cases, text, { 'content-type': 'text/csv' });
    expect([again.status, again.body.added, again.body.duplicates]).toEqual([201, 0, 2]);
  });

  it('refuse another decimal sign', async () => {
    const { cases } = await prepare();
    const { status } = await get(`${cases}?decimal=apostrophe`, 'text/csv');
    expect(status).toBe(400);
  });
});

describe('cases from a workbook', () => {
  it('are read from its only sheet with cells, whatever is empty around them', async () => {
    const { cases } = await prepare();
    const rows: Rows = [
      [],
      HEAD,
      [2, '=1+1', 5, 6],
      [null, null, null, null],
      [3, 'brass; "old"', '7', 8.5],
      [4, '=1+1', null, null],
    ];
    const bytes = await writeXlsx({
      sheets: [
        { name: 'Cases', rows },
        { name: 'Sheet2', rows: [] },
      ],
    });
    const { status, body } = await post(`${cases}?source=rig`, bytes);
    expect([status, body.added]).toEqual([201, 3]);
    const { body: stored } = await send('GET', cases);
    expect(
      stored.slice(1).map(({ input, output }: { input: number[]; output: number[] | null }) => [input, output]),
    ).toEqual([
      [
        [2, 1],
        [5, 6],
      ],
      [
        [3, 2],
        [7, 8.5],
      ],
      [[4, 1], null],
    ]);
  });

  it('are refused with the name of the cell that holds a date or an error', async () => {
    const { cases } = await prepare();
    const { status, body } = await post(cases, await book([HEAD, [2, '=1+1', new Date(0), '#DIV/0!']]));
    expect(status).toBe(400);
    expect(body.errors.map(({ property }: { property: string }) => property)).toEqual(['cell C2', 'cell D2']);
    expect(body.errors[1].message).toContain('#DIV/0!');
  });

  it('are refused from several sheets, from what is no workbook, and from one that unpacks to too much', async () => {
    const { cases } = await prepare();
    const two = await writeXlsx({
      sheets: [
        { name: 'a', rows: [HEAD, [2, '=1+1', 5, 6]] },
        { name: 'b', rows: [[1]] },
      ],
    });
    expect((await post(cases, two)).body.detail).toContain('several sheets');
    expect((await post(cases, strToU8('Druck;Material'))).body.detail).toContain('not a workbook');
    const parts = unzipSync(await book([HEAD, [2, '=1+1', 5, 6]]));
    const bomb = zipSync({ ...parts, 'xl/worksheets/sheet1.xml': new Uint8Array(120 * 1024 * 1024).fill(32) });
    expect(bomb.length).toBeLessThan(1024 * 1024);
    const refused = await post(cases, bomb);
    expect([refused.status, refused.body.detail]).toEqual([400, expect.stringContaining('must not unpack')]);
    const { body: stored } = await send('GET', cases);
    expect(stored).toHaveLength(1);
  });
});
