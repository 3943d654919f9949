/** Inputs as they are made: what was asked for, plus a deviation within the tolerances. */

import type { InputTolerances } from '../interface/problem.ts';
import type { RandomStream } from '../numerics/random.ts';
import { type Encoding, encode } from '../space/encoding.ts';

/** Throws RangeError for tolerances that do not fit the space. */
export function checkTolerances({ values }: InputTolerances, n: number): void {
  if (values.length !== n) throw new RangeError('tolerances.values must have one entry per input');
  if (!values.every((value) => Number.isFinite(value) && value >= 0))
    throw new RangeError('tolerances.values must be finite and not negative');
}

/** The inputs that deviate: numbers with a tolerance, and with more than one value. */
export function deviatingInputs({ variables, movable }: Encoding, { values }: InputTolerances): number[] {
  const isNumber = (v: number) => variables[v]!.kind === 'float' || variables[v]!.kind === 'integer';
  return Array.from(variables.keys()).filter((v) => values[v]! > 0 && movable[v] === 1 && isNumber(v));
}

/** `count` rows of n standard deviates, normal or uniform in [-1, 1]; each odd row is the negative of the row before. */
export function standardDeviates(kind: InputTolerances['kind'], count: number, n: number, random: RandomStream) {
  const out = new Float64Array(count * n);
  const draw = () => (kind === 'normal' ? random.normal() : 2 * random.uniform() - 1);
  for (let k = 0; k < count; k++) {
    for (let v = 0; v < n; v++) {
      const isMirrored = k % 2 === 1;
      out[k * n + v] = isMirrored ? -out[(k - 1) * n + v]! : draw();
    }
  }
  return out;
}

/** The value of input v that is made when x is asked for, with standard deviate e: whole for integers, within the bounds. */
function madeValue({ variables }: Encoding, tolerances: InputTolerances, v: number, x: number, e: number): number {
  const { kind, minimum, maximum } = variables[v]!;
  const width = tolerances.in === 'percent' ? (tolerances.values[v]! / 100) * Math.abs(x) : tolerances.values[v]!;
  const made = kind === 'integer' ? x + Math.round(width * e) : x + width * e;
  return Math.min(maximum, Math.max(minimum, made));
}

/**
 * Writes the features of the input made when x (length n) is asked for to u (length p).
 *
 * @param deviates n standard deviates from `offset`
 * @param deviating of `deviatingInputs`; all other inputs are made exactly
 */
export function encodeMade(
  encoding: Encoding,
  tolerances: InputTolerances,
  x: Float64Array,
  deviates: Float64Array,
  offset: number,
  deviating: readonly number[],
  u: Float64Array,
): void {
  const made = x.slice();
  for (const v of deviating) made[v] = madeValue(encoding, tolerances, v, x[v]!, deviates[offset + v]!);
  encode(encoding, made, 0, u, 0);
}
