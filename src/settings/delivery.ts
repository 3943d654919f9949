/** The settings of what the service sends out, and of the addresses in it: a part of SETTINGS_TREE. */
import { optionalText, setting, trueOrFalse, wholeNumber } from './rules.ts';

const MINUTE_MS = 60_000;
const MEBIBYTE = 1024 * 1024;

function isOrigin(value: string): boolean {
  return /^https?:\/\//.test(value) && URL.canParse(value) && new URL(value).origin === value;
}

export const PUBLIC_URL = setting(
  'PUBLIC_URL',
  optionalText(isOrigin, 'the address of the service in browsers, without a path', 'https://backsolve.example.com'),
  'Where people reach the service, for the addresses in [links](links.md), on run cards and in e-mails. By default links and cards have the address of the request that asked for them.',
);

function isMailServer(value: string): boolean {
  return /^smtps?:\/\/./.test(value) && URL.canParse(value) && new URL(value).hostname !== '';
}

export const MAIL_SETTINGS = {
  server: setting(
    'SMTP_URL',
    optionalText(isMailServer, 'the address of an SMTP server', 'smtps://user:password@mail.example.com'),
    'The SMTP server that takes [e-mails](webhooks.md#e-mails) to people, with user and password percent-encoded. `smtps` is TLS from the beginning (port 465), `smtp` changes to TLS (port 587). Workers need it, and ingresses, which otherwise refuse recipients. Needs `MAIL_FROM` and `PUBLIC_URL`.',
    { secret: true },
  ),
  from: setting(
    'MAIL_FROM',
    optionalText(
      (value) => /^[^<>\r\n]*<[^\s<>@]+@[^\s<>@]+>$|^[^\s<>@]+@[^\s<>@]+$/.test(value),
      'the address of the sender, perhaps with a name',
      'Backsolve <backsolve@example.com>',
    ),
    'The sender of e-mails.',
  ),
  allowPlain: setting(
    'SMTP_ALLOW_PLAIN',
    trueOrFalse('false'),
    'Whether e-mails, and the password, may go to a server that offers no TLS. Only for a server on the same machine.',
  ),
  perHour: setting(
    'RECIPIENTS_PER_HOUR',
    wholeNumber(1, 10_000, '20'),
    'Recipients that an account may add within an hour; each is asked by an e-mail whether they agree.',
  ),
};

export const WEBHOOK_SETTINGS = {
  allowPrivate: setting(
    'WEBHOOK_ALLOW_PRIVATE',
    trueOrFalse('false'),
    'Whether webhooks may call private, loopback and link-local addresses and use plain http. Only for development, or if every key holder may reach your internal network.',
  ),
  timeoutMs: setting(
    'WEBHOOK_TIMEOUT_MS',
    wholeNumber(10, MINUTE_MS, '10000'),
    'How long a receiver may take to answer before the attempt counts as failed.',
  ),
  concurrency: setting(
    'WEBHOOK_CONCURRENCY',
    wholeNumber(2, 1024, '128'),
    'Deliveries that one worker attempts at a time; half of these slots are closed to failing receivers.',
  ),
  maximumBytes: setting(
    'WEBHOOK_MAXIMUM_BYTES',
    wholeNumber(16 * 1024, 64 * MEBIBYTE, String(256 * 1024)),
    'Largest body of an event (256 KiB); a larger record is shortened ([webhooks](webhooks.md#large-records)).',
  ),
};
