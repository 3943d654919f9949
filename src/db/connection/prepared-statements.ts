/**
 * Named statements: PostgreSQL parses each text once per connection and soon keeps its plan, which halves its processor time.
 * A name costs memory of the connection, so texts must be few: use `anyOf` to look for one of several ids, whose text does not
 * grow with the list.
 */
import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';

/** The product has some 120 texts; more than this must come from a statement whose text varies. */
const MAXIMUM_NAMES = 500;

/** Derived from the text alone: behind a pooler that mixes the connections of several processes, one name never means two texts. */
export class StatementNames {
  readonly #names = new Map<string, string>();

  /** Undefined when there are too many names: the statement then runs without one. */
  find(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size >= MAXIMUM_NAMES) return known;
    const name = createHash('sha256').update(text).digest('base64url');
    this.#names.set(text, name);
    return name;
  }
}

/** For `where(column, '=', anyOf(ids))`. */
export function anyOf(ids: readonly number[]): RawBuilder<number> {
  return sql<number>`any(${ids}::bigint[])`;
}
