/** The report of an objective: what it says, as what it is sent, and that the same state gives the same bytes. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seedObjective } from '../../harness/seeded-history.ts';
import { type NativeService, openNativeService } from './native-service.ts';

let service: NativeService;
beforeAll(async () => {
  service = await openNativeService({ hasWorker: true, settings: { fileBytes: 10_000 } });
});
afterAll(() => service.close());

const post = async (method: string, path: string, body: object) => {
  const answer = await service.send(method as 'POST', `/v1${path}`, body);
  if (answer.status >= 300) throw new Error(answer.text);
  return answer.body;
};

async function read(id: number, headers: Readonly<Record<string, string>> = {}) {
  const answer = await service.app.inject({
    method: 'GET',
    url: `/v1/objectives/${id}/report`,
    headers: { authorization: `Bearer ${service.key}`, ...headers },
  });
  return { status: answer.statusCode, headers: answer.headers, bytes: answer.rawPayload, text: answer.body };
}
const readPdf = async (id: number) => (await read(id, { accept: 'application/pdf' })).bytes;

const NAMED = {
  inputNames: ['Pressure', 'Temperature'],
  inputUnits: ['bar', '°C'],
  outputNames: ['Power', 'Loss'],
  outputUnits: ['kW', 'W'],
};

describe('a report', () => {
  let id: number;
  beforeAll(async () => {
    id = await seedObjective(post, service.db, { inputs: 2, outputs: 2, runs: 40, failedEvery: 9, project: NAMED });
  });

  it('says problem, result, margins, runs and log, with the numbers that the page prints', async () => {
    const { status, headers, text } = await read(id);
    expect([status, headers['content-type'], headers['vary']]).toEqual([200, 'text/html; charset=utf-8', 'Accept']);
    expect(headers['content-disposition']).toBe('inline; filename="Heat-exchanger-report.html"');
    const headings = Array.from(text.matchAll(/<h2[^>]*>([^<]*)</g), ([, heading]) => heading);
    expect(headings).toEqual(['Result', 'Charts', 'Problem', 'Runs', 'Log', 'To repeat it']);
    const { body: history } = await service.send('GET', `/v1/objectives/${id}/history`);
    expect(text).toContain(`Best: run ${history.bestIteration}`);
    for (const [k, name] of ['Power (kW)', 'Loss (W)'].entries()) {
      expect(text).toContain(name);
      expect(text).toContain(String(Number(history.bestOutput[k].toPrecision(5))));
    }
    expect(text).toContain('mesh collapsed');
    expect(text.match(/<svg /g)).toHaveLength(3);
  });

  it('has all runs of the trial: its case, those of an earlier objective, and its own', async () => {
    const { body: earlier } = await service.send('GET', `/v1/objectives/${id}`);
    const { body: history } = await service.send('GET', `/v1/objectives/${id}/history`);
    const path = `/models/${history.modelId}/projects/${history.projectId}/trials/${history.trialId}/objectives`;
    const { objectives, objectiveTypes, minimumBounds, maximumBounds, initialInput, initialOutput } = earlier;
    const targets = { objectives, objectiveTypes, minimumBounds, maximumBounds, initialInput, initialOutput };
    const next = await post('POST', path, { ...targets, desiredL1Norm: 0, maximumAttempts: 5, reuse: true });
    const { text } = await read(next.id);
    const [table] = /<table class="dense" aria-label="Runs">[\s\S]*?<\/table>/.exec(text)!;
    const names = Array.from(table.matchAll(/<th scope="row"><bdi>([^<]*)/g), ([, name]) => name);
    expect(names).toHaveLength(1 + 40 + 1);
    expect([names[0], names[1], names[40], names[41]]).toEqual([
      'case 1',
      `run 1 of objective ${earlier.number}`,
      `run 40 of objective ${earlier.number}`,
      'run 1',
    ]);
    expect(text).toContain('Earlier runs of the trial');
  });

  it('loads nothing and runs nothing, in the service and on a disk', async () => {
    const { headers, text } = await read(id);
    const [, style] = /<style>([\s\S]*?)<\/style>/.exec(text)!;
    const hash = createHash('sha256').update(style!).digest('base64');
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; frame-ancestors 'none'; sandbox`,
    );
    expect(text).toContain(`content="default-src 'none'; style-src 'sha256-${hash}'"`);
    expect(text).not.toMatch(/<script|<link|<img|style=| src=|href=|https?:\/\/(?!www\.w3\.org\/2000\/svg)/);
  });

  it('is the same to the byte as long as nothing changes, and says when it changed last instead of when it was made', async () => {
    const [first, second, pdf, again] = [await read(id), await read(id), await readPdf(id), await readPdf(id)];
    expect(second.bytes.equals(first.bytes)).toBe(true);
    expect(again.equals(pdf)).toBe(true);
    expect(pdf.toString('latin1', 0, 5)).toBe('%PDF-');
    const [, changedAt] = /<meta name="last-modified" content="([^"]*)">/.exec(first.text)!;
    const { body: objective } = await service.send('GET', `/v1/objectives/${id}`);
    expect(Date.parse(changedAt!)).toBeGreaterThanOrEqual(Date.parse(objective.updatedAt));
    expect(pdf.toString('latin1')).toContain(`(D:${changedAt!.replace(/\D/g, '').slice(0, 14)}Z)`);
  });

  it('has an ETag that its content gives, each form another', async () => {
    const html = await read(id);
    const etag = String(html.headers['etag']);
    const known = await read(id, { 'if-none-match': etag });
    expect([known.status, known.bytes.length]).toEqual([304, 0]);
    expect((await read(id, { 'if-none-match': etag, accept: 'application/pdf' })).status).toBe(200);
    await post('PATCH', `/objectives/${id}`, { label: 'For the bench in hall 3' });
    const changed = await read(id, { 'if-none-match': etag });
    expect(changed.status).toBe(200);
    expect(changed.text).toContain('<h1 dir="auto">For the bench in hall 3</h1>');
  });

  it('is a page for a browser, whatever else it accepts', async () => {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    expect((await read(id, { accept })).headers['content-type']).toBe('text/html; charset=utf-8');
  });

  it('tells corrections with their reasons', async () => {
    const [inverse] = (await service.send('GET', `/v1/objectives/${id}/inverses?after=1&limit=1`)).body;
    const path = `/objectives/${id}/inverses/${inverse.id}/corrections`;
    await post('POST', path, { excluded: true, reason: 'gauge <b>stuck</b>', reopen: true });
    const { text } = await read(id);
    expect(text).toContain('gauge &lt;b&gt;stuck&lt;/b&gt;');
    expect(text).toContain('left out');
  });
});

describe('a report of what is not usual', () => {
  const HOSTILE = [
    '<script>alert(1)</script>',
    '=1+1',
    'x'.repeat(60),
    'שלום',
    'a 🚀 b',
    'Ą\u0000ß'.replace('\u0000', ''),
  ];

  it('shows hostile and foreign names as text, and what its font lacks by a sign', async () => {
    const id = await seedObjective(post, service.db, {
      ...{ inputs: 6, outputs: 6, runs: 8 },
      project: {
        name: `<script>${'very '.repeat(30)}`,
        inputNames: HOSTILE,
        inputUnits: ['<b>', '=A1', '', '漢字', '🔥', '°'],
        outputNames: HOSTILE.map((name) => `o${name}`),
      },
    });
    const { text } = await read(id);
    expect(text).not.toContain('<script');
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(text).toContain('<bdi>שלום (漢字)</bdi>');
    expect((await readPdf(id)).toString('latin1', 0, 5)).toBe('%PDF-');
  });

  it('lists notes and the names of files in the log, as text, and a deleted one no more', async () => {
    const id = await seedObjective(post, service.db, { inputs: 1, outputs: 1, runs: 3 });
    const { inverseIds } = (await service.send('GET', `/v1/objectives/${id}/history`)).body;
    const file = { name: 'weld.jpg', content: Buffer.alloc(2_400).toString('base64') };
    await post('POST', `/objectives/${id}/notes`, { text: '<b>loud</b> at 8 bar', inverseId: inverseIds[1], file });
    const { id: noteId } = await post('POST', `/objectives/${id}/notes`, { text: 'to be deleted' });
    // The note of a correction is listed once.
    await post('POST', `/objectives/${id}/inverses/${inverseIds[2]}/corrections`, { note: 'new seal' });
    const { text } = await read(id);
    expect(text).toContain('note: &lt;b&gt;loud&lt;/b&gt; at 8 bar; file: weld.jpg, 2.4 kB');
    expect(text).toContain('to be deleted');
    expect(text.match(/note: new seal/g)).toHaveLength(1);
    const before = await readPdf(id);
    expect((await readPdf(id)).equals(before)).toBe(true);
    await service.send('DELETE', `/v1/objectives/${id}/notes/${noteId}`);
    expect((await read(id)).text).not.toContain('to be deleted');
  });

  it('has no charts and says so little where there is one run', async () => {
    const id = await seedObjective(post, service.db, { inputs: 1, outputs: 1, runs: 1 });
    const { text } = await read(id);
    expect(text).not.toContain('<svg');
    expect(text).toContain('<h2 dir="auto">Runs</h2>');
    expect((await readPdf(id)).length).toBeGreaterThan(1_000);
  });

  it('has the best and the last of very many runs, and says how many it leaves out', async () => {
    const id = await seedObjective(post, service.db, { inputs: 2, outputs: 2, runs: 700 });
    const { text } = await read(id);
    const table = /<table class="dense" aria-label="Runs">[\s\S]*?<\/table>/.exec(text)![0];
    const rows = table.match(/<tr>/g)!.length - 1;
    expect(rows).toBeLessThanOrEqual(200);
    expect(text).toContain(`The 100 best and the 100 last runs; ${701 - rows} are left out.`);
    expect(table).toContain('<bdi>run 700</bdi>');
  });

  it('leaves out columns that do not fit, and says so', async () => {
    const id = await seedObjective(post, service.db, { inputs: 100, outputs: 30, runs: 5 });
    const { text } = await read(id);
    const table = /<table class="dense" aria-label="Runs">[\s\S]*?<\/thead>/.exec(text)![0];
    expect(table.match(/<th /g)).toHaveLength(12 + 3);
    expect(text).toContain('118 further inputs and outputs are left out.');
    expect((await readPdf(id)).length).toBeGreaterThan(1_000);
  });

  it('shows the front of outputs without target', async () => {
    const id = await seedObjective(post, service.db, {
      ...{ inputs: 2, outputs: 3, runs: 30 },
      objective: {
        objectives: [null, null, 1],
        objectiveTypes: ['minimize', 'maximize', 'greaterthan_equal'],
        minimumBounds: [],
        maximumBounds: [],
      },
    });
    const { text } = await read(id);
    expect(text).toContain('<h2 dir="auto">Front</h2>');
    expect(text).toContain('The front so far');
    expect(text).toContain('as large as possible');
    expect((await readPdf(id)).length).toBeGreaterThan(1_000);
  });

  it('shows a fit with its data, chi-square and the estimates of the inputs', async () => {
    const data = {
      objectiveTypes: ['fit', 'fit', 'fit', 'fit'],
      minimumBounds: [],
      maximumBounds: [],
      fits: [{ sigma: 0.5 }],
    };
    const id = await seedObjective(post, service.db, { inputs: 2, outputs: 4, runs: 12, objective: data });
    const { text } = await read(id);
    expect(text).toContain('Chi-square');
    expect(text).toContain('aria-label="Estimates of the inputs"');
    expect(text).toContain('95 % interval');
    expect(text.match(/<figure/g)!.length).toBeGreaterThanOrEqual(3);
    expect((await readPdf(id)).equals(await readPdf(id))).toBe(true);
  });
});
