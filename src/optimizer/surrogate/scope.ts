import type { Conditions } from '../constraints/conditions.ts';
import type { Cases } from '../goal/cases.ts';
import { distancesBehind, frontOf, openOutputs } from '../goal/front.ts';
import { bestOf } from '../goal/targets.ts';
import type { Goal } from '../interface/problem.ts';
import { joined } from '../linalg/dense.ts';
import { makeRandom } from '../numerics/random.ts';
import type { Work } from '../numerics/work.ts';
import { type Encoding, likelyBox, movableCount } from '../space/encoding.ts';
import type { Box, SearchSpace } from '../space/search-space.ts';
import { outputsAt } from './fantasies.ts';
import { logScale } from './input-scale.ts';
import { type Grouping, makeGeometry } from './kernels.ts';
import {
  type CoarseModel,
  type CoarsePrediction,
  chooseModels,
  MANY_INPUTS,
  noiseVariance,
  type Scales,
  type Surrogate,
} from './model-choice.ts';
import { Predictor } from './predictor.ts';
import { changesOf, columnsOf, type Group, merged, pointsOf, type Step, stepsOf } from './slope-steps.ts';
import { fitLimit, selectRows, selectRowsOfFront } from './subset.ts';

/** The cases of a fit around a centre, and the box in which the next input is sought. */
export interface Scope {
  /** Numbers of the cases to fit. */
  readonly rows: Int32Array;
  /** Number of the case at the centre, one of the rows. */
  readonly center: number;
  readonly box: Box;
  /** The part of the box in which the client expects the solution; null for none. */
  readonly likely: Box | null;
  /** True for a local search, which models neither noise nor the asinh warp. */
  readonly local: boolean;
  /** True for a region with many cases: it models noise as well, and learns hyperparameters from more cases. Absent: false. */
  readonly isThorough?: boolean;
}

/** The whole space around the incumbent or the front, with the likely ranges where some are stated. */
export function globalScope({ encoding, conditions }: SearchSpace, cases: Cases, goal: Goal): Scope {
  const limit = fitLimit(movableCount(encoding));
  const center = bestOf(cases.loss);
  const open = cases.N > limit ? openOutputs(goal) : [];
  const { rows: front, points } = open.length > 0 ? frontOf(cases, open) : { rows: [], points: [] };
  const rows =
    front.length > 0
      ? selectRowsOfFront(cases.U, encoding.p, distancesBehind(cases, open, points), { front, center, limit })
      : selectRows(cases.U, encoding.p, cases.loss, limit);
  const box = { lower: encoding.lower, upper: encoding.upper, conditions };
  return { rows, center, box, likely: likelyPart(encoding, conditions), local: false };
}

/** The likely ranges as a box; null where none is stated and where the conditions leave nothing of them. */
function likelyPart(encoding: Encoding, conditions: Conditions | null): Box | null {
  if (encoding.variables.every(({ likely }) => likely === undefined)) return null;
  const box = likelyBox(encoding);
  if (conditions === null) return { ...box, conditions };
  const inside = conditions.within(box, makeRandom(9));
  return inside && { ...box, conditions: inside };
}

/** Cases with the models of cheaper sources. */
export interface KnownCases extends Cases {
  readonly coarse?: readonly CoarseModel[];
  /** The warps to choose from; absent: all. */
  readonly scales?: Scales;
}

/** Fits the models of all outputs to the cases of a scope. @param stall see `stallOf` */
export function fitScope(
  encoding: Encoding,
  cases: KnownCases,
  { rows, local, isThorough = false }: Scope,
  stall: number,
  work: Work,
): Surrogate {
  const { p } = encoding;
  const { intervals, noise, scales } = cases;
  const m = intervals.length;
  const N = rows.length;
  const U = new Float64Array(N * p);
  const Y = new Float64Array(N * m);
  rows.forEach((row, i) => {
    U.set(cases.U.subarray(row * p, (row + 1) * p), i * p);
    Y.set(cases.Y.subarray(row * m, (row + 1) * m), i * m);
  });
  const n = movableCount(encoding);
  const grouping = groupingOf(encoding, n);
  const isLocal = local && !isThorough;
  const scale = logScale(encoding);
  const modelsOf = (outputs: readonly number[], steps: readonly Step[]): Surrogate => {
    const slopes = steps.length > 0 ? { start: N, base: Int32Array.from(steps, ({ base }) => base) } : undefined;
    const all = slopes ? joined(U, pointsOf(U, p, steps)) : U;
    const count = N + steps.length;
    const geometry = makeGeometry(all, count, p, grouping, null, slopes);
    const logGeometry = scale ? makeGeometry(all, count, p, grouping, scale, slopes) : null;
    return chooseModels(
      {
        geometry,
        logGeometry,
        Y: outputs.length === m ? Y : columnsOf(Y, m, outputs),
        ...(slopes && { changes: changesOf(cases, p, rows, steps, outputs) }),
        intervals: outputs.map((j) => intervals[j]!),
        n,
        stall,
        local: isLocal,
        isThorough,
        noise: noise && outputs.map((j) => noise[j]!),
        coarse: (cases.coarse ?? []).map((model) => coarseAt(model, all, outputs, work)),
        ...(scales && { scales }),
      },
      work,
    );
  };
  const groups = stepsOf(cases, p, rows);
  if (groups.length === 1) {
    const [{ outputs, steps }] = groups as [Group];
    const surrogate = modelsOf(outputs, steps);
    return steps.length === 0 ? surrogate : { ...surrogate, geometry: makeGeometry(U, N, p, grouping) };
  }
  const parts = groups.map(({ outputs, steps }) => ({ outputs, surrogate: modelsOf(outputs, steps) }));
  return { ...merged(parts, m), geometry: makeGeometry(U, N, p, grouping) };
}

/** Variance between runs at one input, standardized, from which a source is noisy. */
const LEAST_NOISE = 1e-5;

/** Prediction of outputs at points by a cheaper source. */
function coarseAt(model: CoarseModel, points: Float64Array, outputs: readonly number[], work: Work): CoarsePrediction {
  const { surrogate } = model;
  const values = outputsAt(new Predictor(surrogate, work), points);
  return {
    model,
    warps: outputs.map((j) => surrogate.outputs[j]!.fitted?.warp ?? null),
    areNoisy: outputs.map((j) => noiseVariance(surrogate, j) > LEAST_NOISE),
    values: columnsOf(values, surrogate.outputs.length, outputs),
  };
}

/** One length scale per variable, or one for all of many variables. */
function groupingOf(encoding: Encoding, n: number): Grouping {
  if (n > MANY_INPUTS) return { count: 1, of: new Int32Array(encoding.p) };
  const of = new Int32Array(encoding.p);
  let count = 0;
  for (let v = 0; v < encoding.n; v++) {
    for (let f = encoding.first[v]!; f < encoding.first[v + 1]!; f++) of[f] = encoding.movable[v] === 1 ? count : 0;
    if (encoding.movable[v] === 1) count++;
  }
  return { count: Math.max(1, count), of };
}
