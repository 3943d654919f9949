/** The history of an objective by columns: complete, thinned where it is long, and cheap to ask for again. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { judgeEarlierObjectives } from '../../src/application/search/judge-runs.ts';
import { historySchema } from '../../src/http/native/search/history.wire.ts';
import { blackBox, type NativeService, NO_OPTIONS, openNativeService, prepareObjective } from './native-service.ts';

let service: NativeService;
beforeAll(async () => {
  service = await openNativeService({ hasWorker: true });
});
afterAll(() => service.close());

const get = async (url: string, headers: Readonly<Record<string, string>> = {}) => {
  const answer = await service.send('GET', url, undefined, headers);
  return { ...answer, history: answer.status === 200 ? historySchema.parse(answer.body) : undefined };
};

/** Plays a suggestion and returns it. */
async function play(objectiveUrl: string, output?: readonly number[]) {
  const { body: inverse } = await service.send('POST', `${objectiveUrl}/inverses`);
  const sent = output === undefined ? { failed: true, reason: 'mesh collapsed' } : { output };
  const loaded = await service.send('POST', `${objectiveUrl}/inverse-output`, sent);
  expect(loaded.status, loaded.text).toBe(200);
  return inverse;
}

/** An objective of one input and many outputs. */
async function prepareWide(outputCount: number): Promise<{ readonly id: number }> {
  const { body: model } = await service.send('POST', '/v1/models', { name: `wide model ${crypto.randomUUID()}` });
  const { body: project } = await service.send('POST', `/v1/models/${model.id}/projects`, {
    name: 'wide project',
    inputCount: 1,
    minimums: [0],
    maximums: [1],
    inputTypes: ['float'],
    inputCases: [[0]],
  });
  const url = `/v1/models/${model.id}/projects/${project.id}`;
  const zeros = new Array(outputCount).fill(0);
  const { body: set } = await service.send('POST', `${url}/output-cases`, {
    outputCount,
    outputCases: [zeros.map(() => 9e9)],
  });
  const loaded = await service.send('POST', `${url}/trials/${set.trial_id}/objectives`, {
    objectives: zeros,
    objectiveTypes: new Array(outputCount).fill('lessthan'),
    initialInput: [1],
    initialOutput: new Array(outputCount).fill(9e9),
    desiredL1Norm: 0,
  });
  return loaded.body;
}

/** Appends iterations up to `last` behind the service's back; the last is open. Outputs come nearest at `nearest`. */
async function lengthen(objectiveId: number, last: number, nearest: number): Promise<void> {
  await sql`
    insert into inverses (account_id, objective_id, iteration, input, output, suggested_at, loaded_at, compute_time_ns)
    select o.account_id, o.id, n, array[n / 3.0, 7], case when n < ${last}::int then
      array[10 + abs(n - ${nearest}::int) * 0.7, -4, 6] end, now(), case when n < ${last}::int then now() end, 5
    from objectives o, generate_series(2, ${last}::int) n where o.id = ${objectiveId}`.execute(service.db);
  await sql`
    update objectives set attempt_count = ${last}::int - 1, judged_through = ${last}::int - 1,
      nearest_iteration = ${nearest}::int where id = ${objectiveId}`.execute(service.db);
}

describe('the history of an objective', () => {
  it('The columns have what the inverses say one by one', async () => {
    const t = await prepareObjective(service.send);
    await play(t.objectiveUrl, [0.1, 1 / 3, -4e-300]);
    await play(t.objectiveUrl);
    await service.send('POST', `${t.objectiveUrl}/inverses`);
    // An explanation is stored after its suggestion, which knows three cases and three runs.
    const insightCount = async () => (await get(`${t.objectiveUrl}/history`)).history!.insight?.caseCount;
    await expect.poll(insightCount).toBe(6);
    const { history, headers } = await get(`${t.objectiveUrl}/history`);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    const { body: objective } = await service.send('GET', t.objectiveUrl);
    const { body: inverses } = await service.send('GET', `${t.objectiveUrl}/inverses`);
    const column = (name: string) => inverses.map((inverse: Record<string, unknown>) => inverse[name]);
    expect(history).toMatchObject({
      objectiveId: t.loaded.body.id,
      number: 1,
      modelId: t.model.id,
      modelName: t.model.name,
      projectId: t.project.id,
      projectName: t.project.name,
      trialId: objective.trialId,
      trialNumber: 1,
      createdAt: objective.createdAt,
      continuedBy: [],
      openIterations: [4],
      revision: 0,
      completedCount: 2,
      lateIterations: [],
      insightVersion: expect.any(String),
      isInsightKnown: false,
      stopReason: 0,
      endReason: null,
      attemptCount: 3,
      maximumAttempts: 500,
      every: 1,
      optimalIteration: null,
      answer: expect.objectContaining({ runs: 1 }),
      bestIteration: objective.best.iteration,
      bestCaseNumber: objective.best.caseNumber,
      bestInput: objective.best.input,
      bestOutput: objective.best.output,
      bestMisses: objective.best.misses,
      bestMissedBy: objective.best.missedBy,
      objectives: [10, -4, 6],
      objectiveTypes: ['percent', 'percent', 'percent'],
      minimumBounds: objective.minimumBounds,
      maximumBounds: objective.maximumBounds,
      desiredL1Norm: objective.desiredL1Norm,
      convergence: objective.convergence,
      reuse: true,
      continues: null,
      fixedInputs: null,
      constraints: null,
      ...NO_OPTIONS,
      parallelism: 1,
      holdBack: true,
      l1Threshold: null,
      intervals: [
        { lower: 9.9, upper: 10.1, lowerOpen: false, upperOpen: false },
        { lower: expect.closeTo(-4.04, 9), upper: expect.closeTo(-3.96, 9), lowerOpen: false, upperOpen: false },
        { lower: 5.94, upper: 6.06, lowerOpen: false, upperOpen: false },
      ],
      tolerances: [expect.closeTo(0.1), expect.closeTo(0.04), expect.closeTo(0.06)],
      inputTypes: t.project.inputTypes,
      minimums: t.project.minimums,
      maximums: t.project.maximums,
      scales: null,
      categories: t.project.categories,
      inputNames: null,
      inputUnits: null,
      outputNames: null,
      outputUnits: null,
      iterations: [1, 2, 3, 4],
      inverseIds: column('id'),
      statuses: column('status'),
      loadedAt: column('loadedAt'),
      computeTimes: column('computeTime'),
      repeatOf: {},
      failureReasons: { 3: 'mesh collapsed' },
      excluded: [],
      corrected: [],
      withJacobian: [],
      inputs: column('input'),
      outputs: [blackBox([5, 5]), [0.1, 1 / 3, -4e-300], null, null],
      misses: column('misses'),
      missedBy: column('missedBy'),
      standing: null,
      insight: objective.insight,
      diagnosis: objective.diagnosis,
    });
    expect(history!.insight).not.toBeNull();
  });

  it('A change of the settings changes the ETag', async () => {
    const t = await prepareObjective(service.send);
    const url = `${t.objectiveUrl}/history`;
    const tags = new Set<unknown>([(await get(url)).headers['etag']]);
    for (const change of [{ parallelism: 3 }, { holdBack: false }]) {
      await service.send('PATCH', t.objectiveUrl, change);
      const { history, headers } = await get(url);
      expect(history).toMatchObject(change);
      tags.add(headers['etag']);
    }
    expect(tags.size).toBe(3);
  });

  it('An insight that is known is not sent again, until it changes', async () => {
    const t = await prepareObjective(service.send);
    const url = `${t.objectiveUrl}/history`;
    const none = (await get(url)).history!;
    expect((await get(`${url}?knownInsight=${none.insightVersion}`)).history).toMatchObject({ isInsightKnown: true });
    await service.send('POST', `${t.objectiveUrl}/inverses`);
    await expect.poll(async () => (await get(url)).history!.insight).not.toBeNull();
    const { insightVersion } = (await get(`${url}?knownInsight=${none.insightVersion}`)).history!;
    expect(insightVersion).not.toBe(none.insightVersion);
    await service.send('POST', `${t.objectiveUrl}/inverse-output`, { output: [1, 2, 3] });
    const again = (await get(`${url}?knownInsight=${insightVersion}`)).history!;
    expect(again).toMatchObject({ isInsightKnown: true, insight: null, diagnosis: null, insightVersion });
    // It names outputs.
    await service.send('PATCH', t.projectUrl, { outputNames: ['A', 'B', 'C'] });
    const renamed = (await get(`${url}?knownInsight=${insightVersion}`)).history!;
    expect([renamed.isInsightKnown, renamed.insight?.caseCount]).toEqual([false, 4]);
  });

  it('An output that comes late changes the ETag and is named to those who have read past it', async () => {
    const t = await prepareObjective(service.send, { parallelism: 2 });
    const url = `${t.objectiveUrl}/history`;
    const { body: first } = await service.send('POST', `${t.objectiveUrl}/inverses`);
    await service.send('POST', `${t.objectiveUrl}/inverses`);
    await service.send('POST', `${t.objectiveUrl}/stop`);
    const { history: before, headers } = await get(url);
    const etag = String(headers['etag']);
    expect(before).toMatchObject({ completedCount: 2, lateIterations: [], openIterations: [] });
    await service.send('PUT', `${t.objectiveUrl}/inverses/${first.id}/output`, { output: [1, 2, 3] });
    const since = await get(`${url}?after=2&completed=2`, { 'if-none-match': etag });
    expect(since.history).toMatchObject({ completedCount: 3, lateIterations: [2], iterations: [3] });
    expect((await get(`${url}?after=2`)).history!.lateIterations).toEqual([]);
    expect((await get(`${url}?after=2&completed=3`)).history!.lateIterations).toEqual([]);
    expect((await get(`${url}?after=1&completed=2`)).history!.lateIterations).toEqual([]);
  });

  it('A correction changes the revision and marks its iteration, and what is open stays listed', async () => {
    const t = await prepareObjective(service.send, { parallelism: 2 });
    const inverse = await play(t.objectiveUrl, [1, 2, 3]);
    await service.send('POST', `${t.objectiveUrl}/inverses`);
    await service.send('POST', `${t.objectiveUrl}/inverses`);
    const url = `${t.objectiveUrl}/history`;
    expect((await get(url)).history).toMatchObject({ revision: 0, corrected: [], openIterations: [3, 4] });
    const correction = { output: [4, 5, 6], reason: 'decimal point misread' };
    await service.send('POST', `${t.objectiveUrl}/inverses/${inverse.id}/corrections`, correction);
    expect((await get(url)).history).toMatchObject({ revision: 1, corrected: [2], openIterations: [3, 4] });
    expect((await get(`${url}?after=2`)).history!.corrected).toEqual([]);
    await service.send('POST', `${t.objectiveUrl}/stop`);
    expect((await get(url)).history!.openIterations).toEqual([]);
  });

  it('Ends that do not exist or do not belong to the interval are told, and names and excluded iterations shown', async () => {
    const t = await prepareObjective(service.send, {
      objectiveTypes: ['lessthan', 'greaterthan_equal', 'minimize'],
      minimumBounds: [],
      maximumBounds: [],
    });
    const id = t.loaded.body.id;
    await sql`update inverses set excluded_at = now() where objective_id = ${id}`.execute(service.db);
    await sql`
      update projects set input_names = '{Length,Passes}', input_units = '{m,""}', output_names = '{A,B,C}'
      where id = ${t.project.id}`.execute(service.db);
    const { history } = await get(`${t.objectiveUrl}/history`);
    expect(history).toMatchObject({
      intervals: [
        { lower: null, upper: 10, lowerOpen: false, upperOpen: true },
        { lower: -4, upper: null, lowerOpen: false, upperOpen: false },
        { lower: null, upper: 6, lowerOpen: false, upperOpen: false },
      ],
      inputNames: ['Length', 'Passes'],
      inputUnits: ['m', ''],
      outputNames: ['A', 'B', 'C'],
      outputUnits: null,
      excluded: [1],
    });
  });

  it('after and every choose iterations; first, last and best always stay', async () => {
    const t = await prepareObjective(service.send);
    await lengthen(t.loaded.body.id, 50, 23);
    const iterations = async (query: string) => (await get(`${t.objectiveUrl}/history?${query}`)).history!.iterations;
    expect(await iterations('after=47')).toEqual([48, 49, 50]);
    expect(await iterations('every=20')).toEqual([1, 21, 23, 41, 50]);
    expect(await iterations('after=4&every=20')).toEqual([5, 21, 23, 41, 50]);
    expect(await iterations('after=50')).toEqual([]);
    const { history } = await get(`${t.objectiveUrl}/history?every=20`);
    expect([history!.every, history!.bestIteration]).toEqual([20, 23]);
    expect(history!.outputs.at(-1)).toBeNull();
  });

  it('A history of more than 500,000 numbers is thinned, and every says so', async () => {
    const objective = await prepareWide(999);
    await sql`
      insert into inverses (account_id, objective_id, iteration, input, output, loaded_at)
      select o.account_id, o.id, n, array[n / 600.0], array_fill(abs(600 - n) + 0.5, array[999]), now()
      from objectives o, generate_series(2, 601) n where o.id = ${objective.id}`.execute(service.db);
    await sql`
      update objectives set attempt_count = 600, judged_through = 601, nearest_iteration = 600
      where id = ${objective.id}`.execute(service.db);
    const { history } = await get(`/v1/objectives/${objective.id}/history`);
    expect(history!.every).toBe(2);
    expect(history!.iterations.slice(0, 3)).toEqual([1, 3, 5]);
    expect(history!.iterations.slice(-3)).toEqual([599, 600, 601]);
    expect(history!.iterations).toHaveLength(302);
    expect(history!.inputs[300]).toEqual([1]);
    expect(history!.outputs[300]).toEqual(new Array(999).fill(0.5));
    expect((await get(`/v1/objectives/${objective.id}/history?after=300`)).history!.every).toBe(1);
  });

  it.each(['after=-1', 'after=x', 'after=1&after=2', 'every=0', 'every=1.5', 'after=99999999999999999999'])(
    'The query %s is refused with its name',
    async (query) => {
      const t = await prepareObjective(service.send);
      const { status, body } = await get(`${t.objectiveUrl}/history?${query}`);
      expect(status).toBe(400);
      expect(body.errors).toHaveLength(1);
      expect(body.errors[0].property).toBe(query.split('=')[0]);
    },
  );
});

describe('the ETag of a history', () => {
  it('Whatever changes the history changes its ETag; until then the answer is 304 without a body', async () => {
    const t = await prepareObjective(service.send);
    const url = `${t.objectiveUrl}/history`;
    const seen = new Set<string>();
    const expectNew = async () => {
      const { status, headers } = await get(url);
      expect(status).toBe(200);
      const etag = String(headers['etag']);
      expect(seen).not.toContain(etag);
      seen.add(etag);
      for (const sent of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await get(url, { 'if-none-match': sent });
        expect([again.status, again.text, again.headers['etag']]).toEqual([304, '', etag]);
      }
      expect((await get(url, { 'if-none-match': '"other"' })).status).toBe(200);
    };
    await expectNew();
    await service.send('POST', `${t.objectiveUrl}/inverses`);
    // Stored after the suggestion.
    await expect.poll(async () => (await get(url)).history!.insight).not.toBeNull();
    await expectNew();
    await service.send('POST', `${t.objectiveUrl}/inverse-output`, { output: [1, 2, 3] });
    await expectNew();
    await service.send('PATCH', t.projectUrl, { name: 'other name' });
    await expectNew();
    await sql`update objectives set data_revision = 1 where id = ${t.loaded.body.id}`.execute(service.db);
    await expectNew();
    await service.send('POST', `${t.objectiveUrl}/stop`);
    await expectNew();
  });

  it('Each format has an ETag of its own', async () => {
    const t = await prepareObjective(service.send);
    const url = `${t.objectiveUrl}/history`;
    const formats = ['application/json', 'text/csv', 'application/x-ndjson'];
    const answers = await Promise.all(formats.map((accept) => service.send('GET', url, undefined, { accept })));
    expect(new Set(answers.map(({ headers }) => headers['etag'])).size).toBe(3);
    const csv = { accept: 'text/csv', 'if-none-match': String(answers[0]!.headers['etag']) };
    expect((await service.send('GET', url, undefined, csv)).status).toBe(200);
  });
});

describe('waiting for a change of a history', () => {
  const waiting = (url: string, etag: unknown, seconds = 60) =>
    service.send('GET', url, undefined, { 'if-none-match': String(etag), prefer: `wait=${seconds}` });

  /** Answers of requests that wait while `change` happens. */
  async function answersTo(url: string, change: () => Promise<unknown>, count = 3) {
    const etag = (await get(url)).headers['etag'];
    let answered = 0;
    const answers = Array.from({ length: count }, async () => {
      const answer = await waiting(url, etag);
      answered += 1;
      return answer;
    });
    await expect.poll(() => service.changeWaiters.waiting, { interval: 5 }).toBe(count);
    await change();
    const all = await Promise.all(answers);
    expect([answered, service.changeWaiters.waiting]).toEqual([count, 0]);
    return all.map(({ status, headers }) => [status, headers['preference-applied'], headers['etag'] !== etag]);
  }

  it('A request that waits is answered with the history as soon as this process changes it', async () => {
    const t = await prepareObjective(service.send);
    const url = `${t.objectiveUrl}/history`;
    const changed = new Array(3).fill([200, 'wait=60', true]);
    const stop = () => service.send('POST', `${t.objectiveUrl}/stop`);
    expect(await answersTo(url, stop)).toEqual(changed);
  });

  it('A change without a notification is noticed, too', async () => {
    const t = await prepareObjective(service.send);
    const change = () =>
      sql`update objectives set data_revision = 1 where id = ${t.loaded.body.id}`.execute(service.db);
    expect(await answersTo(`${t.objectiveUrl}/history`, change, 1)).toEqual([[200, 'wait=60', true]]);
  });

  it('A verdict that comes after the change of the data is an answer of its own', async () => {
    const t = await prepareObjective(service.send);
    const id = t.loaded.body.id;
    // As after a change whose verdict is left to a later pass.
    await sql`update objectives set judged_through = null where id = ${id}`.execute(service.db);
    expect((await get(`${t.objectiveUrl}/history`)).body.bestOutput).toBeNull();
    const pass = () => judgeEarlierObjectives(service.db, { signal: new AbortController().signal });
    expect(await answersTo(`${t.objectiveUrl}/history`, pass, 1)).toEqual([[200, 'wait=60', true]]);
    expect((await get(`${t.objectiveUrl}/history`)).body.bestOutput).not.toBeNull();
  });

  it('Without a change the wait ends with 304; without If-None-Match or Prefer nothing waits', async () => {
    const t = await prepareObjective(service.send);
    const url = `${t.objectiveUrl}/history`;
    const { headers } = await get(url);
    const over = await waiting(url, headers['etag'], 1);
    expect([over.status, over.headers['preference-applied']]).toEqual([304, 'wait=1']);
    const plain = await get(url, { 'if-none-match': String(headers['etag']) });
    expect([plain.status, plain.headers['preference-applied']]).toEqual([304, undefined]);
    const first = await service.send('GET', url, undefined, { prefer: 'wait=60' });
    expect([first.status, first.headers['preference-applied']]).toEqual([200, undefined]);
  });

  it('A deletion that purges the objective meanwhile does not leave the request waiting', async () => {
    const t = await prepareObjective(service.send);
    const id = t.loaded.body.id;
    const gone = async () => {
      await sql`delete from inverses where objective_id = ${id}`.execute(service.db);
      await sql`delete from objectives where id = ${id}`.execute(service.db);
    };
    expect(await answersTo(`${t.objectiveUrl}/history`, gone, 1)).toEqual([[404, undefined, true]]);
  });
});
