/** Lists as a section shows them: read whole, again and again. */
import type { ItemOf, ListId } from '../../../../clients/typescript/src/index.ts';
import { service } from '../../shell/service.ts';

/** Between two reads. */
export const PAUSE_MS = 5_000;
/** The most that the service puts on a page. */
const PAGE_SIZE = 200;

interface Asked {
  readonly path?: Readonly<Record<string, number>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly signal: AbortSignal;
}

/** All items of a list, in the order of the service. */
export async function readAll<Id extends ListId>(
  operationId: Id,
  { path, query, signal }: Asked,
): Promise<readonly ItemOf<Id>[]> {
  const items: ItemOf<Id>[] = [];
  // What each list takes is known only where it is called.
  const options = { path, query: { ...query, limit: PAGE_SIZE }, signal } as never;
  for await (const item of service.pages<Id>(operationId, options)) items.push(item);
  return items;
}

/**
 * All items of a list in the order of their ids, of which `known` have been read before: only those are read again that come after
 * the last before which all are final.
 */
export async function readFurther<Id extends ListId, Item extends ItemOf<Id> & { readonly id: number }>(
  operationId: Id,
  known: readonly Item[],
  isFinal: (item: Item) => boolean,
  { query, ...asked }: Asked,
): Promise<readonly Item[]> {
  const firstOpen = known.findIndex((item) => !isFinal(item));
  const kept = firstOpen < 0 ? known : known.slice(0, firstOpen);
  const read = await readAll(operationId, { ...asked, query: { ...query, after: kept.at(-1)?.id } });
  return [...kept, ...(read as readonly Item[])];
}
