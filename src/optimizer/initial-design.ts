import type { Conditions } from './constraints/conditions.ts';
import type { Design, DesignRequest, RegionReport, Space } from './interface/problem.ts';
import { joined, squareBetween, squareToNearest } from './linalg/dense.ts';
import { makeRandom, type RandomStream } from './numerics/random.ts';
import { Meter, OutOfWork } from './numerics/work.ts';
import {
  decode,
  type Encoding,
  encode,
  everyInput,
  featuresOf,
  levelAt,
  levelCount,
  likelyBox,
  makeEncoding,
  movableCount,
  nearestLevel,
} from './space/encoding.ts';
import { type SearchSpace, tryMakeDesignSpace } from './space/search-space.ts';
import { drawUnseen, firstUnseen, makeSeen } from './space/seen.ts';

/** Largest feature of a designed number; 0.6 and 0.8 were worse. */
const RADIUS = 0.4;
const RETRIES = 20;
/** Walked points to choose from under conditions. */
const WALKED = 400;
/** Walked points per further case, and moves between two of them, once those to choose from are used up. */
const FURTHER_TRIES = 4;
const FURTHER_MOVES = 6;
/** Random inputs of which the one farthest from all failed ones continues a design: the farthest of many are corners, which fail most. */
const CONTINUED_TRIES = 8;
/** Square of the distance up to which two points are one. */
const SAME_POINT = 1e-18;
/** Largest number of designed cases unless the client asks for more. */
const MAX_CASES = 8;
/**
 * Share of a random direction that must be orthogonal to the earlier ones, relative to the expected share: a point beside
 * an earlier one is a wasted run.
 */
const ORTHOGONAL_SHARE = 0.5;

/**
 * The designed cases of a new project: the centre of the box, then points around it in nearly orthogonal directions. The box
 * is that of the likely ranges; of two cases or more the last looks out of them, since from wrong ranges alone the models
 * follow the slope that they see there into the wrong half of the bounds.
 *
 * With `failed` ones, the cases that continue their design.
 *
 * @returns X (count x n, natural units), no two rows equal; fewer than asked for when the space has fewer points, none when
 * its conditions leave none or take more work than the limit. Throws RangeError for bounds that are not finite or out of order.
 */
export function initialDesign(request: DesignRequest): Design {
  try {
    const meter = new Meter(request.workLimit);
    return request.failed === undefined ? designOf(request, meter) : continuedDesign(request, request.failed, meter);
  } catch (error) {
    if (error instanceof OutOfWork) return noDesign({ kind: 'out-of-work' });
    throw error;
  }
}

function noDesign(region: RegionReport): Design {
  return { count: 0, X: new Float64Array(0), region };
}

function designOf(request: DesignRequest, meter: Meter): Design {
  const space = tryMakeDesignSpace(request.space, request.seed, meter);
  if ('kind' in space) return noDesign(space);
  const { encoding, conditions } = space;
  const wanted = space.countUpTo(caseCount(encoding, request));
  if (conditions !== null) return designWithin(space, conditions, wanted, request.seed);
  const { n } = encoding;
  const X = new Float64Array(wanted * n);
  const random = makeRandom(request.seed, 1);
  const u = new Float64Array(encoding.p);
  const x = new Float64Array(n);
  const directions: Float64Array[] = [];
  let count = 0;
  while (count < wanted) {
    const seen = makeSeen(space, X, count);
    let found = false;
    for (let attempt = 0; attempt < RETRIES && !found; attempt++) {
      if (count > 0) drawPoint(encoding, random, directions, count, u);
      decode(encoding, u, x);
      if (count === 0) centre(encoding, x);
      else if (count === wanted - 1 && attempt === 0) lookOutOfLikely(encoding, request.space, x);
      found = !seen.has(x);
    }
    const input = found ? x : firstUnseen(space, seen);
    if (input === null) break;
    X.set(input, count * n);
    count++;
  }
  return { count, X: X.slice(0, count * n) };
}

/** Further cases after `failed` ones (k x n), whatever ranges are likely: each lies far from all before it. */
function continuedDesign(request: DesignRequest, failed: Float64Array, meter: Meter): Design {
  const variables = request.space.variables.map(({ likely: _, ...variable }) => variable);
  const space = tryMakeDesignSpace({ ...request.space, variables }, request.seed, meter);
  if ('kind' in space) return noDesign(space);
  const { encoding, conditions } = space;
  const { n, p } = encoding;
  const first = failed.length / n;
  const count = caseCount(encoding, request);
  const X = joined(failed, new Float64Array(count * n));
  const random = makeRandom(request.seed, 1, first);
  const [x, u] = [new Float64Array(n), new Float64Array(p)];
  const U = new Float64Array((first + count) * p);
  for (let i = 0; i < first; i++) encode(encoding, X, i * n, U, i * p);
  let filled = first;
  for (; filled < first + count; filled++) {
    const seen = makeSeen(space, X, filled);
    let apart = -1;
    for (let attempt = 0; attempt < CONTINUED_TRIES; attempt++) {
      const found = drawUnseen(space, seen, random, x, u) ? x : firstUnseen(space, seen);
      if (found === null) break;
      const input = conditions?.settled(found) ?? found;
      const distance = squareToNearest(featuresOf(encoding, input), U.subarray(0, filled * p));
      if (distance <= apart) continue;
      apart = distance;
      X.set(input, filled * n);
    }
    if (apart < 0) break;
    encode(encoding, X, filled * n, U, filled * p);
  }
  return { count: filled - first, X: X.slice(first * n, filled * n) };
}

/**
 * The design under conditions: the admissible point nearest to the middle of the region, then, of some walked points pulled
 * half way to it, always the one farthest from those chosen. Source: Kennard and Stone, Computer aided design of
 * experiments, Technometrics 11 (1969), for the choice.
 */
function designWithin({ encoding }: SearchSpace, conditions: Conditions, wanted: number, seed: number): Design {
  const { n } = encoding;
  const random = makeRandom(seed, 1);
  const within = conditions.within(likelyBox(encoding), random) ?? conditions;
  const { middle } = within.region;
  const first = within.admissibleNear(middle, random);
  // One case alone is that in the middle, and whoever asks for it asks whether there is any.
  const drawn = wanted === 1 && first !== null ? 0 : Math.max(WALKED, 2 * Math.min(wanted, WALKED));
  const candidates = within.draw(drawn, random).flatMap((u) => {
    const pulled = within.admissibleNear(
      u.map((value, f) => (value + middle[f]!) / 2),
      random,
    );
    return pulled === null ? [u] : [pulled, u];
  });
  const chosen: Float64Array[] = [];
  const X: number[] = [];
  const distance = new Float64Array(candidates.length).fill(Number.POSITIVE_INFINITY);
  for (let next = first ?? candidates[0]; next !== undefined && chosen.length < wanted; ) {
    chosen.push(next);
    const x = new Float64Array(n);
    decode(encoding, next, x);
    X.push(...conditions.settled(x));
    let farthest = -1;
    for (const [k, u] of candidates.entries()) {
      distance[k] = Math.min(distance[k]!, squareBetween(u, next));
      if (distance[k] > (farthest < 0 ? SAME_POINT : distance[farthest]!)) farthest = k;
    }
    next = candidates[farthest];
  }
  const count = X.length / n;
  for (const x of furtherInputs(encoding, within, new Set(rowsOf(X, n)), wanted - count, random)) X.push(...x);
  return { count: X.length / n, X: Float64Array.from(X), region: conditions.report(random) };
}

function rowsOf(X: readonly number[], n: number): string[] {
  return Array.from({ length: X.length / n }, (_, i) => X.slice(i * n, (i + 1) * n).join());
}

/** At most `count` further admissible inputs, all different: walked ones, then all others of a small finite space in turn. */
function* furtherInputs(
  encoding: Encoding,
  conditions: Conditions,
  known: Set<string>,
  count: number,
  random: RandomStream,
): Generator<Float64Array, void> {
  const isNew = (x: Float64Array) => !known.has(x.join()) && known.add(x.join()) !== undefined;
  let left = count;
  const decoded = new Float64Array(encoding.n);
  for (const u of conditions.points(FURTHER_TRIES * count, random, FURTHER_MOVES)) {
    if (left === 0) return;
    decode(encoding, u, decoded);
    const x = conditions.settled(decoded);
    if (!isNew(x)) continue;
    left--;
    yield x;
  }
  if (!conditions.isCounted) return;
  for (const one of everyInput(encoding)) {
    if (left === 0) return;
    if (!conditions.admits(one) || !isNew(one)) continue;
    left--;
    yield one;
  }
}

/**
 * About n / 2, and at most m + 2 when the number of outputs m is known: the suggestions that follow are worth more than
 * designed points. Points that are evaluated beside others take no time, so there are at least as many as fill one round.
 */
function caseCount(encoding: Encoding, { caseCount: asked, outputCount, atOnce = 1 }: DesignRequest): number {
  if (asked !== null) return Math.max(1, asked);
  const n = movableCount(encoding);
  const few = Math.min(Math.ceil(n / 2) + 1, MAX_CASES);
  return Math.max(atOnce, outputCount === null ? few : Math.min(few, outputCount + 2));
}

/** The middle of the box; categories and booleans at their first level. */
function centre(encoding: Encoding, x: Float64Array): void {
  for (let v = 0; v < encoding.n; v++) x[v] = middleOf(encoding, v);
}

function middleOf({ variables, discrete, logarithmic, scales }: Encoding, v: number): number {
  const variable = variables[v]!;
  const { kind, fixedAt, likely } = variable;
  const { minimum, maximum } = scales[v]!;
  if (fixedAt !== undefined) return fixedAt;
  if (kind === 'category' || kind === 'boolean') return minimum;
  if (discrete[v] === 1) {
    const half = likely ? nearestLevel(variable, (minimum + maximum) / 2) : (levelCount(variable) - 1) >> 1;
    return levelAt(variable, half);
  }
  if (logarithmic[v] === 1) return Math.sqrt(minimum) * Math.sqrt(maximum);
  return minimum === maximum ? minimum : minimum / 2 + maximum / 2;
}

/** Moves the inputs that have likely ranges to the middle of their bounds. */
function lookOutOfLikely(encoding: Encoding, space: Space, x: Float64Array): void {
  const bounds = makeEncoding(space);
  space.variables.forEach(({ likely }, v) => {
    if (likely !== undefined && encoding.movable[v] === 1) x[v] = middleOf(bounds, v);
  });
}

/** Fills u with point `index` of the design: a new direction for the numbers, signs for booleans, cycling categories. */
function drawPoint(
  encoding: Encoding,
  random: RandomStream,
  directions: Float64Array[],
  index: number,
  u: Float64Array,
): void {
  const { n, p, first } = encoding;
  const direction = drawDirection(encoding, random, directions);
  let largest = 0;
  for (const value of direction) largest = Math.max(largest, Math.abs(value));
  for (let v = 0; v < n; v++) {
    const share = largest > 0 ? direction[v]! / largest : 0;
    const from = first[v]!;
    const width = first[v + 1]! - from;
    if (encoding.movable[v] === 0) u[from] = 0;
    else if (encoding.variables[v]!.kind === 'category' && width > 1) {
      const level = (index + random.below(2)) % width;
      for (let f = 0; f < width; f++) u[from + f] = f === level ? 1 : 0;
    } else if (encoding.discrete[v] === 1 && levelCount(encoding.variables[v]!) === 2) u[from] = share < 0 ? -1 : 1;
    else u[from] = RADIUS * share;
  }
  if (p > 0 && directions.length < n) directions.push(normalized(direction));
}

/** A direction (length n) of random signs and magnitudes 0.75 to 1.25, made orthogonal to the earlier ones. */
function drawDirection(encoding: Encoding, random: RandomStream, directions: readonly Float64Array[]): Float64Array {
  const { n, movable } = encoding;
  const direction = new Float64Array(n);
  for (let attempt = 0; attempt < RETRIES; attempt++) {
    for (let v = 0; v < n; v++) {
      direction[v] = movable[v] === 0 ? 0 : (random.uniform() < 0.5 ? -1 : 1) * (0.75 + 0.5 * random.uniform());
    }
    if (orthogonalize(direction, directions, movableCount(encoding))) break;
  }
  return direction;
}

/**
 * Gram-Schmidt in place, with n movable variables. False, and the direction unchanged, when the earlier ones nearly span
 * it; with n earlier directions nothing is left to be orthogonal to.
 */
function orthogonalize(direction: Float64Array, directions: readonly Float64Array[], n: number): boolean {
  if (directions.length >= n) return true;
  const original = direction.slice();
  for (const other of directions) {
    let along = 0;
    for (let v = 0; v < direction.length; v++) along += direction[v]! * other[v]!;
    for (let v = 0; v < direction.length; v++) direction[v]! -= along * other[v]!;
  }
  const norm = (a: Float64Array) => Math.sqrt(a.reduce((sum, value) => sum + value * value, 0));
  if (norm(direction) >= ORTHOGONAL_SHARE * Math.sqrt(1 - directions.length / n) * norm(original)) return true;
  direction.set(original);
  return false;
}

function normalized(direction: Float64Array): Float64Array {
  const norm = Math.sqrt(direction.reduce((sum, value) => sum + value * value, 0)) || 1;
  return direction.map((value) => value / norm);
}
