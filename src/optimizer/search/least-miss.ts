import type { WorstMiss } from '../acquisition/worst-miss.ts';
import { isSpent, type Work } from '../numerics/work.ts';
import type { Box } from '../space/search-space.ts';
import { climb } from './box-newton.ts';

/** Temperatures, in tolerances: from a share of the worst miss of the start down to the finest, each so many times the one before. */
const FIRST_SHARE = 0.3;
const COOLING = 0.1;
const FINEST = 1e-3;
const STEPS_PER_TEMPERATURE = 10;

/** A point where the worst miss is least nearby. */
export interface LeastMiss {
  /** Features. */
  readonly u: Float64Array;
  /** Signed, in tolerances. */
  readonly worst: number;
}

/** Random points that are compared, and how many of them are worth a climb. */
const DRAWN = { compared: 40, climbed: 2 };

/** The points of a random sample where the worst miss is least. */
export function bestDrawn(aim: WorstMiss, draw: () => Float64Array): Float64Array[] {
  const drawn = Array.from({ length: DRAWN.compared }, () => {
    const u = draw().slice();
    aim.evaluate(u);
    return { u, worst: aim.worst };
  });
  drawn.sort((a, b) => a.worst - b.worst);
  return drawn.slice(0, DRAWN.climbed).map(({ u }) => u);
}

/**
 * Finds where the worst miss that the models expect is least, climbing from each start (features) while the maximum
 * gets less smooth; the least first.
 *
 * @param enough a worst miss that ends the search
 */
export function leastMisses(
  aim: WorstMiss,
  box: Box,
  starts: Iterable<Float64Array>,
  work: Work,
  enough = Number.NEGATIVE_INFINITY,
): LeastMiss[] {
  const found: LeastMiss[] = [];
  for (const start of starts) {
    const u = start.slice();
    if (!isSpent(work, 0.9)) cool(aim, box, u, work, enough);
    aim.evaluate(u);
    found.push({ u, worst: aim.worst });
    if (aim.worst <= enough) break;
  }
  return found.sort((a, b) => a.worst - b.worst);
}

function cool(aim: WorstMiss, box: Box, u: Float64Array, work: Work, enough: number): void {
  aim.evaluate(u);
  let temperature = Math.max(1, Math.abs(aim.worst)) * FIRST_SHARE;
  while (aim.worst > enough) {
    aim.temperature = Math.max(FINEST, temperature);
    climb(aim, u, null, box, STEPS_PER_TEMPERATURE, work);
    if (temperature <= FINEST || isSpent(work, 1)) return;
    temperature *= COOLING;
    aim.evaluate(u);
  }
}
