/** From received bytes to the value of a body or everything that is wrong with it. Runs in the event loop or in a thread. */
import { makeViolation, type Violation } from '../../domain/errors.ts';
import { describeWrongType, parseShape } from '../wire/violations.ts';
import { parseJsonText, type TextLimits } from './json-text.ts';
import type { BodySpec, SentFields } from './spec.ts';

export interface BodyReading<B> {
  /** Undefined when there are violations. */
  readonly value: B | undefined;
  readonly violations: readonly Violation[];
  /** Set instead of violations when the bytes are no JSON that is taken. */
  readonly unreadable?: string;
}

/** An empty body is no body. */
export function readBodyBytes<B>(spec: BodySpec<B>, bytes: Uint8Array, limits: TextLimits): BodyReading<B> {
  if (bytes.length === 0) return readBody(spec, undefined);
  const parsed = parseJsonText(bytes, limits);
  if (parsed.kind === 'unreadable') return { value: undefined, violations: [], unreadable: parsed.message };
  return readBody(spec, parsed.value);
}

/** Of a parsed body. */
export function readBody<B>(spec: BodySpec<B>, sent: unknown): BodyReading<B> {
  const body = sent === undefined && spec.isOptional === true ? {} : sent;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return { value: undefined, violations: [makeViolation([], describeWrongType('a JSON object', body))] };
  }
  const fields = body as SentFields;
  if (spec.read !== undefined) {
    const read = spec.read(fields);
    return read.kind === 'value' ? { value: read.value, violations: [] } : { value: undefined, ...read };
  }
  const parsed = parseShape(spec.schema, fields);
  const alsoWrong = spec.alsoCheck?.(fields) ?? [];
  if (parsed.kind === 'value' && alsoWrong.length === 0) return { value: parsed.value, violations: [] };
  const shapeViolations = parsed.kind === 'violations' ? parsed.violations : [];
  const others = [...alsoWrong, ...(spec.checkWhenRefused?.(fields) ?? [])];
  return { value: undefined, violations: [...shapeViolations, ...withoutNamed(shapeViolations, others)] };
}

/** What is wrong in itself need not be named again for breaking a rule with other fields. */
function withoutNamed(named: readonly Violation[], others: readonly Violation[]): readonly Violation[] {
  const pointers = new Set(named.map((violation) => violation.pointer));
  return others.filter((violation) => !pointers.has(violation.pointer));
}
