/** Boolean query parameters, and those that are text. */
import type { z } from 'zod';
import { makeViolation, type Violation } from '../../domain/errors.ts';
import { characterFault } from './fields.ts';

interface ParsedFlags {
  readonly flags: Readonly<Record<string, boolean>>;
  readonly violations: readonly Violation[];
}

/** Default: false. Anything other than true or false, or a repeated flag, is refused. */
export function parseFlags(names: readonly string[], query: Readonly<Record<string, unknown>>): ParsedFlags {
  const wrong = names.filter((name) => !['true', 'false', undefined].includes(query[name] as string | undefined));
  return {
    flags: Object.fromEntries(names.map((name) => [name, query[name] === 'true'])),
    violations: wrong.map((name) => makeViolation([name], 'must be true or false.')),
  };
}

interface ParsedTexts {
  readonly texts: Readonly<Record<string, string>>;
  readonly violations: readonly Violation[];
}

/** Texts that were sent. One that its schema refuses, that is given twice, or that the database cannot hold is refused. */
export function parseTexts(
  schemas: Readonly<Record<string, { readonly schema: z.ZodType<string> }>>,
  query: Readonly<Record<string, unknown>>,
): ParsedTexts {
  const texts: Record<string, string> = {};
  const violations: Violation[] = [];
  for (const [name, { schema }] of Object.entries(schemas)) {
    if (query[name] === undefined) continue;
    const read = schema.safeParse(query[name], { error: () => 'must be one text.' });
    const fault = read.success ? characterFault(read.data) : read.error.issues[0]!.message;
    if (fault === undefined) texts[name] = read.data!;
    else violations.push(makeViolation([name], fault));
  }
  return { texts, violations };
}
