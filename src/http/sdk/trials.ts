import { loadOutputCases } from '../../application/load-output-cases.ts';
import { getTrialTree } from '../../application/read-trees.ts';
import { defineOperation, type Operation } from '../operation.ts';
import { created, ok } from './answers.ts';
import { trialPath } from './paths.ts';
import { newOutputCases, presentTrial, toOutputCases, trialSchema } from './trials.wire.ts';

const tag = 'Trials';

export const trialOperations: readonly Operation[] = [
  defineOperation({
    method: 'POST',
    path: '/projects/{project_id}/output-cases',
    operationId: 'loadOutputCases',
    tag,
    summary: 'Load the outputs of the input cases; makes a trial',
    body: newOutputCases,
    answers: created.spec('The trial.', trialSchema),
    handle: async ({ deps, accountId, ids, body }) => {
      const { trial, set } = await loadOutputCases(deps.db, accountId, ids, toOutputCases(body), deps.settings.account);
      return created.answer(presentTrial({ trial, set, objectives: [] }), trialPath(trial.id));
    },
    replay: {
      read: async ({ deps, accountId, ids }, trialId) => {
        const { trial, set } = await getTrialTree(deps.db, accountId, { ...ids, trialId });
        return presentTrial({ trial, set, objectives: [] });
      },
    },
  }),
  defineOperation({
    method: 'GET',
    path: '/trials/{trial_id}',
    operationId: 'readTrial',
    tag,
    summary: 'A trial with everything in it',
    answers: ok.spec('The trial.', trialSchema),
    handle: async ({ deps, accountId, ids }) => ok.answer(presentTrial(await getTrialTree(deps.db, accountId, ids))),
  }),
];
