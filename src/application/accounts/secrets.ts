/** Secrets that sign what the worker sends (Standard Webhooks). */

/** As long as the output of the hash that it keys. */
export const SECRET_BYTES = 32;

/** As it is shown where it is made, and never again. */
export function formatSecret(secret: Uint8Array): string {
  return `whsec_${Buffer.from(secret).toString('base64')}`;
}
