/**
 * A quadratic trust region for one number to make small: it keeps its radius until the points of its model are within reach,
 * and only then shrinks.
 *
 * Source: Powell 2006, The NEWUOA software, in Large-Scale Nonlinear Optimization, sections 2 and 7 (the two radii, which point
 * goes, steps for the geometry); the model has (n + 1)(n + 2) / 2 points, see `quadratic-model.ts`.
 */
import { squareBetween } from '../linalg/dense.ts';
import { type Quadratic, quadraticAt, trustStep } from '../linalg/trust-step.ts';
import { constantModel, lagrangeOf, type QuadraticModel, updated, weightsAt } from './quadratic-model.ts';

/** First radius, a tenth of the box, and the least one. */
const FIRST_RADIUS = 0.2;
const LEAST_RADIUS = 1e-9;
const LARGEST_RADIUS = 1;
/** A step is good when the number falls by this share of the decrease that the model predicts, and very good. */
const GOOD = 0.1;
const VERY_GOOD = 0.7;
/** The bound of the radius shrinks by this factor. */
const SHRINK = 0.1;
/** A point of the model farther than so many radii is moved before the region shrinks. */
const REACH = 2;
/** Another point nearer than so many radii belongs to the region. */
const NEIGHBOURHOOD = 4;
/** The region ends when its model promises less than this share of what is left to gain. */
const HOPELESS = 1e-3;
/** Least distance of the next centre from where regions ended, in units of sqrt(n). */
const APART = 0.25;
/** Points nearer to each other are the same. */
const SAME = 1e-9;
/** Two evaluations of one step differ by rounding, at most this share of the radius. */
const ROUNDING = 1e-7;
const MOST_ATTEMPTS = 60;

/** The cases of a number to make small, oldest first. */
export interface Numbers {
  /** Encoded inputs within the bounds. */
  readonly points: readonly Float64Array[];
  readonly y: readonly number[];
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  /** Below every y. */
  readonly target: number;
}

interface Step {
  readonly x: Float64Array;
  /** Gain that the model predicts; null for a step that improves the model. */
  readonly predicted: number | null;
  /** The point of the model that a step for the geometry replaces. */
  readonly replaced: number;
}

/** Number of points that determine a quadratic in n variables. */
export function quadraticSize(n: number): number {
  return ((n + 1) * (n + 2)) / 2;
}

/** The state of the region after some of the cases; further ones are told one by one. */
export class TrustRegion {
  readonly #numbers: Numbers;
  readonly #n: number;
  /** Cases told. */
  #count: number;
  #center = 0;
  #radius = FIRST_RADIUS;
  /** The radius does not fall below it while the model has far points. */
  #bound = FIRST_RADIUS;
  #members: number[] = [];
  #model: QuadraticModel;
  /** The number at the first centre. */
  #first = 0;
  #step: Step | null = null;
  /** Index of the member to move next; -1 for none. */
  #toMove = -1;
  #isOver = false;
  readonly #ends: Float64Array[] = [];

  /** @param count cases known at the start, at least one */
  constructor(numbers: Numbers, count: number) {
    this.#numbers = numbers;
    this.#n = numbers.lower.length;
    this.#count = count;
    this.#model = constantModel(numbers.points[0]!, numbers.y[0]!);
    this.#startAt(this.#bestCase([]));
  }

  /** Number of regions that have ended without reaching the target. */
  get endCount(): number {
    return this.#ends.length;
  }

  /** Takes in the next case. Returns whether it is the step that was asked for. */
  tell(): boolean {
    const i = this.#count++;
    const { points, y } = this.#numbers;
    const step = this.#step;
    this.#step = null;
    const length = this.#distance(i);
    const isBetter = y[i]! < y[this.#center]!;
    if (step === null || !this.#isSame(step.x, points[i]!)) {
      this.#toMove = step?.predicted === null ? step.replaced : -1;
      const isNear = length <= (isBetter ? NEIGHBOURHOOD : REACH) * this.#radius;
      if (isNear && !this.#isOver) this.#takeIn(i, isBetter, -1);
      else if (isBetter && y.every((one, k) => k >= i || one > y[i]!)) this.#startAt(i);
      return false;
    }
    const ratio = step.predicted === null ? 1 : (y[this.#center]! - y[i]!) / step.predicted;
    if (step.predicted !== null) this.#resize(ratio, length);
    this.#takeIn(i, isBetter, step.replaced);
    if (!(ratio >= GOOD)) this.#afterFailure(length);
    return true;
  }

  /** The next point to evaluate; null when no region is left. */
  ask(): Float64Array | null {
    this.#step = null;
    for (let attempt = 0; attempt < MOST_ATTEMPTS && this.#step === null; attempt++) {
      if (this.#isOver) return null;
      this.#step = this.#toMove >= 0 ? this.#geometryStep() : this.#descent();
    }
    return this.#step?.x ?? null;
  }

  #startAt(center: number): void {
    const { points, y } = this.#numbers;
    this.#center = center;
    this.#first = y[center]!;
    this.#radius = this.#bound = FIRST_RADIUS;
    this.#toMove = -1;
    this.#isOver = false;
    this.#model = constantModel(points[center]!, y[center]!);
    const order = Array.from({ length: this.#count }, (_, i) => i);
    const distance = order.map((i) => this.#distance(i));
    order.sort((a, b) => distance[a]! - distance[b]! || a - b);
    this.#members = [];
    for (const i of order) {
      if (this.#members.length === quadraticSize(this.#n)) break;
      if (this.#isNew(i)) this.#members.push(i);
    }
    this.#refit();
  }

  /** Makes case i a member in place of another one. @param replaced index of a member; -1 to choose */
  #takeIn(i: number, isBetter: boolean, replaced: number): void {
    if (!this.#isNew(i)) return;
    const before = this.#members.indexOf(this.#center);
    if (this.#members.length < quadraticSize(this.#n)) this.#members.push(i);
    else {
      const worst = replaced >= 0 ? replaced : this.#worstMember(i, isBetter);
      if (worst >= 0) this.#members[worst] = i;
      else if (isBetter) this.#members[before] = i;
    }
    if (isBetter) this.#center = i;
    this.#refit();
  }

  /** Index of the member that case i replaces best: far from the centre, and one whose place it takes; -1 for none. */
  #worstMember(i: number, isBetter: boolean): number {
    const { points } = this.#numbers;
    const weights = weightsAt(this.#model, points[i]!);
    const unit = Math.max(0.1 * this.#radius, this.#bound);
    const center = points[isBetter ? i : this.#center]!;
    let most = isBetter ? 0 : 1;
    let worst = -1;
    this.#members.forEach((member, t) => {
      if (member === this.#center && !isBetter) return;
      const farness = Math.max(1, squareBetween(points[member]!, center) / unit ** 2) ** 3;
      if (!(farness * Math.abs(weights[t]!) > most)) return;
      most = farness * Math.abs(weights[t]!);
      worst = t;
    });
    return worst;
  }

  #refit(): void {
    const { points, y } = this.#numbers;
    const members = this.#members.map((i) => points[i]!);
    const values = this.#members.map((i) => y[i]!);
    this.#model = updated(this.#model, points[this.#center]!, this.#radius, members, values);
  }

  #resize(ratio: number, length: number): void {
    this.#radius = Math.min(LARGEST_RADIUS, this.#radiusFor(ratio, length));
    if (this.#radius <= 1.5 * this.#bound) this.#radius = this.#bound;
  }

  /** By how good the model has predicted a step of this length. */
  #radiusFor(ratio: number, length: number): number {
    if (ratio > VERY_GOOD) return Math.max(0.5 * this.#radius, 2 * length);
    if (ratio > GOOD) return Math.max(0.5 * this.#radius, length);
    return 0.5 * length;
  }

  #afterFailure(length: number): void {
    this.#toMove = this.#farMember();
    if (this.#toMove < 0 && Math.max(length, this.#radius) <= this.#bound) this.#shrink();
  }

  #shrink(): void {
    const before = this.#bound;
    this.#bound *= SHRINK;
    this.#radius = Math.max(0.5 * before, this.#bound);
    if (this.#bound < LEAST_RADIUS) this.#end();
  }

  /** Goes on around the best case far from where regions ended. */
  #end(): void {
    this.#ends.push(this.#numbers.points[this.#center]!);
    const next = this.#bestCase(this.#ends);
    if (next >= 0) this.#startAt(next);
    else this.#isOver = true;
  }

  /** Index of the member farthest from the centre; -1 when all are within reach. */
  #farMember(): number {
    let most = REACH * this.#radius;
    let far = -1;
    this.#members.forEach((member, t) => {
      if (!(this.#distance(member) > most)) return;
      most = this.#distance(member);
      far = t;
    });
    return far;
  }

  /** The step to the least value of the model; null after a change of the region that asks for another one. */
  #descent(): Step | null {
    const { y, target } = this.#numbers;
    const { quadratic } = this.#model;
    const d = trustStep(quadratic, this.#ball(this.#radius));
    const predicted = quadratic.value - quadraticAt(quadratic, d);
    const far = this.#farMember();
    const value = y[this.#center]!;
    const rest = Math.min(this.#first > value ? this.#first - value : Number.POSITIVE_INFINITY, value - target);
    if (far < 0 && !(predicted >= HOPELESS * rest)) {
      this.#end();
      return null;
    }
    if (Math.hypot(...d) >= 0.5 * this.#bound && predicted > 0) return { x: this.#from(d), predicted, replaced: -1 };
    if (far >= 0) this.#toMove = far;
    else this.#shrink();
    return null;
  }

  /** The step that makes the most of a member that is moved; null when none does. */
  #geometryStep(): Step | null {
    const t = this.#toMove;
    this.#toMove = -1;
    const distance = this.#distance(this.#members[t]!);
    const radius = Math.max(Math.min(0.1 * distance, 0.5 * this.#radius), this.#bound);
    const lagrange = lagrangeOf(this.#model, t);
    const steps = [lagrange, negative(lagrange)].map((one) => trustStep(one, this.#ball(radius)));
    const gains = steps.map((d) => Math.abs(quadraticAt(lagrange, d) - lagrange.value));
    const best = gains[1]! > gains[0]! ? 1 : 0;
    return gains[best]! > 0 ? { x: this.#from(steps[best]!), predicted: null, replaced: t } : null;
  }

  #ball(radius: number) {
    const { points, lower, upper } = this.#numbers;
    return { center: points[this.#center]!, radius, lower, upper };
  }

  #from(d: Float64Array): Float64Array {
    const { points, lower, upper } = this.#numbers;
    return points[this.#center]!.map((one, f) => Math.min(upper[f]!, Math.max(lower[f]!, one + d[f]!)));
  }

  #distance(i: number): number {
    const { points } = this.#numbers;
    return Math.sqrt(squareBetween(points[i]!, points[this.#center]!));
  }

  #isNew(i: number): boolean {
    const { points } = this.#numbers;
    return this.#members.every((member) => squareBetween(points[member]!, points[i]!) > SAME ** 2);
  }

  #isSame(a: Float64Array, b: Float64Array): boolean {
    return a.every((one, f) => Math.abs(one - b[f]!) <= ROUNDING * Math.max(1e-3, this.#radius));
  }

  /** The best case told that is apart from some points; -1 for none. */
  #bestCase(ends: readonly Float64Array[]): number {
    const { points, y } = this.#numbers;
    let best = -1;
    for (let i = 0; i < this.#count; i++) {
      if (best >= 0 && y[i]! >= y[best]!) continue;
      if (ends.every((end) => squareBetween(points[i]!, end) > APART ** 2 * this.#n)) best = i;
    }
    return best;
  }
}

function negative({ value, g, H }: Quadratic): Quadratic {
  return { value: -value, g: g.map((one) => -one), H: H.map((one) => -one) };
}
