/** A slice of a list in order of id. */
export interface PageRequest {
  readonly limit: number;
  /** Id after which to go on, or null for the start. */
  readonly after: number | null;
}

/** Which records of a list: those that are not deleted, those that were not at an instant, or all that are not purged. */
export type Extent = 'active' | Date | 'all';

export interface Page<T> {
  readonly items: readonly T[];
  /** What to pass as `after` for the next page, or null at the end. */
  readonly nextAfter: number | null;
}

/** Makes a page of rows that were read with limit + 1. */
export function toPage<T extends { readonly id: number }>(rows: readonly T[], request: PageRequest): Page<T> {
  const items = rows.slice(0, request.limit);
  return { items, nextAfter: rows.length > request.limit ? items.at(-1)!.id : null };
}
