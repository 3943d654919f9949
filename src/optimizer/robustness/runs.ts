import type { Goal } from '../interface/problem.ts';
import { makeRandom } from '../numerics/random.ts';
import type { Predictor } from '../surrogate/predictor.ts';
import type { RunModel } from './run-model.ts';

/** Inputs drawn around the one in question. */
export const DRAWS = 2000;

/** Runs with drawn outputs, and what is counted of them. */
export class Runs {
  /** Number of draws that met the goal. */
  held = 0;
  readonly #model: RunModel;
  readonly #goal: Goal;
  /** Rows of 2m + 1 per draw: deviates of the models and of the noise, and the luck that decides about a failure. */
  readonly #luck: Float64Array;
  readonly #isMissed = new Uint8Array(DRAWS);
  #misses = 0;
  readonly #outputMisses: Float64Array;

  constructor(model: RunModel, goal: Goal, seed: number) {
    const m = goal.targets.length;
    this.#model = model;
    this.#goal = goal;
    const random = makeRandom(seed, 11);
    this.#luck = new Float64Array(DRAWS * (2 * m + 1));
    for (let i = 0; i < this.#luck.length; i++)
      this.#luck[i] = i % (2 * m + 1) === 2 * m ? random.uniform() : random.normal();
    this.#outputMisses = new Float64Array(m);
  }

  /** Draws run k at the features u. */
  add(k: number, u: Float64Array): void {
    const hasFailed = this.#predict(k, u);
    const misses = hasFailed ? null : this.#missesOf(k);
    if (misses?.every((share) => share === 0)) {
      this.held++;
      return;
    }
    this.#isMissed[k] = 1;
    this.#misses++;
    misses?.forEach((share, j) => {
      this.#outputMisses[j]! += share;
    });
  }

  /** Share of the misses among the first `count` draws that would meet the goal at other features with the same luck. */
  avoidedBy(count: number, at: (k: number) => Float64Array): number {
    let misses = 0;
    let avoided = 0;
    for (let k = 0; k < count; k++) {
      const isMissed = this.#predict(k, at(k)) || this.#missesOf(k).some((share) => share > 0);
      misses += this.#isMissed[k]!;
      avoided += this.#isMissed[k]! - (isMissed ? 1 : 0);
    }
    return misses > 0 ? Math.max(0, avoided / misses) : 0;
  }

  /**
   * By how much the share of the first `count` draws that meet the goal rises when the outputs are those of a drawn function. Both
   * shares are of the same draws, so that the error of having so few cancels.
   */
  gainOf(drawn: Predictor, count: number, at: (k: number) => Float64Array): number {
    let held = 0;
    for (let k = 0; k < count; k++) {
      held -= 1 - this.#isMissed[k]!;
      const u = at(k);
      drawn.predictMeans(u);
      if (!this.#fails(k, u) && this.#missesOf(k, drawn).every((share) => share === 0)) held++;
    }
    return held / count;
  }

  outputShares(): number[] {
    return Array.from(this.#outputMisses, (sum) => (this.#misses > 0 ? sum / this.#misses : 0));
  }

  /** Predicts at u; true when run k fails there. */
  #predict(k: number, u: Float64Array): boolean {
    this.#model.predictor.predict(u);
    return this.#fails(k, u);
  }

  #fails(k: number, u: Float64Array): boolean {
    const { predictor, failures } = this.#model;
    return failures !== null && this.#luck[(k + 1) * (2 * predictor.m + 1) - 1]! > Math.exp(failures.logSuccess(u));
  }

  /** Length m, for the outputs of run k: 0 where all is well; 1 for an output that misses, or its share of the L1 norm. */
  #missesOf(k: number, drawn: Predictor | null = null): number[] {
    const { predictor, surrogate, noise } = this.#model;
    const { l1 } = this.#goal;
    const m = predictor.m;
    const offset = k * (2 * m + 1);
    const z = surrogate.outputs.map(({ fitted }, j) => {
      if (fitted === null) return predictor.mean[j]!;
      const expected = drawn?.mean[j] ?? predictor.mean[j]! + predictor.sigma[j]! * this.#luck[offset + j]!;
      return expected + noise[j]! * this.#luck[offset + m + j]!;
    });
    if (l1 === null) return z.map((one, j) => (isInside(one, surrogate.outputs[j]!) ? 0 : 1));
    const distances = z.map((one, j) => this.#distanceFromCenter(j, one));
    const norm = distances.reduce((sum, one) => sum + one, 0);
    return distances.map((one) => (norm <= l1.threshold ? 0 : one / norm));
  }

  /** Distance of output j from the centre of an exact goal, in output units. */
  #distanceFromCenter(j: number, z: number): number {
    const { surrogate, constants } = this.#model;
    const y = surrogate.outputs[j]!.fitted?.warp.fromZ(z) ?? constants[j]!;
    const distance = Math.abs(y - this.#goal.l1!.center[j]!);
    return Number.isNaN(distance) ? Number.MAX_VALUE : Math.min(Number.MAX_VALUE / this.#model.predictor.m, distance);
  }
}

function isInside(z: number, { lower, upper }: { readonly lower: number; readonly upper: number }): boolean {
  return z >= lower && z <= upper;
}
