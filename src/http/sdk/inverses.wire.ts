import { z } from 'zod';
import type { Measurement } from '../../application/search/record-output.ts';
import { judge } from '../../application/views.ts';
import type { ObjectiveResult } from '../../domain/search/acceptance.ts';
import { disabledAtOf, type Inverse } from '../../domain/search/inverse.ts';
import { earlierView, OBJECTIVE_TYPES, type Objective } from '../../domain/search/objective.ts';
import { toFinite } from '../../domain/vectors.ts';
import { type BodySpec, bodyOf } from '../body/spec.ts';
import { timestamp, toOptionalTimestamp } from '../wire/fields.ts';
import { SDK_OUTPUT_COUNT } from '../wire/limits.ts';
import { readFields } from '../wire/violations.ts';
import { looseVector } from './loose-fields.ts';
import { presentRecord, recordFields } from './record.wire.ts';

export const noFields = bodyOf(z.object({}).meta({ id: 'NoFields', examples: [{}] }), { isOptional: true });

const newOutputSchema = z
  .object({ output: looseVector({ minimum: 1, maximum: SDK_OUTPUT_COUNT }) })
  .meta({ id: 'NewOutput', examples: [{ output: [1.62, 19.1] }] });

export const newOutput: BodySpec<Measurement> = {
  schema: newOutputSchema,
  read: (body) => {
    const { fields, violations } = readFields(newOutputSchema, body);
    if (fields.output === undefined) return { kind: 'violations', violations };
    return { kind: 'value', value: { kind: 'output', output: fields.output, computeTimeNs: null } };
  },
};

const resultSchema = z
  .strictObject({
    ...recordFields,
    number: z.int(),
    objective: z.number(),
    objectiveType: z.enum(OBJECTIVE_TYPES),
    minimumBound: z.number(),
    maximumBound: z.number(),
    output: z.number(),
    error: z.number(),
    detail: z.string(),
    satisfied: z.boolean(),
  })
  .meta({ id: 'Result' });

export const inverseSchema = z
  .strictObject({
    ...recordFields,
    loadedAt: timestamp.nullable(),
    satisfiedAt: timestamp.nullable(),
    stoppedAt: timestamp.nullable(),
    exhaustedAt: timestamp.nullable(),
    iteration: z.int(),
    l1Norm: z.number(),
    suggestTime: z.int(),
    computeTime: z.int(),
    input: z.array(z.number()),
    output: z.array(z.number()),
    errors: z.array(z.number()),
    results: z.array(resultSchema),
  })
  .meta({ id: 'Inverse' });

/**
 * An inverse. Until its output is known, `output` and `results` are empty, and `l1Norm` and `errors` are those of the last
 * completed inverse.
 */
export function presentInverse(
  objective: Objective,
  stored: Inverse,
  { l1Norm, results } = judge(objective, stored),
): z.infer<typeof inverseSchema> {
  const inverse = { ...stored, disabledAt: disabledAtOf(objective, stored) };
  return {
    ...presentRecord(inverse),
    loadedAt: toOptionalTimestamp(inverse.loadedAt),
    satisfiedAt: toOptionalTimestamp(inverse.satisfiedAt),
    stoppedAt: toOptionalTimestamp(inverse.stoppedAt),
    exhaustedAt: toOptionalTimestamp(inverse.exhaustedAt),
    iteration: inverse.iteration,
    l1Norm,
    suggestTime: inverse.suggestTimeNs,
    computeTime: inverse.computeTimeNs,
    input: [...(inverse.input ?? [])],
    output: [...(inverse.output ?? [])],
    errors: results.map(({ number, error }) => earlierView(objective, number).toUnits(error)),
    results: inverse.output === null ? [] : results.map((result) => presentResult(objective, inverse, result)),
  };
}

/** Results are computed, not stored; their instants are those of their inverse. */
function presentResult(objective: Objective, inverse: Inverse, result: ObjectiveResult): z.infer<typeof resultSchema> {
  const { type, toUnits } = earlierView(objective, result.number);
  const createdAt = inverse.loadedAt ?? inverse.createdAt;
  return {
    ...presentRecord({ ...inverse, id: resultId(inverse.id, result.number), createdAt }),
    number: result.number,
    objective: toFinite(result.objective),
    objectiveType: type,
    minimumBound: toUnits(result.minimumBound ?? 0),
    maximumBound: toUnits(result.maximumBound ?? 0),
    output: result.output,
    error: toUnits(result.error),
    detail: result.detail,
    satisfied: result.satisfied,
  };
}

/** Result ids repeat after this many inverses: 1000 ids per inverse must fit into 31 bits. */
const INVERSES_OF_RESULT_IDS = 2_147_483;

/**
 * A positive id for a result, the same in every answer. Some clients store ids in 32 bits, so the results of inverses whose
 * ids differ by a multiple of 2,147,483 share ids; those of the same or neighboring inverses do not. No call takes these ids.
 */
export function resultId(inverseId: number, number: number): number {
  return (inverseId % INVERSES_OF_RESULT_IDS) * SDK_OUTPUT_COUNT + (number % SDK_OUTPUT_COUNT) + 1;
}
