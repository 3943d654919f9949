/** The state of a key and the texts about its times. Needs no browser. */
import type { Key } from '../../../../../clients/typescript/src/index.ts';

export type KeyState = 'active' | 'expired' | 'revoked';

export function stateOfKey({ revokedAt, expiresAt }: Pick<Key, 'revokedAt' | 'expiresAt'>, now: Date): KeyState {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && new Date(expiresAt) <= now ? 'expired' : 'active';
}

/** The lifetime of a new key in days; 0: until it is revoked; undefined: until a chosen day. */
export const EXPIRIES: readonly { readonly days: number | undefined; readonly label: string }[] = [
  { days: 0, label: 'Never' },
  { days: 7, label: 'In 7 days' },
  { days: 30, label: 'In 30 days' },
  { days: 90, label: 'In 90 days' },
  { days: 365, label: 'In a year' },
  { days: undefined, label: 'On a day…' },
];

const DAY_MS = 86_400_000;

/** The time of expiry, or null for never. */
export function expiryAfter(days: number, now: Date): string | null {
  return days === 0 ? null : new Date(now.getTime() + days * DAY_MS).toISOString();
}

/** The end of a day such as 2026-12-31, in the reader's zone; undefined for other texts. */
export function endOfDay(day: string): string | undefined {
  const end = new Date(`${day}T23:59:59`);
  return /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(end.getTime()) ? end.toISOString() : undefined;
}
