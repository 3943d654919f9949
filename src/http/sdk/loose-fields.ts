/**
 * What existing clients send in another form than the native dialect takes, where the meaning is clear: true and false
 * for 1 and 0, null for a bound that does not apply, types in any case.
 */
import { z } from 'zod';
import { OBJECTIVE_TYPES, type ObjectiveType } from '../../domain/objective.ts';
import { InputType, parseInputType } from '../../domain/project.ts';
import { type LengthRange, matrixSchema, vectorSchema } from '../wire/vectors.ts';
import { describeWrongType } from '../wire/violations.ts';

/** Finite numbers; true and false count as 1 and 0. */
export function looseVector(length: LengthRange) {
  return z.preprocess(withoutBooleans, vectorSchema(length));
}

/** Finite numbers; null counts as 0, which is what clients send for "no bound". */
export function boundsVector(length: LengthRange) {
  return z.preprocess(
    (values) => (Array.isArray(values) ? values.map((value) => value ?? 0) : values),
    vectorSchema(length),
  );
}

/** Rows of finite numbers; true and false count as 1 and 0. */
export function looseMatrix(rows: LengthRange, columns: LengthRange) {
  return z.preprocess(
    (matrix) => (Array.isArray(matrix) ? matrix.map(withoutBooleans) : matrix),
    matrixSchema(rows, columns),
  );
}

function withoutBooleans(values: unknown): unknown {
  if (!Array.isArray(values)) return values;
  return values.map((value: unknown) => (typeof value === 'boolean' ? Number(value) : value));
}

export const inputTypeWord = wordSchema(
  (word) => parseInputType(word),
  `one of ${Object.values(InputType).join(', ')}`,
);

export const objectiveTypeWord = wordSchema(
  (word): ObjectiveType | undefined => OBJECTIVE_TYPES.find((type) => type === word.toLowerCase()),
  `one of ${OBJECTIVE_TYPES.join(', ')}`,
);

function wordSchema<T>(parse: (word: string) => T | undefined, wanted: string) {
  return z.unknown().transform((word, issues): T => {
    const parsed = typeof word === 'string' ? parse(word.trim()) : undefined;
    if (parsed !== undefined) return parsed;
    issues.addIssue({ code: 'custom', message: describeWrongType(wanted, word), input: word });
    return z.NEVER;
  });
}
