/** Predicts a run before it is made: ranges so wide that an ordinary value outside is rare. */
import { leaveOneOutPrecision } from './gaussian-process.ts';
import type { Surrogate } from './model-choice.ts';
import type { Predictor } from './predictor.ts';

/** The models say nothing about a run before they know this many cases beyond half the number of inputs. */
const LEAST_CASES = 3;
/** Share of the standard deviation of the values seen that every spread includes. */
const SPREAD_SEEN = 0.2;
/**
 * Half the width of a range in spreads, with k cases beyond half the number of inputs: the limit for large k, and what is added
 * for small k, divided by k^3. Early models are overconfident by a factor of 3 to 10.
 */
const HALF_WIDTH = { many: 1.8, few: 500 };

/**
 * Length m: the spread of each output around its prediction, in the standardized units of its model; NaN for a constant
 * output. The sum of the predicted sigma, of the root mean square of the leave-one-out residuals, which tells how wrong the
 * model has been, and of a share of the spread of the values seen, since a few cases can agree by chance.
 *
 * @param predictor after `predict` at the point in question
 */
function spreadsAt({ outputs, kernels, geometry: { N } }: Surrogate, predictor: Predictor): Float64Array {
  return Float64Array.from(outputs, ({ fitted }, j) => {
    if (!fitted) return Number.NaN;
    const { alpha } = fitted.conditioned;
    const precision = leaveOneOutPrecision(kernels[fitted.kernel]!.factorized);
    let sum = 0;
    for (let i = 0; i < N; i++) if (precision[i]! > 0) sum += (alpha[i]! / precision[i]!) ** 2;
    return predictor.sigma[j]! + Math.sqrt(sum / N) + SPREAD_SEEN;
  });
}

/** Number of cases of a fit beyond half the number of movable inputs n: below about 3 it knows next to nothing. */
function casesBeyond({ geometry }: Surrogate, n: number): number {
  return geometry.N - n / 2;
}

/**
 * The range in which each output is expected: the m lower ends, then the m upper ends, in output units and finite. Ends that
 * the models leave open are the largest doubles.
 *
 * @param u length p, the encoded features of the input
 * @param n number of movable inputs
 * @returns length 2m; null while the models know next to nothing
 */
export function expectedRanges(
  surrogate: Surrogate,
  predictor: Predictor,
  u: Float64Array,
  n: number,
): Float64Array | null {
  const k = casesBeyond(surrogate, n);
  if (k < LEAST_CASES) return null;
  const { m } = predictor;
  predictor.predict(u);
  const spreads = spreadsAt(surrogate, predictor);
  const width = HALF_WIDTH.many + HALF_WIDTH.few / k ** 3;
  const ranges = new Float64Array(2 * m);
  surrogate.outputs.forEach(({ fitted }, j) => {
    const end = (sign: number) => {
      const y = fitted ? fitted.warp.outputAt(predictor.mean[j]! + sign * width * spreads[j]!) : Number.NaN;
      return Number.isNaN(y) ? sign * Number.MAX_VALUE : Math.min(Number.MAX_VALUE, Math.max(-Number.MAX_VALUE, y));
    };
    ranges[j] = end(-1);
    ranges[m + j] = end(1);
  });
  return ranges;
}
