import { z } from 'zod';
import { type Trial, TrialStatus } from '../../../domain/data/trial.ts';
import { bodyOf } from '../../body/spec.ts';
import { positiveInteger, timestamp, toOptionalTimestamp, toTimestamp } from '../../wire/fields.ts';

const status = z.enum(Object.values(TrialStatus));

export const newTrial = bodyOf(
  z
    .strictObject({
      output_case_set_id: positiveInteger
        .nullish()
        .transform((id) => id ?? null)
        .describe('The set to work on; by default the newest.'),
    })
    .meta({ id: 'NewTrial', examples: [{ output_case_set_id: 7 }] }),
  { isOptional: true },
);

export const trialPatch = bodyOf(
  z
    .strictObject({ status: status.describe('An active trial can be completed; no other change is possible.') })
    .meta({ id: 'TrialPatch', examples: [{ status: 'completed' }] }),
);

export const trialSchema = z
  .object({
    id: z.int(),
    modelId: z.int(),
    projectId: z.int(),
    outputCaseSetId: z.int(),
    number: z.int().describe('1 for the first trial of the project.'),
    status,
    revision: z
      .int()
      .describe('The revision of its data, raised when cases are added and when a case or an inverse is corrected.'),
    createdAt: timestamp,
    updatedAt: timestamp,
    disabledAt: timestamp.nullable(),
  })
  .meta({ id: 'Trial' });

export function presentTrial(trial: Trial): z.infer<typeof trialSchema> {
  return {
    id: trial.id,
    modelId: trial.modelId,
    projectId: trial.projectId,
    outputCaseSetId: trial.outputCaseSetId,
    number: trial.number,
    status: trial.status,
    revision: trial.revision,
    createdAt: toTimestamp(trial.createdAt),
    updatedAt: toTimestamp(trial.updatedAt),
    disabledAt: toOptionalTimestamp(trial.disabledAt),
  };
}
