/** Client of Backsolve for Node.js from 20 and for browsers. */

export { BacksolveError, type Violation } from './backsolve-error.ts';
export type {
  Answer,
  CallOptions,
  ItemOf,
  LineOf,
  LinesId,
  ListId,
  OperationId,
  RequestOptions,
  SuggestId,
} from './calls.ts';
export { Backsolve, type BacksolveOptions, type Retry } from './client.ts';
export { ConnectionError, NotBacksolveError, TimeoutError, UnknownOperationError } from './errors.ts';
export type { Operations } from './generated/operations.ts';
export * from './generated/problems.ts';
export { VERSION } from './generated/routes.ts';
export type * from './generated/schemas.ts';
export { AnswerTooLargeError } from './lines.ts';
export { makeIdempotencyKey } from './request.ts';
export { StopReason } from './stop-reason.ts';
export { VersionError } from './versions.ts';
