import {
  addBatchObjectives,
  checkAddedObjectives,
  checkBatch,
  createBatch,
} from '../../../application/batches/create-batch.ts';
import { cancelBatch, pauseBatch, resumeBatch, updateBatch } from '../../../application/batches/manage-batches.ts';
import { getBatch, listBatches, listBatchObjectives } from '../../../application/batches/read-batches.ts';
import type { BatchStatus } from '../../../domain/batches/batch.ts';
import { created, nextPageHeaders, ok, pageOf } from '../../answer/answers.ts';
import { answerRows, ROW_FLAGS, ROW_TEXTS } from '../../answer/rows.ts';
import { designEngineOf } from '../../operation/gone-signal.ts';
import { type Call, defineOperation, type Operation } from '../../operation/operation.ts';
import { batchSchema, batchStatus, presentBatch } from '../../wire/batch.ts';
import { ROW_FORMATS } from '../../wire/formats.ts';
import { batchPath } from '../../wire/native-paths.ts';
import { noFields } from '../search/inverses.wire.ts';
import {
  batchObjectiveSchema,
  batchObjectiveTypes,
  presentBatchObjective,
  toBatchObjectiveTable,
} from './batch-objectives.wire.ts';
import { batchPatch, createdBatchSchema, newBatch, newBatchObjectives, presentCreatedBatch } from './batches.wire.ts';

const tag = 'Batches';
const batch = '/batches/{batch_id}';
const LARGEST_ID = Number.MAX_SAFE_INTEGER;

function checkDeps(call: Call<unknown, unknown>) {
  const { db, judgeEvaluatorUrl, sheets } = call.deps;
  return { db, engine: designEngineOf(call), judgeUrl: judgeEvaluatorUrl, sheets };
}

export const batchOperations: readonly Operation[] = [
  defineOperation({
    method: 'POST',
    path: '/models/{model_id}/projects/{project_id}/batches',
    operationId: 'createBatch',
    tag,
    summary: 'Work through objectives unattended',
    description:
      'Without trialId the designed cases are evaluated first. Then up to parallelism objectives run at a time, each with an open inverse; when fewer are left, each gets more. Evaluators claim the evaluations, or the service posts them to the URL of an http evaluator, or calculates a workbook. The answer contains the secret that verifies its calls; it is never shown again.',
    body: newBatch,
    holdsSecret: true,
    answers: created.spec('The batch, with the secret of its http evaluator.', createdBatchSchema),
    prepare: (call) => checkBatch(checkDeps(call), call.accountId, call.ids, call.body, call.deps.settings.account),
    handle: async ({ deps, accountId, ids }, checked) => {
      const made = await createBatch(deps.db, accountId, ids, checked, deps.settings.account);
      return created.answer(batchPath(made.batch.id), presentCreatedBatch(made));
    },
  }),
  defineOperation({
    method: 'GET',
    path: '/batches',
    operationId: 'listBatches',
    tag,
    summary: 'List the batches of the account',
    isList: true,
    hasOrder: true,
    texts: { status: { schema: batchStatus, description: 'Only those with this status.' } },
    numbers: {
      project_id: { description: 'Only those of this project.', minimum: 1, maximum: LARGEST_ID, default: null },
    },
    answers: pageOf.spec('The batches, oldest first unless order says otherwise.', batchSchema),
    handle: async (call) => {
      const status = (call.texts['status'] ?? null) as BatchStatus | null;
      const filter = { status, projectId: call.numbers['project_id'] ?? null };
      const page = await listBatches(call.deps.db, call.accountId, filter, call.page);
      return pageOf.answer({ ...call, numbers: { ...call.numbers } }, page, presentBatch);
    },
  }),
  defineOperation({
    method: 'GET',
    path: batch,
    operationId: 'getBatch',
    tag,
    summary: 'Read a batch with its progress',
    answers: ok.spec('The batch.', batchSchema),
    handle: async ({ deps, accountId, ids }) =>
      ok.answer(presentBatch(await getBatch(deps.db, accountId, ids.batchId))),
  }),
  defineOperation({
    method: 'PATCH',
    path: batch,
    operationId: 'updateBatch',
    tag,
    summary: 'Change the name or the parallelism of a batch',
    description: 'Open evaluations stay open when the parallelism is lowered.',
    body: batchPatch,
    answers: ok.spec('The batch as it is now.', batchSchema),
    refusals: { 409: 'The batch has ended.' },
    handle: async ({ deps, accountId, ids, body }) =>
      ok.answer(presentBatch(await updateBatch(deps.db, accountId, ids.batchId, body))),
  }),
  defineOperation({
    method: 'POST',
    path: `${batch}/pause`,
    operationId: 'pauseBatch',
    tag,
    summary: 'Pause a batch',
    description:
      'No more evaluations are handed out and no more inputs suggested. Outputs of running evaluations are accepted.',
    body: noFields,
    answers: ok.spec('The batch as it is now.', batchSchema),
    refusals: { 409: 'The batch has ended.' },
    handle: async ({ deps, accountId, ids }) =>
      ok.answer(presentBatch(await pauseBatch(deps.db, accountId, ids.batchId))),
  }),
  defineOperation({
    method: 'POST',
    path: `${batch}/resume`,
    operationId: 'resumeBatch',
    tag,
    summary: 'Resume a paused batch',
    body: noFields,
    answers: ok.spec('The batch as it is now.', batchSchema),
    refusals: { 409: 'The batch has ended.' },
    handle: async ({ deps, accountId, ids }) =>
      ok.answer(presentBatch(await resumeBatch(deps.db, accountId, ids.batchId))),
  }),
  defineOperation({
    method: 'POST',
    path: `${batch}/cancel`,
    operationId: 'cancelBatch',
    tag,
    summary: 'Cancel a batch',
    description:
      'Its running objectives are stopped and its evaluations cancelled. A batch that has ended stays as it is; cancelling again is not an error.',
    body: noFields,
    answers: ok.spec('The batch as it is now.', batchSchema),
    handle: async ({ deps, accountId, ids }) =>
      ok.answer(presentBatch(await cancelBatch(deps.db, accountId, ids.batchId))),
  }),
  defineOperation({
    method: 'GET',
    path: `${batch}/objectives`,
    operationId: 'listBatchObjectives',
    tag,
    summary: 'List the objectives of a batch with the best run of each',
    description: 'As text/csv or application/x-ndjson all of them, unless limit is given.',
    isList: true,
    formats: ROW_FORMATS,
    texts: ROW_TEXTS,
    flags: ROW_FLAGS,
    answers: pageOf.spec(
      'The objectives in order; after takes the position of the last one.',
      batchObjectiveSchema,
      batchObjectiveTypes,
    ),
    handle: async (call) => {
      const { deps, accountId, ids, page, format } = call;
      const listed = await listBatchObjectives(deps.db, accountId, ids.batchId, page);
      if (format === 'json') return pageOf.written(call, listed, presentBatchObjective);
      return answerRows(call, toBatchObjectiveTable(listed), nextPageHeaders(call, listed.nextAfter));
    },
  }),
  defineOperation({
    method: 'POST',
    path: `${batch}/objectives`,
    operationId: 'addBatchObjectives',
    tag,
    summary: 'Add objectives to a batch',
    description: 'A completed batch continues with them.',
    body: newBatchObjectives,
    answers: { 201: { description: 'The batch as it is now.', schema: batchSchema } },
    refusals: { 409: 'The batch failed or was cancelled.' },
    prepare: (call) => checkAddedObjectives(checkDeps(call), call.accountId, call.ids.batchId, call.body.objectives),
    handle: async ({ deps, accountId, ids, body }) => ({
      status: 201,
      body: presentBatch(
        await addBatchObjectives(deps.db, accountId, ids.batchId, body.objectives, deps.settings.account),
      ),
    }),
  }),
];
