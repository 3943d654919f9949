import { z } from 'zod';
import { describeDiagnosis, type StoredExplanation } from '../../domain/explanation.ts';

const caseCount = z.int().describe('Evaluated cases that it rests on.');
const number = z.int().describe('Zero-based number of the objective.');

export const insightSchema = z
  .object({
    caseCount,
    outputs: z.array(
      z.object({
        number,
        crossValidated: z
          .object({ r2: z.number().nullable(), rmse: z.number().nullable() })
          .describe(
            'Quality of the model of this output on cases left out: the share of the variance predicted, and the root mean square error in output units. null with too few cases.',
          ),
        sensitivity: z
          .array(z.number())
          .nullable()
          .describe(
            'Per input the share of the variance of this output that involves it, interactions included. null where the cases do not tell.',
          ),
        sensitivityRanges: z
          .array(z.object({ low: z.number(), high: z.number() }))
          .nullable()
          .describe('Per input where that share may lie for all that the model does not know; null with it.'),
      }),
    ),
  })
  .meta({ id: 'Insight' });

export const diagnosisSchema = z
  .object({
    caseCount,
    detail: z.string(),
    nearestInput: z.array(z.number()),
    nearestOutput: z.array(z.number()),
    nearestIs: z.enum(['evaluated', 'predicted']),
    unmet: z.array(
      z.object({
        number,
        distance: z.number().describe('From what satisfies it, in output units.'),
        relaxBy: z.number().describe('By how much its bound or target would have to move.'),
      }),
    ),
    conflicts: z.array(z.array(z.int())).describe('Pairs that can be met one by one but not together.'),
  })
  .meta({ id: 'Diagnosis' });

export const explanationFields = {
  insight: insightSchema.nullable().describe('How far the model can be trusted; null before the first suggestion.'),
  diagnosis: diagnosisSchema
    .nullable()
    .describe('Evidence that the objectives cannot all be met; null while there is none.'),
};

/** `isSatisfied`: a diagnosis from before the satisfying output has been refuted by it. */
export function presentExplanation(explanation: StoredExplanation | null, isSatisfied: boolean) {
  if (explanation === null) return { insight: null, diagnosis: null };
  const { caseCount, insight, diagnosis } = explanation;
  return {
    insight: insight && {
      caseCount,
      outputs: insight.map(({ crossValidated, sensitivity, sensitivityRanges }, output) => ({
        number: output,
        crossValidated,
        sensitivity: sensitivity && [...sensitivity],
        // Explanations stored before there were ranges have none.
        sensitivityRanges: sensitivityRanges?.map(({ low, high }) => ({ low, high })) ?? null,
      })),
    },
    diagnosis:
      diagnosis === null || isSatisfied
        ? null
        : {
            caseCount,
            detail: describeDiagnosis(diagnosis),
            nearestInput: [...diagnosis.nearestInput],
            nearestOutput: [...diagnosis.nearestOutput],
            nearestIs: diagnosis.nearestIs,
            unmet: diagnosis.unmet.map(({ output, ...rest }) => ({ number: output, ...rest })),
            conflicts: diagnosis.conflicts.map((pair) => [...pair]),
          },
  };
}
