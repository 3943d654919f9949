import { z } from 'zod';
import type { KnownRun, ObjectiveFront, ObjectiveSolutions } from '../../application/forecasts.ts';

const runSchema = z
  .object({
    caseNumber: z.int().nullable().describe('1 for the first input case; null for an inverse.'),
    inverseId: z.int().nullable().describe('null for a case.'),
    iteration: z.int().nullable().describe('Of that inverse.'),
    input: z.array(z.number()),
    output: z.array(z.number()),
  })
  .meta({ id: 'KnownRun' });

const predictedSchema = z
  .object({
    input: z.array(z.number()),
    output: z.array(z.number()).describe('What the models expect.'),
    spread: z.array(z.number()).describe('Standard deviation of each output, by the models.'),
    chance: z
      .number()
      .describe('How likely the models hold it that a run meets all targets, from 0 to 1. It is not calibrated.'),
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
      .describe('The runs that meet all targets and that no other one beats in every output without target.'),
    hypervolume: z.number().nullable().describe('Of what the points beat, up to the reference; null without points.'),
    reference: z
      .array(z.number())
      .nullable()
      .describe('A tenth of the range of the points beyond the worst value of each output. It moves with the points.'),
    ideal: z.array(z.number()).nullable().describe('The best value of each output among the points.'),
    knee: runSchema
      .nullable()
      .describe('The best compromise: the least sum of distances from the ideal, each in units of the range.'),
    predicted: z
      .array(predictedSchema)
      .describe('Up to 20 points that the models expect between the points and beyond.'),
  })
  .meta({ id: 'Front' });

function presentRun({ caseNumber, ...run }: KnownRun): z.infer<typeof runSchema> {
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

export function presentFront({ outputs, points, hypervolume, reference, ideal, knee, predicted }: ObjectiveFront) {
  return {
    outputs,
    points: points.map(presentRun),
    hypervolume,
    reference,
    ideal,
    knee: knee && presentRun(knee),
    predicted,
  };
}
