/**
 * Sessions of the page in a browser, and the links that begin one. Their secrets, called tokens, are 8 characters, an underscore, 32
 * characters: one of a link, two of a session. Like keys, tokens are stored as a SHA-256 only.
 */
import { type ApiKey, makeApiKey } from './api-key.ts';

/** A session ends after this time without a request. */
export const IDLE_HOURS = 12;
/** The longest life of a session. */
export const LIFETIME_DAYS = 7;
/** A link works for this long, once. */
export const LINK_MINUTES = 15;
/** Sessions of one person in an account, of one of its keys, or of its links without a name, at a time; beyond them the oldest of those ends. */
export const MAXIMUM_SESSIONS = 100;

const TOKEN_PATTERN = /^([0-9A-Za-z]{8})_([0-9A-Za-z]{32})$/;

/** A new token from the system's random source, with about 190 bits of secret. */
export function makeToken(): string {
  const { keyId, secret } = makeApiKey();
  return `${keyId}_${secret}`;
}

/** The parts of a token, or undefined if it is malformed. The first part only tells tokens apart. */
export function parseToken(text: string): ApiKey | undefined {
  const match = TOKEN_PATTERN.exec(text);
  return match === null ? undefined : { keyId: match[1]!, secret: match[2]! };
}
