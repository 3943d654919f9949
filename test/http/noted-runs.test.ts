/** Notes on runs under /v1: where they are written, shown and logged, and that they change no result. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { blackBox, type NativeService, openNativeService, prepareObjective } from './native-service.ts';

let service: NativeService;
beforeAll(async () => {
  service = await openNativeService({ hasWorker: true });
});
afterAll(() => service.close());

const send: NativeService['send'] = (...request) => service.send(...request);
const read = async (url: string) => (await send('GET', url)).body;

async function prepareRun() {
  const { objectiveUrl, trialUrl, loaded } = await prepareObjective(send);
  const { body } = await send('POST', `${objectiveUrl}/inverses`);
  const url = `${objectiveUrl}/inverses/${body.id}`;
  await send('PUT', `${url}/output`, { output: blackBox(body.input).map((value) => value + 1) });
  return { objectiveUrl, trialUrl, url, flatUrl: `/v1/objectives/${loaded.body.id}` };
}

const annotate = (url: string, note: string) => send('POST', `${url}/corrections`, { note });

it('A note is shown with its run in the history, the runs of the trial, CSV and the export, with who wrote it and when', async () => {
  const { objectiveUrl, trialUrl, url, flatUrl } = await prepareRun();
  const before = await read(url);
  const text = 'The pump, a "P2", was replaced\nbefore this run.';
  const { status, body } = await annotate(url, text);
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body).toMatchObject({ inverse: before, correction: { isNote: true, reason: text, old: body.correction.new } });
  const { correctedBy, createdAt } = body.correction;
  const history = await read(`${flatUrl}/history`);
  expect(history).toMatchObject({ notes: { 2: text }, notedBy: { 2: correctedBy }, notedAt: { 2: createdAt } });
  expect(history.corrected).toEqual([]);
  const facts = { note: text, notedBy: correctedBy, notedAt: createdAt };
  expect((await read(`${flatUrl}/runs`)).at(-1)).toMatchObject({ iteration: 2, corrected: false, ...facts });
  const csv = (await send('GET', `${flatUrl}/history`, undefined, { accept: 'text/csv' })).text;
  expect(csv).toContain('"The pump, a ""P2"", was replaced\nbefore this run."');
  const lines = (await send('GET', `/v1/export`, undefined, { accept: 'application/x-ndjson' })).text
    .trim()
    .split('\n');
  const exported = lines.map((line) => JSON.parse(line)).find((line) => line.type === 'inverse' && line.note !== null);
  expect(exported).toMatchObject({ iteration: 2, ...facts });
  expect(await read(`${trialUrl}/corrections`)).toEqual([body.correction]);
  expect(await read(`${objectiveUrl}`)).toMatchObject({ stopReason: 0, attemptCount: 1 });
});

it('A newer note replaces the one before it, an empty one removes it, and the log keeps all', async () => {
  const { trialUrl, url, flatUrl } = await prepareRun();
  for (const note of ['first', 'second']) await annotate(url, note);
  expect((await read(`${flatUrl}/history`)).notes).toEqual({ 2: 'second' });
  await annotate(url, '');
  expect(await read(`${flatUrl}/history`)).toMatchObject({ notes: {}, notedBy: {}, notedAt: {} });
  const log = await read(`${trialUrl}/corrections`);
  expect(log.map(({ reason }: { reason: string }) => reason)).toEqual(['first', 'second', '']);
});

it('A note of more than 2,000 characters, beside a result or beside a reason is refused with what to do', async () => {
  const { url } = await prepareRun();
  const refused = async (body: object) => {
    const answer = await send('POST', `${url}/corrections`, body);
    expect(answer.status).toBe(400);
    return answer.body.errors;
  };
  expect(await refused({ note: 'x'.repeat(2_001) })).toMatchObject([{ property: 'note' }]);
  expect(await refused({ note: 'x', excluded: true, reason: 'both' })).toMatchObject([
    { property: 'reason', message: 'must be left out with a note.' },
    { property: 'note', message: expect.stringContaining('a correction changes one thing') },
  ]);
  expect(await refused({ excluded: true })).toMatchObject([{ property: 'reason' }]);
});

it('A run that still waits for its output takes no note yet', async () => {
  const { objectiveUrl } = await prepareObjective(send);
  const { body } = await send('POST', `${objectiveUrl}/inverses`);
  const answer = await annotate(`${objectiveUrl}/inverses/${body.id}`, 'too early');
  expect(answer).toMatchObject({ status: 400, body: { type: 'urn:backsolve:problem:nothing-to-correct' } });
});
