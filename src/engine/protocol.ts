/**
 * Messages between the pool and its threads: plain data only, because classes do not survive the way. Errors of the
 * optimizer travel as a fault.
 */
import type { DesignRequest, Explanation, Proposal, SuggestRequest } from '../optimizer/problem.ts';

export interface DesignResult {
  readonly count: number;
  /** count x n, natural units. */
  readonly X: Float64Array;
}

export type EngineTask =
  | { readonly kind: 'design'; readonly request: DesignRequest }
  | {
      readonly kind: 'suggest' | 'explain';
      readonly request: SuggestRequest;
      /** The same for a suggestion and its explanation: copies of a request cannot be told apart otherwise. */
      readonly requestNumber: number;
    };

export type EngineAnswer<Result> =
  | { readonly ok: true; readonly result: Result; readonly elapsedNs: number }
  | { readonly ok: false; readonly fault: string };

export type DesignAnswer = EngineAnswer<DesignResult>;
export type SuggestAnswer = EngineAnswer<Proposal>;
export type ExplainAnswer = EngineAnswer<Explanation>;

/** What a thread sends back. */
export interface ThreadAnswer {
  readonly threadId: number;
  readonly answer: EngineAnswer<DesignResult | Proposal | Explanation>;
}
