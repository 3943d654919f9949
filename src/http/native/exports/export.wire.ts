/**
 * The lines of an export, one JSON text each. Records have the same fields as elsewhere under /v1, except those that can be
 * derived. JSON from the database is copied into its line unchanged.
 */
import { z } from 'zod';
import type {
  ExportedExplanation,
  ExportedInverse,
  ExportPage,
  ExportRecord,
} from '../../../application/exports/export-records.ts';
import { toRows } from '../../../domain/data/jacobian.ts';
import { RUN_VIEWS } from '../../../domain/data/run-fields.ts';
import type { OutputCaseSet } from '../../../domain/data/trial.ts';
import { InputType } from '../../../domain/problem/input-space.ts';
import type { Project } from '../../../domain/problem/project.ts';
import { ALL_OBJECTIVE_TYPES, type Objective, statedTargets } from '../../../domain/search/objective.ts';
import { StopReason } from '../../../domain/search/stop-reason.ts';
import { batchSchema, presentBatch } from '../../wire/batch.ts';
import { timestamp, toOptionalTimestamp, toTimestamp } from '../../wire/fields.ts';
import { correctionSchema, presentCorrection } from '../corrections/corrections.wire.ts';
import { presentRow, runShape, valueSchema } from '../data/run-fields.wire.ts';
import { presentTrial, trialSchema } from '../data/trials.wire.ts';
import { evaluationSchema, presentEvaluation } from '../evaluations/evaluations.wire.ts';
import { noteSchema, presentNote } from '../notes/notes.wire.ts';
import { modelSchema, presentModel } from '../problem/models.wire.ts';
import {
  endReasonField,
  learningFields,
  markFields,
  presentLearning,
  presentMarks,
  targetsSchema,
} from '../search/objectives.wire.ts';

export const EXPORT_MEDIA_TYPE = 'application/x-ndjson';
const FORMAT = 'backsolve-export';
/** Incremented when a reader of the previous version could misunderstand a line. */
const VERSION = 1;

const vector = z.array(z.number());
const labels = z.array(z.string()).nullable();
const bounds = z.array(z.number().nullable());
const camelInstants = { createdAt: timestamp, updatedAt: timestamp, disabledAt: timestamp.nullable() };
const caseFields = {
  first: z.int().describe('Zero-based number of the first of these rows.'),
  rows: z.array(vector),
};

const jacobiansField = {
  jacobians: z
    .array(valueSchema('jacobian').nullable())
    .optional()
    .describe('The derivatives of these rows, null where none are known; left out where no case has any.'),
};

export const exportLineSchema = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('header'),
      format: z.literal(FORMAT),
      version: z.literal(VERSION),
      exportedAt: timestamp,
      modelId: z.int().nullable().describe('null: all models of the account.'),
      deleted: z.boolean().describe('Whether deleted records are included.'),
    }),
    modelSchema.extend({ type: z.literal('model') }),
    z.object({
      type: z.literal('project'),
      id: z.int(),
      modelId: z.int(),
      name: z.string(),
      inputCount: z.int(),
      minimums: vector,
      maximums: vector,
      inputTypes: z.array(z.enum(Object.values(InputType))),
      categories: z.array(z.array(z.string())),
      inputNames: labels,
      inputUnits: labels,
      outputNames: labels,
      outputUnits: labels,
      caseCount: z.int(),
      outputCount: z.int().nullable(),
      maximumEvaluations: z.int().nullable(),
      seed: z.int(),
      details: z.looseObject({}).optional().describe('Details of the inputs beyond bounds and types.'),
      developedAt: timestamp.nullable(),
      ...camelInstants,
    }),
    z.object({ type: z.literal('inputCases'), projectId: z.int(), ...caseFields }),
    z.object({
      type: z.literal('outputCaseSet'),
      id: z.int(),
      model_id: z.int(),
      project_id: z.int(),
      output_count: z.int(),
      case_count: z.int(),
      failed_cases: z.array(z.int()),
      created_at: timestamp,
      updated_at: timestamp,
      disabled_at: timestamp.nullable(),
    }),
    z.object({ type: z.literal('outputCases'), outputCaseSetId: z.int(), ...caseFields, ...jacobiansField }),
    trialSchema.extend({ type: z.literal('trial') }),
    z.object({
      type: z.literal('addedCases'),
      trialId: z.int(),
      revision: z.int(),
      firstNumber: z.int().describe('Number of the first of these cases of the trial.'),
      source: z.string().nullable(),
      failedCases: z.array(z.int()).describe('Zero-based rows of these whose run failed.'),
      createdAt: timestamp,
      inputs: z.array(vector),
      outputs: z.array(vector),
      ...jacobiansField,
    }),
    z.object({
      type: z.literal('objective'),
      id: z.int(),
      trialId: z.int(),
      number: z.int(),
      objectives: targetsSchema,
      objectiveTypes: z.array(z.enum(ALL_OBJECTIVE_TYPES)),
      minimumBounds: bounds,
      maximumBounds: bounds,
      desiredL1Norm: z.number(),
      convergence: z.number(),
      initialInput: vector,
      initialOutput: vector,
      maximumAttempts: z.int(),
      attemptCount: z.int(),
      stopReason: z.literal(Object.values(StopReason)),
      ...endReasonField,
      optimalInverseId: z.int().nullable(),
      seed: z.int(),
      ...learningFields,
      parallelism: z.int(),
      holdBack: z.boolean(),
      completedCount: z.int(),
      batchId: z.int().nullable(),
      ...markFields,
      ...camelInstants,
    }),
    z.object({
      type: z.literal('explanation'),
      objectiveId: z.int(),
      caseCount: z.int(),
      insight: z.array(z.looseObject({})).nullable(),
      diagnosis: z.looseObject({}).nullable(),
      standing: z.looseObject({}).nullable(),
      advice: z.array(z.looseObject({})).nullable(),
    }),
    z.object({
      type: z.literal('inverse'),
      ...runShape(RUN_VIEWS.exported, true),
    }),
    noteSchema.extend({
      type: z.literal('note'),
      content: z
        .string()
        .nullable()
        .describe('The file in base64; null: the note has none, or the storage of files has lost it.'),
    }),
    correctionSchema.extend({ type: z.literal('correction'), trialId: z.int() }),
    z.object({
      type: z.literal('workbook'),
      id: z.int(),
      name: z.string(),
      content: z.string().describe('The file in base64.'),
    }),
    batchSchema.extend({ type: z.literal('batch') }),
    evaluationSchema.extend({ type: z.literal('evaluation') }),
    z.object({
      type: z.literal('end'),
      lines: z.int().describe('Number of lines before this one. Without this line an export is incomplete.'),
    }),
  ])
  .meta({ id: 'ExportLine' });

export interface ExportScope {
  /** null: all models of the account. */
  readonly modelId: number | null;
  readonly withDeleted: boolean;
  readonly exportedAt: Date;
}

/** The text of an export in pieces of whole lines. If reading fails, it throws before the last line. */
export async function* presentExport(
  scope: ExportScope,
  pages: AsyncIterable<ExportPage>,
): AsyncGenerator<string, void> {
  const header = {
    type: 'header',
    format: FORMAT,
    version: VERSION,
    exportedAt: toTimestamp(scope.exportedAt),
    modelId: scope.modelId,
    deleted: scope.withDeleted,
  };
  yield `${JSON.stringify(header)}\n`;
  let lines = 1;
  for await (const page of pages) {
    lines += page.length;
    yield* toPieces(page);
  }
  yield `${JSON.stringify({ type: 'end', lines })}\n`;
}

/** Long pieces would stay in memory until the next major garbage collection; short ones cost too many event loop iterations. */
const PIECE_LENGTH = 65_536;

function* toPieces(page: ExportPage): Generator<string, void> {
  let piece = '';
  for (const record of page) {
    piece += `${presentLine(record)}\n`;
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

function presentLine(record: ExportRecord): string {
  const { type } = record;
  switch (type) {
    case 'model':
      return JSON.stringify({ type, ...presentModel(record.model) });
    case 'project':
      return JSON.stringify({ type, ...presentProject(record.project) });
    case 'inputCases':
      return withJson({ type, projectId: record.projectId, first: record.cases.first }, { rows: record.cases.rows });
    case 'outputCaseSet':
      return JSON.stringify({ type, ...presentSet(record.set) });
    case 'outputCases': {
      const { outputCaseSetId, cases } = record;
      const { first, rows, jacobians } = cases;
      return withJson({ type, outputCaseSetId, first, ...(jacobians && { jacobians }) }, { rows });
    }
    case 'trial':
      return JSON.stringify({ type, ...presentTrial(record.trial) });
    case 'addedCases':
      return presentAddedCases(record);
    case 'objective':
      return JSON.stringify({ type, ...presentObjective(record.objective, record.endReason) });
    case 'explanation':
      return presentExplanation(record.explanation);
    case 'inverse':
      return presentInverse(record.inverse);
    case 'note': {
      const content = record.content && Buffer.from(record.content).toString('base64');
      return JSON.stringify({ type, ...presentNote(record.note), content });
    }
    case 'correction':
      return JSON.stringify({ type, trialId: record.trialId, ...presentCorrection(record.correction) });
    case 'workbook': {
      const { id, name, content } = record.workbook;
      return JSON.stringify({ type, id, name, content: Buffer.from(content).toString('base64') });
    }
    case 'batch':
      return JSON.stringify({ type, ...presentBatch(record.batch) });
    case 'evaluation':
      return JSON.stringify({ type, ...presentEvaluation(record.evaluation) });
  }
}

/** The JSON text of an object with additional fields whose values are already JSON. */
function withJson(fields: object, texts: Readonly<Record<string, string>>): string {
  const more = Object.entries(texts).map(([name, text]) => `,${JSON.stringify(name)}:${text}`);
  return `${JSON.stringify(fields).slice(0, -1)}${more.join('')}}`;
}

/** Details held the names of inputs once, and still show them. */
function presentProject({ names, details, ...project }: Project) {
  const { inputNames, inputUnits } = names;
  return {
    ...project,
    ...names,
    ...(details && { details: { inputNames, inputUnits, ...details } }),
    developedAt: toOptionalTimestamp(project.developedAt),
    createdAt: toTimestamp(project.createdAt),
    updatedAt: toTimestamp(project.updatedAt),
    disabledAt: toOptionalTimestamp(project.disabledAt),
  };
}

function presentSet(set: OutputCaseSet) {
  return {
    id: set.id,
    model_id: set.modelId,
    project_id: set.projectId,
    output_count: set.outputCount,
    case_count: set.caseCount,
    failed_cases: set.failedCases,
    created_at: toTimestamp(set.createdAt),
    updated_at: toTimestamp(set.updatedAt),
    disabled_at: toOptionalTimestamp(set.disabledAt),
  };
}

function presentObjective(objective: Objective, endReason: string | null) {
  return {
    id: objective.id,
    trialId: objective.trialId,
    number: objective.number,
    objectives: statedTargets(objective),
    objectiveTypes: objective.objectiveTypes,
    minimumBounds: objective.minimumBounds,
    maximumBounds: objective.maximumBounds,
    desiredL1Norm: objective.desiredL1Norm,
    convergence: objective.convergence,
    initialInput: objective.initialInput,
    initialOutput: objective.initialOutput,
    maximumAttempts: objective.maximumAttempts,
    attemptCount: objective.attemptCount,
    stopReason: objective.stopReason,
    endReason,
    optimalInverseId: objective.optimalInverseId,
    seed: objective.seed,
    ...presentLearning(objective),
    parallelism: objective.parallelism,
    holdBack: objective.holdBack,
    completedCount: objective.completedCount,
    batchId: objective.batchId,
    ...presentMarks(objective),
    createdAt: toTimestamp(objective.createdAt),
    updatedAt: toTimestamp(objective.updatedAt),
    disabledAt: toOptionalTimestamp(objective.disabledAt),
  };
}

function presentAddedCases({ added: all, jacobians }: Extract<ExportRecord, { type: 'addedCases' }>): string {
  const { failedCases, inputs, outputs, rows: _, jacobians: __, ...added } = all;
  const createdAt = toTimestamp(added.createdAt);
  const fields = { type: 'addedCases', ...added, createdAt, ...(jacobians && { jacobians }) };
  return withJson(fields, { failedCases, inputs, outputs });
}

function presentExplanation({ objectiveId, caseCount, ...learned }: ExportedExplanation): string {
  const { insight, diagnosis, standing, advice } = learned;
  return withJson({ type: 'explanation', objectiveId, caseCount }, { insight, diagnosis, standing, advice });
}

function presentInverse({ input, output, ...inverse }: ExportedInverse): string {
  const fields = RUN_VIEWS.exported.filter((name) => name !== 'input' && name !== 'output');
  const jacobian =
    inverse.jacobian && toRows(inverse.jacobian, (JSON.parse(output) as readonly number[] | null)?.length ?? 1);
  return withJson({ type: 'inverse', ...presentRow(fields, { ...inverse, jacobian }) }, { input, output });
}
