/** Shared rules of the kinds of quests. */
import type { Evaluation } from '../acceptance.ts';
import type { ObjectiveEvent } from '../stop-reason.ts';

/** Circumstances of a hit. */
interface HitFacts {
  /** Hits before it. */
  readonly before: number;
  /** Whether every attempt has been suggested. */
  readonly areAttemptsUsed: boolean;
  /** Whether every attempt has been suggested and no other inverse is open. */
  readonly isLast: boolean;
}

export interface QuestRules {
  /**
   * Whether a run can end the search, and the last of all attempts does. Otherwise the next suggestion decides: it looks at all
   * runs of each input together.
   */
  readonly endsWithRuns: boolean;
  /** Whether an open inverse that is likely to hit may end the search, so that waiting for it can save runs. */
  readonly isEndInSight: boolean;
  /** Least distance between hits; null: none. */
  readonly apart: number | null;
  /** Whether the optimal run is chosen among all runs, and not by comparing each with the best before it. */
  readonly comparesAllRuns: boolean;
  /** Number of hits that satisfy the objective. */
  readonly sought: number;
  /** Whether a run with this evaluation is a hit, distances aside. */
  isHit(evaluation: Evaluation): boolean;
  /** Event of the objective that follows from a hit. */
  eventOf(facts: HitFacts): ObjectiveEvent;
  /** Whether every end is a success by now. @param optimal of the optimal run */
  isAchieved(optimal: Evaluation | null): boolean;
  /** Whether a run replaces the optimal one. Both are eligible; see optimum.ts. */
  beats(challenger: Evaluation, holder: Evaluation): boolean;
  /** Whether the models choose the optimal run, which then stays while it is a hit. */
  readonly isChosenByModels: boolean;
  /** The words after "meets every target". */
  readonly inWords: string;
  /** The part of the goal that an objective that used all its attempts did not reach, from " and" on. */
  readonly missing: string;
}
