/** What a client may ask of the search beyond the targets: the fields of a new objective, and the same in answers. */
import { z } from 'zod';
import { MAXIMUM_INPUT_COUNT } from '../../domain/project.ts';
import {
  DEFAULT_ROBUST_RUNS,
  LARGEST_ROBUST_AIM,
  LARGEST_ROBUST_RUNS,
  LEAST_ROBUST_AIM,
} from '../../domain/robust-options.ts';
import { LARGEST_WEIGHT, LAST_PRIORITY, LEAST_WEIGHT, type SearchOptions } from '../../domain/search-options.ts';
import { MAXIMUM_OUTPUT_COUNT } from '../wire/limits.ts';
import { nullableVectorSchema } from '../wire/vectors.ts';

/** One entry per output, by name as well. */
const perOutput = () =>
  nullableVectorSchema({ minimum: 1, maximum: MAXIMUM_OUTPUT_COUNT }, z.number().nullable())
    .nullish()
    .transform((values) => values ?? null);

const TOLERANCE_KINDS = ['normal', 'uniform'] as const;
const TOLERANCE_UNITS = ['units', 'percent'] as const;

const sentTolerances = z.strictObject({
  kind: z.enum(TOLERANCE_KINDS).describe('normal: values are standard deviations. uniform: they are half widths.'),
  in: z.enum(TOLERANCE_UNITS).nullish().describe('In units of each input, unless given, or in percent of its value.'),
  values: z
    .union([
      z.array(z.number().nullable()).min(1).max(MAXIMUM_INPUT_COUNT),
      z.record(z.string(), z.number().nullable()),
    ])
    .describe('One per input, or by the names of the inputs; null, 0 or left out for an input that is made exactly.'),
});

/** In answers. */
export const toleranceSchema = z.object({
  kind: z.enum(TOLERANCE_KINDS),
  in: z.enum(TOLERANCE_UNITS),
  values: z.array(z.number()),
});

/** In requests: of robustness. */
const sentRobustFields = {
  inputTolerances: sentTolerances
    .nullish()
    .transform((value) => value ?? null)
    .describe('By how much the inputs differ when they are made: robustness is judged by it.'),
  aimAtRobustness: z
    .union([z.boolean(), z.number()])
    .nullish()
    .transform((value) => value ?? null)
    .describe(
      `After the first run that satisfies everything, search for the input that most surely does when it is made: until the low end of its probability reaches this number, from ${LEAST_ROBUST_AIM} to ${LARGEST_ROBUST_AIM}, or with true until robustRuns are used.`,
    ),
  robustRuns: z
    .int()
    .nullish()
    .transform((value) => value ?? null)
    .describe(
      `At most so many runs for that, from 1 to ${LARGEST_ROBUST_RUNS}; ${DEFAULT_ROBUST_RUNS} unless given. They count as attempts.`,
    ),
};

/** In requests. */
export const sentOptionFields = {
  ...sentRobustFields,
  weights: perOutput().describe(
    `How much each output counts in the search, from ${LEAST_WEIGHT} to ${LARGEST_WEIGHT}; 1 unless given. Verdicts do not depend on it.`,
  ),
  priorities: perOutput().describe(
    `From 1 to ${LAST_PRIORITY}, 1 unless given: an output counts fully once one run has met all outputs of higher priority (a lower number), and next to nothing before. Not with exact. Verdicts do not depend on it.`,
  ),
};

/** In answers. */
export const optionFields = {
  inputTolerances: toleranceSchema.nullable().describe('null when all inputs are made exactly.'),
  aimAtRobustness: z.union([z.literal(true), z.number()]).nullable(),
  robustRuns: z.int().nullable(),
  weights: z.array(z.number()).nullable().describe('One per output; null when all are 1.'),
  priorities: z.array(z.number()).nullable().describe('One per output; null when all are equal.'),
};

export function presentOptions(options: SearchOptions | null) {
  const { weights, priorities, inputTolerances, aimAtRobustness, robustRuns } = options ?? {};
  return {
    inputTolerances: inputTolerances ? { ...inputTolerances, values: [...inputTolerances.values] } : null,
    aimAtRobustness: aimAtRobustness ?? null,
    robustRuns: robustRuns ?? null,
    weights: weights ? [...weights] : null,
    priorities: priorities ? [...priorities] : null,
  };
}
