/** Finds where the models come nearest to some of the objectives, and how sure they are of it. */

import { Acquisition, type Aim, intervalAims } from '../acquisition/acquisition.ts';
import { type FailureModel, makeFailureModel } from '../acquisition/failure-model.ts';
import type { Conditions } from '../constraints/conditions.ts';
import type { Cases } from '../goal/cases.ts';
import { byLoss, unweighted } from '../goal/targets.ts';
import type { SuggestRequest } from '../interface/problem.ts';
import { makeRandom } from '../numerics/random.ts';
import type { Work } from '../numerics/work.ts';
import { climb, drawerIn } from '../search/box-newton.ts';
import { type Encoding, featuresOf, levelAt, levelCount } from '../space/encoding.ts';
import type { Box } from '../space/search-space.ts';
import type { Surrogate } from '../surrogate/model-choice.ts';
import type { Predictor } from '../surrogate/predictor.ts';

const NEWTON_STEPS = 25;
/** Starts to climb from, when the box is searched as a whole and in each of its parts. */
const CLIMBED = 4;
const CLIMBED_PER_PART = 2;
/**
 * Largest number of combinations of the discrete variables, times outputs, that are searched one by one, without and with
 * other variables beside them. Beyond it numbers count as continuous, which can only miss a conflict, and beside them those of
 * categories and booleans are searched; beyond it for these too all count as continuous.
 */
const MAX_COMBINATIONS = { alone: 1000, withOthers: 48 };
/** Largest spread in the search for the least sum; smaller ones would fall below the floor that an interval sets. */
const MAX_SPREAD = 0.5;
const MIN_SPREAD = 1e-3;
/** Rounds of reweighting, which converge linearly. */
const REWEIGHTINGS = 15;
/** Keeps weights and uncertainties finite. */
const TINY_DISTANCE = 1e-6;
const TINY_UNCERTAINTY = 1e-9;

/** Uncertainty about the model of an output. */
export interface Doubt {
  /** On cases left out, standardized. */
  readonly error: number;
  /** Times its own sigma. */
  readonly widening: number;
}

export interface Evidence {
  readonly request: SuggestRequest;
  readonly encoding: Encoding;
  readonly conditions: Conditions | null;
  readonly cases: Cases;
  readonly surrogate: Surrogate;
  readonly predictor: Predictor;
  /** Length m. */
  readonly doubts: readonly Doubt[];
  readonly work: Work;
}

/** A point that comes nearest to some of the objectives. */
export interface Nearest {
  /** Length p. */
  readonly u: Float64Array;
  /** Length m, standardized: distance of the mean from its interval, and how wrong that may be. */
  readonly gaps: Float64Array;
  readonly uncertainties: Float64Array;
}

export interface NearestSearch {
  /**
   * Finds the point where the given outputs miss their intervals least, relative to the uncertainty about each; for an
   * exact goal, where the sum of their distances is least.
   */
  leastCertainMiss(outputs: readonly number[]): Nearest;
  /**
   * Features of the point, away from failed runs, where all outputs miss least while those without a direction count for everything, so
   * that they are met if they can be.
   */
  bestWithinLimits(): Float64Array;
}

export function makeNearestSearch(evidence: Evidence): NearestSearch {
  const { cases, doubts, encoding, request } = evidence;
  const { l1 } = request.goal;
  const parts = partsOf(evidence);
  const failures = makeFailureModel(cases, encoding.p);
  const toLeastSum = (outputs: readonly number[], { u, box }: Highest) =>
    l1 ? leastSum(evidence, { outputs, center: l1.center, start: u, box }) : u;
  return {
    leastCertainMiss(outputs) {
      const spreads = Float64Array.from(doubts, ({ error }) => 2 * error);
      const climber = makeClimber(evidence, outputs, spreads, null);
      return assess(evidence, toLeastSum(outputs, highest(parts, climber)));
    },

    bestWithinLimits() {
      const outputs = cases.intervals.map((_, j) => j);
      const spreads = Float64Array.from(cases.intervals, ({ directed }) => (directed ? MAX_SPREAD : MIN_SPREAD));
      return highest(parts, makeClimber(evidence, outputs, spreads, failures)).u;
    },
  };
}

/** An acquisition with frozen spreads. */
interface Climber {
  valueAt(u: Float64Array): number;
  /** Climbs from u, changed in place, and returns the value reached. */
  climbFrom(u: Float64Array, box: Box): number;
}

function makeClimber(
  { cases, surrogate, predictor, work }: Evidence,
  outputs: readonly number[],
  frozen: Float64Array,
  failures: FailureModel | null,
): Climber {
  const aims = intervalAims(cases.intervals).map((aim, j): Aim => (outputs.includes(j) ? aim : 'ignore'));
  const acquisition = new Acquisition(surrogate, predictor, aims, unweighted(cases.intervals), failures);
  const spreads = frozen.map((one, j) => Math.max(one, acquisition.frozenFloor[j]!, MIN_SPREAD));
  return {
    valueAt: (u) => acquisition.evaluate(u, spreads),
    climbFrom: (u, box) => climb(acquisition, u, spreads, box, NEWTON_STEPS, work),
  };
}

/** A point with the box of its part. */
interface Highest {
  readonly u: Float64Array;
  readonly box: Box;
}

/** The highest point that climbing from the best starts of each part leads to. */
function highest(parts: readonly Part[], { valueAt, climbFrom }: Climber): Highest {
  let best: Highest | null = null;
  let most = Number.NEGATIVE_INFINITY;
  for (const { box, starts } of parts) {
    const ranked = starts
      .map((u) => ({ u: u.slice(), value: valueAt(u) }))
      .sort((a, b) => b.value - a.value)
      .slice(0, parts.length === 1 ? CLIMBED : CLIMBED_PER_PART);
    for (const { u } of ranked) {
      const value = climbFrom(u, box);
      if (best === null || value > most) [best, most] = [{ u, box }, value];
    }
  }
  return best!;
}

function assess({ surrogate, predictor, doubts }: Evidence, u: Float64Array): Nearest {
  predictor.predict(u);
  const { mean, sigma } = predictor;
  const gaps = Float64Array.from(surrogate.outputs, ({ lower, upper }, j) =>
    Math.max(0, lower - mean[j]!, mean[j]! - upper),
  );
  const uncertainties = Float64Array.from(
    doubts,
    ({ error, widening }, j) => Math.hypot(error, widening * sigma[j]!) + TINY_UNCERTAINTY,
  );
  return { u, gaps, uncertainties };
}

interface LeastSumRequest {
  readonly outputs: readonly number[];
  /** Length m: the centre of an exact goal. */
  readonly center: readonly number[];
  readonly start: Float64Array;
  readonly box: Box;
}

/**
 * From a point of least squares to one near it where the distances from the centre, in output units, have the least sum.
 *
 * Iteratively reweighted least squares: a term (distance / spread)^2 with spread = sqrt(distance) is the distance.
 */
function leastSum(evidence: Evidence, { outputs, center, start, box }: LeastSumRequest): Float64Array {
  const u = start.slice();
  for (let round = 0; round < REWEIGHTINGS; round++) {
    makeClimber(evidence, outputs, reweightedSpreads(evidence, u, center), null).climbFrom(u, box);
  }
  return u;
}

/** Length m: spreads, standardized, in proportion to the root of each output's distance from the centre, in output units. */
function reweightedSpreads(
  { surrogate, predictor }: Evidence,
  u: Float64Array,
  center: readonly number[],
): Float64Array {
  predictor.predictMeans(u);
  const roots = surrogate.outputs.map(({ fitted }, j) => {
    if (!fitted) return 1;
    const { toZ, fromZ } = fitted.warp;
    const unit = Math.abs(fromZ(1) - fromZ(0)) || 1;
    return Math.sqrt((Math.abs(predictor.mean[j]! - toZ(center[j]!)) + TINY_DISTANCE) / unit);
  });
  const largest = Math.max(...roots);
  return Float64Array.from(roots, (root) => (MAX_SPREAD * root) / largest);
}

/** A part of the box, with the starts of its search. */
interface Part {
  readonly box: Box;
  readonly starts: readonly Float64Array[];
}

/** The whole box, or one part per combination of the discrete variables when there are few. */
function partsOf(evidence: Evidence): Part[] {
  const { request, encoding, cases } = evidence;
  const { p } = encoding;
  const box = wholeBox(evidence);
  const order = Array.from(cases.loss, (_, i) => i).sort(byLoss(cases.loss));
  const best = order.slice(0, 5).map((i) => cases.U.slice(i * p, (i + 1) * p));
  const random = makeRandom(request.seed, 4, request.history.count);
  const drawn = Array.from({ length: 20 }, drawerIn(box, random));
  const middle = new Float64Array(p);
  const held = heldVariables(encoding, cases.intervals.length);
  if (held.length === 0) return [{ box, starts: [...best, middle, ...drawn] }];
  const isHeld = Array.from(encoding.owner, (v) => held.includes(v));
  const isAlone = encoding.movable.every((one, v) => one === 0 || held.includes(v));
  const others = isAlone ? [middle] : [...best.slice(0, 2), middle, ...drawn.slice(0, 5)];
  return combinationsOf(encoding, held).map((levels) => {
    const hold = (values: Float64Array) => values.map((value, f) => (isHeld[f] ? levels[f]! : value));
    return { box: { ...box, lower: hold(box.lower), upper: hold(box.upper) }, starts: others.map(hold) };
  });
}

function wholeBox({ encoding: { lower, upper }, conditions }: Evidence): Box {
  return { lower, upper, conditions };
}

/** The discrete variables whose combinations are searched one by one; empty for none and for too many combinations. */
function heldVariables({ variables, discrete, movable }: Encoding, m: number): number[] {
  const all = variables.flatMap((_, v) => (discrete[v] === 1 ? [v] : []));
  const unordered = all.filter((v) => variables[v]!.kind === 'category' || variables[v]!.kind === 'boolean');
  const fits = (held: readonly number[]) => {
    const isAlone = movable.every((one, v) => one === 0 || held.includes(v));
    const count = held.reduce((product, v) => product * levelCount(variables[v]!), 1);
    return count * m <= (isAlone ? MAX_COMBINATIONS.alone : MAX_COMBINATIONS.withOthers);
  };
  return [all, unordered].find(fits) ?? [];
}

/** Features of every combination of the variables; those of others are meaningless. */
function combinationsOf(encoding: Encoding, held: readonly number[]): Float64Array[] {
  const { variables } = encoding;
  const count = held.reduce((product, v) => product * levelCount(variables[v]!), 1);
  const x = Float64Array.from(variables, ({ minimum }) => minimum);
  return Array.from({ length: count }, (_, k) => {
    let rest = k;
    for (const v of held) {
      const levels = levelCount(variables[v]!);
      x[v] = variables[v]!.fixedAt ?? levelAt(variables[v]!, rest % levels);
      rest = Math.floor(rest / levels);
    }
    return featuresOf(encoding, x);
  });
}
