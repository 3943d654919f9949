import { type NearestSoFar, NO_NEAREST_CASE } from '../../src/domain/search/objective.ts';

/** For objectives that a test writes out and whose nearest run it does not look at. */
export const NOTHING_JUDGED: NearestSoFar = {
  ...NO_NEAREST_CASE,
  nearestIteration: null,
  judgedThrough: null,
};
