/**
 * An operation is one route as data: where it is, what it takes and answers, who may call it, and the function behind
 * it. The server registers operations and the OpenAPI document is built from the same list, so that neither can know a
 * route that the other does not.
 */
import type { FastifyBaseLogger } from 'fastify';
import type { z } from 'zod';
import type { Principal, Scope } from '../application/authenticate.ts';
import type { IdempotentRequest } from '../application/idempotent.ts';
import type { PageRequest } from '../domain/page.ts';
import type { BodySpec } from './body/spec.ts';
import type { HttpDeps } from './deps.ts';
import type { WaitPreference } from './wire/prefer.ts';

type PathNames<P extends string> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | PathNames<Rest> : never;
type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;
/** Ids of a path template: '/models/{model_id}' -> { modelId: number }. */
export type PathIds<P extends string> = { readonly [N in PathNames<P> as CamelCase<N>]: number };

export interface Call<Ids, B> {
  readonly deps: HttpDeps;
  readonly accountId: number;
  readonly principal: Principal;
  readonly requestId: string;
  readonly log: FastifyBaseLogger;
  /** Path of the request without its query, as the client sees it. */
  readonly url: string;
  readonly ids: Ids;
  readonly body: B;
  readonly page: PageRequest;
  readonly prefer: WaitPreference;
  /** One per flag of the operation. */
  readonly flags: Readonly<Record<string, boolean>>;
  /** Set when the request came under an Idempotency-Key. */
  readonly idempotency: IdempotentRequest | undefined;
}

export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  /** Whether the body holds a JsonArray or a Matrix, which are written piece by piece. */
  readonly isWritten?: true;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface AnswerSpec {
  readonly description: string;
  /** Of the body, or of one line of it where that is sent line by line. */
  readonly schema?: z.ZodType;
  /** application/json unless given. */
  readonly mediaType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** How a repetition under an Idempotency-Key reads an answer that was not stored. */
export interface Replay<Ids, B> {
  /** The body, of the record as it is by then. `id` is the one in the body of the first answer. */
  read(call: Call<Ids, B>, id: number): Promise<unknown>;
  /**
   * Whether what is answered never changes again, so that no answer needs to be stored; otherwise only those are not that
   * are too large.
   */
  readonly isFinal?: boolean;
  /**
   * Whether every answer is read like that, the first one too, because it may be too long for memory. `handle` then answers
   * with the id alone.
   */
  readonly isLong?: boolean;
}

interface OperationSpec<P extends string, B, Prepared> {
  readonly method: Method;
  readonly path: P;
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly body?: BodySpec<B>;
  readonly isList?: boolean;
  /** Query parameters that are true or false, with what they mean. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Whether the answer is sent while it is read; then there is no HEAD, which would read it for nothing. */
  readonly isStream?: boolean;
  /** The scope that a key needs; by default read for GET and write for the others. */
  readonly scope?: Scope;
  /** Whether the Prefer header is read. */
  readonly waits?: boolean;
  readonly answers: Readonly<Record<number, AnswerSpec>>;
  /** Statuses of refusals besides those that every operation has, with their meaning. */
  readonly refusals?: Readonly<Record<number, string>>;
  /** Work that must not run inside a transaction, such as a computation; its result is handed to `handle`. */
  prepare?(call: Call<PathIds<P>, B>): Promise<Prepared>;
  /** Whether `handle` sees to the Idempotency-Key itself, because it must not run inside a transaction. */
  readonly handlesIdempotency?: boolean;
  /** Whether the answer holds a secret: under an Idempotency-Key it is stored sealed, for the API key that asked alone. */
  readonly holdsSecret?: boolean;
  /** Wanted wherever an answer can be large, and where it is final. */
  readonly replay?: Replay<PathIds<P>, B>;
  /** Must await SQL only, unless it keeps the key itself: under an Idempotency-Key it runs inside a transaction. */
  handle(call: Call<PathIds<P>, B>, prepared: Prepared): Promise<Answer>;
}

/** An operation with its types erased; `readCall` of register-operations.ts restores what they promise. */
export type Operation = Omit<OperationSpec<string, unknown, unknown>, 'handle' | 'prepare' | 'body' | 'replay'> & {
  readonly body?: BodySpec<unknown>;
  readonly replay?: Replay<Readonly<Record<string, number>>, unknown>;
  prepare?(call: Call<Readonly<Record<string, number>>, unknown>): Promise<unknown>;
  handle(call: Call<Readonly<Record<string, number>>, unknown>, prepared: unknown): Promise<Answer>;
};

/** What is told about an operation. */
export type OperationDescription = Omit<Operation, 'handle' | 'prepare' | 'handlesIdempotency' | 'replay'> & {
  readonly needsNoKey?: boolean;
  /** Of an Idempotency-Key that protects what the answer holds. */
  readonly minimumKeyLength?: number;
};

export function defineOperation<P extends string, B = undefined, Prepared = undefined>(
  spec: OperationSpec<P, B, Prepared>,
): Operation {
  return spec as unknown as Operation;
}

/** Names of the ids of a path template, in order: '/models/{model_id}' -> ['model_id']. */
export function pathNames(path: string): readonly string[] {
  return Array.from(path.matchAll(/\{(\w+)\}/g), (match) => match[1]!);
}

export function toCamelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
