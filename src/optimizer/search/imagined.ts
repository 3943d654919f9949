import type { Cases } from '../goal/cases.ts';
import { bestOf, lossesOnScale, lossScales } from '../goal/targets.ts';
import type { SuggestRequest } from '../interface/problem.ts';
import { joined } from '../linalg/dense.ts';
import { makeRandom } from '../numerics/random.ts';
import type { Work } from '../numerics/work.ts';
import type { Encoding } from '../space/encoding.ts';
import type { Pending } from '../space/pending.ts';
import { imagine } from '../surrogate/fantasies.ts';
import type { Surrogate } from '../surrogate/model-choice.ts';
import { Predictor } from '../surrogate/predictor.ts';
import type { Scope } from '../surrogate/scope.ts';
import { applySecantCorrection } from '../surrogate/secant-correction.ts';

/** The models of a scope. */
export interface ScopeModels {
  readonly surrogate: Surrogate;
  /** Corrected around a case of the surrogate. */
  readonly predictor: Predictor;
}

/** Knowledge of a search with pending inputs. */
interface Known {
  readonly request: SuggestRequest;
  readonly encoding: Encoding;
  readonly cases: Cases;
  readonly pending: Pending;
}

/** Slack for features that the box holds at one value. */
const ROUNDING = 1e-9;

/**
 * The models of a scope, conditioned on the imagined outputs of the pending inputs; the same models without any. The outputs
 * are samples, drawn again for every suggestion: each follows another truth that the models hold possible, where with
 * predicted means all would follow one. A local scope takes only the inputs within one width of its box around the
 * centre. The models are corrected around the imagined case that comes nearest to the goal if it comes nearer than the centre.
 */
export function imaginePending(
  { request, encoding, cases, pending }: Known,
  scope: Scope,
  { surrogate, predictor }: ScopeModels,
  work: Work,
): ScopeModels {
  const U = pendingWithin(scope, encoding, cases, pending);
  if (U.length === 0) return { surrogate, predictor };
  const { intervals } = cases;
  const random = makeRandom(request.seed, 4, request.history.count + pending.count);
  const imagined = imagine(surrogate, predictor, U, random, work);
  const loss = lossesOnScale(
    intervals,
    lossScales(intervals, cases.Y, cases.N),
    imaginedOutputs(imagined, U.length / encoding.p, cases.Y.subarray(scope.rows[0]! * intervals.length)),
  );
  const best = bestOf(loss);
  const isNearer = loss[best]! < cases.loss[scope.center]!;
  const conditioned = new Predictor(imagined, work);
  applySecantCorrection(imagined, conditioned, isNearer ? scope.rows.length + best : scope.rows.indexOf(scope.center));
  return { surrogate: imagined, predictor: conditioned };
}

/** Encoded, in rows of p: the pending inputs that concern a scope. */
function pendingWithin({ local, center, box }: Scope, { p }: Encoding, cases: Cases, pending: Pending): Float64Array {
  if (!local) return pending.U;
  const c = cases.U.subarray(center * p, (center + 1) * p);
  let U: Float64Array = new Float64Array(0);
  for (let i = 0; i < pending.count; i++) {
    const u = pending.U.slice(i * p, (i + 1) * p);
    const isNear = u.every((value, f) => Math.abs(value - c[f]!) <= box.upper[f]! - box.lower[f]! + ROUNDING);
    if (isNear) U = joined(U, u);
  }
  return U;
}

/**
 * The imagined outputs in output units, finite: `count` rows of m, which the surrogate holds after all others.
 *
 * @param constants the outputs, of which those without a model never varied
 */
export function imaginedOutputs(
  { outputs, geometry }: Surrogate,
  count: number,
  constants: Float64Array,
): Float64Array {
  const m = outputs.length;
  const Y = new Float64Array(count * m);
  outputs.forEach(({ fitted }, j) => {
    for (let i = 0; i < count; i++) {
      const y = fitted ? fitted.warp.fromZ(fitted.warp.z[geometry.N - count + i]!) : constants[j]!;
      Y[i * m + j] = Math.min(Number.MAX_VALUE, Math.max(-Number.MAX_VALUE, y));
    }
  });
  return Y;
}
