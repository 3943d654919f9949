/** Request bodies, from the wire to their values; every bound on them comes together here. */
import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError, makeViolation } from '../../domain/errors.ts';
import { ByteBudget } from '../fairness/byte-budget.ts';
import { Pace } from '../fairness/pace.ts';
import { MAXIMUM_CASE_COUNT } from '../wire/limits.ts';
import { makeBodyReader } from './body-reader.ts';
import type { TextLimits } from './json-text.ts';
import type { BodyReading } from './read-body.ts';
import { receiveBody } from './receive-body.ts';
import type { BodySize, BodySpec } from './spec.ts';

export interface BodySettings {
  /** Of a body that carries cases. */
  readonly bodyLimitBytes: number;
  /** Of all bodies in hand; one account may have half of it. */
  readonly bodyBytesInFlight: number;
  /** In which a body with cases must have arrived. */
  readonly requestTimeoutMs: number;
  /** Numbers that the cases of one body may hold; 0 means any number. */
  readonly cells: number;
}

export interface ReadRequestBody<B> extends BodyReading<B> {
  /** SHA-256 of the bytes as they were sent, no body as {}; undefined unless the request has an Idempotency-Key. */
  readonly digest: Buffer | undefined;
}

export interface Bodies {
  /** The body of a request, whose bytes count for `holder`. Throws as receiveBody does, and BODY_TOO_LARGE. */
  read<B>(request: FastifyRequest, reply: FastifyReply, spec: BodySpec<B>, holder: string): Promise<ReadRequestBody<B>>;
  close(): Promise<void>;
}

/** Largest bodies without cases. A thousand outputs with targets, types, bounds and values take some 120 KB. */
const LIMIT_BYTES = { plain: 64 * 1024, vectors: 256 * 1024 } as const satisfies Partial<Record<BodySize, number>>;
/** A slow line carries a small body in this time; who takes longer holds a place for nothing. */
const SMALL_BODY_MS = 20_000;
/**
 * Of one account. A largest body and some more are read at once; then the network slows the sender down to what takes some
 * hundredths of a processor's time to read.
 */
const BYTES = { perSecond: 8 * 1024 * 1024, burst: 48 * 1024 * 1024 };
/** An account may hold half of the bytes: then no single one locks the others out. */
const ACCOUNT_SHARE = 0.5;

/** A request without a body reads as one with an empty object. */
export const NO_BODY_DIGEST = hash('sha256', '{}', 'buffer');

export function makeBodies(settings: BodySettings): Bodies {
  const { bodyLimitBytes, bodyBytesInFlight, requestTimeoutMs } = settings;
  const budget = new ByteBudget({ total: bodyBytesInFlight, perHolder: bodyBytesInFlight * ACCOUNT_SHARE });
  const pace = new Pace(BYTES, () => performance.now());
  const reader = makeBodyReader(textLimits(settings.cells));
  const rulesOf = (size: BodySize) =>
    size === 'cases'
      ? { limitBytes: bodyLimitBytes, timeLimitMs: requestTimeoutMs }
      : {
          limitBytes: Math.min(LIMIT_BYTES[size], bodyLimitBytes),
          timeLimitMs: Math.min(SMALL_BODY_MS, requestTimeoutMs),
        };
  return {
    async read(request, reply, spec, holder) {
      const wantsDigest = request.headers['idempotency-key'] !== undefined;
      const rules = { ...rulesOf(spec.size ?? 'plain'), wantsDigest, budget, pace, holder };
      const { bytes, digest } = await receiveBody(request, reply, rules);
      const isEmpty = bytes.length === 0;
      const reading = await reader.read(spec, bytes);
      if (reading.unreadable !== undefined) throw unreadable(reading.unreadable);
      return { ...reading, digest: isEmpty ? NO_BODY_DIGEST : digest };
    },
    close: () => reader.close(),
  };
}

function unreadable(message: string): DomainError {
  return new DomainError('VALIDATION_FAILED', message, { violations: [makeViolation([], message)] });
}

/** Deeper than any body of the interface. */
const DEPTH = 32;
/** All bodies together have fewer fields; failed rows may hold objects. */
const MEMBERS = 10_000;
/** Values besides those of the cases: types, bounds, names. */
const OTHER_VALUES = 100_000;

/** Twice what is valid still gets the answer that says what is wrong with it. */
function textLimits(cells: number): TextLimits {
  const values = cells === 0 ? Number.POSITIVE_INFINITY : 2 * cells + OTHER_VALUES;
  return { depth: DEPTH, containers: 2 * MAXIMUM_CASE_COUNT + MEMBERS, members: MEMBERS, values };
}
