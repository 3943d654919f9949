/** Makes the value of a body, or all its violations, from its bytes. Runs in the event loop or in a thread. */
import { describeWrongType, makeViolation, type Violation } from '../../domain/errors.ts';
import type { Parsed } from '../wire/violations.ts';
import { type ParsedText, parseJsonText, type TextLimits } from './json-text.ts';
import type { BodySpec, SentFields } from './spec.ts';

export interface BodyReading<B> {
  /** Undefined if there are violations. */
  readonly value: B | undefined;
  readonly violations: readonly Violation[];
  /** Set instead of violations if the bytes cannot be read as JSON or CSV. */
  readonly unreadable?: string;
}

export type BodyFormat = 'json' | 'csv' | 'xlsx';

/** An empty body counts as none. Only a spec with `csv` is read as a CSV file. */
export function readBodyBytes<B>(
  spec: BodySpec<B>,
  bytes: Uint8Array,
  limits: TextLimits,
  format: BodyFormat = 'json',
): BodyReading<B> {
  if (format === 'csv') {
    return fromTable(spec.csv!.read(bytes, tableLimits(limits)));
  }
  if (bytes.length === 0) return readBody(spec, undefined);
  const members = spec.hasNamedRows === true ? limits.values : limits.members;
  const parsed = parseJsonText(bytes, { ...limits, members });
  return parsed.kind === 'unreadable' ? toUnreadable(parsed.message) : readBody(spec, parsed.value);
}

/** The same of a workbook. */
export async function readWorkbookBytes<B>(
  spec: BodySpec<B>,
  bytes: Uint8Array,
  limits: TextLimits,
): Promise<BodyReading<B>> {
  return fromTable(await spec.csv!.readWorkbook(bytes, tableLimits(limits)));
}

/** Besides the cases, a file may have a verdict per output and other columns about its rows. */
const tableLimits = ({ values }: TextLimits) => ({ values: 2 * values });

function fromTable<B>(parsed: ParsedText<Parsed<B>>): BodyReading<B> {
  return parsed.kind === 'unreadable' ? toUnreadable(parsed.message) : toReading(parsed.value);
}

function toUnreadable(message: string): BodyReading<never> {
  return { value: undefined, violations: [], unreadable: message };
}

/** Reads a parsed body. */
export function readBody<B>(spec: BodySpec<B>, sent: unknown): BodyReading<B> {
  const body = sent === undefined && spec.isOptional === true ? {} : sent;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return { value: undefined, violations: [makeViolation([], describeWrongType('a JSON object', body))] };
  }
  return toReading(spec.read(body as SentFields));
}

function toReading<B>(read: Parsed<B>): BodyReading<B> {
  return read.kind === 'value'
    ? { value: read.value, violations: [] }
    : { value: undefined, violations: read.violations };
}
