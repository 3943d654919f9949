import {
  createTrial,
  deleteTrial,
  getTrial,
  listTrials,
  updateTrial,
} from '../../../application/data/manage-trials.ts';
import { created, noContent, ok, pageOf } from '../../answer/answers.ts';
import { defineOperation, type Operation } from '../../operation/operation.ts';
import { trialPath } from '../../wire/native-paths.ts';
import { newTrial, presentTrial, trialPatch, trialSchema } from './trials.wire.ts';

const tag = 'Trials';
const trials = '/models/{model_id}/projects/{project_id}/trials';
const trial = `${trials}/{trial_id}` as const;

export const trialOperations: readonly Operation[] = [
  defineOperation({
    method: 'POST',
    path: trials,
    operationId: 'createTrial',
    tag,
    summary: 'Start another trial on loaded output cases',
    body: newTrial,
    answers: created.spec('The trial.', trialSchema),
    handle: async ({ deps, accountId, ids, body }) => {
      const request = { outputCaseSetId: body.output_case_set_id };
      const made = await createTrial(deps.db, accountId, ids, request, deps.settings.account);
      return created.answer(trialPath({ ...ids, trialId: made.id }), presentTrial(made));
    },
  }),
  defineOperation({
    method: 'GET',
    path: trials,
    operationId: 'listTrials',
    tag,
    summary: 'List the trials of a project',
    isList: true,
    answers: pageOf.spec('The trials, oldest first.', trialSchema),
    handle: async (call) =>
      pageOf.answer(call, await listTrials(call.deps.db, call.accountId, call.ids, call.page), presentTrial),
  }),
  defineOperation({
    method: 'GET',
    path: trial,
    operationId: 'getTrial',
    tag,
    summary: 'Read a trial',
    answers: ok.spec('The trial.', trialSchema),
    handle: async ({ deps, accountId, ids }) => ok.answer(presentTrial(await getTrial(deps.db, accountId, ids))),
  }),
  defineOperation({
    method: 'PATCH',
    path: trial,
    operationId: 'updateTrial',
    tag,
    summary: 'Complete a trial',
    body: trialPatch,
    answers: ok.spec('The trial as it is now.', trialSchema),
    handle: async ({ deps, accountId, ids, body }) =>
      ok.answer(presentTrial(await updateTrial(deps.db, accountId, ids, body))),
  }),
  defineOperation({
    method: 'DELETE',
    path: trial,
    operationId: 'deleteTrial',
    tag,
    summary: 'Disable a trial and its objectives',
    answers: noContent.spec,
    handle: async ({ deps, accountId, ids }) => {
      await deleteTrial(deps.db, accountId, ids);
      return noContent.answer;
    },
  }),
];
