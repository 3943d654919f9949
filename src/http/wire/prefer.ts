/** The Prefer header (RFC 7240), for waiting for a suggestion. */
export interface WaitPreference {
  readonly isAsync: boolean;
  /** Requested milliseconds, without a limit. */
  readonly waitMs: number | undefined;
}

/** Reads `respond-async` and `wait=<seconds>`. Unknown and malformed preferences are ignored; of two, the first counts. */
export function parsePrefer(header: string | readonly string[] | undefined): WaitPreference {
  const preferences = new Map<string, string>();
  for (const part of splitList(typeof header === 'string' ? header : (header ?? []).join(','))) {
    const [token = '', ...rest] = part.split(';')[0]!.split('=');
    const name = token.trim().toLowerCase();
    const value = rest
      .join('=')
      .trim()
      .replace(/^"(.*)"$/, '$1');
    if (name !== '' && !preferences.has(name)) preferences.set(name, value);
  }
  const wait = preferences.get('wait');
  const isWaitUsable = wait !== undefined && /^\d{1,9}$/.test(wait);
  return { isAsync: preferences.has('respond-async'), waitMs: isWaitUsable ? Number(wait) * 1000 : undefined };
}

/** Known preferences are shorter; reading a header full of stray quotes takes quadratic time. */
const READ_LENGTH = 500;

/** Splits at commas outside quoted strings. */
function splitList(header: string): readonly string[] {
  return header.slice(0, READ_LENGTH).match(/(?:"(?:[^"\\]|\\.)*"|[^,"]|")+/g) ?? [];
}

interface AppliedWait {
  readonly waitMs: number;
  /** Value of the Preference-Applied header; undefined if nothing was requested. */
  readonly applied: string | undefined;
}

/** Time to wait: as `wait` says, with or without respond-async; respond-async alone means no wait. */
export function applyWait(
  preference: WaitPreference,
  limits: { readonly defaultMs: number; readonly maximumMs: number },
): AppliedWait {
  const parts: string[] = [];
  if (preference.isAsync) parts.push('respond-async');
  let waitMs = preference.isAsync ? 0 : limits.defaultMs;
  if (preference.waitMs !== undefined) {
    waitMs = Math.min(preference.waitMs, limits.maximumMs);
    parts.push(`wait=${Math.floor(waitMs / 1000)}`);
  }
  return { waitMs, applied: parts.length === 0 ? undefined : parts.join(', ') };
}
