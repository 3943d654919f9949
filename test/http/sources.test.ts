/** Cheaper sources under /v1: what a project states, which source a suggestion is for, and what its runs do not decide. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type NativeService, openNativeService } from './native-service.ts';

let service: NativeService;
beforeAll(async () => {
  service = await openNativeService({ hasWorker: true });
});
afterAll(() => service.close());

const send: NativeService['send'] = (...request) => service.send(...request);

const fine = ([a, b]: readonly number[]) => [a! + 0.3 * a! * b!, b! - 0.2 * a! * a!, a! * b!];
const coarse = (x: readonly number[]) => fine(x).map((y, j) => 0.9 * y + 0.05 * (j + 1));
const TARGET = fine([0.62, 0.37]);
const SPACE = {
  inputCount: 2,
  minimums: [0, 0],
  maximums: [1, 1],
  inputTypes: ['float', 'float'],
  categories: [],
  outputCount: 3,
};
const GOAL = {
  objectives: TARGET,
  objectiveTypes: TARGET.map(() => 'value'),
  minimumBounds: TARGET.map(() => -0.002),
  maximumBounds: TARGET.map(() => 0.002),
};
const SOURCES = [{ name: 'coarse', cost: 0.05 }];

let count = 0;
async function makeProject(fields: object = { sources: SOURCES }) {
  const model = await send('POST', '/v1/models', { name: `sources ${++count}` });
  const url = `/v1/models/${model.body.id}/projects`;
  return { url, made: await send('POST', url, { name: 'cheap models', ...SPACE, ...fields }) };
}

async function makeTrial() {
  const { url, made } = await makeProject();
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  expect(made.body).toMatchObject({ sources: SOURCES, caseCount: 1 });
  const project = `${url}/${made.body.id}`;
  const trials = `${project}/trials`;
  const set = { outputCount: 3, outputCases: made.body.inputCases.map(fine) };
  const { body: cases } = await send('POST', `${project}/output-cases`, set);
  return { trial: `${trials}/${cases.trial_id}` };
}

async function makeObjective(made?: { readonly trial: string }) {
  const { trial } = made ?? (await makeTrial());
  const loaded = await send('POST', `${trial}/objectives`, GOAL);
  expect(loaded.status, JSON.stringify(loaded.body)).toBe(201);
  return {
    url: `/v1/objectives/${loaded.body.id}`,
    nested: `${trial}/objectives/${loaded.body.id}`,
  };
}

it('a search runs the cheaper source first, is satisfied by a fine run only, and shows the source of each run', async () => {
  const { url, nested } = await makeObjective();
  const sources: (string | null)[] = [];
  for (let k = 0; k < 60; k++) {
    const { status, body } = await send('POST', `${nested}/inverses`);
    expect(status, JSON.stringify(body)).toBe(201);
    sources.push(body.source);
    const output = body.source === 'coarse' ? coarse(body.input) : fine(body.input);
    const put = await send('PUT', `${nested}/inverses/${body.id}/output`, { output });
    expect(put.status, JSON.stringify(put.body)).toBe(200);
    const { body: objective } = await send('GET', url);
    if (objective.stopReason !== 0) break;
  }
  const { body: history } = await send('GET', `${url}/history`);
  expect(history.stopReason).toBe(1);
  expect(sources.at(-1)).toBeNull();
  expect(sources.filter((one) => one === 'coarse').length).toBeGreaterThan(5);
  const named = Object.fromEntries(sources.flatMap((one, k) => (one ? [[k + 2, one]] : [])));
  expect(history.sources).toEqual(named);
  const { body: objective } = await send('GET', url);
  expect(objective.best.iteration).toBe(sources.length + 1);
  const csv = (await send('GET', `${url}/history`, undefined, { accept: 'text/csv' })).text;
  expect(csv.split('\n')[0]).toContain('source');
});

it('a run of the cheaper source that meets all targets neither ends the search nor is the best', async () => {
  const { url, nested } = await makeObjective();
  const before = (await send('GET', url)).body.best;
  const { body } = await send('POST', `${nested}/inverses`);
  expect(body.source).toBe('coarse');
  await send('PUT', `${nested}/inverses/${body.id}/output`, { output: TARGET });
  const { body: objective } = await send('GET', url);
  expect(objective.stopReason).toBe(0);
  expect(objective.best).toEqual(before);
  const { body: history } = await send('GET', `${url}/history`);
  expect([history.misses[1], history.missedBy[1]]).toEqual([null, null]);
  const { body: runs } = await send('GET', `${url}/runs`);
  const ofSource = runs.filter(({ sourceName }: { sourceName: string | null }) => sourceName === 'coarse');
  expect(ofSource).toMatchObject([{ iteration: 2, met: null, misses: null }]);
  const rows = (await send('GET', `${url}/runs`, undefined, { accept: 'text/csv' })).text.split('\n');
  expect(rows.find((row) => row.includes('coarse'))).not.toMatch(/true|false,false/);
  const report = await service.app.inject({
    url: `${url}/report`,
    headers: { authorization: `Bearer ${service.key}` },
  });
  expect(report.body).toContain('loaded, coarse');
  // The state that a correction forms again from all runs is the same.
  const corrected = await send('POST', `${nested}/inverses/${body.id}/corrections`, {
    output: TARGET.map((y) => y + 0.0001),
    reason: 'read again',
  });
  expect(corrected.status, JSON.stringify(corrected.body)).toBe(200);
  expect((await send('GET', url)).body).toMatchObject({ stopReason: 0, best: before });
});

it('sources without a cost below one, named fine or named twice are refused with what to do', async () => {
  const refused = async (sources: object[]) => {
    const { made } = await makeProject({ sources });
    expect(made.status).toBe(400);
    return JSON.stringify(made.body);
  };
  expect(await refused([{ name: 'coarse', cost: 1 }])).toContain('sources[0].cost');
  expect(await refused([{ name: 'fine', cost: 0.1 }])).toContain('must not be fine');
  expect(await refused([...SOURCES, ...SOURCES])).toContain('must not repeat coarse');
});

it('cases loaded as those of a source teach the models without cost, and are neither the best run nor a solution', async () => {
  const { trial } = await makeTrial();
  const inputs = Array.from({ length: 16 }, (_, k) => [(k % 4) / 3, Math.floor(k / 4) / 3]);
  const rows = { inputs: [...inputs, [0.62, 0.37]], outputs: [...inputs.map(coarse), TARGET] };
  const unknown = await send('POST', `${trial}/cases`, { ...rows, source: 'corse' });
  expect(unknown.status).toBe(400);
  expect(JSON.stringify(unknown.body)).toContain('must be one of fine, coarse');
  const added = await send('POST', `${trial}/cases`, { ...rows, source: 'coarse' });
  expect(added.status, JSON.stringify(added.body)).toBe(201);
  const { url, nested } = await makeObjective({ trial });
  const { body: objective } = await send('GET', url);
  expect(objective).toMatchObject({ stopReason: 0, best: { caseNumber: 1 } });
  const { body: runs } = await send('GET', `${url}/runs`);
  const met = runs.map((run: { sourceName: string | null; met: boolean[] | null }) => [run.sourceName, run.met]);
  expect(met.slice(1, 18)).toEqual(Array.from({ length: 17 }, () => ['coarse', null]));
  const { body: next } = await send('POST', `${nested}/inverses`);
  // The source was not run at the first fine input, which says whether it helps.
  expect(next.source).toBe('coarse');
  await send('PUT', `${nested}/inverses/${next.id}/output`, { output: coarse(next.input) });
  const { body: guided } = await send('POST', `${nested}/inverses`);
  // The wanted input itself was loaded with a wrong output, so the models stay near it.
  expect(Math.hypot(guided.input[0] - 0.62, guided.input[1] - 0.37)).toBeLessThan(0.4);
});

it('a file says by its column sourceName which source made each row, as exports write it', async () => {
  const { trial } = await makeTrial();
  const inputs = Array.from({ length: 6 }, (_, k) => [k / 5, (k % 3) / 2]);
  const lines = inputs.map((x, k) =>
    [...x, ...(k % 2 === 0 ? coarse(x) : fine(x)), k % 2 === 0 ? 'coarse' : ''].join(),
  );
  const csv = `x1,x2,y1,y2,y3,sourceName\n${lines.join('\n')}\n`;
  const added = await send('POST', `${trial}/cases`, csv, { 'content-type': 'text/csv' });
  expect(added.body, JSON.stringify(added.body)).toMatchObject({ added: 6, leftOut: 0, duplicates: 0 });
  const { body: list } = await send('GET', `${trial}/cases`);
  expect(list.map((one: { sourceName: string | null }) => one.sourceName)).toEqual([
    null,
    null,
    null,
    null,
    'coarse',
    'coarse',
    'coarse',
  ]);
});
