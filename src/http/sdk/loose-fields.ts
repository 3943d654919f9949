/**
 * Values that existing clients send in forms that the native dialect refuses, although the meaning is clear: true and false
 * for 1 and 0, null for a bound that does not apply, types in any case.
 */

import { z } from 'zod';
import { describeWrongType } from '../../domain/errors.ts';
import { InputType } from '../../domain/problem/input-space.ts';
import { parseInputType } from '../../domain/problem/project.ts';
import { OBJECTIVE_TYPES, type ObjectiveType } from '../../domain/search/objective.ts';
import { documentAs, type LengthRange, matrixSchema, vectorSchema } from '../wire/vectors.ts';

const looseNumber = z.union([z.number(), z.boolean()]).describe('true and false count as 1 and 0.');

/** Finite numbers; true and false count as 1 and 0. */
export function looseVector(length: LengthRange) {
  return z.preprocess(withoutBooleans, vectorSchema(length)).meta(documentAs(arrayOf(looseNumber, length)));
}

/** Finite numbers. null counts as 0: clients send either for "no bound". */
export function boundsVector(length: LengthRange) {
  return z
    .preprocess((values) => (Array.isArray(values) ? values.map((value) => value ?? 0) : values), vectorSchema(length))
    .meta(documentAs(arrayOf(z.number().nullable().describe('null counts as 0.'), length)));
}

/** Rows of finite numbers; true and false count as 1 and 0. */
export function looseMatrix(rows: LengthRange, columns: LengthRange) {
  return z
    .preprocess((matrix) => (Array.isArray(matrix) ? matrix.map(withoutBooleans) : matrix), matrixSchema(rows, columns))
    .meta(documentAs(arrayOf(arrayOf(looseNumber, columns), rows)));
}

function arrayOf<T extends z.ZodType>(element: T, length: LengthRange) {
  return z.array(element).min(length.minimum).max(length.maximum);
}

function withoutBooleans(values: unknown): unknown {
  if (!Array.isArray(values)) return values;
  return values.map((value: unknown) => (typeof value === 'boolean' ? Number(value) : value));
}

export const inputTypeWord = wordSchema(Object.values(InputType), (word) => parseInputType(word));

export const objectiveTypeWord = wordSchema(OBJECTIVE_TYPES, (word): ObjectiveType | undefined =>
  OBJECTIVE_TYPES.find((type) => type === word.toLowerCase()),
);

function wordSchema<T>(words: readonly string[], parse: (word: string) => T | undefined) {
  return z
    .unknown()
    .transform((word, issues): T => {
      const parsed = typeof word === 'string' ? parse(word.trim()) : undefined;
      if (parsed !== undefined) return parsed;
      issues.addIssue({ code: 'custom', message: describeWrongType(`one of ${words.join(', ')}`, word), input: word });
      return z.NEVER;
    })
    .meta({ type: 'string', enum: [...words], description: 'In any case.' });
}
