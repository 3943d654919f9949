/** Random points of a region, uniform in the limit. */
import type { RandomStream } from '../numerics/random.ts';
import { rowTimes } from './general-rows.ts';
import { projectOnto, type Region, removeParts } from './region.ts';

/** The start of a walk, by default the middle, and a test of the points that it may enter, by default all of the region. */
export interface WalkOptions {
  readonly start: Float64Array;
  readonly isAdmissible: ((u: Float64Array) => boolean) | null;
  /** Moves from one point to the next; fewer give points that lie nearer to each other. */
  readonly moves: number;
}

/** Moves between points that are to be spread over the region. */
const SPREAD_MOVES = 20;

/** Times that a chord is shortened when it ends outside a curved condition; 2^-30 of it is no move at all. */
const SHORTENINGS = 30;

/** Faces that are tried, the last one that of all numbers at their bounds. */
const FACE_TRIES = 4;
/** Projections of a direction onto a face, and the least entry of one that is left. */
const FACE_ROUNDS = 20;
const NO_DIRECTION = 1e-6;

/** Approximate flops of a move per feature, per direction that is held, and per entry of the rows. */
const MOVE_FLOPS = 10;

/**
 * Points of the region that are uniform in the limit: hit-and-run along random directions that keep the equations. A move
 * that is not admissible shortens its chord towards the current point, as slice sampling does.
 *
 * Sources: Smith, Efficient Monte Carlo procedures for generating points uniformly distributed over bounded regions,
 * Operations Research 32 (1984), 1296-1308; Neal, Slice sampling, Annals of Statistics 31 (2003), figure 5.
 */
export function* walk(
  region: Region,
  random: RandomStream,
  options?: Partial<WalkOptions>,
): Generator<Float64Array, never> {
  const isAdmissible = options?.isAdmissible ?? null;
  const current = (options?.start ?? region.middle).slice();
  const direction = new Float64Array(region.n);
  const movesPerPoint = Math.min(region.n, options?.moves ?? SPREAD_MOVES);
  for (;;) {
    for (let move = 0; move < movesPerPoint; move++) hitAndRun(region, current, direction, random, isAdmissible);
    const projected = projectOnto(region, current);
    if (isAdmissible === null || isAdmissible(projected)) current.set(projected);
    yield current.slice();
  }
}

/** Moves u to a uniform admissible point of the chord through it along a random direction, which is written to `direction`. */
function hitAndRun(
  region: Region,
  u: Float64Array,
  direction: Float64Array,
  random: RandomStream,
  isAdmissible: ((u: Float64Array) => boolean) | null,
): void {
  for (let f = 0; f < region.n; f++) direction[f] = 2 * random.uniform() - 1;
  removeParts(direction, region.held);
  if (moveAlong(region, u, direction, random, isAdmissible) || isAdmissible === null) return;
  const { lower, upper } = region.program;
  const standing = [...u.keys()].filter((f) => lower[f]! < upper[f]! && (u[f] === lower[f] || u[f] === upper[f]));
  if (standing.length === 0) return;
  const whole = direction.slice();
  for (let attempt = 1; attempt <= FACE_TRIES; attempt++) {
    const kept = attempt === FACE_TRIES ? standing : standing.filter(() => random.uniform() < 0.5);
    direction.set(whole);
    if (kept.length === 0 || !keepAtBounds(region, kept, direction)) continue;
    if (moveAlong(region, u, direction, random, isAdmissible)) return;
  }
}

/**
 * Leaves features that stand at a bound out of a direction: a condition such as a product at most 0 may leave no point but in a face of
 * the box. False when nothing is left.
 */
function keepAtBounds({ held, n, meter }: Region, standing: readonly number[], direction: Float64Array): boolean {
  // Alternating projections: onto what the equations leave, and onto the face.
  for (let round = 0; round < FACE_ROUNDS; round++) {
    for (const f of standing) direction[f] = 0;
    removeParts(direction, held);
  }
  for (const f of standing) direction[f] = 0;
  meter.spend(MOVE_FLOPS * n * FACE_ROUNDS * (1 + held.length));
  return direction.some((along) => Math.abs(along) > NO_DIRECTION);
}

/** Whether u was moved to a uniform admissible point of the chord through it. */
function moveAlong(
  region: Region,
  u: Float64Array,
  direction: Float64Array,
  random: RandomStream,
  isAdmissible: ((u: Float64Array) => boolean) | null,
): boolean {
  const { n } = region;
  region.meter.spend(MOVE_FLOPS * (n * (1 + region.held.length) + region.program.rows.values.length));
  let [from, to] = chordOf(region, u, direction);
  if (!(to > from) || !Number.isFinite(to - from)) return false;
  const point = isAdmissible === null ? u : new Float64Array(n);
  for (let attempt = 0; attempt < SHORTENINGS; attempt++) {
    const t = from + random.uniform() * (to - from);
    for (let f = 0; f < n; f++) point[f] = u[f]! + t * direction[f]!;
    if (isAdmissible === null) return true;
    if (isAdmissible(point)) {
      u.set(point);
      return true;
    }
    if (t < 0) from = t;
    else to = t;
  }
  return false;
}

/** Distances that one can go from u along a direction and against it without breaking an inequality. */
function chordOf({ program }: Region, u: Float64Array, direction: Float64Array): [from: number, to: number] {
  const { lower, upper, rows } = program;
  let from = Number.NEGATIVE_INFINITY;
  let to = Number.POSITIVE_INFINITY;
  // A point that a rounding put outside is treated as one on the border.
  for (let f = 0; f < u.length; f++) {
    const along = direction[f]!;
    if (along === 0 || lower[f] === upper[f]) continue;
    const down = -Math.max(0, u[f]! - lower[f]!) / along;
    const up = Math.max(0, upper[f]! - u[f]!) / along;
    from = Math.max(from, along > 0 ? down : up);
    to = Math.min(to, along > 0 ? up : down);
  }
  for (let i = rows.equations; i < rows.count; i++) {
    const along = rowTimes(rows, i, direction);
    const end = -Math.max(0, rowTimes(rows, i, u) - rows.b[i]!) / along;
    if (along > 0) from = Math.max(from, end);
    else if (along < 0) to = Math.min(to, end);
  }
  return [from, to];
}
