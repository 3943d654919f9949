/** Lists by id, or by a position that counts as one, in either direction. */
import { type RawBuilder, sql } from 'kysely';
import type { PageRequest } from '../domain/page.ts';

/**
 * Condition on the rows of a page, and their order. A cursor may be any id, also beyond the range of a position.
 *
 * @param column  the id, such as b.id
 */
export function rowsOfPage(
  column: string,
  { after, isNewestFirst }: PageRequest,
): { readonly condition: RawBuilder<boolean>; readonly order: RawBuilder<number> } {
  const id = sql.ref<number>(column);
  return isNewestFirst
    ? { condition: sql`${id} < ${after ?? Number.MAX_SAFE_INTEGER}::bigint`, order: sql`${id} desc` }
    : { condition: sql`${id} > ${after ?? 0}::bigint`, order: sql`${id}` };
}
