import type { ComponentChildren } from 'preact';
import { Fault } from '../../../parts/fault.tsx';
import type { Live } from '../../../shell/live.ts';

interface WaitsProps<T> {
  readonly live: Live<T>;
  readonly children: (value: T) => ComponentChildren;
}

/** Shows the value once there is an answer. */
export function Waits<T>({ live, children }: WaitsProps<T>) {
  const value = live.value.value;
  if (value !== undefined) return <>{children(value)}</>;
  const error = live.failure.value;
  return error === undefined ? <p role="status">Loading…</p> : <Fault error={error} />;
}
