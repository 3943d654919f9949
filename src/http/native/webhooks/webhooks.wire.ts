import { z } from 'zod';
import type { WebhookWithSecret } from '../../../application/webhooks/manage-webhooks.ts';
import { type Delivery, type DeliveryState, EVENT_NAMES, type Webhook } from '../../../domain/webhooks/event.ts';
import { bodyOf } from '../../body/spec.ts';
import { textSchema, timestamp, toOptionalTimestamp, toTimestamp } from '../../wire/fields.ts';
import { MAXIMUM_TEXT_LENGTH } from '../../wire/limits.ts';

const eventName = z.enum(EVENT_NAMES);
const eventNames = z
  .array(eventName)
  .min(1, 'must name an event; leave it out for all events.')
  .max(EVENT_NAMES.length, 'must not name an event twice.')
  .describe('Names of the events to send; null for all, including those added later.');

const url = textSchema({ minimum: 1, maximum: MAXIMUM_TEXT_LENGTH })
  .meta({ format: 'uri' })
  .describe(
    'Where events are posted: https, at a public address. Answer 2xx to accept an event. Stored in the normal form of the URL standard.',
  );
const description = textSchema({ minimum: 1, maximum: MAXIMUM_TEXT_LENGTH }).describe(
  'For your own use; it is never sent.',
);

export const newWebhook = bodyOf(
  z
    .strictObject({
      url,
      events: eventNames.nullish().transform((names) => names ?? null),
      description: description.nullish().transform((text) => text ?? null),
    })
    .meta({
      id: 'NewWebhook',
      examples: [{ url: 'https://example.com/backsolve', events: ['inverse.suggested', 'objective.satisfied'] }],
    }),
);

export const webhookPatch = bodyOf(
  z
    .strictObject({
      url: url.optional(),
      events: eventNames.nullable().optional(),
      description: description.nullable().optional(),
      enabled: z.boolean().optional().describe('false keeps waiting deliveries and accepts no new events.'),
    })
    .meta({ id: 'WebhookPatch', examples: [{ enabled: false }] }),
);

const webhookFields = {
  id: z.int(),
  url: z.string(),
  events: z.array(eventName).nullable().describe('null: all events.'),
  description: z.string().nullable(),
  enabled: z.boolean(),
  failingSince: timestamp.nullable().describe('Since when deliveries have failed; null if the last one succeeded.'),
  previousSecretUntil: timestamp
    .nullable()
    .describe('Until when deliveries are also signed with an older secret; null: with the newest only.'),
  createdAt: timestamp,
  updatedAt: timestamp,
};

export const webhookSchema = z.object(webhookFields).meta({ id: 'Webhook' });

export const createdWebhookSchema = z
  .object({
    ...webhookFields,
    secret: z.string().describe('Verifies signatures; shown here and never again.'),
  })
  .meta({ id: 'CreatedWebhook' });

export function presentWebhook(webhook: Webhook): z.infer<typeof webhookSchema> {
  return {
    id: webhook.id,
    url: webhook.url,
    events: webhook.eventNames === null ? null : [...webhook.eventNames],
    description: webhook.description,
    enabled: webhook.enabled,
    failingSince: toOptionalTimestamp(webhook.failingSince),
    previousSecretUntil: toOptionalTimestamp(webhook.previousSecretUntil),
    createdAt: toTimestamp(webhook.createdAt),
    updatedAt: toTimestamp(webhook.updatedAt),
  };
}

export function presentCreatedWebhook(created: WebhookWithSecret): z.infer<typeof createdWebhookSchema> {
  return { ...presentWebhook(created.webhook), secret: created.secret };
}

/** Clients see a leased delivery as being sent. */
const DELIVERY_STATUS = {
  waiting: 'waiting',
  leased: 'sending',
  delivered: 'delivered',
  dead: 'dead',
} as const satisfies Record<DeliveryState, string>;

export const deliverySchema = z
  .object({
    id: z.int(),
    webhookId: z.int(),
    eventId: z.int().describe('The number in the webhook-id header: 4711 in evt_4711.'),
    event: eventName,
    status: z
      .enum(Object.values(DELIVERY_STATUS))
      .describe('waiting for its next attempt, sending, delivered, or dead: every attempt failed.'),
    attemptCount: z.int(),
    nextAttemptAt: timestamp.nullable(),
    lastAttemptAt: timestamp.nullable(),
    lastStatus: z.int().nullable().describe('HTTP status of the last answer; null if there was none.'),
    lastError: z.string().nullable(),
    deliveredAt: timestamp.nullable(),
    createdAt: timestamp,
  })
  .meta({ id: 'WebhookDelivery' });

export function presentDelivery(delivery: Delivery): z.infer<typeof deliverySchema> {
  return {
    id: delivery.id,
    webhookId: delivery.webhookId,
    eventId: delivery.eventId,
    event: delivery.eventName,
    status: DELIVERY_STATUS[delivery.state],
    attemptCount: delivery.attempts,
    nextAttemptAt: toOptionalTimestamp(delivery.nextAttemptAt),
    lastAttemptAt: toOptionalTimestamp(delivery.attemptedAt),
    lastStatus: delivery.lastStatus,
    lastError: delivery.lastError,
    deliveredAt: toOptionalTimestamp(delivery.deliveredAt),
    createdAt: toTimestamp(delivery.createdAt),
  };
}
