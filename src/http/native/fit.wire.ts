/** How well a run fits its data, in answers. */
import { z } from 'zod';
import { fitQualityOf } from '../../domain/fit-quality.ts';
import type { Objective } from '../../domain/objective.ts';
import { freeInputs } from '../../domain/search/end-reason.ts';

export const fitQualitySchema = z
  .object({
    points: z.int().describe('Measured values, without gaps.'),
    freedom: z.int().describe('Degrees of freedom: points minus inputs that are not fixed, at least 0.'),
    chiSquare: z.number().nullable().describe('null where a standard error is not known.'),
    reducedChiSquare: z
      .number()
      .nullable()
      .describe('chiSquare per degree of freedom: about 1 if model and errors are right.'),
    probability: z
      .number()
      .nullable()
      .describe('The probability of a chiSquare at least so large if model and standard errors are right.'),
    runsProbability: z
      .number()
      .nullable()
      .describe(
        'The probability that residuals in random order change their sign so seldom (Wald and Wolfowitz); a small one tells that the model lacks something. null with few residuals.',
      ),
    worst: z
      .array(
        z.object({
          output: z.int().describe('Zero-based.'),
          value: z.number().describe('The measured value.'),
          fitted: z.number().describe('The output of the run.'),
          residual: z
            .number()
            .describe('fitted minus value, in standard errors; in estimated ones where these are not known.'),
        }),
      )
      .describe('The points that fit worst, the worst first.'),
    sets: z
      .array(
        z.object({
          name: z.string().nullable(),
          points: z.int(),
          sumOfSquares: z
            .number()
            .describe('In squared standard errors, or in squared units where these are not known.'),
          scale: z
            .number()
            .nullable()
            .describe(
              'The standard deviation of the residuals in units of the output: the estimated standard error where none was stated. null where stated ones differ.',
            ),
        }),
      )
      .describe('The data sets, in the order of fits.'),
    warnings: z
      .array(z.string())
      .describe('Standard errors and misfit that disagree, and residuals with a pattern, in words.'),
  })
  .meta({ id: 'FitQuality' });

export function presentFitQuality(
  objective: Objective,
  output: readonly number[] | null,
): z.infer<typeof fitQualitySchema> | null {
  const quality = output && fitQualityOf(objective, freeInputs(objective), output);
  if (!quality) return null;
  const { worst, sets, warnings, ...figures } = quality;
  return { ...figures, worst: [...worst], sets: [...sets], warnings: [...warnings] };
}
