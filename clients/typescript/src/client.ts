/** The client: one method for every operation, with retries, and iterators over lists and lines. */
import { BacksolveError } from './backsolve-error.ts';
import type {
  Answer,
  CallOptions,
  DefaultMedium,
  ItemOf,
  LineOf,
  LinesId,
  ListId,
  MediumOf,
  OperationId,
  SimpleOperationId,
  SuggestId,
} from './calls.ts';
import {
  type Asked,
  ConnectionError,
  connectionError,
  errorOfAnswer,
  notBacksolve,
  TimeoutError,
  timeoutError,
} from './errors.ts';
import { refuseUnknownNames } from './known-names.ts';
import { AnswerTooLargeError, readBytes, readChunks, readLines, readStart, readText } from './lines.ts';
import { nextPage } from './pages.ts';
import { type BuiltRequest, buildRequest, JSON_MEDIUM, type LooseOptions, makeIdempotencyKey } from './request.ts';
import { isRetryableAnswer, parseRetryAfter, pause, retryDelayMs } from './retry.ts';
import { refuseVersion } from './versions.ts';
import { Watch } from './watch.ts';

export interface Retry {
  readonly operationId: string;
  /** Attempts made so far. */
  readonly attempt: number;
  /** Until the next one. */
  readonly delayMs: number;
  /** Error of the last attempt. */
  readonly error: Error;
}

export interface BacksolveOptions {
  /** The address of the service, for example `https://backsolve.example` or `http://[::1]:8080/prefix/`. */
  readonly url: string;
  /** An API key. Omit it in a page that is signed in by a cookie. */
  readonly key?: string;
  /** Replaces the global fetch, for example to use a proxy or to trust a certificate. */
  readonly fetch?: typeof fetch | undefined;
  /** Number of times that a request is sent again; default: 8. 0 for never. */
  readonly maximumRetries?: number | undefined;
  /** No request is sent again later than this after its first attempt; default: 60,000. */
  readonly retryForMs?: number | undefined;
  /** The same until anything has answered, where no connection can be made, as at a wrong address; default: `retryForMs`. */
  readonly connectForMs?: number | undefined;
  /** The longest wait before the second attempt; default: 250. Doubles with every attempt, to 20 seconds at most. */
  readonly firstDelayMs?: number | undefined;
  /** Time without data after which an attempt has failed; default: 60,000. */
  readonly timeoutMs?: number | undefined;
  /** Largest answer, or line of an answer by lines, after decompression; default: 134,217,728. */
  readonly maximumAnswerBytes?: number | undefined;
  /** Called before each wait for another attempt. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
}

interface LooseAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

interface Settings {
  readonly maximumRetries: number;
  readonly retryForMs: number;
  readonly connectForMs: number;
  readonly firstDelayMs: number;
  readonly timeoutMs: number;
  readonly maximumAnswerBytes: number;
}

type NamesOf<Type> = { readonly [Name in keyof Required<Type>]: null };

const CLIENT_OPTIONS: NamesOf<BacksolveOptions> = {
  url: null,
  key: null,
  fetch: null,
  maximumRetries: null,
  retryForMs: null,
  connectForMs: null,
  firstDelayMs: null,
  timeoutMs: null,
  maximumAnswerBytes: null,
  onRetry: null,
};
const CALL_OPTIONS: NamesOf<LooseOptions> = {
  path: null,
  query: null,
  body: null,
  accept: null,
  prefer: null,
  idempotencyKey: null,
  ifNoneMatch: null,
  signal: null,
  timeoutMs: null,
};

/** Characters read of an answer from 400 on; a proxy in front of the service may answer anything. */
const LONGEST_REFUSAL = 1_048_576;
/** Between two requests for a suggestion, unless the service says how long. */
const SUGGESTION_PAUSE_MS = 1_000;

export class Backsolve {
  /** The base address, without a slash at the end. */
  readonly address: string;
  readonly #key: string | undefined;
  readonly #fetch: typeof fetch;
  readonly #settings: Settings;
  readonly #onRetry: ((retry: Retry) => void) | undefined;
  #hasAnswered = false;

  constructor(options: BacksolveOptions) {
    refuseUnknownNames(options, CLIENT_OPTIONS, 'Backsolve');
    this.address = readAddress(options.url);
    this.#key = 'key' in options ? readKey(options.key) : undefined;
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
    const { retryForMs = 60_000 } = options;
    this.#settings = {
      maximumRetries: options.maximumRetries ?? 8,
      retryForMs,
      connectForMs: options.connectForMs ?? retryForMs,
      firstDelayMs: options.firstDelayMs ?? 250,
      timeoutMs: options.timeoutMs ?? 60_000,
      maximumAnswerBytes: options.maximumAnswerBytes ?? 128 * 1024 * 1024,
    };
    this.#onRetry = options.onRetry;
  }

  /**
   * Calls an operation of the interface by its operationId. Resolves to its answer, with CSV, HTML and lines of JSON as text, and workbooks, PDF and files as bytes. Rejects
   * with a BacksolveError if the service refuses, a ConnectionError if no answer arrives, a NotBacksolveError if something else
   * answers, a VersionError if the service has an interface that this client does not understand, and the reason of the signal if that is aborted. Requests are sent again as docs/idempotency.md allows: nothing
   * happens twice.
   */
  call<
    Id extends SimpleOperationId,
    Medium extends MediumOf<Id> = DefaultMedium<Id>,
    Tag extends string | undefined = undefined,
  >(operationId: Id, options?: CallOptions<Id, Medium, Tag>): Promise<Answer<Id, Medium, Tag>>;
  call<
    Id extends OperationId,
    Medium extends MediumOf<Id> = DefaultMedium<Id>,
    Tag extends string | undefined = undefined,
  >(operationId: Id, options: CallOptions<Id, Medium, Tag>): Promise<Answer<Id, Medium, Tag>>;
  call(operationId: string, options: LooseOptions = {}): Promise<LooseAnswer> {
    return this.#call(operationId, options);
  }

  /** The items of a list, page after page. */
  pages<Id extends ListId & SimpleOperationId>(
    operationId: Id,
    options?: CallOptions<Id>,
  ): AsyncGenerator<ItemOf<Id>, void>;
  pages<Id extends ListId>(operationId: Id, options: CallOptions<Id>): AsyncGenerator<ItemOf<Id>, void>;
  async *pages(operationId: string, options: LooseOptions = {}): AsyncGenerator<unknown, void> {
    let query = options.query;
    for (;;) {
      const { body, headers } = await this.#call(operationId, { ...options, query });
      yield* body as readonly unknown[];
      const next = nextPage(headers);
      if (next === undefined) return;
      query = { ...query, ...next };
    }
  }

  /**
   * The values of an answer in lines of JSON, as they arrive. Is sent again only until the first of them; a connection that
   * breaks later rejects with a ConnectionError.
   */
  lines<Id extends LinesId & SimpleOperationId>(
    operationId: Id,
    options?: CallOptions<Id, 'application/x-ndjson'>,
  ): AsyncGenerator<LineOf<Id>, void>;
  lines<Id extends LinesId>(
    operationId: Id,
    options: CallOptions<Id, 'application/x-ndjson'>,
  ): AsyncGenerator<LineOf<Id>, void>;
  async *lines(operationId: string, options: LooseOptions = {}): AsyncGenerator<unknown, void> {
    const request = this.#build(operationId, { ...options, accept: 'application/x-ndjson' });
    const { response, watch, fail } = await this.#retry(request, options, () => this.#open(request, options));
    try {
      const chunks = readChunks(response, watch, fail);
      const tooLarge = () => this.#tooLarge(request, 'a line of its answer');
      for await (const line of readLines(chunks, this.#settings.maximumAnswerBytes, tooLarge))
        yield readLine(line, fail);
    } finally {
      watch.end();
    }
  }

  /**
   * Asks for a suggestion and waits until it is computed, however long it takes: repeats the request, under one Idempotency-Key,
   * while the service answers 202. Its answer is never 202.
   */
  async untilSuggested<Id extends SuggestId>(
    operationId: Id,
    options: CallOptions<Id>,
  ): Promise<Exclude<Answer<Id, DefaultMedium<Id>, undefined>, { readonly status: 202 }>>;
  async untilSuggested(operationId: string, options: LooseOptions): Promise<LooseAnswer> {
    const repeated = { ...options, idempotencyKey: options.idempotencyKey ?? makeIdempotencyKey() };
    for (;;) {
      const answer = await this.#call(operationId, repeated);
      if (answer.status !== 202) return answer;
      await pause(parseRetryAfter(answer.headers, Date.now()) ?? SUGGESTION_PAUSE_MS, options.signal);
    }
  }

  async #call(operationId: string, options: LooseOptions): Promise<LooseAnswer> {
    const request = this.#build(operationId, options);
    return await this.#retry(request, options, async () => {
      const { response, watch, fail } = await this.#open(request, options);
      try {
        const tooLarge = () => this.#tooLarge(request, 'its answer');
        const { maximumAnswerBytes } = this.#settings;
        const { status, headers } = response;
        // Workbooks, documents, files and pictures are bytes.
        if (/^(application.(pdf|vnd|octet)|image)/.test(request.accept)) {
          const body = await readBytes(response, watch, fail, maximumAnswerBytes, tooLarge);
          return { status, body: status === 304 ? undefined : body, headers };
        }
        const text = await readText(readChunks(response, watch, fail), maximumAnswerBytes, tooLarge);
        return { status, body: this.#readBody(text, response, request), headers };
      } finally {
        watch.end();
      }
    });
  }

  #build(operationId: string, options: LooseOptions): BuiltRequest {
    refuseUnknownNames(options, CALL_OPTIONS, operationId);
    return buildRequest(operationId, options, this.address, this.#key);
  }

  /** Works until there is a result, an error is final, or the retries are used up. */
  async #retry<Result>(request: BuiltRequest, options: LooseOptions, work: () => Promise<Result>): Promise<Result> {
    const { maximumRetries, retryForMs, connectForMs, firstDelayMs } = this.#settings;
    const beganMs = performance.now();
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (!isRetryable(error) || attempt > maximumRetries) throw error;
        const askedMs = error instanceof BacksolveError ? error.retryAfterSeconds : undefined;
        const delayMs = retryDelayMs(
          attempt,
          firstDelayMs,
          askedMs === undefined ? undefined : askedMs * 1000,
          Math.random(),
        );
        const isUnanswered = !this.#hasAnswered && error instanceof ConnectionError && !(error instanceof TimeoutError);
        const patienceMs = isUnanswered ? Math.min(connectForMs, retryForMs) : retryForMs;
        if (performance.now() - beganMs + delayMs > patienceMs) throw error;
        this.#onRetry?.({ operationId: request.operationId, attempt, delayMs, error });
        await pause(delayMs, options.signal);
      }
    }
  }

  /** Sends the request once. Who gets the answer ends its watch. */
  async #open(request: BuiltRequest, options: LooseOptions): Promise<Opened> {
    const asked = this.#asked(request);
    const timeoutMs = (options.timeoutMs ?? this.#settings.timeoutMs) + request.waitMs;
    const watch = new Watch(timeoutMs, options.signal);
    const fail = (cause: unknown): unknown => {
      if (options.signal?.aborted) return options.signal.reason;
      return watch.isOutOfTime ? timeoutError(timeoutMs, asked) : connectionError(cause, asked);
    };
    try {
      const response = await this.#send(request, watch).catch((cause: unknown) => {
        throw fail(cause);
      });
      this.#hasAnswered = true;
      watch.renew();
      // A page has the origin of its service.
      if (this.#key !== undefined) refuseVersion(response.headers.get('backsolve-version'), this.address);
      const opened = { response, watch, fail };
      if (response.status >= 400) {
        const text = await readStart(readChunks(response, watch, fail), LONGEST_REFUSAL);
        throw errorOfAnswer(response, text, asked);
      }
      if (isForeign(response, request.accept)) {
        await response.body?.cancel();
        throw notBacksolve(response, asked);
      }
      return opened;
    } catch (error) {
      watch.end();
      throw error;
    }
  }

  /** A redirect is not followed: it would change a POST to a GET, and take the key elsewhere. */
  async #send({ url, init }: BuiltRequest, watch: Watch): Promise<Response> {
    return await this.#fetch(url, { ...init, redirect: 'manual', signal: watch.signal });
  }

  #tooLarge({ operationId }: BuiltRequest, what: string): Error {
    const { maximumAnswerBytes } = this.#settings;
    return new AnswerTooLargeError(
      `${this.address} answered ${operationId}, and ${what} has more than ${maximumAnswerBytes} bytes. If it is meant, raise maximumAnswerBytes, or read by pages or lines.`,
    );
  }

  #asked({ operationId, path }: BuiltRequest): Asked {
    return { operationId, path, address: this.address };
  }

  #readBody(text: string, response: Response, request: BuiltRequest): unknown {
    if (text === '') return undefined;
    if (request.accept !== JSON_MEDIUM) return text;
    try {
      return JSON.parse(text);
    } catch {
      throw notBacksolve(response, this.#asked(request));
    }
  }
}

interface Opened {
  readonly response: Response;
  readonly watch: Watch;
  /** The error to throw when reading the answer fails. */
  readonly fail: (cause: unknown) => unknown;
}

/** A line that is not JSON was cut off by a proxy that ended the answer in order. */
function readLine(line: string, fail: Opened['fail']): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw fail(error);
  }
}

/** Whether the answer is not one of the interface: a redirect, or another type of content. */
function isForeign(response: Response, accept: string): boolean {
  const { status, type, headers } = response;
  if (status === 304) return false;
  const medium = headers.get('content-type');
  return type === 'opaqueredirect' || status >= 300 || (medium !== null && !medium.toLowerCase().startsWith(accept));
}

function isRetryable(error: unknown): error is Error {
  if (error instanceof ConnectionError) return true;
  return error instanceof BacksolveError && isRetryableAnswer(error.status, error.code);
}

/** The base address without slashes at its end and without /v1, which every path begins with. */
function readAddress(url: string): string {
  const advice = 'give the address of the service, such as https://backsolve.example';
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw new TypeError(`The url is not a valid address; ${advice}.`);
  }
  const { protocol, username, password, search, hash, origin, pathname } = parsed;
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new TypeError(`The url must begin with http:// or https://; ${advice}.`);
  if (username !== '' || password !== '')
    throw new TypeError('The url must not hold a user or password; give the key as key.');
  if (search !== '' || hash !== '') throw new TypeError(`The url must end with its path; ${advice}.`);
  return `${origin}${pathname}`.replace(/\/+$/, '').replace(/\/v1$/, '');
}

/** The message never holds the key. */
function readKey(key: string | undefined): string {
  if (typeof key !== 'string' || !/^[\x21-\x7e]+$/.test(key)) {
    throw new TypeError('The key must be an API key, without spaces or line breaks.');
  }
  return key;
}
