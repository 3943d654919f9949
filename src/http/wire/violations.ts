/**
 * From zod's issues to the violations that clients read. Every message completes the sentence that the property name
 * begins and says what to send instead.
 */
import type { z } from 'zod';
import { LISTED_VIOLATIONS, makeViolation, type Violation } from '../../domain/errors.ts';

export type Parsed<T> =
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'violations'; readonly violations: readonly Violation[] };

/** Parses and reports every violation of the shape at once. */
export function parseShape<T>(schema: z.ZodType<T>, value: unknown): Parsed<T> {
  const result = schema.safeParse(value, { error: describeIssue });
  if (result.success) return { kind: 'value', value: result.data };
  return { kind: 'violations', violations: result.error.issues.flatMap(toViolations) };
}

/** Parses each field by itself, so that what is right can be judged further beside what is wrong. Unknown fields are ignored. */
export function parseFields<Shape extends Readonly<Record<string, z.ZodType>>>(
  schema: z.ZodObject<Shape>,
  body: Readonly<Record<string, unknown>>,
): {
  readonly fields: { readonly [Name in keyof Shape]?: z.output<Shape[Name]> };
  readonly violations: readonly Violation[];
} {
  const fields: { [Name in keyof Shape]?: z.output<Shape[Name]> } = {};
  const violations: Violation[] = [];
  for (const name of Object.keys(schema.shape) as (keyof Shape & string)[]) {
    const result = schema.shape[name]!.safeParse(body[name], { error: describeIssue });
    if (result.success) fields[name] = result.data as z.output<Shape[typeof name]>;
    else {
      violations.push(
        ...result.error.issues.flatMap((issue) => toViolations({ ...issue, path: [name, ...issue.path] })),
      );
    }
  }
  return { fields, violations };
}

function toViolations(issue: z.core.$ZodIssue): Violation[] {
  const path = issue.path.map((segment) => (typeof segment === 'number' ? segment : String(segment)));
  if (issue.code !== 'unrecognized_keys') return [makeViolation(path, issue.message)];
  return issue.keys
    .slice(0, LISTED_VIOLATIONS)
    .map((key) => makeViolation([...path, key], 'is not known here or cannot be changed; leave it out.'));
}

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];

function describeIssue(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return describeWrongType(expectedKind(issue.expected), issue.input);
    case 'invalid_value':
      return describeWrongType(`one of ${issue.values.map(String).join(', ')}`, issue.input);
    case 'too_small': {
      const relation = issue.inclusive ? 'at least' : 'greater than';
      return issue.origin === 'number' || issue.origin === 'int'
        ? `must be ${relation} ${issue.minimum}, is ${issue.input}.`
        : undefined;
    }
    case 'too_big': {
      const relation = issue.inclusive ? 'at most' : 'less than';
      return issue.origin === 'number' || issue.origin === 'int'
        ? `must be ${relation} ${issue.maximum}, is ${issue.input}.`
        : undefined;
    }
    default:
      return undefined;
  }
}

function expectedKind(expected: string): string {
  switch (expected) {
    case 'number':
    case 'nan':
      return 'a finite number';
    case 'int':
      return 'a whole number';
    case 'string':
      return 'a string';
    case 'boolean':
      return 'true or false';
    case 'array':
      return 'an array';
    case 'object':
    case 'record':
      return 'a JSON object';
    default:
      return expected;
  }
}

/** `is required: send ...` when nothing was sent, else `must be ..., is ...`. */
export function describeWrongType(wanted: string, value: unknown): string {
  return value === undefined ? `is required: send ${wanted}.` : `must be ${wanted}, is ${describeValue(value)}.`;
}

const SHOWN_TEXT_LENGTH = 40;

/** What was sent, in a few words: values of clients are never repeated at length. */
function describeValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? String(value) : 'beyond the range of a double precision number';
    case 'string':
      return value.length <= SHOWN_TEXT_LENGTH ? `the string ${JSON.stringify(value)}` : 'a long string';
    case 'object':
      return 'an object';
    default:
      return String(value);
  }
}
