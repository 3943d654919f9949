import { z } from 'zod';
import type { TrialTree } from '../../application/read-trees.ts';
import type { Violation } from '../../domain/errors.ts';
import { LISTED_VIOLATIONS } from '../../domain/errors.ts';
import { checkOutputCases, type OutputCases } from '../../domain/trial.ts';
import type { BodySpec } from '../operation.ts';
import { MAXIMUM_CASE_COUNT, MAXIMUM_OUTPUT_COUNT } from '../wire/limits.ts';
import { looseMatrix } from './loose-fields.ts';
import { objectiveSchema, presentObjective } from './objectives.wire.ts';
import { presentRecord, recordFields } from './record.wire.ts';

const newOutputCasesSchema = z
  .object({
    outputCount: z.int().min(1).max(MAXIMUM_OUTPUT_COUNT),
    outputCases: looseMatrix(
      { minimum: 1, maximum: MAXIMUM_CASE_COUNT },
      { minimum: 0, maximum: MAXIMUM_OUTPUT_COUNT },
    ),
  })
  .meta({
    id: 'NewOutputCases',
    examples: [
      {
        outputCount: 2,
        outputCases: [
          [1.25, 22.5],
          [1.75, 18.5],
        ],
      },
    ],
  });

/** Whether the rows are as long as announced, when the body is refused anyway. */
function checkLengthsWhenRefused(body: Readonly<Record<string, unknown>>): readonly Violation[] {
  const parsed = newOutputCasesSchema.safeParse(body);
  if (!parsed.success) return [];
  const anyProject = { caseCount: MAXIMUM_CASE_COUNT, outputCount: null };
  return checkOutputCases(toOutputCases(parsed.data), anyProject).slice(0, LISTED_VIOLATIONS);
}

export const newOutputCases = {
  schema: newOutputCasesSchema,
  checkWhenRefused: checkLengthsWhenRefused,
} satisfies BodySpec<unknown>;

export function toOutputCases(body: z.infer<typeof newOutputCasesSchema>): OutputCases {
  return { ...body, failedCases: [] };
}

export const trialSchema = z
  .strictObject({
    ...recordFields,
    number: z.int(),
    outputCount: z.int(),
    outputCases: z.array(z.array(z.number())),
    caseCount: z.int(),
    objectives: z.array(objectiveSchema),
  })
  .meta({ id: 'Trial' });

export function presentTrial({
  trial,
  set,
  objectives,
}: Pick<TrialTree, 'trial' | 'objectives'> & {
  readonly set: Pick<TrialTree['set'], 'outputCount' | 'outputCases'>;
}): z.infer<typeof trialSchema> {
  return {
    ...presentRecord(trial),
    number: trial.number,
    outputCount: set.outputCount,
    outputCases: set.outputCases.map((row) => [...row]),
    caseCount: set.outputCases.length,
    objectives: objectives.map(presentObjective),
  };
}
