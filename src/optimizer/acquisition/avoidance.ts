/** Keeps the search for further solutions apart from those found. */

import type { Solutions } from '../interface/problem.ts';
import { makeDistance, squareWeights } from '../space/distance.ts';
import { type Encoding, encode } from '../space/encoding.ts';
import type { FailureModel } from './failure-model.ts';

/** The term at a solution stays finite: it is the log of 1 - CERTAINTY. */
const CERTAINTY = 0.999;
/** Its width, as a share of the distance that solutions must have. */
const WIDTH = 0.5;

export interface Avoidance extends FailureModel {
  /** True for features u (length p) nearer to a solution than solutions may be to each other. */
  isNear(u: Float64Array): boolean;
}

/**
 * Each solution s adds log(1 - exp(-d(u, s)^2 / 2 r^2)) to the acquisition, the formula of failed runs. The distance d counts
 * the range of a number and the change of a category as 1, relative to the diagonal of the box. null without solutions.
 */
export function makeAvoidance(encoding: Encoding, solutions: Solutions | undefined): Avoidance | null {
  const count = (solutions?.found.length ?? 0) / encoding.n;
  if (!solutions || count === 0) return null;
  const { n, p } = encoding;
  const { found, apart } = solutions;
  const weights = squareWeights(encoding);
  const points = Array.from({ length: count }, (_, k) => {
    const u = new Float64Array(p);
    encode(encoding, found, k * n, u, 0);
    return u;
  });
  const squareWidth = (WIDTH * apart) ** 2;
  const distance = makeDistance(encoding);
  const nearness = (s: Float64Array, u: Float64Array) =>
    CERTAINTY * Math.exp((-0.5 * distance(s, u) ** 2) / squareWidth);
  return {
    isNear: (u) => points.some((s) => distance(s, u) < apart),
    logSuccess: (u) => points.reduce((sum, s) => sum + Math.log1p(-nearness(s, u)), 0),
    addGradient: (u, gradient) => {
      for (const s of points) {
        const near = nearness(s, u);
        const factor = near / ((1 - near) * squareWidth);
        for (let f = 0; f < p; f++) gradient[f]! += factor * weights[f]! * (u[f]! - s[f]!);
      }
    },
  };
}

/** Both terms; either may be missing. */
export function withAvoidance(failures: FailureModel | null, avoidance: Avoidance | null): FailureModel | null {
  if (!failures || !avoidance) return failures ?? avoidance;
  return {
    logSuccess: (u) => failures.logSuccess(u) + avoidance.logSuccess(u),
    addGradient: (u, gradient) => {
      failures.addGradient(u, gradient);
      avoidance.addGradient(u, gradient);
    },
  };
}
