import { z } from 'zod';
import {
  type CaseHeading,
  type CaseTable,
  CaseTableWriter,
  LISTED_CASE_VIOLATIONS,
  TOO_MANY_TEXTS,
} from '../../../domain/data/case-table.ts';
import { toRows } from '../../../domain/data/jacobian.ts';
import { RUN_FIELDS } from '../../../domain/data/run-fields.ts';
import { checkFailedCases } from '../../../domain/data/trial.ts';
import { CaseOrigin, type TrialCase } from '../../../domain/data/trial-cases.ts';
import { describeWrongType, makeViolation, refuseViolations, type Violation } from '../../../domain/errors.ts';
import { findNearestName } from '../../../domain/nearest-name.ts';
import { isByName, type Labels } from '../../../domain/problem/names.ts';
import { MAXIMUM_INPUT_COUNT } from '../../../domain/problem/project.ts';
import { parseCsvText } from '../../body/csv-text.ts';
import type { BodySpec, SentFields } from '../../body/spec.ts';
import { parseWorkbook } from '../../body/workbook-cases.ts';
import { caseRowsSchema, failedRowsSchema } from '../../wire/case-rows.ts';
import { nameSchema } from '../../wire/fields.ts';
import { MAXIMUM_NAME_LENGTH, MAXIMUM_OUTPUT_COUNT } from '../../wire/limits.ts';
import { arrayFault, JACOBIAN_DESCRIPTION, jacobianSchema, namedInputValue, numberFault } from '../../wire/vectors.ts';
import { type Parsed, readFields } from '../../wire/violations.ts';
import {
  inputByNameSchema,
  outputByNameSchema,
  presentInputByName,
  presentOutputByName,
} from '../problem/by-name.wire.ts';
import { fieldSchema } from './run-fields.wire.ts';

export const sourceSchema = nameSchema({ minimum: 1, maximum: MAXIMUM_NAME_LENGTH });

const newTrialCasesSchema = z
  .strictObject({
    inputs: caseRowsSchema(
      z.union([z.array(z.number()).min(1).max(MAXIMUM_INPUT_COUNT), z.record(z.string(), namedInputValue)]),
    ).describe('One row per case: a list of numbers, or an object by name; all rows in the same form.'),
    outputs: caseRowsSchema(
      z.union([z.array(z.number()).min(1).max(MAXIMUM_OUTPUT_COUNT), z.record(z.string(), z.number()), z.null()]),
    ).describe('Row i belongs to row i of inputs; null if the run failed.'),
    failed: failedRowsSchema.describe(
      'Zero-based rows whose run failed, besides those whose output is null; their outputs are ignored.',
    ),
    jacobians: z
      .array(jacobianSchema)
      .optional()
      .describe(
        `One entry per row of inputs, null where nothing is known. ${JACOBIAN_DESCRIPTION} A case that is known already keeps what it has: correct it to change its derivatives.`,
      ),
    source: sourceSchema
      .nullish()
      .transform((text) => text ?? null)
      .describe('The source of the cases, shown with each of them.'),
  })
  .meta({
    id: 'NewTrialCases',
    examples: [
      {
        inputs: [
          [1.5, 4],
          [2, 5],
          [2.25, 3],
        ],
        outputs: [[18.5, 0.25], [17, 0.5], null],
        source: 'rig 2012',
      },
    ],
  });

/** Form of the rows of a list: arrays of one length, or objects with the same names. */
type RowForm =
  | { readonly kind: 'array'; readonly length: number }
  | { readonly kind: 'object'; readonly names: readonly string[]; readonly known: ReadonlySet<string> };

interface RowList {
  readonly field: 'inputs' | 'outputs';
  readonly rows: readonly unknown[];
  /** The first row that is not of a failed run; all others have its form. */
  readonly first: number;
  readonly form: RowForm;
}

const MAXIMUM_WIDTH = { inputs: MAXIMUM_INPUT_COUNT, outputs: MAXIMUM_OUTPUT_COUNT };

function readJsonCases(body: SentFields): Parsed<CaseTable> {
  const { fields, violations: shapeViolations } = readFields(newTrialCasesSchema, body);
  const { inputs, outputs, failed: failedRows = [], jacobians: sentJacobians, source = null } = fields;
  const violations = [...shapeViolations];
  if (inputs === undefined || outputs === undefined) return { kind: 'violations', violations };
  if (inputs.length !== outputs.length) {
    const message = `must have one row per row of inputs (${inputs.length}), has ${outputs.length}.`;
    violations.push(makeViolation(['outputs'], message));
  }
  violations.push(...checkFailedCases(failedRows, inputs.length, 'failed'));
  if (sentJacobians !== undefined && sentJacobians.length !== inputs.length) {
    const message = `must have one entry per row of inputs (${inputs.length}), has ${sentJacobians.length}.`;
    violations.push(makeViolation(['jacobians'], message));
  }
  const failed = new Set(failedRows);
  for (const [row, output] of outputs.entries()) if (output === null) failed.add(row);
  const firstRun = outputs.findIndex((_, row) => !failed.has(row));
  const lists = [
    readForm('inputs', inputs, 0, violations),
    // Without a single output there is nothing to say about their number.
    firstRun < 0 ? [] : readForm('outputs', outputs, firstRun, violations),
  ].flat();
  if (violations.length > 0) return { kind: 'violations', violations };
  const headings = lists.flatMap(headingsOf);
  const writer = new CaseTableWriter(headings.length);
  for (let row = 0; row < inputs.length && violations.length < LISTED_CASE_VIOLATIONS; row++) {
    for (const list of lists) {
      if (list.field === 'outputs' && failed.has(row)) skipRow(writer, list.form);
      else readRow(writer, list, row, violations);
    }
  }
  if (violations.length > 0) return { kind: 'violations', violations: violations.slice(0, LISTED_CASE_VIOLATIONS) };
  const value = {
    headings,
    ...writer.take(),
    failed: [...failed].sort((a, b) => a - b),
    ...(sentJacobians && { sentJacobians }),
    lines: null,
    source,
  };
  return { kind: 'value', value };
}

function readForm(
  field: RowList['field'],
  rows: readonly unknown[],
  first: number,
  violations: Violation[],
): readonly RowList[] {
  const row = rows[first];
  const refuse = (message: string): readonly RowList[] => {
    violations.push(makeViolation([field, first], message));
    return [];
  };
  const width = { minimum: 1, maximum: MAXIMUM_WIDTH[field] };
  if (isByName(row)) {
    const names = Object.keys(row);
    const fault = arrayFault(names, width, 'names');
    return fault === undefined
      ? [{ field, rows, first, form: { kind: 'object', names, known: new Set(names) } }]
      : refuse(fault);
  }
  if (!Array.isArray(row)) {
    const orNull = field === 'outputs' ? ', or null if the run failed' : '';
    return refuse(describeWrongType(`an array of numbers or an object by name${orNull}`, row));
  }
  const fault = arrayFault(row, width, 'numbers');
  return fault === undefined ? [{ field, rows, first, form: { kind: 'array', length: row.length } }] : refuse(fault);
}

function headingsOf({ field, form }: RowList): readonly CaseHeading[] {
  const titles = form.kind === 'array' ? Array.from({ length: form.length }, () => null) : form.names;
  return titles.map((title, position) => ({ field, position, title }));
}

function skipRow(writer: CaseTableWriter, form: RowForm): void {
  for (let left = form.kind === 'array' ? form.length : form.names.length; left > 0; left--) writer.empty();
}

/** Writes a cell for every column, whatever is wrong with the row. */
function readRow(writer: CaseTableWriter, list: RowList, row: number, violations: Violation[]): void {
  const { field, rows, form } = list;
  const sent = rows[row];
  const fault = form.kind === 'array' ? arrayRowFault(sent, list, form.length) : objectRowFault(sent, list);
  if (fault !== undefined) {
    violations.push(makeViolation([field, row], fault));
    skipRow(writer, form);
  } else if (form.kind === 'array') {
    for (const [j, value] of (sent as readonly unknown[]).entries()) {
      if (typeof value === 'number' && Number.isFinite(value)) writer.number(value);
      else {
        writer.empty();
        violations.push(makeViolation([field, row, j], numberFault(value)));
      }
    }
  } else {
    readObject(writer, list, form, row, violations);
  }
}

function arrayRowFault(sent: unknown, { field, first }: RowList, length: number): string | undefined {
  if (!Array.isArray(sent)) return describeWrongType(`an array of numbers like ${field}[${first}]`, sent);
  if (sent.length === length) return undefined;
  return `must have as many values as ${field}[${first}] (${length}), has ${sent.length}.`;
}

function objectRowFault(sent: unknown, { field, first }: RowList): string | undefined {
  return isByName(sent) ? undefined : describeWrongType(`an object by name like ${field}[${first}]`, sent);
}

function readObject(
  writer: CaseTableWriter,
  { field, rows, first }: RowList,
  { names, known }: Extract<RowForm, { readonly kind: 'object' }>,
  row: number,
  violations: Violation[],
): void {
  const sent = rows[row] as Readonly<Record<string, unknown>>;
  const refuse = (name: string, message: string) => violations.push(makeViolation([field, row, name], message));
  for (const name of names) {
    const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
    if (typeof value === 'number' && Number.isFinite(value)) {
      writer.number(value);
    } else if (typeof value === 'string' || typeof value === 'boolean') {
      if (writer.text(String(value))) continue;
      writer.empty();
      refuse(name, TOO_MANY_TEXTS);
    } else {
      writer.empty();
      if (value === undefined) refuse(name, `is required: ${field}[${first}] has it.`);
      else
        refuse(name, typeof value === 'number' ? numberFault(value) : describeWrongType('a number or a name', value));
    }
  }
  const sentNames = Object.keys(sent);
  if (sentNames.length === names.length && sentNames.every((name) => known.has(name))) return;
  for (const name of sentNames.filter((one) => !known.has(one)).slice(0, LISTED_CASE_VIOLATIONS)) {
    const nearest = violations.length < LISTED_CASE_VIOLATIONS ? findNearestName(name, names) : undefined;
    const advice = nearest === undefined ? '.' : `; did you mean ${nearest}?`;
    refuse(name, `is not a name in ${field}[${first}]; all rows need the same names${advice}`);
  }
}

export const newTrialCases: BodySpec<CaseTable> = {
  schema: newTrialCasesSchema,
  size: 'cases',
  hasNamedRows: true,
  read: readJsonCases,
  countNumbers: ({ values }) => values.values.length,
  csv: {
    read: parseCsvText,
    readWorkbook: parseWorkbook,
    description:
      'A header with the names of all inputs and outputs in any order, each with its unit in brackets or without, then one row per case. Outputs that are all empty mean a failed run.',
    example: 'x1,x2,y1,y2\n1.5,4,18.5,0.25\n2,5,17,0.5\n2.25,3,,\n',
  },
};

/** The table with the source of the query, if there is one. Throws VALIDATION_FAILED if the body states one too. */
export function withSource(table: CaseTable, source: string | undefined): CaseTable {
  if (source === undefined) return table;
  if (table.source !== null)
    refuseViolations([makeViolation(['source'], 'must be stated once, in the query or in the body.')]);
  return { ...table, source };
}

export const addedCasesSchema = z
  .object({
    added: z.int().describe('Cases stored now.'),
    duplicates: z
      .int()
      .describe(
        'Rows that equal a known case of the trial, or an earlier row, in inputs and outputs; not stored again.',
      ),
    outside: z
      .int()
      .describe(
        'Cases stored now whose input is outside the bounds or violates a constraint; they inform the models anyway.',
      ),
    leftOut: z
      .int()
      .describe('Rows of an exported file that are no cases: excluded ones, and inverses without a result.'),
    total: z.int().describe('Cases of the trial, designed and added.'),
    revision: z.int().describe('The revision of the data of the trial.'),
  })
  .meta({ id: 'AddedCases' });

export const trialCaseSchema = z
  .object({
    number: z.int().describe('1 for the first case; designed cases come first, added ones in the order of adding.'),
    input: z.array(z.number()),
    inputByName: inputByNameSchema,
    output: z.array(z.number()).nullable().describe('null if the run failed.'),
    outputByName: outputByNameSchema,
    jacobian: fieldSchema('jacobian').describe(RUN_FIELDS.jacobian.description),
    failed: z.boolean(),
    excluded: z.boolean().describe('Whether no suggestion learns from it.'),
    corrected: z.boolean().describe('Whether the output differs from the one that was first stored.'),
    source: z.enum(Object.values(CaseOrigin)),
    sourceName: z.string().nullable().describe('What was stated when the case was added.'),
  })
  .meta({ id: 'TrialCase' });

export function presentTrialCase(one: TrialCase, labels: Labels | null): z.infer<typeof trialCaseSchema> {
  return {
    number: one.number,
    input: [...one.input],
    ...presentInputByName(labels, one.input),
    output: one.output === null ? null : [...one.output],
    ...presentOutputByName(labels, one.output),
    jacobian: one.jacobian && one.output && toRows(one.jacobian, one.output.length),
    failed: one.output === null,
    excluded: one.isExcluded,
    corrected: one.isCorrected,
    source: one.origin,
    sourceName: one.source,
  };
}
