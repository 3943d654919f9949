/** Inputs and outputs by name, beside the vectors of answers. */
import { z } from 'zod';
import { type Labels, toInputByName, toOutputByName } from '../../../domain/problem/names.ts';
import { namedInputValue } from '../../wire/vectors.ts';

export const inputByNameSchema = z
  .record(z.string(), namedInputValue)
  .nullable()
  .optional()
  .describe(
    'The input by the names of the inputs, with categories by their names and booleans as true or false. null without input or names of inputs; absent where the project has no names.',
  );

export const outputByNameSchema = z
  .record(z.string(), z.number())
  .nullable()
  .optional()
  .describe(
    'The output by the names of the outputs. null without output or names of outputs; absent where the project has no names.',
  );

type Vector = readonly number[] | null;

/** Nothing where the project has no names. */
export function presentInputByName(labels: Labels | null, input: Vector) {
  return labels === null ? {} : { inputByName: toInputByName(labels, input) };
}

/** Nothing where the project has no names. */
export function presentOutputByName(labels: Labels | null, output: Vector) {
  return labels === null ? {} : { outputByName: toOutputByName(labels, output) };
}
