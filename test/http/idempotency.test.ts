import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { purgeIdempotencyKeys, runOnce } from '../../src/application/idempotent.ts';
import { failExhaustedJobs } from '../../src/application/search/maintenance.ts';
import {
  type NativeService,
  OBJECTIVES,
  openNativeService,
  prepareObjective,
  prepareTrial,
  type Send,
} from './native-service.ts';

let service: NativeService;
beforeAll(async () => {
  service = await openNativeService();
});
afterAll(() => service.close());

const newKey = () => ({ 'idempotency-key': crypto.randomUUID() });
const newModel = () => ({ name: `model ${crypto.randomUUID()}` });
const post = (url: string, body: unknown, headers = {}) => service.send('POST', url, body, headers);
/** The parts that are the same in every answer with one key. */
const essence = ({ status, headers, text }: { status: number; headers: Record<string, unknown>; text: string }) => ({
  status,
  text,
  location: headers['location'],
  type: String(headers['content-type']).split(';')[0],
});

async function countModels(): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from models`.execute(service.db);
  return rows[0]!.count;
}

describe.each([
  ['native', '/v1/models', 'Location'],
  ['SDK', '/api/models', 'Location'],
])('a POST with an Idempotency-Key in the %s dialect', (_, url) => {
  it('A repeated request takes effect once and gets the same answer every time', async () => {
    const before = await countModels();
    const [body, key] = [newModel(), newKey()];
    const first = await post(url, body, key);
    expect(first.status).toBe(201);
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    for (let repeat = 0; repeat < 3; repeat++) {
      const again = await post(url, body, key);
      expect(essence(again)).toEqual(essence(first));
      expect(again.headers['idempotent-replayed']).toBe('true');
    }
    expect(await countModels()).toBe(before + 1);
  });

  it('Another body with the same key is refused with 422, and the first answer is kept', async () => {
    const [body, key] = [newModel(), newKey()];
    const first = await post(url, body, key);
    const other = await post(url, newModel(), key);
    expect(other.status).toBe(422);
    expect(other.body.type).toBe('urn:backsolve:problem:idempotency-key-reused');
    expect(essence(await post(url, body, key))).toEqual(essence(first));
  });

  it('A refusal is repeated even if its reason has gone, and leaves nothing behind', async () => {
    const [taken, key] = [newModel(), newKey()];
    const { body: holder } = await post('/v1/models', taken);
    const refused = await post(url, taken, key);
    expect(refused.status).toBe(400);
    await service.send('DELETE', `/v1/models/${holder.id}`);
    expect(essence(await post(url, taken, key))).toEqual(essence(refused));
    expect((await post(url, taken, newKey())).status).toBe(201);
  });

  it('A repeat is answered with 409 and Retry-After while the first request is running', async () => {
    const [body, key] = [newModel(), newKey()];
    const answers = await service.db.transaction().execute(async (trx) => {
      const name = `${await accountId()} POST ${url} ${key['idempotency-key']}`;
      await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx);
      return [await post(url, body, key), await post(url, body, key)];
    });
    for (const answer of answers) {
      expect(answer.status).toBe(409);
      expect(answer.body.type).toBe('urn:backsolve:problem:idempotency-key-in-use');
      expect(answer.headers['retry-after']).toBe('1');
    }
    expect((await post(url, body, key)).status).toBe(201);
  });

  it('Requests with the same key that arrive together take effect once', async () => {
    const before = await countModels();
    const [body, key] = [newModel(), newKey()];
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(url, body, key)));
    for (const { status } of answers) expect([201, 409]).toContain(status);
    const made = answers.filter(({ status }) => status === 201);
    expect(new Set(made.map(({ text }) => text)).size).toBe(1);
    expect(await countModels()).toBe(before + 1);
  });
});

async function accountId(): Promise<number> {
  const { rows } = await sql<{ id: number }>`select id from accounts where name = 'test'`.execute(service.db);
  return rows[0]!.id;
}

describe('a key', () => {
  it.each([
    ['empty', ''],
    ['blank', '  '],
    ['an empty quoted string', '""'],
    ['of 256 characters', 'k'.repeat(256)],
    ['outside of ASCII', 'kéy'],
  ])('A key that is %s is refused with 400 and nothing happens', async (_, key) => {
    const before = await countModels();
    const answer = await post('/v1/models', newModel(), { 'idempotency-key': key });
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].property).toBe('Idempotency-Key');
    expect(await countModels()).toBe(before);
  });

  it('A key may have 255 characters, and a quoted key equals the same key without quotes', async () => {
    const [body, key] = [newModel(), 'k'.repeat(255)];
    const first = await post('/v1/models', body, { 'idempotency-key': key });
    expect(first.status).toBe(201);
    expect(essence(await post('/v1/models', body, { 'idempotency-key': `"${key}"` }))).toEqual(essence(first));
  });

  it('A key belongs to its account, method and path', async () => {
    const [body, key] = [newModel(), newKey()];
    const first = await post('/v1/models', body, key);
    const other = service.sendAs(await service.makeKey(`other ${crypto.randomUUID()}`));
    const foreign = await other('POST', '/v1/models', body, key);
    expect(foreign.status).toBe(201);
    expect(foreign.body.id).not.toBe(first.body.id);
    const project = await post(`/v1/models/${first.body.id}/projects`, { name: 'x' }, key);
    expect(project.status).toBe(400);
    expect((await post('/api/models', body, key)).status).toBe(400);
    const [again, slash] = [await post('/v1/models', body, key), await post('/v1/models/', body, key)];
    expect(essence(again)).toEqual(essence(first));
    expect(essence(slash)).toEqual(essence(first));
  });

  it('A key is read only on POST', async () => {
    const { body: model } = await post('/v1/models', newModel());
    const key = newKey();
    const url = `/v1/models/${model.id}`;
    expect((await service.send('PATCH', url, { name: `one ${model.id}` }, key)).body.name).toBe(`one ${model.id}`);
    expect((await service.send('PATCH', url, { name: `two ${model.id}` }, key)).body.name).toBe(`two ${model.id}`);
    expect((await service.send('GET', url, undefined, { 'idempotency-key': '' })).status).toBe(200);
  });

  it('A key of a malformed request can be used again for the corrected one', async () => {
    const [body, key] = [newModel(), newKey()];
    expect((await post('/v1/models', { name: 'abc' }, key)).status).toBe(400);
    expect((await post('/v1/models', body, key)).status).toBe(201);
  });

  it('A key is valid for 24 hours by the clock of the database and then purged', async () => {
    const [body, key] = [newModel(), newKey()];
    const first = await post('/v1/models', body, key);
    const age = (interval: string) =>
      sql`update idempotency_keys set created_at = now() - ${interval}::interval where key = ${key['idempotency-key']}`.execute(
        service.db,
      );
    await age('23 hours 59 minutes');
    expect(essence(await post('/v1/models', body, key))).toEqual(essence(first));
    await age('24 hours 1 second');
    const anew = await post('/v1/models', body, key);
    expect(anew.status).toBe(400);
    expect(anew.body.errors[0].property).toBe('name');
    await age('24 hours 1 second');
    expect(await purgeIdempotencyKeys(service.db)).toEqual({ purged: 1 });
    expect(await purgeIdempotencyKeys(service.db)).toEqual({ purged: 0 });
  });

  it('A key stored by another request between look-up and lock is detected, and the writes are undone', async () => {
    const before = await countModels();
    const key = { method: 'POST', path: '/x', key: crypto.randomUUID(), fingerprint: Buffer.alloc(32) };
    const request = { accountId: await accountId(), ...key };
    const outcome = await runOnce(service.db, request, async (trx) => {
      await sql`insert into models (account_id, name) values (${request.accountId}, ${key.key})`.execute(trx);
      await sql`insert into idempotency_keys (account_id, key, method, path, fingerprint, outcome)
        values (${request.accountId}, ${key.key}, 'POST', '/x', ${key.fingerprint}, '{"kind": "theirs"}')`.execute(
        service.db,
      );
      return { kind: 'ours' };
    });
    expect(outcome).toEqual({ outcome: { kind: 'theirs' }, isReplay: true });
    expect(await countModels()).toBe(before);
  });

  it('A key commits together with the rows of its request or not at all', async () => {
    const before = await countModels();
    const [body, key] = [newModel(), newKey()];
    await sql`alter table idempotency_keys add constraint no_more check (false) not valid`.execute(service.db);
    expect((await post('/v1/models', body, key)).status).toBe(500);
    expect(await countModels()).toBe(before);
    await sql`alter table idempotency_keys drop constraint no_more`.execute(service.db);
    expect((await post('/v1/models', body, key)).status).toBe(201);
    expect(await countModels()).toBe(before + 1);
  });
});

describe('every POST on the way to an output', () => {
  it('Every POST is repeated with the same answer, including the designed project', async () => {
    const model = (await post('/v1/models', newModel())).body;
    const twice = async (url: string, body?: unknown) => {
      const key = newKey();
      const [first, again] = [await post(url, body, key), await post(url, body, key)];
      expect(first.status, `${url} ${first.text}`).toBeLessThan(300);
      expect(essence(again), url).toEqual(essence(first));
      expect(again.headers['idempotent-replayed'], url).toBe('true');
      return first.body;
    };
    const projects = `/v1/models/${model.id}/projects`;
    const space = {
      name: 'designed',
      inputCount: 2,
      minimums: [0, 0],
      maximums: [1, 1],
      inputTypes: ['float', 'float'],
    };
    const project = await twice(projects, space);
    const outputs = { outputCount: 1, outputCases: project.inputCases.map(([a, b]: number[]) => [a! + b!]) };
    await twice(`${projects}/${project.id}/output-cases`, outputs);
    const trial = await twice(`${projects}/${project.id}/trials`, {});
    const definition = {
      objectives: [1],
      objectiveTypes: ['lessthan'],
      initialInput: [1, 1],
      initialOutput: [2],
      desiredL1Norm: 0,
    };
    const objective = await twice(`${projects}/${project.id}/trials/${trial.id}/objectives`, definition);
    const exact = {
      ...definition,
      objectiveTypes: ['exact'],
      convergence: 0.1,
      minimumBounds: [-1],
      maximumBounds: [1],
    };
    await twice(`/v1/trials/${trial.id}/initialize-inverse`, exact);
    await twice(`${projects}/${project.id}/trials/${trial.id}/objectives/${objective.id}/stop`);
  });

  it('Requests that are repeated and mixed in any order have the effect of one', async () => {
    const { trialUrl } = await prepareTrial(service.send);
    const url = `${trialUrl}/objectives`;
    const body = (maximumAttempts: number) => ({ ...OBJECTIVES, maximumAttempts });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 2 }), { minLength: 2, maxLength: 8 }), async (order) => {
        const keys = [newKey(), newKey(), newKey()];
        const seen = new Map<number, string>();
        for (const which of order) {
          const { status, text } = await post(url, body(1 + which), keys[which]);
          expect(status).toBe(201);
          expect(text).toBe(seen.get(which) ?? text);
          seen.set(which, text);
        }
        expect(new Set(seen.values()).size).toBe(seen.size);
      }),
      { numRuns: 10 },
    );
  });
});

/** Length of the answer stored for a key. */
async function storedLength(key: { readonly 'idempotency-key': string }): Promise<number> {
  const { rows } = await sql<{ length: number }>`
    select length(outcome::text) as length from idempotency_keys where key = ${key['idempotency-key']}`.execute(
    service.db,
  );
  return rows[0]!.length;
}

describe('a large answer', () => {
  const rowsOf = (count: number, width: number) =>
    Array.from({ length: count }, (_, i) => Array.from({ length: width }, (_, j) => Math.sin(i * width + j) ** 2));
  const space = (inputCount: number) => ({
    name: 'large',
    inputCount,
    minimums: new Array(inputCount).fill(0),
    maximums: new Array(inputCount).fill(1),
    inputTypes: new Array(inputCount).fill('float'),
    categories: [],
  });
  /** Sends the same request twice with one key; its answer must be long enough and not stored. */
  const twice = async (url: string, body: unknown, length = 65_537) => {
    const key = newKey();
    const first = await post(url, body, key);
    expect(first.status, first.text.slice(0, 500)).toBeLessThan(300);
    expect(first.text.length).toBeGreaterThanOrEqual(length);
    expect(await storedLength(key)).toBeLessThan(1_000);
    const again = await post(url, body, key);
    expect(essence(again)).toEqual(essence(first));
    expect(again.headers['idempotent-replayed']).toBe('true');
    return { first, again: () => post(url, body, key) };
  };

  it('A large answer in the native dialect is not stored: a repeat reads the current record', async () => {
    const model = (await post('/v1/models', newModel())).body;
    const project = await twice(`/v1/models/${model.id}/projects`, { ...space(2), inputCases: rowsOf(2_000, 2) });
    const { location } = project.first.headers;
    await service.send('PATCH', String(location), { name: 'another name' });
    expect((await project.again()).body).toEqual((await service.send('GET', String(location))).body);
    expect((await project.again()).body.name).toBe('another name');

    const outputs = { outputCount: 500, outputCases: rowsOf(20, 500) };
    const set = await twice(`${location}/output-cases`, outputs);
    const objectives = {
      objectives: new Array(500).fill(2),
      objectiveTypes: new Array(500).fill('lessthan'),
      initialInput: [0, 0],
      initialOutput: new Array(500).fill(3),
      desiredL1Norm: 0,
    };
    const trial = `${location}/trials/${set.first.body.trial_id}`;
    const loaded = await twice(`${trial}/objectives`, objectives);
    const initialize = { ...objectives, convergence: 0.5, minimumBounds: new Array(500).fill(-1) };
    const initialized = await twice(`/v1/trials/${set.first.body.trial_id}/initialize-inverse`, {
      ...initialize,
      maximumBounds: new Array(500).fill(1),
    });
    expect(initialized.first.body.objectiveId).not.toBe(loaded.first.body.id);
    // It never changes again, so its answer is not stored.
    await twice(`${loaded.first.headers['location']}/stop`, {}, 0);
    expect((await loaded.again()).body).toMatchObject({ id: loaded.first.body.id, stopReason: 2 });
  });

  it('A large answer in the SDK dialect is not stored: a repeat reads the current record', async () => {
    const model = (await post('/api/models', newModel())).body;
    // Designed cases are few; only names make a project of this dialect large.
    const project = await twice(`/api/models/${model.id}/projects`, {
      ...space(20),
      maximums: [...new Array(19).fill(1), 999],
      inputTypes: [...new Array(19).fill('float'), 'category'],
      categories: Array.from({ length: 1_000 }, (_, i) => `name ${i}`.padEnd(80, '.')),
    });
    const outputs = { outputCount: 500, outputCases: rowsOf(project.first.body.caseCount, 500) };
    const trial = await twice(`/api/projects/${project.first.body.id}/output-cases`, outputs);
    expect((await project.again()).body.developedAt).not.toBeNull();
    const objective = await twice(`/api/trials/${trial.first.body.id}/objectives`, {
      objectives: new Array(500).fill(2),
      objectiveTypes: new Array(500).fill('lessthan'),
      initialInput: new Array(20).fill(0),
      initialOutput: new Array(500).fill(3),
      desiredL1Norm: 0,
    });
    const { id } = objective.first.body;
    await service.send('POST', `/v1/objectives/${id}/stop`);
    expect((await objective.again()).body).toMatchObject({ id, stopReason: 2 });
  });

  it('A key for which the previous release stored a large answer still finds it', async () => {
    const [body, key] = [newModel(), newKey()];
    const first = await post('/v1/models', body, key);
    await sql`update idempotency_keys set outcome = ${JSON.stringify({
      status: 201,
      headers: { location: '/v1/models/7' },
      body: { id: 7 },
      kind: 'answer',
    })} where key = ${key['idempotency-key']}`.execute(service.db);
    expect(first.status).toBe(201);
    expect(await post('/v1/models', body, key)).toMatchObject({ status: 201, body: { id: 7 } });
  });
});

const async = (key: object) => ({ ...key, prefer: 'respond-async' });
/** Like a worker. */
const settle = async (inverseId: number) => {
  await sql`delete from suggestion_jobs where inverse_id = ${inverseId}`.execute(service.db);
  await sql`update inverses set input = '{1,2}', suggested_at = now() where id = ${inverseId}`.execute(service.db);
};

describe('an output that is sent again because its answer was lost', () => {
  const output = { output: [0, 0, 0] };
  const outputsOf = async (url: string) => {
    const { body } = await service.send('GET', url);
    return body.inverses.map((inverse: { outputs: number[] | null }) => inverse.outputs).slice(1);
  };

  /** Completes one iteration with `load` and opens the next one; `isComputed` false: it is still being computed. */
  async function openNext(load: (url: string, id: number) => Promise<{ status: number }>, isComputed = true) {
    const { objectiveUrl } = await prepareObjective(service.send);
    const first = await post(`${objectiveUrl}/inverses`, {}, async({}));
    await settle(first.body.id);
    expect((await load(objectiveUrl, first.body.id)).status).toBe(200);
    const copyNow = await load(objectiveUrl, first.body.id);
    const next = await post(`${objectiveUrl}/inverses`, {}, async({}));
    if (isComputed) await settle(next.body.id);
    const late = await load(objectiveUrl, first.body.id);
    return { copyNow, late, firstId: first.body.id, nextId: next.body.id, outputs: await outputsOf(objectiveUrl) };
  }

  it('An output with a key is recorded for its inverse, however often and with however many keys it is sent', async () => {
    const { objectiveUrl } = await prepareObjective(service.send);
    const opened = await post(`${objectiveUrl}/inverses`, {}, async({}));
    await settle(opened.body.id);
    const answers = [];
    for (const key of [newKey(), newKey()]) {
      answers.push(await post(`${objectiveUrl}/inverse-output`, output, key));
      expect(await storedLength(key)).toBeLessThan(200);
      answers.push(await post(`${objectiveUrl}/inverse-output`, output, key));
    }
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.map(({ headers }) => headers['idempotent-replayed'])).toEqual([
      undefined,
      'true',
      undefined,
      'true',
    ]);
  });

  it('An output sent again by POST without a key gets the same answer if no other iteration is open', async () => {
    const { copyNow, firstId } = await openNext((url) => post(`${url}/inverse-output`, output));
    expect(copyNow).toMatchObject({ status: 200, body: { id: firstId } });
  });

  it('An output sent again by POST without a key is refused while the next inverse is being computed', async () => {
    const { late, outputs } = await openNext((url) => post(`${url}/inverse-output`, output), false);
    expect(late.status).toBe(400);
    expect(outputs).toHaveLength(2);
    expect(outputs[0]).toEqual([0, 0, 0]);
  });

  it('An output sent again by POST without a key counts for the next inverse once that is handed out', async () => {
    const { late, nextId, outputs } = await openNext((url) => post(`${url}/inverse-output`, output));
    expect(late).toMatchObject({ status: 200, body: { id: nextId } });
    expect(outputs).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
  });

  it.each<[string, () => (url: string, id: number) => ReturnType<Send>]>([
    ['PUT to its inverse', () => (url, id) => service.send('PUT', `${url}/inverses/${id}/output`, output)],
    [
      'POST under a key',
      () => {
        const key = newKey();
        return (url) => post(`${url}/inverse-output`, output, key);
      },
    ],
  ])(
    'An output sent again by %s gets the answer of its own iteration and leaves the next one open',
    async (_, makeLoad) => {
      const { late, firstId, outputs } = await openNext(makeLoad());
      expect(late).toMatchObject({ status: 200, body: { id: firstId } });
      expect(outputs[0]).toEqual([0, 0, 0]);
      expect(outputs[1]).not.toEqual([0, 0, 0]);
    },
  );
});

describe('a suggest request with an Idempotency-Key', () => {
  it('A repeat gets the iteration that the first request opened, even after it is completed and others follow', async () => {
    const { objectiveUrl } = await prepareObjective(service.send);
    const key = newKey();
    const first = await post(`${objectiveUrl}/inverses`, {}, async(key));
    expect(first.status).toBe(202);
    await settle(first.body.id);
    const computed = await post(`${objectiveUrl}/inverses`, {}, async(key));
    expect(computed.status).toBe(201);
    expect(computed.body).toMatchObject({ id: first.body.id, input: [1, 2] });
    expect(computed.headers['location']).toBe(first.headers['location']);
    await post(`${objectiveUrl}/inverse-output`, { output: [0, 0, 0] });
    const next = await post(`${objectiveUrl}/inverses`, {}, async(newKey()));
    expect(next.body.iteration).toBe(first.body.iteration + 1);
    expect((await post(`${objectiveUrl}/inverses`, {}, async(key))).body.id).toBe(first.body.id);
  });

  it('A suggest request holds neither a transaction nor a lock while it waits', async () => {
    const { objectiveUrl } = await prepareObjective(service.send);
    const key = newKey();
    const waiting = post(`${objectiveUrl}/inverses`, {}, { ...key, prefer: 'wait=1' });
    await expect.poll(async () => (await service.send('GET', `${objectiveUrl}/inverses`)).body.length).toBe(2);
    await post(`${objectiveUrl}/inverses`, {}, async(newKey()));
    const second = await post(`${objectiveUrl}/inverses`, {}, async(key));
    const first = await waiting;
    expect(first.status).toBe(202);
    expect([202, 409]).toContain(second.status);
    // Concurrent tests may migrate other databases of the server.
    const { rows } = await sql`
      select 1 from pg_locks
      where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`.execute(
      service.db,
    );
    expect(rows).toEqual([]);
  });

  it('A repeat requests a new suggestion if the computation failed permanently, and repeats the refusal of an open iteration', async () => {
    const { objectiveUrl } = await prepareObjective(service.send);
    const key = newKey();
    const first = await post(`${objectiveUrl}/inverses`, {}, async(key));
    await sql`update suggestion_jobs set attempts = 5, visible_at = now() where inverse_id = ${first.body.id}`.execute(
      service.db,
    );
    await failExhaustedJobs(service.db);
    const anew = await post(`${objectiveUrl}/inverses`, {}, async(key));
    expect(anew.status).toBe(202);
    expect(anew.body.iteration).toBe(first.body.iteration + 1);
    await settle(anew.body.id);
    const other = newKey();
    const refused = await post(`${objectiveUrl}/inverses`, {}, async(other));
    expect(refused.status).toBe(409);
    expect(refused.body.instance).toBe(anew.headers['location']);
    await post(`${objectiveUrl}/inverse-output`, { output: [0, 0, 0] });
    expect(essence(await post(`${objectiveUrl}/inverses`, {}, async(other)))).toEqual(essence(refused));
  });

  it('A repeat in the SDK dialect gets the same inverse after its output is loaded', async () => {
    const { loaded } = await prepareObjective(service.send);
    const url = `/api/objectives/${loaded.body.id}/suggest-inverse`;
    await service.send('POST', `${loaded.headers['location']}/inverses`, {}, { prefer: 'respond-async' });
    const { rows } = await sql<{ id: number }>`
      select inverse_id as id from suggestion_jobs where objective_id = ${loaded.body.id}`.execute(service.db);
    const id = rows[0]!.id;
    await settle(id);
    const key = newKey();
    const first = await post(url, {}, key);
    expect(first.body).toMatchObject({ id, input: [1, 2] });
    await post(`/api/inverses/${id}/load-output`, { output: [0, 0, 0] });
    expect((await post(url, {}, key)).body.id).toBe(id);
    const { rows: open } = await sql`select 1 from suggestion_jobs where objective_id = ${loaded.body.id}`.execute(
      service.db,
    );
    expect(open).toEqual([]);
  });
});
