import { z } from 'zod';
import type { ReadObjective } from '../../application/search/read-objectives.ts';
import { MAXIMUM_INPUT_COUNT } from '../../domain/problem/project.ts';
import type { Inverse } from '../../domain/search/inverse.ts';
import {
  type Bound,
  DEFAULT_CONVERGENCE,
  DEFAULT_MAXIMUM_ATTEMPTS,
  earlierView,
  type NewObjective,
  OBJECTIVE_TYPES,
  type Objective,
  type ObjectiveWithInverses,
} from '../../domain/search/objective.ts';
import { StopReason } from '../../domain/search/stop-reason.ts';
import { toFinite } from '../../domain/vectors.ts';
import { JsonArray } from '../answer/json-array.ts';
import type { BodySpec } from '../body/spec.ts';
import { SDK_OUTPUT_COUNT } from '../wire/limits.ts';
import { readNewObjective } from '../wire/read-objective.ts';
import { listSchema } from '../wire/vectors.ts';
import { inverseSchema, presentInverse } from './inverses.wire.ts';
import { boundsVector, looseVector, objectiveTypeWord } from './loose-fields.ts';
import { presentRecord, recordFields } from './record.wire.ts';

/** Clients send zeros for objectives without bounds, so only the bounds of the others are checked. */
const BOUNDS_RULE = 'bounded-types';

const OUTPUTS = { minimum: 1, maximum: SDK_OUTPUT_COUNT };

const bounds = boundsVector({ minimum: 0, maximum: SDK_OUTPUT_COUNT })
  .nullish()
  .transform((values) => values ?? []);

const newObjectivesSchema = z
  .object({
    objectives: looseVector(OUTPUTS),
    objectiveTypes: listSchema(objectiveTypeWord, OUTPUTS, 'objective types'),
    initialInput: looseVector({ minimum: 1, maximum: MAXIMUM_INPUT_COUNT }),
    initialOutput: looseVector(OUTPUTS),
    desiredL1Norm: z
      .number()
      .meta({ minimum: 0 })
      .nullish()
      .transform((norm) => norm ?? 0),
    minimumBounds: bounds,
    maximumBounds: bounds,
  })
  .meta({
    id: 'NewObjectives',
    examples: [
      {
        objectives: [1.6, 20],
        objectiveTypes: ['value', 'lessthan_equal'],
        initialInput: [1.1, 4],
        initialOutput: [1.5, 20],
        desiredL1Norm: 0,
        minimumBounds: [-0.01, 0],
        maximumBounds: [0.01, 0],
      },
    ],
  });

const defaults = { convergence: DEFAULT_CONVERGENCE, maximumAttempts: DEFAULT_MAXIMUM_ATTEMPTS };

export const newObjectives: BodySpec<NewObjective> = {
  schema: newObjectivesSchema,
  size: 'vectors',
  read: (body) => readNewObjective(newObjectivesSchema, body, BOUNDS_RULE, defaults),
};

export const objectiveSchema = z
  .strictObject({
    ...recordFields,
    number: z.int().describe('1 for the first objective of the trial; the PHP client requires it.'),
    optimalInverse: inverseSchema.nullable(),
    attemptCount: z.int(),
    stopReason: z.literal(Object.values(StopReason)),
    desiredL1Norm: z.number(),
    objectives: z.array(z.number()),
    objectiveTypes: z.array(z.enum(OBJECTIVE_TYPES)),
    minimumBounds: z.array(z.number()),
    maximumBounds: z.array(z.number()),
    inverses: z.array(inverseSchema),
  })
  .meta({ id: 'Objective' });

/** An objective with its inverses, except one that is still being computed. */
export function presentObjective(objective: ObjectiveWithInverses): z.infer<typeof objectiveSchema> {
  const optimal = objective.inverses.find((inverse) => inverse.id === objective.optimalInverseId);
  const inverses = objective.inverses.filter(hasInput).map((inverse) => presentInverse(objective, inverse));
  return presentWith(objective, optimal, inverses);
}

/** The same, streamed while it is read. */
export function presentReadObjective({ objective, optimalInverse, inverses }: ReadObjective) {
  const shown = JsonArray.of(withInput(inverses), (inverse) => presentInverse(objective, inverse));
  return presentWith(objective, optimalInverse ?? undefined, shown);
}

async function* withInput(batches: ReadObjective['inverses']): AsyncGenerator<readonly Inverse[], void> {
  for await (const batch of batches) yield batch.filter(hasInput);
}

function hasInput(inverse: Inverse): boolean {
  return inverse.input !== null;
}

function presentWith<Inverses>(objective: Objective, optimal: Inverse | undefined, inverses: Inverses) {
  return {
    ...presentRecord(objective),
    number: objective.number,
    optimalInverse: optimal !== undefined && hasInput(optimal) ? presentInverse(objective, optimal) : null,
    attemptCount: objective.attemptCount,
    stopReason: objective.stopReason,
    desiredL1Norm: objective.desiredL1Norm,
    objectives: objective.objectives.map(toFinite),
    objectiveTypes: objective.objectiveTypes.map((_, j) => earlierView(objective, j).type),
    minimumBounds: presentBounds(objective.minimumBounds, objective),
    maximumBounds: presentBounds(objective.maximumBounds, objective),
    inverses,
  };
}

/** Zeros where there are none: clients require one number per objective. */
function presentBounds(values: readonly Bound[], objective: Objective): number[] {
  return objective.objectives.map((_, j) => earlierView(objective, j).toUnits(values[j] ?? 0));
}
