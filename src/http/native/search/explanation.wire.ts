import { z } from 'zod';
import { toInputByName, toOutputByName } from '../../../domain/problem/names.ts';
import { ADVICE_KINDS, type AdvisedRun, describeAdvice } from '../../../domain/search/advice.ts';
import { type Answer, currentStanding } from '../../../domain/search/answer.ts';
import { describeDiagnosis } from '../../../domain/search/diagnosis-words.ts';
import { diagnosisAt, type FirstRun, relaxation, type StoredExplanation } from '../../../domain/search/explanation.ts';
import { makeMissMeasure } from '../../../domain/search/nearest.ts';
import type { Objective } from '../../../domain/search/objective.ts';
import { endsSearch, leastRelaxation } from '../../../domain/search/relaxation.ts';
import { StopReason } from '../../../domain/search/stop-reason.ts';
import { inputByNameSchema, outputByNameSchema } from '../problem/by-name.wire.ts';

const caseCount = z.int().describe('Number of evaluated cases it is based on.');
const number = z.int().describe('Zero-based number of the objective.');

const insightSchema = z
  .object({
    caseCount,
    outputs: z.array(
      z.object({
        number,
        crossValidated: z
          .object({ r2: z.number().nullable(), rmse: z.number().nullable() })
          .describe(
            'Accuracy of the model of this output on cases left out: the share of the variance predicted, and the root mean square error in output units. null with too few cases.',
          ),
        sensitivity: z
          .array(z.number())
          .nullable()
          .describe(
            'Per input, the share of the variance of this output that involves it, including interactions. null if the cases do not allow an estimate.',
          ),
        sensitivityRanges: z
          .array(z.object({ low: z.number(), high: z.number() }))
          .nullable()
          .describe('Per input, the range of that share given the uncertainty of the model; null together with it.'),
        derivatives: z
          .object({ known: z.int(), used: z.int(), rmseWithout: z.number().nullable() })
          .optional()
          .describe(
            'How many derivatives of this output are known, how many of them the model uses, and what the root mean square error on cases left out would be without any. Left out where no run brought derivatives.',
          ),
        source: z
          .object({ number: z.int(), rmseWithout: z.number().nullable() })
          .optional()
          .describe(
            'The cheaper source that the model starts from, 0 for the first of the project, and what the root mean square error on cases left out would be without it. Left out where it starts from none.',
          ),
      }),
    ),
  })
  .meta({ id: 'Insight' });

const relaxedBounds = z.array(z.number().nullable()).describe('Empty if there were none.');
const relaxedFields = {
  objectives: z.array(z.number().nullable()),
  minimumBounds: relaxedBounds,
  maximumBounds: relaxedBounds,
  desiredL1Norm: z.number(),
};

const diagnosisSchema = z
  .object({
    caseCount,
    detail: z.string(),
    nearestInput: z.array(z.number()).describe('The input that comes nearest to meeting all objectives.'),
    nearestInputByName: inputByNameSchema,
    nearestOutput: z.array(z.number()),
    nearestOutputByName: outputByNameSchema,
    nearestIs: z.enum(['evaluated', 'predicted']),
    l1Norm: z
      .number()
      .nullable()
      .describe(
        'For exact objectives, the L1 norm at nearestOutput, which desiredL1Norm would have to allow; null for others.',
      ),
    unmet: z.array(
      z.object({
        number,
        distance: z.number().describe('From satisfying the objective, or from the target for exact; in output units.'),
        relaxBy: z
          .number()
          .describe(
            'By how much its bound, or its target if it has none, would have to move: in percent points for percent, otherwise in output units.',
          ),
        miss: z.number().describe('The same in units of its tolerance, as in `misses`.'),
        isOutOfReachAlone: z.boolean().describe('Whether it could not be met even without the other targets.'),
      }),
    ),
    conflicts: z.array(z.array(z.int())).describe('Pairs that can each be met, but not together.'),
    attainable: z
      .array(z.object({ number, value: z.number() }))
      .nullable()
      .describe(
        'About the best values of the outputs to minimize or maximize with all others met; null unless there are both and some run met the others.',
      ),
    worstMiss: z
      .number()
      .describe('The largest miss at nearestOutput, in tolerances: that of the best compromise known.'),
    costs: z
      .array(
        z.object({
          number,
          worstMissWithout: z.number().describe('The least worst miss of the others if this target were dropped.'),
          worstMissRelaxed: z.number().describe('The same if it were relaxed by one tolerance.'),
        }),
      )
      .describe(
        'What each target in conflict costs, as the models expect it: compare with worstMissExpected. Empty when that is not known.',
      ),
    worstMissExpected: z
      .number()
      .nullable()
      .describe('The least worst miss that the models expect of any input; null when that is not known.'),
    relaxed: z
      .object({
        ...relaxedFields,
        endsSearch: z
          .boolean()
          .describe('Whether an objective with these targets that continues this one is satisfied when it is loaded.'),
      })
      .nullable()
      .describe(
        'The least relaxation that the best run meets, as fields of a new objective; null before a run succeeded and where no target has an end to move.',
      ),
  })
  .meta({ id: 'Diagnosis' });

const probabilitySchema = z.object({
  value: z.number(),
  low: z.number().describe('Given the uncertainty of the noise and the means, it is larger with a probability of 0.9.'),
  high: z.number().describe('... and smaller with a probability of 0.9.'),
});

const standingSchema = z
  .object({
    caseCount,
    inverseId: z
      .int()
      .nullable()
      .describe('The first run at the input; null if that is a case or belongs to another objective.'),
    input: z.array(z.number()),
    inputByName: inputByNameSchema,
    runs: z.int().describe('The number of runs at this input.'),
    run: probabilitySchema.describe('The probability that the outputs of a new run meet every target.'),
    mean: probabilitySchema.describe('The probability that the means of the outputs over all runs do.'),
  })
  .meta({ id: 'Standing' });

const adviceSchema = z
  .object({
    kind: z.string().describe(`${ADVICE_KINDS.join(', ')}; further kinds may come.`),
    sentence: z.string(),
    outputs: z.array(number).describe('The objectives that it is about.'),
    runs: z
      .array(
        z.object({
          caseNumber: z.int().nullable().describe('1 for the first input case; null for an inverse.'),
          objectiveId: z.int().nullable(),
          iteration: z.int().nullable(),
        }),
      )
      .describe('The runs that it is about; the first is the one to check.'),
  })
  .meta({ id: 'Advice' });

export const explanationFields = {
  advice: z.array(adviceSchema).describe('What the runs show that you can act on.'),
  standing: standingSchema
    .nullable()
    .describe(
      'The probability with which the input of the answer meets the targets; null without confirm and confidence, and after a change of the data until the next suggestion.',
    ),
  insight: insightSchema.nullable().describe('How far the model can be trusted; null before the first suggestion.'),
  diagnosis: diagnosisSchema
    .nullable()
    .describe('Evidence that the objectives cannot all be met; null if there is none.'),
};

function presentAdvisedRun(run: AdvisedRun) {
  if ('caseNumber' in run) return { caseNumber: run.caseNumber + 1, objectiveId: null, iteration: null };
  return { caseNumber: null, objectiveId: run.objectiveId, iteration: run.iteration };
}

function isOfAnother(run: FirstRun | undefined): boolean {
  return run !== undefined && 'iteration' in run && run.objectiveId !== undefined;
}

/** Omits the diagnosis of a satisfied objective: the satisfying output refutes it. */
export function presentExplanation(
  objective: Objective,
  explanation: StoredExplanation | null,
  best: Pick<Answer, 'input' | 'output'> | null,
) {
  if (explanation === null) return { advice: [], standing: null, insight: null, diagnosis: null };
  const { caseCount, insight, advice } = explanation;
  const standing = currentStanding(objective, explanation.standing);
  const { labels } = objective;
  const isRefuted = explanation.diagnosis === null || objective.stopReason === StopReason.satisfied;
  const diagnosis = isRefuted ? null : diagnosisAt(best, explanation.diagnosis, objective);
  return {
    advice: (advice ?? []).map((one) => ({
      kind: one.kind,
      sentence: describeAdvice(one, objective),
      outputs: [...one.outputs],
      runs: (one.runs ?? []).map(presentAdvisedRun),
    })),
    standing: standing
      ? {
          caseCount,
          inverseId: isOfAnother(standing.from) ? null : (standing.inverseId ?? null),
          input: [...standing.input],
          ...(labels && { inputByName: toInputByName(labels, standing.input) }),
          runs: standing.runs,
          run: standing.run,
          mean: standing.mean,
        }
      : null,
    insight: insight && {
      caseCount,
      outputs: insight.map(({ crossValidated, sensitivity, sensitivityRanges, derivatives, source }, output) => ({
        number: output,
        crossValidated,
        sensitivity: sensitivity && [...sensitivity],
        sensitivityRanges: sensitivityRanges && [...sensitivityRanges],
        ...(derivatives && { derivatives }),
        ...(source && { source: { ...source } }),
      })),
    },
    diagnosis: diagnosis && presentDiagnosis(objective, { caseCount, diagnosis }, best),
  };
}

function presentDiagnosis(
  objective: Objective,
  {
    caseCount,
    diagnosis,
  }: { readonly caseCount: number; readonly diagnosis: NonNullable<StoredExplanation['diagnosis']> },
  best: Pick<Answer, 'input' | 'output'> | null,
) {
  const { labels } = objective;
  const { nearestInput, nearestOutput, unmet, costs } = diagnosis;
  const misses = makeMissMeasure(objective).missesOf(nearestOutput);
  const relaxed = best && leastRelaxation(objective, best.output);
  return {
    caseCount,
    detail: describeDiagnosis(diagnosis, objective, labels?.outputNames ?? null, relaxed),
    nearestInput: [...nearestInput],
    nearestOutput: [...nearestOutput],
    ...(labels && {
      nearestInputByName: toInputByName(labels, nearestInput),
      nearestOutputByName: toOutputByName(labels, nearestOutput),
    }),
    nearestIs: diagnosis.nearestIs,
    l1Norm: diagnosis.l1Norm,
    unmet: unmet.map(({ output, distance, isOutOfReachAlone }) => ({
      number: output,
      distance,
      relaxBy: relaxation(objective, output, distance),
      miss: misses[output]!,
      isOutOfReachAlone,
    })),
    conflicts: diagnosis.conflicts.map((pair) => [...pair]),
    attainable: diagnosis.attainable?.map(({ output, value }) => ({ number: output, value })) ?? null,
    worstMiss: Math.max(...misses),
    costs: (costs?.of ?? []).map(({ output, without, relaxed: less }) => ({
      number: output,
      worstMissWithout: without,
      worstMissRelaxed: less,
    })),
    worstMissExpected: costs?.worstMiss ?? null,
    relaxed: relaxed && { ...relaxed, endsSearch: endsSearch(objective) },
  };
}
