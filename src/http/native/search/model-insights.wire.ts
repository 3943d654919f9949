/** Answers about solutions, fronts, robustness and identifiability. */
import { z } from 'zod';
import type { KnownRun } from '../../../application/search/found-runs.ts';
import type {
  IdentifiabilityRead,
  ObjectiveFront,
  ObjectiveSolutions,
  RobustnessRead,
} from '../../../application/search/model-insights.ts';
import { inputNamesOf } from '../../../domain/problem/names.ts';
import { describeIdentifiability } from '../../../domain/search/identifiability.ts';
import type { SentRobustOptions } from '../../../domain/search/robust-options.ts';
import { toleranceSchema } from './search-options.wire.ts';

export const runSchema = z
  .object({
    caseNumber: z.int().nullable().describe('1 for the first input case; null for an inverse.'),
    inverseId: z.int().nullable().describe('null for a case.'),
    objectiveId: z
      .int()
      .nullable()
      .describe('The objective of that inverse, which may be another one of the trial; null for a case.'),
    objectiveNumber: z.int().nullable().describe('Its number within the trial.'),
    iteration: z.int().nullable().describe('The number of that inverse within that objective.'),
    input: z.array(z.number()),
    output: z.array(z.number()),
  })
  .meta({ id: 'KnownRun' });

const predictedSchema = z
  .object({
    input: z.array(z.number()),
    output: z.array(z.number()).describe('The outputs that the models expect.'),
    spread: z.array(z.number()).describe('Standard deviation of each output, by the models.'),
    chance: z.number().describe('The probability, by the models, that a run meets all targets. It is not calibrated.'),
  })
  .meta({ id: 'PredictedPoint' });

export const solutionsSchema = z
  .object({
    verified: z.array(runSchema).describe('Runs that meet all targets, each the farthest from those before it.'),
    predicted: z
      .array(predictedSchema)
      .describe(
        'Inputs that were not run and meet all targets by the models, apart from the verified ones and each other.',
      ),
  })
  .meta({ id: 'Solutions' });

export const frontSchema = z
  .object({
    outputs: z.array(z.int()).describe('The outputs without target, numbered from 0: what the lists below are about.'),
    points: z
      .array(runSchema)
      .describe(
        'The non-dominated runs: they meet all targets, and no other run is better in every output without target.',
      ),
    hypervolume: z
      .number()
      .nullable()
      .describe('The hypervolume that the points dominate, up to the reference; null without points.'),
    hypervolumes: z
      .array(z.object({ iteration: z.int(), hypervolume: z.number() }))
      .describe(
        'One per completed run of the objective, in their order: the hypervolume that it and all known before it reach, up to the same reference.',
      ),
    reference: z
      .array(z.number())
      .nullable()
      .describe(
        'As the objective states it (`front`); else a tenth of the range of the points beyond the worst value of each output, which moves with the points.',
      ),
    ideal: z.array(z.number()).nullable().describe('The best value of each output among the points.'),
    knee: runSchema
      .nullable()
      .describe(
        'The answer of the objective: the best compromise among its own runs, with the least sum of distances from their ideal, each in units of their range. A case, or a run of another objective, may be better in everything. null until a run meets all targets.',
      ),
    predicted: z
      .array(predictedSchema)
      .describe('Up to 20 points that the models expect between the points and beyond.'),
  })
  .meta({ id: 'Front' });

const share = () => z.number().min(0).max(1);

export const robustnessSchema = z
  .object({
    inverseId: z.int(),
    input: z.array(z.number()),
    inputTolerances: toleranceSchema,
    robustness: z
      .object({
        probability: share().describe(
          'The probability, by the models, that a run at the input with its tolerances meets all targets.',
        ),
        low: share().describe('The uncertainty of the models leaves the probability between low and high.'),
        high: share(),
        outputShares: z
          .array(share())
          .describe(
            'One per output: of the runs that miss, the share in which it does; for exact its share of the L1 norm.',
          ),
        inputShares: z
          .array(share())
          .describe('One per input: the share of the misses that an exact input would avoid.'),
      })
      .nullable()
      .describe('null while the models predict less than half of the variance of an output.'),
  })
  .meta({ id: 'InverseRobustness' });

const valueRange = z.object({ low: z.number(), high: z.number() });

const rangeSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('range'),
    fits: valueRange.describe('The smallest and the largest value that surely fit while the other inputs adapt.'),
    gaps: z.array(valueRange).describe('Parts of fits in which nothing fits.'),
    possible: valueRange.describe('Outside of it nothing fits.'),
    alone: valueRange.describe('The range that surely fits while the other inputs stay at their best.'),
    shares: z
      .object({ fits: share(), possible: share() })
      .describe('The share of the distance between the bounds, on the scale of the input.'),
  }),
  z.object({
    kind: z.literal('codes').describe('A boolean, a category, or an input with one value.'),
    fits: z.array(z.number()),
    possible: z.array(z.number()),
  }),
]);

export const identifiabilitySchema = z
  .object({
    confidence: z.number().describe('The probability required for “surely”.'),
    identifiability: z
      .object({
        best: z.array(z.number()).describe('The input most likely to meet the targets.'),
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
              ends: z.array(z.array(z.number())).describe('Two inputs; they and all inputs between them surely fit.'),
            }),
          )
          .describe('Inputs that can change together without a target being missed.'),
        next: z
          .object({
            at: z
              .array(z.number())
              .describe('The most informative run: whether it meets the targets decides the range of an input.'),
            input: z.int().describe('The zero-based number of the input whose range it decides.'),
            open: valueRange.describe('The undecided part of that range.'),
          })
          .nullable()
          .describe('null when less than one percent of every range is undecided.'),
        sentences: z.array(z.string()).describe('The same in words.'),
      })
      .nullable()
      .describe('null while the models know no input that surely meets the targets.'),
  })
  .meta({ id: 'ObjectiveIdentifiability' });

export function presentRun({ caseNumber, ...run }: KnownRun): z.infer<typeof runSchema> {
  return {
    caseNumber: caseNumber === null ? null : caseNumber + 1,
    ...run,
    input: [...run.input],
    output: [...run.output],
  };
}

export function presentSolutions({ verified, predicted }: ObjectiveSolutions) {
  return { verified: verified.map(presentRun), predicted };
}

export function presentFront({
  outputs,
  points,
  hypervolume,
  hypervolumes,
  reference,
  ideal,
  knee,
  predicted,
}: ObjectiveFront) {
  return {
    outputs,
    points: points.map(presentRun),
    hypervolume,
    hypervolumes,
    reference,
    ideal,
    knee: knee && presentRun(knee),
    predicted,
  };
}

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
    description: 'One per input, separated by commas; default: the inputTolerances of the objective.',
  },
  kind: {
    schema: z.enum(['normal', 'uniform']),
    description: 'With tolerances: normal, the default, for standard deviations, or uniform for half widths.',
  },
  in: {
    schema: z.enum(['units', 'percent']),
    description: 'With tolerances: units of each input, the default, or percent of its value.',
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
