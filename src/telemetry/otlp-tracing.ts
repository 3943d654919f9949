/**
 * Sends spans as OTLP, JSON over HTTP. Loaded only when an endpoint is set. Nothing is registered globally, so that several services
 * in one process stay separate. An unreachable receiver costs spans, never a request.
 */
import {
  type Context,
  SpanKind as Kind,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { activeSpan, activeTraceParent, withActiveSpan } from './trace-context.ts';
import type { SamplerName, Span, SpanAttributes, SpanKind, SpanStart, Tracing } from './tracing.ts';

export interface OtlpSettings {
  /** Base URL of the receiver; /v1/traces is appended. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  /** OpenTelemetry's name of the sampling rule. */
  readonly sampler: SamplerName;
  /** Share of traces to sample, from 0 to 1, for the rules that use it. */
  readonly sampleRatio: number;
  /** Identifies this process: service.name, service.instance.id and the like. */
  readonly resource: SpanAttributes;
  readonly onError: (error: Error) => void;
}

const KINDS: Readonly<Record<SpanKind, Kind>> = {
  server: Kind.SERVER,
  consumer: Kind.CONSUMER,
  client: Kind.CLIENT,
  internal: Kind.INTERNAL,
};
/** An unresponsive receiver delays a shutdown by no more than this. */
const CLOSE_LIMIT_MS = 3_000;
const EXPORT_LIMIT_MS = 5_000;
/** Short, so that few spans are lost when a process is killed. */
const BATCH_DELAY_MS = 1_000;
/** Prefix of the rules that follow the caller's decision. */
const PARENT_BASED = 'parentbased_';
const TRACE_PARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

export function startOtlpTracing(settings: OtlpSettings): Tracing {
  const exporter = new OTLPTraceExporter({
    url: `${settings.endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: { ...settings.headers },
    timeoutMillis: EXPORT_LIMIT_MS,
  });
  const processor = new BatchSpanProcessor({
    exporter: reportingErrors(exporter, settings.onError),
    scheduledDelayMillis: BATCH_DELAY_MS,
    exportTimeoutMillis: EXPORT_LIMIT_MS,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes(settings.resource),
    sampler: makeSampler(settings.sampler, settings.sampleRatio),
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer('backsolve');
  const followsParent = settings.sampler.startsWith(PARENT_BASED);

  const begin = ({ name, kind, parent, attributes = {}, startedAgoMs = 0 }: SpanStart): Span => {
    const active = activeSpan();
    if (parent === undefined && active?.isRecorded === false) return unrecorded(active.traceParent);
    if (followsParent && parent != null && isUnwanted(parent)) return unrecorded(parent);
    const startTime = startedAgoMs === 0 ? undefined : Date.now() - startedAgoMs;
    const options = { kind: KINDS[kind], attributes, ...(startTime !== undefined && { startTime }) };
    return toSpan(tracer.startSpan(name, options, contextOf(parent === undefined ? activeTraceParent() : parent)));
  };
  return {
    begin,
    inSpan: async (start, work) => {
      const span = begin(start);
      try {
        return await withActiveSpan(span, () => work(span));
      } catch (error) {
        span.fail(error);
        throw error;
      } finally {
        span.end();
      }
    },
    close: () => atMost(CLOSE_LIMIT_MS, provider.shutdown()).catch(settings.onError),
  };
}

/** A malformed parent starts a new trace, as W3C Trace Context demands. */
function contextOf(traceParent: string | null): Context {
  const match = TRACE_PARENT.exec(traceParent ?? '');
  if (match === null) return ROOT_CONTEXT;
  const [, traceId, spanId, flags] = match;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId: traceId!,
    spanId: spanId!,
    traceFlags: Number.parseInt(flags!, 16),
    isRemote: true,
  });
}

function makeSampler(name: SamplerName, ratio: number): Sampler {
  const followsParent = name.startsWith(PARENT_BASED);
  const rule = followsParent ? name.slice(PARENT_BASED.length) : name;
  const root = makeRootSampler(rule, ratio);
  return followsParent ? new ParentBasedSampler({ root }) : root;
}

function makeRootSampler(rule: string, ratio: number): Sampler {
  switch (rule) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    default:
      return new TraceIdRatioBasedSampler(ratio);
  }
}

function isUnwanted(traceParent: string): boolean {
  const flags = TRACE_PARENT.exec(traceParent)?.[3];
  return flags !== undefined && (Number.parseInt(flags, 16) & TraceFlags.SAMPLED) === 0;
}

const nothing = () => undefined;

/** In an unsampled trace no span is created; its `traceparent` passes the decision on. */
function unrecorded(traceParent: string): Span {
  const [, traceId] = traceParent.split('-') as [string, string];
  return { traceId, traceParent, isRecorded: false, set: nothing, fail: nothing, end: nothing };
}

function toSpan(span: OtelSpan): Span {
  const { traceId, spanId, traceFlags } = span.spanContext();
  let hasEnded = false;
  return {
    traceId,
    traceParent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    isRecorded: span.isRecording(),
    set: (attributes) => {
      span.setAttributes(attributes);
    },
    fail: (error) => {
      const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
      span.setAttribute('error.type', name);
      span.setStatus({ code: SpanStatusCode.ERROR, message });
    },
    end: () => {
      if (!hasEnded) span.end();
      hasEnded = true;
    },
  };
}

/** The processor does not report failed exports. */
function reportingErrors(exporter: SpanExporter, onError: (error: Error) => void): SpanExporter {
  return {
    export: (spans, done) => {
      exporter.export(spans, (result) => {
        if (result.error !== undefined) onError(result.error);
        done(result);
      });
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}

async function atMost(limitMs: number, work: Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`the traces were not sent within ${limitMs} ms`)), limitMs);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
