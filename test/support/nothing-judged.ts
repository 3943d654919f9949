import type { NearestSoFar } from '../../src/domain/objective.ts';

/** For objectives that a test writes out and whose nearest run it does not look at. */
export const NOTHING_JUDGED: NearestSoFar = {
  nearestCase: null,
  nearestCaseInput: null,
  nearestCaseOutput: null,
  nearestIteration: null,
  judgedThrough: null,
};
