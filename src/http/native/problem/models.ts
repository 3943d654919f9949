import {
  createModel,
  deleteModel,
  getModel,
  listModels,
  updateModel,
} from '../../../application/problem/manage-models.ts';
import { created, noContent, ok, pageOf } from '../../answer/answers.ts';
import { defineOperation, type Operation } from '../../operation/operation.ts';
import { modelPath } from '../../wire/native-paths.ts';
import { modelPatch, modelSchema, newModel, presentModel } from './models.wire.ts';

const tag = 'Models';

export const modelOperations: readonly Operation[] = [
  defineOperation({
    method: 'POST',
    path: '/models',
    operationId: 'createModel',
    tag,
    summary: 'Create a model',
    body: newModel,
    answers: created.spec('The model.', modelSchema),
    handle: async ({ deps, accountId, body }) => {
      const model = await createModel(deps.db, accountId, body, deps.settings.account);
      return created.answer(modelPath(model.id), presentModel(model));
    },
  }),
  defineOperation({
    method: 'GET',
    path: '/models',
    operationId: 'listModels',
    tag,
    summary: 'List the models',
    isList: true,
    answers: pageOf.spec('The models, oldest first.', modelSchema),
    handle: async (call) =>
      pageOf.answer(call, await listModels(call.deps.db, call.accountId, call.page), presentModel),
  }),
  defineOperation({
    method: 'GET',
    path: '/models/{model_id}',
    operationId: 'getModel',
    tag,
    summary: 'Read a model',
    answers: ok.spec('The model.', modelSchema),
    handle: async ({ deps, accountId, ids }) =>
      ok.answer(presentModel(await getModel(deps.db, accountId, ids.modelId))),
  }),
  defineOperation({
    method: 'PATCH',
    path: '/models/{model_id}',
    operationId: 'updateModel',
    tag,
    summary: 'Change the name or the description of a model',
    body: modelPatch,
    answers: ok.spec('The model as it is now.', modelSchema),
    handle: async ({ deps, accountId, ids, body }) =>
      ok.answer(presentModel(await updateModel(deps.db, accountId, ids.modelId, body, deps.settings.account))),
  }),
  defineOperation({
    method: 'DELETE',
    path: '/models/{model_id}',
    operationId: 'deleteModel',
    tag,
    summary: 'Disable a model and everything in it',
    description: 'Its name can be used again.',
    answers: noContent.spec,
    handle: async ({ deps, accountId, ids }) => {
      await deleteModel(deps.db, accountId, ids.modelId);
      return noContent.answer;
    },
  }),
];
