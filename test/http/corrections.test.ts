/** Corrections of inverses and cases under /v1, over the real service, and what follows from them. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countStorage } from '../../src/application/accounts/count-storage.ts';
import { computeSuggestion } from '../../src/application/search/compute-suggestion.ts';
import { toSuggestRequest } from '../../src/application/search/engine-input.ts';
import { claimDeliveries, deliverEvent } from '../../src/application/webhooks/deliver-events.ts';
import { renderEvent } from '../../src/application/webhooks/render-event.ts';
import { encodeMatrix } from '../../src/db/matrices.ts';
import { claimJobs } from '../../src/db/search/suggestion-jobs.ts';
import { readSnapshotOf } from '../../src/db/search/suggestions.ts';
import { Matrix } from '../../src/domain/matrix.ts';
import type { Engine } from '../../src/engine/pool.ts';
import { sdkEvents } from '../../src/http/sdk/events.wire.ts';
import type { Proposal, SuggestRequest } from '../../src/optimizer/interface/problem.ts';
import { suggest as optimize } from '../../src/optimizer/suggest.ts';
import { judgeUrl, MAXIMUM_BYTES, send as sendDelivery } from '../outside/webhooks/outbox.ts';
import { openReceiver } from '../outside/webhooks/receiver.ts';
import { explainNothing } from '../support/explain-nothing.ts';
import {
  blackBox,
  type NativeService,
  OBJECTIVES,
  openNativeService,
  prepareObjective,
  prepareTrial,
} from './native-service.ts';

/** Changed by the tests; the ingress reads them with every request. */
const limits = { openObjectives: 0, queuedSuggestions: 0, cases: 10_000, cells: 0, storedBytes: 0, storedRows: 0 };

let service: NativeService;
beforeAll(async () => {
  service = await openNativeService({ settings: { account: limits }, deps: { judgeWebhookUrl: judgeUrl } });
  // Events are recorded for those who listen.
  await send('POST', '/v1/webhooks', { url: 'http://127.0.0.1:9/' });
});
afterAll(() => service.close());

const send: NativeService['send'] = (...request) => service.send(...request);
const never = new AbortController().signal;

const candidate = (input: readonly number[], expected: readonly number[] | null = null): Proposal => ({
  kind: 'candidate',
  input: Float64Array.from(input),
  expected: expected && Float64Array.from(expected),
  chance: null,
});

/** Stands in for the optimizer where a test needs a certain input. */
function engineThat(
  propose: (request: SuggestRequest) => Proposal | Promise<Proposal>,
): Pick<Engine, 'suggest' | 'explain'> {
  return {
    ...explainNothing,
    suggest: async (request) => ({ ok: true, result: await propose(request), elapsedNs: 1 }),
  };
}

/** Asks for the next inverse and leaves it to be computed. */
async function request(objectiveUrl: string): Promise<{ id: number; iteration: number; url: string }> {
  const { status, body } = await send('POST', `${objectiveUrl}/inverses`, undefined, { prefer: 'respond-async' });
  expect(status, JSON.stringify(body)).toBe(202);
  return { id: body.id, iteration: body.iteration, url: `${objectiveUrl}/inverses/${body.id}` };
}

/** Computes what was asked for. */
async function compute(engine: Pick<Engine, 'suggest' | 'explain'>) {
  const [job] = await claimJobs(service.db, { limit: 1, leaseMs: 60_000, workerName: 'test' });
  return computeSuggestion({ db: service.db, engine, workLimit: 1_000 }, job!, never);
}

async function suggestAt(objectiveUrl: string, input: readonly number[]) {
  const requested = await request(objectiveUrl);
  expect(await compute(engineThat(() => candidate(input)))).toMatchObject({ kind: 'suggested' });
  return requested;
}

/** A run at `input` whose output is loaded. */
async function runAt(
  objectiveUrl: string,
  input: readonly [number, number],
  output: readonly number[] = blackBox(input),
) {
  const inverse = await suggestAt(objectiveUrl, input);
  const { status, body } = await send('PUT', `${inverse.url}/output`, { output });
  expect(status, JSON.stringify(body)).toBe(200);
  return inverse;
}

const read = async (url: string) => (await send('GET', url)).body;
const log = async (trialUrl: string) => read(`${trialUrl}/corrections`);
const correct = (inverse: { url: string }, body: object) =>
  send('POST', `${inverse.url}/corrections`, { reason: 'decimal point misread', ...body });
const SOLUTION = [3, 7] as const;
/** Nearer to the solution than every case, with its output and that output ten times too large. */
const NEAR = [3.5, 7] as const;
const RIGHT = blackBox(NEAR);
const WRONG = RIGHT.map((value) => 10 * value);

/** Ordered by how small their outputs are; the first case satisfies it. */
const SMALLEST = {
  objectives: [0, 0, 0],
  objectiveTypes: ['minimize', 'minimize', 'minimize'],
  initialOutput: [50, 50, 50],
  minimumBounds: [],
  maximumBounds: [],
};

async function eventsOf(objectiveId: number): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from events where resource_id = ${objectiveId} and name like 'objective.%' order by id`.execute(
    service.db,
  );
  return rows.map(({ name }) => name);
}

describe('a correction of an inverse', () => {
  it('Replaces the output everywhere immediately, and the log keeps both with the reason and the key', async () => {
    const { objectiveUrl, trialUrl, loaded } = await prepareObjective(send);
    const inverse = await runAt(objectiveUrl, NEAR, WRONG);
    expect(await read(objectiveUrl)).toMatchObject({ best: { caseNumber: 3 } });
    const corrected = await correct(inverse, { output: RIGHT });
    expect(corrected.status, corrected.text).toBe(200);
    expect(corrected.body).toMatchObject({
      correction: { revision: 1, old: { output: WRONG }, new: { output: RIGHT, excluded: false } },
      inverse: { id: inverse.id, status: 'active', output: RIGHT, excludedAt: null },
      objective: { id: loaded.body.id, stopReason: 0, attemptCount: 1, optimalInverseId: null },
    });
    expect(await read(inverse.url)).toEqual(corrected.body.inverse);
    expect(await read(objectiveUrl)).toMatchObject({
      best: { inverseId: inverse.id, iteration: 2, output: RIGHT },
      inverses: [{ iteration: 1 }, { outputs: RIGHT }],
    });
    const [{ keyId }] = await read('/v1/keys');
    const target = { caseNumber: null, objectiveId: loaded.body.id, inverseId: inverse.id, iteration: 2 };
    expect(await log(trialUrl)).toEqual([
      { ...corrected.body.correction, target, reason: 'decimal point misread', correctedBy: keyId },
    ]);
    const again = await correct(inverse, { output: RIGHT, reason: 'sent twice' });
    expect(again.body).toEqual({ ...corrected.body, correction: null });
    expect(await log(trialUrl)).toHaveLength(1);
  });

  it('Is named after the label of its key, and the log has pages', async () => {
    const { objectiveUrl, trialUrl } = await prepareObjective(send);
    const key = (await send('POST', '/v1/keys', { scopes: ['read', 'write'], label: 'the test rig' })).body;
    const inverse = await runAt(objectiveUrl, NEAR);
    for (const value of [1, 2, 3]) {
      const body = { output: [value, 0, 0], reason: `reading ${value}` };
      expect((await service.sendAs(key.key)('POST', `${inverse.url}/corrections`, body)).status).toBe(200);
    }
    const first = await send('GET', `${trialUrl}/corrections?limit=2`);
    expect(first.body.map(({ reason }: { reason: string }) => reason)).toEqual(['reading 1', 'reading 2']);
    const next = /<(.+)>; rel="next"/.exec(String(first.headers['link']))![1]!;
    const second = await send('GET', next);
    expect(second.body).toMatchObject([
      { reason: 'reading 3', revision: 3, correctedBy: 'the test rig', old: { output: [2, 0, 0] } },
    ]);
    expect(second.headers['link']).toBeUndefined();
  });

  it('Turns an output into a failure and back', async () => {
    const { objectiveUrl } = await prepareObjective(send);
    const inverse = await runAt(objectiveUrl, NEAR);
    const failed = await correct(inverse, { failed: true, failureReason: 'leak' });
    expect(failed.body.inverse).toMatchObject({
      status: 'failed',
      output: null,
      failureReason: 'leak',
      loadedAt: null,
      failedAt: expect.any(String),
    });
    expect(await read(objectiveUrl)).toMatchObject({ best: { caseNumber: 3 } });
    expect((await correct(inverse, { failed: true })).body.correction).toBeNull();
    const back = await correct(inverse, { output: RIGHT });
    expect(back.body.inverse).toMatchObject({
      status: 'active',
      output: RIGHT,
      failureReason: null,
      loadedAt: expect.any(String),
      failedAt: null,
    });
    expect(await read(objectiveUrl)).toMatchObject({ best: { iteration: 2 } });
  });

  it('Takes outputs by their names, and warns with them', async () => {
    const { objectiveUrl, trialUrl, projectUrl } = await prepareObjective(send);
    expect((await send('PATCH', projectUrl, { outputNames: ['sum', 'gap', 'twice'] })).status).toBe(200);
    const inverse = await request(objectiveUrl);
    await compute(engineThat(() => candidate(NEAR, [10, -4, 7, 12, -2, 9])));
    const reported = await send('PUT', `${inverse.url}/output`, { output: { twice: 7, sum: 105, gap: -3 } });
    expect(reported.body.warnings).toMatchObject([
      { output: 0, name: 'sum', detail: expect.stringMatching('^Output sum is 105') },
    ]);
    const corrected = await correct(inverse, { output: { sum: 10.5, gap: -3.5, twice: 7 } });
    expect(corrected.body.inverse).toMatchObject({ output: RIGHT, outputByName: { sum: 10.5 } });
    const body = { output: { sum: 1, gap: 2, twice: 3 }, reason: 'typo' };
    expect((await send('POST', `${trialUrl}/cases/2/corrections`, body)).body).toMatchObject({ output: [1, 2, 3] });
    expect((await correct(inverse, { output: { sum: 1, gap: 2, twise: 3 } })).body).toMatchObject({
      status: 400,
      errors: expect.arrayContaining([expect.objectContaining({ pointer: '/output/twise' })]),
    });
  });

  it('Of iteration 1 changes the initial output, and refuses a failure of the initial point', async () => {
    const { objectiveUrl } = await prepareObjective(send);
    const [initial] = await read(`${objectiveUrl}/inverses`);
    const inverse = { url: `${objectiveUrl}/inverses/${initial.id}` };
    const refused = await correct(inverse, { failed: true });
    expect(refused.body).toMatchObject({
      status: 400,
      errors: [{ pointer: '/failed', message: expect.stringMatching('excluded: true') }],
    });
    expect((await correct(inverse, { output: [9, 9, 9] })).status).toBe(200);
    expect(await read(objectiveUrl)).toMatchObject({ initialOutput: [9, 9, 9], inverses: [{ outputs: [9, 9, 9] }] });
  });

  it('Reports every violation with its place, and changes nothing', async () => {
    const { objectiveUrl, trialUrl } = await prepareObjective(send);
    const inverse = await runAt(objectiveUrl, NEAR);
    const before = await read(inverse.url);
    const expectRefusal = async (body: unknown, pointers: readonly string[]) => {
      const { status, body: problem } = await send('POST', `${inverse.url}/corrections`, body);
      expect(status).toBe(400);
      expect(problem.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(pointers);
    };
    await expectRefusal({}, ['/reason', '/output']);
    await expectRefusal({ output: [1, 2, 3], reason: '' }, ['/reason']);
    await expectRefusal({ output: [1, 2, 3], reason: 'x'.repeat(1_001) }, ['/reason']);
    await expectRefusal({ output: [1, 2], reason: 'typo' }, ['/output']);
    await expectRefusal('{"output": [1, 2, 1e400], "reason": "typo"}', ['/output/2']);
    await expectRefusal({ output: [1, 2, 3], excluded: true, reason: 'typo' }, ['/excluded']);
    await expectRefusal({ failed: false, reason: 'typo' }, ['/failed']);
    await expectRefusal({ excluded: true, failureReason: 'leak', reason: 'typo' }, ['/failureReason']);
    await expectRefusal({ output: [1, 2, 3], reson: 'typo' }, ['/reason', '/reson']);
    expect(await read(inverse.url)).toEqual(before);
    expect(await log(trialUrl)).toEqual([]);
  });

  it('Is refused with advice while there is no result, and works in a closed trial but not in a deleted one', async () => {
    const { objectiveUrl, trialUrl } = await prepareObjective(send);
    const inverse = await request(objectiveUrl);
    const change = { output: [1, 2, 3] };
    expect((await correct(inverse, change)).body).toMatchObject({
      status: 400,
      type: 'urn:backsolve:problem:nothing-to-correct',
      detail: expect.stringMatching('still being computed; ask for the suggestion'),
    });
    await compute(engineThat(() => candidate(NEAR)));
    expect((await correct(inverse, change)).body).toMatchObject({
      status: 400,
      detail: expect.stringMatching('still waits for its output'),
    });
    await send('PUT', `${inverse.url}/output`, { output: blackBox(NEAR) });
    const conflict = await send('PUT', `${inverse.url}/output`, change);
    expect(conflict.body).toMatchObject({ status: 409, detail: expect.stringMatching('correct the run') });
    await send('PATCH', trialUrl, { status: 'completed' });
    expect((await correct(inverse, change)).status).toBe(200);
    expect((await correct({ url: `${objectiveUrl}/inverses/999999` }, change)).status).toBe(404);
    await send('DELETE', trialUrl);
    expect((await correct(inverse, change)).status).toBe(404);
  });

  it('Takes effect once under an Idempotency-Key, and is answered the same', async () => {
    const { objectiveUrl, trialUrl } = await prepareObjective(send);
    const inverse = await runAt(objectiveUrl, NEAR, WRONG);
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const body = { output: RIGHT, reason: 'typo' };
    const post = () => send('POST', `${inverse.url}/corrections`, body, headers);
    const [first, second] = [await post(), await post()];
    expect(second.body).toEqual(first.body);
    expect(first.body.correction).not.toBeNull();
    expect(await log(trialUrl)).toHaveLength(1);
    // Judged with the first answer, as without a key: lists and histories judge nothing themselves.
    expect(await read(`${objectiveUrl}/history`)).toMatchObject({ bestIteration: 2, bestOutput: RIGHT });
    expect(await read(`${trialUrl}/objectives`)).toMatchObject([{ best: { inverseId: inverse.id } }]);
  });

  it('Of a case, and added cases, are judged under an Idempotency-Key as well', async () => {
    const { objectiveUrl, trialUrl } = await prepareObjective(send);
    const headers = () => ({ 'idempotency-key': crypto.randomUUID() });
    await send('POST', `${trialUrl}/cases/1/corrections`, { excluded: true, reason: 'leak' }, headers());
    expect((await read(`${objectiveUrl}/history`)).bestOutput).not.toBeNull();
    const cases = { inputs: [SOLUTION], outputs: [blackBox(SOLUTION)] };
    await send('POST', `${trialUrl}/cases`, cases, headers());
    expect(await read(`${objectiveUrl}/history`)).toMatchObject({ bestOutput: blackBox(SOLUTION) });
  });
});

describe('what follows for an objective', () => {
  it('A running one is satisfied by a corrected output, and what is being computed for it is stopped', async () => {
    const { objectiveUrl, loaded } = await prepareObjective(send);
    const inverse = await runAt(objectiveUrl, SOLUTION, [100, -4, 6]);
    const open = await request(objectiveUrl);
    const corrected = await correct(inverse, { output: blackBox(SOLUTION) });
    expect(corrected.body).toMatchObject({
      inverse: { status: 'converged', satisfiedAt: expect.any(String) },
      objective: { stopReason: 1, optimalInverseId: inverse.id },
    });
    expect(await read(open.url)).toMatchObject({ status: 'stopped', input: null, stoppedAt: expect.any(String) });
    expect(await claimJobs(service.db, { limit: 1, leaseMs: 60_000, workerName: 'test' })).toEqual([]);
    expect(await eventsOf(loaded.body.id)).toEqual(['objective.satisfied']);
    expect((await send('PUT', `${open.url}/output`, { output: [1, 2, 3] })).status).toBe(400);
  });

  it('A satisfied one keeps its end unless it may be reopened, and then goes on in order', async () => {
    const { objectiveUrl, trialUrl, loaded } = await prepareObjective(send);
    const earlier = await runAt(objectiveUrl, NEAR);
    const inverse = await runAt(objectiveUrl, SOLUTION);
    const ended = await read(objectiveUrl);
    expect(ended).toMatchObject({ stopReason: 1, optimalInverse: { id: inverse.id } });
    const refused = await correct(inverse, { output: [20, 0, 6] });
    expect(refused.body).toMatchObject({
      status: 409,
      type: 'urn:backsolve:problem:reopening-needed',
      instance: inverse.url,
      detail: expect.stringMatching('reopen: true'),
    });
    expect(await read(objectiveUrl)).toEqual(ended);
    expect(await log(trialUrl)).toEqual([]);
    // It has no part in the verdict.
    expect((await correct(earlier, { output: [30, 30, 30] })).body.objective).toMatchObject({ stopReason: 1 });
    const reopened = await correct(inverse, { output: [20, 0, 6], reopen: true });
    expect(reopened.body).toMatchObject({
      inverse: { status: 'active', satisfiedAt: null, output: [20, 0, 6] },
      objective: { stopReason: 0, optimalInverseId: null },
    });
    expect((await eventsOf(loaded.body.id)).at(-1)).toBe('objective.reopened');
    const next = await runAt(objectiveUrl, SOLUTION);
    expect(next.iteration).toBe(4);
    expect(await read(objectiveUrl)).toMatchObject({ stopReason: 1, attemptCount: 3, optimalInverse: { id: next.id } });
  });

  it('A satisfied one whose attempts are used up is exhausted, and an exhausted one satisfied again', async () => {
    const { objectiveUrl, loaded } = await prepareObjective(send, { maximumAttempts: 1 });
    const inverse = await runAt(objectiveUrl, SOLUTION);
    const exhausted = await correct(inverse, { output: [20, 0, 6], reopen: true });
    expect(exhausted.body).toMatchObject({
      inverse: { status: 'max_iterations', satisfiedAt: null, exhaustedAt: expect.any(String) },
      objective: { stopReason: 3, optimalInverseId: null },
    });
    expect((await correct(inverse, { output: blackBox(SOLUTION) })).status).toBe(409);
    const satisfied = await correct(inverse, { output: blackBox(SOLUTION), reopen: true });
    expect(satisfied.body).toMatchObject({
      inverse: { status: 'converged', exhaustedAt: null },
      objective: { stopReason: 1, optimalInverseId: inverse.id },
    });
    expect((await eventsOf(loaded.body.id)).slice(-2)).toEqual(['objective.exhausted', 'objective.satisfied']);
  });

  it('A stopped one comes back when asked, also after the correction, and otherwise stays', async () => {
    const { objectiveUrl } = await prepareObjective(send);
    const inverse = await runAt(objectiveUrl, NEAR, WRONG);
    await send('POST', `${objectiveUrl}/stop`);
    expect((await correct(inverse, { output: WRONG, reopen: true })).body.objective).toMatchObject({ stopReason: 2 });
    expect((await correct(inverse, { output: RIGHT })).body.objective).toMatchObject({ stopReason: 2 });
    const reopened = await correct(inverse, { output: RIGHT, reopen: true });
    expect(reopened.body).toMatchObject({ correction: null, objective: { stopReason: 0 } });
    const next = await suggestAt(objectiveUrl, SOLUTION);
    expect(next.iteration).toBe(3);
    // A `reopen` without an effect is ignored.
    expect((await correct(inverse, { output: [11, -3, 9], reopen: true })).body.objective).toMatchObject({
      stopReason: 0,
    });
    expect(await read(next.url)).toMatchObject({ status: 'active' });
  });

  it('An excluded inverse is shown and never the optimal or the best one, until that is taken back', async () => {
    const { objectiveUrl, trialUrl } = await prepareObjective(send, SMALLEST);
    await send('POST', `${trialUrl}/cases/1/corrections`, { excluded: true, reason: 'another plant' });
    const second = await runAt(objectiveUrl, [4, 7], [1, 1, 1]);
    const third = await runAt(objectiveUrl, [5, 7], [-1, 0.5, 0.5]);
    const [initial] = await read(`${objectiveUrl}/inverses`);
    const chosen = async () => {
      const { optimalInverse, best } = await read(objectiveUrl);
      return { optimal: optimalInverse.id, best: best.inverseId ?? `case ${best.caseNumber}` };
    };
    expect(await chosen()).toEqual({ optimal: third.id, best: third.id });
    const excluded = await correct(third, { excluded: true });
    expect(excluded.body.inverse).toMatchObject({ output: [-1, 0.5, 0.5], excludedAt: expect.any(String) });
    expect(excluded.body.inverse.results).toHaveLength(3);
    expect(await chosen()).toEqual({ optimal: second.id, best: second.id });
    await correct(second, { excluded: true });
    expect(await chosen()).toEqual({ optimal: initial.id, best: 'case 3' });
    const back = await correct(third, { excluded: false });
    expect(back.body.inverse).toMatchObject({ excludedAt: null });
    expect(await chosen()).toEqual({ optimal: third.id, best: third.id });
  });

  it('The receiver of a webhook hears that an objective was reopened', async () => {
    const receiver = await openReceiver();
    try {
      const { objectiveUrl, loaded } = await prepareObjective(send);
      await send('POST', '/v1/webhooks', { url: receiver.url, events: ['objective.reopened'] });
      const inverse = await runAt(objectiveUrl, SOLUTION);
      await correct(inverse, { excluded: true, reopen: true });
      const options = { healthyLimit: 100, failingLimit: 100, perWebhook: 100, leaseMs: 60_000, workerName: 'test' };
      const bodyOf = (event: Parameters<typeof renderEvent>[1]) =>
        renderEvent({ db: service.db, form: sdkEvents, maximumBytes: MAXIMUM_BYTES }, event);
      for (const delivery of await claimDeliveries(service.db, options)) {
        if (delivery.url !== receiver.url) continue;
        await deliverEvent({ db: service.db, send: sendDelivery, bodyOf }, delivery, never);
      }
      expect(receiver.received.map(({ body }) => JSON.parse(body))).toMatchObject([
        { name: 'objective.reopened', subject: `objective/${loaded.body.id}`, data: { stopReason: 0 } },
      ]);
    } finally {
      await receiver.close();
    }
  });
});

describe('corrections that meet other work', () => {
  it('Two simultaneous ones are logged one after the other, each with the result that it replaced', async () => {
    const { objectiveUrl, trialUrl } = await prepareObjective(send);
    const inverse = await runAt(objectiveUrl, NEAR);
    const values = [1, 2, 3, 4, 5, 6];
    const answers = await Promise.all(values.map((value) => correct(inverse, { output: [value, 0, 0] })));
    expect(answers.map(({ status }) => status)).toEqual(values.map(() => 200));
    const logged = await log(trialUrl);
    expect(logged.map(({ revision }: { revision: number }) => revision)).toEqual(values);
    logged.slice(1).forEach((one: { old: object }, i: number) => {
      expect(one.old).toEqual(logged[i].new);
    });
    expect(logged[0].old.output).toEqual(blackBox(NEAR));
    expect((await read(inverse.url)).output).toEqual(logged.at(-1).new.output);
    expect((await read(trialUrl)).status).toBe('active');
  });

  it('Simultaneous reports and corrections of one trial neither get lost nor leave an old verdict', async () => {
    const trial = await prepareObjective(send);
    const others = await Promise.all(
      [1, 2, 3].map(async () => (await send('POST', `${trial.trialUrl}/objectives`, OBJECTIVES)).headers['location']),
    );
    const corrected = await runAt(trial.objectiveUrl, NEAR);
    const open = [];
    for (const url of others) open.push(await suggestAt(String(url), SOLUTION));
    const answers = await Promise.all([
      ...open.map(({ url }) => send('PUT', `${url}/output`, { output: blackBox(SOLUTION) })),
      ...[1, 2, 3].map((value) => correct(corrected, { output: [value, 0, 0] })),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    for (const [i, url] of others.entries()) {
      expect(await read(String(url))).toMatchObject({
        stopReason: 1,
        optimalInverse: { id: open[i]!.id },
        best: { inverseId: open[i]!.id, worstMiss: 0 },
      });
    }
  });

  it('One that comes while a suggestion is computed is not overwritten by what the worker judged before', async () => {
    const { objectiveUrl } = await prepareObjective(send, { initialOutput: [10.8, -4, 6] });
    const near = await runAt(objectiveUrl, [3, 6], [10.2, -4, 6]);
    await request(objectiveUrl);
    const outcome = await compute(
      engineThat(async () => {
        expect((await correct(near, { output: [500, 500, 500] })).status).toBe(200);
        return candidate([5, 6]);
      }),
    );
    expect(outcome).toMatchObject({ kind: 'suggested' });
    expect(await read(objectiveUrl)).toMatchObject({ best: { iteration: 1 } });
    const { rows } = await sql<{ judged: number | null }>`
      select judged_through as judged from objectives where id = (select objective_id from inverses where id = ${near.id})`.execute(
      service.db,
    );
    expect(rows).toEqual([{ judged: 2 }]);
  });

  it('An end that was computed from old data is computed again', async () => {
    const { objectiveUrl } = await prepareObjective(send);
    const wrong = await runAt(objectiveUrl, NEAR, WRONG);
    const last = await request(objectiveUrl);
    let computed = 0;
    const outcome = await compute(
      engineThat(async ({ history }) => {
        computed += 1;
        if (computed === 1) await correct(wrong, { output: RIGHT });
        return { kind: 'nothing-new', reason: 'duplicate', bestIndex: history.count - 1 };
      }),
    );
    expect([outcome.kind, computed]).toEqual(['stopped', 2]);
    expect(await read(last.url)).toMatchObject({ status: 'stopped', input: NEAR, output: RIGHT });
    await correct(wrong, { output: [1, 2, 3] });
    expect(await read(last.url)).toMatchObject({ output: [1, 2, 3] });
  });

  it('An inverse that repeats a known run follows its correction, and cannot be corrected itself', async () => {
    const { objectiveUrl, trialUrl } = await prepareObjective(send, SMALLEST);
    const run = await runAt(objectiveUrl, [4, 7], [1, 1, 1]);
    const repeat = await request(objectiveUrl);
    await compute(engineThat(() => ({ kind: 'nothing-new', reason: 'duplicate', bestIndex: 0 })));
    expect(await read(repeat.url)).toMatchObject({ status: 'stopped', input: [0, 0], output: [0, 0, 0] });
    expect((await read(objectiveUrl)).optimalInverse.id).toBe(repeat.id);
    expect((await correct(repeat, { output: [1, 2, 3] })).body).toMatchObject({
      status: 400,
      detail: expect.stringMatching('with that input, and this one follows'),
    });
    const correctFirst = (body: object) => send('POST', `${trialUrl}/cases/1/corrections`, { reason: 'typo', ...body });
    await correctFirst({ output: [77, 77, 77] });
    expect(await read(repeat.url)).toMatchObject({ status: 'stopped', output: [77, 77, 77] });
    expect(await read(objectiveUrl)).toMatchObject({ stopReason: 2, optimalInverse: { id: run.id } });
    await correctFirst({ failed: true });
    expect(await read(repeat.url)).toMatchObject({ excludedAt: expect.any(String) });
    await correctFirst({ output: [0, 0, 0] });
    expect(await read(repeat.url)).toMatchObject({ output: [0, 0, 0], excludedAt: null });
    expect((await read(objectiveUrl)).optimalInverse.id).toBe(repeat.id);
  });

  it('A suggestion learns from the data as they are then, and is found again whatever was corrected later', async () => {
    const { objectiveUrl, trialUrl } = await prepareObjective(send);
    const other = String((await send('POST', `${trialUrl}/objectives`, OBJECTIVES)).headers['location']);
    const asked = new Map<number, SuggestRequest>();
    const next = async (url: string, input: readonly [number, number], output: readonly number[]) => {
      const inverse = await request(url);
      await compute(
        engineThat((given) => {
          asked.set(inverse.id, given);
          return candidate(input);
        }),
      );
      await send('PUT', `${inverse.url}/output`, { output });
      return inverse;
    };
    const outputsOf = ({ id }: { id: number }) => {
      const { count, Y, failed } = asked.get(id)!.history;
      return Array.from({ length: count }, (_, row) =>
        failed[row] === 1 ? null : Array.from(Y.subarray(3 * row, 3 * row + 3)),
      );
    };
    const correctFirst = (body: object) => send('POST', `${trialUrl}/cases/1/corrections`, { reason: 'typo', ...body });
    const [initial] = await read(`${objectiveUrl}/inverses`);
    const first = await next(objectiveUrl, NEAR, WRONG);
    await correct(first, { output: RIGHT });
    await correctFirst({ output: [7, 7, 7] });
    const second = await next(objectiveUrl, [4, 6], [10.5, -2, 8]);
    expect(outputsOf(second)).toEqual(expect.arrayContaining([RIGHT, [7, 7, 7]]));
    expect(outputsOf(second)).not.toEqual(expect.arrayContaining([WRONG]));
    await correct({ url: `${objectiveUrl}/inverses/${initial.id}` }, { excluded: true });
    await correctFirst({ excluded: true });
    await correct(second, { failed: true });
    const third = await next(other, [4, 5], [9, -1, 8]);
    expect(outputsOf(third)).toEqual(expect.arrayContaining([RIGHT, null]));
    expect(outputsOf(third)).not.toEqual(expect.arrayContaining([[7, 7, 7]]));
    const fourth = await next(objectiveUrl, [2, 5], [7, -3, 4]);
    await correct(first, { excluded: true });
    await correct(second, { output: [1, 1, 1] });
    await correct(third, { output: [2, 2, 2] });
    await correctFirst({ excluded: false });
    await correct(fourth, { failed: true });
    const [{ id: accountId }] = (
      await sql<{ id: number }>`select id from accounts where name = 'test'`.execute(service.db)
    ).rows as [{ id: number }];
    for (const { id } of [first, second, third, fourth]) {
      const snapshot = await readSnapshotOf(service.db, { accountId, inverseId: id });
      expect(toSuggestRequest(snapshot!, 1_000)).toEqual(asked.get(id));
    }
  });

  it('A reopened objective is solved by the real optimizer', async () => {
    const { objectiveUrl } = await prepareObjective(send);
    const wrong = await runAt(objectiveUrl, [9, 1], blackBox(SOLUTION));
    expect((await correct(wrong, { output: blackBox([9, 1]), reopen: true })).body.objective.stopReason).toBe(0);
    for (let i = 0; i < 10 && (await read(objectiveUrl)).stopReason === 0; i++) {
      const next = await request(objectiveUrl);
      await compute({
        ...explainNothing,
        suggest: async (asked: SuggestRequest) => ({ ok: true, result: optimize(asked), elapsedNs: 1 }),
      });
      const { input } = await read(next.url);
      await send('PUT', `${next.url}/output`, { output: blackBox(input) });
    }
    expect(await read(objectiveUrl)).toMatchObject({ stopReason: 1, best: { worstMiss: 0 } });
  });
});

describe('a correction of a case', () => {
  const correctCase = (trialUrl: string, number: number | string, body: object) =>
    send('POST', `${trialUrl}/cases/${number}/corrections`, { reason: 'typo', ...body });

  it('Counts for every objective of the trial, while the loaded cases stay', async () => {
    const { objectiveUrl, trialUrl, projectUrl } = await prepareObjective(send);
    const cases = await read(`${projectUrl}/output-cases`);
    expect((await read(objectiveUrl)).best.caseNumber).toBe(3);
    const excluded = await correctCase(trialUrl, 3, { excluded: true });
    expect(excluded.body).toMatchObject({
      number: 3,
      input: [2, 7],
      output: [9, -5, 4],
      excluded: true,
      correction: { revision: 1, target: { caseNumber: 3, inverseId: null }, old: { excluded: false } },
    });
    expect((await read(objectiveUrl)).best).toMatchObject({ caseNumber: null, iteration: 1 });
    const satisfying = await correctCase(trialUrl, 1, { output: blackBox(SOLUTION) });
    expect(satisfying.body).toMatchObject({
      number: 1,
      output: blackBox(SOLUTION),
      correction: { old: { output: [0, 0, 0] } },
    });
    expect((await correctCase(trialUrl, 1, { output: blackBox(SOLUTION) })).body.correction).toBeNull();
    expect(await read(objectiveUrl)).toMatchObject({ stopReason: 0, best: { caseNumber: 1, worstMiss: 0 } });
    const later = await send('POST', `${trialUrl}/objectives`, OBJECTIVES);
    expect((await read(String(later.headers['location']))).best).toMatchObject({ caseNumber: 1 });
    const failed = await correctCase(trialUrl, 1, { failed: true, failureReason: 'leak' });
    expect(failed.body).toMatchObject({ output: null, failed: true, failureReason: 'leak', excluded: false });
    expect((await read(objectiveUrl)).best).toMatchObject({ iteration: 1 });
    await correctCase(trialUrl, 3, { excluded: false });
    expect((await read(objectiveUrl)).best).toMatchObject({ caseNumber: 3, output: [9, -5, 4] });
    expect(await read(`${projectUrl}/output-cases`)).toEqual(cases);
    expect((await log(trialUrl)).map(({ revision }: { revision: number }) => revision)).toEqual([1, 2, 3, 4]);
  });

  it('Of a number that no case has is refused with the number of cases', async () => {
    const { trialUrl } = await prepareObjective(send);
    for (const number of [4, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
      expect((await correctCase(trialUrl, number, { excluded: true })).body).toMatchObject({
        status: 404,
        detail: expect.stringMatching('it has 3 cases, numbered from 1 to 3'),
      });
    }
    expect((await correctCase(trialUrl, 0, { excluded: true })).status).toBe(400);
    expect((await correctCase(trialUrl, 1, { output: [1] })).body).toMatchObject({ errors: [{ pointer: '/output' }] });
    expect((await correctCase(trialUrl, 1, { excluded: true, reopen: 'yes' })).body).toMatchObject({
      errors: [{ pointer: '/reopen' }],
    });
  });

  it('Reaches added cases, which are numbered on and judged like the others', async () => {
    const { objectiveUrl, trialUrl, trialId } = await prepareObjective(send);
    const insert = (first: number, inputs: number[][], outputs: number[][], failed: number[]) =>
      sql`
      insert into added_cases (account_id, trial_id, revision, first_number, case_count, inputs, outputs, failed_cases)
      select account_id, id, 1, ${first}, ${inputs.length}, ${encodeMatrix(Matrix.from(inputs))}::float8[],
        ${encodeMatrix(Matrix.from(outputs))}::float8[], ${failed}::integer[] from trials where id = ${trialId}`.execute(
        service.db,
      );
    await insert(
      4,
      [
        [1, 1],
        [2, 2],
      ],
      [blackBox(SOLUTION), [2, 2, 2]],
      [0],
    );
    await insert(6, [[6, 6]], [[10, -4, 7]], []);
    expect((await correctCase(trialUrl, 5, { output: [1, 1, 1] })).body).toMatchObject({
      number: 5,
      input: [2, 2],
      correction: { old: { output: [2, 2, 2] } },
    });
    expect((await read(objectiveUrl)).best).toMatchObject({ caseNumber: 6, input: [6, 6], output: [10, -4, 7] });
    expect((await correctCase(trialUrl, 4, { output: blackBox(SOLUTION) })).body).toMatchObject({
      correction: { old: { failed: true } },
    });
    expect((await read(objectiveUrl)).best).toMatchObject({ caseNumber: 4, input: [1, 1], worstMiss: 0 });
    const later = await send('POST', `${trialUrl}/objectives`, OBJECTIVES);
    expect((await read(String(later.headers['location']))).best).toMatchObject({ caseNumber: 4 });
    expect((await correctCase(trialUrl, 7, { excluded: true })).body.detail).toMatch('it has 6 cases');
  });
});

describe('an initial point that is a copy of a case', () => {
  /** The case that is the nearest one, at [2, 7]. */
  const TRUE_OUTPUT = blackBox([2, 7]);
  const MISTYPED = [9, -4.5, 4];
  const { initialInput: _input, initialOutput: _output, ...WITHOUT_START } = OBJECTIVES;

  const load = async (trialUrl: string, change: object = {}) => {
    const { status, body, text } = await send('POST', `${trialUrl}/objectives`, { ...WITHOUT_START, ...change });
    expect(status, text).toBe(201);
    const [initial] = await read(`${trialUrl}/objectives/${body.id}/inverses`);
    const url = `${trialUrl}/objectives/${body.id}`;
    return { id: body.id as number, url, initial: { id: initial.id as number, url: `${url}/inverses/${initial.id}` } };
  };
  const correctThird = (trialUrl: string, body: object) =>
    send('POST', `${trialUrl}/cases/3/corrections`, { reason: 'typo', ...body });

  it('That satisfied its objective immediately changes the verdict only with reopen', async () => {
    const { trialUrl } = await prepareTrial(send);
    await correctThird(trialUrl, { output: blackBox(SOLUTION) });
    const objective = await load(trialUrl);
    const ended = await read(objective.url);
    expect(ended).toMatchObject({ stopReason: 1, optimalInverse: { id: objective.initial.id } });
    const refused = await correctThird(trialUrl, { output: TRUE_OUTPUT });
    expect(refused.body).toMatchObject({
      status: 409,
      type: 'urn:backsolve:problem:reopening-needed',
      detail: expect.stringMatching(`objective ${objective.id} is satisfied.*reopen: true`),
    });
    expect(await read(objective.url)).toEqual(ended);
    expect((await read(`${trialUrl}/cases?limit=3`))[2]).toMatchObject({ output: blackBox(SOLUTION) });
    expect(await log(trialUrl)).toHaveLength(1);
    const reopened = await correctThird(trialUrl, { output: TRUE_OUTPUT, reopen: true });
    expect(reopened.body).toMatchObject({
      output: TRUE_OUTPUT,
      correction: { revision: 2, target: { caseNumber: 3 } },
    });
    expect(await read(objective.url)).toMatchObject({
      stopReason: 0,
      initialOutput: TRUE_OUTPUT,
      optimalInverse: null,
      best: { output: TRUE_OUTPUT },
    });
    expect(await read(objective.initial.url)).toMatchObject({
      status: 'active',
      output: TRUE_OUTPUT,
      satisfiedAt: null,
    });
    expect((await eventsOf(objective.id)).at(-1)).toBe('objective.reopened');
    expect((await log(trialUrl))[2]).toMatchObject({
      revision: 3,
      target: { caseNumber: null, objectiveId: objective.id, inverseId: objective.initial.id, iteration: 1 },
      old: { output: blackBox(SOLUTION) },
      new: { output: TRUE_OUTPUT },
      reason: 'typo',
    });
    const found = await runAt(objective.url, SOLUTION);
    expect(await read(objective.url)).toMatchObject({ stopReason: 1, optimalInverse: { id: found.id } });
  });

  it('Follows in every objective of the trial, whoever stated it, and no other initial point does', async () => {
    const { trialUrl } = await prepareTrial(send);
    await correctThird(trialUrl, { output: MISTYPED });
    const [copied, stopped, deleted] = [await load(trialUrl), await load(trialUrl), await load(trialUrl)];
    const stated = await load(trialUrl, { initialInput: [2, 7], initialOutput: MISTYPED });
    const differing = await load(trialUrl, { initialInput: [2, 7], initialOutput: [1, 1, 1] });
    const elsewhere = await load(trialUrl, { initialInput: [3, 6], initialOutput: MISTYPED });
    const foreign = await load((await prepareTrial(send)).trialUrl, { initialInput: [2, 7], initialOutput: MISTYPED });
    await send('POST', `${stopped.url}/stop`);
    await send('DELETE', deleted.url);
    expect((await correctThird(trialUrl, { output: TRUE_OUTPUT, reopen: true })).status).toBe(200);
    for (const { url, initial } of [copied, stopped, stated]) {
      expect(await read(url)).toMatchObject({ initialOutput: TRUE_OUTPUT, best: { output: TRUE_OUTPUT } });
      expect(await read(initial.url)).toMatchObject({ output: TRUE_OUTPUT });
    }
    expect((await read(copied.url)).stopReason).toBe(0);
    expect((await read(stopped.url)).stopReason).toBe(2);
    for (const { url, initial } of [elsewhere, foreign]) {
      expect(await read(url)).toMatchObject({ initialOutput: MISTYPED });
      expect(await read(initial.url)).toMatchObject({ output: MISTYPED });
    }
    expect(await read(differing.url)).toMatchObject({ initialOutput: [1, 1, 1] });
    const targets = (await log(trialUrl)).map(({ target }: { target: { objectiveId: number } }) => target.objectiveId);
    expect(targets).toEqual([null, null, copied.id, stopped.id, stated.id]);
    expect((await read(trialUrl)).revision).toBe(5);
    // The other way round nothing follows.
    await correct(copied.initial, { output: [1, 2, 3] });
    expect((await read(`${trialUrl}/cases`))[2]).toMatchObject({ output: TRUE_OUTPUT });
    expect(await read(stated.url)).toMatchObject({ initialOutput: TRUE_OUTPUT });
    const refused = await correctThird(trialUrl, { output: blackBox(SOLUTION) });
    expect(refused.body).toMatchObject({
      status: 409,
      detail: expect.stringMatching(`objective ${stopped.id} has ended`),
    });
    expect(await read(stated.url)).toMatchObject({ stopReason: 0, initialOutput: TRUE_OUTPUT });
    expect((await correctThird(trialUrl, { output: blackBox(SOLUTION), reopen: true })).status).toBe(200);
    for (const { url } of [stopped, stated]) expect(await read(url)).toMatchObject({ stopReason: 1 });
    expect(await read(copied.url)).toMatchObject({ stopReason: 0, initialOutput: [1, 2, 3] });
  });

  it('Satisfies a running objective with what its case turns out to give', async () => {
    const { trialUrl } = await prepareTrial(send);
    const objective = await load(trialUrl);
    const open = await request(objective.url);
    expect((await correctThird(trialUrl, { output: blackBox(SOLUTION) })).status).toBe(200);
    expect(await read(objective.url)).toMatchObject({ stopReason: 1, optimalInverse: { id: objective.initial.id } });
    expect(await read(open.url)).toMatchObject({ status: 'stopped' });
    expect(await eventsOf(objective.id)).toEqual(['objective.satisfied']);
    expect(await claimJobs(service.db, { limit: 1, leaseMs: 60_000, workerName: 'test' })).toEqual([]);
  });

  it('Is excluded while its case is excluded or failed, and takes the right output afterwards', async () => {
    const { trialUrl } = await prepareTrial(send);
    const objective = await load(trialUrl, { ...SMALLEST, initialOutput: undefined });
    expect(await read(objective.url)).toMatchObject({ optimalInverse: { id: objective.initial.id } });
    const correctFirst = async (change: object) => {
      const body = { ...change, reason: 'typo', reopen: true };
      const { status, text } = await send('POST', `${trialUrl}/cases/1/corrections`, body);
      expect(status, text).toBe(200);
      return { initial: await read(objective.initial.url), objective: await read(objective.url) };
    };
    const out = { initial: { output: [0, 0, 0], excludedAt: expect.any(String) }, objective: { optimalInverse: null } };
    const back = { initial: { output: [0, 0, 0], excludedAt: null }, objective: { optimalInverse: { iteration: 1 } } };
    expect(await correctFirst({ excluded: true })).toMatchObject(out);
    expect(await correctFirst({ excluded: false })).toMatchObject(back);
    expect(await correctFirst({ failed: true })).toMatchObject(out);
    expect(await correctFirst({ failed: true, failureReason: 'leak' })).toMatchObject(out);
    expect(await correctFirst({ excluded: true })).toMatchObject(out);
    expect(await correctFirst({ excluded: false })).toMatchObject(out);
    const right = { initial: { output: [1, 0, 2], excludedAt: null }, objective: { initialOutput: [1, 0, 2] } };
    expect(await correctFirst({ output: [1, 0, 2] })).toMatchObject(right);
    // Taken out by itself it stays out.
    await correct(objective.initial, { excluded: true });
    expect(await correctFirst({ output: [0, 0, 0] })).toMatchObject(out);
  });

  it('Is known to later suggestions as it is then, and earlier ones are found again', async () => {
    const { trialUrl } = await prepareTrial(send);
    await correctThird(trialUrl, { output: MISTYPED });
    const [objective, other] = [await load(trialUrl), await load(trialUrl)];
    const asked = new Map<number, SuggestRequest>();
    const next = async (url: string, input: readonly [number, number]) => {
      const inverse = await request(url);
      await compute(
        engineThat((given) => {
          asked.set(inverse.id, given);
          return candidate(input);
        }),
      );
      await send('PUT', `${inverse.url}/output`, { output: blackBox(input) });
      const { count, Y } = asked.get(inverse.id)!.history;
      return Array.from({ length: count }, (_, row) => Array.from(Y.subarray(3 * row, 3 * row + 3)));
    };
    expect(await next(objective.url, [4, 6])).toContainEqual(MISTYPED);
    await correctThird(trialUrl, { output: TRUE_OUTPUT });
    for (const [url, input] of [
      [objective.url, [4, 5]],
      [other.url, [2, 5]],
    ] as const) {
      const known = await next(url, input);
      expect(known).toContainEqual(TRUE_OUTPUT);
      expect(known).not.toContainEqual(MISTYPED);
    }
    await correctThird(trialUrl, { failed: true });
    expect(await next(objective.url, [6, 6])).not.toContainEqual(TRUE_OUTPUT);
    await correctThird(trialUrl, { output: [8, 8, 8] });
    expect(await next(other.url, [6, 7])).toContainEqual([8, 8, 8]);
    await correctThird(trialUrl, { excluded: true });
    const [{ id: accountId }] = (
      await sql<{ id: number }>`select id from accounts where name = 'test'`.execute(service.db)
    ).rows as [{ id: number }];
    expect(asked.size).toBe(5);
    for (const [inverseId, given] of asked) {
      const snapshot = await readSnapshotOf(service.db, { accountId, inverseId });
      expect(toSuggestRequest(snapshot!, 1_000)).toEqual(given);
    }
  });
});

describe('an output that the model did not expect', () => {
  it('Is stored and answered with a warning of a few digits, the same for a repetition', async () => {
    const { objectiveUrl } = await prepareObjective(send);
    const inverse = await request(objectiveUrl);
    await compute(engineThat(() => candidate(NEAR, [10, -4, 7, 12, -2, 9])));
    const report = () => send('PUT', `${inverse.url}/output`, { output: [110.1234567, -3, 8] });
    const [first, second] = [await report(), await report()];
    expect(first.body.warnings).toEqual([
      {
        output: 0,
        name: null,
        value: 110.1234567,
        expectedMinimum: 10,
        expectedMaximum: 12,
        detail: 'Output y1 is 110.12; the model expected 10 to 12. It was stored. If it is wrong, correct the run.',
      },
    ]);
    expect(second.body).toEqual(first.body);
    expect(await read(inverse.url)).toMatchObject({ output: [110.1234567, -3, 8] });
    const next = await request(objectiveUrl);
    await compute(engineThat(() => candidate([5, 7])));
    expect((await send('POST', `${objectiveUrl}/inverse-output`, { output: [1e300, 0, 0] })).body).toMatchObject({
      id: next.id,
      warnings: [],
    });
  });
});

describe('what corrections take', () => {
  it('A trial has at most 10,000, and a repetition is answered all the same', async () => {
    const { objectiveUrl, trialUrl, trialId } = await prepareObjective(send);
    const inverse = await runAt(objectiveUrl, NEAR);
    await sql`
      insert into corrections (account_id, trial_id, revision, case_number, was_excluded, is_excluded, reason, corrected_by)
      select t.account_id, t.id, n, 1, false, true, 'many', 'test' from trials t, generate_series(1, 10000) n
      where t.id = ${trialId}`.execute(service.db);
    await sql`update trials set revision = 10000 where id = ${trialId}`.execute(service.db);
    const refused = await correct(inverse, { output: [1, 2, 3] });
    expect(refused.body).toMatchObject({
      status: 400,
      type: 'urn:backsolve:problem:limit-reached',
      detail: expect.stringMatching('10000 corrections'),
    });
    expect((await correct(inverse, { output: blackBox(NEAR) })).body.correction).toBeNull();
    expect((await send('POST', `${trialUrl}/cases/2/corrections`, { excluded: true, reason: 'x' })).status).toBe(400);
  });

  it('Of a case that initial points follow takes one for each, or nothing is stored', async () => {
    const { trialUrl, trialId } = await prepareTrial(send);
    const start = { ...OBJECTIVES, initialInput: [2, 7], initialOutput: blackBox([2, 7]) };
    const urls = [1, 2].map(async () =>
      String((await send('POST', `${trialUrl}/objectives`, start)).headers['location']),
    );
    const objectiveUrls = await Promise.all(urls);
    await sql`
      insert into corrections (account_id, trial_id, revision, case_number, was_excluded, is_excluded, reason, corrected_by)
      select t.account_id, t.id, n, 1, false, true, 'many', 'test' from trials t, generate_series(1, 9998) n
      where t.id = ${trialId}`.execute(service.db);
    await sql`update trials set revision = 9998 where id = ${trialId}`.execute(service.db);
    const correctThird = () => send('POST', `${trialUrl}/cases/3/corrections`, { output: [1, 2, 3], reason: 'typo' });
    expect((await correctThird()).body).toMatchObject({
      status: 400,
      type: 'urn:backsolve:problem:limit-reached',
      detail: expect.stringMatching('2 initial points would follow'),
    });
    expect((await read(`${trialUrl}/cases`))[2]).toMatchObject({ output: blackBox([2, 7]), corrected: false });
    await send('DELETE', objectiveUrls[0]!);
    expect((await correctThird()).status).toBe(200);
    expect(await read(objectiveUrls[1]!)).toMatchObject({ initialOutput: [1, 2, 3] });
  });

  it('An account that may have no further running objective reopens none', async () => {
    const { objectiveUrl, trialUrl } = await prepareObjective(send);
    const inverse = await runAt(objectiveUrl, SOLUTION);
    await prepareObjective(send);
    limits.openObjectives = 1;
    try {
      const refused = await correct(inverse, { excluded: true, reopen: true });
      expect(refused.body).toMatchObject({ status: 400, type: 'urn:backsolve:problem:limit-reached' });
      expect(await read(objectiveUrl)).toMatchObject({
        stopReason: 1,
        optimalInverse: { id: inverse.id, excludedAt: null },
      });
      expect(await log(trialUrl)).toEqual([]);
    } finally {
      limits.openObjectives = 0;
    }
  });

  it('An account over its quota is refused, and nothing is stored', async () => {
    const { objectiveUrl, trialUrl } = await prepareObjective(send);
    const inverse = await runAt(objectiveUrl, NEAR);
    await countStorage(service.db);
    limits.storedRows = 1;
    try {
      const refused = await correct(inverse, { output: [1, 2, 3] });
      expect(refused.body).toMatchObject({ status: 403, type: 'urn:backsolve:problem:quota-exceeded' });
      expect(await read(inverse.url)).toMatchObject({ output: RIGHT });
      expect(await log(trialUrl)).toEqual([]);
    } finally {
      limits.storedRows = 0;
    }
  });
});
