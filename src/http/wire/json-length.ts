/**
 * Whether the JSON text of a value would be longer than about `limit` characters; escapes are not counted. Looks only at as
 * much of the value as necessary: a body of many megabytes costs as much as one of `limit`.
 */
export function isJsonLongerThan(value: unknown, limit: number): boolean {
  return charactersLeft(value, limit) < 0;
}

/** Rest of `left` after the value; negative if it does not suffice. */
function charactersLeft(value: unknown, left: number): number {
  if (typeof value === 'string') return left - value.length - QUOTES;
  if (value instanceof Float64Array) return left - value.length * NUMBER;
  if (typeof value !== 'object' || value === null) return left - String(value).length;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && left >= 0; i++) left = charactersLeft(value[i], left - SEPARATOR);
    return left;
  }
  for (const [name, field] of Object.entries(value)) {
    if (left < 0) break;
    left = charactersLeft(field, left - name.length - QUOTES - 2 * SEPARATOR);
  }
  return left;
}

/** Characters of a double with all its digits and a comma. */
const NUMBER = 20;
const QUOTES = 2;
const SEPARATOR = 1;
