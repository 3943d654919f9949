import type { Acquisition } from '../acquisition/acquisition.ts';
import type { RandomStream } from '../numerics/random.ts';
import { isSpent, type Work } from '../numerics/work.ts';
import { type Coding, encode, snap } from '../space.ts';
import { type Box, climb } from './box-newton.ts';
import { neighboursOf, pairNeighboursOf } from './discrete.ts';
import type { Seen } from './seen.ts';

const RANDOM_STARTS = 100;
const MEDIAN_POINTS = 30;
const NEWTON_STEPS = 25;
/** Steps of the second phase for every summit, before most of them are left behind. */
const TRIAL_STEPS = 6;
/**
 * Best random points and best evaluated ones to start from, and the summits that go on after the trial steps. With fewer
 * in general a multimodal problem was lost; once many outputs have models of their own for many cases, where an evaluation costs most,
 * the runs of no problem changed.
 */
const EFFORT = {
  full: { random: 5, evaluated: 3, finalists: 3 },
  dear: { random: 3, evaluated: 1, finalists: 2 },
};
const NEWTON_STEPS_DISCRETE = 6;
const DISCRETE_ROUNDS = 8;
/**
 * Settled summits from which the discrete variables are searched, and changes of two of them that are tried. Without
 * floats that have to adapt a trial is cheap.
 */
const POLISH = { withFloats: { starts: 3, pairs: 60 }, withoutFloats: { starts: 5, pairs: 200 } };
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
  /** Whether one evaluation costs so much that fewer starts have to do. */
  readonly isDear: boolean;
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

/** The best input met that was not evaluated before. */
interface Record {
  unseen: Found | null;
}

/**
 * The unseen admissible input with the largest acquisition that the starts lead to; null when all of them lead to
 * evaluated inputs.
 *
 * Two phases per start, indispensable (13.5 -> 12.3 runs): first with the spreads frozen at their medians, which
 * makes a wide basin, then with the spreads predicted at each point. A second phase from evaluated points, where the
 * spread vanishes, stalls. After a few steps of the second phase only the best few summits go on: that halves the cost
 * of a search, and runs stay as they are. Inputs with discrete variables need them all: rounding changes their order.
 */
export function maximizeAcquisition(search: Search): Found | null {
  const { coding, acquisition, box, work } = search;
  const frozen = medianSpreads(search);
  const best: Record = { unseen: null };
  const summits: Float64Array[] = [];
  for (const start of startPoints(search, frozen)) {
    climb(acquisition, start, frozen, box, NEWTON_STEPS, work);
    if (!summits.some((one) => isSame(one, start))) summits.push(start);
    if (isSpent(work, 0.9)) break;
  }
  const climbed = summits.map((u) => ({ u, value: climb(acquisition, u, null, box, TRIAL_STEPS, work) }));
  climbed.sort((a, b) => b.value - a.value);
  const isDiscrete = coding.discrete.includes(1);
  const settled = climbed.map(({ u }, rank) => {
    if (isDiscrete || rank < effortOf(search).finalists)
      climb(acquisition, u, null, box, NEWTON_STEPS - TRIAL_STEPS, work);
    return settle(search, u, best);
  });
  if (isDiscrete) {
    settled.sort((a, b) => b.value - a.value);
    const starts = settled.filter((one, i) => settled.findIndex((other) => isSameChoice(coding, one.x, other.x)) === i);
    const { withFloats, withoutFloats } = POLISH;
    const effort = coding.discrete.every((one, v) => one === 1 || coding.movable[v] === 0) ? withoutFloats : withFloats;
    for (const start of starts.slice(0, effort.starts)) polish(search, best, start, effort.pairs);
  }
  return best.unseen;
}

/** True when two starts have reached the same summit, from where the second phase would go the same way. */
function isSame(a: Float64Array, b: Float64Array): boolean {
  return a.every((value, f) => Math.abs(value - b[f]!) < SAME);
}

function randomIn({ box, random, coding }: Search): Float64Array {
  const u = new Float64Array(coding.p);
  for (let f = 0; f < u.length; f++) u[f] = box.lower[f]! + random.uniform() * (box.upper[f]! - box.lower[f]!);
  return u;
}

/** Per output the median spread over random points of the box, at least the floor that its interval allows. */
function medianSpreads(search: Search): Float64Array {
  const { acquisition, sigma } = search;
  const samples = Array.from({ length: acquisition.m }, () => new Float64Array(MEDIAN_POINTS));
  for (let k = 0; k < MEDIAN_POINTS; k++) {
    acquisition.evaluate(randomIn(search), null, false);
    for (let j = 0; j < acquisition.m; j++) samples[j]![k] = sigma[j]!;
  }
  return Float64Array.from(samples, (one, j) => Math.max(one.sort()[MEDIAN_POINTS >> 1]!, acquisition.frozenFloor[j]!));
}

function effortOf({ isDear }: Search): (typeof EFFORT)['full'] {
  return isDear ? EFFORT.dear : EFFORT.full;
}

function startPoints(search: Search, frozen: Float64Array): Float64Array[] {
  const random: { u: Float64Array; value: number }[] = [];
  for (let k = 0; k < RANDOM_STARTS && !isSpent(search.work, 0.8); k++) {
    const u = randomIn(search);
    random.push({ u, value: search.acquisition.evaluate(u, frozen, false) });
  }
  random.sort((a, b) => b.value - a.value);
  const effort = effortOf(search);
  const near = search.evaluated.slice(0, effort.evaluated).map((u) => u.slice());
  return [...near, ...random.slice(0, effort.random).map((one) => one.u)];
}

/** Decodes u and enters it as a candidate unless it was evaluated; with discrete variables the floats adapt first. */
function settle(search: Search, u: Float64Array, best: Record): Found {
  const { coding, acquisition, seen, work } = search;
  const x = new Float64Array(coding.n);
  snap(coding, u, x);
  if (coding.discrete.includes(1)) {
    climb(acquisition, u, null, holdDiscrete(search, u), NEWTON_STEPS_DISCRETE, work);
    snap(coding, u, x);
  }
  const value = acquisition.evaluate(u, null, false);
  const isBetter = (other: Found | null) => value > (other?.value ?? Number.NEGATIVE_INFINITY);
  const terms = acquisition.terms.slice();
  const found = { x, value, terms };
  if (isBetter(best.unseen) && !seen.has(x)) best.unseen = found;
  return found;
}

/** The box with every discrete feature held at u. */
function holdDiscrete({ coding, box }: Search, u: Float64Array): Box {
  const lower = box.lower.slice();
  const upper = box.upper.slice();
  for (let f = 0; f < coding.p; f++) {
    if (coding.discrete[coding.owner[f]!] === 1) lower[f] = upper[f] = u[f]!;
  }
  return { lower, upper };
}

/** True when the discrete variables of two inputs agree. */
function isSameChoice({ discrete }: Coding, a: Float64Array, b: Float64Array): boolean {
  return a.every((value, v) => discrete[v] === 0 || value === b[v]);
}

/** Ascends over the discrete variables: one of them changes at a time or, where no such change is better, two. */
function polish(search: Search, best: Record, start: Found, pairs: number): void {
  const { coding, random, work } = search;
  let current = start;
  for (let round = 0; round < DISCRETE_ROUNDS && !isSpent(work, 1); round++) {
    const next =
      bestNeighbour(search, best, current, neighboursOf(coding, current.x)) ??
      bestNeighbour(search, best, current, pairNeighboursOf(coding, current.x, pairs, random));
    if (next === null) break;
    current = next;
  }
}

/** The best of the inputs once their floats have adapted; null when none is better than the current one. */
function bestNeighbour(search: Search, best: Record, current: Found, neighbours: Float64Array[]): Found | null {
  const { coding, box, work } = search;
  let next: Found | null = null;
  for (const x of neighbours) {
    if (isSpent(work, 1)) break;
    const u = new Float64Array(coding.p);
    encode(coding, x, 0, u, 0);
    if (!isInside(coding, box, u)) continue;
    const found = settle(search, u, best);
    if (found.value > (next ?? current).value) next = found;
  }
  return next;
}

/** True when the discrete features of u lie in the box, which in local mode is smaller than the space. */
function isInside(coding: Coding, box: Box, u: Float64Array): boolean {
  for (let f = 0; f < coding.p; f++) {
    if (coding.discrete[coding.owner[f]!] === 0) continue;
    if (u[f]! < box.lower[f]! - 1e-9 || u[f]! > box.upper[f]! + 1e-9) return false;
  }
  return true;
}
