import { z } from 'zod';
import { type OutputCaseSet, type OutputCases, type Trial, toOutputMatrix } from '../../domain/data/trial.ts';
import type { Matrix } from '../../domain/matrix.ts';
import type { JsonArray } from '../answer/json-array.ts';
import type { BodySpec, SentFields } from '../body/spec.ts';
import { MAXIMUM_CASE_COUNT, SDK_OUTPUT_COUNT } from '../wire/limits.ts';
import { type Parsed, readFields } from '../wire/violations.ts';
import { looseMatrix } from './loose-fields.ts';
import { objectiveSchema } from './objectives.wire.ts';
import { presentRecord, recordFields } from './record.wire.ts';

const newOutputCasesSchema = z
  .object({
    outputCount: z.int().min(1).max(SDK_OUTPUT_COUNT),
    outputCases: looseMatrix({ minimum: 1, maximum: MAXIMUM_CASE_COUNT }, { minimum: 0, maximum: SDK_OUTPUT_COUNT }),
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

function readOutputCases(body: SentFields): Parsed<OutputCases> {
  const { fields, violations } = readFields(newOutputCasesSchema, body);
  const { outputCount, outputCases: rows } = fields;
  if (outputCount === undefined || rows === undefined) return { kind: 'violations', violations };
  const { matrix, violations: uneven } = toOutputMatrix(rows, outputCount, []);
  if (uneven.length > 0) return { kind: 'violations', violations: uneven };
  return { kind: 'value', value: { outputCount, outputCases: matrix, failedCases: [] } };
}

export const newOutputCases: BodySpec<OutputCases> = {
  schema: newOutputCasesSchema,
  size: 'cases',
  read: readOutputCases,
  countNumbers: ({ outputCases }) => outputCases.values.length,
};

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

/** `outputCases` and `objectives` are streamed: they may not fit into memory. */
export function presentTrial(
  trial: Trial,
  set: OutputCaseSet,
  outputCases: Matrix | JsonArray,
  objectives: readonly [] | JsonArray,
) {
  return {
    ...presentRecord(trial),
    number: trial.number,
    outputCount: set.outputCount,
    outputCases,
    caseCount: set.caseCount,
    objectives,
  };
}
