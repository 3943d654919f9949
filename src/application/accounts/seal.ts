/**
 * Texts that can be read only with a secret. The database keeps the sealed text and never the secret, so that neither it nor a
 * backup reveals the text.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, type ScryptOptions, scrypt } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, string, number, ScryptOptions, Buffer>(scrypt);

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
/** As GCM requires. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** 4 MiB and some 10 ms in a thread: the price of each guess, and no more than a stranger may cost the service. */
const COST: ScryptOptions = { N: 4_096 };

/** A key of 32 bytes, by scrypt, so that guessing a weak secret takes long. */
export function deriveKey(secret: string, salt: string): Promise<Buffer> {
  return derive(secret, salt, KEY_BYTES, COST);
}

/** A key of 32 bytes from a strong secret, such as that of an API key: by HKDF, which is fast. */
export function expandKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, KEY_BYTES));
}

/** Nonce, tag and cipher text in base64. */
export function seal(key: Buffer, text: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
}

/** The text; undefined when it was sealed with another key. */
export function unseal(key: Buffer, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return undefined;
  }
}
