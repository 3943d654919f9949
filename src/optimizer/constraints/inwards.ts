/**
 * Inputs moved by roundings, so that inequalities hold to the last bit and equations as well as doubles can.
 *
 * A projection satisfies conditions to about 1e-14 of their terms, and its features become an input by one more rounding. Whoever
 * evaluates a condition at the input that is handed out would find 4.999999999999999 for `a + b >= 5`, and 1e-14 of a share
 * that is switched off. All moves are of the size of such errors: the search does not notice them.
 */
import type { Meter } from '../numerics/work.ts';
import type { Encoding } from '../space/encoding.ts';
import type { CompiledCondition } from './compiled-condition.ts';

/** Moves without any progress after which an input is given up. */
const PATIENCE = 24;
/** Moves in all, and per condition. */
const MOVES = { least: 60, perCondition: 6 };
/** A number this near to a bound, as a share of the bound or of a range around 0, stands at it. */
const AT_BOUND = 1e-12;
/** The least spacing of doubles, as a share. */
const EPSILON = 2 ** -52;
/** Relative size below which a coefficient is a rounding error left by elimination. */
const DEPENDENT = 1e-9;
/** Part of the range over which the slope of a curved condition is taken. */
const SLOPE_STEP = 1e-6;

/** Conditions, and the inputs that roundings may move. */
export class Inwards {
  readonly #encoding: Encoding;
  readonly #conditions: readonly CompiledCondition[];
  readonly #meter: Meter;
  /** Length n: 1 for a number that takes any value within its bounds. */
  readonly #isMovable: Uint8Array;
  /** Per condition: the movable inputs that it mentions. */
  readonly #movable: readonly (readonly number[])[];
  /** Per input: the conditions that mention it. */
  readonly #mentioning: readonly (readonly number[])[];

  constructor(encoding: Encoding, conditions: readonly CompiledCondition[], meter: Meter) {
    const { n, movable, discrete, variables } = encoding;
    this.#encoding = encoding;
    this.#conditions = conditions;
    this.#meter = meter;
    this.#isMovable = Uint8Array.from({ length: n }, (_, v) =>
      movable[v] === 1 && discrete[v] === 0 && variables[v]!.fixedAt === undefined ? 1 : 0,
    );
    this.#movable = conditions.map(({ inputs }) => inputs.filter((v) => this.#isMovable[v] === 1));
    const mentioning: number[][] = Array.from({ length: n }, () => []);
    for (const [c, { inputs }] of conditions.entries()) for (const v of inputs) mentioning[v]!.push(c);
    this.#mentioning = mentioning;
  }

  /** Whether every inequality holds at x to the last bit, and every equation up to roundings. */
  areKeptAt(x: Float64Array): boolean {
    return this.#conditions.every((one, c) =>
      one.relation === '=' ? this.#spend(one) && one.isMetAt(x) : this.#shortfall(c, x) <= 0,
    );
  }

  /**
   * The input next to x, length n, at which every inequality holds to the last bit; null when none is found, and where x breaks a
   * condition by more than roundings. x itself, the same array, where nothing is to be moved.
   */
  move(x: Float64Array): Float64Array | null {
    if (!this.#conditions.every((one) => this.#spend(one) && one.isMetAt(x))) return null;
    const moved = x.slice();
    this.#settleAtBounds(moved);
    this.#meetTogether(moved);
    if (!this.#meetInequalities(moved)) return null;
    this.#meetEquations(moved);
    if (!this.areKeptAt(moved)) return null;
    return moved.every((value, v) => value === x[v]) ? x : moved;
  }

  /** Puts what a rounding moved off a bound back to it. */
  #settleAtBounds(x: Float64Array): void {
    for (let v = 0; v < x.length; v++) {
      if (this.#isMovable[v] === 1) x[v] = this.#within(v, x[v]!);
    }
  }

  /** Moves one number at a time, first by what a condition lacks, then by more and more. */
  #meetInequalities(x: Float64Array): boolean {
    let fewest = Number.POSITIVE_INFINITY;
    let idle = 0;
    const most = MOVES.least + MOVES.perCondition * this.#conditions.length;
    for (let move = 0; move < most && idle < PATIENCE; move++) {
      const all = this.#brokenAt(x);
      if (all.length === 0) return true;
      idle = all.length < fewest ? 0 : idle + 1;
      fewest = Math.min(fewest, all.length);
      if (!this.#meet(all[idle % all.length]!, x, idle)) idle++;
    }
    return this.#brokenAt(x).length === 0;
  }

  /** The inequalities that do not hold. */
  #brokenAt(x: Float64Array): number[] {
    const broken: number[] = [];
    for (let c = 0; c < this.#conditions.length; c++) {
      if (this.#conditions[c]!.relation !== '=' && !(this.#shortfall(c, x) <= 0)) broken.push(c);
    }
    return broken;
  }

  /** Moves the number that breaks the fewest other conditions; false when none can move. @param idle moves without progress so far */
  #meet(c: number, x: Float64Array, idle: number): boolean {
    const lacking = this.#shortfall(c, x);
    if (!Number.isFinite(lacking)) return false;
    const best = { v: -1, value: 0, cost: Number.POSITIVE_INFINITY };
    for (const v of this.#movable[c]!) {
      const slope = this.#slopeOf(c, v, x);
      if (slope === 0 || !Number.isFinite(slope)) continue;
      const [before, isIncreased] = [x[v]!, slope < 0];
      const least = idle === 0 ? 0 : EPSILON * Math.abs(before) * 2 ** (idle - 1);
      const distance = Math.max((lacking / Math.abs(slope)) * (1 + idle / 2), least);
      let value = this.#within(v, isIncreased ? before + distance : before - distance);
      if (value === before) value = this.#within(v, isIncreased ? nextUp(before) : -nextUp(-before));
      if (value === before) continue;
      x[v] = value;
      const cost = this.#costAround(v, x) + (this.#shortfall(c, x) <= 0 ? 0 : 1);
      x[v] = before;
      if (cost < best.cost) Object.assign(best, { v, value, cost });
    }
    if (best.v < 0) return false;
    x[best.v] = best.value;
    return true;
  }

  /**
   * One step to the solution of several equations that share inputs: as many inputs are solved for as there are independent equations,
   * by Gauss-Jordan elimination, and the others stay.
   */
  #meetTogether(x: Float64Array): void {
    const equations = [...this.#conditions.keys()].filter((c) => this.#conditions[c]!.relation === '=');
    if (equations.length < 2) return;
    const inner = [...x.keys()].filter((v) => this.#isMovable[v] === 1 && this.#isInner(v, x[v]!));
    const width = inner.length + 1;
    const rows = equations.map((c) => {
      const one = this.#conditions[c]!;
      const row = Float64Array.from({ length: width }, (_, k) => one.form?.coefficients.get(inner[k]!) ?? 0);
      row[width - 1] = this.#spend(one) ? -one.differenceAt(x) : 0;
      return row;
    });
    if (rows.every((row) => row[width - 1] === 0)) return;
    this.#meter.spend(2 * rows.length ** 2 * width);
    const sizes = rows.map((row) => row.subarray(0, width - 1).reduce((most, a) => Math.max(most, Math.abs(a)), 0));
    const solvedFor = rows.map((row, i) => {
      const pivot = this.#pivotOf(row.subarray(0, width - 1), inner);
      // Elimination reduces an equation that follows from others to rounding errors.
      if (pivot < 0 || Math.abs(row[pivot]!) <= DEPENDENT * sizes[i]!) return -1;
      const scale = row[pivot]!;
      for (let k = 0; k < width; k++) row[k]! /= scale;
      for (const [j, other] of rows.entries()) {
        const factor = j === i ? 0 : other[pivot]!;
        if (factor !== 0) for (let k = 0; k < width; k++) other[k]! -= factor * row[k]!;
      }
      return pivot;
    });
    for (const [i, pivot] of solvedFor.entries()) {
      if (pivot >= 0) x[inner[pivot]!] = this.#within(inner[pivot]!, x[inner[pivot]!]! + rows[i]![width - 1]!);
    }
  }

  /** The input with the largest coefficient, over the range of the input, among those in the fewest inequalities; -1 for none. */
  #pivotOf(coefficients: Float64Array, inner: readonly number[]): number {
    let best = -1;
    let most = 0;
    for (const [k, v] of inner.entries()) {
      const { minimum, maximum } = this.#encoding.variables[v]!;
      const inequalities = this.#mentioning[v]!.filter((c) => this.#conditions[c]!.relation !== '=').length;
      const weight = (Math.abs(coefficients[k]!) * (maximum / 2 - minimum / 2)) / (1 + inequalities);
      if (weight > most) [best, most] = [k, weight];
    }
    return best;
  }

  /** Brings each equation as near as one number can while the inequalities hold. */
  #meetEquations(x: Float64Array): void {
    for (let round = 0; round < 3; round++) {
      let isChanged = false;
      for (const [c, one] of this.#conditions.entries()) {
        if (one.relation === '=' && this.#spend(one) && one.excessAt(x) > 0)
          isChanged = this.#meetEquation(c, x) || isChanged;
      }
      if (!isChanged) return;
    }
  }

  #meetEquation(c: number, x: Float64Array): boolean {
    const one = this.#conditions[c]!;
    const difference = one.differenceAt(x);
    const best = { v: -1, value: 0, cost: Math.abs(difference) };
    for (const v of this.#movable[c]!) {
      const slope = this.#slopeOf(c, v, x);
      if (slope === 0 || !Number.isFinite(slope)) continue;
      const before = x[v]!;
      const others = this.#equationsBesides(c, v, x);
      const aim = before - difference / slope;
      for (const value of [aim, nextUp(aim), -nextUp(-aim), nextUp(before), -nextUp(-before)]) {
        if (value === before || !this.#isInside(v, value)) continue;
        x[v] = value;
        const cost = one.excessAt(x);
        if (cost < best.cost && this.#costAround(v, x) === 0 && this.#equationsBesides(c, v, x) <= others) {
          Object.assign(best, { v, value, cost });
        }
        x[v] = before;
      }
      if (best.cost === 0) break;
    }
    if (best.v < 0) return false;
    x[best.v] = best.value;
    return true;
  }

  /** The sum of what the other equations with input v miss. */
  #equationsBesides(c: number, v: number, x: Float64Array): number {
    let sum = 0;
    for (const other of this.#mentioning[v]!) {
      const one = this.#conditions[other]!;
      if (other !== c && one.relation === '=') sum += this.#spend(one) ? one.excessAt(x) : 0;
    }
    return sum;
  }

  /** Number of inequalities with input v that do not hold. */
  #costAround(v: number, x: Float64Array): number {
    let count = 0;
    for (const c of this.#mentioning[v]!) {
      if (this.#conditions[c]!.relation !== '=' && !(this.#shortfall(c, x) <= 0)) count++;
    }
    return count;
  }

  #shortfall(c: number, x: Float64Array): number {
    const one = this.#conditions[c]!;
    this.#spend(one);
    return one.shortfallAt(x, this.#movable[c]!.length > 0);
  }

  /** Slope along input v of the shortfall of an inequality, or of the difference of an equation. */
  #slopeOf(c: number, v: number, x: Float64Array): number {
    const one = this.#conditions[c]!;
    const sign = one.relation === '>=' ? -1 : 1;
    if (one.form !== null) return sign * (one.form.coefficients.get(v) ?? 0);
    const before = x[v]!;
    const { minimum, maximum } = this.#encoding.variables[v]!;
    const step = SLOPE_STEP * Math.min(maximum / 2 - minimum / 2, Math.abs(before) || Number.POSITIVE_INFINITY);
    const there = before + step <= maximum ? before + step : before - step;
    const here = one.differenceAt(x);
    x[v] = there;
    const difference = one.differenceAt(x) - here;
    x[v] = before;
    this.#meter.spend(2 * one.flops);
    return (sign * difference) / (there - before);
  }

  /** The value within the bounds of input v, and at a bound that is a rounding away. */
  #within(v: number, value: number): number {
    const { minimum, maximum } = this.#encoding.variables[v]!;
    const isAround = minimum <= 0 && maximum >= 0;
    const roundingAt = (bound: number) => AT_BOUND * (isAround ? maximum / 2 - minimum / 2 : Math.abs(bound));
    if (value <= minimum + roundingAt(minimum)) return minimum;
    return value >= maximum - roundingAt(maximum) ? maximum : value;
  }

  #isInner(v: number, value: number): boolean {
    const { minimum, maximum } = this.#encoding.variables[v]!;
    return value > minimum && value < maximum;
  }

  #isInside(v: number, value: number): boolean {
    const { minimum, maximum } = this.#encoding.variables[v]!;
    return value >= minimum && value <= maximum;
  }

  #spend({ flops }: CompiledCondition): true {
    this.#meter.spend(flops);
    return true;
  }
}

/** The next larger double. */
function nextUp(x: number): number {
  return x + Math.abs(x) * (2 ** -53 * (1 + EPSILON));
}
