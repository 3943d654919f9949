/** The settings of what the service sends out, and of the addresses in it: a part of SETTINGS_TREE. */
import { optionalText, setting, trueOrFalse, wholeNumber } from './setting-rules.ts';

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
