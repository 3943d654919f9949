import { createHash } from 'node:crypto';
import { z } from 'zod';
import {
  type Arrangement,
  countListed,
  getOverviewStamp,
  listGlances,
  type OverviewStamp,
  SORTS,
  wordsOf,
} from '../../../application/search/read-overview.ts';
import type { StopReason } from '../../../domain/search/stop-reason.ts';
import { nextPageHeaders, pageOf } from '../../answer/answers.ts';
import { JsonArray } from '../../answer/json-array.ts';
import { type NextSlice, writeJson } from '../../answer/write-json.ts';
import { type Call, defineOperation, type Operation } from '../../operation/operation.ts';
import { matchesETag } from '../../wire/etag.ts';
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
    description:
      'Newest first; after takes the id of the last one seen. With sort, grouped, folded or archived the list is arranged: it looks at all objectives of the account, also in a search, which then waits and has a total.',
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
    flags: {
      grouped: 'Those of a project come together; projects follow in the order of their first objectives.',
    },
    texts: {
      sort: {
        schema: z.enum(SORTS),
        description: 'What decides the order, before the age; default: created. name: by label, then by number.',
      },
      direction: {
        schema: z.enum(['ascending', 'descending']),
        description: 'Default: descending for created, changed and runs, otherwise ascending. Needs sort.',
      },
      folded: {
        schema: z
          .string()
          .regex(/^\d{1,15}(,\d{1,15}){0,199}$/, 'must be ids of projects, separated by commas, at most 200.'),
        description: 'Ids of projects, separated by commas, of which only the first objective is listed.',
      },
      archived: {
        schema: z.enum(['exclude', 'only']),
        description:
          'Whether archived objectives are left out, or listed alone; by default they are listed like others.',
      },
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
          'Total-Count':
            'Objectives on all pages, those of folded projects included; absent after a search in a list that is not arranged.',
          'Preference-Applied': 'After a wait.',
        },
      },
      304: { description: 'Nothing has changed since the answer with the ETag in If-None-Match.' },
    },
    handle: async (call) => {
      const { deps, accountId, ifNoneMatch } = call;
      const stopReason = call.numbers['stopReason'] as StopReason | null;
      const trendPoints = call.numbers['trend'] ?? 0;
      const arrangement = arrangementOf(call);
      const key = { ...call.page, accountId, stopReason, arrangement };
      const isKnown = (one: OverviewStamp) => matchesETag(ifNoneMatch, presentETag(one));
      const { search } = call.texts;
      const awaited =
        search === undefined || arrangement !== undefined
          ? await waitForChange(call, (waiters, waitMs) =>
              waiters.listsOf(key).wait(key, isKnown, waitMs, call.whenGone),
            )
          : { stamp: undefined, headers: {} };
      const stamp = awaited.stamp ?? (await getOverviewStamp(deps.db, key, search));
      const etag = presentETag(stamp);
      if (isKnown(stamp)) return { status: 304, headers: { etag, ...awaited.headers } };
      const total = await countListed(deps.db, key, stamp, search);
      const write = (nextSlice: NextSlice) => {
        const glances = listGlances(deps.db, accountId, stamp, trendPoints);
        return join(writeJson(JsonArray.of(glances, presentGlance), nextSlice));
      };
      const name = [
        accountId,
        stopReason,
        trendPoints,
        call.page.after,
        call.page.limit,
        search,
        JSON.stringify(arrangement),
      ].join(' ');
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

const DESCENDING: readonly Arrangement['sort'][] = ['created', 'changed', 'runs'];

/** undefined for a list in the order of its ids. */
function arrangementOf({ texts, flags }: Pick<Call<unknown, unknown>, 'texts' | 'flags'>): Arrangement | undefined {
  const { sort, direction, folded, archived, search = '' } = texts;
  const isGrouped = flags['grouped'] === true;
  if (sort === undefined && folded === undefined && archived === undefined && !isGrouped) return undefined;
  const by = (sort ?? 'created') as Arrangement['sort'];
  return {
    sort: by,
    isDescending: direction === undefined ? DESCENDING.includes(by) : direction === 'descending',
    isGrouped,
    folded: folded === undefined ? [] : folded.split(',').map(Number),
    isArchived: archived === undefined ? null : archived === 'only',
    words: wordsOf(search),
  };
}

async function join(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

/** Equal only if the page is. */
function presentETag({ text }: OverviewStamp): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
}
