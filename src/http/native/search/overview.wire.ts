import { z } from 'zod';
import type { ObjectiveGlance } from '../../../application/search/read-overview.ts';
import { outputNamesOf } from '../../../domain/problem/names.ts';
import { compileGoal } from '../../../domain/search/acceptance.ts';
import { ENDING_KINDS } from '../../../domain/search/ending.ts';
import type { WorstOutput } from '../../../domain/search/nearest.ts';
import { ALL_OBJECTIVE_TYPES, type Objective, statedTargets } from '../../../domain/search/objective.ts';
import { StopReason } from '../../../domain/search/stop-reason.ts';
import { timestamp, toTimestamp } from '../../wire/fields.ts';
import { intervalSchema, presentInterval } from './history.wire.ts';
import { markFields, presentEnd, presentMarks } from './objectives.wire.ts';

/** Targets of an objective in the list: enough to distinguish it from others. */
const SHOWN_TARGETS = 4;

export const objectiveGlanceSchema = z
  .object({
    id: z.int(),
    modelId: z.int(),
    modelName: z.string(),
    projectId: z.int(),
    projectName: z.string(),
    trialId: z.int(),
    trialNumber: z.int(),
    number: z.int().describe('1 for the first objective of the trial.'),
    ...markFields,
    inProject: z
      .int()
      .nullable()
      .describe(
        'Objectives of its project on all pages, also of a folded one; null without sort, grouped, folded and archived.',
      ),
    stopReason: z.literal(Object.values(StopReason)).describe('0 RUNNING, 1 SATISFIED, 2 STOPPED, 3 EXHAUSTED.'),
    endingKind: z
      .enum(ENDING_KINDS)
      .nullable()
      .describe(
        'Why it was stopped; null unless it was, and for objectives of an earlier release. endReason of the objective says it with figures.',
      ),
    attemptCount: z.int(),
    maximumAttempts: z.int(),
    inputCount: z.int(),
    outputCount: z.int(),
    metCount: z
      .int()
      .nullable()
      .describe('Outputs that meet their objectives in the answer so far; null while nothing has been judged.'),
    limitCount: z
      .int()
      .describe(
        'Outputs that a run can meet by themselves: all but those of a fit, which count together as its misfit.',
      ),
    openCount: z.int().describe('The number of these to minimize or maximize without a target, which no run meets.'),
    limitsMet: z
      .int()
      .nullable()
      .describe('How many of these the answer so far meets; null while nothing has been judged.'),
    misfit: z
      .number()
      .nullable()
      .describe(
        'The misfit of the answer so far, as in misfit of a run; null without a fit, and while nothing has been judged.',
      ),
    worstMiss: z
      .number()
      .nullable()
      .describe(
        'By how much the answer misses its worst output, as in the objective; 0 when it meets all, null while nothing has been judged.',
      ),
    worstOutput: z
      .object({
        number: z.int().nullable().describe('Zero-based; null for exact objectives, which are judged together.'),
        name: z.string().nullable(),
        distance: z
          .number()
          .describe('From being satisfied, in the unit of the output; for exact the L1 norm beyond what is allowed.'),
      })
      .nullable()
      .describe('The output that the answer misses most; null when it meets all or nothing has been judged.'),
    trend: z
      .object({
        iterations: z.array(z.int()).describe('0 means the cases.'),
        misses: z.array(z.number()).describe('The worst miss of the best run so far, after each of the iterations.'),
        misfits: z.array(z.number()).nullable().describe('Likewise its misfit; null without a fit.'),
      })
      .nullable()
      .describe(
        'How near the runs came, at evenly spaced iterations and at the best one. null unless requested, and while nothing has been judged.',
      ),
    waitsFor: z
      .enum(['suggestion', 'output'])
      .nullable()
      .describe('output: a suggested input waits for its output. null: nothing is open.'),
    hasDiagnosis: z.boolean().describe('Whether the objectives may be out of reach; the objective says why.'),
    targets: z
      .array(
        intervalSchema.extend({
          name: z.string(),
          unit: z.string().nullable(),
          objective: z.number().nullable().describe('null where none was stated, to minimize or maximize.'),
          objectiveType: z.enum(ALL_OBJECTIVE_TYPES),
        }),
      )
      .describe(`The targets of the first ${SHOWN_TARGETS} outputs.`),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'ObjectiveGlance' });

export function presentGlance(glance: ObjectiveGlance): z.infer<typeof objectiveGlanceSchema> {
  const { objective, surroundings, metCount, limitCount, openCount, limitsMet, misfit } = glance;
  const { worstMiss, worstOutput, trend, waitsFor, hasDiagnosis } = glance;
  return {
    id: objective.id,
    modelId: surroundings.modelId,
    modelName: surroundings.modelName,
    projectId: surroundings.projectId,
    projectName: surroundings.projectName,
    trialId: objective.trialId,
    trialNumber: surroundings.trialNumber,
    number: objective.number,
    ...presentMarks(objective),
    inProject: glance.inProject,
    stopReason: objective.stopReason,
    endingKind: presentEnd(objective).endingKind,
    attemptCount: objective.attemptCount,
    maximumAttempts: objective.maximumAttempts,
    inputCount: objective.initialInput.length,
    outputCount: objective.objectives.length,
    metCount,
    limitCount,
    openCount,
    limitsMet,
    misfit,
    worstMiss,
    worstOutput: worstOutput && { ...worstOutput, name: nameOf(objective, worstOutput) },
    trend: trend && {
      iterations: [...trend.iterations],
      misses: [...trend.misses],
      misfits: trend.misfits && [...trend.misfits],
    },
    waitsFor,
    hasDiagnosis,
    targets: presentTargets(glance),
    createdAt: toTimestamp(objective.createdAt),
    updatedAt: toTimestamp(objective.updatedAt),
  };
}

function presentTargets({ objective, surroundings }: ObjectiveGlance) {
  const { objectives, objectiveTypes, labels } = objective;
  const names = outputNamesOf(objectives.length, labels?.outputNames ?? null);
  const stated = statedTargets(objective);
  return compileGoal(objective)
    .targets.slice(0, SHOWN_TARGETS)
    .map((target, j) => ({
      ...presentInterval(target),
      name: names[j]!,
      unit: surroundings.outputUnits?.[j] || null,
      objective: stated[j]!,
      objectiveType: objectiveTypes[j]!,
    }));
}

function nameOf({ labels }: Objective, { number }: WorstOutput): string | null {
  return number === null ? null : (labels?.outputNames?.[number] ?? null);
}
