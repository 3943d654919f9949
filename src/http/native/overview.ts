import { createHash } from 'node:crypto';
import { z } from 'zod';
import {
  countListed,
  getOverviewStamp,
  listGlances,
  type OverviewStamp,
} from '../../application/search/read-overview.ts';
import type { StopReason } from '../../domain/search/stop-reason.ts';
import { nextPageHeaders, pageOf } from '../answer/answers.ts';
import { JsonArray } from '../answer/json-array.ts';
import { type NextSlice, writeJson } from '../answer/write-json.ts';
import { defineOperation, type Operation } from '../operation.ts';
import { matchesETag } from '../wire/etag.ts';
import { objectiveGlanceSchema, presentGlance } from './overview.wire.ts';
import { waitForChange } from './wait-for-change.ts';

const page = pageOf.spec('The objectives, newest first.', objectiveGlanceSchema)[200]!;

export const overviewOperations: readonly Operation[] = [
  defineOperation({
    method: 'GET',
    path: '/objectives',
    operationId: 'listAllObjectives',
    tag: 'Objectives',
    summary: 'List all objectives of the account at a glance',
    description: 'Newest first; after takes the id of the last one seen.',
    isList: true,
    numbers: {
      stopReason: {
        description: 'Only those that run (0), are satisfied (1), were stopped (2) or are exhausted (3).',
        minimum: 0,
        maximum: 3,
        default: null,
      },
      trend: {
        description: 'The points of the trend of each objective; without it no trend.',
        minimum: 2,
        maximum: 50,
        default: null,
      },
    },
    texts: {
      search: {
        schema: z.string().max(100, 'must have at most 100 characters.'),
        description:
          'Only those whose model, project, trial and number contain each of these words, such as "heat trial 2"; capital letters do not matter. A search looks at 10,000 objectives: its page may be short, or empty, and yet have a next one. It does not wait.',
      },
    },
    hasETag: true,
    waits: 'change',
    answers: {
      200: {
        ...page,
        headers: {
          ...page.headers,
          ETag: 'Changes with the page.',
          'Total-Count': 'Objectives on all pages; absent after a search.',
          'Preference-Applied': 'After a wait.',
        },
      },
      304: { description: 'Nothing has changed since the answer with the ETag in If-None-Match.' },
    },
    handle: async (call) => {
      const { deps, accountId, ifNoneMatch } = call;
      const stopReason = call.numbers['stopReason'] as StopReason | null;
      const trendPoints = call.numbers['trend'] ?? 0;
      const key = { ...call.page, accountId, stopReason };
      const isKnown = (one: OverviewStamp) => matchesETag(ifNoneMatch, presentETag(one));
      const { search } = call.texts;
      const awaited =
        search === undefined
          ? await waitForChange(call, (waiters, waitMs) => waiters.overviews.wait(key, isKnown, waitMs, call.whenGone))
          : { stamp: undefined, headers: {} };
      const stamp = awaited.stamp ?? (await getOverviewStamp(deps.db, key, search));
      const etag = presentETag(stamp);
      if (isKnown(stamp)) return { status: 304, headers: { etag, ...awaited.headers } };
      const total = await countListed(deps.db, key, search);
      const write = (nextSlice: NextSlice) => {
        const glances = listGlances(deps.db, accountId, stamp, trendPoints);
        return join(writeJson(JsonArray.of(glances, presentGlance), nextSlice));
      };
      const name = [accountId, stopReason, trendPoints, call.page.after, call.page.limit, search].join(' ');
      return {
        status: 200,
        headers: {
          ...nextPageHeaders(call, stamp.nextAfter),
          ...(total !== null && { 'total-count': String(total) }),
          ...awaited.headers,
          etag,
          'content-type': 'application/json; charset=utf-8',
        },
        pieces: async function* (nextSlice) {
          // Clients that follow the list share the work; a single request is not cached.
          const isFollowed = ifNoneMatch !== undefined && deps.overviews !== undefined;
          yield isFollowed ? await deps.overviews!.get(name, etag, () => write(nextSlice)) : await write(nextSlice);
        },
      };
    },
  }),
];

async function join(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

/** Equal only if the page is. */
function presentETag({ text }: OverviewStamp): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
}
