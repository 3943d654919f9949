import { z } from 'zod';

/** The JSON Schema of the input of `schema`. */
export function toJsonSchema(schema: z.ZodType): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(schema, { io: 'input', override: tidy });
}

/** Restores the examples that zod drops from schemas with a transform, and omits the bounds of plain integers. */
function tidy({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodType;
  jsonSchema: z.core.JSONSchema.BaseSchema;
}): void {
  const examples = z.globalRegistry.get(zodSchema)?.examples;
  if (examples !== undefined) jsonSchema.examples = examples as typeof jsonSchema.examples;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}
