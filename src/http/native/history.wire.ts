/** The history of an objective by columns, for charts: the texts of the database are copied into the answer as they are. */
import { z } from 'zod';
import type { History, HistoryRow, ObjectiveStamp } from '../../application/search/read-history.ts';
import { compileGoal } from '../../domain/acceptance.ts';
import { InputType, Scale } from '../../domain/input-space.ts';
import { InverseStatus } from '../../domain/inverse.ts';
import { tolerancesOf } from '../../domain/nearest.ts';
import { OBJECTIVE_TYPES, type Objective, statedTargets } from '../../domain/objective.ts';
import { StopReason } from '../../domain/search/stop-reason.ts';
import { timestamp, toOptionalTimestamp, toTimestamp } from '../wire/fields.ts';
import { explanationFields, presentExplanation } from './explanation.wire.ts';
import { presentRepeat } from './inverses.wire.ts';
import { endReasonField, presentSettings, settingFields, targetsSchema } from './objectives.wire.ts';

const texts = z.array(z.string()).nullable();
const vectors = z.array(z.array(z.number()).nullable());

/** The values of an output that satisfy it. */
export const intervalSchema = z.object({
  lower: z.number().nullable().describe('null: no lower end.'),
  upper: z.number().nullable().describe('null: no upper end.'),
  lowerOpen: z.boolean().describe('Whether the end itself does not satisfy.'),
  upperOpen: z.boolean(),
});

export const historySchema = z
  .object({
    objectiveId: z.int(),
    number: z.int().describe('1 for the first objective of the trial.'),
    modelId: z.int(),
    modelName: z.string(),
    projectId: z.int(),
    projectName: z.string(),
    trialId: z.int(),
    trialNumber: z.int(),
    createdAt: timestamp,
    continuedBy: z.array(z.int()).describe('Ids of the objectives that go on from it, oldest first.'),
    openIterations: z
      .array(z.int())
      .describe(
        'Those that wait for their outputs or are being computed. Iterations before the first of them are final.',
      ),
    revision: z.int().describe('Of the data of the trial. When it changes, ask for all iterations again.'),
    completedCount: z
      .int()
      .describe('How often an iteration was completed or given up, outputs that came late included.'),
    lateIterations: z
      .array(z.int())
      .describe('With completed: the iterations up to after that have got an output since. Ask for them again.'),
    insightVersion: z
      .string()
      .describe('Of insight and diagnosis; send it as knownInsight to get them only when they differ.'),
    isInsightKnown: z.boolean().describe('Whether knownInsight is still right; insight and diagnosis are null then.'),
    stopReason: z.literal(Object.values(StopReason)).describe('0 RUNNING, 1 SATISFIED, 2 STOPPED, 3 EXHAUSTED.'),
    ...endReasonField,
    attemptCount: z.int(),
    maximumAttempts: z.int(),
    every: z
      .int()
      .describe(
        'Of how many iterations one is here, besides the first, the last, the optimal and the best one; larger than asked for if there are more than 500,000 numbers.',
      ),
    optimalIteration: z.int().nullable().describe('Of optimalInverse.'),
    bestIteration: z
      .int()
      .nullable()
      .describe('The iteration that comes nearest so far; null when a case is nearer, or nothing has been judged.'),
    bestCaseNumber: z.int().nullable().describe('1 for the first input case; null when an iteration comes nearest.'),
    bestInput: z
      .array(z.number())
      .nullable()
      .describe('Of bestIteration or bestCaseNumber; null while nothing has been judged.'),
    bestOutput: z.array(z.number()).nullable(),
    objectives: targetsSchema,
    objectiveTypes: z.array(z.enum(OBJECTIVE_TYPES)),
    ...settingFields,
    l1Threshold: z
      .number()
      .nullable()
      .describe('For exact objectives, the largest sum of distances from the targets that satisfies; null for others.'),
    intervals: z
      .array(intervalSchema)
      .describe('One per output: the values that satisfy it. For exact, the share of l1Threshold of each.'),
    tolerances: z
      .array(z.number())
      .describe(
        'One per output, in its unit: the distance from its interval that counts as a miss of 1. The best run has the smallest worst miss, then the smallest sum. For exact, l1Threshold: all outputs miss together, by the excess of the sum.',
      ),
    inputTypes: z.array(z.enum(Object.values(InputType))),
    minimums: z.array(z.number()),
    maximums: z.array(z.number()),
    scales: z.array(z.enum(Object.values(Scale)).nullable()).nullable(),
    categories: z.array(z.array(z.string())).describe('One list per input, empty unless it is a category.'),
    inputNames: texts,
    inputUnits: texts,
    outputNames: texts,
    outputUnits: texts,
    iterations: z.array(z.int()).describe('1 is the initial point; the lists below have one entry per iteration.'),
    inverseIds: z.array(z.int()),
    statuses: z.array(z.enum(Object.values(InverseStatus))),
    loadedAt: z.array(timestamp.nullable()),
    computeTimes: z.array(z.number()).describe('Nanoseconds from the suggestion to its output.'),
    failureReasons: z.record(z.string(), z.string()).describe('By iteration, for those that have one.'),
    repeatOf: z
      .record(z.string(), z.int().nullable())
      .describe(
        'By iteration, for those that run an input again: the inverse that ran it first; null when that is a case or the run of another objective.',
      ),
    excluded: z.array(z.int()).describe('Iterations that a correction has excluded.'),
    corrected: z.array(z.int()).describe('Iterations that were ever corrected.'),
    inputs: vectors.describe('null while the suggestion is being computed.'),
    outputs: vectors.describe('null until loaded.'),
    ...explanationFields,
  })
  .meta({ id: 'History' });

/** Pieces of the JSON text. The columns are gathered first, so that no more than one answer of them is in memory. */
export async function* presentHistory(history: History, stamp: ObjectiveStamp): AsyncGenerator<string, void> {
  const lists: Record<ListName, string[]> = {
    iterations: [],
    inverseIds: [],
    statuses: [],
    loadedAt: [],
    computeTimes: [],
    inputs: [],
    outputs: [],
  };
  const failureReasons: Record<string, string> = {};
  const repeats: Record<string, number | null> = {};
  const excluded: number[] = [];
  for await (const rows of history.batches) {
    for (const name of LIST_NAMES) lists[name].push(rows.map(TEXT_OF[name]).join(','));
    for (const { iteration, failureReason, isExcluded, ...row } of rows) {
      const { isRepeat, repeatOf } = presentRepeat(row);
      if (isRepeat) repeats[iteration] = repeatOf;
      if (failureReason !== null) failureReasons[iteration] = failureReason;
      if (isExcluded) excluded.push(iteration);
    }
    // Lets another slice begin.
    yield '';
  }
  const { objective, explanation, best } = history;
  yield JSON.stringify({
    ...presentHead(history),
    insightVersion: presentInsightVersion(stamp),
    isInsightKnown: explanation === undefined,
    failureReasons,
    repeatOf: repeats,
    excluded,
    corrected: history.correctedIterations,
  }).slice(0, -1);
  for (const name of LIST_NAMES) {
    yield `,"${name}":[`;
    for (const [i, text] of lists[name].entries()) yield i === 0 ? text : `,${text}`;
    yield ']';
  }
  yield `,${JSON.stringify(presentExplanation(objective, explanation ?? null, best)).slice(1)}`;
}

const LIST_NAMES = ['iterations', 'inverseIds', 'statuses', 'loadedAt', 'computeTimes', 'inputs', 'outputs'] as const;
type ListName = (typeof LIST_NAMES)[number];

const TEXT_OF: Readonly<Record<ListName, (row: HistoryRow) => string | number>> = {
  iterations: ({ iteration }) => iteration,
  inverseIds: ({ id }) => id,
  statuses: ({ status }) => `"${status}"`,
  loadedAt: ({ loadedAt }) => JSON.stringify(toOptionalTimestamp(loadedAt)),
  computeTimes: ({ computeTimeNs }) => computeTimeNs,
  inputs: ({ input }) => (input === null ? 'null' : `[${input}]`),
  outputs: ({ output }) => (output === null ? 'null' : `[${output}]`),
};

/** Equal only if insight and diagnosis are. A diagnosis names the best run, which any output may change. */
export function presentInsightVersion(stamp: ObjectiveStamp): string {
  const { caseCount, explainedId, explainedAt, projectUpdatedAt, stopReason } = stamp;
  const isSatisfied = stopReason === StopReason.satisfied;
  const facts = [
    explainedId ?? 0,
    caseCount ?? 0,
    explainedAt?.getTime() ?? 0,
    projectUpdatedAt.getTime(),
    isSatisfied,
    ...(stamp.hasDiagnosis ? [stamp.dataRevision, stamp.completedCount] : []),
  ];
  return facts.join('-');
}

function presentHead(history: History) {
  const { objective, surroundings, columns, every, optimalIteration, best, openIterations, lateIterations, endReason } =
    history;
  const { modelId, modelName, projectId, projectName, trialNumber } = surroundings;
  const { inputNames, inputUnits, outputNames, outputUnits } = columns;
  const { inputTypes, minimums, maximums, scales, categories } = columns;
  return {
    objectiveId: objective.id,
    number: objective.number,
    modelId,
    modelName,
    projectId,
    projectName,
    trialId: objective.trialId,
    trialNumber,
    createdAt: toTimestamp(objective.createdAt),
    continuedBy: history.continuedBy,
    openIterations,
    revision: objective.dataRevision,
    completedCount: objective.completedCount,
    lateIterations,
    stopReason: objective.stopReason,
    endReason,
    attemptCount: objective.attemptCount,
    maximumAttempts: objective.maximumAttempts,
    every,
    optimalIteration,
    bestIteration: best?.source.kind === 'inverse' ? best.source.iteration : null,
    bestCaseNumber: best?.source.kind === 'case' ? best.source.number + 1 : null,
    bestInput: best?.input ?? null,
    bestOutput: best?.output ?? null,
    objectives: statedTargets(objective),
    objectiveTypes: objective.objectiveTypes,
    ...presentSettings(objective),
    ...presentGoal(objective),
    inputTypes,
    minimums,
    maximums,
    scales,
    categories,
    inputNames,
    inputUnits,
    outputNames,
    outputUnits,
  };
}

function presentGoal(objective: Objective) {
  const { targets, l1 } = compileGoal(objective);
  return {
    l1Threshold: l1?.threshold ?? null,
    tolerances: tolerancesOf(objective),
    intervals: targets.map(presentInterval),
  };
}

type Interval = ReturnType<typeof compileGoal>['targets'][number];

export function presentInterval({ lower, upper, lowerOpen, upperOpen }: Interval): z.infer<typeof intervalSchema> {
  const end = (value: number) => (Number.isFinite(value) ? value : null);
  return { lower: end(lower), upper: end(upper), lowerOpen, upperOpen };
}

/** A strong ETag: equal only if the history is. */
export function presentETag(stamp: ObjectiveStamp, format: string): string {
  const {
    id,
    iteration,
    status,
    hasInput,
    hasOutput,
    stopReason,
    caseCount,
    explainedId,
    dataRevision,
    completedCount,
    isJudged,
    updatedAt,
    projectUpdatedAt,
  } = stamp;
  const state = `${status}${hasInput ? '+' : '-'}${hasOutput ? '+' : '-'}`;
  const explained = `${caseCount ?? 0}-${explainedId ?? 0}`;
  const facts = [
    id,
    iteration,
    state,
    stopReason,
    explained,
    dataRevision,
    completedCount,
    isJudged,
    updatedAt.getTime(),
    projectUpdatedAt.getTime(),
    format,
  ];
  return `"${facts.join('.')}"`;
}
