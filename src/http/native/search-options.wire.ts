/** What a client may ask of the search beyond the targets: the fields of a new objective, and the same in answers. */
import { z } from 'zod';
import { LARGEST_WEIGHT, LAST_PRIORITY, LEAST_WEIGHT, type SearchOptions } from '../../domain/search-options.ts';
import { DEFAULT_IMPROVEMENT_BELOW, LARGEST_PATIENCE } from '../../domain/stop-options.ts';
import { instant, timestamp } from '../wire/fields.ts';
import { MAXIMUM_OUTPUT_COUNT } from '../wire/limits.ts';
import { nullableVectorSchema } from '../wire/vectors.ts';

/** One entry per output, by name as well. */
const perOutput = () =>
  nullableVectorSchema({ minimum: 1, maximum: MAXIMUM_OUTPUT_COUNT }, z.number().nullable())
    .nullish()
    .transform((values) => values ?? null);

const WRONG_STOP = `must be false, or an object with patience (1 to ${LARGEST_PATIENCE}), improvementBelow (above 0, at most 1), until (a date and time) and maximumRuns (at least 1), all of them optional.`;

const sentStop = z.strictObject({
  patience: z
    .int()
    .min(1)
    .max(LARGEST_PATIENCE)
    .nullish()
    .describe(
      'Suggested inputs in a row without an improvement after which it ends. Left out with minimize or maximize: it ends once these can improve no further as far as is known.',
    ),
  improvementBelow: z
    .number()
    .gt(0)
    .max(1)
    .nullish()
    .describe(
      `The largest improvement that counts as none, ${DEFAULT_IMPROVEMENT_BELOW} unless given: a share of the best value of an output to minimize or maximize, or of the miss where there is none or the other targets are not met.`,
    ),
  until: instant.nullish().describe('No input is suggested from then on, and the objective is stopped.'),
  maximumRuns: z
    .int()
    .min(1)
    .nullish()
    .describe(
      'Runs of the cases of the trial, the initial point and the suggested inputs together: maximumAttempts is lowered accordingly.',
    ),
});

/** In requests. */
export const sentOptionFields = {
  stop: z
    .union([sentStop, z.literal(false)], { error: WRONG_STOP })
    .nullish()
    .transform((stop) => stop ?? null)
    .describe(
      'When it ends although something is left to try. Left out it ends once outputs to minimize or maximize can improve no further as far as is known; false: only when it must.',
    ),
  weights: perOutput().describe(
    `How much each output counts in the search, from ${LEAST_WEIGHT} to ${LARGEST_WEIGHT}; 1 unless given. Verdicts do not depend on it.`,
  ),
  priorities: perOutput().describe(
    `From 1 to ${LAST_PRIORITY}, 1 unless given: an output counts fully once one run has met all outputs of higher priority (a lower number), and next to nothing before. Not with exact. Verdicts do not depend on it.`,
  ),
};

/** In answers. */
export const optionFields = {
  stop: z
    .object({
      patience: z.int().nullable(),
      improvementBelow: z.number(),
      until: timestamp.nullable(),
      maximumRuns: z.int().nullable(),
    })
    .nullable()
    .describe('When it ends although something is left to try; null: only when it must.'),
  weights: z.array(z.number()).nullable().describe('One per output; null when all are 1.'),
  priorities: z.array(z.number()).nullable().describe('One per output; null when all are equal.'),
};

export function presentOptions(options: SearchOptions | null) {
  const { weights, priorities, stop } = options ?? {};
  return {
    stop: stop ? { patience: null, until: null, maximumRuns: null, ...stop } : null,
    weights: weights ? [...weights] : null,
    priorities: priorities ? [...priorities] : null,
  };
}
