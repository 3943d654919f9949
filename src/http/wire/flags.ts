/** Boolean query parameters. */
import { makeViolation, type Violation } from '../../domain/errors.ts';

interface ParsedFlags {
  readonly flags: Readonly<Record<string, boolean>>;
  readonly violations: readonly Violation[];
}

/** False unless given. Anything other than true or false, or a flag given twice, is refused. */
export function parseFlags(names: readonly string[], query: Readonly<Record<string, unknown>>): ParsedFlags {
  const wrong = names.filter((name) => !['true', 'false', undefined].includes(query[name] as string | undefined));
  return {
    flags: Object.fromEntries(names.map((name) => [name, query[name] === 'true'])),
    violations: wrong.map((name) => makeViolation([name], 'must be true or false.')),
  };
}
