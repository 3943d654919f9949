import { getHistory, getObjectiveStamp, getRunTable, type ObjectiveStamp } from '../../application/read-history.ts';
import { LARGEST_MAXIMUM_ATTEMPTS } from '../../domain/objective.ts';
import { answerRows } from '../answer/rows.ts';
import { inSlices } from '../answer/write-json.ts';
import type { HttpDeps } from '../deps.ts';
import { defineOperation, type Operation } from '../operation.ts';
import { matchesETag } from '../wire/etag.ts';
import { applyWait, type WaitPreference } from '../wire/prefer.ts';
import { historySchema, presentETag, presentHistory } from './history.wire.ts';
import { runTypes, toRunTable } from './runs.wire.ts';

const objective = '/models/{model_id}/projects/{project_id}/trials/{trial_id}/objectives/{objective_id}';
/** Above any iteration: the initial point, every attempt, and repeats of those that could not be computed. */
const HIGHEST_ITERATION = 100 * LARGEST_MAXIMUM_ATTEMPTS;

export const historyOperations: readonly Operation[] = [
  defineOperation({
    method: 'GET',
    path: `${objective}/history`,
    operationId: 'getHistory',
    tag: 'Objectives',
    summary: 'Read all iterations of an objective by columns, or as rows of CSV or lines of JSON',
    description:
      'As JSON a long history is thinned; as text/csv or application/x-ndjson it never is. Only the last iteration of an answer can still change, unless a correction is made: ask for more with after = last iteration - 1.',
    numbers: {
      after: { description: 'The iteration after which to begin.', minimum: 0, maximum: HIGHEST_ITERATION, default: 0 },
      every: {
        description: 'As JSON: only every nth iteration, and the first, last, optimal and best one.',
        minimum: 1,
        maximum: HIGHEST_ITERATION,
        default: 1,
      },
    },
    hasFormats: true,
    hasETag: true,
    waits: 'change',
    answers: {
      200: {
        description: 'The history.',
        schema: historySchema,
        otherTypes: runTypes,
        headers: { ETag: 'Changes with the history.', Vary: 'Accept', 'Preference-Applied': 'After a wait.' },
      },
      304: { description: 'Nothing has changed since the answer with the ETag in If-None-Match.' },
    },
    handle: async ({ deps, accountId, ids, numbers, format, ifNoneMatch, prefer }) => {
      const { db } = deps;
      const isKnown = (one: ObjectiveStamp) => matchesETag(ifNoneMatch, presentETag(one, format));
      const found = await getObjectiveStamp(db, accountId, ids);
      const { stamp, applied } = isKnown(found)
        ? await waitForChange(deps, accountId, found, isKnown, prefer)
        : { stamp: found, applied: undefined };
      const etag = presentETag(stamp, format);
      const headers = { etag, vary: 'Accept', ...(applied !== undefined && { 'preference-applied': applied }) };
      if (isKnown(stamp)) return { status: 304, headers };
      const after = numbers['after']!;
      if (format !== 'json') {
        const request = { iteration: after, inverseId: 0, limit: Number.POSITIVE_INFINITY };
        return answerRows(format, toRunTable(await getRunTable(db, accountId, stamp, request)), headers);
      }
      const history = await getHistory(db, accountId, stamp, { after, every: numbers['every']! });
      return {
        status: 200,
        headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
        pieces: (nextSlice) => inSlices(presentHistory(history), nextSlice),
      };
    },
  }),
];

/** The stamp when it has changed, or at the latest when the wait is over; at once where the account has too many waits. */
async function waitForChange(
  { changeWaiters, suggestionWaiters, settings }: HttpDeps,
  accountId: number,
  stamp: ObjectiveStamp,
  isKnown: (stamp: ObjectiveStamp) => boolean,
  prefer: WaitPreference,
): Promise<{ readonly stamp: ObjectiveStamp; readonly applied: string | undefined }> {
  const { waitMs, applied } = applyWait(prefer, { defaultMs: 0, maximumMs: settings.suggestWaitMaximumMs });
  const leave = waitMs > 0 && changeWaiters !== undefined ? suggestionWaiters.enter(accountId) : undefined;
  if (leave === undefined) return { stamp, applied: undefined };
  try {
    return { stamp: (await changeWaiters!.wait(accountId, stamp.id, isKnown, waitMs)) ?? stamp, applied };
  } finally {
    leave();
  }
}
