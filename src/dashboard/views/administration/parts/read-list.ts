/** Reads whole lists for the sections, which poll them. */
import type { ItemOf, ListId } from '../../../../../clients/typescript/src/index.ts';
import { service } from '../../../shell/service.ts';

/** The pause between two reads of lists that change on their own. */
export const PAUSE_MS = 5_000;
/** The pause for lists that people change; changes made here are read immediately. */
export const LONG_PAUSE_MS = 30_000;
/** The most that the service puts on a page. */
const PAGE_SIZE = 200;

type OrderedListId = 'listBatches' | 'listDeliveries' | 'listEvaluations';

interface Asked {
  readonly path?: Readonly<Record<string, number>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly signal: AbortSignal;
}

export interface Newest<Item> {
  /** The newest first. */
  readonly items: readonly Item[];
  readonly hasMore: boolean;
}

/** The newest items of a list, as many as `count`. */
export async function readNewest<Id extends OrderedListId>(
  operationId: Id,
  count: number,
  { path, query, signal }: Asked,
): Promise<Newest<ItemOf<Id>>> {
  const items: ItemOf<Id>[] = [];
  const limit = Math.min(PAGE_SIZE, count + 1);
  const options = { path, query: { ...query, limit, order: 'newest' }, signal } as never;
  for await (const item of service.pages<Id>(operationId, options)) {
    if (items.length === count) return { items, hasMore: true };
    items.push(item);
  }
  return { items, hasMore: false };
}

/** All items of a list, in the order of the service. */
export async function readAll<Id extends ListId>(
  operationId: Id,
  { path, query, signal }: Asked,
): Promise<readonly ItemOf<Id>[]> {
  const items: ItemOf<Id>[] = [];
  // Only the caller knows the parameters of each list.
  const options = { path, query: { ...query, limit: PAGE_SIZE }, signal } as never;
  for await (const item of service.pages<Id>(operationId, options)) items.push(item);
  return items;
}
