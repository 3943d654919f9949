/**
 * API keys: bks_<8 id characters>_<32 secret characters>_<6 checksum characters>, of a cell bks_<cell>_<...>, so that a proxy knows where
 * to send a request. The label is not part of what is checked: a key works without it. The id finds the stored record; only a
 * SHA-256 of the secret is stored; the checksum catches typing errors without a look-up.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 8;
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const CELL_LABEL = '[a-z][a-z0-9]{0,7}';
const KEY_PATTERN = new RegExp(`^bks_(?:(${CELL_LABEL})_)?([0-9A-Za-z]{8})_([0-9A-Za-z]{32})_([0-9A-Za-z]{6})$`);

/**
 * Permissions of a key: read records, write records, claim and report evaluations and nothing else (evaluate), manage
 * keys and webhooks (admin). No scope includes another, except that write may do what evaluate may.
 */
export const SCOPES = ['read', 'write', 'evaluate', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** Whether a key with these scopes may do what `needed` allows. */
export function allows(scopes: readonly Scope[], needed: Scope): boolean {
  return scopes.includes(needed) || (needed === 'evaluate' && scopes.includes('write'));
}

/** A key as its account sees it, without the secret. */
export interface KeyRecord {
  readonly id: number;
  /** The 8 characters after `bks_`. */
  readonly keyId: string;
  readonly label: string | null;
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
  /** The key that replaced it in a rotation. */
  readonly successorId: number | null;
  /** Person who owns it; null: it is the account's. */
  readonly personId: number | null;
  readonly personName: string | null;
  /** Whether sessions that it begins count in its account only. */
  readonly isBound: boolean;
  /** As records name whoever made it; null: an operator, or an earlier release. */
  readonly createdBy: string | null;
}

/** Whether a key works at `now`, by the database's clock. */
export function isUsable(key: Pick<KeyRecord, 'expiresAt' | 'revokedAt'>, now: Date): boolean {
  return key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now);
}

export interface ApiKey {
  readonly keyId: string;
  readonly secret: string;
}

/** A new key from the system's random source, with about 190 bits of secret. */
export function makeApiKey(): ApiKey {
  return { keyId: randomText(ID_LENGTH), secret: randomText(SECRET_LENGTH) };
}

export function formatApiKey(key: ApiKey): string {
  return `bks_${key.keyId}_${key.secret}_${checksum(key)}`;
}

/** The label of a cell: what CELL takes. */
export const CELL_PATTERN = new RegExp(`^${CELL_LABEL}$`);

/** The text of a key with the label of its cell, if there is one. */
export function inCell(keyText: string, cell: string | undefined): string {
  return cell === undefined ? keyText : keyText.replace(/^bks_/, `bks_${cell}_`);
}

/** The label in the text of a key; undefined without one, or if the text is no key. */
export function cellOf(keyText: string): string | undefined {
  return KEY_PATTERN.exec(keyText)?.[1];
}

/** The parts of a key, or undefined if its form or checksum is wrong. */
export function parseApiKey(text: string): ApiKey | undefined {
  const match = KEY_PATTERN.exec(text);
  if (match === null) return undefined;
  const key = { keyId: match[2]!, secret: match[3]! };
  return checksum(key) === match[4] ? key : undefined;
}

/** The stored hash of a secret, 32 bytes. The secret is random, so it needs no slow hash. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Compared instead of the hash of a key that does not exist. */
const NO_HASH = new Uint8Array(32);

/** Compares a secret with a stored hash in constant time; without a hash it takes as long and is false. */
export function matchesSecret(secret: string, storedHash: Uint8Array | undefined): boolean {
  const hash = hashSecret(secret);
  const compared = storedHash ?? NO_HASH;
  return hash.length === compared.length && timingSafeEqual(hash, compared) && storedHash !== undefined;
}

function checksum(key: ApiKey): string {
  const digest = createHash('sha256').update(`${key.keyId}_${key.secret}`).digest();
  return Array.from(digest.subarray(0, CHECKSUM_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
}

function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    // 248 = 4 * 62: larger bytes would favor the first characters of the alphabet.
    for (const byte of randomBytes(2 * length)) {
      if (byte < 248 && text.length < length) text += ALPHABET[byte % ALPHABET.length];
    }
  }
  return text;
}
