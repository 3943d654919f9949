import type { Acquisition } from '../acquisition/acquisition.ts';
import type { Climbable } from '../search/box-newton.ts';

/**
 * The log of the mean, over inputs made around u, of the probability that all outputs lie in their intervals:
 *   log 1/K sum_k exp A(u + offset_k)
 * Its Hessian is modelled by the weighted mean of those of A; their part from the differences of the gradients, which is
 * positive, is left out, so that steps are rather too short.
 */
export class RobustAcquisition implements Climbable {
  readonly gradient: Float64Array;
  /** K m x p: the rows of each offset one after the other, with their curvatures. */
  readonly jacobian: Float64Array;
  readonly curvature: Float64Array;
  readonly meanHessian = null;
  readonly #inner: Acquisition;
  /** K x p, and the bounds of the features. */
  readonly #offsets: Float64Array;
  readonly #lower: Float64Array;
  readonly #upper: Float64Array;
  readonly #count: number;
  /** Length K: values of A at the point evaluated last, and the points, K x p. */
  readonly #values: Float64Array;
  readonly #made: Float64Array;
  #frozen: Float64Array | null = null;

  /** @param offsets K x p, of the features */
  constructor(inner: Acquisition, offsets: Float64Array, lower: Float64Array, upper: Float64Array) {
    const { p, m } = inner;
    this.#count = offsets.length / p;
    this.#inner = inner;
    this.#offsets = offsets;
    this.#lower = lower;
    this.#upper = upper;
    this.#values = new Float64Array(this.#count);
    this.#made = new Float64Array(offsets.length);
    this.gradient = new Float64Array(p);
    this.jacobian = new Float64Array(this.#count * m * p);
    this.curvature = new Float64Array(this.#count * m);
  }

  evaluate(u: Float64Array, frozen: Float64Array | null): number {
    const { p } = this.#inner;
    this.#frozen = frozen;
    for (let k = 0; k < this.#count; k++) {
      for (let f = 0; f < p; f++) {
        const moved = u[f]! + this.#offsets[k * p + f]!;
        this.#made[k * p + f] = Math.min(this.#upper[f]!, Math.max(this.#lower[f]!, moved));
      }
      this.#values[k] = this.#inner.evaluate(this.#made.subarray(k * p, (k + 1) * p), frozen);
    }
    const largest = this.#values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
    const sum = this.#values.reduce((total, value) => total + Math.exp(value - largest), 0);
    return largest + Math.log(sum / this.#count);
  }

  differentiate(): void {
    const { gradient, jacobian, curvature } = this;
    const { p, m } = this.#inner;
    const largest = this.#values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
    const weights = this.#values.map((value) => Math.exp(value - largest));
    const sum = weights.reduce((total, weight) => total + weight, 0);
    gradient.fill(0);
    for (let k = 0; k < this.#count; k++) {
      const share = weights[k]! / sum;
      const made = this.#made.subarray(k * p, (k + 1) * p);
      this.#inner.evaluate(made, this.#frozen);
      this.#inner.differentiate();
      // A deviation that ends at a bound does not move with the point.
      const isFree = (f: number) => made[f]! > this.#lower[f]! && made[f]! < this.#upper[f]!;
      for (let f = 0; f < p; f++) {
        const slope = isFree(f) || this.#offsets[k * p + f] === 0 ? 1 : 0;
        gradient[f]! += slope * share * this.#inner.gradient[f]!;
        for (let j = 0; j < m; j++) jacobian[(k * m + j) * p + f] = slope * this.#inner.jacobian[j * p + f]!;
      }
      for (let j = 0; j < m; j++) curvature[k * m + j] = share * this.#inner.curvature[j]!;
    }
  }
}
