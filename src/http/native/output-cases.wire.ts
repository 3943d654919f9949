import { z } from 'zod';
import { LISTED_VIOLATIONS, makeViolation, type Violation } from '../../domain/errors.ts';
import { checkOutputCases, type OutputCaseSet, type OutputCases } from '../../domain/trial.ts';
import { withoutNegativeZero } from '../../domain/vectors.ts';
import type { BodySpec } from '../operation.ts';
import { timestamp, toOptionalTimestamp, toTimestamp } from '../wire/fields.ts';
import { MAXIMUM_CASE_COUNT, MAXIMUM_OUTPUT_COUNT } from '../wire/limits.ts';
import { arrayFault, documentAs, findNonNumbers, listSchema, numberFault } from '../wire/vectors.ts';

const CASES = { minimum: 1, maximum: MAXIMUM_CASE_COUNT };

const outputCount = z.int().min(1).max(MAXIMUM_OUTPUT_COUNT);

/** The list itself; its rows depend on the other fields and are checked by `checkRows`. */
const outputCases = z
  .unknown()
  .transform((value, issues): readonly unknown[] => {
    const fault = arrayFault(value, CASES, 'cases');
    if (fault === undefined) return value as readonly unknown[];
    issues.addIssue({ code: 'custom', message: fault, input: value });
    return z.NEVER;
  })
  .meta(documentAs(z.array(z.array(z.number()).min(1).max(MAXIMUM_OUTPUT_COUNT)).min(1).max(MAXIMUM_CASE_COUNT)))
  .describe('Row i answers input case i and holds outputCount values. Fewer rows than input cases are taken.');

const failedCases = listSchema(z.int().min(0), { minimum: 0, maximum: MAXIMUM_CASE_COUNT })
  .nullish()
  .transform((rows) => rows ?? [])
  .describe('Zero-based rows whose run failed; what these rows hold is ignored.');

const newOutputCasesSchema = z.object({ outputCount, outputCases, failedCases }).meta({
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

/** Every row is an array of finite numbers, except that rows of failed runs may hold anything. */
function checkRowElements(body: Readonly<Record<string, unknown>>): readonly Violation[] {
  const rows = outputCases.safeParse(body.outputCases).data ?? [];
  const ignored = new Set(failedCases.safeParse(body.failedCases).data);
  const violations: Violation[] = [];
  for (let i = 0; i < rows.length && violations.length < LISTED_VIOLATIONS; i++) {
    if (!ignored.has(i)) violations.push(...checkRow(rows[i], i, LISTED_VIOLATIONS - violations.length));
  }
  return violations;
}

function checkRow(row: unknown, i: number, limit: number): readonly Violation[] {
  const fault = arrayFault(row, { minimum: 0, maximum: MAXIMUM_OUTPUT_COUNT }, 'numbers');
  if (fault !== undefined) return [makeViolation(['outputCases', i], fault)];
  const values = row as readonly unknown[];
  return findNonNumbers(values, limit).map((j) => makeViolation(['outputCases', i, j], numberFault(values[j])));
}

/** Lengths, as far as the body alone tells. */
function checkLengthsWhenRefused(body: Readonly<Record<string, unknown>>): readonly Violation[] {
  const count = outputCount.safeParse(body.outputCount);
  const rows = outputCases.safeParse(body.outputCases);
  if (!count.success || !rows.success) return [];
  const failed = failedCases.safeParse(body.failedCases).data ?? [];
  // Only lengths are looked at; what is no array is named by the other check and takes the right length here.
  const anyRow = new Array<number>(count.data).fill(0);
  const outputRows = rows.data.map((row) => (Array.isArray(row) ? (row as number[]) : anyRow));
  const cases = { outputCount: count.data, outputCases: outputRows, failedCases: failed };
  return checkOutputCases(cases, { caseCount: MAXIMUM_CASE_COUNT, outputCount: null }).slice(0, LISTED_VIOLATIONS);
}

export const newOutputCases = {
  schema: newOutputCasesSchema,
  alsoCheck: checkRowElements,
  checkWhenRefused: checkLengthsWhenRefused,
} satisfies BodySpec<unknown>;

/** The body has passed `newOutputCases`. A row of a failed run that holds no numbers becomes empty. */
export function toOutputCases(body: z.infer<typeof newOutputCasesSchema>): OutputCases {
  return {
    outputCount: body.outputCount,
    outputCases: body.outputCases.map((row, i) =>
      checkRow(row, i, 1).length === 0 ? withoutNegativeZero(row as readonly number[]) : [],
    ),
    failedCases: body.failedCases,
  };
}

const setFields = {
  id: z.int(),
  model_id: z.int(),
  project_id: z.int(),
  output_count: z.int(),
  output_cases: z.array(z.array(z.number())),
  created_at: timestamp,
  updated_at: timestamp,
};

export const loadedSetSchema = z
  .object({ ...setFields, trial_id: z.int().describe('The trial that the load created.') })
  .meta({ id: 'LoadedOutputCaseSet' });

export const outputCaseSetSchema = z
  .object({
    ...setFields,
    trial_id: z
      .int()
      .nullable()
      .describe('The trial that the load created; once that is purged the oldest other one on the set, or null.'),
    failed_cases: z.array(z.int()),
    disabled_at: timestamp.nullable(),
  })
  .meta({ id: 'OutputCaseSet' });

export function presentLoadedSet(set: OutputCaseSet, trialId: number): z.infer<typeof loadedSetSchema> {
  return { ...presentSetFields(set), trial_id: trialId };
}

export function presentOutputCaseSet(view: {
  readonly set: OutputCaseSet;
  readonly trialId: number | null;
}): z.infer<typeof outputCaseSetSchema> {
  return {
    ...presentSetFields(view.set),
    trial_id: view.trialId,
    failed_cases: [...view.set.failedCases],
    disabled_at: toOptionalTimestamp(view.set.disabledAt),
  };
}

function presentSetFields(set: OutputCaseSet) {
  return {
    id: set.id,
    model_id: set.modelId,
    project_id: set.projectId,
    output_count: set.outputCount,
    output_cases: set.outputCases.map((row) => [...row]),
    created_at: toTimestamp(set.createdAt),
    updated_at: toTimestamp(set.updatedAt),
  };
}
