import { Readable } from 'node:stream';
import { z } from 'zod';
import { createModel } from '../../application/manage-models.ts';
import { getModelTree, listModelTrees, type ModelTree } from '../../application/read-trees.ts';
import { defineOperation, type Operation } from '../operation.ts';
import { created, ok } from './answers.ts';
import { modelSchema, newModel, presentModel } from './models.wire.ts';
import { modelPath } from './paths.ts';

const tag = 'Models';

export const modelOperations: readonly Operation[] = [
  defineOperation({
    method: 'GET',
    path: '/models',
    operationId: 'readModels',
    tag,
    summary: 'All models with everything in them',
    answers: ok.spec('A bare array, oldest first.', z.array(modelSchema)),
    handle: async ({ deps, accountId }) => {
      const pages = listModelTrees(deps.db, accountId);
      // Read before the first byte is sent, so that an error still gets an answer of its own.
      const first = await pages.next();
      return {
        status: 200,
        headers: { 'content-type': 'application/json; charset=utf-8' },
        body: Readable.from(writeArray(first.value ?? [], pages)),
      };
    },
  }),
  defineOperation({
    method: 'GET',
    path: '/models/{model_id}',
    operationId: 'readModel',
    tag,
    summary: 'A model with everything in it',
    answers: ok.spec('The model.', modelSchema),
    handle: async ({ deps, accountId, ids }) =>
      ok.answer(presentModel(await getModelTree(deps.db, accountId, ids.modelId))),
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
      return created.answer(presentModel({ model, projects: [] }), modelPath(model.id));
    },
  }),
];

/** JSON text of one array, model by model: clients know no pages, and an account may hold more than fits in memory. */
async function* writeArray(
  first: readonly ModelTree[],
  others: AsyncIterable<readonly ModelTree[]>,
): AsyncGenerator<string> {
  yield '[';
  let separator = '';
  for (const tree of first) {
    yield `${separator}${JSON.stringify(presentModel(tree))}`;
    separator = ',';
  }
  for await (const page of others) {
    for (const tree of page) yield `,${JSON.stringify(presentModel(tree))}`;
  }
  yield ']';
}
