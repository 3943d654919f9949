import { readTrialRuns } from '../../../application/search/read-trial-runs.ts';
import { nextPageHeaders, pageOf } from '../../answer/answers.ts';
import { DERIVATIVE_FLAGS } from '../../answer/row-table.ts';
import { answerRows, ROW_FLAGS, ROW_TEXTS } from '../../answer/rows.ts';
import { defineOperation, type Operation } from '../../operation/operation.ts';
import { ROW_FORMATS } from '../../wire/formats.ts';
import { makePresentTrialRun, toTrialRunTable, trialRunSchema, trialRunTypes } from './trial-runs.wire.ts';

export const trialRunOperations: readonly Operation[] = [
  defineOperation({
    method: 'GET',
    path: '/models/{model_id}/projects/{project_id}/trials/{trial_id}/objectives/{objective_id}/runs',
    operationId: 'listTrialRuns',
    tag: 'Objectives',
    summary: 'List all runs of the trial as an objective judges them, or write them as rows of CSV or lines of JSON',
    description:
      'The cases of the trial, designed and added, then the runs of all its objectives, by objective and iteration. As text/csv or application/x-ndjson all of them, unless limit is given.',
    isList: true,
    formats: ROW_FORMATS,
    texts: ROW_TEXTS,
    flags: { ...ROW_FLAGS, ...DERIVATIVE_FLAGS },
    numbers: {
      without: {
        description: 'The id of an objective whose runs are left out.',
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        default: null,
      },
    },
    answers: pageOf.spec(
      'The runs as they are now; after takes the position of the last one.',
      trialRunSchema,
      trialRunTypes,
    ),
    handle: async (call) => {
      const withDerivatives = call.format !== 'json' && call.flags['derivatives'] === true;
      const request = { ...call.page, without: call.numbers['without'] ?? null, withDerivatives };
      const runs = await readTrialRuns(call.deps.db, call.accountId, call.ids, request);
      if (call.format !== 'json') {
        return answerRows(call, toTrialRunTable(runs, withDerivatives), nextPageHeaders(call, runs.nextAfter));
      }
      return pageOf.written(call, runs, makePresentTrialRun(runs));
    },
  }),
];
