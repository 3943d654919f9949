/**
 * Messages between the pool and its threads: plain data only, because structured cloning loses classes. Errors of the
 * optimizer become faults.
 */
import type {
  Design,
  DesignRequest,
  Explanation,
  FrontReport,
  Proposal,
  SolutionsFound,
  SolutionsRequest,
  SuggestRequest,
} from '../optimizer/problem.ts';

export type EngineTask =
  | { readonly kind: 'design'; readonly request: DesignRequest }
  | { readonly kind: 'solutions'; readonly request: SolutionsRequest }
  | { readonly kind: 'front'; readonly request: SuggestRequest }
  | {
      readonly kind: 'suggest' | 'explain';
      readonly request: SuggestRequest;
      /** Identifies the request: a suggestion and its explanation share it. Each task carries its own copy of the request. */
      readonly requestNumber: number;
    };

type EngineAnswer<Result> =
  | { readonly ok: true; readonly result: Result; readonly elapsedNs: number }
  /** The stack of the error. */
  | { readonly ok: false; readonly fault: string };

export type DesignAnswer = EngineAnswer<Design>;
export type SuggestAnswer = EngineAnswer<Proposal>;
export type ExplainAnswer = EngineAnswer<Explanation>;

export type SolutionsAnswer = EngineAnswer<SolutionsFound>;
export type FrontAnswer = EngineAnswer<FrontReport>;

/** What a thread sends back. */
export interface ThreadAnswer {
  readonly threadId: number;
  readonly answer: EngineAnswer<Design | Proposal | Explanation | SolutionsFound | FrontReport>;
}
