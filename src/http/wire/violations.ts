/**
 * Makes violations for clients of zod's issues. Every message completes the sentence that the name of the property begins,
 * and says what to send.
 */
import { z } from 'zod';
import {
  describeWrongType,
  LISTED_VIOLATIONS,
  makeViolation,
  type Violation,
  type ViolationPath,
} from '../../domain/errors.ts';
import { refTerm } from '../../domain/messages.ts';
import { ALL_OBJECTIVE_TYPES } from '../../domain/search/objective.ts';
import { describeUnknownField } from './unknown-field.ts';

export type Parsed<T> =
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'violations'; readonly violations: readonly Violation[] };

/**
 * Reads each field on its own, so that the valid ones can be checked further while others are invalid. A strict object
 * refuses unknown fields; others ignore them.
 *
 * @param elsewhere  fields that the caller reads in another way
 */
export function readFields<Shape extends Readonly<Record<string, z.ZodType>>>(
  schema: z.ZodObject<Shape>,
  body: Readonly<Record<string, unknown>>,
  elsewhere: readonly string[] = [],
): {
  readonly fields: { readonly [Name in keyof Shape]?: z.output<Shape[Name]> };
  readonly violations: readonly Violation[];
} {
  const fields: { [Name in keyof Shape]?: z.output<Shape[Name]> } = {};
  const violations: Violation[] = [];
  const known = Object.keys(schema.shape);
  for (const name of known as (keyof Shape & string)[]) {
    if (elsewhere.includes(name)) continue;
    const result = schema.shape[name]!.safeParse(body[name], { error: describeIssue });
    if (!result.success) violations.push(...result.error.issues.flatMap((issue) => toViolations(issue, [name])));
    else if (result.data !== undefined) fields[name] = result.data as z.output<Shape[typeof name]>;
  }
  if (schema.def.catchall instanceof z.ZodNever) {
    const unknown = Object.keys(body).filter((name) => !known.includes(name));
    violations.push(...unknownFields([], unknown, known));
  }
  return { fields, violations };
}

/** Adds violations of rules between fields, except at properties that are already named. */
export function withoutRepeats(named: readonly Violation[], others: readonly Violation[]): readonly Violation[] {
  const pointers = new Set(named.map((violation) => violation.pointer));
  return [...named, ...others.filter((violation) => !pointers.has(violation.pointer))];
}

/**
 * Leaves out violations of the lengths of lists that are as long as a count that is refused itself.
 *
 * @param count  as it was sent
 * @param at     its property
 */
export function withoutLengths(
  violations: readonly Violation[],
  body: Readonly<Record<string, unknown>>,
  { at, count, lists }: { readonly at: string; readonly count: unknown; readonly lists: readonly string[] },
): readonly Violation[] {
  if (!violations.some(({ pointer }) => pointer === `/${at}`)) return violations;
  const repeated = new Set(
    lists
      .filter((name) => {
        const list = name.split('.').reduce<unknown>((value, key) => (value as SentObject | undefined)?.[key], body);
        return Array.isArray(list) && list.length === count;
      })
      .map((name) => `/${name.replaceAll('.', '/')}`),
  );
  return violations.filter(({ pointer }) => !repeated.has(pointer));
}

type SentObject = Readonly<Record<string, unknown>>;

function toViolations(issue: z.core.$ZodIssue, within: ViolationPath): readonly Violation[] {
  const path = [...within, ...issue.path.map((segment) => (typeof segment === 'number' ? segment : String(segment)))];
  // describeIssue put the known names into the message.
  if (issue.code === 'unrecognized_keys') return unknownFields(path, issue.keys, issue.message.split(' '));
  const meant = issue.code === 'invalid_union' ? meantAlternative(issue.errors) : undefined;
  return meant?.flatMap((inner) => toViolations(inner, path)) ?? [makeViolation(path, issue.message)];
}

/** The faults of the only alternative that the value is one of, apart from what is wrong within it. */
function meantAlternative(alternatives: readonly (readonly z.core.$ZodIssue[])[]) {
  const meant = alternatives.filter((issues) => issues.every(({ path }) => path.length > 0));
  return meant.length === 1 ? meant[0] : undefined;
}

function unknownFields(
  path: ViolationPath,
  unknown: readonly string[],
  known: readonly string[],
): readonly Violation[] {
  return unknown
    .slice(0, LISTED_VIOLATIONS)
    .map((name) => makeViolation([...path, name], describeUnknownField(name, known, path)));
}

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];

function describeIssue(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return describeWrongType(expectedKind(issue.expected), issue.input);
    case 'invalid_value':
      return describeWrongType(
        issue.values.length === 1 ? sayValue(issue.values[0]) : `one of ${issue.values.map(sayValue).join(', ')}`,
        issue.input,
      );
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
    case 'unrecognized_keys':
      // One message for all unknown names: it carries the known ones to toViolations.
      return Object.keys((issue.inst as z.ZodObject).shape).join(' ');
    default:
      return undefined;
  }
}

/** Goals have names of their own in every front door. */
function sayValue(value: unknown): string {
  const text = String(value);
  return (ALL_OBJECTIVE_TYPES as readonly string[]).includes(text) ? refTerm(text) : text;
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
