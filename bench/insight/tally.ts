/** Counts how often sensitivity ranges contain the truth and how often they put two inputs in the wrong order. */

import { float, minimize, play } from '../../harness/optimizer-game.ts';
import { explain } from '../../src/optimizer/explain.ts';
import type { SuggestRequest } from '../../src/optimizer/interface/problem.ts';
import { makeRandom } from '../../src/optimizer/numerics/random.ts';
import type { Member } from './families.ts';

/** Share by which a range may miss the truth, and distance of two true shares from which they have an order. */
const TOLERANCE = { share: 0.05, order: 0.02 };

export interface Tally {
  /** Members with ranges. */
  reported: number;
  /** Ranges, and those that contain the true share within the tolerance. */
  ranges: number;
  right: number;
  /** Pairs of inputs whose ranges do not overlap, and those whose true order is the opposite. */
  orders: number;
  wrong: number;
}

/** Makes the request to explain for a member: a history of one output. */
export type MakeRequest = (member: Member) => SuggestRequest;

export function tally(members: readonly Member[], make: MakeRequest): Tally {
  const sum: Tally = { reported: 0, ranges: 0, right: 0, orders: 0, wrong: 0 };
  for (const member of members) {
    const ranges = explain(make(member)).insight![0]!.sensitivityRanges;
    if (ranges === null) continue;
    const truth = member.effects;
    sum.reported++;
    ranges.forEach(({ low, high }, v) => {
      sum.ranges++;
      if (truth[v]! > low - TOLERANCE.share && truth[v]! < high + TOLERANCE.share) sum.right++;
      ranges.forEach((other, w) => {
        if (low <= other.high) return;
        sum.orders++;
        if (truth[v]! < truth[w]! - TOLERANCE.order) sum.wrong++;
      });
    });
  }
  return sum;
}

const unitCube = (n: number) => Array.from({ length: n }, () => float(0, 1));
const outOfReach = { targets: [minimize(-1000)], l1: null };

/** A history of `count` random cases. */
export function sampled(count: number): MakeRequest {
  return ({ f, n, seed }) => {
    const random = makeRandom(seed);
    const rows = Array.from({ length: count }, () => Array.from({ length: n }, () => random.uniform()));
    return {
      space: { variables: unitCube(n) },
      goal: outOfReach,
      history: {
        count,
        X: Float64Array.from(rows.flat()),
        Y: Float64Array.from(rows, f),
        failed: new Uint8Array(count),
      },
      firstSuggested: count,
      convergence: 1e-6,
      seed,
      workLimit: 5000,
    };
  };
}

/** A history of designed cases and twenty inverses of a search for the minimum. */
export const searched: MakeRequest = ({ f, n, seed }) =>
  play({ variables: unitCube(n), goal: outOfReach, evaluate: (x) => [f(x)], seed }, 20).request;
