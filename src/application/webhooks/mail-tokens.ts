/** The tokens of links in e-mails. They are derived from the secret of the person, so that every e-mail has the same ones. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { MailAct } from '../../domain/webhooks/recipient.ts';

const SIGNATURE_LENGTH = 40;

/** Token of a link in e-mails to the person: it names them and proves that it came from one. */
export function mailToken(id: number, secret: Uint8Array, act: MailAct): string {
  return `${id}-${createHmac('sha256', secret).update(act).digest('hex').slice(0, SIGNATURE_LENGTH)}`;
}

/** The id of the person that a token names, before it is checked; undefined if it is malformed. */
export function recipientOf(token: string): number | undefined {
  const match = /^([1-9]\d{0,14})-[0-9a-f]{40}$/.exec(token);
  return match === null ? undefined : Number(match[1]);
}

/** In constant time. */
export function isRightToken(token: string, id: number, secret: Uint8Array, act: MailAct): boolean {
  const [sent, right] = [Buffer.from(token), Buffer.from(mailToken(id, secret, act))];
  return sent.length === right.length && timingSafeEqual(sent, right);
}
