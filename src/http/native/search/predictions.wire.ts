/** Predictions of the models: what is asked, and the answer. */
import { z } from 'zod';
import type { PredictionsRead } from '../../../application/search/model-insights.ts';
import type { SentPredictions } from '../../../domain/search/predictions.ts';
import type { Call } from '../../operation/operation.ts';
import { presentRun, runSchema } from './model-insights.wire.ts';

const values = z.array(z.number().nullable());

export const predictionsSchema = z
  .object({
    at: z
      .array(z.number())
      .nullable()
      .describe('The values of the inputs while they do not vary; null before a run succeeded.'),
    run: runSchema.nullable().describe('The best run, where no point was sent.'),
    outputs: z.array(z.int()).describe('The outputs predicted, numbered from 0.'),
    surfaces: z
      .array(
        z.object({
          inputs: z.array(z.int()).describe('The inputs that vary, numbered from 0: one of a slice, two of a grid.'),
          values: z.array(z.array(z.number())).describe('Per input its values, ascending.'),
          isAdmissible: z
            .array(z.boolean())
            .describe(
              'Per point, the last input fastest: whether the bounds, the fixed values and the constraints allow it.',
            ),
          outputs: z
            .array(
              z.object({
                mean: values.describe('Per point the output that the models expect; null where it is not finite.'),
                low: values.describe(
                  'Between low and high the models expect it with a probability of 0.95, without the noise of a run.',
                ),
                high: values,
              }),
            )
            .describe('One per output predicted.'),
          chance: values.describe(
            'Per point the probability, by the models, that a run meets all targets. It is not calibrated. Fits are left out.',
          ),
        }),
      )
      .nullable()
      .describe('One per input, or one grid; null before a run succeeded.'),
  })
  .meta({ id: 'Predictions' });

const WHOLE_LIST = /^\d{1,6}(?:,\d{1,6})*$/;
const NUMBER_LIST = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?:,-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)*$/;
const numbersFromZero = z.string().max(10_000).regex(WHOLE_LIST, 'must be whole numbers from 0, separated by commas.');

/** The texts of the query. */
export const predictionsTexts = {
  at: {
    schema: z.string().max(30_000).regex(NUMBER_LIST, 'must be numbers, one per input, separated by commas.'),
    description:
      'The point through which the predictions go: one number per input, separated by commas; default: the best run.',
  },
  inputs: {
    schema: numbersFromZero,
    description:
      'The inputs that vary, numbered from 0 and separated by commas: a slice along each, or the two of a grid; default: all.',
  },
  outputs: {
    schema: numbersFromZero,
    description: 'The outputs to predict, numbered from 0 and separated by commas; default: all.',
  },
};

export function readPredictions({
  texts,
  numbers,
  flags,
}: Pick<Call<unknown, unknown>, 'texts' | 'numbers' | 'flags'>): SentPredictions {
  const list = (text: string | undefined) => text?.split(',').map(Number);
  return {
    at: list(texts['at']),
    inputs: list(texts['inputs']),
    outputs: list(texts['outputs']),
    points: numbers['points'] ?? null,
    isGrid: flags['grid'] === true,
  };
}

export function presentPredictions({ question, run, surfaces }: PredictionsRead) {
  return { at: question?.at ?? null, run: run && presentRun(run), outputs: question?.outputs ?? [], surfaces };
}
