/** Part of a list, ordered by id. */
export interface PageRequest {
  readonly limit: number;
  /** Id of the last record before the page, or null for the first page. */
  readonly after: number | null;
  /** Otherwise the oldest come first, unless the list has an order of its own. */
  readonly isNewestFirst?: boolean;
}

/** The records meant: those not deleted, those not deleted at an instant, or all that are not purged. */
export type Extent = 'active' | Date | 'all';

export interface Page<T> {
  readonly items: readonly T[];
  /** `after` for the next page, or null on the last one. */
  readonly nextAfter: number | null;
}

/** A page of rows that were read with limit + 1. */
export function toPage<T extends { readonly id: number }>(rows: readonly T[], request: PageRequest): Page<T> {
  const items = rows.slice(0, request.limit);
  return { items, nextAfter: rows.length > request.limit ? items.at(-1)!.id : null };
}
