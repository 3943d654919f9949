/** Reads request bodies, from the wire to their values, and applies all limits on them. */
import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError, makeViolation } from '../../domain/errors.ts';
import type { TextLimits } from '../body/json-text.ts';
import { bodyFormatOf } from '../body/media-types.ts';
import type { BodyReading } from '../body/read-body.ts';
import type { BodySize, BodySpec } from '../body/spec.ts';
import { ByteBudget } from '../fairness/byte-budget.ts';
import { Pace } from '../fairness/pace.ts';
import { MAXIMUM_CASE_COUNT } from '../wire/limits.ts';
import { makeBodyReader } from './body-reader.ts';
import { receiveBody } from './receive-body.ts';

interface BodySettings {
  /** Largest body with cases. */
  readonly bodyLimitBytes: number;
  /** Bytes of all bodies in the process; one account may have half of them. */
  readonly bodyBytesInFlight: number;
  /** The time within which a body with cases must arrive. */
  readonly requestTimeoutMs: number;
  /** The most numbers in the cases of one body; 0 means no limit. */
  readonly cells: number;
  /** Largest files that bodies hold; default: none but small ones. */
  readonly files?: { readonly workbook?: number | undefined; readonly file?: number | undefined };
}

interface ReadRequestBody<B> extends BodyReading<B> {
  /** SHA-256 of the bytes sent, or of {} without a body; undefined unless the request has an Idempotency-Key. */
  readonly digest: Buffer | undefined;
}

export interface Bodies {
  /** Reads the body of a request; its bytes count for `holder`. Throws what receiveBody throws, and BODY_TOO_LARGE. */
  read<B>(request: FastifyRequest, reply: FastifyReply, spec: BodySpec<B>, holder: string): Promise<ReadRequestBody<B>>;
  close(): Promise<void>;
}

/** Largest bodies without cases. A thousand outputs with targets, types, bounds and values take about 120 KB. */
const LIMIT_BYTES = { plain: 64 * 1024, vectors: 256 * 1024 } as const satisfies Partial<Record<BodySize, number>>;
/** A file travels as text, with its name, a note and a thumbnail beside it. */
const BASE64 = 4 / 3;
/** Enough for a small body on a slow line; a client that takes longer only occupies a slot. */
const SMALL_BODY_MS = 20_000;
/**
 * Per account. The largest body and more are read at full speed; then backpressure slows the sender down to a rate that
 * takes a few percent of a processor to read.
 */
const BYTES = { perSecond: 8 * 1024 * 1024, burst: 48 * 1024 * 1024 };
/** An account may hold half of the bytes, so that none can lock out the others. */
const ACCOUNT_SHARE = 0.5;

/** A request without a body counts as one with an empty object. */
export const NO_BODY_DIGEST = hash('sha256', '{}', 'buffer');

export function makeBodies(settings: BodySettings): Bodies {
  const { bodyLimitBytes, bodyBytesInFlight, requestTimeoutMs } = settings;
  const budget = new ByteBudget({ total: bodyBytesInFlight, perHolder: bodyBytesInFlight * ACCOUNT_SHARE });
  const pace = new Pace(BYTES, () => performance.now());
  const reader = makeBodyReader(textLimits(settings.cells));
  const rulesOf = (size: BodySize) => {
    if (size === 'plain' || size === 'vectors') {
      const timeLimitMs = Math.min(SMALL_BODY_MS, requestTimeoutMs);
      return { limitBytes: Math.min(LIMIT_BYTES[size], bodyLimitBytes), timeLimitMs };
    }
    const limitBytes =
      size === 'cases' ? bodyLimitBytes : Math.ceil((settings.files?.[size] ?? 0) * BASE64) + LIMIT_BYTES.vectors;
    return { limitBytes, timeLimitMs: requestTimeoutMs };
  };
  return {
    async read(request, reply, spec, holder) {
      const wantsDigest = request.headers['idempotency-key'] !== undefined;
      const rules = { ...rulesOf(spec.size ?? 'plain'), wantsDigest, budget, pace, holder };
      const { bytes, digest } = await receiveBody(request, reply, rules);
      const isEmpty = bytes.length === 0;
      const reading = await reader.read(spec, bytes, bodyFormatOf(request));
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
/** More fields than any body has besides those of cases by name; rows of failed runs may contain objects. */
const MEMBERS = 10_000;
/** Values other than those of the cases: types, bounds, names. */
const OTHER_VALUES = 100_000;

/** Twice what is valid is still read, so that the answer can say what is wrong. */
function textLimits(cells: number): TextLimits {
  const containers = 2 * MAXIMUM_CASE_COUNT + MEMBERS;
  if (cells === 0)
    return { depth: DEPTH, containers, members: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY };
  return { depth: DEPTH, containers, members: MEMBERS + cells, values: 2 * cells + OTHER_VALUES };
}
