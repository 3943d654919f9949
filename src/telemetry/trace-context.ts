/**
 * The span that the code running now belongs to, carried along by the platform through every await. Empty as long as no
 * tracing is set up; reading it then costs next to nothing.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** W3C Trace Context, version 00: all that another process needs to go on with the trace. */
export interface ActiveSpan {
  readonly traceParent: string;
  /** False: its trace is not kept, and nothing within it need be looked at. */
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

/** Runs `work` and everything it begins with `span` as the active one. */
export function withActiveSpan<T>(span: ActiveSpan, work: () => T): T {
  return active.run(span, work);
}
