/** Parameters and results of `call`, derived from the generated types of the operations. */
import type { Operations } from './generated/operations.ts';

export type OperationId = keyof Operations;

type Answers<Id extends OperationId> = Operations[Id]['answers'];
type Status<Id extends OperationId> = keyof Answers<Id> & number;

/** Media types in which an operation answers. */
export type MediumOf<Id extends OperationId> = { [S in Status<Id>]: keyof Answers<Id>[S] }[Status<Id>] & string;

export type DefaultMedium<Id extends OperationId> =
  'application/json' extends MediumOf<Id> ? 'application/json' : MediumOf<Id>;

type BodyIn<Media, Medium extends string> = [keyof Media] extends [never]
  ? undefined
  : Medium extends keyof Media
    ? Medium extends 'application/json'
      ? Media[Medium]
      : Media[Medium] extends Uint8Array
        ? Media[Medium]
        : string
    : never;

/** One shape for each status, so that `status` determines the type of `body`. 304 only follows `ifNoneMatch`. */
export type Answer<Id extends OperationId, Medium extends string, Tag> = {
  [S in Status<Id>]: S extends 304
    ? Tag extends string
      ? { readonly status: S; readonly body: undefined; readonly headers: Headers }
      : never
    : { readonly status: S; readonly body: BodyIn<Answers<Id>[S], Medium>; readonly headers: Headers };
}[Status<Id>];

type Takes<Id extends OperationId, Header extends string> = Operations[Id] extends { readonly headers: infer Names }
  ? Header extends Names
    ? true
    : false
  : false;

/** Options of every request. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** Replaces that of the client. The wait requested by `prefer` or the body is added. */
  readonly timeoutMs?: number | undefined;
}

type GivenOptions<Id extends OperationId> = Pick<
  Operations[Id],
  Extract<keyof Operations[Id], 'path' | 'query' | 'body'>
>;

type HeaderOptions<Id extends OperationId, Tag> = (Takes<Id, 'Prefer'> extends true
  ? { /** For example `wait=10` or `respond-async`. */ readonly prefer?: string | undefined }
  : unknown) &
  (Takes<Id, 'Idempotency-Key'> extends true
    ? { /** Default: made for each request. */ readonly idempotencyKey?: string | undefined }
    : unknown) &
  (Takes<Id, 'If-None-Match'> extends true
    ? { /** The ETag of an earlier answer. */ readonly ifNoneMatch?: Tag | undefined }
    : unknown);

export type CallOptions<
  Id extends OperationId,
  Medium extends string = DefaultMedium<Id>,
  Tag = undefined,
> = RequestOptions & GivenOptions<Id> & HeaderOptions<Id, Tag> & { readonly accept?: Medium | undefined };

/** Operations that can be called without options. */
export type SimpleOperationId = {
  [Id in OperationId]: Record<never, never> extends GivenOptions<Id> ? Id : never;
}[OperationId];

/** Lists: operations that answer an array page by page. */
export type ListId = {
  [Id in OperationId]: Operations[Id] extends {
    readonly query?: { after?: number | undefined } | undefined;
    readonly answers: { 200: { 'application/json': readonly unknown[] } };
  }
    ? Id
    : never;
}[OperationId];

export type ItemOf<Id extends ListId> = Operations[Id]['answers'] extends {
  200: { 'application/json': ReadonlyArray<infer Item> };
}
  ? Item
  : never;

/** Operations that can answer line by line. */
export type LinesId = {
  [Id in OperationId]: 'application/x-ndjson' extends MediumOf<Id> ? Id : never;
}[OperationId];

export type LineOf<Id extends LinesId> = Operations[Id]['answers'] extends {
  200: { 'application/x-ndjson': infer Line };
}
  ? Line
  : never;

/** Operations that answer 202 as long as the suggestion is not computed. */
export type SuggestId = {
  [Id in OperationId]: 202 extends keyof Answers<Id> ? (201 extends keyof Answers<Id> ? Id : never) : never;
}[OperationId];
