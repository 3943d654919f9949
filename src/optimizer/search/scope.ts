import type { Cases } from '../cases.ts';
import { type Encoding, likelyBox, movableCount } from '../encoding.ts';
import { makeRandom } from '../numerics/random.ts';
import type { Work } from '../numerics/work.ts';
import type { SearchSpace } from '../search-space.ts';
import { logScale } from '../surrogate/input-scale.ts';
import { type Grouping, makeGeometry } from '../surrogate/kernels.ts';
import { chooseModels, MANY_INPUTS, type Surrogate } from '../surrogate/model-choice.ts';
import { bestOf, stallOf } from '../targets.ts';
import type { Box } from './box-newton.ts';
import { fitLimit, selectRows } from './subset.ts';

/** The cases of a fit around a centre, and the box in which the next input is sought. */
export interface Scope {
  /** Numbers of the cases to fit. */
  readonly rows: Int32Array;
  /** Number of the case at the centre, one of the rows. */
  readonly center: number;
  readonly box: Box;
  /** True for a local search, which models neither noise nor the asinh warp. */
  readonly local: boolean;
}

/** Evaluations without progress after which the search leaves the likely ranges, and by what it widens them at each further one. */
const LIKELY_STALL = 3;
const WIDENING = 2;

/** The whole space around the incumbent or, while the search makes progress there, the likely ranges. */
export function globalScope({ encoding, conditions }: SearchSpace, cases: Cases): Scope {
  const rows = selectRows(cases.U, encoding.p, cases.loss, fitLimit(movableCount(encoding)));
  const center = bestOf(cases.loss);
  const hasLikely = encoding.variables.some(({ likely }) => likely !== undefined);
  const box = { lower: encoding.lower, upper: encoding.upper, conditions };
  if (!hasLikely) return { rows, center, box, local: false };
  const random = makeRandom(rows.length, 9);
  const likely = widenedLikelyBox(encoding, cases, center);
  const inside = conditions?.within(likely, random) ?? null;
  const isEmpty = conditions !== null && inside === null;
  return { rows, center, box: isEmpty ? box : { ...likely, conditions: inside }, local: false };
}

/** The likely ranges and the incumbent, widened by how long the search has stalled. */
function widenedLikelyBox(encoding: Encoding, { U, loss }: Cases, center: number) {
  const { p } = encoding;
  const { lower, upper } = likelyBox(encoding);
  const stall = stallOf(loss);
  const factor = stall < LIKELY_STALL ? 1 : WIDENING ** (stall - LIKELY_STALL + 1);
  for (let f = 0; f < p; f++) {
    const best = U[center * p + f]!;
    const [low, high] = [Math.min(lower[f]!, best), Math.max(upper[f]!, best)];
    const [middle, half] = [(low + high) / 2, (factor * (high - low)) / 2];
    lower[f] = Math.max(encoding.lower[f]!, middle - half);
    upper[f] = Math.min(encoding.upper[f]!, middle + half);
  }
  return { lower, upper };
}

/** Fits the models of all outputs to the cases of a scope. @param stall see `stallOf` */
export function fitScope(
  encoding: Encoding,
  cases: Cases,
  { rows, local }: Scope,
  stall: number,
  work: Work,
): Surrogate {
  const { p } = encoding;
  const { intervals } = cases;
  const m = intervals.length;
  const N = rows.length;
  const U = new Float64Array(N * p);
  const Y = new Float64Array(N * m);
  rows.forEach((row, i) => {
    U.set(cases.U.subarray(row * p, (row + 1) * p), i * p);
    Y.set(cases.Y.subarray(row * m, (row + 1) * m), i * m);
  });
  const n = movableCount(encoding);
  const grouping = groupingOf(encoding, n);
  const scale = logScale(encoding);
  const geometry = makeGeometry(U, N, p, grouping);
  const logGeometry = scale ? makeGeometry(U, N, p, grouping, scale) : null;
  return chooseModels({ geometry, logGeometry, Y, intervals, n, stall, local }, work);
}

/** One length scale per variable, or one for all of many variables. */
function groupingOf(encoding: Encoding, n: number): Grouping {
  if (n > MANY_INPUTS) return { count: 1, of: new Int32Array(encoding.p) };
  const of = new Int32Array(encoding.p);
  let count = 0;
  for (let v = 0; v < encoding.n; v++) {
    for (let f = encoding.first[v]!; f < encoding.first[v + 1]!; f++) of[f] = encoding.movable[v] === 1 ? count : 0;
    if (encoding.movable[v] === 1) count++;
  }
  return { count: Math.max(1, count), of };
}
