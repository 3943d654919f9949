/** The history of an objective by columns, for charts: the texts of the database are copied into the answer as they are. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { History, HistoryRow, ObjectiveStamp } from '../../../application/search/read-history.ts';
import {
  HISTORY_COLUMNS,
  type HistoryColumnName,
  type HistoryFieldName,
  RUN_FIELDS,
} from '../../../domain/data/run-fields.ts';
import { InputType, Scale } from '../../../domain/problem/input-space.ts';
import { compileGoal } from '../../../domain/search/acceptance.ts';
import { ownIterationOf } from '../../../domain/search/answer.ts';
import { type MissMeasure, makeMissMeasure, tolerancesOf } from '../../../domain/search/nearest.ts';
import { ALL_OBJECTIVE_TYPES, type Objective, statedTargets } from '../../../domain/search/objective.ts';
import { StopReason } from '../../../domain/search/stop-reason.ts';
import { timestamp, toOptionalTimestamp, toTimestamp } from '../../wire/fields.ts';
import { type FieldSchema, fieldSchema, type KindSchema, presentValue, valueSchema } from '../data/run-fields.wire.ts';
import { answerSchema, presentAnswer } from './answer.wire.ts';
import { explanationFields, presentExplanation } from './explanation.wire.ts';
import { fitQualitySchema, presentFitQuality } from './fit.wire.ts';
import {
  endFields,
  endReasonField,
  markFields,
  presentEnd,
  presentMarks,
  presentSettings,
  settingFields,
  targetsSchema,
} from './objectives.wire.ts';

const texts = z.array(z.string()).nullable();

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
    ...markFields,
    modelId: z.int(),
    modelName: z.string(),
    projectId: z.int(),
    projectName: z.string(),
    trialId: z.int(),
    trialNumber: z.int(),
    createdAt: timestamp,
    continuedBy: z.array(z.int()).describe('Ids of the objectives that go on from it, oldest first.'),
    typing: z
      .array(z.object({ inverseId: z.int(), writer: z.string(), updatedAt: timestamp }))
      .describe('Outputs that are typed on the page for its inverses and not sent yet, by browser.'),
    openIterations: z
      .array(z.int())
      .describe(
        'The iterations that wait for their outputs or are being computed. Those before the first of them are final.',
      ),
    revision: z.int().describe('The revision of the data of the trial. When it changes, ask for all iterations again.'),
    notesChangedAt: timestamp
      .nullable()
      .describe(
        'The last change of the notes on the objective and its runs; null: there are none. When it changes, notes of earlier iterations may have.',
      ),
    completedCount: z
      .int()
      .describe('How often an iteration was completed or given up, outputs that came late included.'),
    lateIterations: z
      .array(z.int())
      .describe('With completed: the iterations up to after that have got an output since. Ask for them again.'),
    insightVersion: z
      .string()
      .describe('The version of insight and diagnosis; send it as knownInsight to get them only when they differ.'),
    isInsightKnown: z.boolean().describe('Whether knownInsight is still right; insight and diagnosis are null then.'),
    stopReason: z.literal(Object.values(StopReason)).describe('0 RUNNING, 1 SATISFIED, 2 STOPPED, 3 EXHAUSTED.'),
    ...endReasonField,
    ...endFields,
    attemptCount: z.int(),
    maximumAttempts: z.int(),
    every: z
      .int()
      .describe(
        'One iteration in this many is here, besides the first, the last, the optimal one and that of the answer; larger than requested if there are more than 500,000 numbers.',
      ),
    optimalIteration: z.int().nullable().describe('The iteration of optimalInverse.'),
    answer: answerSchema.nullable().describe('As of the objective. The fields that begin with best have the same.'),
    startBreaksLimit: z
      .boolean()
      .describe(
        'Whether iteration 1, the initial point, breaks a limit on the inputs: then it is data, and never the answer.',
      ),
    bestIteration: z
      .int()
      .nullable()
      .describe('The iteration of the answer; null when it is a case, or nothing has been judged.'),
    bestCaseNumber: z.int().nullable().describe('1 for the first input case; null when the answer is an iteration.'),
    bestInput: z
      .array(z.number())
      .nullable()
      .describe('The input of bestIteration or bestCaseNumber; null while nothing has been judged.'),
    bestOutput: z.array(z.number()).nullable(),
    bestMisses: z.array(z.number()).nullable().describe('The misses of bestOutput, as in misses.'),
    bestMissedBy: z.array(z.number()).nullable(),
    fit: fitQualitySchema.nullable().describe('How well bestOutput fits its data. null without a fit.'),
    objectives: targetsSchema,
    objectiveTypes: z.array(z.enum(ALL_OBJECTIVE_TYPES)),
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
        'One per output, in its unit: the distance from its interval that counts as a miss of 1. The best run has the smallest worst miss, then the smallest sum, counted by weights and priorities. For exact, l1Threshold: all outputs miss together, by the excess of the sum.',
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
    ...columnShape(),
    ...explanationFields,
  })
  .meta({ id: 'History' });

type Column = (typeof HISTORY_COLUMNS)[HistoryColumnName];
type ColumnSchema<C extends Column> = C['as'] extends 'list'
  ? z.ZodArray<FieldSchema<C['of']>>
  : C['as'] extends 'byIteration'
    ? z.ZodRecord<z.ZodString, KindSchema<C['of']>>
    : z.ZodArray<z.ZodInt>;
type ColumnShape = { [Name in HistoryColumnName]: ColumnSchema<(typeof HISTORY_COLUMNS)[Name]> };

function columnShape(): ColumnShape {
  const shape = Object.entries(HISTORY_COLUMNS).map(([name, column]) => {
    const schema = columnSchema(column);
    return [name, 'description' in column ? schema.describe(column.description) : schema];
  });
  return Object.fromEntries(shape) as ColumnShape;
}

function columnSchema({ of, as }: Column): z.ZodType {
  if (as === 'list') return z.array(fieldSchema(of));
  return as === 'byIteration' ? z.record(z.string(), valueSchema(of)) : z.array(z.int());
}

const COLUMNS = Object.entries(HISTORY_COLUMNS) as readonly (readonly [HistoryColumnName, Column])[];

/** Pieces of the JSON text. The columns are gathered first, so that no more than one answer of them is in memory. */
export async function* presentHistory(history: History, stamp: ObjectiveStamp): AsyncGenerator<string, void> {
  const columns = COLUMNS.map(([name, column]) => ({ name, ...column, texts: [] as string[] }));
  const measure = makeMissMeasure(history.objective);
  for await (const rows of history.batches) {
    const judged = rows.map((row) => ({ ...row, ...missesIn(row, measure) }));
    for (const { of, as, texts } of columns) texts.push(TEXTS[as](of, judged));
    // Lets another slice begin.
    yield '';
  }
  const { objective, explanation, answer } = history;
  yield JSON.stringify({
    ...presentHead(history),
    insightVersion: presentInsightVersion(stamp),
    isInsightKnown: explanation === undefined,
    corrected: history.correctedIterations,
    typing: stamp.typing,
  }).slice(0, -1);
  for (const { name, as, texts } of columns.filter((column) => column.of !== 'isCorrected')) {
    const [open, close] = as === 'byIteration' ? '{}' : '[]';
    yield `,"${name}":${open}`;
    yield* separated(texts);
    yield close!;
  }
  yield `,${JSON.stringify(presentExplanation(objective, explanation ?? null, answer)).slice(1)}`;
}

function* separated(texts: readonly string[]): Generator<string, void> {
  let isFirst = true;
  for (const text of texts) {
    if (text === '') continue;
    yield isFirst ? text : `,${text}`;
    isFirst = false;
  }
}

/** A column of some rows as JSON, without its brackets. */
const TEXTS: Readonly<Record<Column['as'], (of: HistoryFieldName, rows: readonly HistoryRow[]) => string>> = {
  list: (of, rows) => rows.map((row) => textOf(of, row)).join(','),
  byIteration: (of, rows) =>
    rows
      .filter((row) => valueIn(row, of) !== null)
      .map((row) => `"${row.iteration}":${textOf(of, row)}`)
      .join(','),
  iterations: (of, rows) =>
    rows
      .filter((row) => valueIn(row, of) === true)
      .map(({ iteration }) => iteration)
      .join(','),
};

function missesIn({ output, source }: HistoryRow, measure: MissMeasure) {
  if (output === null || source !== null) return { misses: null, missedBy: null, misfit: null };
  const values = output.split(',').map(Number);
  return {
    misses: measure.missesOf(values).join(','),
    missedBy: measure.missedByOf(values).join(','),
    misfit: measure.misfitOf(values),
  };
}

function valueIn(row: HistoryRow, name: HistoryFieldName): unknown {
  return (row as Readonly<Partial<Record<HistoryFieldName, unknown>>>)[name];
}

/** Vectors are texts already: numbers with commas in between. */
function textOf(name: HistoryFieldName, row: HistoryRow): string {
  const value = valueIn(row, name);
  if (RUN_FIELDS[name].holds === 'vector') return value === null ? 'null' : `[${value as string}]`;
  return JSON.stringify(presentValue(name, value));
}

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
  const {
    objective,
    surroundings,
    columns,
    every,
    optimalIteration,
    answer,
    startBreaksLimit,
    openIterations,
    lateIterations,
    endReason,
  } = history;
  const { modelId, modelName, projectId, projectName, trialNumber } = surroundings;
  const { inputNames, inputUnits, outputNames, outputUnits } = columns;
  const { inputTypes, minimums, maximums, scales, categories } = columns;
  return {
    objectiveId: objective.id,
    number: objective.number,
    ...presentMarks(objective),
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
    notesChangedAt: toOptionalTimestamp(history.notesChangedAt),
    completedCount: objective.completedCount,
    lateIterations,
    stopReason: objective.stopReason,
    endReason,
    ...presentEnd(objective),
    attemptCount: objective.attemptCount,
    maximumAttempts: objective.maximumAttempts,
    every,
    optimalIteration,
    answer: answer && presentAnswer(answer, objective),
    startBreaksLimit,
    bestIteration: ownIterationOf(answer, objective.id),
    bestCaseNumber: answer?.source.kind === 'case' ? answer.source.number + 1 : null,
    bestInput: answer?.input ?? null,
    bestOutput: answer?.output ?? null,
    bestMisses: answer?.misses ?? null,
    bestMissedBy: answer?.missedBy ?? null,
    fit: presentFitQuality(objective, answer?.output ?? null),
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
    typing,
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
    ...(typing.length === 0 ? [] : [createHash('sha256').update(JSON.stringify(typing)).digest('base64url')]),
  ];
  return `"${facts.join('.')}"`;
}
