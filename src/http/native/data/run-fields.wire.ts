/** Schemas and values of the fields of a run under /v1; domain/data/run-fields.ts has the fields and where they appear. */
import { z } from 'zod';
import type { InverseView } from '../../../application/views.ts';
import { toRows } from '../../../domain/data/jacobian.ts';
import {
  type FieldOf,
  InverseStatus,
  type LearnedFrom,
  RUN_FIELDS,
  type RunFieldName,
  type SentName,
  sentName,
} from '../../../domain/data/run-fields.ts';
import type { Labels } from '../../../domain/problem/names.ts';
import type { ObjectiveResult } from '../../../domain/search/acceptance.ts';
import { disabledAtOf } from '../../../domain/search/inverse.ts';
import { type MissMeasure, makeMissMeasure } from '../../../domain/search/nearest.ts';
import { ALL_OBJECTIVE_TYPES, statedTarget } from '../../../domain/search/objective.ts';
import { timestamp, toTimestamp } from '../../wire/fields.ts';
import {
  inputByNameSchema,
  outputByNameSchema,
  presentInputByName,
  presentOutputByName,
} from '../problem/by-name.wire.ts';

const resultSchema = z
  .object({
    number: z.int().describe('Zero-based number of the objective.'),
    type: z.enum(ALL_OBJECTIVE_TYPES),
    objective: z.number().nullable().describe('The target; null without aspiration.'),
    minimumBound: z.number().nullable(),
    maximumBound: z.number().nullable(),
    output: z.number(),
    error: z.number(),
    detail: z.string(),
    satisfied: z.boolean(),
    name: z.string().nullable().describe('The name of the output; null without names.'),
  })
  .meta({ id: 'Result' });

export const resultsSchema = z.array(resultSchema);

export function presentResults(
  results: readonly ObjectiveResult[],
  labels: Labels | null,
): z.infer<typeof resultsSchema> {
  return results.map((result) => ({
    number: result.number,
    name: labels?.outputNames?.[result.number] ?? null,
    type: result.type,
    objective: statedTarget(result.type, result.objective),
    minimumBound: result.minimumBound,
    maximumBound: result.maximumBound,
    output: result.output,
    error: result.error,
    detail: result.detail,
    satisfied: result.satisfied,
  }));
}

const learnedFromSchema = z.object({
  revision: z
    .int()
    .describe('The revision of the cases of the trial: 0 as loaded, raised by each addition and correction.'),
  objectives: z
    .array(z.object({ objectiveId: z.int(), iteration: z.int() }))
    .describe('The other objectives whose runs were known, each with the last one.'),
});

function presentLearnedFrom({ revision, objectives }: LearnedFrom): z.infer<typeof learnedFromSchema> {
  return { revision, objectives: objectives.map(([objectiveId, iteration]) => ({ objectiveId, iteration })) };
}

const same = <T>(value: T): T => value;
const copy = (values: readonly number[]): number[] => [...values];

/** By kind of field: its schema, and what is sent for its value. */
const KINDS = {
  boolean: { schema: z.boolean(), present: same },
  inputByName: { schema: inputByNameSchema, present: same },
  instant: { schema: timestamp, present: toTimestamp },
  integer: { schema: z.int(), present: same },
  integers: { schema: z.array(z.int()), present: copy },
  jacobian: { schema: z.array(z.array(z.number().nullable())), present: same },
  learnedFrom: { schema: learnedFromSchema, present: presentLearnedFrom },
  nanoseconds: { schema: z.number(), present: same },
  number: { schema: z.number(), present: same },
  outputByName: { schema: outputByNameSchema, present: same },
  /** A repeat of a case, or of a run of another objective, has no inverse to name. */
  repeated: { schema: z.int().nullable(), present: (id: number) => (id === 0 ? null : id) },
  results: { schema: resultsSchema, present: same },
  status: { schema: z.enum(Object.values(InverseStatus)), present: same },
  text: { schema: z.string(), present: same },
  vector: { schema: z.array(z.number()), present: copy },
} as const satisfies Readonly<Record<FieldOf<RunFieldName>['holds'], { schema: z.ZodType; present: unknown }>>;

export type KindSchema<Name extends RunFieldName> = (typeof KINDS)[FieldOf<Name>['holds']]['schema'];
export type FieldSchema<Name extends RunFieldName> =
  FieldOf<Name> extends { orNull: true } ? z.ZodNullable<KindSchema<Name>> : KindSchema<Name>;
type RunShape<Name extends RunFieldName> = { [Each in Name as SentName<Each>]: FieldSchema<Each> };

/** A field that has a value. */
export function valueSchema<Name extends RunFieldName>(name: Name): KindSchema<Name> {
  return KINDS[RUN_FIELDS[name].holds].schema as KindSchema<Name>;
}

export function fieldSchema<Name extends RunFieldName>(name: Name): FieldSchema<Name> {
  const schema: z.ZodType = valueSchema(name);
  return ('orNull' in RUN_FIELDS[name] && !schema.isNullable() ? schema.nullable() : schema) as FieldSchema<Name>;
}

/** Fields that are described even where the others are taken as known. */
const OBSCURE: readonly RunFieldName[] = ['learnedFrom', 'pending'];

/**
 * The fields of a schema, in order.
 *
 * @param isBrief  for lists whose fields are described elsewhere
 */
export function runShape<Name extends RunFieldName>(names: readonly Name[], isBrief = false): RunShape<Name> {
  return Object.fromEntries(
    names.map((name) => {
      const { description } = RUN_FIELDS[name] as { readonly description?: string };
      const isDescribed = description !== undefined && (!isBrief || OBSCURE.includes(name));
      const schema: z.ZodType = fieldSchema(name);
      return [sentName(name), isDescribed ? schema.describe(description) : schema];
    }),
  ) as unknown as RunShape<Name>;
}

/** Values of fields that are not stored with the inverse, or sent as something else. undefined: left out. */
const VALUES: Readonly<Partial<Record<RunFieldName, (view: InverseView, measure: () => MissMeasure) => unknown>>> = {
  trialId: ({ objective }) => objective.trialId,
  l1Norm: ({ evaluation }) => evaluation.l1Norm,
  errors: ({ evaluation }) => evaluation.results.map(({ error }) => error),
  convergence: ({ objective, inverse, evaluation }) =>
    inverse.iteration === 1 ? objective.convergence : evaluation.convergence,
  inputs: ({ inverse }) => inverse.input ?? [],
  inputByName: ({ objective, inverse }) => presentInputByName(objective.labels, inverse.input).inputByName,
  outputs: ({ inverse }) => inverse.output ?? [],
  outputByName: ({ objective, inverse }) => presentOutputByName(objective.labels, inverse.output).outputByName,
  jacobian: ({ inverse }) => inverse.jacobian && toRows(inverse.jacobian, inverse.output?.length ?? 1),
  misses: judged((output, measure) => measure.missesOf(output)),
  missedBy: judged((output, measure) => measure.missedByOf(output)),
  misfit: judged((output, measure) => measure.misfitOf(output)),
  results: ({ objective, evaluation }) => presentResults(evaluation.results, objective.labels),
  isRepeat: ({ inverse }) => inverse.repeatOf !== null,
  disabledAt: ({ objective, inverse }) => disabledAtOf(objective, inverse),
};

/** null without an output, and for a run of a cheaper source. */
function judged(value: (output: readonly number[], measure: MissMeasure) => unknown) {
  return ({ inverse: { output, source } }: InverseView, measure: () => MissMeasure) =>
    output === null || source !== null ? null : value(output, measure());
}

type Presented<Name extends RunFieldName> = z.infer<z.ZodObject<RunShape<Name>>>;
type FieldValues = Readonly<Partial<Record<RunFieldName, unknown>>>;

/** Fields of an inverse. */
export function presentRun<Name extends RunFieldName>(names: readonly Name[], view: InverseView): Presented<Name> {
  const stored: FieldValues = view.inverse;
  const sent: Record<string, unknown> = {};
  let compiled: MissMeasure | undefined;
  const measure = () => (compiled ??= makeMissMeasure(view.objective));
  for (const name of names) {
    const derive = VALUES[name];
    const value = derive === undefined ? stored[name] : derive(view, measure);
    if (value !== undefined) sent[sentName(name)] = presentValue(name, value);
  }
  return sent as Presented<Name>;
}

/** Fields of a row that has read them; null where it has none. */
export function presentRow<Name extends RunFieldName>(names: readonly Name[], row: FieldValues): Presented<Name> {
  return Object.fromEntries(names.map((name) => [sentName(name), presentValue(name, row[name])])) as Presented<Name>;
}

export function presentValue(name: RunFieldName, value: unknown): unknown {
  return value == null ? null : (KINDS[RUN_FIELDS[name].holds].present as (value: unknown) => unknown)(value);
}

/** The cells of a row of CSV. */
export function presentFacts(names: readonly RunFieldName[], row: FieldValues) {
  return names.map((name) => presentValue(name, row[name]) as string | number | boolean | null);
}
