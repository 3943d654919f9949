/** Predicts inputs that were not run: solutions, and points of a front. */
import { Acquisition, type Aim, intervalAims } from '../acquisition/acquisition.ts';
import { makeAvoidance, withAvoidance } from '../acquisition/avoidance.ts';
import { makeFailureModel } from '../acquisition/failure-model.ts';
import type { HypervolumeImprovement } from '../acquisition/hypervolume-improvement.ts';
import type { PredictedPoint } from '../interface/insights.ts';
import type { Solutions } from '../interface/problem.ts';
import { joined } from '../linalg/dense.ts';
import { makeRandom, type RandomStream } from '../numerics/random.ts';
import type { Work } from '../numerics/work.ts';
import { encode } from '../space/encoding.ts';
import { makeSeen } from '../space/seen.ts';
import { Predictor } from '../surrogate/predictor.ts';
import { globalScope } from '../surrogate/scope.ts';
import { type Found, maximizeAcquisition } from './maximize-acquisition.ts';
import type { Prepared } from './prepare.ts';

export interface Forecaster {
  readonly predictor: Predictor;
  readonly surrogate: ReturnType<Prepared['fitGlobally']>;
  /** The input with the largest acquisition, neither run so far nor one of `known` (rows of n). */
  maximize(options: {
    readonly aims: readonly Aim[];
    readonly gain?: HypervolumeImprovement | null;
    /** Absent: it may lie anywhere. */
    readonly away?: Solutions;
    readonly known?: Float64Array;
    /** Features to start from. */
    readonly starts?: readonly Float64Array[];
  }): Found | null;
  /** Prediction of the models for an input; null when it is not finite. */
  predictedAt(x: Float64Array): PredictedPoint | null;
}

/** Needs at least one case. @param work counts what all calls spend */
export function makeForecaster(prepared: Prepared, work: Work): Forecaster {
  const { request, encoding, cases } = prepared;
  const { n, p } = encoding;
  const surrogate = prepared.fitGlobally(work);
  const predictor = new Predictor(surrogate, work);
  const failures = makeFailureModel(cases, p);
  const { box } = globalScope(prepared, cases, request.goal);
  const random: RandomStream = makeRandom(request.seed, 13, request.history.count);
  const chance = new Acquisition(surrogate, predictor, intervalAims(cases.intervals), cases.intervals, failures);
  const u = new Float64Array(p);
  return {
    predictor,
    surrogate,
    maximize: ({ aims, gain = null, away, known = new Float64Array(0), starts }) => {
      const avoidance = withAvoidance(failures, makeAvoidance(encoding, away));
      const acquisition = new Acquisition(surrogate, predictor, aims, cases.intervals, avoidance, null, gain);
      const excluded = joined(request.history.X, known);
      const seen = makeSeen(prepared, excluded, excluded.length / n);
      const { sigma } = predictor;
      const search = { encoding, acquisition, sigma, seen, isExpensive: false, evaluated: [], random, work };
      return maximizeAcquisition({ ...search, box, promising: starts });
    },
    predictedAt: (x) => {
      encode(encoding, x, 0, u, 0);
      const probability = Math.min(1, Math.exp(chance.evaluate(u, null)));
      const output: number[] = [];
      const spread: number[] = [];
      surrogate.outputs.forEach(({ fitted }, j) => {
        const at = (sigmas: number) =>
          fitted ? fitted.warp.outputAt(predictor.mean[j]! + sigmas * predictor.sigma[j]!) : cases.Y[j]!;
        output.push(at(0));
        spread.push(Math.abs(at(1) - at(-1)) / 2);
      });
      const isUsable = output.every(Number.isFinite) && spread.every(Number.isFinite);
      return isUsable
        ? { input: Array.from(prepared.conditions?.settled(x) ?? x), output, spread, chance: probability }
        : null;
    },
  };
}
