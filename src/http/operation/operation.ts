/**
 * An operation is one route as data: its path, its parameters and answers, the scope it requires, and its handler. The server
 * registers operations and the OpenAPI document is built from the same list, so that neither can have a route that the other
 * lacks.
 */
import type { FastifyBaseLogger } from 'fastify';
import type { z } from 'zod';
import type { Principal, Scope } from '../../application/accounts/authenticate.ts';
import type { IdempotentRequest } from '../../application/idempotent.ts';
import type { PageRequest } from '../../domain/page.ts';
import type { NextSlice } from '../answer/write-json.ts';
import type { BodySpec } from '../body/spec.ts';
import type { AnswerFormat } from '../wire/formats.ts';
import type { WaitPreference } from '../wire/prefer.ts';
import type { WholeNumberSpec } from '../wire/whole-numbers.ts';
import type { HandlerDeps } from './deps.ts';

type PathNames<P extends string> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | PathNames<Rest> : never;
type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;
/** Below an objective the ids of its parents are optional: those operations exist under a flat path, too. */
type OptionalNames<P extends string> = P extends `${string}/objectives/{objective_id}${string}`
  ? 'model_id' | 'project_id' | 'trial_id'
  : never;
/** Ids of a path template: '/models/{model_id}' -> { modelId: number }. */
type PathIds<P extends string> = {
  readonly [N in Exclude<PathNames<P>, OptionalNames<P>> as CamelCase<N>]: number;
} & { readonly [N in Extract<PathNames<P>, OptionalNames<P>> as CamelCase<N>]?: number };

export interface Call<Ids, B> {
  readonly deps: HandlerDeps;
  readonly accountId: number;
  readonly principal: Principal;
  readonly requestId: string;
  readonly log: FastifyBaseLogger;
  /** Path of the request without its query, as the client sees it. */
  readonly url: string;
  /** URL at which people reach the service, such as https://backsolve.example.com. */
  readonly origin: string;
  readonly ids: Ids;
  readonly body: B;
  readonly page: PageRequest;
  readonly prefer: WaitPreference;
  /** One per flag of the operation. */
  readonly flags: Readonly<Record<string, boolean>>;
  /** One per whole number of the operation. */
  readonly numbers: Readonly<Record<string, number | null>>;
  /** Format of the answer. */
  readonly format: AnswerFormat;
  /** The If-None-Match header. */
  readonly ifNoneMatch: string | undefined;
  /** Those of the texts of the operation that were sent. */
  readonly texts: Readonly<Record<string, string>>;
  /** Set if the request has an Idempotency-Key. */
  readonly idempotency: IdempotentRequest | undefined;
  /** Before each slice of long work, so that other requests are served in between. */
  readonly nextSlice: NextSlice;
  /** Calls `run` once if the client disconnects before it has the whole answer; immediately if it has gone already. */
  whenGone(run: () => void): void;
  /** For requests that have waited: throws as at their start unless their key or session is still valid. */
  requireAdmission(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  /** Whether the body contains a JsonArray or a Matrix, which are written piece by piece. */
  readonly isWritten?: true;
  /** Instead of a body: its text, made piece by piece. The headers name its type. */
  readonly pieces?: (nextSlice: NextSlice) => AsyncGenerator<string, void>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface AnswerSpec {
  readonly description: string;
  /** Schema of the body, or of one line if the body is sent line by line. */
  readonly schema?: z.ZodType;
  /** Default: application/json. */
  readonly mediaType?: string;
  /** Other answers that the client may ask for by Accept: the schema of the body, or of one of its lines, by media type. */
  readonly otherTypes?: Readonly<Record<string, z.ZodType>>;
  readonly headers?: Readonly<Record<string, string>>;
}

interface QueryText {
  /** The schema of the text. */
  readonly schema: z.ZodType<string>;
  readonly description: string;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Reads an answer that was not stored, for a repeat with an Idempotency-Key. */
interface Replay<Ids, B> {
  /** The body, from the record as it is now. `id` is that in the body of the first answer. */
  read(call: Call<Ids, B>, id: number): Promise<unknown>;
  /**
   * Whether the answered record never changes again, so that no answer needs to be stored. Otherwise only answers that are
   * too large are not stored.
   */
  readonly isFinal?: boolean;
  /**
   * Whether every answer, including the first, is read like that because it may be too long for memory. `handle` then
   * answers with the id only.
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
  /** The operationId of the same under a shorter path, which new programs should use. */
  readonly preferred?: string;
  readonly body?: BodySpec<B>;
  readonly isList?: boolean;
  /** Whether the client of a list may ask for the newest records first. */
  readonly hasOrder?: boolean;
  /** Boolean query parameters, with their descriptions. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Query parameters that are whole numbers. */
  readonly numbers?: Readonly<Record<string, WholeNumberSpec>>;
  /** The formats between which the Accept header decides, the usual one first; default: json. */
  readonly formats?: readonly AnswerFormat[];
  /** Whether the If-None-Match header is read. */
  readonly hasETag?: boolean;
  /** Query parameters that are text. */
  readonly texts?: Readonly<Record<string, QueryText>>;
  /** Whether the answer is sent while it is read. There is no HEAD then, which would read it for nothing. */
  readonly isStream?: boolean;
  /** The scope that a key needs, of several one; by default read for GET, otherwise write. */
  readonly scope?: Scope | readonly Scope[];
  /** Whether the Prefer header is read, and for what the operation waits. */
  readonly waits?: 'suggestion' | 'change';
  readonly answers: Readonly<Record<number, AnswerSpec>>;
  /** Refusals beyond those that every operation has: statuses with descriptions. */
  readonly refusals?: Readonly<Record<number, string>>;
  /** Work that must not run inside a transaction, such as a computation; `handle` gets its result. */
  prepare?(call: Call<PathIds<P>, B>): Promise<Prepared>;
  /** Whether `handle` deals with the Idempotency-Key itself because it must not run inside a transaction. */
  readonly handlesIdempotency?: boolean;
  /** Whether the answer contains a secret. With an Idempotency-Key it is stored sealed, for the requesting API key only. */
  readonly holdsSecret?: boolean;
  /** Needed if an answer can be large; useful if it is final. */
  readonly replay?: Replay<PathIds<P>, B>;
  /** May only await SQL unless `handlesIdempotency`: with an Idempotency-Key it runs inside a transaction. */
  handle(call: Call<PathIds<P>, B>, prepared: Prepared): Promise<Answer>;
}

/** An operation with its types erased; `readCall` in register-operations.ts guarantees them. */
export type Operation = Omit<OperationSpec<string, unknown, unknown>, 'handle' | 'prepare' | 'body' | 'replay'> & {
  readonly body?: BodySpec<unknown>;
  readonly replay?: Replay<Readonly<Record<string, number>>, unknown>;
  prepare?(call: Call<Readonly<Record<string, number>>, unknown>): Promise<unknown>;
  handle(call: Call<Readonly<Record<string, number>>, unknown>, prepared: unknown): Promise<Answer>;
};

/** An operation as the OpenAPI document describes it. */
export type OperationDescription = Omit<Operation, 'handle' | 'prepare' | 'handlesIdempotency' | 'replay'> & {
  readonly needsNoKey?: boolean;
  /** For an Idempotency-Key that protects a secret in the answer. */
  readonly minimumKeyLength?: number;
};

export function defineOperation<P extends string, B = undefined, Prepared = undefined>(
  spec: OperationSpec<P, B, Prepared>,
): Operation {
  return spec as unknown as Operation;
}

/** Names of the ids in a path template, in order: '/models/{model_id}' -> ['model_id']. */
export function pathNames(path: string): readonly string[] {
  return Array.from(path.matchAll(/\{(\w+)\}/g), (match) => match[1]!);
}

export function toCamelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

const PARENTS = '/models/{model_id}/projects/{project_id}/trials/{trial_id}';
const OBJECTIVE = '/objectives/{objective_id}';

/**
 * All operations, and once more without the ids of the parents those that address an objective or what is below one: the id of the
 * objective is enough, and the same handler answers. Those with the ids name the others as the preferred ones.
 */
export function withFlatPaths(operations: readonly Operation[]): readonly Operation[] {
  const isBelow = ({ path }: Operation) => `${path}/`.startsWith(`${PARENTS}${OBJECTIVE}/`);
  const nested = operations.map((one) => (isBelow(one) ? { ...one, preferred: flatIdOf(one) } : one));
  return [...nested, ...operations.filter(isBelow).map(flatten)];
}

function flatten(operation: Operation): Operation {
  const description = `The same as ${operation.operationId}, without the ids of the parents.`;
  return {
    ...operation,
    path: operation.path.slice(PARENTS.length),
    operationId: flatIdOf(operation),
    description: operation.description === undefined ? description : `${operation.description} ${description}`,
  };
}

function flatIdOf({ operationId }: Operation): string {
  return `${operationId}Flat`;
}
