/** One attempt to hand an e-mail to the SMTP server of the operator. Its answers count like those of HTTP: 2xx is accepted. */
import { createTransport, type Transporter } from 'nodemailer';
import type { Letter } from '../../domain/webhooks/recipient.ts';
import type { Attempt, SendEvent } from './deliver.ts';

export interface MailServer {
  /** smtp:// or smtps:// with the host, and perhaps port, user and password. */
  readonly url: string;
  /** The sender, such as Backsolve <backsolve@example.com>. */
  readonly from: string;
  /** Whether the connection may stay unencrypted where the server offers no TLS. */
  readonly allowPlain: boolean;
}

/** For each step of an attempt, and for all of it, which is less than the lease of a delivery. */
const STEP_MS = 10_000;
const ATTEMPT_MS = 15_000;

export function makeMailSender({ url, from, allowPlain }: MailServer): SendEvent {
  const transport = createTransport({ ...optionsOf(url), requireTLS: !allowPlain, ...TIMES });
  const send: SendEvent = async ({ url: to, id, body }, signal) => {
    signal.throwIfAborted();
    const { subject, text, stopUrl } = JSON.parse(Buffer.from(body).toString('utf8')) as Letter;
    const mail = {
      from,
      to: { name: '', address: to.slice('mailto:'.length) },
      subject,
      text,
      // The same for each attempt, so that mail programs show a repeated one once.
      messageId: `<${id}@${new URL(stopUrl).hostname}>`,
      headers: {
        'List-Unsubscribe': `<${stopUrl}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        'Auto-Submitted': 'auto-generated',
      },
      // Nothing but the text below: no files, no addresses to load.
      disableFileAccess: true,
      disableUrlAccess: true,
    };
    return inTime(attempt(transport, mail), signal);
  };
  return send;
}

/** A server that answers later may get the e-mail once more, under the same id. */
async function inTime(attempted: Promise<Attempt>, signal: AbortSignal): Promise<Attempt> {
  const { promise, resolve, reject } = Promise.withResolvers<Attempt>();
  const timer = setTimeout(() => resolve({ kind: 'unanswered', reason: REASONS['ETIMEDOUT']! }), ATTEMPT_MS);
  const leave = () => reject(signal.reason);
  signal.addEventListener('abort', leave, { once: true });
  try {
    return await Promise.race([attempted, promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', leave);
  }
}

const TIMES = { connectionTimeout: STEP_MS, greetingTimeout: STEP_MS, socketTimeout: STEP_MS, dnsTimeout: STEP_MS };

function optionsOf(text: string) {
  const url = new URL(text);
  const isSecure = url.protocol === 'smtps:';
  const usualPort = isSecure ? 465 : 587;
  const user = decodeURIComponent(url.username);
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? usualPort : Number(url.port),
    secure: isSecure,
    ...(user !== '' && { auth: { user, pass: decodeURIComponent(url.password) } }),
  };
}

interface SmtpError extends Error {
  readonly code?: string;
  readonly command?: string;
  readonly responseCode?: number;
}

async function attempt(transport: Transporter, mail: object): Promise<Attempt> {
  try {
    await transport.sendMail(mail);
    return { kind: 'answered', status: 250 };
  } catch (error) {
    const { code, command, responseCode, message } = error as SmtpError;
    // Complaints of the server about anything but the recipient concern the operator.
    const isOfRecipient = command === 'RCPT TO' && responseCode !== undefined;
    if (isOfRecipient) {
      const fate = responseCode < 500 ? 'does not take e-mails for this address now' : 'refuses this address';
      return { kind: 'answered', status: responseCode, reason: `the mail server ${fate} (${responseCode})` };
    }
    // The library replaces the code of an error of TLS.
    const isOfTls = /certificate|altname/i.test(message);
    return { kind: 'unanswered', reason: reasonOf(isOfTls ? 'ETLS' : code, responseCode) };
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ETLS: 'the mail server offers no TLS, or its certificate is not trusted',
  EAUTH: 'the mail server refuses the user or the password of SMTP_URL',
  ETIMEDOUT: 'the mail server did not answer in time',
  EDNS: 'the name of the mail server is not known',
};

function reasonOf(code: string | undefined, responseCode: number | undefined): string {
  const known = REASONS[code ?? ''];
  if (known !== undefined) return known;
  return responseCode === undefined
    ? `the mail server could not be reached (${code ?? 'unknown'})`
    : `the mail server answered ${responseCode}`;
}
