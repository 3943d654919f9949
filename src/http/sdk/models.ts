import { z } from 'zod';
import { createModel } from '../../application/problem/manage-models.ts';
import { getModelTree, listModelTrees } from '../../application/search/read-trees.ts';
import { created, ok } from '../answer/answers.ts';
import { JsonArray } from '../answer/json-array.ts';
import { defineOperation, type Operation } from '../operation/operation.ts';
import { modelSchema, newModel, presentModel } from './models.wire.ts';
import { modelPath } from './paths.ts';
import { presentModelTree } from './trees.ts';

const tag = 'Models';

export const modelOperations: readonly Operation[] = [
  defineOperation({
    method: 'GET',
    path: '/models',
    operationId: 'readModels',
    tag,
    summary: 'Read all models with everything in them',
    answers: ok.spec('A bare array, oldest first.', z.array(modelSchema)),
    handle: async ({ deps, accountId }) =>
      ok.written(JsonArray.of(listModelTrees(deps.db, accountId), presentModelTree)),
  }),
  defineOperation({
    method: 'GET',
    path: '/models/{model_id}',
    operationId: 'readModel',
    tag,
    summary: 'Read a model with everything in it',
    answers: ok.spec('The model.', modelSchema),
    handle: async ({ deps, accountId, ids }) =>
      ok.written(presentModelTree(await getModelTree(deps.db, accountId, ids.modelId))),
  }),
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
      return created.answer(modelPath(model.id), presentModel(model, []));
    },
  }),
];
