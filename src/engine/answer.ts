import type { Result, ThreadAnswer } from './protocol.ts';

/** Never throws: an error of the optimizer is answered as a fault. */
export function answerOf(threadId: number, compute: () => Result): ThreadAnswer {
  const startedAt = process.hrtime.bigint();
  try {
    const result = compute();
    return { threadId, answer: { ok: true, result, elapsedNs: Number(process.hrtime.bigint() - startedAt) } };
  } catch (error) {
    const fault = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { threadId, answer: { ok: false, fault } };
  }
}
