/** The end of the work on a problem. */
import type { Batch } from '../../clients/typescript/src/index.ts';
import type { Advice } from '../../clients/typescript/src/solve/defaults.ts';
import type { EngineEnd } from '../../clients/typescript/src/solve/engine.ts';
import type { SearchState } from '../../clients/typescript/src/solve/followed-search.ts';
import type { Standing } from './standing.ts';

/**
 * Cause of the end. batch: the service has nothing more to do. interrupted: by a signal. away: the service does not answer. fault: this
 * machine cannot run the command, or the key was refused. disk: a file cannot be written. abort: the command asked for it.
 */
export interface SolveEnd {
  readonly kind: 'batch' | 'interrupted' | 'away' | 'fault' | 'disk' | 'abort';
  readonly reason: string | null;
  readonly batch: Batch | null;
  readonly standing: Standing;
  readonly search: SearchState;
  /** Explanation of how the problem was understood, and conclusions from the runs. */
  readonly advice: readonly Advice[];
  readonly files: { readonly csv: string; readonly json: string };
}

export type Ending = Pick<SolveEnd, 'kind' | 'reason'>;

const KINDS: Partial<Readonly<Record<EngineEnd['kind'], SolveEnd['kind']>>> = {
  over: 'batch',
  fault: 'fault',
  denied: 'fault',
  abort: 'abort',
  away: 'away',
};

export function endingOf({ kind, reason }: EngineEnd): Ending {
  return { kind: KINDS[kind] ?? 'interrupted', reason: reason ?? null };
}
