/** All objectives of an account at a glance. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { objectiveGlanceSchema } from '../../src/http/native/search/overview.wire.ts';
import {
  blackBox,
  type NativeService,
  OBJECTIVES,
  openNativeService,
  prepareObjective,
  type Send,
} from './native-service.ts';

let service: NativeService;
beforeAll(async () => {
  service = await openNativeService({ settings: { suggestWaitMs: 0 } });
});
afterAll(() => service.close());

async function openAccount(): Promise<Send> {
  return service.sendAs(await service.makeKey(`account ${crypto.randomUUID()}`));
}

async function glances(send: Send, query = '') {
  const answer = await send('GET', `/v1/objectives${query}`);
  expect(answer.status, answer.text).toBe(200);
  return { ...answer, items: objectiveGlanceSchema.array().parse(answer.body) };
}

const ids = ({ items }: { readonly items: readonly { readonly id: number }[] }) => items.map(({ id }) => id);

describe('the list of all objectives', () => {
  it('An objective is shown with its parents, what it has met and what it waits for', async () => {
    const send = await openAccount();
    const t = await prepareObjective(send);
    const id = t.loaded.body.id;
    const first = async () => (await glances(send)).items[0]!;
    const { body: objective } = await send('GET', t.objectiveUrl);
    expect(await first()).toEqual({
      id,
      modelId: t.model.id,
      modelName: t.model.name,
      projectId: t.project.id,
      projectName: 'linear',
      trialId: t.trialId,
      trialNumber: 1,
      number: 1,
      label: null,
      isArchived: false,
      inProject: null,
      stopReason: 0,
      endingKind: null,
      attemptCount: 0,
      maximumAttempts: 500,
      inputCount: 2,
      outputCount: 3,
      metCount: objective.best.misses.filter((miss: number) => miss === 0).length,
      limitCount: 3,
      openCount: 0,
      limitsMet: objective.best.misses.filter((miss: number) => miss === 0).length,
      misfit: null,
      worstMiss: objective.best.worstMiss,
      worstOutput: { number: expect.any(Number), name: null, distance: expect.any(Number) },
      trend: null,
      waitsFor: null,
      hasDiagnosis: false,
      targets: expect.any(Array),
      createdAt: objective.createdAt,
      updatedAt: objective.updatedAt,
    });
    const { body: inverse } = await send('POST', `${t.objectiveUrl}/inverses`, {}, { prefer: 'respond-async' });
    expect(await first()).toMatchObject({ waitsFor: 'suggestion' });
    await sql`delete from suggestion_jobs where inverse_id = ${inverse.id}`.execute(service.db);
    await sql`update inverses set input = '{3,7}' where id = ${inverse.id}`.execute(service.db);
    expect(await first()).toMatchObject({ waitsFor: 'output' });
    await send('PUT', `${t.objectiveUrl}/inverses/${inverse.id}/output`, { output: [10, -4, 6.2] });
    expect(await first()).toMatchObject({ waitsFor: null, metCount: 2, stopReason: 0 });
    const explain = (diagnosis: string) =>
      sql`insert into explanations (objective_id, account_id, case_count, diagnosis)
        select id, account_id, 4, ${diagnosis}::jsonb from objectives where id = ${id}
        on conflict (objective_id) do update set diagnosis = excluded.diagnosis`.execute(service.db);
    await explain('null');
    expect(await first()).toMatchObject({ hasDiagnosis: false });
    await explain('{"unmet": [], "conflicts": []}');
    expect(await first()).toMatchObject({ hasDiagnosis: true });
    await sql`update objectives set judged_through = null where id = ${id}`.execute(service.db);
    expect(await first()).toMatchObject({ metCount: null });
  });

  it('What is wanted is told in short, by name and unit', async () => {
    const send = await openAccount();
    const t = await prepareObjective(send, {
      objectives: [10, null, 20],
      objectiveTypes: ['percent', 'maximize', 'lessthan'],
      minimumBounds: [-1, null, null],
      maximumBounds: [1, null, null],
    });
    const names = { outputNames: ['heat', 'wear', 'noise'], outputUnits: ['kW', '', ''] };
    await send('PATCH', `/v1/models/${t.model.id}/projects/${t.project.id}`, names);
    const { targets } = (await glances(send)).items[0]!;
    expect(targets).toMatchObject([
      { name: 'heat', unit: 'kW', lower: 9.9, upper: 10.1, objective: 10, objectiveType: 'percent' },
      { name: 'wear', unit: null, lower: null, upper: null, objective: null, objectiveType: 'maximize' },
      { name: 'noise', unit: null, lower: null, upper: 20, upperOpen: true },
    ]);
  });

  it('A page says how many there are in all, of the account and of the stop reason', async () => {
    const send = await openAccount();
    const t = await prepareObjective(send);
    for (let i = 0; i < 3; i++)
      await send('POST', `${t.trialUrl}/objectives`, { ...OBJECTIVES, reuse: i > 1, maximumAttempts: 10 + i });
    await send('POST', `${t.objectiveUrl}/stop`);
    const totalOf = async (query: string) => (await glances(send, query)).headers['total-count'];
    expect([await totalOf('?limit=1'), await totalOf('?stopReason=0'), await totalOf('?stopReason=2&limit=1')]).toEqual(
      ['4', '3', '1'],
    );
    expect(await totalOf('?search=linear')).toBeUndefined();
    await send('DELETE', t.objectiveUrl);
    expect(await totalOf('?limit=1')).toBe('3');
  });

  it('The reported output that comes nearest counts, not only cases and the initial point', async () => {
    const send = await openAccount();
    const t = await prepareObjective(send);
    const { body: inverse } = await send('POST', `${t.objectiveUrl}/inverses`, {}, { prefer: 'respond-async' });
    await sql`delete from suggestion_jobs where inverse_id = ${inverse.id}`.execute(service.db);
    await sql`update inverses set input = '{3,7}' where id = ${inverse.id}`.execute(service.db);
    await send('PUT', `${t.objectiveUrl}/inverses/${inverse.id}/output`, { output: blackBox([3, 7]) });
    expect((await glances(send)).items).toMatchObject([{ stopReason: 1, metCount: 3 }]);
  });

  it('A satisfied objective meets all and shows no diagnosis', async () => {
    const send = await openAccount();
    const t = await prepareObjective(send, { initialInput: [3, 7], initialOutput: blackBox([3, 7]) });
    await sql`insert into explanations (objective_id, account_id, case_count, diagnosis)
      select id, account_id, 4, '{}' from objectives where id = ${t.loaded.body.id}`.execute(service.db);
    expect((await glances(send)).items).toMatchObject([{ stopReason: 1, metCount: 3, hasDiagnosis: false }]);
  });

  it('Pages go from the newest to the oldest, of one stop reason or of all, without deleted ones', async () => {
    const send = await openAccount();
    const t = await prepareObjective(send);
    const made = [t.loaded.body.id];
    for (let n = 0; n < 11; n++) made.push((await send('POST', `${t.trialUrl}/objectives`, OBJECTIVES)).body.id);
    const of = (n: number) => `/v1/objectives/${made[n]}`;
    for (const n of [2, 5, 9]) await send('POST', `${of(n)}/stop`);
    await sql`update objectives set stop_reason = 3 where id = ${made[7]}`.execute(service.db);
    for (const n of [4, 5]) expect((await send('DELETE', of(n))).status).toBe(204);
    const expected = (numbers: readonly number[]) => numbers.map((n) => made[n]);
    expect(ids(await glances(send))).toEqual(expected([11, 10, 9, 8, 7, 6, 3, 2, 1, 0]));
    expect(ids(await glances(send, '?stopReason=0'))).toEqual(expected([11, 10, 8, 6, 3, 1, 0]));
    expect(ids(await glances(send, '?stopReason=1'))).toEqual([]);
    expect(ids(await glances(send, '?stopReason=2'))).toEqual(expected([9, 2]));
    expect(ids(await glances(send, '?stopReason=3'))).toEqual(expected([7]));
    for (const [query, all] of [
      ['', [11, 10, 9, 8, 7, 6, 3, 2, 1, 0]],
      ['&stopReason=0', [11, 10, 8, 6, 3, 1, 0]],
    ] as const) {
      const seen: number[] = [];
      for (let url: string | undefined = `/v1/objectives?limit=3${query}`; url !== undefined; ) {
        const answer = await send('GET', url);
        seen.push(...answer.body.map(({ id }: { id: number }) => id));
        expect(answer.body.length).toBeLessThanOrEqual(3);
        url = /^<(.*)>; rel="next"$/.exec(String(answer.headers['link']))?.[1];
      }
      expect(seen).toEqual(expected(all));
    }
  });

  it('A trend shows the worst miss of the best run so far, from the cases on', async () => {
    const send = await openAccount();
    const t = await prepareObjective(send);
    const record = async (input: readonly [number, number]) => {
      const { body: inverse } = await send('POST', `${t.objectiveUrl}/inverses`, {}, { prefer: 'respond-async' });
      await sql`delete from suggestion_jobs where inverse_id = ${inverse.id}`.execute(service.db);
      await sql`update inverses set input = ${input} where id = ${inverse.id}`.execute(service.db);
      const path = `${t.objectiveUrl}/inverses/${inverse.id}/output`;
      await send('PUT', path, { output: blackBox(input) });
      return { id: inverse.id, ...(await send('GET', t.objectiveUrl)).body.best };
    };
    const trend = async (points: number) => (await glances(send, `?trend=${points}`)).items[0]!.trend!;
    const start = await trend(50);
    expect(start.iterations).toEqual([0, 1]);
    const near = await record([3.5, 7]);
    const far = await record([9, 1]);
    const nearer = await record([3.1, 7]);
    expect(far.worstMiss).toBe(near.worstMiss);
    const [ofCases, ofFirst] = start.misses as [number, number];
    expect(await trend(50)).toEqual({
      iterations: [0, 1, 2, 3, 4],
      misses: [ofCases, ofFirst, near.worstMiss, near.worstMiss, nearer.worstMiss],
      misfits: null,
    });
    expect((await glances(send)).items).toMatchObject([{ worstMiss: nearer.worstMiss, trend: null }]);
    await record([9, 1]);
    // Two of five iterations are looked at, and the best one.
    const few = await trend(2);
    expect(few.iterations).toEqual([0, 3, 4, 5]);
    expect(few.misses.slice(2)).toEqual([nearer.worstMiss, nearer.worstMiss]);
    await sql`update inverses set excluded_at = now() where id = ${far.id}`.execute(service.db);
    expect((await trend(50)).iterations).toEqual([0, 1, 2, 4, 5]);
    await sql`update objectives set judged_through = null where id = ${t.loaded.body.id}`.execute(service.db);
    expect((await glances(send, '?trend=2')).items).toMatchObject([{ worstMiss: null, trend: null }]);
  });

  it('An ETag holds until something changes that the page shows', async () => {
    const send = await openAccount();
    const t = await prepareObjective(send);
    const other = (await send('POST', `${t.trialUrl}/objectives`, OBJECTIVES)).body.id;
    let etag = '';
    const read = async (query = '') => {
      const answer = await send('GET', `/v1/objectives${query}`, undefined, { 'if-none-match': etag });
      etag = String(answer.headers['etag']);
      return [
        answer.status,
        await send('GET', `/v1/objectives${query}`, undefined, { 'if-none-match': etag }),
      ] as const;
    };
    const expectChange = async (change: () => Promise<unknown>) => {
      await change();
      const [status, again] = await read();
      expect([status, again.status, again.text]).toEqual([200, 304, '']);
    };
    const { body: inverse } = await send('POST', `${t.objectiveUrl}/inverses`, {}, { prefer: 'respond-async' });
    const id = t.loaded.body.id;
    await expectChange(() => sql`delete from suggestion_jobs where inverse_id = ${inverse.id}`.execute(service.db));
    await expectChange(() => sql`update inverses set input = '{3,7}' where id = ${inverse.id}`.execute(service.db));
    await expectChange(() => send('PUT', `${t.objectiveUrl}/inverses/${inverse.id}/output`, { output: [1, 2, 3] }));
    await expectChange(() => send('PATCH', `/v1/models/${t.model.id}`, { name: 'renamed' }));
    await expectChange(() => send('PATCH', t.projectUrl, { name: 'renamed as well' }));
    await expectChange(() =>
      sql`insert into explanations (objective_id, account_id, case_count, diagnosis)
        select id, account_id, 4, '{}' from objectives where id = ${id}`.execute(service.db),
    );
    await expectChange(() => sql`update objectives set judged_through = null where id = ${id}`.execute(service.db));
    await expectChange(() => send('POST', `/v1/objectives/${other}/stop`));
    await expectChange(() => send('DELETE', `/v1/objectives/${other}`));
    await expectChange(() => send('POST', `${t.trialUrl}/objectives`, OBJECTIVES));
    expect((await read('?limit=1'))[0]).toBe(200);
  });

  it('A request that waits is answered when the page changes, and with 304 when it does not', async () => {
    const send = await openAccount();
    const t = await prepareObjective(send);
    const urls = ['/v1/objectives', '/v1/objectives?stopReason=0&trend=5', '/v1/objectives?stopReason=2'];
    const etags = await Promise.all(urls.map(async (url) => (await send('GET', url)).headers['etag']));
    const wait = (k: number, seconds = 60) =>
      send('GET', urls[k]!, undefined, { 'if-none-match': String(etags[k]), prefer: `wait=${seconds}` });
    const over = await wait(2, 1);
    expect([over.status, over.headers['preference-applied'], over.headers['etag']]).toEqual([304, 'wait=1', etags[2]]);
    const answers = urls.map((_, k) => wait(k));
    await expect.poll(() => service.changeWaiters.waiting, { interval: 5 }).toBe(3);
    const other = await openAccount();
    await prepareObjective(other);
    // Nothing that this process announces.
    await sql`update models set name = 'renamed elsewhere', updated_at = now() where id = ${t.model.id}`.execute(
      service.db,
    );
    const [all, running] = await Promise.all(answers.slice(0, 2));
    for (const { status, body, headers } of [all!, running!]) {
      expect([status, headers['preference-applied']]).toEqual([200, 'wait=60']);
      expect(body).toMatchObject([{ id: t.loaded.body.id, modelName: 'renamed elsewhere' }]);
    }
    expect(running!.body[0].trend).not.toBeNull();
    expect(service.changeWaiters.waiting).toBe(1);
    await send('POST', `${t.objectiveUrl}/stop`);
    expect((await answers[2]!).body).toMatchObject([{ id: t.loaded.body.id, stopReason: 2 }]);
    const gone = wait(0);
    expect((await gone).body).toMatchObject([{ stopReason: 2 }]);
  });

  it('Of many who ask for the same page all get the same, one after another', async () => {
    const send = await openAccount();
    const t = await prepareObjective(send);
    const older = { 'if-none-match': '"older"' };
    const ask = () => Promise.all([0, 1, 2, 3].map(() => send('GET', '/v1/objectives?trend=3', undefined, older)));
    const texts = new Set((await ask()).map(({ text }) => text));
    await send('PATCH', t.projectUrl, { name: 'other name' });
    for (const { text } of await ask()) texts.add(text);
    expect([...texts].map((text) => JSON.parse(text)[0].projectName)).toEqual(['linear', 'other name']);
  });

  it('Without If-None-Match, or past the limit of waits, a request is answered immediately', async () => {
    const full = vi.spyOn(service.changeWaiters, 'isFull').mockReturnValue(true);
    const send = await openAccount();
    const first = await send('GET', '/v1/objectives', undefined, { prefer: 'wait=60' });
    expect([first.status, first.body, first.headers['preference-applied']]).toEqual([200, [], undefined]);
    const etag = String(first.headers['etag']);
    const again = await send('GET', '/v1/objectives', undefined, { prefer: 'wait=60', 'if-none-match': etag });
    expect([again.status, again.headers['preference-applied']]).toEqual([304, undefined]);
    full.mockRestore();
  });

  it('A search finds words in the names and numbers, page by page, beside the state', async () => {
    const send = await openAccount();
    const heat = await prepareObjective(send);
    const wave = await prepareObjective(send);
    await send('PATCH', heat.projectUrl, { name: 'Wärme 100% heat_exchanger \\ "a"' });
    await send('PATCH', `/v1/models/${wave.model.id}`, { name: 'Epidemic' });
    const second = (await send('POST', `${wave.trialUrl}/objectives`, OBJECTIVES)).body.id;
    await send('POST', `/v1/objectives/${second}/stop`);
    const found = async (search: string, more = '') =>
      ids(await glances(send, `?search=${encodeURIComponent(search)}${more}`));
    const [one, two] = [heat.loaded.body.id, wave.loaded.body.id];
    expect(await found('HEAT')).toEqual([one]);
    expect(await found('100% heat_ex')).toEqual([one]);
    expect(await found('\\')).toEqual([one]);
    for (const none of ['heat%exchanger', 'heat.exchanger', '1000% heat', 'heat epidemic', '_h']) {
      expect(await found(none)).toEqual([]);
    }
    expect(await found('exchanger heat')).toEqual([one]);
    expect(await found('epid objective 2')).toEqual([second]);
    expect(await found('trial 1, objective 1')).toEqual([second, two, one]);
    expect(await found('  ')).toEqual([second, two, one]);
    expect(await found('epidemic', '&stopReason=0')).toEqual([two]);
    const first = await glances(send, '?search=epidemic&limit=1');
    expect(ids(first)).toEqual([second]);
    const next = /^<(.*)>; rel="next"$/.exec(String(first.headers['link']))![1]!;
    expect((await send('GET', next)).body).toMatchObject([{ id: two }]);
    const known = { 'if-none-match': String(first.headers['etag']), prefer: 'wait=60' };
    const again = await send('GET', '/v1/objectives?search=epidemic&limit=1', undefined, known);
    expect([again.status, again.headers['preference-applied']]).toEqual([304, undefined]);
    expect((await send('GET', `/v1/objectives?search=${'x'.repeat(101)}`)).body.errors[0].property).toBe('search');
  });

  it('A search looks at 10,000 objectives, and its page leads on to older ones', async () => {
    const send = await openAccount();
    const old = await prepareObjective(send);
    await send('PATCH', old.projectUrl, { name: 'rare' });
    const { loaded } = await prepareObjective(send);
    await service.db.transaction().execute(async (trx) => {
      await sql`set local session_replication_role = replica`.execute(trx);
      await sql`
        insert into objectives (account_id, model_id, project_id, trial_id, number, objectives, objective_types, minimum_bounds,
          maximum_bounds, desired_l1_norm, convergence, initial_input, initial_output, maximum_attempts, seed, judged_through)
        select account_id, model_id, project_id, trial_id, n + 1, objectives, objective_types, minimum_bounds, maximum_bounds,
          desired_l1_norm, convergence, initial_input, initial_output, maximum_attempts, seed, 1
        from objectives, generate_series(1, 10000) n where id = ${loaded.body.id}`.execute(trx);
    });
    const cut = await glances(send, '?search=rare');
    expect(ids(cut)).toEqual([]);
    const next = /^<(.*)>; rel="next"$/.exec(String(cut.headers['link']))![1]!;
    const rest = await send('GET', next);
    expect([rest.body.length, rest.body[0].id, rest.headers['link']]).toEqual([1, old.loaded.body.id, undefined]);
  });

  it('A label and archiving change at any time, and nothing else', async () => {
    const send = await openAccount();
    const t = await prepareObjective(send);
    const before = (await send('GET', t.objectiveUrl)).body;
    expect([before.label, before.isArchived]).toEqual([null, false]);
    const patch = (body: unknown) => send('PATCH', t.objectiveUrl, body);
    const marked = (await patch({ label: 'Stiff bracket', isArchived: true })).body;
    expect(marked).toEqual({ ...before, label: 'Stiff bracket', isArchived: true, updatedAt: marked.updatedAt });
    await send('POST', `${t.objectiveUrl}/stop`);
    expect((await patch({ isArchived: false })).body).toMatchObject({ label: 'Stiff bracket', isArchived: false });
    expect((await patch({ label: null })).body).toMatchObject({ label: null, stopReason: 2 });
    expect((await patch({ label: 'a', parallelism: 2 })).status).toBe(400);
    expect((await send('GET', t.objectiveUrl)).body.label).toBeNull();
    for (const label of ['', 'a\nb', 'x'.repeat(201)]) {
      expect((await patch({ label })).body.errors[0].property).toBe('label');
    }
    await send('DELETE', t.objectiveUrl);
    expect((await patch({ label: 'gone' })).status).toBe(404);
  });

  it('A list is arranged by project, with the objectives of a folded one counted and not shown', async () => {
    const send = await openAccount();
    const [heat, wave] = [await prepareObjective(send), await prepareObjective(send)];
    const more = async (t: typeof heat) => (await send('POST', `${t.trialUrl}/objectives`, OBJECTIVES)).body.id;
    const h = [heat.loaded.body.id, await more(heat)];
    const w = [wave.loaded.body.id, await more(wave)];
    h.push(await more(heat));
    const listed = async (query: string) => {
      const found = await glances(send, `?${query}`);
      const inProjects = found.items.map(({ inProject }) => inProject);
      return { ids: ids(found), inProjects, total: found.headers['total-count'] };
    };
    expect(await listed('grouped=true')).toEqual({
      ids: [h[2], h[1], h[0], w[1], w[0]],
      inProjects: [3, 3, 3, 2, 2],
      total: '5',
    });
    const folded = `grouped=true&folded=${heat.project.id}`;
    expect(await listed(folded)).toEqual({ ids: [h[2], w[1], w[0]], inProjects: [3, 2, 2], total: '5' });
    await send('PATCH', `/v1/objectives/${h[2]}`, { isArchived: true });
    expect(await listed(`${folded}&archived=exclude`)).toMatchObject({ ids: [w[1], w[0], h[1]], total: '4' });
    expect(await listed('archived=only')).toEqual({ ids: [h[2]], inProjects: [1], total: '1' });
    expect((await listed('limit=9')).ids).toEqual([h[2], w[1], h[1], w[0], h[0]]);
    // Page by page, with a last one that leaves the list before the next page is read.
    const seen: number[] = [];
    for (let url: string | undefined = `/v1/objectives?sort=runs&archived=exclude&limit=1`; url !== undefined; ) {
      const { body, headers } = await send('GET', url);
      seen.push(body[0].id);
      await send('PATCH', `/v1/objectives/${body[0].id}`, { isArchived: true });
      url = /^<(.*)>; rel="next"$/.exec(String(headers['link']))?.[1];
    }
    expect(seen).toEqual([w[1], h[1], w[0], h[0]]);
  });

  it('A list is sorted by each column, in both directions, and a search in it has a total and waits', async () => {
    const send = await openAccount();
    const t = await prepareObjective(send);
    await send('PATCH', t.projectUrl, { name: 'zeta' });
    const u = await prepareObjective(send);
    await send('PATCH', u.projectUrl, { name: 'Alpha' });
    const more = async (url: string) => (await send('POST', `${url}/objectives`, OBJECTIVES)).body.id;
    const [a, b, c, d] = [t.loaded.body.id, await more(t.trialUrl), u.loaded.body.id, await more(u.trialUrl)];
    await send('PATCH', `/v1/objectives/${d}`, { label: 'beam' });
    await send('PATCH', `/v1/objectives/${b}`, { label: 'Arch' });
    await send('POST', `/v1/objectives/${a}/stop`);
    await sql`update objectives set attempt_count = 7 where id = ${c}`.execute(service.db);
    const sorted = async (query: string) => ids(await glances(send, `?sort=${query}`));
    expect(await sorted('created')).toEqual([d, b, c, a]);
    expect(await sorted('created&direction=ascending')).toEqual([a, c, b, d]);
    expect((await sorted('changed'))[0]).toBe(a);
    expect((await sorted('changed&direction=ascending')).at(-1)).toBe(a);
    expect(await sorted('name')).toEqual([b, d, c, a]);
    expect(await sorted('project')).toEqual([d, c, b, a]);
    expect(await sorted('project&direction=descending')).toEqual([b, a, d, c]);
    expect(await sorted('state&direction=descending')).toEqual([a, d, b, c]);
    expect(await sorted('runs')).toEqual([c, d, b, a]);
    expect(await sorted('name&stopReason=0&limit=2')).toEqual([b, d]);
    const first = await send('GET', '/v1/objectives?sort=name&search=BEAM');
    expect([first.headers['total-count'], first.body.length]).toEqual(['1', 1]);
    const waiting = send('GET', '/v1/objectives?sort=name&search=BEAM', undefined, {
      'if-none-match': String(first.headers['etag']),
      prefer: 'wait=60',
    });
    await expect.poll(() => service.changeWaiters.arranged.waiting, { interval: 5 }).toBe(1);
    await send('PATCH', `/v1/objectives/${c}`, { label: 'second beam' });
    expect((await waiting).body).toMatchObject([{ id: d }, { id: c, label: 'second beam' }]);
    expect(ids(await glances(send, '?search=second'))).toEqual([c]);
  });

  it('Objectives of another account are not in the list', async () => {
    const [one, other] = [await openAccount(), await openAccount()];
    const t = await prepareObjective(one);
    expect(ids(await glances(one))).toEqual([t.loaded.body.id]);
    expect(ids(await glances(other))).toEqual([]);
  });

  it.each([
    'stopReason=4',
    'stopReason=-1',
    'stopReason=',
    'stopReason=0&stopReason=1',
    'limit=0',
    'after=x',
    'trend=1',
    'trend=51',
    'search=a&search=b',
    'sort=size',
    'direction=up',
    'folded=1,x',
    'archived=yes',
    'grouped=1',
  ])('The query %s is refused', async (query) => {
    const { status, body } = await service.send('GET', `/v1/objectives?${query}`);
    expect([status, body.errors[0].property]).toEqual([400, query.split('=')[0]]);
  });
});
