import { type Conditions, makeConditions } from './constraints/conditions.ts';
import { type Encoding, makeEncoding } from './encoding.ts';
import { makeRandom } from './numerics/random.ts';
import type { Space } from './problem.ts';

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
  const encoding = makeEncoding(space);
  const { conditions: given = [], feasibleInput } = space;
  if (given.length === 0) return { encoding, conditions: null, size: encoding.size };
  const feasible = feasibleInput === undefined ? null : Float64Array.from(feasibleInput);
  const made = makeConditions(encoding, given, makeRandom(seed, 7), feasible);
  if (made.kind !== 'conditions') throw new RangeError(`The conditions leave no input: ${made.kind}.`);
  return { encoding, conditions: made.conditions, size: made.conditions.countAdmissible() };
}
