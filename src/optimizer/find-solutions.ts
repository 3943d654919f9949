import { intervalAims } from './acquisition/acquisition.ts';
import type { PredictedPoint, SolutionsFound, SolutionsRequest } from './interface/insights.ts';
import { makeRandom } from './numerics/random.ts';
import { isSpent, type Work } from './numerics/work.ts';
import { drawerIn } from './search/box-newton.ts';
import { makeForecaster } from './search/forecast.ts';
import { type Prepared, prepare } from './search/prepare.ts';
import { makeDistance } from './space/distance.ts';
import { decode, featuresOf } from './space/encoding.ts';
import { globalScope } from './surrogate/scope.ts';

/** Random inputs among which wide regions of solutions show. */
const DRAWN = 300;
/** Searches for thin regions, each away from the solutions known before it. */
const SEARCHES_PER_SOLUTION = 2;
/** Solutions differ at least by this share of the diagonal when the search is not told otherwise. */
const LEAST_APART = 0.05;
/** A predicted solution has at least this share of the largest chance, unless it has this chance anyway. */
const SHARE_OF_BEST = 0.5;
const GOOD_CHANCE = 0.5;

/**
 * Inputs that meet all targets, as different as possible: of those that were run, and of those that the models hold for
 * solutions. Each list is chosen one by one, always the one farthest from those before it; the predicted ones keep away from
 * the verified ones as well.
 *
 * A pure function of the request; throws as `suggest` does.
 */
export function findSolutions({ request, verified, count }: SolutionsRequest): SolutionsFound {
  const prepared = prepare(request);
  const { encoding, cases } = prepared;
  const { n } = encoding;
  const { X } = request.history;
  const distance = makeDistance(encoding);
  const locate = <T extends object>(item: T, input: Float64Array): T & Located => ({
    ...item,
    u: featuresOf(encoding, input),
  });
  const chosen: Located[] = [];
  const known = verified.map((row) => locate({ row }, X.slice(row * n, (row + 1) * n)));
  const rows = farthestFirst(known, chosen, { distance, count, least: 0 }).map(({ row }) => row);
  if (cases.N === 0) return { verified: rows, predicted: [] };
  const apart = request.solutions?.apart ?? LEAST_APART;
  const pool = predictedSolutions(
    prepared,
    known.map(({ row }) => X.slice(row * n, (row + 1) * n)),
    count,
    apart,
  );
  const best = pool.reduce((most, { chance }) => Math.max(most, chance), 0);
  const likely = pool
    .filter(({ chance }) => chance >= Math.min(GOOD_CHANCE, SHARE_OF_BEST * best))
    .sort((a, b) => b.chance - a.chance)
    .map((point) => locate({ point }, Float64Array.from(point.input)));
  const predicted = farthestFirst(likely, chosen, { distance, count, least: apart }).map(({ point }) => point);
  return { verified: rows, predicted };
}

/** Inputs that meet all targets by the models: random ones, and those of searches away from all known before. */
function predictedSolutions(
  prepared: Prepared,
  known: readonly Float64Array[],
  count: number,
  apart: number,
): PredictedPoint[] {
  const { request, encoding, cases, conditions } = prepared;
  const work: Work = { spent: 0, limit: request.workLimit };
  const forecaster = makeForecaster(prepared, work);
  const { surrogate, predictor } = forecaster;
  const pool: PredictedPoint[] = [];
  const add = (x: Float64Array) => {
    const point = forecaster.predictedAt(x);
    const doesMeet = surrogate.outputs.every(({ lower, upper, fitted }, j) => {
      const z = fitted ? predictor.mean[j]! : 0;
      return z >= lower && z <= upper;
    });
    if (point && doesMeet) pool.push(point);
  };
  const draw = drawerIn(
    globalScope(prepared, cases, request.goal).box,
    makeRandom(request.seed, 14, request.history.count),
  );
  for (let k = 0; k < DRAWN && !isSpent(work, 0.5); k++) {
    const x = new Float64Array(encoding.n);
    decode(encoding, draw(), x);
    if (conditions?.admits(x) !== false) add(x);
  }
  const away = known.slice();
  for (let k = 0; k < SEARCHES_PER_SOLUTION * count && !isSpent(work, 0.9); k++) {
    const found = Float64Array.from(away.flatMap((one) => Array.from(one)));
    const next = forecaster.maximize({ aims: intervalAims(cases.intervals), away: { found, apart } });
    if (!next) break;
    add(next.x);
    away.push(next.x);
  }
  return pool;
}

/** Something with features, length p. */
interface Located {
  readonly u: Float64Array;
}

/**
 * Up to `count` of the items, each the farthest from all chosen before it, and at least `least` away; adds them to `chosen`.
 * With none chosen before, the first item comes first.
 */
function farthestFirst<T extends Located>(
  items: readonly T[],
  chosen: Located[],
  {
    distance,
    count,
    least,
  }: { readonly distance: ReturnType<typeof makeDistance>; readonly count: number; readonly least: number },
): T[] {
  const out: T[] = [];
  const left = items.slice();
  while (out.length < count) {
    let farthest = -1;
    let next = -1;
    left.forEach(({ u }, i) => {
      const nearest = chosen.reduce((d, one) => Math.min(d, distance(one.u, u)), Number.POSITIVE_INFINITY);
      if (nearest > farthest) [farthest, next] = [nearest, i];
    });
    if (next < 0 || farthest <= 0 || farthest < least) break;
    const [taken] = left.splice(next, 1);
    out.push(taken!);
    chosen.push(taken!);
  }
  return out;
}
