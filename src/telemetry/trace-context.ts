/** The active span, which the platform carries through every await. Undefined without tracing; reading it is then almost free. */
import { AsyncLocalStorage } from 'node:async_hooks';

/** W3C Trace Context, version 00: what another process needs to continue the trace. */
export interface ActiveSpan {
  readonly traceParent: string;
  /** False: its trace is not sampled, and nothing within it needs a span. */
  readonly isRecorded: boolean;
}

const active = new AsyncLocalStorage<ActiveSpan>();

export function activeSpan(): ActiveSpan | undefined {
  return active.getStore();
}

/** The `traceparent` of the active span, or null. */
export function activeTraceParent(): string | null {
  return active.getStore()?.traceParent ?? null;
}

/** Runs `work`, and everything it starts, with `span` as the active span. */
export function withActiveSpan<T>(span: ActiveSpan, work: () => T): T {
  return active.run(span, work);
}
