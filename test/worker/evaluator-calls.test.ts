/** Every way in which an http evaluator may answer, or not. */
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findFreePort } from '../../harness/free-port.ts';
import {
  type PushDeps,
  type PushedEvaluation,
  pushEvaluation,
} from '../../src/application/evaluations/push-evaluation.ts';
import type { CallEvaluator } from '../../src/outside/webhooks/call-evaluator.ts';
import { openReceiver, type Received, type Receiver } from '../outside/webhooks/receiver.ts';
import { hasEnded, type ShownBatch, untilBatch } from '../support/evaluator.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { readValue, scrape } from '../telemetry/scrape.ts';

let t: TestService;
let metricsPort: number;

beforeAll(async () => {
  metricsPort = await findFreePort();
  const settings = { ALLOW_PRIVATE_EVALUATORS: '127.0.0.1', METRICS_PORT: String(metricsPort) };
  t = await startTestService({ settings });
});

afterAll(() => t?.close());

const inputs = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const GOAL = { objectives: [5], objectiveTypes: ['value'], minimumBounds: [-100], maximumBounds: [100] };

/** A batch whose cases are the numbers 1 to `count`. */
async function createBatch(url: string, count: number, change: object = {}, on: Pick<TestService, 'ok'> = t) {
  const model = await on.ok<{ id: number }>('POST', '/models', { name: `model ${crypto.randomUUID()}` });
  const project = await on.ok<{ id: number }>('POST', `/models/${model.id}/projects`, {
    name: 'line',
    inputCount: 1,
    minimums: [0],
    maximums: [10],
    inputTypes: ['float'],
    inputCases: inputs.slice(0, count).map((x) => [x]),
    outputNames: ['mass'],
  });
  return on.ok<ShownBatch>('POST', `/models/${model.id}/projects/${project.id}/batches`, {
    objectives: [GOAL],
    evaluator: { kind: 'http', url, timeoutSeconds: 3 },
    ...change,
  });
}

interface Called {
  readonly id: number;
  readonly leaseToken: string;
  readonly try: number;
  readonly input: readonly [number];
}

function readCall({ body }: Received): Called {
  return JSON.parse(body);
}

it('Outputs, failures, refusals, garbage, silence and later reports each have the documented effect', async () => {
  const receiver: Receiver = await openReceiver((response, received) => {
    const { id, leaseToken, input, try: tried } = readCall(received);
    const [x] = input;
    const answer = (status: number, body: unknown, headers = {}) =>
      response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
    const isFirst = receiver.received.filter((one) => readCall(one).input[0] === x).length === 1;
    if (x === 1) answer(200, { output: [1] });
    else if (x === 2) answer(200, { output: { mass: 2 } });
    else if (x === 3) answer(200, { failed: true, reason: 'did not converge' });
    else if (x === 4) answer(422, { detail: 'the mesh is bad' });
    else if (x === 5) answer(302, '', { location: receiver.url });
    else if (x === 6) answer(200, 'no JSON');
    else if (x === 7 && isFirst) answer(503, '', { 'retry-after': '0' });
    else if (x === 7) answer(200, { output: [7 + tried] });
    else if (x === 8) {
      answer(202, '');
      void t.ok('PUT', `/evaluations/${id}/output`, { leaseToken, output: [8] });
    }
  });
  try {
    const made = await createBatch(receiver.url, 9, { maximumTries: 2 });
    const batch = await untilBatch(t, made.id, hasEnded);
    expect(batch).toMatchObject({
      status: 'completed',
      progress: { cases: { planned: 9, done: 4, failed: 5 }, objectives: { satisfied: 1 } },
    });
    const evaluations = await t.ok<{ caseNumber: number; failureReason: string | null; state: string }[]>(
      'GET',
      `/evaluations?batch_id=${made.id}`,
    );
    expect(evaluations.map(({ caseNumber, state, failureReason }) => [caseNumber, state, failureReason])).toEqual([
      [1, 'done', null],
      [2, 'done', null],
      [3, 'failed', 'did not converge'],
      [4, 'failed', 'the evaluator answered 422: the mesh is bad'],
      [5, 'failed', 'the evaluator answered 302; redirects are not followed'],
      [6, 'failed', expect.stringContaining('the evaluator did not answer with {"output": [numbers]}')],
      [7, 'done', 'the evaluator answered 503'],
      [8, 'done', null],
      [9, 'failed', 'no answer within 3 s'],
    ]);
    const counts = inputs.map((x) => receiver.received.filter((one) => readCall(one).input[0] === x).length);
    expect(counts).toEqual([1, 1, 1, 1, 1, 2, 2, 1, 1]);
    const samples = await scrape(metricsPort);
    const reported = ['done', 'failed', 'retried', 'released'].map((outcome) =>
      readValue(samples, 'backsolve_evaluation_duration_seconds_count', { outcome }),
    );
    expect(reported).toEqual([4, 5, 1, 1]);
    const { headers, body } = receiver.received[0]!;
    const key = Buffer.from(made.secret!.slice('whsec_'.length), 'base64');
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  } finally {
    await receiver.close();
  }
});

it('An evaluator that cannot be reached uses up no try, and its batch goes on when it is back', async () => {
  const port = await findFreePort();
  const made = await createBatch(`http://127.0.0.1:${port}/run`, 2, { maximumTries: 1 });
  await expect
    .poll(() => t.ok<{ failureReason: string }[]>('GET', `/evaluations?batch_id=${made.id}`))
    .toMatchObject([{ failureReason: 'the evaluator cannot be reached: the connection failed: ECONNREFUSED' }, {}]);
  const receiver = await openReceiver((response, received) => {
    response.end(JSON.stringify({ output: readCall(received).input }));
  }, port);
  try {
    const batch = await untilBatch(t, made.id, hasEnded);
    expect(batch).toMatchObject({ status: 'completed', progress: { cases: { done: 2, failed: 0 } } });
  } finally {
    await receiver.close();
  }
});

it('Outputs under names that no text of the database can hold are a failure like any other, and quoted in part', async () => {
  const name = 'm\u0000\ud800'.repeat(10_000);
  const receiver = await openReceiver((response) => response.end(JSON.stringify({ output: { [name]: 1 } })));
  try {
    const made = await createBatch(receiver.url, 1, { maximumTries: 1 });
    const { status, failureReason } = await untilBatch(t, made.id, hasEnded, 20_000);
    expect(status).toBe('failed');
    expect(failureReason).toContain('the first: output.m');
    expect(failureReason!.length).toBeLessThan(1_000);
  } finally {
    await receiver.close();
  }
});

it('An account whose evaluator never answers leaves calls to the others', async () => {
  const settings = { ALLOW_PRIVATE_EVALUATORS: '127.0.0.1', EVALUATOR_CONCURRENCY: '2', SHUTDOWN_GRACE_MS: '0' };
  const few = await startTestService({ settings });
  const silent = await openReceiver(() => undefined);
  const quick = await openReceiver((response, received) => {
    response.end(JSON.stringify({ output: readCall(received).input }));
  });
  try {
    await createBatch(silent.url, 3, { evaluator: { kind: 'http', url: silent.url } }, few);
    await expect.poll(() => silent.received.length).toBe(1);
    const other = await few.as('another account');
    const made = await createBatch(quick.url, 3, {}, other);
    const batch = await untilBatch(other, made.id, hasEnded);
    expect(batch).toMatchObject({ status: 'completed', progress: { cases: { done: 3, failed: 0 } } });
    expect(silent.received.length).toBe(1);
  } finally {
    await few.close();
    await silent.close();
    await quick.close();
  }
});

it('A call ends at the time limit of its batch or the longest call, whichever is shorter, and says which', async () => {
  const evaluation = {
    id: 1,
    evaluator: { kind: 'http', url: 'https://rig.example', secret: new Uint8Array(), timeoutSeconds: 7_200 },
  };
  const limits: number[] = [];
  const push = (longestCallMs: number) => {
    const call: CallEvaluator = async (_outgoing, timeoutMs) => {
      limits.push(timeoutMs);
      return { kind: 'out-of-time' };
    };
    const deps = { call, bodyOf: () => new Uint8Array(), longestCallMs };
    return pushEvaluation(
      deps as Partial<PushDeps> as PushDeps,
      evaluation as Partial<PushedEvaluation> as PushedEvaluation,
      new AbortController().signal,
    );
  };
  expect(await push(3_600_000)).toMatchObject({
    kind: 'failure',
    isRetryable: false,
    reason: 'no answer within 3600 s, the longest call; answer 202 to longer runs and report later',
  });
  expect(await push(86_400_000)).toMatchObject({ reason: 'no answer within 7200 s' });
  expect(limits).toEqual([3_600_000, 7_200_000]);
});
