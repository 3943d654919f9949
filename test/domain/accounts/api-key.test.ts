import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it, test, vi } from 'vitest';
import {
  cellOf,
  formatApiKey,
  hashSecret,
  inCell,
  makeApiKey,
  matchesSecret,
  parseApiKey,
} from '../../../src/domain/accounts/api-key.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const text = (length: number): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom(...ALPHABET), { minLength: length, maxLength: length })
    .map((characters) => characters.join(''));
const apiKey = fc.record({ keyId: text(8), secret: text(32) });

describe('the text of a key', () => {
  // Computed independently: the first six bytes of SHA-256 of "id_secret", each modulo 62.
  test.each([
    ['AbCd1234', '0123456789abcdefABCDEFghijklmnop', 'bks_AbCd1234_0123456789abcdefABCDEFghijklmnop_6jL8yh'],
    ['00000000', 'z'.repeat(32), `bks_00000000_${'z'.repeat(32)}_EwV0nT`],
  ])('The text of the key %s never changes, because clients keep keys', (keyId, secret, expected) => {
    expect(formatApiKey({ keyId, secret })).toBe(expected);
    expect(parseApiKey(expected)).toEqual({ keyId, secret });
  });

  it('A key of a cell has its label behind the prefix and is the same key', () => {
    fc.assert(
      fc.property(apiKey, fc.constantFrom('c', 'c2', 'europe12'), (key, cell) => {
        const labelled = inCell(formatApiKey(key), cell);
        expect(labelled).toBe(formatApiKey(key).replace('bks_', `bks_${cell}_`));
        expect(parseApiKey(labelled)).toEqual(key);
        expect(cellOf(labelled)).toBe(cell);
        expect(cellOf(formatApiKey(key))).toBeUndefined();
      }),
    );
    const key = formatApiKey({ keyId: 'abcdefgh', secret: '0'.repeat(32) });
    for (const wrong of ['C2', '2c', 'c_2', 'abcdefghi', '']) expect(parseApiKey(inCell(key, wrong))).toBeUndefined();
  });

  it('A key has the prefix and parts of 8, 32 and 6 characters', () => {
    for (let i = 0; i < 100; i++) {
      expect(formatApiKey(makeApiKey())).toMatch(/^bks_[0-9A-Za-z]{8}_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}$/);
    }
  });

  it('A formatted key parses to the key it was made from', () => {
    fc.assert(
      fc.property(apiKey, (key) => {
        expect(parseApiKey(formatApiKey(key))).toEqual(key);
      }),
    );
  });

  it('A key with one changed character is refused', () => {
    fc.assert(
      fc.property(apiKey, fc.nat(51), fc.constantFrom(...ALPHABET, '_', '-', ' '), (key, at, character) => {
        const right = formatApiKey(key);
        fc.pre(right[at] !== character);
        expect(parseApiKey(right.slice(0, at) + character + right.slice(at + 1))).toBeUndefined();
      }),
    );
  });

  it('A key that is padded, cut off or in another case is refused', () => {
    const right = formatApiKey({ keyId: 'AbCd1234', secret: '0123456789abcdefABCDEFghijklmnop' });
    const wrong = [` ${right}`, `${right} `, `${right}\n`, right.slice(0, -1), right.slice(1), right.toLowerCase(), ''];
    for (const each of wrong) expect(parseApiKey(each)).toBeUndefined();
  });

  it('Any other text is refused', () => {
    const shaped = fc.tuple(text(8), text(32), text(6)).map(([a, b, c]) => `bks_${a}_${b}_${c}`);
    fc.assert(
      fc.property(fc.oneof(fc.string({ maxLength: 80 }), shaped), (other) => {
        expect(parseApiKey(other)).toBeUndefined();
      }),
    );
  });
});

describe('new keys', () => {
  const keys = Array.from({ length: 3000 }, makeApiKey);

  it('New keys all differ in id and secret', () => {
    expect(new Set(keys.map((key) => key.keyId)).size).toBe(keys.length);
    expect(new Set(keys.map((key) => key.secret)).size).toBe(keys.length);
  });

  it('New keys use every character of the alphabet equally often', () => {
    const counts = new Map([...ALPHABET].map((character) => [character, 0]));
    for (const key of keys) {
      for (const character of key.keyId + key.secret) counts.set(character, counts.get(character)! + 1);
    }
    expect(counts.size).toBe(ALPHABET.length);
    const expected = (keys.length * 40) / ALPHABET.length;
    const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    // 61 degrees of freedom: 150 is exceeded once in 10^9 runs; plain bytes modulo 62 would give about 800.
    expect(chiSquare).toBeLessThan(150);
  });
});

describe('a secret', () => {
  it('A secret is stored as its SHA-256', () => {
    expect(hashSecret('0123456789abcdefABCDEFghijklmnop').toString('hex')).toBe(
      '1ac70e1a5f6fc36e2af20fe370da973535401f6874d47ae7c799fb1d69e509d2',
    );
  });

  it('A secret matches its own hash and no other', () => {
    fc.assert(
      fc.property(text(32), text(32), (secret, other) => {
        expect(matchesSecret(secret, hashSecret(secret))).toBe(true);
        if (other !== secret) expect(matchesSecret(other, hashSecret(secret))).toBe(false);
      }),
    );
  });

  it('A secret matches its hash read back from storage as plain bytes', () => {
    expect(matchesSecret('secret', new Uint8Array(hashSecret('secret')))).toBe(true);
  });

  it('A secret matches nothing if there is no hash', () => {
    expect(matchesSecret('secret', undefined)).toBe(false);
  });

  it('A secret does not match a hash of another length', () => {
    const hash = hashSecret('secret');
    for (const wrong of [new Uint8Array(0), hash.subarray(0, 31), Buffer.concat([hash, Buffer.of(0)])]) {
      expect(matchesSecret('secret', wrong)).toBe(false);
    }
  });

  it('A secret is compared in constant time, right or wrong', () => {
    // The real function runs; the spy only shows that it is called.
    const compare = vi.spyOn(crypto, 'timingSafeEqual');
    syncBuiltinESMExports();
    const hash = hashSecret('right');
    for (const [secret, stored] of [
      ['right', hash],
      ['wrong', hash],
      ['wrong', undefined],
    ] as const) {
      compare.mockClear();
      expect(matchesSecret(secret, stored)).toBe(secret === 'right');
      expect(compare).toHaveBeenCalledTimes(1);
    }
    compare.mockRestore();
    syncBuiltinESMExports();
  });
});
