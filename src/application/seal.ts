/**
 * Texts that only somebody who knows a secret can read again. The database keeps the sealed text and never the secret, so
 * that neither it nor a backup of it gives the text away.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, type ScryptOptions, scrypt } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, string, number, ScryptOptions, Buffer>(scrypt);

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
/** As GCM wants it. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** 4 MiB and some 10 ms in a thread: whoever guesses pays that each time, and strangers cannot make us pay much more. */
const COST: ScryptOptions = { N: 4_096 };

/** A key of 32 bytes, by scrypt, so that a secret that could be guessed is not guessed quickly. */
export function deriveKey(secret: string, salt: string): Promise<Buffer> {
  return derive(secret, salt, KEY_BYTES, COST);
}

/** A key of 32 bytes from a secret that nobody can guess, such as that of an API key: by HKDF, which takes no time. */
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

/** The text; undefined with any key but the one that it was sealed with. */
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
