import { type Conditions, makeConditions } from './constraints/conditions.ts';
import { type Encoding, makeEncoding } from './encoding.ts';
import { makeRandom } from './numerics/random.ts';
import type { RegionReport, Space } from './problem.ts';

/** The inputs that may be designed and suggested: the encoded bounds, and what the conditions leave of them. */
export interface SearchSpace {
  readonly encoding: Encoding;
  /** null without conditions. */
  readonly conditions: Conditions | null;
  /** Number of admissible inputs; Infinity where they are not finite or too many to count. */
  readonly size: number;
}

/** Throws RangeError for bounds that are not finite or out of order and for conditions that leave no input. */
export function makeSearchSpace(space: Space, seed: number): SearchSpace {
  const made = tryMakeSearchSpace(space, seed);
  if ('kind' in made) throw new RangeError(`The conditions leave no input: ${made.kind}.`);
  return made;
}

/** The same, but why the conditions leave no input is an answer. @param forDesign see `makeEncoding` */
export function tryMakeSearchSpace(space: Space, seed: number, forDesign = false): SearchSpace | EmptyRegion {
  const encoding = makeEncoding(space, forDesign);
  const { conditions: given = [], feasibleInput } = space;
  if (given.length === 0) return { encoding, conditions: null, size: encoding.size };
  const feasible = feasibleInput === undefined ? null : Float64Array.from(feasibleInput);
  const made = makeConditions(encoding, given, makeRandom(seed, 7), feasible);
  if (made.kind !== 'conditions') return made;
  return { encoding, conditions: made.conditions, size: made.conditions.countAdmissible() };
}

type EmptyRegion = Exclude<RegionReport, { readonly kind: 'open' }>;
