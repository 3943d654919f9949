import type { Acquisition } from '../acquisition/acquisition.ts';
import type { RandomStream } from '../numerics/random.ts';
import { isSpent, type Work } from '../numerics/work.ts';
import { type Coding, decode, encode, snap } from '../space.ts';
import { type Box, climb, holdDiscrete, randomIn } from './box-newton.ts';
import { neighboursOf } from './discrete.ts';
import type { Seen } from './seen.ts';

const RANDOM_STARTS = 100;
const BEST_RANDOM = 5;
const BEST_EVALUATED = 3;
const MEDIAN_POINTS = 30;
const NEWTON_STEPS = 25;
/** Steps of the second phase for every summit, and the number of summits that then go on. */
const TRIAL_STEPS = 6;
const FINALISTS = 3;
const NEWTON_STEPS_DISCRETE = 6;
const DISCRETE_ROUNDS = 4;
const SAME = 1e-6;

export interface Search {
  readonly coding: Coding;
  readonly acquisition: Acquisition;
  /** Spreads predicted by the model behind the acquisition, length m, filled by `evaluate`. */
  readonly sigma: Float64Array;
  readonly box: Box;
  readonly seen: Seen;
  /** Features of evaluated points to start from, the best first. */
  readonly evaluated: readonly Float64Array[];
  readonly random: RandomStream;
  readonly work: Work;
}

export interface Found {
  /** Length n, natural units. */
  readonly x: Float64Array;
  readonly value: number;
  /** Summands of the acquisition there, length m. */
  readonly terms: Float64Array;
}

/** What a search met: the best input not evaluated before, and the best at all. */
interface Record {
  unseen: Found | null;
  any: Found | null;
}

/**
 * The unseen admissible input with the largest acquisition that the starts lead to; null when all of them lead to
 * evaluated inputs.
 *
 * Two phases per start, indispensable (13.5 -> 12.3 runs): first with the spreads frozen at their medians, which
 * makes a wide basin, then with the spreads predicted at each point. A second phase from evaluated points, where the
 * spread vanishes, stalls. After a few steps of the second phase only the best few summits go on: that halves the cost
 * of a search, and runs stay as they are (with two finalists after four steps a multimodal problem was lost). Inputs with
 * discrete variables need them all: rounding changes their order.
 */
export function maximizeAcquisition(search: Search): Found | null {
  const { coding, acquisition, box, work } = search;
  const frozen = medianSpreads(search);
  const best: Record = { unseen: null, any: null };
  const summits: Float64Array[] = [];
  for (const start of startPoints(search, frozen)) {
    climb(acquisition, start, frozen, box, NEWTON_STEPS, work);
    if (!summits.some((one) => isSame(one, start))) summits.push(start);
    if (isSpent(work, 0.9)) break;
  }
  const climbed = summits.map((u) => ({ u, value: climb(acquisition, u, null, box, TRIAL_STEPS, work) }));
  climbed.sort((a, b) => b.value - a.value);
  const isDiscrete = coding.discrete.includes(1);
  climbed.forEach(({ u }, rank) => {
    if (isDiscrete || rank < FINALISTS) climb(acquisition, u, null, box, NEWTON_STEPS - TRIAL_STEPS, work);
    settle(search, u, best);
  });
  if (isDiscrete && best.any) polish(search, best, best.any);
  return best.unseen;
}

/** True when two starts have reached the same summit, from where the second phase would go the same way. */
function isSame(a: Float64Array, b: Float64Array): boolean {
  return a.every((value, f) => Math.abs(value - b[f]!) < SAME);
}

/** Per output the median spread over random points of the box, at least the floor that its interval allows. */
function medianSpreads(search: Search): Float64Array {
  const { acquisition, sigma } = search;
  const samples = Array.from({ length: acquisition.m }, () => new Float64Array(MEDIAN_POINTS));
  for (let k = 0; k < MEDIAN_POINTS; k++) {
    acquisition.evaluate(randomIn(search.box, search.random), null, false);
    for (let j = 0; j < acquisition.m; j++) samples[j]![k] = sigma[j]!;
  }
  return Float64Array.from(samples, (one, j) => Math.max(one.sort()[MEDIAN_POINTS >> 1]!, acquisition.frozenFloor[j]!));
}

function startPoints(search: Search, frozen: Float64Array): Float64Array[] {
  const random: { u: Float64Array; value: number }[] = [];
  for (let k = 0; k < RANDOM_STARTS && !isSpent(search.work, 0.8); k++) {
    const u = randomIn(search.box, search.random);
    random.push({ u, value: search.acquisition.evaluate(u, frozen, false) });
  }
  random.sort((a, b) => b.value - a.value);
  const near = search.evaluated.slice(0, BEST_EVALUATED).map((u) => u.slice());
  return [...near, ...random.slice(0, BEST_RANDOM).map((one) => one.u)];
}

/** Decodes u and enters it as a candidate unless it was evaluated; with discrete variables the floats adapt first. */
function settle(search: Search, u: Float64Array, best: Record): number {
  const { coding, acquisition, seen, work } = search;
  const x = new Float64Array(coding.n);
  snap(coding, u, x);
  if (coding.discrete.includes(1)) {
    climb(acquisition, u, null, holdDiscrete(coding, search.box, u), NEWTON_STEPS_DISCRETE, work);
    snap(coding, u, x);
  }
  const value = acquisition.evaluate(u, null, false);
  const isBetter = (other: Found | null) => value > (other?.value ?? Number.NEGATIVE_INFINITY);
  const terms = acquisition.terms.slice();
  if (isBetter(best.any)) best.any = { x, value, terms };
  if (isBetter(best.unseen) && !seen.has(x)) best.unseen = { x, value, terms };
  return value;
}

/** Coordinate search over the discrete variables from the best candidate. */
function polish(search: Search, best: Record, start: Found): void {
  const { coding, box, work } = search;
  let current = { x: start.x, value: start.value };
  for (let round = 0; round < DISCRETE_ROUNDS && !isSpent(work, 1); round++) {
    let next: { x: Float64Array; value: number } | null = null;
    for (const x of neighboursOf(coding, current.x)) {
      const u = new Float64Array(coding.p);
      encode(coding, x, 0, u, 0);
      if (!isInside(coding, box, u)) continue;
      const value = settle(search, u, best);
      if (value > (next?.value ?? current.value)) {
        const reached = new Float64Array(coding.n);
        decode(coding, u, reached);
        next = { x: reached, value };
      }
      if (isSpent(work, 1)) break;
    }
    if (next === null) break;
    current = next;
  }
}

/** True when the discrete features of u lie in the box, which in local mode is smaller than the space. */
function isInside(coding: Coding, box: Box, u: Float64Array): boolean {
  for (let f = 0; f < coding.p; f++) {
    if (coding.discrete[coding.owner[f]!] === 0) continue;
    if (u[f]! < box.lower[f]! - 1e-9 || u[f]! > box.upper[f]! + 1e-9) return false;
  }
  return true;
}
