/** Objectives with several open inverses, over HTTP: opened by many clients together, completed in any order, repeated from what they knew. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toSuggestRequest } from '../../src/application/search/engine-input.ts';
import { readSnapshotOf } from '../../src/db/search/suggestions.ts';
import { suggestedInversesSchema } from '../../src/http/native/search/inverses.wire.ts';
import { objectiveSchema } from '../../src/http/native/search/objectives.wire.ts';
import { suggest as propose } from '../../src/optimizer/suggest.ts';
import { blackBox, type NativeService, NEVER, OBJECTIVES, openNativeService, prepareTrial } from './native-service.ts';

let service: NativeService;
beforeAll(async () => {
  service = await openNativeService({ hasWorker: true });
});
afterAll(() => service.close());

type Input = [number, number];
interface Suggested {
  readonly id: number;
  readonly iteration: number;
  readonly input: Input;
}

async function load(body: object, trialUrl?: string) {
  const url = trialUrl ?? (await prepareTrial(service.send)).trialUrl;
  const { status, body: loaded } = await service.send('POST', `${url}/objectives`, { holdBack: false, ...body });
  expect([status, loaded.errors]).toEqual([201, undefined]);
  return { ...loaded, trialUrl: url, url: `/v1/objectives/${loaded.id}` };
}

const read = async (url: string) => (await service.send('GET', url)).body;
const ask = (url: string, count?: number, headers = {}) =>
  service.send('POST', `${url}/suggestions`, count === undefined ? {} : { count }, headers);
const openOf = async (url: string): Promise<Suggested[]> => read(`${url}/inverses?status=open`);

async function askFor(url: string, count: number): Promise<Suggested[]> {
  const { status, body } = await ask(url, count);
  expect(status).toBe(201);
  expect(suggestedInversesSchema.safeParse(body).error).toBeUndefined();
  expect(body.inverses).toHaveLength(count);
  return body.inverses;
}

const put = (url: string, { id }: { readonly id: number }, body: object) =>
  service.send('PUT', `${url}/inverses/${id}/output`, body);
const complete = async (url: string, inverse: Suggested, output = blackBox(inverse.input)) => {
  const { status, body } = await put(url, inverse, { output });
  expect(status).toBe(200);
  return body;
};

describe('opening', () => {
  it('A request gets as many inverses as it asks for and parallelism leaves, all different, in order', async () => {
    const { url, ...loaded } = await load({ ...NEVER, parallelism: 4 });
    expect(loaded).toMatchObject({ parallelism: 4, holdBack: false, openCount: 0, completedCount: 0, batchId: null });
    const [first, second] = await askFor(url, 2);
    expect([first!.iteration, second!.iteration]).toEqual([2, 3]);
    const { body } = await ask(url);
    expect(body).toMatchObject({ openCount: 4, heldBack: false, attemptsLeft: 496 });
    expect(body.inverses.map(({ iteration }: Suggested) => iteration)).toEqual([4, 5]);
    const open = await openOf(url);
    expect(new Set(open.map(({ input }) => String(input)))).toHaveProperty('size', 4);
    const full = await ask(url, 3);
    expect([full.status, full.body.inverses, full.body.openCount]).toEqual([200, [], 4]);
    const single = await service.send('POST', `${url}/inverses`);
    expect(single).toMatchObject({ status: 409, body: { type: 'urn:backsolve:problem:iteration-open' } });
    expect(single.body.instance).toContain(`/inverses/${first!.id}`);
    expect(single.body.detail).toContain('parallelism');
    const page = await service.send('GET', `${url}/inverses?status=open&limit=3`);
    expect(page.body).toHaveLength(3);
    const next = /<([^>]+)>/.exec(String(page.headers['link']))![1]!;
    expect((await read(next)).map(({ iteration }: Suggested) => iteration)).toEqual([5]);
    expect((await service.send('GET', `${url}/inverses?status=open`, undefined, { accept: 'text/csv' })).status).toBe(
      400,
    );
  });

  it('64 concurrent clients never open more than parallelism, leave no gap, and get no inverse twice', async () => {
    const { url } = await load({ ...NEVER, parallelism: 5, maximumAttempts: 10 });
    const got: Suggested[] = [];
    let most = 0;
    let completed = Promise.withResolvers<void>();
    /** Asks until the objective has ended; one that gets nothing waits for the next output of any other. */
    const client = async (k: number) => {
      for (;;) {
        const next = completed.promise;
        const answer = k % 2 === 0 ? await ask(url, 1 + (k % 3)) : await service.send('POST', `${url}/inverses`);
        if (answer.status === 400) return;
        expect([200, 201, 409]).toContain(answer.status);
        const inverses: Suggested[] = answer.status === 409 ? [] : (answer.body.inverses ?? [answer.body]);
        if (inverses.length === 0) await next;
        else most = Math.max(most, (await openOf(url)).length);
        for (const inverse of inverses.toReversed().filter(({ input }) => input !== null)) {
          got.push(inverse);
          await complete(url, inverse);
          completed.resolve();
          completed = Promise.withResolvers();
        }
      }
    };
    await Promise.all(Array.from({ length: 64 }, (_, k) => client(k)));
    const objective = await read(url);
    expect(objectiveSchema.safeParse(objective).error).toBeUndefined();
    expect(most).toBeLessThanOrEqual(5);
    expect(new Set(got.map(({ id }) => id)).size).toBe(got.length);
    expect(new Set(got.map(({ input }) => String(input))).size).toBe(got.length);
    const iterations = objective.inverses.map(({ iteration }: Suggested) => iteration);
    expect(iterations).toEqual(iterations.map((_: number, k: number) => k + 1));
    expect([2, 3]).toContain(objective.stopReason);
    if (objective.stopReason === 3) {
      expect([objective.attemptCount, got.length, objective.completedCount]).toEqual([10, 10, 10]);
      const orders = objective.inverses
        .slice(1)
        .map(({ completedOrder }: { completedOrder: number }) => completedOrder);
      expect(orders.toSorted((a: number, b: number) => a - b)).toEqual(Array.from({ length: 10 }, (_, k) => k + 1));
    }
  });

  it('Under an Idempotency-Key a repeat lists the same inverses, and a request that does not wait leaves them for later', async () => {
    const { url } = await load({ ...NEVER, parallelism: 4 });
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const early = await ask(url, 3, { ...headers, prefer: 'respond-async' });
    expect(early).toMatchObject({ status: 202, headers: { location: `${url}/inverses?status=open` } });
    const { status, body } = await ask(url, 3, headers);
    expect([status, body.inverses.length]).toEqual([201, 3]);
    const again = await ask(url, 3, headers);
    expect(again.body.inverses).toEqual(body.inverses);
    expect(await openOf(url)).toHaveLength(3);
  });

  it('PATCH raises and lowers parallelism; what is open beyond it stays open', async () => {
    const { url } = await load(NEVER);
    await askFor(url, 1);
    expect((await ask(url)).body).toMatchObject({ inverses: [], openCount: 1 });
    const patched = await service.send('PATCH', url, { parallelism: 3 });
    expect(patched).toMatchObject({ status: 200, body: { parallelism: 3, openCount: 1 } });
    const [b, c] = await askFor(url, 2);
    await service.send('PATCH', url, { parallelism: 1, holdBack: true });
    await complete(url, b!);
    expect((await ask(url)).body).toMatchObject({ inverses: [], openCount: 2 });
    await complete(url, c!);
    const ambiguous = await service.send('POST', `${url}/inverse-output`, { output: blackBox([1, 1]) });
    expect(ambiguous.status).toBe(200);
    expect((await askFor(url, 1))[0]!.iteration).toBe(5);
    expect((await service.send('PATCH', url, { parallelism: 65 })).status).toBe(400);
    await service.send('POST', `${url}/stop`);
    expect(await service.send('PATCH', url, { parallelism: 2 })).toMatchObject({
      status: 400,
      body: { type: 'urn:backsolve:problem:objective-ended' },
    });
  });

  it('Nothing else is opened while an open inverse is likely to satisfy the objective, unless told otherwise', async () => {
    const { url } = await load({ ...NEVER, parallelism: 8, holdBack: true });
    const [likely] = await askFor(url, 2);
    const { rows } = await sql<{ chance: number }>`
      update inverses i set chance = 0.95 from inverses before where before.id = i.id and i.id = ${likely!.id}
      returning before.chance`.execute(service.db);
    expect(rows[0]!.chance).toBeGreaterThanOrEqual(0);
    expect(rows[0]!.chance).toBeLessThan(0.9);
    expect((await ask(url)).body).toMatchObject({ inverses: [], heldBack: true });
    expect((await service.send('POST', `${url}/inverses`)).body.detail).toContain('holdBack');
    await service.send('PATCH', url, { holdBack: false });
    expect((await ask(url, 1)).body).toMatchObject({ heldBack: false, inverses: [{}] });
  });
});

describe('completing', () => {
  it('Without an id an output is for the only open inverse; for several it is refused with their ids', async () => {
    const { url } = await load({ ...NEVER, parallelism: 2 });
    const [first, second] = await askFor(url, 2);
    const refused = await service.send('POST', `${url}/inverse-output`, { output: [1, 2, 3] });
    expect(refused).toMatchObject({ status: 409, body: { type: 'urn:backsolve:problem:ambiguous-iteration' } });
    expect(refused.body.errors.map(({ message }: { message: string }) => message)).toEqual([
      expect.stringContaining(String(first!.id)),
      expect.stringContaining(String(second!.id)),
    ]);
    expect(await complete(url, second!)).toMatchObject({ status: 'active', completedOrder: 1, basis: 0 });
    const { body } = await service.send('POST', `${url}/inverse-output`, { output: blackBox(first!.input) });
    expect(body).toMatchObject({ id: first!.id, completedOrder: 2 });
    expect((await service.send('POST', `${url}/inverse-output`, { output: blackBox(first!.input) })).body.id).toBe(
      first!.id,
    );
    const [third] = await askFor(url, 1);
    // The one that was completed last, not the one with the highest iteration.
    const shown = await read(`${url}/inverses/${third!.id}`);
    expect(shown.basis).toBe(2);
    expect(shown.results.map(({ output }: { output: number }) => output)).toEqual(blackBox(second!.input));
  });

  it('The last open inverse of all attempts exhausts the objective; until then a single request says that all are handed out', async () => {
    const { url } = await load({ ...NEVER, parallelism: 4, maximumAttempts: 3 });
    const [a, b, c] = await askFor(url, 3);
    const refused = await service.send('POST', `${url}/inverses`);
    expect(refused).toMatchObject({ status: 409, body: { type: 'urn:backsolve:problem:attempts-handed-out' } });
    expect((await ask(url)).body).toMatchObject({ inverses: [], attemptsLeft: 0 });
    expect(await complete(url, c!)).toMatchObject({ status: 'active', exhaustedAt: null });
    expect((await put(url, a!, { failed: true })).body).toMatchObject({ status: 'failed', exhaustedAt: null });
    expect(await read(url)).toMatchObject({ stopReason: 0, openCount: 1 });
    const stopped = await service.send('POST', `${url}/inverses/${b!.id}/stop`);
    expect(stopped.body).toMatchObject({ status: 'stopped', exhaustedAt: expect.any(String), completedOrder: 3 });
    expect(await read(url)).toMatchObject({ stopReason: 3, openCount: 0 });
  });

  it('An output that satisfies everything ends the objective, gives the others up with their events, and takes their outputs late', async () => {
    const account = await service.makeKey('webhooks of parallel inverses');
    const send = service.sendAs(account);
    await send('POST', '/v1/webhooks', { url: 'https://example.com/hook' });
    const { trialUrl } = await prepareTrial(send);
    const { body: loaded } = await send('POST', `${trialUrl}/objectives`, {
      ...OBJECTIVES,
      parallelism: 3,
      holdBack: false,
    });
    const url = `/v1/objectives/${loaded.id}`;
    const { body } = await send('POST', `${url}/suggestions`, { count: 3 });
    const [a, b, c]: Suggested[] = body.inverses;
    await send('PUT', `${url}/inverses/${b!.id}/output`, { output: blackBox([3, 7]) });
    const ended = (await send('GET', url)).body;
    expect(ended).toMatchObject({ stopReason: 1, openCount: 0, optimalInverse: { id: b!.id } });
    expect(ended.inverses.map(({ status }: { status: string }) => status)).toEqual([
      'active',
      'stopped',
      'converged',
      'stopped',
    ]);
    const late = await send('PUT', `${url}/inverses/${c!.id}/output`, { output: blackBox([3, 7]) });
    expect(late).toMatchObject({
      status: 200,
      body: { status: 'stopped', completedOrder: 4, loadedAt: expect.any(String) },
    });
    expect((await send('PUT', `${url}/inverses/${c!.id}/output`, { output: blackBox([3, 7]) })).status).toBe(200);
    expect((await send('PUT', `${url}/inverses/${c!.id}/output`, { output: [1, 1, 1] })).status).toBe(409);
    expect((await send('PUT', `${url}/inverses/${a!.id}/output`, { failed: true })).status).toBe(400);
    expect((await send('GET', url)).body).toMatchObject({ stopReason: 1, optimalInverse: { id: b!.id } });
    const { rows } = await sql<{ name: string; resource_id: number }>`
      select name, resource_id from events where name <> 'project.created' and account_id =
        (select account_id from objectives where id = ${loaded.id}) order by id`.execute(service.db);
    const told = rows.map(({ name, resource_id }) => [name, Number(resource_id)]);
    expect(told.slice(-6)).toEqual([
      ['inverse.suggested', c!.id],
      ['inverse.output_loaded', loaded.id],
      ['inverse.stopped', a!.id],
      ['inverse.stopped', c!.id],
      ['objective.satisfied', loaded.id],
      ['inverse.output_loaded', loaded.id],
    ]);
    // A correction of the run that satisfied it falls back on the late one.
    const corrected = await send('POST', `${url}/inverses/${b!.id}/corrections`, {
      output: [9, 9, 9],
      reason: 'misread',
    });
    expect(corrected.status).toBe(200);
    expect((await send('GET', url)).body).toMatchObject({ stopReason: 1, optimalInverse: { id: c!.id } });
  });

  it('Stopping the objective gives up every open inverse; the best run counts outputs of any order and late ones', async () => {
    const { url } = await load({ ...NEVER, parallelism: 3 });
    const [a, b, c] = await askFor(url, 3);
    await complete(url, c!, [10, -4, 400]);
    await askFor(url, 1);
    expect((await read(url)).best).toMatchObject({ inverseId: c!.id });
    await complete(url, a!, [10, -4, 450]);
    expect((await read(url)).best).toMatchObject({ inverseId: a!.id });
    await service.send('POST', `${url}/stop`);
    const stopped = await read(url);
    expect(stopped).toMatchObject({ stopReason: 2, openCount: 0 });
    expect(stopped.inverses.map(({ status }: { status: string }) => status).slice(-2)).toEqual(['active', 'stopped']);
    await complete(url, b!, [10, -4, 499]);
    expect(await read(url)).toMatchObject({ stopReason: 2, best: { inverseId: b!.id } });
  });

  it('Under /api an objective has one open inverse at a time, the oldest', async () => {
    const { url, id } = await load({ ...NEVER, parallelism: 3 });
    const suggest = () => service.send('POST', `/api/objectives/${id}/suggest-inverse`);
    const first = await suggest();
    expect(first.status).toBe(201);
    await askFor(url, 2);
    const again = await suggest();
    expect([again.status, again.body.id]).toEqual([200, first.body.id]);
    await service.send('POST', `/api/inverses/${first.body.id}/load-output`, {
      output: blackBox([1, 1]),
      compute_time: 1,
    });
    expect((await suggest()).body.id).toBe((await openOf(url))[0]!.id);
  });
});

/** Computes a stored suggestion again from what is stored about it. */
async function repeat(inverseId: number) {
  const { rows } = await sql<{ account_id: number; input: number[]; chance: number | null }>`
    select account_id, input, chance from inverses where id = ${inverseId}`.execute(service.db);
  const { account_id: accountId, input, chance } = rows[0]!;
  const snapshot = await readSnapshotOf(service.db, { accountId: Number(accountId), inverseId });
  const proposal = propose(toSuggestRequest(snapshot!, 20_000));
  if (proposal.kind !== 'candidate') throw new Error('nothing new');
  return [
    [Array.from(proposal.input), proposal.chance],
    [input, chance],
  ];
}

describe('repeating', () => {
  it('Every suggestion is repeated bit for bit after outputs in any order, stops, late outputs, corrections and changes of parallelism', async () => {
    const { url, trialUrl } = await load({ ...NEVER, parallelism: 3 });
    const other = await load({ ...NEVER, objectives: [3, 2, 300], parallelism: 2 }, trialUrl);
    const suggested: Suggested[] = [];
    const take = async (of: string, count: number) => {
      const inverses = await askFor(of, count);
      suggested.push(...inverses);
      return inverses;
    };
    const [a, b, c] = await take(url, 3);
    await complete(url, b!);
    const [d] = await take(url, 1);
    const [x, y] = await take(other.url, 2);
    await complete(other.url, y!);
    await put(url, a!, { failed: true });
    await service.send('POST', `${url}/inverses/${c!.id}/stop`);
    const [e] = await take(url, 1);
    await complete(url, c!);
    await take(other.url, 1);
    await complete(url, e!);
    await service.send('PATCH', url, { parallelism: 5 });
    await service.send('POST', `${url}/inverses/${b!.id}/corrections`, { output: [1, 2, 3], reason: 'misread' });
    await take(url, 3);
    await complete(other.url, x!);
    await service.send('POST', `${url}/inverses/${c!.id}/corrections`, { excluded: true, reason: 'leak' });
    await complete(url, d!);
    await service.send('PATCH', url, { parallelism: 2 });
    for (const open of await openOf(url)) await complete(url, open);
    await take(url, 2);
    await take(other.url, 1);
    for (const { id } of suggested) {
      const [again, stored] = await repeat(id);
      expect(again).toEqual(stored);
    }
    expect(suggested).toHaveLength(14);
  });
});
