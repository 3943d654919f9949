/** Presents in answers how well a run fits its data. */
import { z } from 'zod';
import type { FitRead } from '../../../application/search/model-insights.ts';
import { inputNamesOf } from '../../../domain/problem/names.ts';
import { freeInputs } from '../../../domain/search/end-reason.ts';
import { describeFitInsight, isUnsure } from '../../../domain/search/fit-parameters.ts';
import { fitQualityOf } from '../../../domain/search/fit-quality.ts';
import type { Objective } from '../../../domain/search/objective.ts';

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
    isBeyondChance: z
      .boolean()
      .describe(
        'Whether chiSquare is larger than the standard errors explain: its probability is below 0.005, without a robust loss.',
      ),
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

const nullableNumber = z.number().nullable();

const endSchema = z
  .enum(['found', 'bound', 'not-known'])
  .nullable()
  .describe(
    'found: at the value. bound: chi-square does not rise so far before the bound. not-known: the models may be off there by more than the threshold, or disagree, or expect a better fit elsewhere; verify names runs that tell. null for held inputs.',
  );

export const fitParametersSchema = z
  .object({
    confidence: z.number().describe('As it was asked for.'),
    fit: z
      .object({
        best: z.array(z.number()).describe('The input of the run with the least misfit that meets all other targets.'),
        run: z
          .object({
            caseNumber: z.int().nullable().describe('1 for the first input case; null for a run of an objective.'),
            inverseId: z.int().nullable(),
            iteration: z.int().nullable(),
          })
          .describe('That run.'),
        threshold: z
          .number()
          .describe(
            'The increase of chi-square at the ends of the intervals; with unknown standard errors in units of the estimated ones.',
          ),
        better: z
          .object({
            at: z.array(z.number()).describe('The input.'),
            decrease: z.number().describe('How far below that of the best run.'),
            spread: z.number().describe('How far the models may be off.'),
          })
          .nullable()
          .describe(
            'Where the models expect a chi-square that is smaller than near the best run by more than threshold; null for nowhere. Until it is run, no end is known.',
          ),
        parameters: z
          .array(
            z.object({
              input: z.int().describe('Zero-based.'),
              name: z.string().nullable(),
              estimate: z.number().describe('The value of the best run.'),
              standardError: nullableNumber.describe(
                'From the slopes of the models; null where it exceeds the range between the bounds or an end is not known, and for held inputs.',
              ),
              low: nullableNumber.describe(
                'The lower end of the profile-likelihood interval; null where it is at the bound or not known, see lowEnd.',
              ),
              high: nullableNumber.describe('The upper end.'),
              lowEnd: endSchema,
              highEnd: endSchema,
              kind: z
                .enum(['identifiable', 'practically-not', 'structurally-not', 'held'])
                .describe(
                  'identifiable: both ends are within the bounds. practically-not: the data exclude nothing on at least one side, or it is not known whether they do, or it rests on an input that can make up for it and is not determined either. structurally-not: the data do not depend on it once the others adapt. held: it is fixed, a boolean, a category, or a number with few values.',
                ),
              profile: z
                .array(z.object({ value: z.number(), increase: z.number() }))
                .describe(
                  'The increase of chi-square with the input at a value and the others adapted, ascending by value.',
                ),
            }),
          )
          .describe('One per input.'),
        correlations: z
          .array(z.array(nullableNumber))
          .describe(
            'The correlations of the estimates, input by input; null where an input is held or not determined.',
          ),
        combinations: z
          .array(
            z.object({
              loadings: z
                .array(z.number())
                .describe('Changes in shares of the ranges, one per input; the largest is 1 and 0 takes no part.'),
              kind: z.enum(['practically-not', 'structurally-not']),
              isKnown: z.boolean().describe('Whether the models know how far chi-square rises along it.'),
            }),
          )
          .describe('Inputs that can change together while the data hardly notice.'),
        outputs: z
          .array(
            z.object({
              output: z.int().describe('Zero-based.'),
              name: z.string().nullable(),
              predicted: z.number(),
              low: z.number(),
              high: z.number(),
              isKnown: z
                .boolean()
                .describe(
                  'Whether the interval may be relied on: not where it rests on inputs whose intervals are not known.',
                ),
              slopes: z.array(z.number()).describe('The derivative by each input, by the models; 0 for held inputs.'),
            }),
          )
          .describe(
            'The predicted outputs with their intervals, by what the data leave open about the inputs; those of no data set and gaps as well.',
          ),
        verify: z
          .array(
            z.object({
              input: z.int().describe('The input whose interval it is about.'),
              side: z.enum(['low', 'high']),
              at: z.array(z.number()).describe('The input of the run.'),
              increase: z
                .number()
                .describe('The increase of chi-square that the models expect there; negative for a better fit.'),
              spread: z.number().describe('How far the models may be off.'),
              isUnsure: z.boolean().describe('Whether that is so far that the run is worth making.'),
            }),
          )
          .describe(
            'Runs at the ends of the intervals, the one that tells most first. Add their outputs as cases and ask again: the intervals then rest on them.',
          ),
        sentences: z.array(z.string()).describe('The same in words.'),
      })
      .nullable()
      .describe('null until a run meets all other targets.'),
  })
  .meta({ id: 'FitParameters' });

export function presentFitParameters({
  confidence,
  insight,
  run,
  labels,
}: FitRead): z.infer<typeof fitParametersSchema> {
  if (insight === null) return { confidence, fit: null };
  const { best, threshold, better, parameters, correlations, combinations, outputs, verify } = insight;
  const names = inputNamesOf(best.length, labels?.inputNames ?? null);
  return {
    confidence,
    fit: {
      best: [...best],
      run: {
        caseNumber: run!.caseNumber === null ? null : run!.caseNumber + 1,
        inverseId: run!.inverseId,
        iteration: run!.iteration,
      },
      threshold,
      better: better && { ...better, at: [...better.at] },
      parameters: parameters.map(({ profile, ...one }, input) => ({
        input,
        name: labels?.inputNames?.[input] ?? null,
        ...one,
        profile: [...profile],
      })),
      correlations: correlations.map((row) => [...row]),
      combinations: combinations.map(({ loadings, ...one }) => ({ loadings: [...loadings], ...one })),
      outputs: outputs.map((one) => ({
        ...one,
        slopes: [...one.slopes],
        name: labels?.outputNames?.[one.output] ?? null,
      })),
      verify: verify.map((one) => ({ ...one, at: [...one.at], isUnsure: isUnsure(insight, one) })),
      sentences: [...describeFitInsight(insight, names)],
    },
  };
}
