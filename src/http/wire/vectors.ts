/**
 * Arrays in requests. Lengths are checked before elements, and elements in one plain loop that stops after a hundred
 * violations: a request with millions of wrong elements must not cost more than its parsing did.
 *
 * For the OpenAPI document, each schema carries the JSON Schema of the equivalent plain zod schema.
 *
 * Where an object by name may stand for an array, the reader of the body takes the object out before the schema reads the
 * arrays; the schema only documents it.
 */

import { z } from 'zod';
import type { SentJacobian } from '../../domain/data/jacobian.ts';
import { describeWrongType, LISTED_VIOLATIONS } from '../../domain/errors.ts';
import { isByName } from '../../domain/problem/names.ts';
import { withoutNegativeZero } from '../../domain/vectors.ts';
import { toJsonSchema } from './json-schema.ts';

export interface LengthRange {
  readonly minimum: number;
  readonly maximum: number;
}

/** Schema of the values of an object by name, if one may stand for the array. */
export type NamedValues = z.ZodType | undefined;

/** A value by the name of an input: categories by their names or numbers. */
export const namedInputValue = z.union([z.number(), z.string(), z.boolean()]);

function orByName(array: z.ZodType, named: NamedValues): z.ZodType {
  return named === undefined ? array : z.union([array, z.record(z.string(), named)]);
}

interface Issues {
  addIssue(issue: { code: 'custom'; path?: (string | number)[]; message: string; input: unknown }): void;
}

/** Finite numbers; -0 becomes 0. */
export function vectorSchema(length: LengthRange, named?: NamedValues) {
  return z
    .unknown()
    .transform((value, issues): number[] => {
      if (!checkArray(value, length, 'numbers', issues)) return z.NEVER;
      return checkNumbers(value, value, issues) ? withoutNegativeZero(value as number[]) : z.NEVER;
    })
    .meta(documentAs(orByName(z.array(z.number()).min(length.minimum).max(length.maximum), named)));
}

/** Finite numbers or null; -0 becomes 0. */
export function nullableVectorSchema(length: LengthRange, named?: NamedValues) {
  return z
    .unknown()
    .transform((value, issues): (number | null)[] => {
      if (!checkArray(value, length, 'numbers', issues)) return z.NEVER;
      const numbers = value.map((entry) => entry ?? 0);
      if (!checkNumbers(value, numbers, issues)) return z.NEVER;
      return withoutNegativeZero(numbers as number[]).map((number, i) => (value[i] === null ? null : number));
    })
    .meta(documentAs(orByName(z.array(z.number().nullable()).min(length.minimum).max(length.maximum), named)));
}

function checkNumbers(sent: readonly unknown[], numbers: readonly unknown[], issues: Issues): boolean {
  const faults = findNonNumbers(numbers, LISTED_VIOLATIONS);
  for (const index of faults) addIssue(issues, sent[index], [index], numberFault(sent[index]));
  return faults.length === 0;
}

/** Rows of finite numbers, as they were sent; `Matrix.fromSent` makes 0 of -0. */
export function matrixSchema(rows: LengthRange, columns: LengthRange, named?: NamedValues) {
  return z
    .unknown()
    .transform((value, issues): number[][] => {
      if (!checkArray(value, rows, 'rows', issues)) return z.NEVER;
      let faultCount = 0;
      for (let i = 0; i < value.length && faultCount < LISTED_VIOLATIONS; i++) {
        const row: unknown = value[i];
        if (!checkArray(row, columns, 'numbers', issues, [i])) {
          faultCount++;
          continue;
        }
        for (const j of findNonNumbers(row, LISTED_VIOLATIONS - faultCount)) {
          addIssue(issues, row[j], [i, j], numberFault(row[j]));
          faultCount++;
        }
      }
      return faultCount > 0 ? z.NEVER : (value as number[][]);
    })
    .meta(
      documentAs(
        z
          .array(orByName(z.array(z.number()).min(columns.minimum).max(columns.maximum), named))
          .min(rows.minimum)
          .max(rows.maximum),
      ),
    );
}

/** An array of other elements, which messages call `what`. */
export function listSchema<T>(element: z.ZodType<T>, length: LengthRange, what: string, named?: NamedValues) {
  return z
    .unknown()
    .superRefine((value, issues) => {
      checkArray(value, length, what, issues);
    })
    .pipe(z.array(element))
    .meta(documentAs(orByName(z.array(element).min(length.minimum).max(length.maximum), named)));
}

const derivative = z.number().nullable();
const jacobianRow = z.union([z.array(derivative), z.record(z.string(), derivative), z.null()]);
const jacobian = z.union([z.array(jacobianRow), z.record(z.string(), jacobianRow)]);

/** The derivatives of a run: only that it is a list or an object is checked here; `readJacobian` of the domain reads it. */
export const jacobianSchema = z
  .unknown()
  .transform((value, issues): SentJacobian | null => {
    if (value === null || Array.isArray(value) || isByName(value)) return value;
    issues.addIssue({
      code: 'custom',
      message: describeWrongType('a list with one row per output, or an object by the names of the outputs', value),
      input: value,
    });
    return z.NEVER;
  })
  .meta(documentAs(jacobian.nullable()));

export const JACOBIAN_DESCRIPTION =
  'The derivatives of the outputs by the inputs, in the units of both: one row per output with one number per input, or by names, {"mass": {"width": 0.2}}. null, or left out by name, where one is not known; categories and booleans have none.';

/** Positions of up to `limit` elements that are not finite numbers. */
export function findNonNumbers(values: readonly unknown[], limit: number): readonly number[] {
  const positions: number[] = [];
  for (let i = 0; i < values.length && positions.length < limit; i++) {
    if (!Number.isFinite(values[i])) positions.push(i);
  }
  return positions;
}

export function numberFault(value: unknown): string {
  return describeWrongType('a finite number', value);
}

function checkArray(
  value: unknown,
  length: LengthRange,
  what: string,
  issues: Issues,
  path: (string | number)[] = [],
): value is unknown[] {
  const fault = arrayFault(value, length, what);
  if (fault === undefined) return true;
  addIssue(issues, value, path, fault);
  return false;
}

/** Fault of the array itself, apart from its elements. */
export function arrayFault(value: unknown, length: LengthRange, what: string): string | undefined {
  if (!Array.isArray(value)) return describeWrongType(`an array of ${what}`, value);
  if (value.length < length.minimum) return `must have at least ${length.minimum} ${what}, has ${value.length}.`;
  if (value.length > length.maximum) return `must have at most ${length.maximum} ${what}, has ${value.length}.`;
  return undefined;
}

function addIssue(issues: Issues, input: unknown, path: (string | number)[], message: string): void {
  issues.addIssue({ code: 'custom', path, message, input });
}

/** The JSON Schema of `schema` as metadata for a schema that checks the same in another way. */
export function documentAs(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _, '~standard': __, ...document } = toJsonSchema(schema);
  return document;
}
