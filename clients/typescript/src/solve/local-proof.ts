/**
 * A program of another user may take the port of a local service that was killed. So the service proves that it has the key of its
 * folder, and only then is the key sent.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** The answer to GET /proof?nonce=... has the proof in this header. */
const PROOF_HEADER = 'backsolve-proof';
const NONCE_BYTES = 32;
const LIMIT_MS = 10_000;

/** The proof of whoever listens on `port`. One port's proof is none for another, so it cannot be had from the service and passed on. */
export function proofFor(key: string, port: number, nonce: string): string {
  return createHmac('sha256', key).update(`backsolve ${port} ${nonce}`).digest('hex');
}

/** Whether the service of this key answers at `url`, such as http://127.0.0.1:8080. False also when nothing answers. */
export async function isProven(url: string, key: string, signal?: AbortSignal | null): Promise<boolean> {
  const nonce = randomBytes(NONCE_BYTES).toString('hex');
  const limit = AbortSignal.timeout(LIMIT_MS);
  try {
    const { headers, body } = await fetch(`${url}/proof?nonce=${nonce}`, {
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
      redirect: 'manual',
    });
    await body?.cancel();
    const expected = Buffer.from(proofFor(key, Number(new URL(url).port), nonce));
    const given = Buffer.from(headers.get(PROOF_HEADER) ?? '');
    return given.length === expected.length && timingSafeEqual(given, expected);
  } catch {
    return false;
  }
}

/** `fetch` for a local service: every request waits for a proof, and fails without one as if nothing answered. */
export function makeProvenFetch(url: string, key: string): typeof fetch {
  return async (input, init) => {
    if (await isProven(url, key, init?.signal)) return fetch(input, init);
    init?.signal?.throwIfAborted();
    throw new TypeError(`The local service at ${url} does not answer.`);
  };
}
