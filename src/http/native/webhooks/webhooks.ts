import {
  createWebhook,
  deleteWebhook,
  getDelivery,
  getWebhook,
  listDeliveries,
  listWebhooks,
  redeliver,
  rotateSecret,
  updateWebhook,
} from '../../../application/webhooks/manage-webhooks.ts';
import { created, noContent, ok, pageOf } from '../../answer/answers.ts';
import type { HttpDeps } from '../../operation/deps.ts';
import { defineOperation, type Operation } from '../../operation/operation.ts';
import { webhookPath } from '../../wire/native-paths.ts';
import { newRotation } from '../accounts/keys.wire.ts';
import { noFields } from '../search/inverses.wire.ts';
import {
  createdWebhookSchema,
  deliverySchema,
  newWebhook,
  presentCreatedWebhook,
  presentDelivery,
  presentWebhook,
  webhookPatch,
  webhookSchema,
} from './webhooks.wire.ts';

const tag = 'Webhooks';
const webhook = '/webhooks/{webhook_id}';
const delivery = `${webhook}/deliveries/{delivery_id}` as const;

function webhookDeps({ db, judgeWebhookUrl }: HttpDeps) {
  return { db, judgeUrl: judgeWebhookUrl };
}

export const webhookOperations: readonly Operation[] = [
  defineOperation({
    method: 'POST',
    path: '/webhooks',
    operationId: 'createWebhook',
    tag,
    scope: 'admin',
    summary: 'Register a webhook',
    description:
      'The answer contains the secret that verifies signatures (Standard Webhooks); it is never shown again.',
    body: newWebhook,
    holdsSecret: true,
    answers: created.spec('The webhook with its secret.', createdWebhookSchema),
    handle: async ({ deps, accountId, body }) => {
      const { url, description, events: eventNames } = body;
      const webhook = { url, description, eventNames };
      const made = await createWebhook(webhookDeps(deps), accountId, webhook, deps.settings.account);
      return created.answer(webhookPath(made.webhook.id), presentCreatedWebhook(made));
    },
  }),
  defineOperation({
    method: 'GET',
    path: '/webhooks',
    operationId: 'listWebhooks',
    tag,
    scope: 'admin',
    summary: 'List the webhooks',
    isList: true,
    answers: pageOf.spec('The webhooks, oldest first.', webhookSchema),
    handle: async (call) =>
      pageOf.answer(call, await listWebhooks(call.deps.db, call.accountId, call.page), presentWebhook),
  }),
  defineOperation({
    method: 'GET',
    path: webhook,
    operationId: 'getWebhook',
    tag,
    scope: 'admin',
    summary: 'Read a webhook',
    answers: ok.spec('The webhook.', webhookSchema),
    handle: async ({ deps, accountId, ids }) =>
      ok.answer(presentWebhook(await getWebhook(deps.db, accountId, ids.webhookId))),
  }),
  defineOperation({
    method: 'PATCH',
    path: webhook,
    operationId: 'updateWebhook',
    tag,
    scope: 'admin',
    summary: 'Enable or disable a webhook, or change its URL, events or description',
    body: webhookPatch,
    answers: ok.spec('The webhook as it is now.', webhookSchema),
    handle: async ({ deps, accountId, ids, body }) => {
      const { events: eventNames, ...change } = body;
      const all = { ...change, ...(eventNames !== undefined && { eventNames }) };
      return ok.answer(presentWebhook(await updateWebhook(webhookDeps(deps), accountId, ids.webhookId, all)));
    },
  }),
  defineOperation({
    method: 'DELETE',
    path: webhook,
    operationId: 'deleteWebhook',
    tag,
    scope: 'admin',
    summary: 'Delete a webhook with its secret and its deliveries',
    answers: noContent.spec,
    handle: async ({ deps, accountId, ids }) => {
      await deleteWebhook(deps.db, accountId, ids.webhookId);
      return noContent.answer;
    },
  }),
  defineOperation({
    method: 'POST',
    path: `${webhook}/rotate-secret`,
    operationId: 'rotateWebhookSecret',
    tag,
    scope: 'admin',
    summary: 'Replace the secret of a webhook',
    description:
      'The answer contains the new secret, which is never shown again. Until the overlap ends, deliveries carry a signature for each secret, the newest first; then the older secrets are deleted.',
    body: newRotation,
    holdsSecret: true,
    answers: ok.spec('The webhook with its new secret.', createdWebhookSchema),
    handle: async ({ deps, accountId, ids, body }) =>
      ok.answer(presentCreatedWebhook(await rotateSecret(deps.db, accountId, ids.webhookId, body.overlapSeconds))),
  }),
  defineOperation({
    method: 'GET',
    path: `${webhook}/deliveries`,
    operationId: 'listDeliveries',
    tag,
    scope: 'admin',
    summary: 'List the deliveries of a webhook',
    description: 'Delivered and dead deliveries are kept for 30 days.',
    isList: true,
    hasOrder: true,
    answers: pageOf.spec('The deliveries, oldest first unless order says otherwise.', deliverySchema),
    handle: async (call) => {
      const page = await listDeliveries(call.deps.db, call.accountId, call.ids.webhookId, call.page);
      return pageOf.answer(call, page, presentDelivery);
    },
  }),
  defineOperation({
    method: 'GET',
    path: delivery,
    operationId: 'getDelivery',
    tag,
    scope: 'admin',
    summary: 'Read a delivery',
    answers: ok.spec('The delivery.', deliverySchema),
    handle: async ({ deps, accountId, ids }) => ok.answer(presentDelivery(await getDelivery(deps.db, accountId, ids))),
  }),
  defineOperation({
    method: 'POST',
    path: `${delivery}/redeliver`,
    operationId: 'redeliver',
    tag,
    scope: 'admin',
    summary: 'Send an event again',
    description: 'Whatever its status, it is due immediately and gets all its attempts again.',
    body: noFields,
    answers: { 202: { description: 'The delivery, waiting for a worker.', schema: deliverySchema } },
    handle: async ({ deps, accountId, ids }) => ({
      status: 202,
      body: presentDelivery(await redeliver(deps.db, accountId, ids)),
    }),
  }),
];
