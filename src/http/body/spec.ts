/** Describes and reads the body of an operation. */
import type { z } from 'zod';
import { type Parsed, readFields } from '../wire/violations.ts';
import type { ParsedText } from './json-text.ts';

/** Fields of a body as they were sent. */
export type SentFields = Readonly<Record<string, unknown>>;

/**
 * Size limit of a body. Cases travel in bodies of up to BODY_LIMIT_BYTES, workbooks in as many as
 * WORKBOOK_MAXIMUM_BYTES need, files of notes as FILE_MAXIMUM_BYTES; large ones are read in a thread.
 */
export type BodySize = 'plain' | 'vectors' | 'cases' | 'workbook' | 'file';

interface BodyForm {
  /** Default: 'plain'. A body with cases is listed in receive/specs-with-cases.ts, where threads find it. */
  readonly size?: BodySize;
  /** Whether rows of cases may be objects by name, so that a body may have as many fields as values. */
  readonly hasNamedRows?: boolean;
  /** An absent or empty body stands for {}. */
  readonly isOptional?: boolean;
}

/** Form of a body that is sent as a CSV file instead of JSON. */
export interface CsvForm<B = unknown> {
  /** `values` is the most cells that are read. */
  read(bytes: Uint8Array, limits: { readonly values: number }): ParsedText<Parsed<B>>;
  /** The same as a workbook (.xlsx). Only in a thread: a small file may unpack to a large one. */
  readWorkbook(bytes: Uint8Array, limits: { readonly values: number }): Promise<ParsedText<Parsed<B>>>;
  readonly description: string;
  readonly example: string;
}

export interface BodySpec<B> extends BodyForm {
  /** Describes the body in the OpenAPI document. */
  readonly schema: z.ZodType;
  /** The value of a body or everything that is wrong with it: the only pass over its fields. */
  readonly read: (body: SentFields) => Parsed<B>;
  /** Number of values in the cases of a body. */
  countNumbers?(value: B): number;
  /** Default: only JSON. */
  readonly csv?: CsvForm<B>;
}

/** A body whose fields do not depend on one another: its schema reads it. */
export function bodyOf<Shape extends Readonly<Record<string, z.ZodType>>, Config extends z.core.$ZodObjectConfig>(
  schema: z.ZodObject<Shape, Config>,
  form: BodyForm = {},
): BodySpec<z.output<z.ZodObject<Shape, Config>>> {
  return {
    ...form,
    schema,
    read: (body) => {
      const { fields, violations } = readFields(schema, body);
      if (violations.length > 0) return { kind: 'violations', violations };
      return { kind: 'value', value: fields as z.output<typeof schema> };
    },
  };
}
