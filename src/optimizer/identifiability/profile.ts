/** Finds how far one input can move while the models say that all targets hold, with the other inputs adapting. */

import { Acquisition, intervalAims } from '../acquisition/acquisition.ts';
import { type LogTerm, logIntervalProbability } from '../acquisition/interval-probability.ts';
import { normalCdf } from '../numerics/normal.ts';
import { makeRandom } from '../numerics/random.ts';
import { isSpent, type Work } from '../numerics/work.ts';
import { climb, drawerIn } from '../search/box-newton.ts';
import type { Prepared } from '../search/prepare.ts';
import type { Box } from '../space/search-space.ts';
import type { Surrogate } from '../surrogate/model-choice.ts';
import type { Predictor } from '../surrogate/predictor.ts';

/** Shares of the width of an interval that are added to its spread, one climb after the other: a wide basin, then the edges. */
const WIDTH_SHARES = [0.1, 0.02];
const LEAST_SPREAD = 1e-4;
const STEPS = 10;
/** First step of a walk, in encoded units, how it grows, and the halvings that find the end. */
const FIRST_STEP = 0.02;
const GROWTH = 1.7;
const HALVINGS = 9;
/** Values between two ends at which it is looked whether the targets hold there too. */
const LOOKS = 15;
/** Random points from which other places are sought where the targets hold. */
const STARTS = 40;

/** A point, length p, and what the models say about the targets there. */
export interface Held {
  readonly u: Float64Array;
  /** That all of them hold. */
  readonly probability: number;
  /**
   * The probability of so large an error of the model that is most in the way of it: 1 where all means lie in their intervals.
   * Where the models know nothing the targets are improbable, and yet nothing excludes them.
   */
  readonly plausibility: number;
}

/** The quantity by which a walk judges its points. */
export type Measure = 'probability' | 'plausibility';

export interface Least {
  readonly measure: Measure;
  readonly value: number;
}

/** The ends of the values of an input for which the targets hold, as points of which that input is one coordinate. */
export interface Ends {
  readonly low: Held;
  readonly high: Held;
}

export class Profiles {
  readonly #prepared: Prepared;
  readonly #surrogate: Surrogate;
  readonly #predictor: Predictor;
  readonly #acquisition: Acquisition;
  readonly #work: Work;
  readonly #term: LogTerm = { value: 0, byMean: 0, bySpread: 0, curvature: 0 };

  constructor(prepared: Prepared, surrogate: Surrogate, predictor: Predictor, work: Work) {
    const { intervals } = prepared.cases;
    const undirected = intervals.map(() => ({ directed: false }));
    this.#prepared = prepared;
    this.#surrogate = surrogate;
    this.#predictor = predictor;
    this.#acquisition = new Acquisition(surrogate, predictor, intervalAims(intervals), undirected, null);
    this.#work = work;
  }

  /** The probability of the models that all targets hold at u. */
  at(u: Float64Array): Held {
    const { mean, sigma } = this.#predictor;
    this.#predictor.predict(u);
    let log = 0;
    let farthest = 0;
    this.#surrogate.outputs.forEach(({ lower, upper }, j) => {
      if (!Number.isFinite(lower) && !Number.isFinite(upper)) return;
      const spread = Math.max(1e-9, sigma[j]!);
      logIntervalProbability(mean[j]!, spread, lower, upper, this.#term);
      log += this.#term.value;
      farthest = Math.max(farthest, (lower - mean[j]!) / spread, (mean[j]! - upper) / spread);
    });
    return { u: u.slice(), probability: Math.exp(log), plausibility: 2 * normalCdf(-farthest) };
  }

  /** The point of the box where the targets hold most surely that climbing from u leads to. */
  climbFrom(u: Float64Array, box: Box, measure: Measure = 'probability'): Held {
    const reached = u.slice();
    for (const share of WIDTH_SHARES)
      climb(this.#acquisition, reached, this.#spreadsAt(reached, share), box, STEPS, this.#work);
    const [start, end] = [this.at(clipped(u, box)), this.at(reached)];
    return end[measure] >= start[measure] ? end : start;
  }

  /** Points of the box where the targets hold or may hold, found by climbing from random ones. */
  scatter(box: Box): Held[] {
    const draw = drawerIn(box, makeRandom(this.#prepared.request.seed, 15));
    const found: Held[] = [];
    for (let k = 0; k < STARTS && !isSpent(this.#work, 0.5); k++) {
      const start = draw();
      climb(this.#acquisition, start, this.#spreadsAt(start, 1), box, 2 * STEPS, this.#work);
      found.push(this.climbFrom(start, box), this.climbFrom(start, box, 'plausibility'));
    }
    return found;
  }

  /**
   * The farthest points on both sides in feature f at which a measure has at least the given value while the features of the
   * box that are free adapt: walks from the outermost of the given points that have it, or from the first.
   */
  endsOf(f: number, from: readonly Held[], least: Least, box: Box): Ends {
    const end = (sign: number) => {
      const able = from.filter((held) => held[least.measure] >= least.value);
      const outermost = able.reduce((one, other) => (sign * (other.u[f]! - one.u[f]!) > 0 ? other : one), from[0]!);
      return this.#walk(f, sign, outermost, least, box);
    };
    return { low: end(-1), high: end(1) };
  }

  /**
   * Parts between two ends in feature f, as pairs of its values, where the measure stays below the given value although the
   * features of the box that are free adapt: the targets may hold in places that do not touch. Looked for at `LOOKS` values,
   * so a narrower part can be missed.
   */
  gapsBetween(f: number, { low, high }: Ends, from: readonly Held[], least: Least, box: Box): [number, number][] {
    const able = [low, high, ...from.filter((held) => held[least.measure] >= least.value)];
    const holds = ({ [least.measure]: value }: Held) => value >= least.value;
    const [start, end] = [low.u[f]!, high.u[f]!];
    const looks = Array.from({ length: LOOKS }, (_, k) => {
      const t = start + ((end - start) * (k + 1)) / (LOOKS + 1);
      const nearest = able.toSorted((a, b) => Math.abs(a.u[f]! - t) - Math.abs(b.u[f]! - t)).slice(0, 2);
      return this.#surest(nearest, f, t, box, least.measure);
    });
    const gaps: [number, number][] = [];
    let before = low;
    let missed: number[] = [];
    for (const look of [...looks, high]) {
      if (!holds(look)) missed.push(look.u[f]!);
      else {
        if (missed.length > 0) {
          gaps.push([this.#edge(f, before, missed[0]!, least, box), this.#edge(f, look, missed.at(-1)!, least, box)]);
        }
        [before, missed] = [look, []];
      }
    }
    return gaps;
  }

  /** The surest of the points with feature f at t that lie near the given ones. */
  #surest(from: readonly Held[], f: number, t: number, box: Box, measure: Measure): Held {
    return from
      .map(({ u }) => this.pinned(u, f, t, box, measure))
      .reduce((one, other) => (other[measure] > one[measure] ? other : one));
  }

  /** The last value of feature f, from a point that holds to a value that does not, at which the targets hold. */
  #edge(f: number, from: Held, missed: number, least: Least, box: Box): number {
    let held = from;
    let outside = missed;
    for (let k = 0; k < HALVINGS && Math.abs(outside - held.u[f]!) > 1e-4; k++) {
      const point = this.pinned(held.u, f, (held.u[f]! + outside) / 2, box, least.measure);
      if (point[least.measure] >= least.value) held = point;
      else outside = point.u[f]!;
    }
    return held.u[f]!;
  }

  /** Climbs from u, with feature f held at t, to where the targets hold most surely. */
  pinned(u: Float64Array, f: number, t: number, box: Box, measure: Measure = 'probability'): Held {
    const pinned = { lower: box.lower.slice(), upper: box.upper.slice(), conditions: box.conditions };
    pinned.lower[f] = pinned.upper[f] = t;
    return this.climbFrom(clipped(u, pinned), pinned, measure);
  }

  /** Walks from a point until the targets no longer hold, and finds the end by halving the last step. */
  #walk(f: number, sign: number, from: Held, least: Least, box: Box): Held {
    const bound = (sign < 0 ? box.lower : box.upper)[f]!;
    let before = from;
    let held = from;
    let step = FIRST_STEP;
    const next = (t: number) => {
      // Straight on from the last two points.
      const moved = held.u[f]! - before.u[f]!;
      const ahead = moved === 0 ? 0 : (t - held.u[f]!) / moved;
      return this.pinned(
        held.u.map((value, g) => value + ahead * (value - before.u[g]!)),
        f,
        t,
        box,
        least.measure,
      );
    };
    while (held.u[f] !== bound && !isSpent(this.#work, 1)) {
      const t = sign < 0 ? Math.max(bound, held.u[f]! - step) : Math.min(bound, held.u[f]! + step);
      const trial = next(t);
      if (trial[least.measure] >= least.value) {
        [before, held] = [held, trial];
        step *= GROWTH;
        continue;
      }
      let [inside, outside] = [held.u[f]!, t];
      for (let k = 0; k < HALVINGS && Math.abs(outside - inside) > 1e-4; k++) {
        const middle = (inside + outside) / 2;
        const point = next(middle);
        if (point[least.measure] >= least.value) {
          [before, held] = [held, point];
          inside = middle;
        } else outside = middle;
      }
      break;
    }
    return held;
  }

  /** Length m: the predicted spread at u, and a share of the width of the interval. */
  #spreadsAt(u: Float64Array, share: number): Float64Array {
    this.#predictor.predict(u);
    return Float64Array.from(this.#surrogate.outputs, ({ lower, upper }, j) => {
      const width = Number.isFinite(upper - lower) ? share * (upper - lower) : 0;
      return Math.max(LEAST_SPREAD * share, Math.hypot(this.#predictor.sigma[j]!, width));
    });
  }
}

function clipped(u: Float64Array, { lower, upper }: Box): Float64Array {
  return u.map((value, f) => Math.min(upper[f]!, Math.max(lower[f]!, value)));
}
