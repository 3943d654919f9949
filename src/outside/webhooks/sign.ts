/** Signatures as Standard Webhooks 1.0 defines them (symmetric scheme v1). */
import { createHmac } from 'node:crypto';

export interface SignedMessage {
  /** The same for every attempt to send an event, so that receivers can recognize repetitions. */
  readonly id: string;
  readonly timestampSeconds: number;
  /** Exactly as it is sent. */
  readonly body: string | Uint8Array;
}

/**
 * The three headers of a message: webhook-id, webhook-timestamp and webhook-signature. The signature lists `v1,` and the base64
 * HMAC-SHA256 of `id.timestamp.body` for each secret, separated by spaces. A receiver needs one match.
 */
export function signatureHeaders(
  secrets: readonly Uint8Array[],
  message: SignedMessage,
): Readonly<Record<string, string>> {
  const { id, timestampSeconds, body } = message;
  const sign = (secret: Uint8Array) =>
    `v1,${createHmac('sha256', secret).update(`${id}.${timestampSeconds}.`).update(body).digest('base64')}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': secrets.map(sign).join(' '),
  };
}
