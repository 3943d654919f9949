/** The point of a region nearest to another one whose discrete variables are whole. */

import { squareBetween } from '../linalg/dense.ts';
import { type Encoding, encodeNumber, levelAt, levelCount, nearestLevel } from '../space/encoding.ts';
import { projectHolding, type Region } from './region.ts';

/** Boxes of whole numbers that the search for the nearest whole point opens. */
const NODE_LIMIT = 400;
/** Approximate flops of a search for the value of a discrete variable next to a point. */
const LEVEL_FLOPS = 300;

interface Node {
  readonly u: Float64Array;
  readonly distance: number;
  readonly limits: readonly { readonly feature: number; readonly side: 1 | -1; readonly value: number }[];
}

/**
 * Branch and bound on the projection: the nearest open box first, split at the discrete variable farthest from a whole
 * value. Source: Land and Doig, An automatic method of solving discrete programming problems, Econometrica 28 (1960).
 *
 * Categories have one feature per level and stand in no condition: they keep the level nearest to u.
 */
export function nearestWhole(
  encoding: Encoding,
  region: Region,
  u: Float64Array,
  rounded: (u: Float64Array) => Float64Array,
): Float64Array | null {
  const { discrete, first, n, variables } = encoding;
  const held = new Uint8Array(encoding.p);
  const target = u.slice();
  const whole = rounded(u);
  const ordered: number[] = [];
  for (let v = 0; v < n; v++) {
    if (discrete[v] === 0) continue;
    if (variables[v]!.kind !== 'category') ordered.push(v);
    else for (let f = first[v]!; f < first[v + 1]!; f++) [held[f], target[f]] = [1, whole[f]!];
  }
  const open: Node[] = [];
  const push = (limits: Node['limits']): void => {
    const point = projectHolding(region, target, held, limits);
    if (point !== null) open.push({ u: point, distance: squareBetween(point, target), limits });
  };
  push([]);
  for (let node = 0; node < NODE_LIMIT && open.length > 0; node++) {
    region.meter.spend(LEVEL_FLOPS * ordered.length);
    open.sort((a, b) => a.distance - b.distance);
    const nearest = open.shift()!;
    const split = mostFractional(encoding, ordered, nearest.u, rounded(nearest.u));
    if (split === null) return nearest.u;
    const { feature, below, above } = split;
    push([...nearest.limits, { feature, side: -1, value: below }]);
    push([...nearest.limits, { feature, side: 1, value: above }]);
  }
  return null;
}

/** The discrete feature farthest from its whole value, with the whole values around it; null when all are whole. */
function mostFractional(encoding: Encoding, ordered: readonly number[], u: Float64Array, whole: Float64Array) {
  let found: { readonly feature: number; readonly below: number; readonly above: number } | null = null;
  let most = 1e-7;
  for (const v of ordered) {
    const f = encoding.first[v]!;
    const variable = encoding.variables[v]!;
    const level = levelOfFeature(encoding, v, whole[f]!);
    const first = whole[f]! > u[f]! ? level - 1 : level;
    const featureOf = (k: number) => encodeNumber(encoding, v, levelAt(variable, k));
    if (first < 0 || first + 1 >= levelCount(variable)) continue;
    const [below, above] = [featureOf(first), featureOf(first + 1)];
    const off = Math.abs(u[f]! - whole[f]!) / (above - below);
    if (off <= most) continue;
    most = off;
    found = { feature: f, below, above };
  }
  return found;
}

/** Number of the value of the discrete variable v that has a feature. */
function levelOfFeature(encoding: Encoding, v: number, feature: number): number {
  const variable = encoding.variables[v]!;
  let best = 0;
  let nearest = Number.POSITIVE_INFINITY;
  const { minimum, maximum } = encoding.scales[v]!;
  const about = nearestLevel(variable, minimum + ((feature + 1) / 2) * (maximum - minimum));
  for (let k = Math.max(0, about - 1); k <= Math.min(levelCount(variable) - 1, about + 1); k++) {
    const distance = Math.abs(encodeNumber(encoding, v, levelAt(variable, k)) - feature);
    if (distance < nearest) [best, nearest] = [k, distance];
  }
  return best;
}
