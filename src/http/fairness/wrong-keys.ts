/**
 * Counts wrong API keys and tokens of sessions per client address in the memory of this process. An address that has sent too
 * many has to wait: its keys are not looked up, except those that were right recently, so that other clients at the address keep
 * working.
 */
import { type ApiKey, hashSecret, matchesSecret, parseApiKey } from '../../domain/accounts/api-key.ts';
import { parseToken } from '../../domain/accounts/browser-session.ts';
import { ExpiringMap } from './expiring-map.ts';

const WINDOW_MS = 60_000;
/** A valid key counts as known for this long, at least for half of it. Programs that call less often are treated as unknown. */
const KNOWN_MS = 3_600_000;
/** About 100 bytes each. Beyond these numbers the oldest are forgotten. */
const MAXIMUM_ADDRESSES = 20_000;
const MAXIMUM_KNOWN_KEYS = 20_000;

interface WrongKeysOptions {
  /** Wrong keys per address and minute. */
  readonly limit: number;
  /** In milliseconds, monotonic. */
  readonly now: () => number;
}

export class WrongKeys {
  readonly limit: number;
  readonly #now: () => number;
  readonly #addresses: ExpiringMap<{ count: number; readonly endsAt: number }>;
  /** Hashes of right secrets, by key id. */
  readonly #known: ExpiringMap<{ readonly hash: Buffer; readonly endsAt: number }>;

  constructor({ limit, now }: WrongKeysOptions) {
    this.limit = limit;
    this.#now = now;
    this.#addresses = new ExpiringMap(MAXIMUM_ADDRESSES, now);
    this.#known = new ExpiringMap(MAXIMUM_KNOWN_KEYS, now);
  }

  /** Whole seconds until this key from this address may be looked up; undefined: now. */
  waitSeconds(address: string, keyText: string): number | undefined {
    const window = this.#addresses.get(address);
    if (window === undefined || window.count < this.limit || this.#isKnown(partsOf(keyText))) return undefined;
    return Math.max(1, Math.ceil((window.endsAt - this.#now()) / 1_000));
  }

  /** Returns whether this key made the address reach the limit. */
  noteWrong(address: string, keyText: string): boolean {
    const key = partsOf(keyText);
    // It was right before and has been revoked or has expired since.
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
    // At most twice per lifetime: hashing costs more than everything else here.
    if (known === undefined || known.endsAt < endsAt - KNOWN_MS / 2) {
      this.#known.set(keyId, { hash: hashSecret(secret), endsAt });
    }
  }

  /** Compares the secret too: key ids are not secret. */
  #isKnown(key: ApiKey | undefined): boolean {
    return key !== undefined && matchesSecret(key.secret, this.#known.get(key.keyId)?.hash);
  }
}

function partsOf(text: string): ApiKey | undefined {
  return parseApiKey(text) ?? parseToken(text);
}
