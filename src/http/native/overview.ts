import { createHash } from 'node:crypto';
import { listAllObjectives, type Overview } from '../../application/read-overview.ts';
import type { StopReason } from '../../domain/stop-reason.ts';
import { pageOf } from '../answer/answers.ts';
import { defineOperation, type Operation } from '../operation.ts';
import { matchesETag } from '../wire/etag.ts';
import { objectiveGlanceSchema, presentGlance } from './overview.wire.ts';

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
    hasETag: true,
    answers: {
      200: { ...page, headers: { ...page.headers, ETag: 'Changes with the page.' } },
      304: { description: 'Nothing has changed since the answer with the ETag in If-None-Match.' },
    },
    handle: async (call) => {
      const stopReason = call.numbers['stopReason'] as StopReason | null;
      const trendPoints = call.numbers['trend'] ?? 0;
      const overview = await listAllObjectives(call.deps.db, call.accountId, { ...call.page, stopReason, trendPoints });
      const etag = presentETag(overview);
      if (matchesETag(call.ifNoneMatch, etag)) return { status: 304, headers: { etag } };
      const answer = pageOf.written(call, overview, presentGlance);
      return { ...answer, headers: { ...answer.headers, etag } };
    },
  }),
];

/** Equal only if the page is. */
function presentETag({ stamps, nextAfter }: Overview): string {
  const facts = [nextAfter, ...stamps].join('\n');
  return `"${createHash('sha256').update(facts).digest('base64url').slice(0, 22)}"`;
}
