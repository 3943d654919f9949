/** Answers about robustness and identifiability. */
import { z } from 'zod';
import type { IdentifiabilityRead, RobustnessRead } from '../../application/model-insights.ts';
import { describeIdentifiability } from '../../domain/identifiability.ts';
import { inputNamesOf } from '../../domain/names.ts';
import type { SentRobustOptions } from '../../domain/robust-options.ts';
import { toleranceSchema } from './search-options.wire.ts';

const share = () => z.number().min(0).max(1);

export const robustnessSchema = z
  .object({
    inverseId: z.int(),
    input: z.array(z.number()),
    inputTolerances: toleranceSchema,
    robustness: z
      .object({
        probability: share().describe('That one run at the input as it is made meets all targets, by the models.'),
        low: share().describe('What the models do not know leaves it between low and high.'),
        high: share(),
        outputShares: z
          .array(share())
          .describe(
            'One per output: of the runs that miss, the share in which it does; for exact its share of the L1 norm.',
          ),
        inputShares: z
          .array(share())
          .describe('One per input: the share of the misses that would not happen if it were made exactly.'),
      })
      .nullable()
      .describe('null while the models predict less than half of the variance of an output.'),
  })
  .meta({ id: 'InverseRobustness' });

const valueRange = z.object({ low: z.number(), high: z.number() });

const rangeSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('range'),
    fits: valueRange.describe('The least and the largest value that surely fit while the other inputs adapt.'),
    gaps: z.array(valueRange).describe('Parts of fits in which no value surely does.'),
    possible: valueRange.describe('Outside of it nothing fits.'),
    alone: valueRange.describe('What surely fits with the other inputs held at best.'),
    shares: z
      .object({ fits: share(), possible: share() })
      .describe('Of the distance between the bounds, on the scale of the input.'),
  }),
  z.object({
    kind: z.literal('codes').describe('A boolean, a category, or an input with one value.'),
    fits: z.array(z.number()),
    possible: z.array(z.number()),
  }),
]);

export const identifiabilitySchema = z
  .object({
    confidence: z.number().describe('The probability that counts as surely.'),
    identifiability: z
      .object({
        best: z.array(z.number()).describe('The input at which the targets hold most surely.'),
        ranges: z.array(rangeSchema).describe('One per input.'),
        combinations: z
          .array(
            z.object({
              scale: z.enum(['linear', 'log']).describe('log: the loadings are those of the logarithms of the inputs.'),
              loadings: z
                .array(z.number())
                .describe(
                  'One per input, -1 to 1, in shares of the distance between its bounds; 0 for inputs that stay.',
                ),
              ends: z.array(z.array(z.number())).describe('Two inputs; they and what lies between them surely fit.'),
            }),
          )
          .describe('Inputs that can change together without a target being missed.'),
        next: z
          .object({
            at: z.array(z.number()).describe('The run that would tell most: whether the targets hold there.'),
            input: z.int().describe('The index of the input, from 0, about whose range it tells.'),
            open: valueRange.describe('The part of that range of which it is open.'),
          })
          .nullable()
          .describe('null when no range is open by more than one percent of the bounds.'),
        sentences: z.array(z.string()).describe('The same in words.'),
      })
      .nullable()
      .describe('null while the models see no input that surely meets the targets.'),
  })
  .meta({ id: 'ObjectiveIdentifiability' });

export function presentRobustness(read: RobustnessRead): z.infer<typeof robustnessSchema> {
  const { inverseId, input, tolerances, robustness } = read;
  return {
    inverseId,
    input: [...input],
    inputTolerances: { ...tolerances, values: [...tolerances.values] },
    robustness: robustness && {
      ...robustness,
      outputShares: [...robustness.outputShares],
      inputShares: [...robustness.inputShares],
    },
  };
}

export function presentIdentifiability({ confidence, identifiability, labels }: IdentifiabilityRead) {
  if (identifiability === null) return { confidence, identifiability: null };
  const { confidence: _, ...found } = identifiability;
  const names = inputNamesOf(found.best.length, labels?.inputNames ?? null);
  return { confidence, identifiability: { ...found, sentences: describeIdentifiability(identifiability, names) } };
}

const NUMBER_LIST = /^\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?:,\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)*$/;

/** The texts of the query. */
export const toleranceTexts = {
  tolerances: {
    schema: z.string().max(10_000).regex(NUMBER_LIST, 'must be numbers from 0, one per input, separated by commas.'),
    description: 'One per input, separated by commas; unless given, the inputTolerances of the objective.',
  },
  kind: {
    schema: z.enum(['normal', 'uniform']),
    description: 'With tolerances: normal, unless given, for standard deviations, or uniform for half widths.',
  },
  in: {
    schema: z.enum(['units', 'percent']),
    description: 'With tolerances: units, unless given, of each input, or percent of its value.',
  },
};

export function readTolerances(texts: Readonly<Record<string, string>>): SentRobustOptions['inputTolerances'] {
  const { tolerances, kind = 'normal', in: unit = 'units' } = texts;
  if (tolerances === undefined) return null;
  return {
    kind: kind as 'normal' | 'uniform',
    in: unit as 'units' | 'percent',
    values: tolerances.split(',').map(Number),
  };
}
