/**
 * An operation is one route as data: where it is, what it takes and answers, who may call it, and the function behind
 * it. The server registers operations and the OpenAPI document is built from the same list, so that neither can know a
 * route that the other does not.
 */
import type { FastifyBaseLogger } from 'fastify';
import type { z } from 'zod';
import type { Principal, Scope } from '../application/authenticate.ts';
import type { KeyedRequest } from '../application/idempotent.ts';
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
  /** Set when the request came under an Idempotency-Key. */
  readonly keyed: KeyedRequest | undefined;
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
  readonly schema?: z.ZodType;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface OperationSpec<P extends string, B, Prepared> {
  readonly method: Method;
  readonly path: P;
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly body?: BodySpec<B>;
  readonly isList?: boolean;
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
  readonly keepsKeyItself?: boolean;
  /** Whether the answer holds a secret: under an Idempotency-Key it is stored sealed, for the API key that asked alone. */
  readonly holdsSecret?: boolean;
  /** Must await SQL only, unless it keeps the key itself: under an Idempotency-Key it runs inside a transaction. */
  handle(call: Call<PathIds<P>, B>, prepared: Prepared): Promise<Answer>;
}

/** An operation with its types erased; `readCall` of register-operations.ts restores what they promise. */
export type Operation = Omit<OperationSpec<string, unknown, unknown>, 'handle' | 'prepare' | 'body'> & {
  readonly body?: BodySpec<unknown>;
  prepare?(call: Call<Readonly<Record<string, number>>, unknown>): Promise<unknown>;
  handle(call: Call<Readonly<Record<string, number>>, unknown>, prepared: unknown): Promise<Answer>;
};

/** What is told about an operation. */
export type OperationDescription = Omit<Operation, 'handle' | 'prepare' | 'keepsKeyItself'> & {
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
