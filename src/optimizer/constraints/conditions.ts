/**
 * The conditions of a space on its encoded features: points that satisfy all of them, linear ones, curved ones, whole
 * numbers and bounds, drawn at random or as near as possible to a given one.
 */

import type { Condition, RegionReport } from '../interface/problem.ts';
import { squareBetween } from '../linalg/dense.ts';
import type { RandomStream } from '../numerics/random.ts';
import { Meter } from '../numerics/work.ts';
import { decode, type Encoding, encode, everyInput } from '../space/encoding.ts';
import { BoxProgram } from './box-program.ts';
import { CompiledCondition } from './compiled-condition.ts';
import { encodeLinear } from './encode-linear.ts';
import { Inwards } from './inwards.ts';
import {
  type BoxParts,
  conditionParts,
  type LinearCondition,
  makeRegion,
  projectHolding,
  projectOnto,
  type Region,
  rangesOf,
} from './region.ts';
import { walk } from './walk.ts';
import { nearestWhole } from './whole-points.ts';

/** Points of a walk that may break a curved condition before the search for a first point gives up. */
const FIRST_POINT_TRIES = 3_000;
/** Points with some numbers at their bounds that may break a condition before the search for a first one gives up. */
const AT_BOUNDS_TRIES = 500;
/** Walked points among which the nearest replaces a point that breaks a curved condition. */
const SAMPLES = 100;
/** Points of a finite space that are counted one by one. */
const COUNTED = 10_000;
/** Approximate flops of a look at one feature: its variable may take some values only. */
const DECODING_FLOPS = 30;

export type ConditionsResult =
  | { readonly kind: 'conditions'; readonly conditions: Conditions }
  | Exclude<RegionReport, { readonly kind: 'open' }>;

interface ConditionParts {
  readonly region: Region;
  readonly linear: readonly LinearCondition[];
  /** The linear conditions without the bounds. */
  readonly parts: BoxParts;
  /** Indices of the curved conditions. */
  readonly curved: readonly number[];
  /** One for each condition. */
  readonly compiled: readonly CompiledCondition[];
  readonly inwards: Inwards;
}

/** Bounds of the features, length p each. */
interface Bounds {
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}

/**
 * @param feasible an input that satisfies everything, length n, when the client gave one
 * @param meter    counts the work on the conditions, here and later; past its limit OutOfWork is thrown
 */
export function makeConditions(
  encoding: Encoding,
  given: readonly Condition[],
  random: RandomStream,
  feasible: Float64Array | null = null,
  meter: Meter = new Meter(),
): ConditionsResult {
  const linear: LinearCondition[] = [];
  const linearIndex: number[] = [];
  const curved: number[] = [];
  const compiled = given.map((one) => new CompiledCondition(one, encoding.variables));
  for (const [index, { form, relation }] of compiled.entries()) {
    if (form !== null) {
      linear.push(encodeLinear(encoding, form, relation));
      linearIndex.push(index);
    } else if (relation === '=') {
      return { kind: 'nonlinear-equation', condition: index };
    } else {
      curved.push(index);
    }
  }
  const made = makeRegion(encoding.lower, encoding.upper, linear, meter);
  if (made.kind === 'empty') {
    const conditions = made.conflicting.flatMap((row) => (row.kind === 'condition' ? [linearIndex[row.index]!] : []));
    const variables = made.conflicting.flatMap((row) => (row.kind === 'bound' ? [encoding.owner[row.feature]!] : []));
    return { kind: 'empty', conditions, variables: [...new Set(variables)] };
  }
  const conditions = new Conditions(encoding, given, {
    region: made.region,
    linear,
    parts: conditionParts(linear, encoding.p),
    curved,
    compiled,
    inwards: new Inwards(encoding, compiled, meter),
  });
  if (!conditions.begin(random, feasible)) {
    return { kind: 'nothing-found', isForWholeNumbers: curved.length === 0 };
  }
  return { kind: 'conditions', conditions };
}

export class Conditions {
  readonly region: Region;
  readonly #encoding: Encoding;
  readonly #given: readonly Condition[];
  readonly #linear: readonly LinearCondition[];
  /** Indices of the curved conditions. */
  readonly #curved: readonly number[];
  readonly #compiled: readonly CompiledCondition[];
  readonly #inwards: Inwards;
  /** Whether inputs are held to the last bit: a region without such an input keeps those that satisfy it up to roundings. */
  #isStrict = true;
  /** The linear conditions without the bounds. */
  readonly #parts: BoxParts;
  /** Whether a curved condition leaves nothing around the first point but points with the same numbers at their bounds. */
  #isAtBounds = false;
  /** Features of a point that satisfies everything but, perhaps, whole numbers. */
  #first: Float64Array;
  /** Length n: for inputs that are looked at a single time, as in each move of a walk. */
  readonly #decoded: Float64Array;

  constructor(
    encoding: Encoding,
    given: readonly Condition[],
    { region, linear, parts, curved, compiled, inwards }: ConditionParts,
  ) {
    this.region = region;
    this.#encoding = encoding;
    this.#given = given;
    this.#linear = linear;
    this.#curved = curved;
    this.#compiled = compiled;
    this.#inwards = inwards;
    this.#parts = parts;
    this.#first = region.middle;
    this.#decoded = new Float64Array(encoding.n);
  }

  /** The same conditions in a smaller box; null when they leave nothing of it, or no point of it is found. */
  within({ lower, upper }: Bounds, random: RandomStream): Conditions | null {
    const made = makeRegion(lower, upper, this.#linear, this.region.meter);
    if (made.kind === 'empty') return null;
    const smaller = new Conditions(this.#encoding, this.#given, {
      region: made.region,
      linear: this.#linear,
      parts: this.#parts,
      curved: this.#curved,
      compiled: this.#compiled,
      inwards: this.#inwards,
    });
    return smaller.begin(random, null) && smaller.#isStrict === this.#isStrict ? smaller : null;
  }

  /** The linear conditions within a box, as a quadratic program on the features. */
  programWithin({ lower, upper }: Bounds): BoxProgram {
    const { general, ...bounds } = this.#parts;
    return new BoxProgram(
      general,
      lower.map((low, f) => Math.max(low, bounds.lower[f]!)),
      upper.map((high, f) => Math.min(high, bounds.upper[f]!)),
    );
  }

  /** Describes for people, in natural units, what the conditions leave of the space. */
  report(random: RandomStream): RegionReport {
    const { n, p } = this.#encoding;
    const inputAt = (u: Float64Array) => Array.from(this.#inputOf(u));
    const ranges = rangesOf(this.region);
    const [low, high] = [0, 1].map((end) => inputAt(Float64Array.from({ length: p }, (_, f) => ranges[f]![end]!)));
    return {
      kind: 'open',
      conditionKinds: this.#given.map(({ relation }, index) => {
        if (this.#curved.includes(index)) return 'curved';
        return relation === '=' ? 'equation' : 'linear';
      }),
      interior: Array.from(this.settled(this.#inputOf(this.admissibleNear(this.#first, random) ?? this.#first))),
      ranges: Array.from({ length: n }, (_, v) => [low![v]!, high![v]!] as const),
    };
  }

  /** Finds the first point; false when there is none to be found. */
  begin(random: RandomStream, feasible: Float64Array | null): boolean {
    if (feasible !== null) {
      if (!this.areMet(feasible)) return false;
      this.#first = new Float64Array(this.#encoding.p);
      encode(this.#encoding, feasible, 0, this.#first, 0);
      // The search would not have found a point by itself: it may lie where only bounds leave room.
      this.#isAtBounds = this.#curved.length > 0;
      return true;
    }
    const points = walk(this.region, random);
    let u = this.region.middle;
    let nearly: Float64Array | null = null;
    for (let attempt = 0; attempt < FIRST_POINT_TRIES; attempt++) {
      const whole = this.#isCurvedMet(this.#inputOf(u)) ? this.#wholeNear(u) : null;
      const x = whole && this.#inputOf(whole);
      if (x && this.admits(x)) {
        this.#first = whole;
        return true;
      }
      if (x && this.areMet(x)) nearly ??= whole;
      // Without curved conditions other starts lead to the same whole numbers, or to none.
      if (this.#curved.length === 0 && attempt >= SAMPLES) break;
      u = points.next().value;
    }
    const cornered = this.#curved.length === 0 ? null : this.#firstAtBounds(random);
    if (cornered !== null) {
      this.#first = cornered;
      this.#isAtBounds = true;
      return true;
    }
    if (nearly === null) return false;
    this.#first = nearly;
    this.#isStrict = false;
    return true;
  }

  /** A first point with some numbers at their lower bounds: the only ones that a product at most 0 leaves. null when none is found. */
  #firstAtBounds(random: RandomStream): Float64Array | null {
    const { lower, upper } = this.region.program;
    const open = [...lower.keys()].filter((f) => lower[f]! < upper[f]!);
    if (open.length === 0) return null;
    const points = walk(this.region, random);
    for (let attempt = 0; attempt < AT_BOUNDS_TRIES; attempt++) {
      const u = points.next().value;
      const held = new Uint8Array(u.length);
      // The fewer, the more room is left around the point.
      const count = 1 + Math.floor((attempt * open.length) / AT_BOUNDS_TRIES);
      for (let k = 0; k < count; k++) {
        const f = open[random.below(open.length)]!;
        [held[f], u[f]] = [1, lower[f]!];
      }
      const near = projectHolding(this.region, u, held);
      const whole = near && this.#isCurvedMet(this.#inputOf(near)) ? this.#wholeNear(near) : null;
      if (whole !== null && this.admits(this.#inputOf(whole))) return whole;
    }
    return null;
  }

  /** Whether the space has so few inputs, 10,000 at most, that the admissible ones are counted. */
  get isCounted(): boolean {
    return this.#encoding.size <= COUNTED;
  }

  /** Number of admissible inputs, counted up to `limit`; the limit itself for spaces that are not counted. */
  countUpTo(limit: number): number {
    if (!this.isCounted) return limit;
    let count = 0;
    for (const x of everyInput(this.#encoding)) {
      if (count >= limit) break;
      if (this.admits(x)) count++;
    }
    return count;
  }

  /** Whether the input x (length n, natural units) satisfies every condition up to roundings, as data may. */
  areMet(x: Float64Array): boolean {
    for (const one of this.#compiled) {
      this.region.meter.spend(one.flops);
      if (!one.isMetAt(x)) return false;
    }
    return true;
  }

  /** Whether x can be handed out as it is. */
  keepsAll(x: Float64Array): boolean {
    return this.#isStrict ? this.#inwards.areKeptAt(x) : this.areMet(x);
  }

  /** Whether x, or an input a rounding away from it, can be handed out: see `settled`. */
  admits(x: Float64Array): boolean {
    return this.keepsAll(x) || (this.#isStrict && this.#inwards.move(x) !== null);
  }

  /**
   * x as it is handed out: moved by roundings so that whoever evaluates the conditions finds that inequalities hold, and equations
   * as well as doubles can. The same array where nothing is to be moved.
   */
  settled(x: Float64Array): Float64Array {
    return this.#inwards.move(x) ?? x;
  }

  /**
   * The admissible input that is nearest to u, as features: conditions met, discrete variables whole. Falls back to the
   * nearest of some walked points where a curved condition is in the way; null when none of these is admissible.
   */
  admissibleNear(u: Float64Array, random: RandomStream): Float64Array | null {
    const near = this.#wholeNear(u);
    if (near !== null && this.admits(this.#inputOf(near))) return near;
    if (this.#curved.length === 0) return null;
    const others = [...this.draw(SAMPLES, random), ...this.#atBoundsNear(u)];
    return others.sort((a, b) => squareBetween(a, u) - squareBetween(b, u))[0] ?? null;
  }

  /** The points nearest to u with one number at its lower bound, where a curved condition leaves only such ones. */
  #atBoundsNear(u: Float64Array): Float64Array[] {
    if (!this.#isAtBounds) return [];
    const { lower, upper } = this.region.program;
    return [...lower.keys()].flatMap((f) => {
      if (lower[f]! === upper[f]!) return [];
      const held = new Uint8Array(u.length);
      held[f] = 1;
      const near = projectHolding(
        this.region,
        Float64Array.from(u, (value, g) => (g === f ? lower[f]! : value)),
        held,
      );
      const whole = near && this.#wholeNear(near);
      return whole && this.admits(this.#inputOf(whole)) ? [whole] : [];
    });
  }

  /** Whether the curved conditions hold at the features u. */
  isCurvedMetAt(u: Float64Array): boolean {
    if (this.#curved.length === 0) return true;
    this.#spendDecoding();
    decode(this.#encoding, u, this.#decoded);
    return this.#isCurvedMet(this.#decoded);
  }

  /** Draws features of points, one a call, that satisfy everything but whole numbers. @param moves see `WalkOptions` */
  drawer(random: RandomStream, moves?: number): () => Float64Array {
    const isAdmissible = this.#curved.length === 0 ? null : (u: Float64Array) => this.isCurvedMetAt(u);
    const points = walk(this.region, random, { start: this.#first, isAdmissible, moves });
    return () => points.next().value;
  }

  /** The admissible point nearest to u that has the discrete variables of u, as features; null when there is none. */
  admissibleWithLevelsOf(u: Float64Array): Float64Array | null {
    const near = projectHolding(this.region, u, this.#heldFeatures());
    return near !== null && this.admits(this.#inputOf(near)) ? near : null;
  }

  /** At most `count` admissible points, as features, spread over the region by a random walk. */
  draw(count: number, random: RandomStream): Float64Array[] {
    return Array.from(this.points(count, random));
  }

  /** The same, each drawn when it is asked for. @param moves see `WalkOptions` */
  *points(count: number, random: RandomStream, moves?: number): Generator<Float64Array, void> {
    const next = this.drawer(random, moves);
    for (let k = 0; k < count; k++) {
      const whole = this.#wholeNear(next());
      if (whole !== null && this.admits(this.#inputOf(whole))) yield whole;
    }
  }

  /** The point of the linear region nearest to u whose discrete variables are whole; null when none is found. */
  #wholeNear(u: Float64Array): Float64Array | null {
    if (!this.#encoding.discrete.includes(1)) return projectOnto(this.region, u);
    return (
      projectHolding(this.region, this.#rounded(u), this.#heldFeatures()) ??
      nearestWhole(this.#encoding, this.region, u, (one) => this.#rounded(one))
    );
  }

  /** Length p: 1 for the features of discrete variables. */
  #heldFeatures(): Uint8Array {
    const { discrete, owner, p } = this.#encoding;
    return Uint8Array.from({ length: p }, (_, f) => discrete[owner[f]!]!);
  }

  /** u with the features of discrete variables at their nearest whole values. */
  #rounded(u: Float64Array): Float64Array {
    const { discrete, owner, p } = this.#encoding;
    const snapped = new Float64Array(p);
    encode(this.#encoding, this.#inputOf(u), 0, snapped, 0);
    return u.map((value, f) => (discrete[owner[f]!] === 1 ? snapped[f]! : value));
  }

  #isCurvedMet(x: Float64Array): boolean {
    for (const index of this.#curved) {
      const one = this.#compiled[index]!;
      this.region.meter.spend(one.flops);
      if (!(one.excessAt(x) <= 0)) return false;
    }
    return true;
  }

  #spendDecoding(): void {
    this.region.meter.spend(DECODING_FLOPS * this.#encoding.p);
  }

  #inputOf(u: Float64Array): Float64Array {
    this.#spendDecoding();
    const x = new Float64Array(this.#encoding.n);
    decode(this.#encoding, u, x);
    return x;
  }
}
