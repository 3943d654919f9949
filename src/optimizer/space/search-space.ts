import { type Conditions, makeConditions } from '../constraints/conditions.ts';
import type { RegionReport, Space } from '../interface/problem.ts';
import { makeRandom } from '../numerics/random.ts';
import { Meter } from '../numerics/work.ts';
import { type Encoding, makeEncoding } from './encoding.ts';

/** The inputs that may be designed and suggested: the encoded bounds, and what the conditions leave of them. */
export interface SearchSpace {
  readonly encoding: Encoding;
  /** null without conditions. */
  readonly conditions: Conditions | null;
  /** False where the admissible inputs are not finite or too many to count. */
  readonly isCounted: boolean;
  /** Number of admissible inputs, counted up to `limit`; the limit itself where they are not counted. */
  countUpTo(limit: number): number;
}

/** Bounds of the features, length p each; equal where a feature is fixed. */
export interface Box {
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  /** Conditions that points of the box satisfy as well; null for none. */
  readonly conditions: Conditions | null;
}

/** Throws RangeError for bounds that are not finite or out of order and for conditions that leave no input. */
export function makeSearchSpace(space: Space, seed: number): SearchSpace {
  const made = makeSpace(space, seed, makeEncoding(space), new Meter());
  if ('kind' in made) throw new RangeError(`The conditions leave no input: ${made.kind}.`);
  return made;
}

/** The same for a design, but why the conditions leave no input is an answer. Throws OutOfWork past the limit of the meter. */
export function tryMakeDesignSpace(space: Space, seed: number, meter: Meter): SearchSpace | EmptyRegion {
  return makeSpace(space, seed, makeEncoding(space, true), meter);
}

function makeSpace(space: Space, seed: number, encoding: Encoding, meter: Meter): SearchSpace | EmptyRegion {
  const { conditions: given = [], feasibleInput } = space;
  if (given.length === 0) {
    const { size } = encoding;
    return {
      encoding,
      conditions: null,
      isCounted: Number.isFinite(size),
      countUpTo: (limit) => Math.min(size, limit),
    };
  }
  const feasible = feasibleInput === undefined ? null : Float64Array.from(feasibleInput);
  const made = makeConditions(encoding, given, makeRandom(seed, 7), feasible, meter);
  if (made.kind !== 'conditions') return made;
  const { conditions } = made;
  const { isCounted } = conditions;
  return { encoding, conditions, isCounted, countUpTo: (limit) => conditions.countUpTo(limit) };
}

type EmptyRegion = Exclude<RegionReport, { readonly kind: 'open' }>;
