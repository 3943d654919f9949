import type { Cases } from '../cases.ts';
import type { Work } from '../numerics/work.ts';
import { type Coding, movableCount } from '../space.ts';
import { logScale } from '../surrogate/input-scale.ts';
import { type Grouping, makeGeometry } from '../surrogate/kernels.ts';
import { chooseModels, type Surrogate } from '../surrogate/model-choice.ts';
import { bestOf } from '../targets.ts';
import type { Box } from './box-newton.ts';
import { fitLimit, selectRows } from './subset.ts';

/** A fit over some cases around a centre, and the box in which the next input is sought. */
export interface Scope {
  readonly rows: Int32Array;
  readonly center: number;
  readonly box: Box;
  readonly local: boolean;
}

/** The whole box around the best case. */
export function globalScope(coding: Coding, cases: Cases): Scope {
  const rows = selectRows(cases.U, coding.p, cases.merit, fitLimit(movableCount(coding)));
  const box = { lower: coding.lower, upper: coding.upper };
  return { rows, center: bestOf(cases.merit), box, local: false };
}

/** Fits the models of all outputs to the cases of a scope. */
export function fitScope(coding: Coding, cases: Cases, { rows, local }: Scope, stall: number, work: Work): Surrogate {
  const { p } = coding;
  const { intervals } = cases;
  const m = intervals.length;
  const N = rows.length;
  const U = new Float64Array(N * p);
  const Y = new Float64Array(N * m);
  rows.forEach((row, i) => {
    U.set(cases.U.subarray(row * p, (row + 1) * p), i * p);
    Y.set(cases.Y.subarray(row * m, (row + 1) * m), i * m);
  });
  const n = movableCount(coding);
  const grouping = groupingOf(coding, n);
  const scale = logScale(coding);
  const geometry = makeGeometry(U, N, p, grouping);
  const logGeometry = scale ? makeGeometry(U, N, p, grouping, scale) : null;
  return chooseModels({ geometry, logGeometry, Y, intervals, n, stall, local }, work);
}

/** One length scale per variable up to twelve of them, one for all beyond. */
function groupingOf(coding: Coding, n: number): Grouping {
  if (n > 12) return { count: 1, of: new Int32Array(coding.p) };
  const of = new Int32Array(coding.p);
  let count = 0;
  for (let v = 0; v < coding.n; v++) {
    for (let f = coding.first[v]!; f < coding.first[v + 1]!; f++)
      of[f] = Math.max(0, coding.movable[v] === 1 ? count : 0);
    if (coding.movable[v] === 1) count++;
  }
  return { count: Math.max(1, count), of };
}
