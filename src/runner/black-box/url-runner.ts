/** An address as the black box: each evaluation is posted to it, and the answer is read as the last line of a program is. */
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  cleanReason,
  type Evaluate,
  type Evaluation,
  type Outcome,
} from '../../../clients/typescript/src/evaluator/evaluation.ts';
import type { Fit } from '../../../clients/typescript/src/solve/fit.ts';
import { type Expected, readDocument, withFits, writeMessage } from '../files/exchange.ts';

export interface UrlOptions {
  /** An address, or what finds out the one of this call. Throws LocalFault where there is none. */
  readonly url: string | (() => Promise<string>);
  /** Name in reasons and notes; its address if absent. */
  readonly name?: string | undefined;
  /** Fields of the message besides the evaluation. */
  readonly more?: Readonly<Record<string, unknown>> | undefined;
  /** The outputs that are fitted, by their names; the address gets and gives each as one. */
  readonly fits?: ReadonlyMap<string, Fit> | undefined;
  /** Called when the address is not ready, once per pause. */
  readonly onNote?: ((note: string) => void) | undefined;
  /** Before the next call of an address that is not ready; doubles up to a minute. */
  readonly firstPauseMs?: number | undefined;
}

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;
/** Outputs are numbers. */
const MAXIMUM_ANSWER_BYTES = 1024 * 1024;

/** Reason why an address cannot be called; undefined if it can. */
export function urlFault(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    return 'must be an address such as http://localhost:9000/run.';
  return url.username !== '' || url.password !== '' ? 'must have no user and no password in it.' : undefined;
}

/** As the service treats http evaluators (docs/batches.md), but unsigned, and without the answer 202. */
export function makeUrlRunner(options: UrlOptions): Evaluate {
  const { fits = new Map(), onNote = () => undefined, firstPauseMs = FIRST_PAUSE_MS } = options;
  const findUrl = async () => (typeof options.url === 'string' ? options.url : options.url());
  return async (claimed, signal) => {
    // Before the time of the run begins: it may have to be started.
    const first = await findUrl();
    const name = options.name ?? first;
    const evaluation = withFits(claimed, fits);
    const timeout = AbortSignal.timeout(evaluation.timeoutSeconds * 1000);
    const any = AbortSignal.any([signal, timeout]);
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      const message = { ...evaluation, ...options.more };
      const answer = await call(await findUrl(), message, fits, any);
      if (any.aborted) {
        if (!timeout.aborted) return failure('it was ended', true);
        const reason = `${name} gave no output within ${evaluation.timeoutSeconds} s`;
        return failure(reason, answer.kind === 'not-now');
      }
      if (answer.kind !== 'not-now') return answer;
      onNote(`${name} ${answer.reason}; it is called again in ${Number((pauseMs / 1000).toPrecision(2))} s.`);
      await sleep(pauseMs, undefined, { signal: any }).catch(() => undefined);
    }
  };
}

type Answer = Outcome | { readonly kind: 'not-now'; readonly reason: string };

async function call(url: string, evaluation: Evaluation, fits: Expected['fits'], signal: AbortSignal): Promise<Answer> {
  let status: number;
  try {
    const answer = await post(url, writeMessage(evaluation, false), signal);
    status = answer.status;
    if (status === 200) return readAnswer(answer.text, { names: evaluation.outputNames, fits });
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (UNREACHED.has(code)) return { kind: 'not-now', reason: `does not answer (${code})` };
    return failure(`the connection broke: ${message}`, true);
  }
  if (status === 429 || status === 503) return { kind: 'not-now', reason: `answers ${status}` };
  return failure(`the evaluator answers ${status}`, status === 408 || status === 425 || status >= 500);
}

const UNREACHED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT']);

/** By node:http, because fetch gives up after five minutes without an answer. Follows no redirect. */
async function post(url: string, body: string, signal: AbortSignal): Promise<{ status: number; text: string }> {
  const { request } = url.startsWith('https:') ? https : http;
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const sent = request(url, { method: 'POST', headers, signal, agent: false });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [http.IncomingMessage];
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAXIMUM_ANSWER_BYTES) throw new Error(`its answer has more than ${MAXIMUM_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return { status: answer.statusCode!, text: Buffer.concat(chunks).toString('utf8') };
}

function readAnswer(text: string, expected: Expected): Outcome {
  const reading = readDocument(text, expected, 'the answer');
  if (reading.kind === 'output') return reading;
  if (reading.kind === 'unreadable' && reading.others !== undefined)
    return { kind: 'failure', reason: cleanReason(reading.reason), retryable: true, others: reading.others };
  return failure(reading.reason, reading.kind === 'unreadable' || asksForRetry(text));
}

/** {"failed": true, "retryable": true} */
function asksForRetry(text: string): boolean {
  try {
    return (JSON.parse(text) as { retryable?: unknown } | null)?.retryable === true;
  } catch {
    return false;
  }
}

function failure(reason: string, retryable: boolean): Outcome {
  return { kind: 'failure', reason: cleanReason(reason), retryable };
}
