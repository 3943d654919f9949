/** The body of a new objective, in either dialect. */
import type { z } from 'zod';
import { isByName } from '../../domain/problem/names.ts';
import {
  type BoundsRule,
  checkNewObjective,
  type ListsByName,
  type NewObjective,
  storedTargets,
} from '../../domain/search/objective.ts';
import { type Parsed, readFields, withoutRepeats } from './violations.ts';

/**
 * @param missing  stands for fields that the dialect does not have
 * @param named  fields that may be objects by name
 */
export function readNewObjective<Shape extends Readonly<Record<string, z.ZodType>>>(
  schema: z.ZodObject<Shape>,
  body: Readonly<Record<string, unknown>>,
  boundsRule: BoundsRule,
  missing: Partial<NewObjective> = {},
  named: readonly string[] = [],
): Parsed<NewObjective> {
  const byName = named.filter((field) => isByName(body[field]));
  const read = readFields(schema, body, byName);
  const sent = { ...missing, ...read.fields, boundsRule } as Partial<NewObjective>;
  const fields = sent.objectives
    ? { ...sent, objectives: storedTargets(sent.objectives, sent.objectiveTypes ?? []) }
    : sent;
  // The use case checks it, together with what only the trial decides.
  if (read.violations.length === 0) return { kind: 'value', value: withLists(fields as NewObjective, body, byName) };
  const invalid = new Set(read.violations.map(({ pointer }) => pointer));
  const arrays = Object.entries(body).filter(([name, sent]) => Array.isArray(sent) && !invalid.has(`/${name}`));
  const others = checkNewObjective(fields, undefined, { ...fields, ...Object.fromEntries(arrays) });
  return { kind: 'violations', violations: withoutRepeats(read.violations, others) };
}

function withLists(
  fields: NewObjective,
  body: Readonly<Record<string, unknown>>,
  byName: readonly string[],
): NewObjective {
  if (byName.length === 0) return fields;
  const lists = Object.fromEntries(byName.map((field) => [field, body[field]]));
  return { ...fields, ...Object.fromEntries(byName.map((field) => [field, []])), byName: lists as ListsByName };
}
