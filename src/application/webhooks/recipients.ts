/** People who are told by e-mail: added by an account, and confirmed or removed by the people themselves. */
import { randomBytes } from 'node:crypto';
import { lockAccount } from '../../db/accounts/accounts.ts';
import { type Db, inTransaction } from '../../db/connection/transaction.ts';
import * as recipients from '../../db/webhooks/recipients.ts';
import type { StorageQuota } from '../../domain/accounts/storage.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import type { Page, PageRequest } from '../../domain/page.ts';
import { MAXIMUM_RECIPIENTS, type MailAct, type Recipient, type ToldKind } from '../../domain/webhooks/recipient.ts';
import { refuseOverQuota } from '../accounts/account-limits.ts';
import { SECRET_BYTES } from '../accounts/secrets.ts';
import { isRightToken, recipientOf } from './mail-tokens.ts';

export { recipientOf } from './mail-tokens.ts';

export interface AddedRecipient {
  readonly email: string;
  readonly objectiveId: number | null;
  readonly tells: readonly ToldKind[];
}

/**
 * A person who is there already gets what is sent now, and is asked again unless they have agreed. Throws NOT_FOUND, LIMIT_REACHED,
 * QUOTA_EXCEEDED.
 */
export async function addRecipient(
  db: Db,
  accountId: number,
  added: AddedRecipient,
  quota?: StorageQuota,
): Promise<Recipient> {
  return inTransaction(db, async (trx) => {
    await lockAccount(trx, accountId);
    await refuseOverQuota(trx, accountId, quota);
    const stored = await recipients.putRecipient(trx, accountId, { ...added, secret: randomBytes(SECRET_BYTES) });
    if (stored === undefined) throw notFound('objective', added.objectiveId!);
    if ((await recipients.countRecipients(trx, accountId)) > MAXIMUM_RECIPIENTS) {
      const message = `The account already tells ${MAXIMUM_RECIPIENTS} recipients by e-mail; remove one first.`;
      throw new DomainError('LIMIT_REACHED', message);
    }
    return stored;
  });
}

export function listRecipients(db: Db, accountId: number, page: PageRequest): Promise<Page<Recipient>> {
  return recipients.listRecipients(db, accountId, page);
}

/** Throws NOT_FOUND. */
export async function removeRecipient(db: Db, accountId: number, id: number): Promise<void> {
  if (!(await recipients.removeRecipient(db, accountId, id))) throw notFound('recipient', id);
}

/** The person that a link in an e-mail names. Throws SHARED_LINK_ENDED. */
export async function findByToken(db: Db, token: string, act: MailAct): Promise<number> {
  const id = recipientOf(token);
  const secret = id === undefined ? undefined : await recipients.findSecretOf(db, id);
  if (secret !== undefined && isRightToken(token, id!, secret, act)) return id!;
  throw new DomainError(
    'SHARED_LINK_ENDED',
    'This link does not work any more: its address was removed, or the link is not complete. No e-mails are sent to it.',
  );
}

/** Action of each link in an e-mail. */
export const MAIL_ACTIONS: Readonly<Record<MailAct, (db: Db, id: number) => Promise<unknown>>> = {
  confirm: recipients.confirmRecipient,
  stop: (db, id) => recipients.removeRecipient(db, null, id),
};
