/** The card of a run that waits: what it says, and that its code leads back to the run. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seedObjective } from '../../harness/seeded-history.ts';
import { scanCode } from '../support/scan-code.ts';
import { type NativeService, NEVER, openNativeService, prepareObjective } from './native-service.ts';

let service: NativeService;
beforeAll(async () => {
  service = await openNativeService({ hasWorker: true });
});
afterAll(() => service.close());

async function openRun(change: object = {}) {
  const { objectiveUrl, loaded } = await prepareObjective(service.send, { ...NEVER, ...change });
  const inverse = (await service.send('POST', `${objectiveUrl}/inverses`)).body;
  return {
    objectiveId: loaded.body.id as number,
    inverse,
    card: `/v1/objectives/${loaded.body.id}/inverses/${inverse.id}/card`,
  };
}

const read = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  service.app.inject({
    url,
    headers: { authorization: `Bearer ${service.key}`, host: 'rig.example:8080', ...headers },
  });

it('A card has the input, the targets and room for the outputs, and its code leads to the run', async () => {
  const { objectiveId, inverse, card } = await openRun();
  const { statusCode, headers, body } = await read(card);
  expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(headers['content-disposition']).toBe('inline; filename="Run-2-linear-card.html"');
  expect(body).toContain('<h1 dir="auto">Run 2: linear</h1>');
  expect(body).toContain(`<bdi>${Number(inverse.input[0].toPrecision(5))}</bdi>`);
  if (String(inverse.input[0]).length > 7) expect(body).toContain(`<bdi>${inverse.input[0]}</bdi>`);
  expect(body).toContain('<bdi>499.99 … 500.01</bdi>');
  expect(body.match(/<bdi><\/bdi><\/td><\/tr>/g)).toHaveLength(3 + 4);
  expect(scanCode(body)).toBe(`http://rig.example:8080/page/objectives/${objectiveId}/runs/2`);
  expect(body).not.toMatch(/<script|<link|<img|style=| src=|href=/);
});

it('A card is the same to the byte, has an ETag, and is one page as a PDF', async () => {
  const { card } = await openRun();
  const [first, second] = [await read(card), await read(card)];
  expect(second.rawPayload.equals(first.rawPayload)).toBe(true);
  expect((await read(card, { 'if-none-match': String(first.headers['etag']) })).statusCode).toBe(304);
  const pdf = await read(card, { accept: 'application/pdf' });
  expect(pdf.headers['content-type']).toBe('application/pdf');
  expect(pdf.body.match(/\/Type \/Page\b/g)).toHaveLength(1);
  expect((await read(card, { accept: 'application/pdf' })).rawPayload.equals(pdf.rawPayload)).toBe(true);
});

it('A card of many inputs and outputs is printed small, on one page', async () => {
  const post = async (method: string, path: string, body: object) =>
    (await service.send(method as 'POST', `/v1${path}`, body)).body;
  const id = await seedObjective(post, service.db, { inputs: 15, outputs: 12, runs: 3 });
  const { body: inverse } = await service.send('POST', `/v1/objectives/${id}/inverses`);
  const card = `/v1/objectives/${id}/inverses/${inverse.id}/card`;
  expect((await read(card, { accept: 'application/pdf' })).body.match(/\/Type \/Page\b/g)).toHaveLength(1);
  expect((await read(card)).body).toContain('<table class="dense room"');
});

it('Only a run that waits has a card', async () => {
  const { objectiveId, inverse, card } = await openRun();
  await service.send('POST', `/v1/objectives/${objectiveId}/inverse-output`, { output: [1, 2, 3] });
  const refused = await read(card);
  expect(refused.statusCode).toBe(400);
  expect(refused.json()).toMatchObject({
    type: 'urn:backsolve:problem:no-open-iteration',
    detail: 'Run 2 does not wait for an output. List those that do with status=open.',
  });
  expect((await read(card.replace(String(inverse.id), '999999'))).statusCode).toBe(404);
});

it('With PUBLIC_URL and a cell, the code has the address of the service and the label of the cell', async () => {
  const other = await openNativeService({
    hasWorker: true,
    settings: { publicUrl: 'https://backsolve.example', cell: 'c2' },
  });
  const { objectiveUrl, loaded } = await prepareObjective(other.send, NEVER);
  const inverse = (await other.send('POST', `${objectiveUrl}/inverses`)).body;
  const { text } = await other.send('GET', `${objectiveUrl}/inverses/${inverse.id}/card`);
  expect(scanCode(text)).toBe(`https://backsolve.example/page/objectives/${loaded.body.id}/runs/2?cell=c2`);
  await other.close();
});
