import { addRecipient, listRecipients, removeRecipient } from '../../../application/webhooks/recipients.ts';
import { DomainError } from '../../../domain/errors.ts';
import { MAXIMUM_RECIPIENTS } from '../../../domain/webhooks/recipient.ts';
import { createdWithoutPath, noContent, pageOf } from '../../answer/answers.ts';
import type { HandlerDeps } from '../../operation/deps.ts';
import { defineOperation, type Operation } from '../../operation/operation.ts';
import { newRecipient, presentRecipient, recipientSchema } from './recipients.wire.ts';

const tag = 'Recipients';

export const recipientOperations: readonly Operation[] = [
  defineOperation({
    method: 'POST',
    path: '/recipients',
    operationId: 'addRecipient',
    tag,
    summary: 'Have a person told by e-mail when a search ends or an input waits',
    description: `The person gets one e-mail that asks, and others only once they have agreed. Every e-mail has a link that ends them. Adding a person again changes what they are told, and asks again unless they have agreed. Inputs of batches are not told, nor inputs whose output comes within two minutes. An account has at most ${MAXIMUM_RECIPIENTS} recipients.`,
    body: newRecipient,
    answers: createdWithoutPath.spec('The recipient.', recipientSchema),
    refusals: {
      404: 'The objective does not exist.',
      501: 'The operator has not set SMTP_URL, MAIL_FROM and PUBLIC_URL (mail-not-set-up).',
    },
    prepare: (call) => refuseWithoutMail(call.deps, call.accountId),
    handle: async ({ deps, accountId, body }) =>
      createdWithoutPath.answer(presentRecipient(await addRecipient(deps.db, accountId, body, deps.settings.account))),
  }),
  defineOperation({
    method: 'GET',
    path: '/recipients',
    operationId: 'listRecipients',
    tag,
    summary: 'List the people who are told by e-mail',
    isList: true,
    answers: pageOf.spec('The recipients, oldest first.', recipientSchema),
    handle: async (call) =>
      pageOf.answer(call, await listRecipients(call.deps.db, call.accountId, call.page), presentRecipient),
  }),
  defineOperation({
    method: 'DELETE',
    path: '/recipients/{recipient_id}',
    operationId: 'removeRecipient',
    tag,
    summary: 'Tell a person no more',
    answers: noContent.spec,
    handle: async ({ deps, accountId, ids }) => {
      await removeRecipient(deps.db, accountId, ids.recipientId);
      return noContent.answer;
    },
  }),
];

/** Each addition may send an e-mail to a stranger. */
async function refuseWithoutMail({ settings, mailLimiter }: HandlerDeps, accountId: number): Promise<undefined> {
  if (settings.hasMail !== true) {
    const message = 'The operator of this service has not set up e-mail: it needs SMTP_URL, MAIL_FROM and PUBLIC_URL.';
    throw new DomainError('MAIL_NOT_SET_UP', message);
  }
  const taken = await mailLimiter?.take(`mail account ${accountId}`);
  if (taken === undefined || taken.isAllowed) return undefined;
  const message = `The account has added ${mailLimiter!.limit} recipients within an hour; retry in ${taken.resetSeconds} s.`;
  throw new DomainError('TOO_MANY_RECIPIENTS', message, { retryAfterSeconds: taken.resetSeconds });
}
