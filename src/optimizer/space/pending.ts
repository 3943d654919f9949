import type { SuggestRequest } from '../interface/problem.ts';
import { type Encoding, encode } from './encoding.ts';

/** Inputs handed out whose outputs are not known yet, in the order of their iterations. */
export interface Pending {
  readonly count: number;
  /** count x n, natural units. */
  readonly X: Float64Array;
  /** count x p, encoded. */
  readonly U: Float64Array;
}

export function encodePending({ pending: X = new Float64Array(0) }: SuggestRequest, encoding: Encoding): Pending {
  const { n, p } = encoding;
  const count = X.length / n;
  const U = new Float64Array(count * p);
  for (let i = 0; i < count; i++) encode(encoding, X, i * n, U, i * p);
  return { count, X, U };
}
