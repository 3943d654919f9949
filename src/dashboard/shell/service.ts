/** The service, by the session of the page, and whether it can be reached. */
import { signal } from '@preact/signals';
import { Backsolve, BacksolveError, ConnectionError } from '../../../clients/typescript/src/index.ts';
import { pageSecret, SECRET_HEADER } from './page-secret.ts';

/** The time of the last answer if the service is unreachable; otherwise undefined. */
export const awaySince = signal<Date | undefined>(undefined);
/** The time of the last answer. */
const lastAnswer = signal<Date | undefined>(undefined);

let onSignedOut = (): void => undefined;

/** Sets the function that is called when the session has ended. */
export function whenSignedOut(work: () => void): void {
  onSignedOut = work;
}

/** The fetch of the page: notes whether answers come. */
export async function fetchNoting(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  try {
    const response = await fetch(input, init);
    // The answer of a proxy while the service restarts.
    if (response.status === 502 || response.status === 503 || response.status === 504) noteAway();
    else noteAnswer();
    return response;
  } catch (error) {
    if (!init?.signal?.aborted) noteAway();
    throw error;
  }
}

function noteAnswer(): void {
  lastAnswer.value = new Date();
  awaySince.value = undefined;
}

function noteAway(): void {
  awaySince.value ??= lastAnswer.value ?? new Date();
}

/** Sends the secret of the page, and notes when the session is over. */
async function fetchSignedIn(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const secret = pageSecret();
  const headers = new Headers(init?.headers);
  if (secret !== undefined) headers.set(SECRET_HEADER, secret);
  const response = await fetchNoting(input, { ...init, headers });
  // An answer to an earlier session says nothing about this one.
  if (response.status === 401 && secret === pageSecret()) onSignedOut();
  return response;
}

/** Readers try again themselves, so few retries: a control must not hang for a minute. */
export const service = new Backsolve({
  url: location.origin,
  fetch: fetchSignedIn,
  maximumRetries: 2,
  retryForMs: 8_000,
});

/** The message for the user about a failure. */
export function explain(error: unknown): string {
  if (error instanceof BacksolveError) return error.detail;
  if (error instanceof ConnectionError)
    return 'The service does not respond. Check that it is running, then try again.';
  return error instanceof Error ? error.message : String(error);
}
