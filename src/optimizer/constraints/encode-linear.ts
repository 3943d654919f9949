import type { Condition } from '../interface/problem.ts';
import type { Encoding } from '../space/encoding.ts';
import type { LinearForm } from './expression.ts';

/** The condition on the features: x_v = middle_v + half_v u_f for every number, a constant for one that is held. */
export function encodeLinear(
  encoding: Encoding,
  { constant, coefficients }: LinearForm,
  relation: Condition['relation'],
) {
  const encoded = new Float64Array(encoding.p);
  let rest = constant;
  for (const [v, value] of coefficients) {
    const { minimum, maximum } = encoding.scales[v]!;
    if (encoding.movable[v] === 0) {
      rest += value * encoding.variables[v]!.minimum;
      continue;
    }
    rest += value * (minimum / 2 + maximum / 2);
    encoded[encoding.first[v]!]! += value * (maximum / 2 - minimum / 2);
  }
  const sign = relation === '<=' ? -1 : 1;
  return { coefficients: encoded.map((one) => sign * one), bound: -sign * rest, isEquation: relation === '=' };
}
