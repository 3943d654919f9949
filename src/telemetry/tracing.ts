/** The interface of tracing. otlp-tracing.ts implements it; without an exporter nothing is traced. */
import type { ActiveSpan } from './trace-context.ts';

/** As in OpenTelemetry's variable OTEL_TRACES_SAMPLER. With `parentbased_` the caller's sampling decision applies. */
export type SamplerName =
  | 'always_on'
  | 'always_off'
  | 'traceidratio'
  | 'parentbased_always_on'
  | 'parentbased_always_off'
  | 'parentbased_traceidratio';

export type SpanKind = 'server' | 'consumer' | 'client' | 'internal';

export interface SpanStart {
  readonly name: string;
  readonly kind: SpanKind;
  /** `traceparent` to continue, or null for a new trace; default: the active span. */
  readonly parent?: string | null;
  readonly attributes?: SpanAttributes;
  /** Milliseconds since it began. */
  readonly startedAgoMs?: number;
}

/** Never contains keys, bodies or statement values. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface Span extends ActiveSpan {
  /** In hexadecimal, for log lines. */
  readonly traceId: string;
  set(attributes: SpanAttributes): void;
  /** Marks the span as failed, with the error's name and message. */
  fail(error: unknown): void;
  /** Only the first end counts. */
  end(): void;
}

export interface Tracing {
  begin(start: SpanStart): Span;
  /** Runs `work` in a new span, which fails when `work` rejects. */
  inSpan<T>(start: SpanStart, work: (span: Span) => Promise<T>): Promise<T>;
  /** Sends the remaining spans, within a few seconds. */
  close(): Promise<void>;
}
