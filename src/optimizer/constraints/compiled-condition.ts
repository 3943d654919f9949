import { isConditionMet, termsOf } from '../../numbers/conditions.ts';
import type { Condition, Expression, Variable } from '../interface/problem.ts';
import { type LinearForm, linearFormOf } from './expression.ts';
import { Program } from './program.ts';

/** Approximate flops of one evaluation besides those of its expressions. */
const CALL_FLOPS = 30;
/**
 * Difference between mathematics libraries, as a share of the terms: a user's program may compute the last bits of a
 * power, an exponential, a logarithm or a sine differently.
 */
const LIBRARIES = 2 ** -48;
/** Functions whose values are the same everywhere. */
const EXACT: ReadonlySet<string> = new Set(['sqrt', 'abs', 'min', 'max']);

/** A condition that is evaluated often. Inputs x have length n and natural units. */
export class CompiledCondition {
  /** Approximate number of flops of one evaluation. */
  readonly flops: number;
  readonly relation: Condition['relation'];
  /** The inputs that it mentions, ascending. */
  readonly inputs: readonly number[];
  /** Left side minus right side as a linear form; null if it is not linear. */
  readonly form: LinearForm | null;
  readonly #condition: Condition;
  readonly #box: readonly Variable[];
  readonly #left: Program;
  readonly #right: Program;
  /** Whether its values may differ in the last bits elsewhere. */
  readonly #isInexact: boolean;

  constructor(condition: Condition, box: readonly Variable[]) {
    const { left, relation, right } = condition;
    this.#condition = condition;
    this.#box = box;
    this.#left = new Program(left);
    this.#right = new Program(right);
    this.relation = relation;
    this.form = linearFormOf({ kind: 'operation', operator: '-', of: [left, right] });
    const { inputs, isInexact } = lookThrough([left, right]);
    this.inputs = inputs;
    this.#isInexact = isInexact;
    this.flops = CALL_FLOPS + this.#left.flops + this.#right.flops;
  }

  /** The left side less the right one, as whoever evaluates both in the order in which they are written finds it. */
  differenceAt(x: Float64Array): number {
    return this.#left.at(x) - this.#right.at(x);
  }

  /** By how much the difference of the sides breaks the condition; at most 0 where it holds. */
  excessAt(x: Float64Array): number {
    const difference = this.differenceAt(x);
    if (this.relation === '=') return Math.abs(difference);
    return this.relation === '<=' ? difference : -difference;
  }

  /** Whether x satisfies the condition up to roundings. */
  isMetAt(x: Float64Array): boolean {
    return this.excessAt(x) <= 0 || isConditionMet(this.#condition, x, this.#box);
  }

  /**
   * The amount by which an inequality falls short of holding to the last bit on every machine, at most 0 if it holds; NaN where it has no
   * value.
   *
   * @param isMovable whether some input of it can keep away from the border; values that cannot move, such as 3 and 4 in
   *   a^2 + b^2 <= 25, are taken as they are
   */
  shortfallAt(x: Float64Array, isMovable: boolean): number {
    const excess = this.excessAt(x);
    return this.#isInexact && isMovable ? excess + LIBRARIES * termsOf(this.#condition, x) : excess;
  }
}

function lookThrough(expressions: readonly Expression[]) {
  const inputs = new Set<number>();
  let isInexact = false;
  const open = [...expressions];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (one.kind === 'input') inputs.add(one.input);
    else if (one.kind !== 'number') {
      isInexact ||= one.kind === 'call' ? !EXACT.has(one.name) : one.operator === '^';
      open.push(...one.of);
    }
  }
  return { inputs: [...inputs].sort((a, b) => a - b), isInexact };
}
