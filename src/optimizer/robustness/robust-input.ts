import { Acquisition, intervalAims } from '../acquisition/acquisition.ts';
import { type LogTerm, logIntervalProbability } from '../acquisition/interval-probability.ts';
import type { InputTolerances } from '../interface/problem.ts';
import { makeRandom, type RandomStream } from '../numerics/random.ts';
import { isSpent, type Work } from '../numerics/work.ts';
import { climb, holdDiscrete } from '../search/box-newton.ts';
import { neighboursOf } from '../search/discrete.ts';
import type { Prepared } from '../search/prepare.ts';
import { decode, featuresOf, roundToInput } from '../space/encoding.ts';
import type { Box } from '../space/search-space.ts';
import type { Seen } from '../space/seen.ts';
import { deviatingInputs, encodeMade, standardDeviates } from './deviations.ts';
import { RobustAcquisition } from './robust-acquisition.ts';
import { makeRunModel, type RunModel } from './run-model.ts';

/** Inputs drawn around each candidate, in pairs of opposite deviations. */
const OFFSETS = 64;
/** Cases to climb from. */
const STARTS = 3;
/** Rounds of a climb, after each of which offsets and spreads are those of the point reached, and their steps. */
const ROUNDS = 4;
const STEPS = 8;
/** The deviation that the tolerances cause in an output counts to this share as spread: else the mean over the offsets is flat. */
const SMOOTHING = 0.4;
const LEAST_SPREAD = 1e-6;
const DISCRETE_ROUNDS = 3;
/** A smaller gain of the probability is not worth a run. */
const WORTH_A_RUN = 0.005;

/** An input with the share of its draws that the models expect to meet the goal. */
export interface RobustInput {
  /** Length n. */
  readonly x: Float64Array;
  readonly share: number;
}

/** Numbers of cases that meet the goal: all of them, from which it climbs, and those of the search itself. */
interface Solutions {
  readonly met: readonly number[];
  readonly own: readonly number[];
}

/**
 * The admissible input not yet evaluated that meets the goal most surely when it is made with tolerances, climbing from the
 * cases that meet it; null when none is worth a run.
 *
 * @param solutions the cases that meet the goal, at least one. The search ends with one of its own, so a run has to be surer than
 * they are; while it has none, any input that is not known is worth one
 */
export function robustInput(
  prepared: Prepared,
  tolerances: InputTolerances,
  { met, own }: Solutions,
  seen: Seen,
  work: Work,
): RobustInput | null {
  const { encoding, cases, conditions } = prepared;
  const caseInput = (i: number) => {
    const x = new Float64Array(encoding.n);
    const row = cases.rows[i]! * encoding.n;
    x.set(prepared.request.history.X.subarray(row, row + encoding.n));
    return x;
  };
  const model = makeRunModel(prepared, caseInput(met.at(-1)!), work);
  if (model === null) return null;
  const search = new RobustSearch(prepared, model, tolerances, work);
  const judged = met.map((i) => ({ ...search.judge(caseInput(i)), isOwn: own.includes(i) }));
  const ranked = judged.sort((a, b) => b.share - a.share);
  const surest = ranked.find(({ isOwn }) => isOwn)?.share ?? -WORTH_A_RUN;
  const box: Box = { lower: encoding.lower, upper: encoding.upper, conditions };
  const found: RobustInput[] = [];
  for (const { x } of ranked.slice(0, STARTS)) {
    if (isSpent(work, 0.8)) break;
    const climbed = search.climbFrom(x, box);
    if (climbed) found.push(climbed);
  }
  found.sort((a, b) => b.share - a.share);
  if (found[0]) found.push(...search.overDiscrete(found[0], box));
  const isWorth = ({ x, share }: RobustInput) => share > surest + WORTH_A_RUN && !seen.has(x);
  return found.filter(isWorth).sort((a, b) => b.share - a.share)[0] ?? null;
}

class RobustSearch {
  readonly #prepared: Prepared;
  readonly #model: RunModel;
  readonly #tolerances: InputTolerances;
  readonly #work: Work;
  readonly #acquisition: Acquisition;
  readonly #deviating: readonly number[];
  readonly #deviates: Float64Array;
  readonly #random: RandomStream;
  readonly #term: LogTerm = { value: 0, byMean: 0, bySpread: 0, curvature: 0 };

  constructor(prepared: Prepared, model: RunModel, tolerances: InputTolerances, work: Work) {
    const { request, encoding, cases } = prepared;
    this.#prepared = prepared;
    this.#model = model;
    this.#tolerances = tolerances;
    this.#work = work;
    const aims = intervalAims(cases.intervals);
    const undirected = cases.intervals.map(() => ({ directed: false }));
    this.#acquisition = new Acquisition(model.surrogate, model.predictor, aims, undirected, model.failures);
    this.#deviating = deviatingInputs(encoding, tolerances);
    this.#deviates = standardDeviates(tolerances.kind, OFFSETS, encoding.n, makeRandom(request.seed, 13));
    this.#random = makeRandom(request.seed, 14, request.history.count);
  }

  /** The share of the draws around x that meets the goal. */
  judge(x: Float64Array): RobustInput {
    const { predictor, surrogate, failures, noise } = this.#model;
    let share = 0;
    this.#eachMade(x, (u) => {
      predictor.predict(u);
      let log = failures?.logSuccess(u) ?? 0;
      surrogate.outputs.forEach(({ lower, upper }, j) => {
        if (!Number.isFinite(lower) && !Number.isFinite(upper)) return;
        const spread = Math.max(LEAST_SPREAD, Math.hypot(predictor.sigma[j]!, noise[j]!));
        logIntervalProbability(predictor.mean[j]!, spread, lower, upper, this.#term);
        log += this.#term.value;
      });
      share += Math.exp(log) / OFFSETS;
    });
    return { x, share };
  }

  /** Climbs from x to an admissible input; null when the conditions leave none there. */
  climbFrom(x: Float64Array, box: Box): RobustInput | null {
    const { encoding, conditions } = this.#prepared;
    const u = featuresOf(encoding, x);
    const reached = x.slice();
    for (let round = 0; round < ROUNDS && !isSpent(this.#work, 1); round++) {
      const robust = new RobustAcquisition(this.#acquisition, this.#offsetsAt(reached), encoding.lower, encoding.upper);
      climb(robust, u, this.#spreadsAt(reached), box, STEPS, this.#work);
      decode(encoding, u, reached);
    }
    if (conditions === null) roundToInput(encoding, u, reached);
    else {
      const admissible = conditions.admissibleNear(u, this.#random);
      if (admissible === null) return null;
      decode(encoding, admissible, reached);
    }
    return this.judge(reached);
  }

  /** Inputs that differ from `start` in discrete variables, each better than the one before. */
  overDiscrete(start: RobustInput, box: Box): RobustInput[] {
    const { encoding, conditions } = this.#prepared;
    const better: RobustInput[] = [];
    for (let round = 0; round < DISCRETE_ROUNDS; round++) {
      let next = better.at(-1) ?? start;
      for (const neighbour of neighboursOf(encoding, next.x)) {
        if (isSpent(this.#work, 1)) return better;
        if (conditions !== null && !conditions.admits(neighbour)) continue;
        const u = featuresOf(encoding, neighbour);
        const climbed = this.climbFrom(neighbour, holdDiscrete(encoding, box, u));
        if (climbed && climbed.share > next.share) next = climbed;
      }
      if (next === (better.at(-1) ?? start)) break;
      better.push(next);
    }
    return better;
  }

  #eachMade(x: Float64Array, visit: (u: Float64Array, k: number) => void): void {
    const { encoding } = this.#prepared;
    const u = new Float64Array(encoding.p);
    for (let k = 0; k < OFFSETS; k++) {
      encodeMade(encoding, this.#tolerances, x, this.#deviates, k * encoding.n, this.#deviating, u);
      visit(u, k);
    }
  }

  /** K x p: by how much the features of the inputs made differ from those of x. */
  #offsetsAt(x: Float64Array): Float64Array {
    const { encoding } = this.#prepared;
    const center = featuresOf(encoding, x);
    const offsets = new Float64Array(OFFSETS * encoding.p);
    this.#eachMade(x, (u, k) => {
      for (let f = 0; f < encoding.p; f++) offsets[k * encoding.p + f] = u[f]! - center[f]!;
    });
    return offsets;
  }

  /** Length m: the spread of each output around x, of the models, of noise and, in part, of the inputs made. */
  #spreadsAt(x: Float64Array): Float64Array {
    const { predictor, noise } = this.#model;
    const { m } = predictor;
    const sums = new Float64Array(m);
    const squares = new Float64Array(m);
    const doubts = new Float64Array(m);
    this.#eachMade(x, (u) => {
      predictor.predict(u);
      for (let j = 0; j < m; j++) {
        sums[j]! += predictor.mean[j]! / OFFSETS;
        squares[j]! += predictor.mean[j]! ** 2 / OFFSETS;
        doubts[j]! += predictor.sigma[j]! ** 2 / OFFSETS;
      }
    });
    return sums.map((mean, j) => {
      const caused = SMOOTHING ** 2 * Math.max(0, squares[j]! - mean * mean);
      return Math.max(LEAST_SPREAD, Math.sqrt(doubts[j]! + noise[j]! ** 2 + caused));
    });
  }
}
