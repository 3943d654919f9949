import type { Condition } from '../problem.ts';
import { type LinearForm, linearFormOf } from './expression.ts';
import { Program } from './program.ts';

/** Violation, relative to the largest term and at least 1, up to which a condition holds. */
const TOLERANCE = 1e-9;
/** Approximate flops of one evaluation besides those of its expressions. */
const CALL_FLOPS = 30;

interface Side {
  readonly program: Program;
  /** null where the side is not linear. */
  readonly form: LinearForm | null;
}

/** A condition that is evaluated often. Inputs x have length n and natural units. */
export class CompiledCondition {
  /** Approximate number of flops of one evaluation. */
  readonly flops: number;
  readonly #left: Side;
  readonly #right: Side;
  readonly #relation: Condition['relation'];

  constructor({ left, relation, right }: Condition) {
    this.#left = { program: new Program(left), form: linearFormOf(left) };
    this.#right = { program: new Program(right), form: linearFormOf(right) };
    this.#relation = relation;
    this.flops = CALL_FLOPS + this.#left.program.flops + this.#right.program.flops;
  }

  /** By how much the difference of the sides breaks the condition; at most 0 where it holds. */
  excessAt(x: Float64Array): number {
    const difference = this.#left.program.at(x) - this.#right.program.at(x);
    if (this.#relation === '=') return Math.abs(difference);
    return this.#relation === '<=' ? difference : -difference;
  }

  /** Whether x satisfies the condition to 1e-9 of its largest term. */
  isMetAt(x: Float64Array): boolean {
    const excess = this.excessAt(x);
    if (!Number.isFinite(excess)) return false;
    // The largest term is at least 1, so that most conditions need no look at their terms.
    return excess <= TOLERANCE || this.violationAt(x) <= TOLERANCE;
  }

  /** By how much x breaks the condition, relative to its largest term and at least 1; Infinity where it has no value. */
  violationAt(x: Float64Array): number {
    const excess = this.excessAt(x);
    if (!Number.isFinite(excess)) return Number.POSITIVE_INFINITY;
    return excess / Math.max(1, largestTerm(this.#left, x), largestTerm(this.#right, x));
  }
}

/** The largest summand of a linear side, or the value of another one. */
function largestTerm({ form, program }: Side, x: Float64Array): number {
  if (form === null) return Math.abs(program.at(x));
  let largest = Math.abs(form.constant);
  for (const [input, factor] of form.coefficients) largest = Math.max(largest, Math.abs(factor * x[input]!));
  return largest;
}
