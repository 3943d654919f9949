import { z } from 'zod';
import { isUnder } from '../../../application/paths.ts';
import {
  getHistory,
  getObjectiveStamp,
  getRunTable,
  type ObjectiveStamp,
} from '../../../application/search/read-history.ts';
import { LARGEST_MAXIMUM_ATTEMPTS } from '../../../domain/search/objective.ts';
import { DERIVATIVE_FLAGS } from '../../answer/row-table.ts';
import { answerRows, ROW_FLAGS, ROW_TEXTS } from '../../answer/rows.ts';
import { inSlices } from '../../answer/write-json.ts';
import { defineOperation, type Operation } from '../../operation/operation.ts';
import { matchesETag } from '../../wire/etag.ts';
import { ROW_FORMATS } from '../../wire/formats.ts';
import { historySchema, presentETag, presentHistory, presentInsightVersion } from './history.wire.ts';
import { runTypes, toRunTable } from './runs.wire.ts';
import { waitForChange } from './wait-for-change.ts';

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
      completed: {
        description:
          'As JSON: completedCount of an earlier answer. lateIterations then names the iterations up to after that have got an output since.',
        minimum: 0,
        maximum: HIGHEST_ITERATION,
        default: null,
      },
    },
    texts: {
      ...ROW_TEXTS,
      knownInsight: {
        schema: z.string().max(200, 'must have at most 200 characters.'),
        description:
          'As JSON: insightVersion of an earlier answer. As long as it is the same, insight and diagnosis are not sent again.',
      },
    },
    formats: ROW_FORMATS,
    flags: { ...ROW_FLAGS, ...DERIVATIVE_FLAGS },
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
    handle: async (call) => {
      const { deps, accountId, ids, numbers, texts, format, ifNoneMatch } = call;
      const { db } = deps;
      const isKnown = (one: ObjectiveStamp) => matchesETag(ifNoneMatch, presentETag(one, format));
      const awaited = await waitForChange(call, (waiters, waitMs) => {
        const isSame = (one: ObjectiveStamp) => isUnder(ids, one) && isKnown(one);
        return waiters.objectives.wait({ accountId, id: ids.objectiveId }, isSame, waitMs, call.whenGone);
      });
      const isThere = awaited.stamp !== undefined && isUnder(ids, awaited.stamp);
      const stamp = isThere ? awaited.stamp : await getObjectiveStamp(db, accountId, ids);
      const headers = { etag: presentETag(stamp, format), vary: 'Accept', ...awaited.headers };
      if (isKnown(stamp)) return { status: 304, headers };
      const after = numbers['after']!;
      if (format !== 'json') {
        const withDerivatives = call.flags['derivatives'] === true;
        const request = { iteration: after, inverseId: 0, limit: Number.POSITIVE_INFINITY, withDerivatives };
        const table = await getRunTable(db, accountId, stamp, request);
        return answerRows(call, toRunTable(table, withDerivatives), headers);
      }
      const isInsightKnown = texts['knownInsight'] === presentInsightVersion(stamp);
      const history = await getHistory(db, accountId, stamp, {
        after,
        every: numbers['every']!,
        completed: numbers['completed']!,
        wantsExplanation: !isInsightKnown,
      });
      return {
        status: 200,
        headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
        pieces: (nextSlice) => inSlices(presentHistory(history, stamp), nextSlice),
      };
    },
  }),
];
