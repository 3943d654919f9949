/** Ranks the evaluated inputs by how surely they meet the targets. */

import type { Cases } from '../goal/cases.ts';
import { meanOf, repeatsIn } from '../goal/repeats.ts';
import { distanceTo, l1NormOf } from '../goal/targets.ts';
import type { Goal, Standing } from '../interface/problem.ts';
import { choleskyInPlace } from '../linalg/cholesky.ts';
import { dot } from '../linalg/dense.ts';
import type { Work } from '../numerics/work.ts';
import type { Prepared } from '../search/prepare.ts';
import { movableCount } from '../space/encoding.ts';
import { isInSpace } from '../space/seen.ts';
import { leaveOneOutPrecision } from '../surrogate/gaussian-process.ts';
import type { Surrogate } from '../surrogate/model-choice.ts';
import { Predictor } from '../surrogate/predictor.ts';
import { globalScope } from '../surrogate/scope.ts';
import { type Belief, beliefAt, type NoisyModels, type RunsThere } from './belief.ts';
import { type Draws, ofMean, ofShare, PROMISING } from './probability.ts';

/** An input that has been evaluated. */
export interface Tried extends RunsThere {
  /** Length p. */
  readonly u: Float64Array;
  readonly pending: number;
}

/** Degrees of freedom that the noise of the models is worth at most: elsewhere it may be different. */
const MOST_FREEDOM = 16;
/** Next to nothing: models of few cases take noise for a part of the function. */
const LEAST_FREEDOM = 0.01;
/** Initial widening of the variances of the models, and the number of inputs beyond those of the space over which it fades. */
const DOUBT = 4;
/** Cases without correlation that those known are joined by. */
const INDEPENDENT_CASES = 8;

export function makeModels(prepared: Prepared, work: Work): NoisyModels {
  const { cases, encoding } = prepared;
  const { noise } = prepared.request;
  const surrogate = prepared.fitGlobally(work);
  const predictor = new Predictor(surrogate, work);
  const repeats = repeatsIn(cases.U, encoding.p, cases.N);
  const n = movableCount(encoding);
  const beyond = Math.max(1, repeats.length - n - 1);
  // Each repeat tells about the noise, and a third of what the models have left over.
  const freedom = cases.N - repeats.length + Math.max(0, repeats.length - n - 1) / 3;
  return {
    cases,
    surrogate,
    predictor,
    rows: new Set(globalScope(prepared, cases, prepared.request.goal).rows),
    // The repeats at the input itself count beside this.
    freedomAt: (runs) => Math.min(MOST_FREEDOM, Math.max(LEAST_FREEDOM, freedom - Math.max(0, runs - 1))),
    least: noise?.asked?.kind === 'confidence' ? noise.asked.least : 1 - PROMISING,
    doubt: 1 + DOUBT / beyond,
    correlation: correlationOf(surrogate),
  };
}

/**
 * The Cholesky factor of the correlation of the leave-one-out residuals of the outputs, shrunk toward independence as if a few more
 * cases had none. Noise and the errors of the models both show in them.
 */
function correlationOf({ outputs, kernels, geometry: { N } }: Surrogate): Float64Array {
  const m = outputs.length;
  const residuals = outputs.map(({ fitted }) => {
    if (!fitted) return new Float64Array(N);
    const precision = leaveOneOutPrecision(kernels[fitted.kernel]!.factorized);
    return fitted.conditioned.alpha.map((alpha, i) => (precision[i]! > 0 ? alpha / Math.sqrt(precision[i]!) : 0));
  });
  const lengths = residuals.map((one) => Math.sqrt(dot(one, 0, one, 0, N)));
  const share = N / (N + INDEPENDENT_CASES);
  const factor = new Float64Array(m * m);
  for (let j = 0; j < m; j++) {
    for (let k = 0; k < j; k++) {
      const scale = lengths[j]! * lengths[k]!;
      factor[j * m + k] = scale > 0 ? (share * dot(residuals[j]!, 0, residuals[k]!, 0, N)) / scale : 0;
    }
    factor[j * m + j] = 1;
  }
  if (!choleskyInPlace(factor, m)) throw new Error('a shrunk correlation is positive definite');
  return factor;
}

/** The inputs that a run has succeeded at and that may be run again, in the order of their first runs. */
export function triedInputs({ request, cases, encoding, pending }: Prepared): Tried[] {
  const { n, p } = encoding;
  const countAt = (U: Float64Array, u: Float64Array) => {
    let count = 0;
    for (let i = 0; i < U.length; i += p) if (u.every((value, f) => value === U[i + f])) count++;
    return count;
  };
  return repeatsIn(cases.U, p, cases.N)
    .filter(({ members: [first] }) => {
      const row = cases.rows[first!]!;
      return (
        cases.isAdmissible[first!] === 1 && isInSpace(encoding, request.history.X.subarray(row * n, (row + 1) * n))
      );
    })
    .map(({ members }) => {
      const u = cases.U.slice(members[0]! * p, (members[0]! + 1) * p);
      const hits = members.filter((i) => isMeanInside(cases, request.goal, [i])).length;
      return { u, members, hits, failures: countAt(cases.failedU, u), pending: countAt(pending.U, u) };
    });
}

/** The beliefs about one input, in the units in which fresh runs and means are judged. */
export interface Beliefs {
  readonly forRun: Belief;
  readonly forMean: Belief;
}

export type Probabilities = Pick<Standing, 'run' | 'mean'>;

export function beliefsAt(
  models: NoisyModels,
  goal: Goal,
  meansIn: 'means' | 'outputs',
  u: Float64Array,
  tried: Tried | null,
): Beliefs {
  const runs = tried ?? { members: [], hits: 0, failures: 0 };
  const forMean = beliefAt(models, u, runs, goal.l1 ? 'outputs' : meansIn);
  return { forRun: goal.l1 ? forMean : beliefAt(models, u, runs, 'models'), forMean };
}

export function judgeBeliefs({ forRun, forMean }: Beliefs, goal: Goal, draws: Draws): Probabilities {
  return { run: ofShare(forRun, goal.l1, draws), mean: ofMean(forMean, goal.l1, draws) };
}

/** Whether the mean of the runs at an input meets all targets. */
export function isMeanInside({ Y, intervals }: Cases, { l1 }: Goal, members: readonly number[]): boolean {
  const m = intervals.length;
  const means = intervals.map((_, j) => meanOf(members, (i) => Y[i * m + j]!));
  if (l1) return l1NormOf(l1, (j) => means[j]!) <= l1.threshold;
  return intervals.every((interval, j) => distanceTo(interval, means[j]!) === 0);
}
