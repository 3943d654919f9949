import type { NothingNew, Proposal, Standing, StopRule, SuggestRequest } from '../interface/problem.ts';
import type { Work } from '../numerics/work.ts';
import type { NextInput } from '../search/next-input.ts';
import type { Prepared } from '../search/prepare.ts';
import type { Problem, SearchAim } from '../search/scope-search.ts';
import type { Seen } from '../space/seen.ts';

/** An end by a stop rule; without `bestIndex` with the row of the smallest loss. */
export type EndByRule = Pick<Extract<Proposal, { kind: 'nothing-new' }>, 'reason' | 'standstill'> & {
  readonly bestIndex?: number;
};

/** All that one kind of search does in its own way. */
export interface Quest {
  readonly aim: SearchAim;
  /** The inputs that are not proposed as new ones. */
  seenIn(prepared: Prepared): Seen;
  /** Reason to end the search; null while it goes on. */
  endOf(prepared: Prepared): NothingNew | null;
  /** The end by a stop rule; null while the search goes on. Needs at least one case. */
  endByRule(problem: Problem, rule: StopRule, work: Work): EndByRule | null;
  /**
   * Proposal that takes the place of the search for the goal; null for none.
   *
   * @param bestIndex row of the history with the smallest loss
   */
  proposalInstead(prepared: Prepared, seen: Seen, bestIndex: number): Proposal | null;
  nextInput(problem: Problem): NextInput;
  /** The answer, given the new input that was found or why there is none. */
  decide(prepared: Prepared, proposal: Proposal): Proposal;
  /** Certainty that the best input meets the targets; null unless the quest asks for it. */
  standing(prepared: Prepared): Standing | null;
}

/** The quest of a request for this kind of search; null for requests of other kinds. */
export type Kind = (request: SuggestRequest) => Quest | null;
