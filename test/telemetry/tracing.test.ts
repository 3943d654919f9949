/** Traces from a request through the worker to the statements, sent to a receiver. Ingress and worker are separate services. */
import { describe, expect, it } from 'vitest';
import { findFreePort } from '../../harness/free-port.ts';
import { startService } from '../../src/composing/compose.ts';
import { makeLog } from '../../src/log.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { startOtlpTracing } from '../../src/telemetry/otlp-tracing.ts';
import { prepareTrial } from '../support/native-client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { openSharedEngine } from '../support/shared-engine.ts';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from './otlp-receiver.ts';

const CALLER = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const box = {
  minimums: [0, 0],
  maximums: [10, 10],
  inputTypes: ['float', 'float'],
  outputCount: 1,
  run: (x: readonly number[]) => [x[0]! + x[1]!],
};

function settingsFor(receiver: Pick<OtlpReceiver, 'endpoint'>) {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
    OTEL_TRACES_SAMPLER: 'parentbased_always_on',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20for-the-collector',
  };
}

async function startBoth(receiver: Pick<OtlpReceiver, 'endpoint'>) {
  const settings = settingsFor(receiver);
  const ingress = await startTestService({ worker: false, settings });
  const config = loadConfig({ ...settings, POLL_INTERVAL_MS: '200', ENGINE_THREADS: '1' });
  const log = makeLog({ level: 'silent' });
  const worker = await startService(config, ingress.databaseUrl, log, {
    ingress: false,
    worker: true,
    engine: openSharedEngine(),
  });
  const close = async () => {
    await worker.close();
    await ingress.close();
  };
  return { ingress, close };
}

/** Loads an unsatisfied objective, requests one suggestion, and returns the answer. */
async function suggestOnce(service: TestService, headers: object) {
  const { trialPath } = await prepareTrial(service, box);
  const objective = await service.ok<{ id: number }>('POST', `${trialPath}/objectives`, {
    objectives: [11],
    objectiveTypes: ['exact'],
    initialInput: [1, 1],
    initialOutput: [2],
    desiredL1Norm: 0,
  });
  return service.call<{ id: number }>('POST', `${trialPath}/objectives/${objective.id}/inverses`, undefined, headers);
}

function only(spans: readonly ReceivedSpan[], isMeant: (span: ReceivedSpan) => boolean): ReceivedSpan {
  const found = spans.filter(isMeant);
  expect(found.map((span) => span.name)).toHaveLength(1);
  return found[0]!;
}

describe('a suggestion', () => {
  it('A suggestion is one trace, from the caller through ingress and worker to the statements', async () => {
    const receiver = await startOtlpReceiver();
    const { ingress, close } = await startBoth(receiver);
    const key = ingress.key;
    const traceparent = `00-${CALLER.traceId}-${CALLER.spanId}-01`;
    const answer = await suggestOnce(ingress, { traceparent });
    await close();
    await receiver.close();

    expect(answer.status).toBe(201);
    const trace = receiver.spans.filter((span) => span.traceId === CALLER.traceId);
    const request = only(trace, (span) => span.kind === 2);
    expect(request).toMatchObject({ service: 'backsolve-serve', parentSpanId: CALLER.spanId, hasFailed: false });
    expect(request.name).toMatch(/^POST \/v1\/models\/:model_id\/.*\/inverses$/);
    expect(request.attributes['http.response.status_code']).toBe(201);
    expect(request.attributes['backsolve.request_id']).toBe(answer.headers.get('x-request-id'));

    const job = only(trace, (span) => span.name === 'compute suggestion');
    expect(job).toMatchObject({ service: 'backsolve-work', parentSpanId: request.spanId, kind: 5 });
    expect(Number(job.attributes['backsolve.inverse_id'])).toBe(answer.body.id);
    expect(job.attributes['backsolve.outcome']).toBe('suggested');
    expect(only(trace, (span) => span.name === 'wait for a worker').parentSpanId).toBe(request.spanId);
    const engine = only(trace, (span) => span.name === 'engine suggest');
    expect(engine.parentSpanId).toBe(job.spanId);
    expect(engine.durationMs).toBeLessThanOrEqual(job.durationMs);

    const statementsOf = (parent: ReceivedSpan) =>
      trace
        .filter((span) => span.parentSpanId === parent.spanId && span.name.startsWith('sql '))
        .map((span) => String(span.attributes['db.query.text']));
    expect(statementsOf(request)).toContainEqual(expect.stringMatching(/^\s*with "search" as/));
    expect(statementsOf(job)).toContainEqual(expect.stringMatching(/^\s*select "o"/));
    expect(statementsOf(job)).toContainEqual(expect.stringMatching(/^\s*with "locked" as/));

    expect(receiver.headers[0]!.authorization).toBe('Bearer for-the-collector');
    expect(receiver.text()).not.toContain(key.slice(4, 40));
    expect(receiver.text()).not.toContain(key.split('_')[2]);
  });

  it('A suggestion starts a new trace without a valid traceparent, and probes and polls start none', async () => {
    const receiver = await startOtlpReceiver();
    const { ingress, close } = await startBoth(receiver);
    await suggestOnce(ingress, { traceparent: '00-zz-zz-01' });
    await fetch(`${ingress.service.url}/readyz`);
    await close();
    await receiver.close();

    const roots = receiver.spans.filter((span) => span.parentSpanId === '');
    expect(new Set(roots.map((span) => span.kind))).toEqual(new Set([2]));
    expect(roots.map((span) => span.name).filter((name) => !/^(POST|GET) \/v1\//.test(name))).toEqual([]);
    const job = only(receiver.spans, (span) => span.name === 'compute suggestion');
    const parent = only(receiver.spans, (span) => span.spanId === job.parentSpanId);
    expect(parent).toMatchObject({ kind: 2, traceId: job.traceId });
  });

  it('A suggestion is not traced when the caller decided against sampling', async () => {
    const receiver = await startOtlpReceiver();
    const { ingress, close } = await startBoth(receiver);
    await suggestOnce(ingress, { traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-00` });
    await close();
    await receiver.close();
    expect(receiver.spans.filter((span) => span.traceId === CALLER.traceId)).toEqual([]);
  });

  it('A suggestion is answered while the receiver of traces is unreachable', async () => {
    const { ingress, close } = await startBoth({ endpoint: `http://127.0.0.1:${await findFreePort()}` });
    expect((await suggestOnce(ingress, {})).status).toBe(201);
    await close();
  });
});

describe('spans', () => {
  it('record and rethrow a failure, and a failed export is reported', async () => {
    const receiver = await startOtlpReceiver();
    const errors: Error[] = [];
    const settings = {
      headers: {},
      sampler: 'always_on',
      sampleRatio: 1,
      resource: { 'service.name': 'test' },
    } as const;
    const tracing = startOtlpTracing({
      ...settings,
      endpoint: `${receiver.endpoint}/`,
      onError: (e) => errors.push(e),
    });
    const failure = new RangeError('no such thing');
    await expect(tracing.inSpan({ name: 'fails', kind: 'internal' }, () => Promise.reject(failure))).rejects.toBe(
      failure,
    );
    await tracing.close();
    await receiver.close();
    expect(only(receiver.spans, (span) => span.name === 'fails')).toMatchObject({
      hasFailed: true,
      attributes: { 'error.type': 'RangeError' },
    });
    expect(errors).toEqual([]);

    const away = startOtlpTracing({ ...settings, endpoint: receiver.endpoint, onError: (e) => errors.push(e) });
    away.begin({ name: 'unheard', kind: 'internal' }).end();
    await away.close();
    expect(errors.length).toBeGreaterThan(0);
  });

  const parent = (flags: string) => `00-${CALLER.traceId}-${CALLER.spanId}-${flags}`;

  it.each([
    ['always_on', 0, 3],
    ['always_off', 1, 0],
    ['traceidratio', 1, 3],
    ['traceidratio', 0, 0],
    ['parentbased_always_on', 0, 2],
    ['parentbased_always_off', 1, 1],
    ['parentbased_traceidratio', 1, 2],
    ['parentbased_traceidratio', 0, 1],
  ] as const)('of a root, a wanted and an unwanted trace with %s and a ratio of %d are %d', async (...given) => {
    const [sampler, sampleRatio, count] = given;
    const receiver = await startOtlpReceiver();
    const settings = { endpoint: receiver.endpoint, headers: {}, resource: {}, onError: () => undefined };
    const tracing = startOtlpTracing({ ...settings, sampler, sampleRatio });
    for (const each of [null, parent('01'), parent('00')]) {
      tracing.begin({ name: 'span', kind: 'internal', parent: each }).end();
    }
    await tracing.close();
    await receiver.close();
    expect(receiver.spans).toHaveLength(count);
  });

  it('Spans are not created in an unsampled trace, whose traceparent is passed on', async () => {
    const receiver = await startOtlpReceiver();
    const settings = { endpoint: receiver.endpoint, headers: {}, resource: {}, onError: () => undefined };
    const tracing = startOtlpTracing({ ...settings, sampler: 'parentbased_always_on', sampleRatio: 1 });
    const start = { name: 'left out', kind: 'internal', parent: parent('00') } as const;
    const [outer, inner] = await tracing.inSpan(start, async (span) => {
      const within = await tracing.inSpan({ name: 'statement', kind: 'client' }, async (child) => child.traceParent);
      return [span.traceParent, within];
    });
    expect(outer).toMatch(new RegExp(`^00-${CALLER.traceId}-[0-9a-f]{16}-00$`));
    expect(inner).toBe(outer);
    await tracing.close();
    await receiver.close();
    expect(receiver.spans).toEqual([]);
  });
});
