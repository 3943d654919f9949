/**
 * Messages between the pool and its threads: plain data only, because structured cloning loses classes. Errors of the
 * optimizer become faults.
 */
import type {
  Explanation,
  FitInsight,
  FrontReport,
  Identifiability,
  PredictedSurface,
  PredictionsQuestion,
  Robustness,
  SolutionsFound,
  SolutionsRequest,
} from '../optimizer/interface/insights.ts';
import type {
  Design,
  DesignRequest,
  InputTolerances,
  Proposal,
  SuggestRequest,
} from '../optimizer/interface/problem.ts';

/** A question about one input. */
export interface RobustnessTask {
  readonly request: SuggestRequest;
  /** Length n. */
  readonly input: readonly number[];
  readonly tolerances: InputTolerances;
}

/** Asks what the targets, or the data of a fit, tell about the inputs. */
export interface IdentifiabilityTask {
  readonly request: SuggestRequest;
  readonly confidence: number;
}

/** Asks for predictions of the models around a point. */
export interface PredictionsTask {
  readonly request: SuggestRequest;
  readonly question: PredictionsQuestion;
}

export interface DesignTask {
  readonly kind: 'design';
  readonly request: DesignRequest;
}

export type EngineTask =
  | DesignTask
  | ({ readonly kind: 'robustness' } & RobustnessTask)
  | ({ readonly kind: 'identifiability' } & IdentifiabilityTask)
  | { readonly kind: 'solutions'; readonly request: SolutionsRequest }
  | ({ readonly kind: 'fit' } & IdentifiabilityTask)
  | ({ readonly kind: 'predictions' } & PredictionsTask)
  | { readonly kind: 'front'; readonly request: SuggestRequest }
  | {
      readonly kind: 'suggest' | 'explain';
      readonly request: SuggestRequest;
      /** Identifies the request: a suggestion and its explanation share it. Each task carries its own copy of the request. */
      readonly requestNumber: number;
    };

type EngineAnswer<R> =
  | { readonly ok: true; readonly result: R; readonly elapsedNs: number }
  /** The stack of the error. */
  | { readonly ok: false; readonly fault: string };

export type DesignAnswer = EngineAnswer<Design>;
export type SuggestAnswer = EngineAnswer<Proposal>;
export type ExplainAnswer = EngineAnswer<Explanation>;
export type RobustnessAnswer = EngineAnswer<Robustness | null>;
export type FitAnswer = EngineAnswer<FitInsight | null>;
export type IdentifiabilityAnswer = EngineAnswer<Identifiability | null>;
export type PredictionsAnswer = EngineAnswer<readonly PredictedSurface[] | null>;

export type Result =
  | Design
  | Proposal
  | Explanation
  | Robustness
  | Identifiability
  | FitInsight
  | SolutionsFound
  | FrontReport
  | readonly PredictedSurface[]
  | null;

export type SolutionsAnswer = EngineAnswer<SolutionsFound>;
export type FrontAnswer = EngineAnswer<FrontReport>;

/** The answer of a thread. */
export interface ThreadAnswer {
  readonly threadId: number;
  readonly answer: EngineAnswer<Result>;
}
