/** Evaluations over HTTP: who may claim and report them, and what becomes of them when evaluators fail, freeze or vanish. */
import { request } from 'node:http';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { failLostEvaluations } from '../../src/application/evaluations/fail-evaluation.ts';
import { notify } from '../../src/db/connection/listen.ts';
import type { Db, Trx } from '../../src/db/connection/transaction.ts';
import { claimEvaluations } from '../../src/db/evaluations/evaluations.ts';
import { parseApiKey } from '../../src/domain/accounts/api-key.ts';
import { accountIdOf, expireLease, insertBatch, insertEvaluations, type TestBatch } from '../support/evaluations.ts';
import {
  type Answered,
  blackBox,
  type NativeService,
  openNativeService,
  prepareObjective,
  prepareTrial,
  type Send,
} from './native-service.ts';

type Change = Partial<Omit<TestBatch, 'accountId' | 'modelId' | 'projectId'>>;

let service: NativeService;
let send: Send;
let accountId: number;
let trial: Awaited<ReturnType<typeof prepareTrial>>;
beforeAll(async () => {
  service = await openNativeService({ hasWorker: true });
  send = service.send;
  accountId = await accountIdOf(service.db);
  trial = await prepareTrial(send);
});
afterAll(() => service.close());
// Evaluations that a test leaves open must not be claimed by the next one.
beforeEach(async () => {
  await sql`update batches set status = 'cancelled'`.execute(service.db);
});

/** A batch that evaluates `count` cases of a project of two inputs and three outputs. */
async function prepareCases(count: number, change: Change = {}) {
  const parents = { accountId, modelId: trial.model.id, projectId: trial.project.id };
  const batchId = await insertBatch(service.db, { ...parents, ...change });
  const inputs = Array.from({ length: count }, (_, i) => ({ input: [i + 1, i] }));
  return { batchId, ids: await insertEvaluations(service.db, batchId, inputs) };
}

/** A batch with an evaluation of the open inverse of an objective. */
async function prepareInverse(change: Change = {}) {
  const { objectiveUrl, loaded, model, project, trialId } = await prepareObjective(send);
  const suggested = await send('POST', `${objectiveUrl}/inverses`);
  expect(suggested.status, suggested.text).toBe(201);
  const parents = { accountId, modelId: model.id, projectId: project.id, trialId };
  const batchId = await insertBatch(service.db, { ...parents, ...change });
  const { id: inverseId, input } = suggested.body;
  const [id] = await insertEvaluations(service.db, batchId, [{ objectiveId: loaded.body.id, inverseId, input }]);
  return { batchId, id: id!, inverseId, input, objectiveUrl, inverseUrl: `${objectiveUrl}/inverses/${inverseId}` };
}

const claim = (body: object = {}, as: Send = send, headers = {}) =>
  as('POST', '/v1/evaluations/claim', { evaluator: 'rig', ...body }, headers);
async function claimOne(body: object = {}) {
  const { body: answer, status, text } = await claim(body);
  expect(status, text).toBe(200);
  expect(answer.evaluations, text).toHaveLength(1);
  const [{ id, leaseToken }] = answer.evaluations;
  return { ...answer.evaluations[0], path: `/v1/evaluations/${id}`, lease: { leaseToken } };
}
const codeOf = ({ body }: Answered) => String(body.type).replace('urn:backsolve:problem:', '');
const read = async (id: number) => (await send('GET', `/v1/evaluations/${id}`)).body;

describe('a case', () => {
  it('A claimed case says what to run, and is done with its output', async () => {
    const { batchId } = await prepareCases(1);
    const claimed = await claimOne({ batchId, leaseSeconds: 30 });
    expect(claimed).toMatchObject({
      kind: 'case',
      batchId,
      modelId: trial.model.id,
      projectId: trial.project.id,
      trialId: null,
      objectiveId: null,
      inverseId: null,
      iteration: null,
      caseNumber: 1,
      input: [1, 0],
      inputByName: { x1: 1, x2: 0 },
      outputNames: ['y1', 'y2', 'y3'],
      outputCount: 3,
      try: 1,
      maximumTries: 3,
      timeoutSeconds: 3_600,
    });
    expect(await read(claimed.id)).toMatchObject({
      state: 'leased',
      evaluator: 'rig',
      leaseExpiresAt: claimed.leaseExpiresAt,
    });
    const output = { y3: 2, y1: 1, y2: 1 };
    const done = await send('PUT', `${claimed.path}/output`, { ...claimed.lease, output, computeTime: 7 });
    expect(done.body, done.text).toEqual({ state: 'done', inverse: null, warnings: [] });
    expect(await read(claimed.id)).toMatchObject({
      state: 'done',
      output: [1, 1, 2],
      computeTime: 7,
      leaseExpiresAt: null,
    });
    const repeated = await send('PUT', `${claimed.path}/output`, { ...claimed.lease, output: [1, 1, 2] });
    expect(repeated.status, repeated.text).toBe(200);
    const other = await send('PUT', `${claimed.path}/output`, { ...claimed.lease, output: [1, 1, 3] });
    expect([other.status, codeOf(other)]).toEqual([409, 'output-conflict']);
  });

  it.each([
    ['too short', [1, 2], '/output'],
    ['not finite', [1, 2, null], '/output/2'],
    ['with an unknown name', { y1: 1, y2: 2, why3: 3 }, '/output/why3'],
  ])('An output that is %s is refused, and the lease stays', async (_, output, pointer) => {
    await prepareCases(1);
    const { path, lease, id } = await claimOne();
    const refused = await send('PUT', `${path}/output`, { ...lease, output });
    expect(refused.status, refused.text).toBe(400);
    expect(refused.body.errors.map((one: { pointer: string }) => one.pointer)).toContain(pointer);
    expect(await read(id)).toMatchObject({ state: 'leased', output: null });
    expect((await send('PUT', `${path}/output`, { ...lease, output: [1, 2, 3] })).body.state).toBe('done');
  });

  it('What failed and can be retried waits 2 s for its next try, and has failed after the last one', async () => {
    const { ids } = await prepareCases(1, { maximumTries: 2 });
    const first = await claimOne();
    const failure = { ...first.lease, reason: 'licence server away', retryable: true };
    const retried = await send('POST', `${first.path}/failure`, failure);
    expect(retried.body, retried.text).toEqual({ state: 'waiting', try: 1 });
    expect((await send('POST', `${first.path}/failure`, failure)).body).toEqual({ state: 'waiting', try: 1 });
    const { rows } = await sql<{ delay: number }>`
      select extract(epoch from visible_at - updated_at)::float8 as delay from evaluations where id = ${ids[0]}`.execute(
      service.db,
    );
    expect(rows[0]!.delay).toBeGreaterThan(1.9);
    expect(rows[0]!.delay).toBeLessThan(2.5);
    expect((await claim()).body.evaluations).toEqual([]);
    await sql`update evaluations set visible_at = now() where id = ${ids[0]}`.execute(service.db);
    const second = await claimOne();
    expect(second.try).toBe(2);
    const last = await send('POST', `${second.path}/failure`, { ...second.lease, reason: 'again', retryable: true });
    expect(last.body).toEqual({ state: 'failed', try: 2 });
    expect(await read(first.id)).toMatchObject({ state: 'failed', failedTries: 2, failureReason: 'again' });
    expect((await claim()).body.evaluations).toEqual([]);
    const late = await send('PUT', `${second.path}/output`, { ...second.lease, output: [1, 2, 3] });
    expect([late.status, codeOf(late)]).toEqual([409, 'lease-lost']);
  });

  it('A released evaluation can be claimed immediately and counts no try', async () => {
    await prepareCases(1);
    const first = await claimOne();
    expect((await send('POST', `${first.path}/release`, first.lease)).body).toEqual({ state: 'waiting' });
    const second = await claimOne();
    expect(second).toMatchObject({ id: first.id, try: 1 });
    expect(await read(first.id)).toMatchObject({ failedTries: 0, lostLeases: 0 });
    for (const [method, end, body] of [
      ['POST', 'release', {}],
      ['POST', 'heartbeat', {}],
      ['POST', 'failure', { reason: '', retryable: true }],
      ['PUT', 'output', { output: [1, 2, 3] }],
    ] as const) {
      const refused = await send(method, `${first.path}/${end}`, { ...first.lease, ...body });
      expect([end, refused.status, codeOf(refused)]).toEqual([end, 409, 'lease-lost']);
    }
    expect((await send('POST', `${first.path}/heartbeat`, second.lease)).status).toBe(200);
  });
});

describe('an inverse', () => {
  it('Its output completes the inverse and the evaluation together, and a repeat gets the same answer', async () => {
    const { id, inverseId, input, inverseUrl } = await prepareInverse();
    const { path, lease, ...claimed } = await claimOne();
    expect(claimed).toMatchObject({ id, kind: 'inverse', inverseId, iteration: 2, input, caseNumber: null });
    const output = blackBox(input);
    const done = await send('PUT', `${path}/output`, { ...lease, output });
    expect(done.status, done.text).toBe(200);
    expect(done.body).toMatchObject({ state: 'done', inverse: { id: inverseId, output }, warnings: [] });
    expect((await send('GET', inverseUrl)).body).toMatchObject({ output, computeTime: done.body.inverse.computeTime });
    expect((await send('PUT', `${path}/output`, { ...lease, output })).body).toEqual(done.body);
    const other = await send('PUT', `${path}/output`, { ...lease, output: blackBox([9, 9]) });
    expect([other.status, codeOf(other)]).toEqual([409, 'output-conflict']);
    expect((await send('POST', `${path}/heartbeat`, lease)).body).toEqual({ leaseExpiresAt: null, isWanted: false });
  });

  it('A failure for good makes it a failed run, and the search goes on', async () => {
    const { id, inverseUrl, objectiveUrl } = await prepareInverse();
    const { path, lease } = await claimOne();
    const failed = await send('POST', `${path}/failure`, { ...lease, reason: 'mesh collapsed', retryable: false });
    expect(failed.body).toEqual({ state: 'failed', try: 1 });
    expect((await send('GET', inverseUrl)).body).toMatchObject({ status: 'failed', failureReason: 'mesh collapsed' });
    expect(await read(id)).toMatchObject({ state: 'failed', failureReason: 'mesh collapsed' });
    expect((await send('GET', objectiveUrl)).body.stopReason).toBe(0);
  });

  it('An evaluator is told that its objective has ended, and its output is accepted all the same', async () => {
    const { id, objectiveUrl } = await prepareInverse();
    const { path, lease } = await claimOne();
    expect((await send('POST', `${path}/heartbeat`, { ...lease, progress: 0.2 })).body.isWanted).toBe(true);
    await send('POST', `${objectiveUrl}/stop`);
    expect((await send('POST', `${path}/heartbeat`, lease)).body.isWanted).toBe(false);
    const done = await send('PUT', `${path}/output`, { ...lease, output: [1, 2, 3] });
    expect(done.status, done.text).toBe(200);
    expect(done.body).toMatchObject({ state: 'done', inverse: { status: 'stopped', output: [1, 2, 3] }, warnings: [] });
    expect(await read(id)).toMatchObject({ state: 'done', progress: 0.2 });
  });

  it('A late output of a cancelled evaluation is kept with the stopped inverse', async () => {
    const { id, inverseUrl, inverseId, input, objectiveUrl } = await prepareInverse();
    const { path, lease } = await claimOne();
    await send('POST', `${objectiveUrl}/stop`);
    await sql`update evaluations set state = 'cancelled', finished_at = now() where id = ${id}`.execute(service.db);
    const output = blackBox(input);
    const late = await send('PUT', `${path}/output`, { ...lease, output });
    expect(late.body, late.text).toMatchObject({
      state: 'cancelled',
      inverse: { id: inverseId, status: 'stopped', output },
    });
    expect((await send('GET', inverseUrl)).body.output).toEqual(output);
  });

  it('An output that was loaded past the evaluation cancels it; another one is a conflict', async () => {
    const { id, inverseUrl, input } = await prepareInverse();
    const { path, lease } = await claimOne();
    expect((await send('PUT', `${inverseUrl}/output`, { output: blackBox(input) })).status).toBe(200);
    const other = await send('PUT', `${path}/output`, { ...lease, output: blackBox([9, 9]) });
    expect([other.status, codeOf(other)]).toEqual([409, 'output-conflict']);
    expect((await read(id)).state).toBe('cancelled');
  });

  it('After its last lost lease it is a failed run, without any claim', async () => {
    const { id, inverseUrl } = await prepareInverse({ maximumLosses: 2 });
    const first = await claimOne();
    await expireLease(service.db, id);
    expect(await failLostEvaluations(service.db)).toEqual({ failed: 0 });
    expect(await read(id)).toMatchObject({ state: 'waiting', lostLeases: 1, leaseExpiresAt: null });
    const second = await claimOne();
    expect(second).toMatchObject({ id: first.id, try: 1 });
    await expireLease(service.db, id);
    expect((await claim()).body.evaluations).toEqual([]);
    expect(await failLostEvaluations(service.db)).toEqual({ failed: 1 });
    expect(await failLostEvaluations(service.db)).toEqual({ failed: 0 });
    const { status, failureReason } = (await send('GET', inverseUrl)).body;
    expect(status).toBe('failed');
    expect(failureReason).toMatch(/^its lease was lost 2 times/);
    expect(await read(id)).toMatchObject({ state: 'failed', lostLeases: 2, failedTries: 0 });
  });
});

describe('a lease', () => {
  it('An expired lease still counts until somebody claims the evaluation, then only the new one does', async () => {
    const { ids } = await prepareCases(2);
    const { evaluations } = (await claim({ limit: 2 })).body;
    for (const id of ids) await expireLease(service.db, id);
    const [first, second] = evaluations;
    const beat = await send('POST', `/v1/evaluations/${first.id}/heartbeat`, { leaseToken: first.leaseToken });
    expect(beat.body, beat.text).toMatchObject({ isWanted: true });
    const taken = await claimOne();
    expect(taken.id).toBe(second.id);
    const refused = await send('PUT', `/v1/evaluations/${second.id}/output`, {
      leaseToken: second.leaseToken,
      output: [1, 2, 3],
    });
    expect([refused.status, codeOf(refused)]).toEqual([409, 'lease-lost']);
    await expireLease(service.db, first.id);
    const late = await send('PUT', `/v1/evaluations/${first.id}/output`, {
      leaseToken: first.leaseToken,
      output: [1, 2, 3],
    });
    expect(late.body, late.text).toMatchObject({ state: 'done' });
    expect(await read(first.id)).toMatchObject({ lostLeases: 0 });
    expect(await read(second.id)).toMatchObject({ lostLeases: 1, state: 'leased' });
  });

  it('Heartbeats do not extend it beyond one lease after the time limit', async () => {
    const { ids } = await prepareCases(1, { timeoutSeconds: 100 });
    const { path, lease } = await claimOne({ leaseSeconds: 60 });
    const later = (seconds: number) =>
      sql`update evaluations set claimed_at = clock_timestamp() - ${seconds} * interval '1 second' where id = ${ids[0]}`.execute(
        service.db,
      );
    await later(130);
    const last = await send('POST', `${path}/heartbeat`, lease);
    expect(new Date(last.body.leaseExpiresAt).getTime() - Date.now()).toBeLessThanOrEqual(30_000);
    await later(161);
    const refused = await send('POST', `${path}/heartbeat`, lease);
    expect([refused.status, codeOf(refused)]).toEqual([409, 'lease-lost']);
    expect(refused.body.detail).toContain('may take 100 s');
  });

  it('Another account neither sees nor reports it', async () => {
    await prepareCases(1);
    const { path, lease } = await claimOne();
    const other = service.sendAs(await service.makeKey('somebody else'));
    expect((await claim({}, other)).body).toEqual({ evaluations: [] });
    for (const [method, end, body] of [
      ['GET', '', undefined],
      ['POST', '/heartbeat', lease],
      ['POST', '/release', lease],
      ['POST', '/failure', { ...lease, reason: '', retryable: false }],
      ['PUT', '/output', { ...lease, output: [1, 2, 3] }],
    ] as const) {
      expect((await other(method, `${path}${end}`, body)).status).toBe(404);
    }
    expect((await other('GET', '/v1/evaluations')).body).toEqual([]);
  });

  it('Of the output and the failure of one try only one counts, in whatever order they come', async () => {
    await prepareInverse();
    const { path, lease, id, input } = await claimOne();
    const [output, failure] = await Promise.all([
      send('PUT', `${path}/output`, { ...lease, output: blackBox(input) }),
      send('POST', `${path}/failure`, { ...lease, reason: 'no', retryable: false }),
    ]);
    expect([output.status, failure.status].sort()).toEqual([200, 409]);
    expect((await read(id)).state).toBe(output.status === 200 ? 'done' : 'failed');
  });
});

describe('a claim', () => {
  it('Eight simultaneous claims get one evaluation once', async () => {
    await prepareCases(1);
    const answers = await Promise.all(Array.from({ length: 8 }, () => claim({ limit: 3 })));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(answers.flatMap(({ body }) => body.evaluations)).toHaveLength(1);
  });

  it('Batches are served round robin, the oldest first; paused ones and pushed ones are passed over', async () => {
    const first = await prepareCases(5);
    const second = await prepareCases(3);
    await prepareCases(1, { isPaused: true });
    await prepareCases(1, { evaluator: { kind: 'http', url: 'https://rig.example/' } });
    const claimed = (await claim({ limit: 6 })).body.evaluations;
    const numbersOf = (batchId: number, list: { batchId: number; caseNumber: number }[]) =>
      list
        .filter((one) => one.batchId === batchId)
        .map(({ caseNumber }) => caseNumber)
        .sort();
    expect(numbersOf(first.batchId, claimed)).toEqual([1, 2, 3]);
    expect(numbersOf(second.batchId, claimed)).toEqual([1, 2, 3]);
    const rest = (await claim({ limit: 64 })).body.evaluations;
    expect(numbersOf(first.batchId, rest)).toEqual([4, 5]);
    expect(rest).toHaveLength(2);
    const third = await prepareCases(4);
    const fourth = await prepareCases(4);
    const turns = [];
    for (let i = 0; i < 4; i++) turns.push((await claimOne()).batchId);
    expect([...turns].sort()).toEqual([third.batchId, third.batchId, fourth.batchId, fourth.batchId]);
    expect(turns[0]).not.toBe(turns[1]);
  });

  it('Only evaluations of the named project or batch are claimed; one that does not exist is refused', async () => {
    const { batchId } = await prepareCases(1);
    const other = await prepareInverse();
    expect((await claim({ batchId: other.batchId, projectId: trial.project.id })).body.evaluations).toEqual([]);
    expect((await claimOne({ projectId: trial.project.id })).batchId).toBe(batchId);
    for (const body of [{ projectId: 999_999 }, { batchId: 999_999 }]) {
      expect((await claim({ ...body, wait: 20 })).status).toBe(404);
    }
  });

  it('A repeat under one Idempotency-Key gets the leases of the first request, as long as they are held', async () => {
    await prepareCases(3);
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const first = (await claim({ limit: 2 }, send, headers)).body.evaluations;
    expect(first).toHaveLength(2);
    expect((await claim({ limit: 2 }, send, headers)).body.evaluations).toEqual(first);
    const [done, held] = first;
    await send('PUT', `/v1/evaluations/${done.id}/output`, { leaseToken: done.leaseToken, output: [1, 2, 3] });
    expect((await claim({ limit: 2 }, send, headers)).body.evaluations).toEqual([held]);
    await send('POST', `/v1/evaluations/${held.id}/release`, { leaseToken: held.leaseToken });
    expect((await claim({ limit: 2 }, send, headers)).body.evaluations).toHaveLength(2);
  });

  it.each([
    ['NUL in the name', { evaluator: 'a\u0000b' }, '/evaluator'],
    ['a name of 10 kB', { evaluator: 'x'.repeat(10_000) }, '/evaluator'],
    ['no name', { evaluator: undefined }, '/evaluator'],
    ['a limit of 65', { limit: 65 }, '/limit'],
    ['a lease of 4 s', { leaseSeconds: 4 }, '/leaseSeconds'],
    ['a wait of 26 s', { wait: 26 }, '/wait'],
    ['an unknown field', { waits: 1 }, '/waits'],
  ])('A claim with %s is refused', async (_, body, pointer) => {
    const refused = await claim(body);
    expect(refused.status, refused.text).toBe(400);
    expect(refused.body.errors.map((one: { pointer: string }) => one.pointer)).toEqual([pointer]);
  });
});

describe('a claim that waits', () => {
  it('What it gets after its key was revoked is not sent and goes back', async () => {
    const key = await service.makeKey('test', ['evaluate']);
    const waiting = claim({ wait: 20 }, service.sendAs(key));
    await expect.poll(() => service.evaluationWaiters.waiting).toBe(1);
    await sql`update api_keys set revoked_at = now() where key_id = ${parseApiKey(key)!.keyId}`.execute(service.db);
    const { ids } = await prepareCases(1);
    await notify(service.db, 'backsolve_evaluations', String(accountId));
    expect(await waiting).toMatchObject({ status: 401, body: { type: 'urn:backsolve:problem:unauthenticated' } });
    expect(await read(ids[0]!)).toMatchObject({ state: 'waiting', lostLeases: 0 });
  });

  it('It is answered as soon as there is something, and those that came first are served first', async () => {
    const waiting: Promise<Answered>[] = [];
    for (const n of [1, 2, 3]) {
      waiting.push(claim({ evaluator: `rig ${n}`, wait: 20 }));
      await expect.poll(() => service.evaluationWaiters.waiting).toBe(n);
    }
    await prepareCases(2);
    await notify(service.db, 'backsolve_evaluations', String(accountId));
    const [first, second] = await Promise.all(waiting.slice(0, 2));
    expect(first!.body.evaluations).toHaveLength(1);
    expect(second!.body.evaluations).toHaveLength(1);
    expect(service.evaluationWaiters.waiting).toBe(1);
    const { id, leaseToken } = first!.body.evaluations[0];
    await send('POST', `/v1/evaluations/${id}/release`, { leaseToken });
    expect((await waiting[2]!).body.evaluations).toMatchObject([{ id }]);
    expect(service.evaluationWaiters.waiting).toBe(0);
  });

  it('Without a notification the poll finds what has become claimable, such as an expired lease', async () => {
    const { ids } = await prepareCases(1);
    await claimOne();
    const waiting = claim({ wait: 20 });
    await expect.poll(() => service.evaluationWaiters.waiting).toBe(1);
    await expireLease(service.db, ids[0]!);
    expect((await waiting).body.evaluations).toMatchObject([{ id: ids[0] }]);
  });

  it('It ends with an empty list when its time is over', async () => {
    const startedAt = performance.now();
    expect((await claim({ wait: 1 })).body).toEqual({ evaluations: [] });
    expect(performance.now() - startedAt).toBeGreaterThan(990);
  });
});

it('A release that is repeated under its Idempotency-Key takes nothing from the evaluator that claimed meanwhile', async () => {
  await prepareCases(1);
  const { path, lease, id } = await claimOne();
  const release = () => send('POST', `${path}/release`, lease, { 'idempotency-key': `release ${id}` });
  expect((await release()).body).toEqual({ state: 'waiting' });
  const next = await claimOne();
  expect((await release()).body).toEqual({ state: 'waiting' });
  expect(await read(id)).toMatchObject({ state: 'leased' });
  expect((await send('POST', `${path}/release`, lease)).status).toBe(409);
  expect((await send('PUT', `${path}/output`, { ...next.lease, output: [1, 2, 3] })).body.state).toBe('done');
});

it('Workers that claim at the same moment make no more calls than an http evaluator takes at a time', async () => {
  const evaluator = { kind: 'http', url: 'https://rig.example/run', timeoutSeconds: null, concurrency: 1 };
  const { ids } = await prepareCases(3, { evaluator });
  const anywhere = { accountId: null, projectId: null, batchId: null, isPushed: true, afterBatchId: 0 };
  const claimPushed = (db: Db | Trx) =>
    claimEvaluations(db, { ...anywhere, limit: 4, leaseSeconds: 60, evaluator: 'worker' });
  const [first, second] = await service.db.transaction().execute(async (trx) => {
    const claimed = await claimPushed(trx);
    let isAnswered = false;
    const other = claimPushed(service.db).finally(() => {
      isAnswered = true;
    });
    await expect.poll(async () => isAnswered || (await isBlocked())).toBe(true);
    return [claimed, { other }] as const;
  });
  expect([first, await second.other].map((claimed) => claimed.map(({ id }) => id))).toEqual([[ids[0]], []]);
});

async function isBlocked(): Promise<boolean> {
  const { rows } = await sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(service.db);
  return rows.length === 1;
}

describe('a client that disconnects', () => {
  const open = async (body: object) => {
    const { port } = new URL(
      await service.app.listen({ host: '127.0.0.1', port: 0 }).catch(() => service.app.listeningOrigin),
    );
    const headers = { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' };
    const outgoing = request({ host: '127.0.0.1', port, method: 'POST', path: '/v1/evaluations/claim', headers });
    outgoing.on('error', () => undefined);
    outgoing.end(JSON.stringify({ evaluator: 'gone', ...body }));
    return outgoing;
  };

  it('It leaves the line, and nothing is claimed for it', async () => {
    const outgoing = await open({ wait: 20 });
    await expect.poll(() => service.evaluationWaiters.waiting).toBe(1);
    outgoing.destroy();
    await expect.poll(() => service.evaluationWaiters.waiting).toBe(0);
    const { ids } = await prepareCases(1);
    expect(await read(ids[0]!)).toMatchObject({ state: 'waiting', evaluator: null });
  });

  it('Evaluations being claimed for it are released immediately, without a loss', async () => {
    const { ids } = await prepareCases(1);
    await service.db.transaction().execute(async (trx) => {
      await sql`lock table evaluations in access exclusive mode`.execute(trx);
      const outgoing = await open({});
      await expect.poll(isBlocked).toBe(true);
      outgoing.destroy();
    });
    await expect.poll(() => read(ids[0]!)).toMatchObject({ state: 'waiting', evaluator: 'gone', lostLeases: 0 });
    expect(await claimOne()).toMatchObject({ id: ids[0], try: 1 });
  });
});

describe('lists and keys', () => {
  it('Evaluations are listed by state, batch and project, a page at a time', async () => {
    const { batchId, ids } = await prepareCases(3);
    const { id } = await claimOne();
    const waiting = await send('GET', `/v1/evaluations?state=waiting&batch_id=${batchId}&limit=1`);
    expect(waiting.body).toMatchObject([{ id: ids[1], state: 'waiting' }]);
    const next = /<(.*)>; rel="next"/.exec(String(waiting.headers['link']))![1]!;
    expect((await send('GET', next)).body).toMatchObject([{ id: ids[2] }]);
    const leased = await send('GET', `/v1/evaluations?state=leased&project_id=${trial.project.id}&limit=200`);
    expect(leased.body.map((one: { id: number }) => one.id)).toContain(id);
    const wrong = await send('GET', '/v1/evaluations?state=lost');
    expect([wrong.status, wrong.body.errors[0].pointer]).toEqual([400, '/state']);
  });

  it('A key of the scope evaluate claims, reports and reads evaluations, and nothing else', async () => {
    await prepareCases(1);
    const made = await send('POST', '/v1/keys', { scopes: ['evaluate'], label: 'rig' });
    expect(made.status, made.text).toBe(201);
    const evaluator = service.sendAs(made.body.key);
    const [{ id, leaseToken }] = (await claim({}, evaluator)).body.evaluations;
    expect((await evaluator('GET', `/v1/evaluations/${id}`)).status).toBe(200);
    expect((await evaluator('POST', `/v1/evaluations/${id}/release`, { leaseToken })).status).toBe(200);
    for (const [method, path] of [
      ['GET', '/v1/models'],
      ['POST', '/v1/models'],
      ['GET', '/v1/batches'],
      ['GET', '/v1/keys'],
      ['GET', '/v1/export'],
    ] as const) {
      expect([path, (await evaluator(method, path, method === 'POST' ? {} : undefined)).status]).toEqual([path, 403]);
    }
    const reader = service.sendAs(await service.makeKey('test', ['read', 'admin']));
    expect((await claim({}, reader)).status).toBe(403);
    expect((await reader('POST', '/v1/keys', { scopes: ['evaluate'] })).status).toBe(403);
  });
});
