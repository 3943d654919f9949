/**
 * Wrong API keys per client address, counted in the memory of this process. An address that has sent too many is told to
 * wait, without a look-up, except for keys that were right a while ago: whoever shares the address goes on working.
 */
import { type ApiKey, hashSecret, matchesSecret, parseApiKey } from '../domain/api-key.ts';
import { ExpiringMap } from './expiring-map.ts';

const WINDOW_MS = 60_000;
/** How long a key counts as known after it was right, at least half of it: programs that call less often share the fate of strangers. */
const KNOWN_MS = 3_600_000;
/** A hundred bytes each. When there are more, the oldest are forgotten. */
const MAXIMUM_ADDRESSES = 20_000;
const MAXIMUM_KNOWN_KEYS = 20_000;

export interface WrongKeysOptions {
  /** Wrong keys per address and minute. */
  readonly limit: number;
  /** Milliseconds, never runs backwards. */
  readonly now: () => number;
}

export class WrongKeys {
  readonly limit: number;
  readonly #now: () => number;
  readonly #addresses: ExpiringMap<{ count: number; readonly endsAt: number }>;
  /** By key id; the hash of the secret that was right. */
  readonly #known: ExpiringMap<{ readonly hash: Buffer; readonly endsAt: number }>;

  constructor({ limit, now }: WrongKeysOptions) {
    this.limit = limit;
    this.#now = now;
    this.#addresses = new ExpiringMap(MAXIMUM_ADDRESSES, now);
    this.#known = new ExpiringMap(MAXIMUM_KNOWN_KEYS, now);
  }

  /** Whole seconds until this key of this address is looked up again; undefined: it may be looked up now. */
  waitSeconds(address: string, keyText: string): number | undefined {
    const window = this.#addresses.get(address);
    if (window === undefined || window.count < this.limit || this.#isKnown(parseApiKey(keyText))) return undefined;
    return Math.max(1, Math.ceil((window.endsAt - this.#now()) / 1_000));
  }

  /** Returns whether the address has reached the limit just now. */
  noteWrong(address: string, keyText: string): boolean {
    const key = parseApiKey(keyText);
    // Revoked or expired since it was right.
    if (key !== undefined && this.#isKnown(key)) this.#known.delete(key.keyId);
    let window = this.#addresses.get(address);
    if (window === undefined) {
      window = { count: 0, endsAt: this.#now() + WINDOW_MS };
      this.#addresses.set(address, window);
    }
    window.count += 1;
    return window.count === this.limit;
  }

  noteRight({ keyId, secret }: ApiKey): void {
    const endsAt = this.#now() + KNOWN_MS;
    const known = this.#known.get(keyId);
    // Twice per lifetime at most: a hash costs more than the rest of this.
    if (known === undefined || known.endsAt < endsAt - KNOWN_MS / 2) {
      this.#known.set(keyId, { hash: hashSecret(secret), endsAt });
    }
  }

  /** With its secret: key ids are no secret. */
  #isKnown(key: ApiKey | undefined): boolean {
    return key !== undefined && matchesSecret(key.secret, this.#known.get(key.keyId)?.hash);
  }
}
