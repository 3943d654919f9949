import { randomBytes } from 'node:crypto';
import { findAccountId } from '../../db/accounts/accounts.ts';
import { type Db, inTransaction } from '../../db/connection/transaction.ts';
import * as webhooks from '../../db/webhooks/webhooks.ts';
import type { StorageQuota } from '../../domain/accounts/storage.ts';
import { DomainError, makeViolation, notFound, refuseViolations, type ViolationPath } from '../../domain/errors.ts';
import type { Page, PageRequest } from '../../domain/page.ts';
import type { Delivery, EventName, Webhook } from '../../domain/webhooks/event.ts';
import type { JudgeUrl } from '../../outside/webhooks/target-guard.ts';
import { refuseOverQuota, takeWithin } from '../accounts/account-limits.ts';
import { formatSecret, SECRET_BYTES } from '../accounts/secrets.ts';

export interface WebhookDeps {
  readonly db: Db;
  /** Returns the fault of a receiver's URL, if there is one. */
  readonly judgeUrl: JudgeUrl;
}

export interface NewWebhook {
  readonly url: string;
  readonly description: string | null;
  /** null: every event. */
  readonly eventNames: readonly EventName[] | null;
}

/** The secret's text is shown where it is made and never again. */
export interface WebhookWithSecret {
  readonly webhook: Webhook;
  readonly secret: string;
}

/** Bounded, because every event is written once per webhook that takes it. */
export const MAXIMUM_WEBHOOKS = 50;
/** The secret's text is returned here and never again. Throws VALIDATION_FAILED, LIMIT_REACHED, QUOTA_EXCEEDED. */
export async function createWebhook(
  { db, judgeUrl }: WebhookDeps,
  accountId: number,
  webhook: NewWebhook,
  quota?: StorageQuota,
): Promise<WebhookWithSecret> {
  const url = readUrl(judgeUrl, webhook.url);
  const secret = randomBytes(SECRET_BYTES);
  const made = await inTransaction(db, async (trx) => {
    const isBelow = async (limit: number) => (await webhooks.countWebhooks(trx, accountId)) < limit;
    if (!(await takeWithin(trx, accountId, MAXIMUM_WEBHOOKS, isBelow))) {
      throw new DomainError('LIMIT_REACHED', `The account already has ${MAXIMUM_WEBHOOKS} webhooks; delete one first.`);
    }
    await refuseOverQuota(trx, accountId, quota);
    return webhooks.insertWebhook(trx, accountId, { ...webhook, url, secret });
  });
  return { webhook: made, secret: formatSecret(secret) };
}

/** Secrets that one webhook may have at a time: each makes a signature in a header. */
export const MAXIMUM_SECRETS = 5;

/**
 * A new secret, whose text is returned here and never again. Until the overlap is over deliveries are signed with the older
 * ones too; after it no older secret is used or kept. Throws NOT_FOUND, LIMIT_REACHED.
 */
export async function rotateSecret(
  db: Db,
  accountId: number,
  webhookId: number,
  overlapSeconds: number,
): Promise<WebhookWithSecret> {
  return inTransaction(db, async (trx) => {
    const previousCount = await webhooks.lockSecrets(trx, accountId, webhookId);
    if (previousCount === undefined) throw notFound('webhook', webhookId);
    if (overlapSeconds > 0 && 1 + previousCount >= MAXIMUM_SECRETS) {
      const message = `The webhook already has ${MAXIMUM_SECRETS} secrets in use; wait until a rotation ends, or end all of them with overlapSeconds 0.`;
      throw new DomainError('LIMIT_REACHED', message);
    }
    const secret = randomBytes(SECRET_BYTES);
    const webhook = await webhooks.replaceSecret(trx, webhookId, { secret, overlapSeconds });
    return { webhook, secret: formatSecret(secret) };
  });
}

/** Removes the secrets whose overlap has ended, in one pass. */
export async function dropEndedSecrets(db: Db): Promise<{ readonly dropped: number }> {
  return { dropped: await webhooks.deleteEndedSecrets(db) };
}

export async function getWebhook(db: Db, accountId: number, webhookId: number): Promise<Webhook> {
  const webhook = await webhooks.findWebhook(db, accountId, webhookId);
  if (webhook === undefined) throw notFound('webhook', webhookId);
  return webhook;
}

export function listWebhooks(db: Db, accountId: number, page: PageRequest): Promise<Page<Webhook>> {
  return webhooks.listWebhooks(db, accountId, page);
}

/** While a webhook is switched off its deliveries are kept; they are sent once it is on again. Throws NOT_FOUND, VALIDATION_FAILED. */
export async function updateWebhook(
  { db, judgeUrl }: WebhookDeps,
  accountId: number,
  webhookId: number,
  change: webhooks.WebhookChange,
): Promise<Webhook> {
  const url = change.url === undefined ? {} : { url: readUrl(judgeUrl, change.url) };
  const webhook = await webhooks.updateWebhook(db, accountId, webhookId, { ...change, ...url });
  if (webhook === undefined) throw notFound('webhook', webhookId);
  return webhook;
}

/** Removes the webhook, its secrets and its deliveries for good. Throws NOT_FOUND. */
export async function deleteWebhook(db: Db, accountId: number, webhookId: number): Promise<void> {
  const isFound = await inTransaction(db, (trx) => webhooks.deleteWebhook(trx, accountId, webhookId));
  if (!isFound) throw notFound('webhook', webhookId);
}

export interface DeliveryPath {
  /** A command names a delivery without its webhook. */
  readonly webhookId?: number;
  readonly deliveryId: number;
}

export async function getDelivery(db: Db, accountId: number, path: DeliveryPath): Promise<Delivery> {
  if (path.webhookId !== undefined) await getWebhook(db, accountId, path.webhookId);
  const delivery = await webhooks.findDelivery(db, accountId, path.deliveryId);
  if (delivery === undefined || delivery.webhookId !== (path.webhookId ?? delivery.webhookId)) {
    throw notFound('delivery', path.deliveryId);
  }
  return delivery;
}

export async function listDeliveries(
  db: Db,
  accountId: number,
  webhookId: number,
  page: PageRequest,
): Promise<Page<Delivery>> {
  await getWebhook(db, accountId, webhookId);
  return webhooks.listDeliveries(db, accountId, webhookId, page);
}

/** Delivers an event again, now and with all attempts ahead of it, whatever the outcome so far. Throws NOT_FOUND. */
export async function redeliver(db: Db, accountId: number, path: DeliveryPath): Promise<Delivery> {
  const delivery = await getDelivery(db, accountId, path);
  await webhooks.reopenDelivery(db, accountId, delivery.id);
  return getDelivery(db, accountId, path);
}

/** The account that a command names. Throws NOT_FOUND. */
export async function getAccountId(db: Db, name: string): Promise<number> {
  const id = await findAccountId(db, name);
  if (id === undefined) throw notFound('account', `"${name}"`);
  return id;
}

/** The URL as its standard writes it, which is what will be called. Throws VALIDATION_FAILED. */
/** The URL in its normal form. Throws VALIDATION_FAILED at `path`. */
export function readUrl(judgeUrl: JudgeUrl, text: string, path: ViolationPath = ['url']): string {
  const url = URL.parse(text);
  const fault = url === null ? 'must be an absolute URL, such as https://example.com/hook.' : judgeUrl(url);
  if (fault !== undefined) refuseViolations([makeViolation(path, fault)]);
  return url!.href;
}
