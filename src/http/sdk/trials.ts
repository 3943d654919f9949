import { loadOutputCases } from '../../application/data/load-output-cases.ts';
import { getTrialTree } from '../../application/search/read-trees.ts';
import { created, ok } from '../answer/answers.ts';
import { JsonArray } from '../answer/json-array.ts';
import { defineOperation, type Operation } from '../operation/operation.ts';
import { trialPath } from './paths.ts';
import { presentTrialTree } from './trees.ts';
import { newOutputCases, presentTrial, trialSchema } from './trials.wire.ts';

const tag = 'Trials';

export const trialOperations: readonly Operation[] = [
  defineOperation({
    method: 'POST',
    path: '/projects/{project_id}/output-cases',
    operationId: 'loadOutputCases',
    tag,
    summary: 'Load the outputs of the input cases; creates a trial',
    body: newOutputCases,
    answers: created.spec('The trial.', trialSchema),
    handle: async ({ deps, accountId, ids, body }) => {
      const { trial, set } = await loadOutputCases(deps.db, accountId, ids, body, deps.settings.account);
      return created.written(trialPath(trial.id), presentTrial(trial, set, set.outputCases, []));
    },
    replay: {
      read: async ({ deps, accountId, ids }, trialId) => {
        const { trial, set, outputCases } = await getTrialTree(deps.db, accountId, { ...ids, trialId });
        return presentTrial(trial, set, JsonArray.plain(outputCases), []);
      },
    },
  }),
  defineOperation({
    method: 'GET',
    path: '/trials/{trial_id}',
    operationId: 'readTrial',
    tag,
    summary: 'Read a trial with everything in it',
    answers: ok.spec('The trial.', trialSchema),
    handle: async ({ deps, accountId, ids }) =>
      ok.written(presentTrialTree(await getTrialTree(deps.db, accountId, ids))),
  }),
];
