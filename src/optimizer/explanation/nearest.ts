/** Where the models come nearest to some of the objectives, and how sure they are of it. */
import { type Aim, intervalAims, makeAcquisition } from '../acquisition/acquisition.ts';
import { makeHazards } from '../acquisition/hazards.ts';
import type { Cases } from '../cases.ts';
import { makeRandom } from '../numerics/random.ts';
import type { Work } from '../numerics/work.ts';
import type { SuggestRequest } from '../problem.ts';
import { type Box, climb, holdDiscrete, randomIn } from '../search/box-newton.ts';
import { type Coding, encode, levelCount } from '../space.ts';
import type { Surrogate } from '../surrogate/model-choice.ts';
import type { Predictor } from '../surrogate/predictor.ts';
import { byMerit } from '../targets.ts';

const STEPS = 25;
/** Starts that are climbed from. */
const CLIMBED = 4;
const CLIMBED_EACH = 2;
/**
 * Combinations of the discrete variables, times outputs, that are gone through one by one, without and with floats beside
 * them. Beyond, discrete variables count as continuous, which can only miss a conflict.
 */
const MOST_COMBINATIONS = { alone: 1000, withFloats: 48 };
/** Frozen spread, standardized, that makes the search one for the least squares. */
const EQUAL = 0.05;
/** Largest of the spreads by which the least sum is sought; small ones would meet the floor that an interval sets. */
const LARGEST = 0.5;
/** Rounds of reweighting that turn least squares into least absolute values: they converge linearly. */
const ROUNDS = 15;

export interface Evidence {
  readonly request: SuggestRequest;
  readonly coding: Coding;
  readonly cases: Cases;
  readonly surrogate: Surrogate;
  readonly predictor: Predictor;
  /** Leave-one-out error per output, standardized. */
  readonly errors: Float64Array;
  readonly work: Work;
}

/** A place that comes nearest to some of the objectives. */
export interface Nearest {
  readonly u: Float64Array;
  /** Length m, standardized: how far the mean is from its interval, and how wrong it may be. */
  readonly gaps: Float64Array;
  readonly doubts: Float64Array;
}

/** Parts of the box with the starts to search each from. */
interface Part {
  readonly box: Box;
  readonly starts: readonly Float64Array[];
}

export interface NearestSearch {
  /** Where the given outputs miss their intervals least, relative to the doubt about each; by the sum for an exact goal. */
  surest(outputs: readonly number[]): Nearest;
  /** Where all outputs together miss their intervals least, in units of what each varies by, away from failed runs. */
  fairest(): Float64Array;
}

export function makeNearestSearch(evidence: Evidence): NearestSearch {
  const { coding, cases, surrogate, predictor, errors, work } = evidence;
  const parts = partsOf(evidence);
  const hazards = makeHazards(cases, coding.p);

  /** The acquisition of the given outputs at fixed spreads, to be climbed; `isWary` of failed runs. */
  function towards(outputs: readonly number[], frozen: Float64Array, isWary: boolean) {
    const aims = intervalAims(cases.intervals).map((aim, j): Aim => (outputs.includes(j) ? aim : 'ignore'));
    const acquisition = makeAcquisition(surrogate, predictor, aims, cases.intervals, isWary ? hazards : null);
    const spreads = frozen.map((one, j) => Math.max(one, acquisition.frozenFloor[j]!, 1e-3));
    return {
      valueAt: (u: Float64Array) => acquisition.evaluate(u, spreads, false),
      climbFrom: (u: Float64Array, box: Box) => climb(acquisition, u, spreads, box, STEPS, work),
    };
  }

  function search(outputs: readonly number[], frozen: Float64Array, isWary: boolean): Float64Array {
    const { valueAt, climbFrom } = towards(outputs, frozen, isWary);
    let best: Float64Array | null = null;
    let most = Number.NEGATIVE_INFINITY;
    for (const { box, starts } of parts) {
      const ranked = starts
        .map((u) => ({ u: u.slice(), value: valueAt(u) }))
        .sort((a, b) => b.value - a.value)
        .slice(0, parts.length === 1 ? CLIMBED : CLIMBED_EACH);
      for (const { u } of ranked) {
        const value = climbFrom(u, box);
        if (best === null || value > most) [best, most] = [u, value];
      }
    }
    return best!;
  }

  function assess(u: Float64Array): Nearest {
    predictor.predict(u, false, true);
    const { mean, sigma } = predictor;
    const gaps = Float64Array.from(surrogate.outputs, ({ lower, upper }, j) =>
      Math.max(0, lower - mean[j]!, mean[j]! - upper),
    );
    return { u, gaps, doubts: errors.map((error, j) => Math.hypot(error, sigma[j]!) + 1e-9) };
  }

  /** Spreads that weigh the outputs by the root of their distance from the centre of an exact goal, output units. */
  function reweighted(u: Float64Array, center: readonly number[]): Float64Array {
    predictor.predict(u, false, false);
    const roots = surrogate.outputs.map(({ fitted }, j) => {
      if (!fitted) return 1;
      const { toZ, fromZ } = fitted.warp;
      const unit = Math.abs(fromZ(1) - fromZ(0)) || 1;
      return Math.sqrt((Math.abs(predictor.mean[j]! - toZ(center[j]!)) + 1e-6) / unit);
    });
    const largest = Math.max(...roots);
    return Float64Array.from(roots, (root) => (LARGEST * root) / largest);
  }

  /** From a place of least squares to one near it where the distances from the centre of an exact goal have the least sum. */
  function leastSum(outputs: readonly number[], center: readonly number[], start: Float64Array): Float64Array {
    const box = parts.length === 1 ? parts[0]!.box : holdDiscrete(coding, coding, start);
    const u = start.slice();
    for (let round = 0; round < ROUNDS; round++) towards(outputs, reweighted(u, center), false).climbFrom(u, box);
    return u;
  }

  const { l1 } = evidence.request.goal;
  return {
    surest(outputs) {
      const doubts = errors.map((error) => 2 * error);
      const u = search(outputs, doubts, false);
      return assess(l1 ? leastSum(outputs, l1.center, u) : u);
    },

    fairest() {
      const all = cases.intervals.map((_, j) => j);
      const u = search(all, new Float64Array(all.length).fill(EQUAL), true);
      return l1 ? leastSum(all, l1.center, u) : u;
    },
  };
}

/** The whole box, or one part per combination of the discrete variables when they are few. */
function partsOf({ request, coding, cases }: Evidence): Part[] {
  const { p, lower, upper } = coding;
  const box = { lower, upper };
  const order = Array.from(cases.merit, (_, i) => i).sort(byMerit(cases.merit));
  const best = order.slice(0, 5).map((i) => cases.U.slice(i * p, (i + 1) * p));
  const random = makeRandom(request.seed, 4, request.history.count);
  const drawn = Array.from({ length: 20 }, () => randomIn(box, random));
  const combinations = combinationsOf(coding, cases.intervals.length);
  if (combinations === null) return [{ box, starts: [...best, new Float64Array(p), ...drawn] }];
  const hasFloats = coding.variables.some((_, v) => coding.movable[v] === 1 && coding.discrete[v] === 0);
  const floats = hasFloats ? [...best.slice(0, 2), new Float64Array(p), ...drawn.slice(0, 5)] : [new Float64Array(p)];
  return combinations.map((held) => ({
    box: holdDiscrete(coding, box, held),
    starts: floats.map((u) => u.map((value, f) => (coding.discrete[coding.owner[f]!] === 1 ? held[f]! : value))),
  }));
}

/** Features of all combinations of the discrete variables; null without such variables and when they are too many. */
function combinationsOf(coding: Coding, m: number): Float64Array[] | null {
  const { variables, discrete, movable, n } = coding;
  const hasFloats = variables.some((_, v) => movable[v] === 1 && discrete[v] === 0);
  const most = hasFloats ? MOST_COMBINATIONS.withFloats : MOST_COMBINATIONS.alone;
  const count = variables.reduce((product, one, v) => product * (discrete[v] === 1 ? levelCount(one) : 1), 1);
  if (!discrete.includes(1) || count * m > most) return null;
  const x = Float64Array.from(variables, ({ minimum }) => minimum);
  return Array.from({ length: count }, (_, k) => {
    let rest = k;
    for (let v = 0; v < n; v++) {
      if (discrete[v] === 0) continue;
      const levels = levelCount(variables[v]!);
      x[v] = Math.ceil(variables[v]!.minimum) + (rest % levels);
      rest = Math.floor(rest / levels);
    }
    const u = new Float64Array(coding.p);
    encode(coding, x, 0, u, 0);
    return u;
  });
}
