import { z } from 'zod';
import {
  checkFailedCases,
  type OutputCaseSet,
  type OutputCases,
  type RowByName,
  toOutputMatrix,
} from '../../../domain/data/trial.ts';
import { LISTED_VIOLATIONS, makeViolation, type Violation } from '../../../domain/errors.ts';
import type { Matrix } from '../../../domain/matrix.ts';
import { isByName } from '../../../domain/problem/names.ts';
import type { JsonArray } from '../../answer/json-array.ts';
import type { BodySpec, SentFields } from '../../body/spec.ts';
import { caseRowsSchema, failedRowsSchema } from '../../wire/case-rows.ts';
import { timestamp, toOptionalTimestamp, toTimestamp } from '../../wire/fields.ts';
import { MAXIMUM_OUTPUT_COUNT } from '../../wire/limits.ts';
import { arrayFault, findNonNumbers, JACOBIAN_DESCRIPTION, jacobianSchema, numberFault } from '../../wire/vectors.ts';
import { type Parsed, readFields } from '../../wire/violations.ts';
import { outputByNameSchema } from '../problem/by-name.wire.ts';

const outputCount = z.int().min(1).max(MAXIMUM_OUTPUT_COUNT);

const outputRow = z.union([z.array(z.number()).min(1).max(MAXIMUM_OUTPUT_COUNT), z.record(z.string(), z.number())]);

const outputCases = caseRowsSchema(outputRow).describe(
  'Row i belongs to input case i and has outputCount values, in an array or by the names of the outputs. There may be fewer rows than input cases.',
);

const failedCases = failedRowsSchema.describe('Zero-based rows whose run failed; their values are ignored.');

const jacobians = z
  .array(jacobianSchema)
  .optional()
  .describe(`One entry per row of outputCases, null where nothing is known. ${JACOBIAN_DESCRIPTION}`);

const newOutputCasesSchema = z.strictObject({ outputCount, outputCases, failedCases, jacobians }).meta({
  id: 'NewOutputCases',
  examples: [
    {
      outputCount: 2,
      outputCases: [
        [1.5, 20],
        [1.75, 18.5],
        [0, 0],
      ],
      failedCases: [2],
    },
  ],
});

/**
 * Every row is an array of outputCount finite numbers, except rows of failed runs, which may contain anything; without
 * numbers they become zeros. Rows by name are read by the use case, which knows the names.
 */
function readOutputCases(body: SentFields): Parsed<OutputCases> {
  const { fields, violations: shapeViolations } = readFields(newOutputCasesSchema, body);
  const { outputCount: count, outputCases: sent = [], failedCases: failedRows = [], jacobians: sentJacobians } = fields;
  const violations = [...shapeViolations];
  const failed = new Set(failedRows);
  const rows: (readonly number[])[] = [];
  const byName: RowByName[] = [];
  const instead = Array.from({ length: count ?? 0 }, () => 0);
  for (let i = 0; i < sent.length && violations.length < LISTED_VIOLATIONS; i++) {
    const row = sent[i];
    if (isByName(row)) {
      if (!failed.has(i)) byName.push({ row: i, output: row });
      rows.push(instead);
      continue;
    }
    const faults = checkRow(row, i, LISTED_VIOLATIONS - violations.length);
    if (!failed.has(i)) violations.push(...faults);
    rows.push(faults.length === 0 ? (row as number[]) : []);
  }
  if (fields.outputCases !== undefined) violations.push(...checkFailedCases(failedRows, sent.length));
  if (sentJacobians !== undefined && sentJacobians.length !== sent.length) {
    const message = `must have one entry per row of outputCases (${sent.length}), has ${sentJacobians.length}.`;
    violations.push(makeViolation(['jacobians'], message));
  }
  if (count === undefined || rows.length < sent.length) return { kind: 'violations', violations };
  const isNamed = new Set(violations.map(({ pointer }) => pointer.split('/', 3).join('/')));
  const { matrix, violations: uneven } = toOutputMatrix(rows, count, failedRows);
  violations.push(...uneven.filter(({ pointer }) => !isNamed.has(pointer)));
  if (violations.length > 0) return { kind: 'violations', violations };
  const value = {
    outputCount: count,
    outputCases: matrix,
    failedCases: failedRows,
    ...(sentJacobians && { sentJacobians }),
  };
  return { kind: 'value', value: byName.length > 0 ? { ...value, byName } : value };
}

function checkRow(row: unknown, i: number, limit: number): readonly Violation[] {
  const fault = arrayFault(row, { minimum: 0, maximum: MAXIMUM_OUTPUT_COUNT }, 'numbers');
  if (fault !== undefined) return [makeViolation(['outputCases', i], fault)];
  const values = row as readonly unknown[];
  return findNonNumbers(values, limit).map((j) => makeViolation(['outputCases', i, j], numberFault(values[j])));
}

export const newOutputCases: BodySpec<OutputCases> = {
  schema: newOutputCasesSchema,
  size: 'cases',
  read: readOutputCases,
  countNumbers: ({ outputCases }) => outputCases.values.length,
};

const setFields = {
  id: z.int(),
  model_id: z.int(),
  project_id: z.int(),
  output_count: z.int(),
  created_at: timestamp,
  updated_at: timestamp,
};
const casesField = { output_cases: z.array(z.array(z.number())) };
const trialField = { trial_id: z.int().describe('The trial created by the load.') };
const anyTrialField = {
  trial_id: z
    .int()
    .nullable()
    .describe('The trial created by the load; once that is purged, the oldest other trial on the set, or null.'),
};
const stateFields = {
  case_count: z.int(),
  failed_cases: z.array(z.int()),
  disabled_at: timestamp.nullable(),
};

export const loadedSetSchema = z
  .object({ ...setFields, ...casesField, ...trialField })
  .meta({ id: 'LoadedOutputCaseSet' });

/** As in lists: without its cases, which have their own list. */
export const outputCaseSetSummarySchema = z
  .object({ ...setFields, ...anyTrialField, ...stateFields })
  .meta({ id: 'OutputCaseSetSummary' });

export const outputCaseSetSchema = z
  .object({ ...setFields, ...casesField, ...anyTrialField, ...stateFields })
  .meta({ id: 'OutputCaseSet' });

export const outputCaseSchema = z
  .object({
    number: z.int().describe('1 for the first case, which belongs to the first input case.'),
    output: z.array(z.number()).nullable().describe('null if the run failed.'),
    outputByName: outputByNameSchema,
  })
  .meta({ id: 'OutputCase' });

export function presentLoadedSet(set: OutputCaseSet, outputCases: Matrix | JsonArray, trialId: number) {
  return { ...presentSetFields(set), output_cases: outputCases, trial_id: trialId };
}

export function presentOutputCaseSetSummary(view: {
  readonly set: OutputCaseSet;
  readonly trialId: number | null;
}): z.infer<typeof outputCaseSetSummarySchema> {
  return {
    ...presentSetFields(view.set),
    trial_id: view.trialId,
    case_count: view.set.caseCount,
    failed_cases: [...view.set.failedCases],
    disabled_at: toOptionalTimestamp(view.set.disabledAt),
  };
}

/** `outputCases` is streamed row by row: it may not fit into memory. */
export function presentOutputCaseSet(
  view: { readonly set: OutputCaseSet; readonly trialId: number | null },
  outputCases: Matrix | JsonArray,
) {
  return { ...presentOutputCaseSetSummary(view), output_cases: outputCases };
}

function presentSetFields(set: OutputCaseSet) {
  return {
    id: set.id,
    model_id: set.modelId,
    project_id: set.projectId,
    output_count: set.outputCount,
    created_at: toTimestamp(set.createdAt),
    updated_at: toTimestamp(set.updatedAt),
  };
}
