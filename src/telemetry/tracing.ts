/** What the roles know of tracing. One implementation exists, otlp-tracing.ts; without an exporter there is none at all. */
import type { ActiveSpan } from './trace-context.ts';

/** As in the variable OTEL_TRACES_SAMPLER of OpenTelemetry. With `parentbased_` a caller's decision is followed. */
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
  /** `traceparent` to go on from, null for a trace of its own; the active span unless given. */
  readonly parent?: string | null;
  readonly attributes?: SpanAttributes;
  /** Milliseconds in the past at which it began. */
  readonly startedAgoMs?: number;
}

/** Never keys, bodies or statement values. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface Span extends ActiveSpan {
  /** Hexadecimal, for log lines. */
  readonly traceId: string;
  set(attributes: SpanAttributes): void;
  /** Marks it as failed; the reason is the error's name and message. */
  fail(error: unknown): void;
  /** Only the first end counts. */
  end(): void;
}

export interface Tracing {
  begin(start: SpanStart): Span;
  /** Runs `work` in a span of its own, failed when `work` rejects. */
  inSpan<T>(start: SpanStart, work: (span: Span) => Promise<T>): Promise<T>;
  /** Sends what is left, within a few seconds. */
  close(): Promise<void>;
}
