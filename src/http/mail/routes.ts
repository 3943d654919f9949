/**
 * /mail: what the links in e-mails do. Opening one only asks, because mail programs open links by themselves; the button, and the one click
 * of a mail program (RFC 8058), do it.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { findByToken, MAIL_ACTIONS, recipientOf } from '../../application/webhooks/recipients.ts';
import { MAIL_ACTS, type MailAct } from '../../domain/webhooks/recipient.ts';
import { REPORT_POLICY, writeNotice } from '../../report/html.ts';
import { clientAddress } from '../connection/client-address.ts';
import type { RateLimiter } from '../fairness/rate-limiter.ts';
import { slowGuesses } from '../hooks/authenticate.ts';
import { limitRate } from '../hooks/rate-limit.ts';
import { forbidCaching } from '../hooks/security-headers.ts';
import { makeNoticeHandler } from '../links/notices.ts';
import type { IngressDeps } from '../operation/deps.ts';
import { MEDIA_TYPES } from '../wire/formats.ts';

interface Words {
  readonly title: string;
  readonly question: string;
  readonly button: string;
  readonly done: string;
}

const WORDS: Readonly<Record<MailAct, Words>> = {
  confirm: {
    title: 'E-mails from Backsolve',
    question: 'Do you want to be told by e-mail when a search ends or an input waits?',
    button: 'Yes, tell me',
    done: 'You will be told from now on. Every e-mail has a link that ends it.',
  },
  stop: {
    title: 'No more e-mails from Backsolve',
    question: 'Do you want no more of these e-mails?',
    button: 'No more e-mails',
    done: 'No more of these e-mails are sent to you.',
  },
};

const POLICY = `${REPORT_POLICY}; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; sandbox allow-forms`;

/** Register it in its own scope. `limiter` counts by address; undefined: no limit. */
export function addMail(scope: FastifyInstance, deps: IngressDeps, limiter: RateLimiter | undefined): void {
  forbidCaching(scope);
  // Forms and mail programs send one field, which says nothing.
  scope.addContentTypeParser('application/x-www-form-urlencoded', (_request, payload, done) => {
    payload.resume();
    done(null, undefined);
  });
  scope.addHook('onRequest', async (_, reply) => {
    reply.header('x-robots-tag', 'noindex, nofollow');
  });
  if (limiter !== undefined) limitRate(scope, limiter, (request) => `mail ${clientAddress(request)}`);
  scope.setErrorHandler(makeNoticeHandler(deps));
  for (const act of MAIL_ACTS) {
    const find = (request: FastifyRequest) => {
      const { token } = request.params as { readonly token: string };
      const parts = () => ({ keyId: `mail ${recipientOf(token)}`, secret: token });
      return slowGuesses(deps, request, token, () => findByToken(deps.db, token, act), parts);
    };
    const { title, question, button, done } = WORDS[act];
    scope.get(`/mail/${act}/:token`, async (request, reply) => {
      await find(request);
      // To the same address, with the label of the cell.
      return send(reply, writeNotice(title, question, [`<form method="post"><button>${button}</button></form>`]));
    });
    scope.post(`/mail/${act}/:token`, async (request, reply) => {
      const id = await find(request);
      await MAIL_ACTIONS[act](deps.db, id);
      request.log.info({ act, recipientId: id }, 'mail.answered');
      return send(reply, writeNotice(title, done));
    });
  }
}

function send(reply: FastifyReply, html: string): FastifyReply {
  return reply
    .headers({ 'content-security-policy': POLICY, 'content-type': `${MEDIA_TYPES.html}; charset=utf-8` })
    .send(html);
}
