/** Exports over real sockets: complete, bounded, no faster than their reader, and never apparently complete. */

import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { purgeDeleted } from '../../src/application/deletion/purge-deleted.ts';
import { type ExportPage, exportModel } from '../../src/application/exports/export-records.ts';
import { ExportSlots } from '../../src/application/exports/export-slots.ts';
import { readAddedCasesAsJson } from '../../src/db/data/added-cases.ts';
import { exportLineSchema, presentExport } from '../../src/http/native/exports/export.wire.ts';
import { blackBox, type NativeService, OBJECTIVES, openNativeService, prepareObjective } from './native-service.ts';

const slots = new ExportSlots({ total: 3, perAccount: 2 });

let service: NativeService;
let origin: string;
beforeAll(async () => {
  service = await openNativeService({ deps: { exportSlots: slots } });
  origin = await service.app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => service.close());

const get = (path: string, key = service.key) =>
  fetch(`${origin}/v1${path}`, { headers: { authorization: `Bearer ${key}` } });

type Line = ReturnType<typeof exportLineSchema.parse>;

/** The lines of a complete export, each checked against the schema, and the last against the number of lines. */
function parseExport(text: string): readonly Line[] {
  expect(text.endsWith('\n')).toBe(true);
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => exportLineSchema.parse(JSON.parse(line)));
  expect(lines[0]).toMatchObject({ type: 'header', format: 'backsolve-export', version: 1 });
  expect(lines.at(-1)).toEqual({ type: 'end', lines: lines.length - 1 });
  return lines.slice(1, -1);
}

async function exported(path: string, key?: string): Promise<readonly Line[]> {
  const answer = await get(path, key);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
  return parseExport(await answer.text());
}

const typesOf = (lines: readonly Line[]) => lines.map(({ type }) => type);

/** A model with a running objective: its initial point, a completed inverse, and one that is being computed. */
async function prepareModel(key = service.key) {
  const send = service.sendAs(key);
  const prepared = await prepareObjective(send);
  const async = { prefer: 'respond-async' };
  const { body: inverse } = await send('POST', `${prepared.objectiveUrl}/inverses`, {}, async);
  await sql`delete from suggestion_jobs where inverse_id = ${inverse.id}`.execute(service.db);
  await sql`update inverses set input = '{0.1,7}', suggested_at = now() where id = ${inverse.id}`.execute(service.db);
  await send('PUT', `${prepared.objectiveUrl}/inverses/${inverse.id}/output`, { output: blackBox([0.1, 7]) });
  await send('POST', `${prepared.objectiveUrl}/inverses`, {}, async);
  return { ...prepared, send };
}

describe('an export of a model', () => {
  it('An export contains every record after the one it belongs to, with the same fields as elsewhere', async () => {
    const t = await prepareModel();
    await sql`
      insert into explanations (objective_id, account_id, case_count, insight, diagnosis, advice)
      select id, account_id, 4, '[{"sensitivity": [0.25, 0.75]}]', null, '[{"kind": "sum-of-squares", "outputs": [0]}]' from objectives where id = ${t.loaded.body.id}`.execute(
      service.db,
    );
    const lines = await exported(`/models/${t.model.id}/export`);
    expect(typesOf(lines)).toEqual([
      'model',
      'project',
      'inputCases',
      'outputCaseSet',
      'outputCases',
      'trial',
      'objective',
      'explanation',
      'inverse',
      'inverse',
      'inverse',
    ]);
    const read = async (url: string) => (await t.send('GET', url)).body;
    expect(lines[0]).toEqual({ type: 'model', ...(await read(`/v1/models/${t.model.id}`)) });
    const { inputCases, ...project } = await read(t.projectUrl);
    expect(lines[1]).toEqual({ type: 'project', seed: expect.any(Number), ...project });
    expect(lines[2]).toEqual({ type: 'inputCases', projectId: project.id, first: 0, rows: inputCases });
    const { output_cases, trial_id, ...set } = await read(`${t.projectUrl}/output-cases/${t.set.id}`);
    expect(lines[3]).toEqual({ type: 'outputCaseSet', ...set });
    expect(lines[4]).toEqual({ type: 'outputCases', outputCaseSetId: set.id, first: 0, rows: output_cases });
    expect(lines[5]).toEqual({ type: 'trial', ...(await read(t.trialUrl)) });
    expect((lines[5] as { id: number }).id).toBe(trial_id);
    const {
      inverses,
      optimalInverse,
      answer: _answer,
      best: _best,
      openCount: _open,
      insight,
      diagnosis,
      standing: _standing,
      endingKind: _kind,
      isResumable: _resumable,
      fit: _fit,
      advice,
      ...objective
    } = await read(t.objectiveUrl);
    expect([optimalInverse, insight.caseCount, diagnosis, advice.length]).toEqual([null, 4, null, 1]);
    expect(lines[6]).toEqual({ type: 'objective', optimalInverseId: null, seed: expect.any(Number), ...objective });
    expect(lines[7]).toMatchObject({ objectiveId: objective.id, insight: [{ sensitivity: [0.25, 0.75] }] });
    expect(lines[7]).toMatchObject({ advice: [{ kind: advice[0].kind, outputs: advice[0].outputs }] });
    for (const [i, { id }] of inverses.entries()) {
      const inverse = await read(`${t.objectiveUrl}/inverses/${id}`);
      const { misses, missedBy, misfit, l1Norm, errors, convergence, results, trialId, disabledAt, ...fields } =
        inverse;
      expect(lines[8 + i]).toMatchObject({
        type: 'inverse',
        pending: null,
        suggestedAt: i === 2 ? null : expect.any(String),
        ...fields,
      });
    }
    expect(lines[10]).toMatchObject({ input: null, output: null, iteration: 3 });
  });

  it('An export contains the corrections of a trial after its objectives, and what they changed', async () => {
    const t = await prepareModel();
    const [initial] = (await t.send('GET', `${t.objectiveUrl}/inverses`)).body;
    const reason = 'sensor not calibrated';
    const inverse = `${t.objectiveUrl}/inverses/${initial.id}/corrections`;
    await t.send('POST', inverse, { excluded: true, reason });
    await t.send('POST', `${t.trialUrl}/cases/2/corrections`, { output: [1, 2, 3], reason });
    const lines = await exported(`/models/${t.model.id}/export`);
    const logged = (await t.send('GET', `${t.trialUrl}/corrections`)).body;
    expect(lines.slice(-2)).toEqual(
      logged.map((correction: object) => ({ type: 'correction', trialId: t.trialId, ...correction })),
    );
    expect(lines.find((line) => line.type === 'inverse' && line.id === initial.id)).toMatchObject({
      excludedAt: expect.any(String),
    });
  });

  it('An export omits deleted records unless they are requested and not yet purged', async () => {
    const t = await prepareModel();
    await t.send('POST', `${t.trialUrl}/objectives`, OBJECTIVES);
    await t.send('DELETE', t.objectiveUrl);
    const path = `/models/${t.model.id}/export`;
    expect(typesOf(await exported(path)).filter((type) => type === 'objective')).toHaveLength(1);
    const all = await exported(`${path}?deleted=true`);
    const objectives = all.filter((line) => line.type === 'objective');
    expect(objectives.map(({ disabledAt }) => disabledAt !== null)).toEqual([true, false]);

    await t.send('DELETE', `/v1/models/${t.model.id}`);
    const refused = await get(path);
    expect(refused.status).toBe(404);
    expect(await refused.text()).toContain('deleted=true');
    expect(typesOf(await exported(`${path}?deleted=true`))).toEqual(typesOf(all));
    expect((await exported('/export')).some((line) => line.type === 'model' && line.id === t.model.id)).toBe(false);
    const everything = await exported('/export?deleted=true');
    expect(everything.some((line) => line.type === 'model' && line.id === t.model.id)).toBe(true);
    await purgeDeleted(service.db, { keptDays: 0 });
    expect((await get(`${path}?deleted=true`)).status).toBe(404);
  });

  it('An export splits long lists of cases into several lines and keeps every number exactly', async () => {
    const t = await prepareModel();
    await sql`
      update projects set input_count = 90, case_count = 2500, input_cases = (
        select array_agg(row_of) from (
          select array_agg(random() * power(10, 300 * (random() - 0.5))) as row_of
          from generate_series(1, 2500) r, generate_series(1, 90) c group by r) g)
      where id = ${t.project.id}`.execute(service.db);
    const { rows } = await sql<{ cases: number[][] }>`
      select input_cases as cases from projects where id = ${t.project.id}`.execute(service.db);
    const lines = (await exported(`/models/${t.model.id}/export`)).filter((line) => line.type === 'inputCases');
    expect(lines.map(({ first, rows }) => [first, rows.length])).toEqual([
      [0, 1_111],
      [1_111, 1_111],
      [2_222, 278],
    ]);
    expect(lines.flatMap((line) => line.rows)).toEqual(rows[0]!.cases);
  });

  it('An export contains the cases added to a trial after it, in the order of their numbers', async () => {
    const t = await prepareModel();
    const add = (rows: number[][], more = {}) =>
      t.send('POST', `${t.trialUrl}/cases`, {
        inputs: rows.map(([a, b]) => [a, b]),
        outputs: rows.map(() => [1, 2, 3]),
        ...more,
      });
    const first = [
      [1, 1],
      [2, 2],
    ];
    const second = Array.from({ length: 10_000 }, (_, i) => [i / 1_000, 3]);
    const third = Array.from({ length: 10_000 }, (_, i) => [i / 1_000, 4]);
    await add(first, { source: 'rig', failed: [1] });
    await add(second, { failed: [0, 9_999] });
    await add(third);
    const lines = await exported(`/models/${t.model.id}/export`);
    const added = lines.filter((line) => line.type === 'addedCases');
    expect(lines.findIndex(({ type }) => type === 'addedCases')).toBe(
      lines.findIndex(({ type }) => type === 'trial') + 1,
    );
    const designed = t.project.caseCount;
    expect(added[0]).toEqual({
      type: 'addedCases',
      trialId: t.trialId,
      revision: 1,
      firstNumber: designed + 1,
      source: 'rig',
      failedCases: [1],
      createdAt: expect.any(String),
      inputs: first,
      outputs: [
        [1, 2, 3],
        [0, 0, 0],
      ],
    });
    expect(added.slice(1).map(({ revision, failedCases }) => [revision, failedCases])).toEqual([
      [2, [0, 9_999]],
      [3, []],
    ]);
    expect(added.flatMap(({ inputs }) => inputs)).toEqual([...first, ...second, ...third]);
    const read = (from: number, count: number) => readAddedCasesAsJson(service.db, t.trialId, from, count);
    const part = { revision: 1, firstNumber: designed + 2, rows: 1, failedCases: '[0]', inputs: '[[2,2]]' };
    expect(await read(designed + 2, 5)).toMatchObject(part);
    expect(await read(designed + 4, 3)).toMatchObject({
      revision: 2,
      rows: 3,
      failedCases: '[]',
      inputs: '[[0.001,3],[0.002,3],[0.003,3]]',
    });
    expect(await read(designed + 20_003, 1)).toBeUndefined();
  });

  it('An export contains all inverses of many and of long objectives, in order', async () => {
    const t = await prepareModel();
    for (let i = 0; i < 45; i++) await t.send('POST', `${t.trialUrl}/objectives`, OBJECTIVES);
    const ids = (await t.send('GET', `${t.trialUrl}/objectives?limit=200`)).body.map(({ id }: { id: number }) => id);
    for (const [id, count] of [
      [ids[7], 1_700],
      [ids[30], 500],
    ]) {
      await sql`
        insert into inverses (account_id, objective_id, iteration, input)
        select account_id, id, n, '{1,2}' from objectives, generate_series(2, ${count}::int) n
        where id = ${id}`.execute(service.db);
      await sql`update objectives set attempt_count = ${count} - 1 where id = ${id}`.execute(service.db);
    }
    const lines = (await exported(`/models/${t.model.id}/export`)).filter((line) => line.type === 'inverse');
    expect(lines).toHaveLength(3 + 43 + 1_700 + 500);
    const { rows } = await sql<{ id: number }>`
      select i.id from inverses i join objectives o on o.id = i.objective_id
      where o.trial_id = ${t.trialId} order by i.objective_id, i.iteration`.execute(service.db);
    expect(lines.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
  });

  it('An export has no HEAD and accepts only true and false for deleted', async () => {
    const t = await prepareModel();
    const url = `/v1/models/${t.model.id}/export`;
    expect((await t.send('HEAD', url)).status).toBe(405);
    expect((await t.send('GET', `${url}?deleted=false`)).status).toBe(200);
    for (const query of ['deleted=yes', 'deleted', 'deleted=true&deleted=true']) {
      const refused = await t.send('GET', `${url}?${query}`);
      expect(refused.status).toBe(400);
      expect(refused.body.errors).toEqual([
        { property: 'deleted', pointer: '/deleted', message: 'must be true or false.' },
      ]);
    }
  });
});

it('An export of an account contains all its models and none of another account', async () => {
  const key = await service.makeKey('exporter');
  const models = [await prepareModel(key), await prepareModel(key)];
  await prepareModel();
  const lines = await exported('/export', key);
  const ids = lines.flatMap((line) => (line.type === 'model' ? [line.id] : []));
  expect(ids).toEqual(models.map(({ model }) => model.id));
  expect(await exported('/export', await service.makeKey('nothing there'))).toEqual([]);
});

/** Inverses with a thousand outputs each, 20 kB per inverse, so that an export is larger than all buffers. */
async function prepareLargeModel(inverses = 3_000, key = service.key) {
  const t = await prepareModel(key);
  await sql`
    update objectives set objectives = (select array_agg(sin(i)) from generate_series(1, 1000) i)
    where id = ${t.loaded.body.id}`.execute(service.db);
  await sql`
    insert into inverses (account_id, objective_id, iteration, input, output)
    select account_id, id, n, '{1,2}', (select array_agg(sin(i)) from generate_series(1, 1000) i)
    from objectives, generate_series(4, ${inverses}::int) n where id = ${t.loaded.body.id}`.execute(service.db);
  return { ...t, path: `/models/${t.model.id}/export` };
}

/** An export whose first piece has arrived and whose rest is not read. */
async function beginExport(path: string, key?: string) {
  const answer = await get(path, key);
  const reader = answer.body!.getReader();
  const first = await reader.read();
  const rest = async () => {
    const chunks = [first.value!];
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) chunks.push(piece.value);
    return Buffer.concat(chunks).toString();
  };
  return { status: answer.status, rest, cancel: () => reader.cancel() };
}

describe('an export that is not read', () => {
  it('An export is read no further than its client receives it', async () => {
    const t = await prepareLargeModel();
    let pages = 0;
    async function* counted(source: AsyncIterable<ExportPage>): AsyncGenerator<ExportPage> {
      for await (const page of source) {
        pages += 1;
        yield page;
      }
    }
    const { rows } = await sql<{ id: number }>`select account_id as id from models where id = ${t.model.id}`.execute(
      service.db,
    );
    const source = counted(exportModel(service.db, rows[0]!.id, t.model.id, { withDeleted: false }));
    const scope = { modelId: t.model.id, withDeleted: false, exportedAt: new Date() };
    const body = Readable.from(presentExport(scope, source), { highWaterMark: 1 });
    const reader = body[Symbol.asyncIterator]();
    let text = '';
    for (let piece = 0; piece < 12; piece++) text += (await reader.next()).value;
    // Anything that reads ahead would have done so by now.
    for (let turn = 0; turn < 50; turn++) await sql`select 1`.execute(service.db).then(() => nextTurn());
    expect(pages).toBeLessThan(12 + 3);
    for await (const piece of { [Symbol.asyncIterator]: () => reader }) text += piece;
    expect(parseExport(text).length).toBe(3_000 + 7);
    expect(pages).toBeGreaterThan(30);
  });

  it('An export keeps its slot until its client has received it or disconnected', async () => {
    const t = await prepareLargeModel();
    const begun = [await beginExport(t.path), await beginExport(t.path)];
    const refused = await get(t.path);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('30');
    expect(await refused.text()).toContain('2 exports of this account are already running');
    const key = await service.makeKey(`another ${t.model.id}`);
    const other = await prepareLargeModel(3_000, key);
    const third = await beginExport(other.path, key);
    const crowded = await get('/export', await service.makeKey(`third ${t.model.id}`));
    expect([crowded.status, crowded.headers.get('retry-after')]).toEqual([503, '30']);
    await third.cancel();
    parseExport(await begun[0]!.rest());
    await begun[1]!.cancel();
    await expect.poll(async () => (await get('/models/999999/export')).status).toBe(404);
    expect((await exported(t.path)).length).toBe(3_000 + 7);
  });
});

it('An export includes records that are deleted while it runs, with everything below them', async () => {
  const t = await prepareModel();
  const { rows } = await sql<{ id: number }>`select account_id as id from models where id = ${t.model.id}`.execute(
    service.db,
  );
  const pages = exportModel(service.db, rows[0]!.id, t.model.id, { withDeleted: false });
  const records = [...(await pages.next()).value!];
  await t.send('DELETE', `/v1/models/${t.model.id}`);
  for await (const page of pages) records.push(...page);
  expect(records.map(({ type }) => type).filter((type) => type === 'inverse')).toHaveLength(3);
});

describe('an export that fails midway', () => {
  it('A failing export is cut off, so that it cannot be mistaken for a complete one', async () => {
    const t = await prepareLargeModel();
    const begun = await beginExport(t.path);
    expect(begun.status).toBe(200);
    await sql`delete from inverses where objective_id = ${t.loaded.body.id} and iteration between 2000 and 2500`.execute(
      service.db,
    );
    await expect(begun.rest()).rejects.toThrow(/terminated|aborted|other side closed/);
    expect((await get(t.path.replace(/\d+/, '999999'))).status).toBe(404);
  });

  it('An export is cut off when the process closes, and later ones are refused', async () => {
    const leaving = new ExportSlots({ total: 2, perAccount: 2 });
    const other = await openNativeService({ deps: { exportSlots: leaving } });
    const address = await other.app.listen({ host: '127.0.0.1', port: 0 });
    try {
      const { model, loaded } = await prepareObjective(other.send);
      await sql`
        insert into inverses (account_id, objective_id, iteration, input, output)
        select account_id, id, n, '{1,2}', (select array_agg(sin(i)) from generate_series(1, 1000) i)
        from objectives, generate_series(2, 3000) n where id = ${loaded.body.id}`.execute(other.db);
      const headers = { authorization: `Bearer ${other.key}` };
      const ask = () => fetch(`${address}/v1/models/${model.id}/export`, { headers });
      const answer = await ask();
      leaving.close();
      const late = await ask();
      expect([late.status, late.headers.has('retry-after')]).toEqual([503, true]);
      await expect(answer.text()).rejects.toThrow(/terminated|aborted|other side closed/);
    } finally {
      await other.close();
    }
  });

  it('An export reports records purged while it ran, and none starts during the purge', async () => {
    const t = await prepareModel();
    await t.send('DELETE', t.objectiveUrl);
    const { rows } = await sql<{ id: number }>`select account_id as id from models where id = ${t.model.id}`.execute(
      service.db,
    );
    const begin = () => exportModel(service.db, rows[0]!.id, t.model.id, { withDeleted: true });
    const pages = begin();
    await pages.next();
    await purgeDeleted(service.db, { keptDays: 0 });
    const drain = async (rest: AsyncIterable<unknown>) => {
      for await (const _ of rest);
    };
    await expect(drain(pages)).rejects.toThrow('a record was purged while it was being exported');
    await drain(begin());

    // Records that existed at the start, deleted and purged before they are read.
    const active = exportModel(service.db, rows[0]!.id, t.model.id, { withDeleted: false });
    const seen = [...(await active.next()).value!];
    while (seen.at(-1)!.type !== 'trial') seen.push(...(await active.next()).value!);
    await t.send('DELETE', t.trialUrl);
    await purgeDeleted(service.db, { keptDays: 0 });
    await expect(drain(active)).rejects.toThrow('a record was purged while it was being exported');
    Object.assign(t, {
      trialUrl: `${t.projectUrl}/trials/${(await t.send('POST', `${t.projectUrl}/trials`, {})).body.id}`,
    });

    await t.send('POST', `${t.trialUrl}/objectives`, OBJECTIVES);
    await t.send('DELETE', t.trialUrl);
    await sql`update deletions set purging_since = now() where model_id = ${t.model.id}`.execute(service.db);
    const refused = await get(`/models/${t.model.id}/export?deleted=true`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '60']);
    expect((await exported(`/models/${t.model.id}/export`)).length).toBeGreaterThan(0);
  });
});
