/** Receives the bytes of a body within the limits of its route and its sender, and within a time limit. */
import { createHash } from 'node:crypto';
import { errorCodes, type FastifyReply, type FastifyRequest } from 'fastify';
import { DomainError } from '../../domain/errors.ts';
import { GrowingBytes } from '../body/growing-bytes.ts';
import { refuseGone, whenOver } from '../connection/client-presence.ts';
import type { ByteBudget } from '../fairness/byte-budget.ts';
import type { Pace } from '../fairness/pace.ts';

/** A body as it was sent. */
interface ReceivedBody {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** SHA-256 of the bytes, if requested. */
  readonly digest: Buffer | undefined;
}

interface BodyRules {
  readonly limitBytes: number;
  /** The time within which the whole body must arrive. */
  readonly timeLimitMs: number;
  readonly budget: ByteBudget;
  readonly pace: Pace;
  readonly wantsDigest: boolean;
  /** The holder for whom the bytes count. */
  readonly holder: string;
}

/**
 * The bytes count until the request is over. Throws what the budget throws, REQUEST_TIMEOUT, BODY_TOO_LARGE, and Fastify's
 * error for a body that is cut off. `drainUnread` handles the part that is still unread.
 */
export async function receiveBody(
  request: FastifyRequest,
  reply: FastifyReply,
  rules: BodyRules,
): Promise<ReceivedBody> {
  refuseGone(reply);
  const { limitBytes, budget, pace, holder, wantsDigest } = rules;
  const declared = request.headers['content-length'];
  if (Number(declared ?? 0) > limitBytes) throw tooLarge(limitBytes);
  const received = new GrowingBytes(Math.min(limitBytes, Number(declared ?? limitBytes)));
  const hash = wantsDigest ? createHash('sha256') : undefined;
  const counted = budget.open(holder);
  whenOver(reply, () => counted.close());
  const take = (chunk: Buffer): number => {
    if (received.length + chunk.length > limitBytes) throw tooLarge(limitBytes);
    counted.take(chunk.length);
    received.append(chunk);
    hash?.update(chunk);
    return pace.take(holder, chunk.length);
  };
  try {
    await readAll(request, take, rules.timeLimitMs);
  } catch (error) {
    received.free();
    throw error;
  }
  return { bytes: received.take(), digest: hash?.digest() };
}

function tooLarge(limitBytes: number): DomainError {
  return new DomainError('BODY_TOO_LARGE', `The body must have at most ${limitBytes} bytes; send less in one request.`);
}

/** Shorter pauses are below the resolution of timers. */
const SHORTEST_PAUSE_MS = 5;

/** `take` returns for how many milliseconds to pause. If it throws, reading stops and the promise rejects. */
function readAll({ raw }: FastifyRequest, take: (chunk: Buffer) => number, timeLimitMs: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let resume: NodeJS.Timeout | undefined;
  const onData = (chunk: Buffer): void => {
    try {
      const pauseMs = take(chunk);
      if (pauseMs < SHORTEST_PAUSE_MS) return;
      raw.pause();
      resume = setTimeout(() => raw.resume(), pauseMs);
    } catch (error) {
      raw.pause();
      reject(error);
    }
  };
  const onCut = (): void => reject(new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH());
  const timer = setTimeout(() => {
    raw.pause();
    const message = `The body did not arrive within ${timeLimitMs / 1000} s; send it again.`;
    reject(new DomainError('REQUEST_TIMEOUT', message));
  }, timeLimitMs);
  raw.on('data', onData).once('end', resolve).once('close', onCut).once('error', onCut);
  return promise.finally(() => {
    clearTimeout(timer);
    clearTimeout(resume);
    raw.off('data', onData).off('end', resolve).off('close', onCut);
  });
}
