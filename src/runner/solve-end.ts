/** How the work on a problem ended. */
import type { EvaluatorEnd } from '../../clients/typescript/src/evaluator/evaluator.ts';
import type { Batch } from './problem-calls.ts';
import type { SearchState } from './result-files.ts';
import type { Standing } from './standing.ts';

/**
 * How it ended. batch: the service has nothing more to do. interrupted: by a signal. away: the service does not answer. fault: this
 * machine cannot run the command, or the key was refused. disk: a file cannot be written. abort: the command asked for it.
 */
export interface SolveEnd {
  readonly kind: 'batch' | 'interrupted' | 'away' | 'fault' | 'disk' | 'abort';
  readonly reason: string | null;
  readonly batch: Batch | null;
  readonly standing: Standing;
  readonly search: SearchState;
  readonly files: { readonly csv: string; readonly json: string };
}

export function endingOf(end: EvaluatorEnd): Pick<SolveEnd, 'kind' | 'reason'> {
  const { kind } = end;
  const reason = end.reason ?? null;
  if (kind === 'fault' || kind === 'denied') return { kind: 'fault', reason };
  if (kind === 'abort') return { kind, reason };
  return { kind: kind === 'away' ? 'away' : 'interrupted', reason };
}
