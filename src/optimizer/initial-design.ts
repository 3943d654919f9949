import { makeRandom, type RandomStream } from './numerics/random.ts';
import type { DesignRequest } from './problem.ts';
import { firstUnseen, makeSeen } from './search/seen.ts';
import { type Coding, decode, levelCount, makeCoding, movableCount } from './space.ts';

/** Largest coordinate of a designed point in encoded units; 0.6 and 0.8 were worse. */
const RADIUS = 0.4;
const RETRIES = 20;
/** Most designed cases unless more are asked for. */
const MOST_CASES = 8;
/**
 * Part of a random direction that has to be new, relative to the part expected: a point next to an earlier one is a
 * wasted run.
 */
const NEW_SHARE = 0.5;

/**
 * The designed cases of a new project: the centre of the box, then nearly orthogonal directions around it.
 *
 * @returns count x n, natural units, no two alike; fewer than asked when a finite space has fewer points
 */
export function initialDesign(request: DesignRequest): { count: number; X: Float64Array } {
  const coding = makeCoding(request.space);
  const wanted = Math.min(coding.size, caseCount(coding, request));
  const { n } = coding;
  const X = new Float64Array(wanted * n);
  const random = makeRandom(request.seed, 1);
  const u = new Float64Array(coding.p);
  const x = new Float64Array(n);
  const directions: Float64Array[] = [];
  let count = 0;
  while (count < wanted) {
    const seen = makeSeen(coding, X, count);
    let found = false;
    for (let attempt = 0; attempt < RETRIES && !found; attempt++) {
      if (count > 0) place(coding, random, directions, count, u);
      decode(coding, u, x);
      if (count === 0) centre(coding, x);
      found = !seen.has(x);
    }
    const input = found ? x : firstUnseen(coding, seen);
    if (input === null) break;
    X.set(input, count * n);
    count++;
  }
  return { count, X: X.slice(0, count * n) };
}

/**
 * About half of n, and no more than m + 2 when the number of outputs is known: the suggestions that follow are worth
 * more than designed points.
 */
function caseCount(coding: Coding, { caseCount: asked, outputCount }: DesignRequest): number {
  if (asked !== null) return Math.max(1, asked);
  const n = movableCount(coding);
  const few = Math.min(Math.ceil(n / 2) + 1, MOST_CASES);
  return outputCount === null ? few : Math.min(few, outputCount + 2);
}

/** The middle of the box; categories and booleans at their first level. */
function centre({ variables, discrete }: Coding, x: Float64Array): void {
  variables.forEach(({ kind, minimum, maximum }, v) => {
    if (kind === 'category' || kind === 'boolean') x[v] = minimum;
    else if (discrete[v] === 1) x[v] = Math.ceil(minimum) + ((levelCount(variables[v]!) - 1) >> 1);
    else x[v] = minimum === maximum ? minimum : minimum / 2 + maximum / 2;
  });
}

/** Fills u with the next direction: random signs, magnitudes 0.75 to 1.25, orthogonal to the earlier ones. */
function place(coding: Coding, random: RandomStream, directions: Float64Array[], index: number, u: Float64Array): void {
  const { n, p, first } = coding;
  const direction = new Float64Array(n);
  for (let attempt = 0; attempt < RETRIES; attempt++) {
    for (let v = 0; v < n; v++) {
      direction[v] = coding.movable[v] === 0 ? 0 : (random.uniform() < 0.5 ? -1 : 1) * (0.75 + 0.5 * random.uniform());
    }
    if (orthogonalize(direction, directions, movableCount(coding))) break;
  }
  let largest = 0;
  for (const value of direction) largest = Math.max(largest, Math.abs(value));
  for (let v = 0; v < n; v++) {
    const share = largest > 0 ? direction[v]! / largest : 0;
    const from = first[v]!;
    const width = first[v + 1]! - from;
    if (coding.movable[v] === 0) u[from] = 0;
    else if (coding.variables[v]!.kind === 'category' && width > 1) {
      const level = (index + random.below(2)) % width;
      for (let f = 0; f < width; f++) u[from + f] = f === level ? 1 : 0;
    } else if (coding.discrete[v] === 1 && levelCount(coding.variables[v]!) === 2) u[from] = share < 0 ? -1 : 1;
    else u[from] = RADIUS * share;
  }
  if (p > 0 && directions.length < n) directions.push(normalized(direction));
}

/** Gram-Schmidt in n dimensions; false, and nothing changed, for a direction that the earlier ones nearly span. */
function orthogonalize(direction: Float64Array, directions: readonly Float64Array[], n: number): boolean {
  if (directions.length >= n) return true;
  const original = direction.slice();
  for (const other of directions) {
    let along = 0;
    for (let v = 0; v < direction.length; v++) along += direction[v]! * other[v]!;
    for (let v = 0; v < direction.length; v++) direction[v]! -= along * other[v]!;
  }
  const norm = (a: Float64Array) => Math.sqrt(a.reduce((sum, value) => sum + value * value, 0));
  if (norm(direction) >= NEW_SHARE * Math.sqrt(1 - directions.length / n) * norm(original)) return true;
  direction.set(original);
  return false;
}

function normalized(direction: Float64Array): Float64Array {
  const norm = Math.sqrt(direction.reduce((sum, value) => sum + value * value, 0)) || 1;
  return direction.map((value) => value / norm);
}
