/** Signals that reach a program together with its evaluator. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Evaluate } from '../../clients/typescript/src/evaluator/evaluation.ts';
import type { EvaluatorOptions } from '../../clients/typescript/src/evaluator/evaluator-options.ts';

/** Time by which an evaluator may notice a signal later than its program. */
const SKEW_MS = 200;
/** Time in which a program may end after SIGTERM: Slurm, Kubernetes and systemd then kill it, after 30 to 90 s. */
const ENDING_MS = 90_000;

/**
 * A cluster that takes a job away signals every process of it. A run that ends without an output soon after `stop` may have been ended by
 * that signal, whatever its exit code, so it is given back. Were its input to blame, the next run will tell.
 */
export function withSharedSignals(evaluate: Evaluate, stop: AbortSignal): EvaluatorOptions['evaluate'] {
  let stoppedAt = Number.POSITIVE_INFINITY;
  stop.addEventListener('abort', () => (stoppedAt = performance.now()), { once: true });
  return async (evaluation, signal) => {
    const outcome = await evaluate(evaluation, signal);
    if (outcome.kind !== 'failure') return outcome;
    if (outcome.retryable && !stop.aborted) await sleep(SKEW_MS, undefined, { signal: stop }).catch(() => undefined);
    if (!stop.aborted || performance.now() - stoppedAt > ENDING_MS) return outcome;
    return { kind: 'release', reason: `it ended with its evaluator: ${outcome.reason}` };
  };
}
