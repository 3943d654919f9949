/** Makes the value of a body, or all its violations, from its bytes. Runs in the event loop or in a thread. */
import { makeViolation, type Violation } from '../../domain/errors.ts';
import { describeWrongType } from '../wire/violations.ts';
import { parseJsonText, type TextLimits } from './json-text.ts';
import type { BodySpec, SentFields } from './spec.ts';

export interface BodyReading<B> {
  /** Undefined if there are violations. */
  readonly value: B | undefined;
  readonly violations: readonly Violation[];
  /** Set instead of violations if the bytes are not acceptable JSON. */
  readonly unreadable?: string;
}

/** An empty body counts as none. */
export function readBodyBytes<B>(spec: BodySpec<B>, bytes: Uint8Array, limits: TextLimits): BodyReading<B> {
  if (bytes.length === 0) return readBody(spec, undefined);
  const parsed = parseJsonText(bytes, limits);
  if (parsed.kind === 'unreadable') return { value: undefined, violations: [], unreadable: parsed.message };
  return readBody(spec, parsed.value);
}

/** Reads a parsed body. */
export function readBody<B>(spec: BodySpec<B>, sent: unknown): BodyReading<B> {
  const body = sent === undefined && spec.isOptional === true ? {} : sent;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return { value: undefined, violations: [makeViolation([], describeWrongType('a JSON object', body))] };
  }
  const read = spec.read(body as SentFields);
  return read.kind === 'value'
    ? { value: read.value, violations: [] }
    : { value: undefined, violations: read.violations };
}
