/** One run that satisfies everything. It ends the search. */
import { isBetter } from '../optimum.ts';
import type { QuestRules } from './kind.ts';

export interface OneRun extends QuestRules {
  readonly kind: 'one-run';
}

/** Rules that the other kinds change. */
export const ONE_RUN: OneRun = {
  kind: 'one-run',
  endsWithRuns: true,
  isEndInSight: true,
  apart: null,
  comparesAllRuns: false,
  sought: 1,
  isChosenByModels: false,
  isHit: ({ isSatisfied }) => isSatisfied,
  eventOf: () => 'output-satisfied',
  isAchieved: () => false,
  beats: (challenger, holder) => challenger.isSatisfied || isBetter(challenger, holder),
  inWords: '',
  missing: ' and none meets every target',
};
