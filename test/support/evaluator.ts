/** An evaluator over real HTTP, and the end of a batch. */
import { setTimeout as delay } from 'node:timers/promises';
import type { TestService } from './service.ts';

type Run = (input: readonly number[], evaluation: Claimed) => readonly number[] | { readonly failure: string };

export interface Claimed {
  readonly id: number;
  readonly leaseToken: string;
  readonly kind: 'case' | 'inverse';
  readonly objectiveId: number | null;
  readonly input: readonly number[];
}

/** Claims and reports until the returned function is called; it rejects with the first error. Counts the runs of each input. */
export function startEvaluator(
  { ok }: Pick<TestService, 'ok'>,
  run: Run,
  scope: object = {},
): { readonly runs: Map<string, number>; stop(): Promise<void> } {
  const runs = new Map<string, number>();
  let isStopped = false;
  const loop = (async () => {
    while (!isStopped) {
      const claim = { evaluator: 'rig', limit: 1, wait: 1, ...scope };
      const { evaluations } = await ok<{ evaluations: readonly Claimed[] }>('POST', '/evaluations/claim', claim);
      for (const evaluation of evaluations) {
        const { id, leaseToken, input } = evaluation;
        runs.set(String(input), (runs.get(String(input)) ?? 0) + 1);
        const outcome = run(input, evaluation);
        if ('failure' in outcome) {
          const report = { leaseToken, reason: outcome.failure, retryable: false };
          await ok('POST', `/evaluations/${id}/failure`, report);
        } else await ok('PUT', `/evaluations/${id}/output`, { leaseToken, output: outcome });
      }
    }
  })();
  loop.catch(() => undefined);
  return {
    runs,
    stop: async () => {
      isStopped = true;
      await loop;
    },
  };
}

export interface ShownBatch {
  readonly id: number;
  readonly trialId: number | null;
  readonly status: string;
  readonly isPaused: boolean;
  readonly failureReason: string | null;
  readonly secret?: string;
  readonly progress: {
    readonly cases: Readonly<Record<string, number>>;
    readonly objectives: Readonly<Record<string, number>>;
    readonly evaluations: Readonly<Record<string, number>>;
  };
}

/** The batch as soon as it meets the condition. */
export async function untilBatch(
  { ok }: Pick<TestService, 'ok'>,
  id: number,
  isMet: (batch: ShownBatch) => boolean,
  limitMs = 60_000,
): Promise<ShownBatch> {
  const until = performance.now() + limitMs;
  for (;;) {
    const batch = await ok<ShownBatch>('GET', `/batches/${id}`);
    if (isMet(batch)) return batch;
    if (performance.now() > until) throw new Error(`it still is ${JSON.stringify(batch)}`);
    await delay(20);
  }
}

export function hasEnded({ status }: ShownBatch): boolean {
  return status !== 'evaluating-cases' && status !== 'solving';
}
