/**
 * API keys: bks_<8 id characters>_<32 secret characters>_<6 checksum characters>. The id finds the stored record, only a
 * SHA-256 of the secret is stored, and the checksum lets tools and typos be told apart without a look-up.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 8;
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const KEY_PATTERN = /^bks_([0-9A-Za-z]{8})_([0-9A-Za-z]{32})_([0-9A-Za-z]{6})$/;

export interface ApiKey {
  readonly keyId: string;
  readonly secret: string;
}

/** A new key from the system's random source, about 190 bits of secret. */
export function makeApiKey(): ApiKey {
  return { keyId: randomText(ID_LENGTH), secret: randomText(SECRET_LENGTH) };
}

export function formatApiKey(key: ApiKey): string {
  return `bks_${key.keyId}_${key.secret}_${checksum(key)}`;
}

/** The parts of a key text, or undefined when the form or the checksum is wrong. */
export function parseApiKey(text: string): ApiKey | undefined {
  const match = KEY_PATTERN.exec(text);
  if (match === null) return undefined;
  const key = { keyId: match[1]!, secret: match[2]! };
  return checksum(key) === match[3] ? key : undefined;
}

/** What is stored of the secret, 32 bytes. The secret is random, so that no slow hash is needed. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Constant-time comparison of a secret with a stored hash. */
export function matchesSecret(secret: string, storedHash: Uint8Array): boolean {
  const hash = hashSecret(secret);
  return hash.length === storedHash.length && timingSafeEqual(hash, storedHash);
}

function checksum(key: ApiKey): string {
  const digest = createHash('sha256').update(`${key.keyId}_${key.secret}`).digest();
  return Array.from(digest.subarray(0, CHECKSUM_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
}

function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    // 248 = 4 * 62: bytes above would favour the first letters of the alphabet.
    for (const byte of randomBytes(2 * length)) {
      if (byte < 248 && text.length < length) text += ALPHABET[byte % ALPHABET.length];
    }
  }
  return text;
}
