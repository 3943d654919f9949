/** The body of a new objective, in either dialect. */
import type { z } from 'zod';
import { type BoundsRule, checkNewObjective, type NewObjective } from '../../domain/objective.ts';
import { type Parsed, readFields, withoutRepeats } from './violations.ts';

/** `missing` stands for fields that the dialect does not have. */
export function readNewObjective<Shape extends Readonly<Record<string, z.ZodType>>>(
  schema: z.ZodObject<Shape>,
  body: Readonly<Record<string, unknown>>,
  boundsRule: BoundsRule,
  missing: Partial<NewObjective> = {},
): Parsed<NewObjective> {
  const read = readFields(schema, body);
  const fields = { ...missing, ...read.fields, boundsRule } as Partial<NewObjective>;
  // The use case checks it, together with what only the trial decides.
  if (read.violations.length === 0) return { kind: 'value', value: fields as NewObjective };
  const invalid = new Set(read.violations.map(({ pointer }) => pointer));
  const arrays = Object.entries(body).filter(([name, sent]) => Array.isArray(sent) && !invalid.has(`/${name}`));
  const others = checkNewObjective(fields, undefined, { ...fields, ...Object.fromEntries(arrays) });
  return { kind: 'violations', violations: withoutRepeats(read.violations, others) };
}
