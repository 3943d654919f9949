/** What a client may ask of the search beyond the targets: the fields of a new objective, and the same in answers. */
import { z } from 'zod';
import { LARGEST_WEIGHT, LAST_PRIORITY, LEAST_WEIGHT, type SearchOptions } from '../../domain/search-options.ts';
import { MAXIMUM_OUTPUT_COUNT } from '../wire/limits.ts';
import { nullableVectorSchema } from '../wire/vectors.ts';

/** One entry per output, by name as well. */
const perOutput = () =>
  nullableVectorSchema({ minimum: 1, maximum: MAXIMUM_OUTPUT_COUNT }, z.number().nullable())
    .nullish()
    .transform((values) => values ?? null);

/** In requests. */
export const sentOptionFields = {
  weights: perOutput().describe(
    `How much each output counts in the search, from ${LEAST_WEIGHT} to ${LARGEST_WEIGHT}; 1 unless given. Verdicts do not depend on it.`,
  ),
  priorities: perOutput().describe(
    `From 1 to ${LAST_PRIORITY}, 1 unless given: an output counts fully once one run has met all outputs of higher priority (a lower number), and next to nothing before. Not with exact. Verdicts do not depend on it.`,
  ),
};

/** In answers. */
export const optionFields = {
  weights: z.array(z.number()).nullable().describe('One per output; null when all are 1.'),
  priorities: z.array(z.number()).nullable().describe('One per output; null when all are equal.'),
};

export function presentOptions(options: SearchOptions | null) {
  const { weights, priorities } = options ?? {};
  return { weights: weights ? [...weights] : null, priorities: priorities ? [...priorities] : null };
}
