/** All runs of a trial as one list: cases, designed and added, and the runs of all its objectives. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { trialRunSchema } from '../../src/http/native/search/trial-runs.wire.ts';
import { blackBox, type NativeService, OBJECTIVES, openNativeService, prepareObjective } from './native-service.ts';

let service: NativeService;
beforeAll(async () => {
  service = await openNativeService({ hasWorker: true });
});
afterAll(() => service.close());

const send: NativeService['send'] = (...request) => service.send(...request);

/** An objective with one more run, an added case, and an objective that goes on from it. */
async function prepareRuns() {
  const t = await prepareObjective(send);
  const { body: inverse } = await send('POST', `${t.objectiveUrl}/inverses`);
  await send('PUT', `${t.objectiveUrl}/inverses/${inverse.id}/output`, { output: blackBox(inverse.input) });
  await send('POST', `${t.trialUrl}/cases`, { inputs: [[4, 3]], outputs: [null], source: 'rig 2012' });
  const body = { ...OBJECTIVES, initialInput: undefined, initialOutput: undefined, continues: t.loaded.body.id };
  const { body: next } = await send('POST', `${t.trialUrl}/objectives`, body);
  return { ...t, inverse, id: t.loaded.body.id as number, next: next.id as number };
}

const runsOf = async (id: number, query = '') => {
  const { status, body } = await send('GET', `/v1/objectives/${id}/runs${query}`);
  expect(status).toBe(200);
  return body.map((run: unknown) => trialRunSchema.parse(run)) as ReturnType<typeof trialRunSchema.parse>[];
};

describe('the runs of a trial', () => {
  it('Are its cases, then the runs of its objectives, each with where it comes from', async () => {
    const { id, next, inverse, trialUrl } = await prepareRuns();
    const { body: cases } = await send('GET', `${trialUrl}/cases`);
    const all = await runsOf(next);
    const [designed, added] = [all.filter(({ source }) => source === 'designed'), all[cases.length - 1]];
    expect(designed.map(({ number, input, output }) => ({ number, input, output }))).toEqual(
      cases.slice(0, -1).map(({ number, input, output }: (typeof all)[number]) => ({ number, input, output })),
    );
    expect(added).toMatchObject({ source: 'added', sourceName: 'rig 2012', status: 'failed', met: null });
    const runs = all.slice(cases.length);
    expect(runs.map((run) => [run.source, run.objectiveId, run.objectiveNumber, run.iteration])).toEqual([
      ['objective', id, 1, 1],
      ['objective', id, 1, 2],
      ['objective', next, 2, 1],
    ]);
    expect(runs[1]).toMatchObject({ inverseId: inverse.id, input: inverse.input, output: blackBox(inverse.input) });
    for (const { output, met, misses, missedBy } of all) {
      expect([misses?.map((miss) => miss === 0) ?? null, missedBy?.length]).toEqual([met, output?.length]);
    }
    expect(all.map(({ position }) => position)).toEqual(all.map(({ position }) => position).toSorted((a, b) => a - b));
  });

  it('Come in pages that follow one another across both kinds, without the objective that is named', async () => {
    const { id, next } = await prepareRuns();
    const all = await runsOf(next);
    for (const limit of [1, 2, all.length - 1, all.length]) {
      const read: unknown[] = [];
      let url: string | undefined = `/v1/objectives/${next}/runs?limit=${limit}&without=${next}`;
      while (url !== undefined) {
        const answer: Awaited<ReturnType<typeof send>> = await send('GET', url);
        read.push(...answer.body);
        url = /<([^>]*)>/.exec(String(answer.headers['link'] ?? ''))?.[1];
      }
      expect(read).toEqual(all.filter(({ objectiveId }) => objectiveId !== next));
    }
    expect((await runsOf(next, `?without=${id}`)).filter(({ objectiveId }) => objectiveId === id)).toEqual([]);
  });

  it('Are written as CSV that can be loaded as cases again', async () => {
    const { next, trialUrl } = await prepareRuns();
    const { text } = await send('GET', `/v1/objectives/${next}/runs`, undefined, { accept: 'text/csv' });
    const [header, ...rows] = text.trimEnd().split('\r\n');
    expect(header).toContain(
      'x1,x2,y1,y2,y3,source,sourceName,objective,number,run,status,met:y1,met:y2,met:y3,failureReason,excluded',
    );
    expect(rows).toHaveLength((await runsOf(next)).length);
    const headers = { 'content-type': 'text/csv' };
    const loaded = await send('POST', `${trialUrl}/cases`, text, headers);
    expect([loaded.status, loaded.body.added]).toEqual([201, expect.any(Number)]);
    const lines = await send('GET', `/v1/objectives/${next}/runs`, undefined, { accept: 'application/x-ndjson' });
    expect(JSON.parse(lines.text.split('\n')[0]!)).toMatchObject({ source: 'designed', number: 1, objective: null });
  });

  it('Follow corrections, and lose those of deleted objectives', async () => {
    const { id, next, inverse, trialUrl } = await prepareRuns();
    const change = { excluded: true, reason: 'leak' };
    await send('POST', `${trialUrl}/cases/1/corrections`, change);
    const url = `/v1/objectives/${id}/inverses/${inverse.id}/corrections`;
    expect((await send('POST', url, { ...change, reopen: true })).status).toBe(200);
    const all = await runsOf(next);
    expect(all[0]).toMatchObject({ number: 1, excluded: true });
    expect(all.find(({ inverseId }) => inverseId === inverse.id)).toMatchObject({ excluded: true, corrected: true });
    await send('DELETE', `/v1/objectives/${id}`);
    expect((await runsOf(next)).filter(({ objectiveId }) => objectiveId === id)).toEqual([]);
  });

  it('Are linked: an objective names the one that it continues, and those that continue it', async () => {
    const { id, next } = await prepareRuns();
    const [first, second] = [
      await send('GET', `/v1/objectives/${id}/history`),
      await send('GET', `/v1/objectives/${next}/history`),
    ];
    expect([first.body.continues, first.body.continuedBy]).toEqual([null, [next]]);
    expect([second.body.continues, second.body.continuedBy]).toEqual([id, []]);
  });
});
