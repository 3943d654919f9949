/**
 * The secret that makes the cookie of the session count. It is kept in the local storage, which belongs to one origin with its port,
 * as cookies do not, and which new tabs share, as they would not share the session storage. Each tab goes on with the secret that it
 * began with until it has seen whose session another one opens.
 */

export const SECRET_NAME = 'backsolve-page-secret';
export const SECRET_HEADER = 'x-page-secret';

/** The secret that all tabs share. */
export function storedSecret(): string | undefined {
  try {
    return localStorage.getItem(SECRET_NAME) ?? undefined;
  } catch {
    return undefined;
  }
}

let own = storedSecret();

/** undefined: not signed in. */
export function pageSecret(): string | undefined {
  return own;
}

/** Continues with the stored secret. */
export function adoptSecret(secret: string | undefined): void {
  own = secret;
}

/** Stores the secret for every tab. */
export function storeSecret(secret: string | undefined): void {
  own = secret;
  try {
    if (secret === undefined) localStorage.removeItem(SECRET_NAME);
    else localStorage.setItem(SECRET_NAME, secret);
  } catch {
    // Storage may be switched off: each tab then signs in for itself, and again after a reload.
  }
}
