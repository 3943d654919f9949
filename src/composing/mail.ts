/** The mail server of the operator. */

import type { SendEvent } from '../outside/webhooks/deliver.ts';
import { type MailServer, makeMailSender } from '../outside/webhooks/send-mail.ts';
import type { Config } from '../settings/config.ts';

/** undefined unless everything that an e-mail needs is set. */
export function mailServerOf({
  mail: { server: url, from, allowPlain },
  publicUrl,
}: Config): (MailServer & { readonly publicUrl: string }) | undefined {
  if (url === undefined || from === undefined || publicUrl === undefined) return undefined;
  return { url, from, allowPlain, publicUrl };
}

/** Without a server e-mails wait, in case the operator sets one again. */
export function composeMail(server: MailServer | undefined): SendEvent {
  if (server !== undefined) return makeMailSender(server);
  return async () => ({ kind: 'unanswered', reason: 'the operator has set no mail server' });
}
