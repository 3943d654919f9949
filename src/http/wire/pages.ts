/** Cursor pages: `?limit=` and `?after=` in, a `Link` header with rel="next" out. */

import { makeViolation, type Violation } from '../../domain/errors.ts';
import type { PageRequest } from '../../domain/page.ts';
import { parseId } from './ids.ts';
import { PAGE_LIMIT } from './limits.ts';

export const ORDERS = ['oldest', 'newest'] as const;

interface PageOptions {
  readonly defaultLimit?: number | undefined;
  /** Whether `order` is read. */
  readonly hasOrder?: boolean | undefined;
}

interface ParsedPage {
  readonly page: PageRequest;
  readonly violations: readonly Violation[];
}

/** Reads the query of a list. A parameter given twice counts as malformed. */
export function parsePageQuery(
  query: Readonly<Record<string, unknown>>,
  { defaultLimit = PAGE_LIMIT.default, hasOrder = false }: PageOptions = {},
): ParsedPage {
  const violations: Violation[] = [];
  let limit = defaultLimit;
  let after: number | null = null;
  if (query.limit !== undefined) {
    const parsed = typeof query.limit === 'string' ? parseId(query.limit) : { kind: 'malformed' as const };
    if (parsed.kind === 'id' && parsed.id <= PAGE_LIMIT.maximum) limit = parsed.id;
    else violations.push(makeViolation(['limit'], `must be a whole number from 1 to ${PAGE_LIMIT.maximum}.`));
  }
  if (query.after !== undefined) {
    const parsed = typeof query.after === 'string' ? parseId(query.after) : { kind: 'malformed' as const };
    if (parsed.kind === 'malformed') {
      violations.push(makeViolation(['after'], 'must be the id of the last record of the previous page.'));
    } else {
      after = parsed.kind === 'id' ? parsed.id : Number.MAX_SAFE_INTEGER;
    }
  }
  if (!hasOrder) return { page: { limit, after }, violations };
  const { order = 'oldest' } = query;
  if (!ORDERS.some((known) => known === order)) violations.push(makeViolation(['order'], 'must be oldest or newest.'));
  return { page: { limit, after, isNewestFirst: order === 'newest' }, violations };
}

/**
 * The value of the Link header, or undefined on the last page. `path` is the path of the list without a query; `others` are the
 * other parameters that choose its records, null for one that was left out.
 */
export function nextPageLink(
  path: string,
  limit: number,
  nextAfter: number | null,
  others: Readonly<Record<string, number | string | null>> = {},
): string | undefined {
  if (nextAfter === null) return undefined;
  const query = Object.entries(others).map(([name, value]) =>
    value === null ? '' : `&${name}=${encodeURIComponent(value)}`,
  );
  return `<${path}?limit=${limit}&after=${nextAfter}${query.join('')}>; rel="next"`;
}
