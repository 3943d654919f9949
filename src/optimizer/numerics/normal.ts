/** log sqrt(2 pi). */
export const LOG_SQRT_TWO_PI = 0.9189385332046727;
const INVERSE_SQRT_TWO_PI = 0.3989422804014327;

const CENTRAL_P = [2.2352520354606837, 161.02823106855587, 1067.6894854603709, 18154.98125334356];
const CENTRAL_P_LEAD = 0.06568233791820745;
const CENTRAL_Q = [47.202581904688245, 976.0985517377767, 10260.932208618979, 45507.78933502673];
const MIDDLE_P = [
  0.39894151208813466, 8.883149794388377, 93.50665613217785, 597.2702763948002, 2494.5375852903726, 6848.190450536283,
  11602.65143764735, 9842.714838383978,
];
const MIDDLE_P_LEAD = 1.0765576773720192e-8;
const MIDDLE_Q = [
  22.266688044328117, 235.387901782625, 1519.3775994075547, 6485.558298266761, 18615.571640885097, 34900.95272114598,
  38912.00328609327, 19685.429676859992,
];
const TAIL_P = [
  0.215898534057957, 0.12740116116024736, 0.022235277870649807, 0.0014216191932278934, 0.000029112874951168793,
];
const TAIL_P_LEAD = 0.023073441764940174;
const TAIL_Q = [
  1.284260096144911, 0.4682382124808651, 0.06598813786892856, 0.0037823963320275824, 0.00007297515550839662,
];

/** (lead x^k + P_0 x^(k-1) + ... + P_(k-1)) / (x^k + Q_0 x^(k-1) + ... + Q_(k-1)), k the length of P and Q. */
function ratio(x: number, lead: number, P: readonly number[], Q: readonly number[]): number {
  const last = Q.length - 1;
  let numerator = lead * x;
  let denominator = x;
  for (let i = 0; i < last; i++) {
    numerator = (numerator + P[i]!) * x;
    denominator = (denominator + Q[i]!) * x;
  }
  return (numerator + P[last]!) / (denominator + Q[last]!);
}

/** Phi(-y) exp(y^2 / 2) for y >= 0.67: the tail without its exponential, so that it never underflows. */
function scaledTail(y: number): number {
  if (y < 5.656854249492381) return ratio(y, MIDDLE_P_LEAD, MIDDLE_P, MIDDLE_Q);
  const inverseSquare = 1 / (y * y);
  return (INVERSE_SQRT_TWO_PI - inverseSquare * ratio(inverseSquare, TAIL_P_LEAD, TAIL_P, TAIL_Q)) / y;
}

/**
 * Logarithm of the standard normal distribution function.
 *
 * Relative accuracy about 1e-15 of the distribution function over the whole line; finite down to x = -1e150.
 * Source: Cody 1969, Rational Chebyshev approximations for the error function, Mathematics of Computation 23; coefficients
 * and limits as in `pnorm` of R.
 */
export function logNormalCdf(x: number): number {
  if (x < -0.67448975) return Math.log(scaledTail(-x)) - 0.5 * x * x;
  if (x <= 0.67448975) return Math.log(0.5 + x * ratio(x * x, CENTRAL_P_LEAD, CENTRAL_P, CENTRAL_Q));
  return Math.log1p(-scaledTail(x) * Math.exp(-0.5 * x * x));
}

/** Standard normal distribution function, relative accuracy about 1e-15. */
export function normalCdf(x: number): number {
  return x > 0.67448975 ? 1 - scaledTail(x) * Math.exp(-0.5 * x * x) : Math.exp(logNormalCdf(x));
}

/** Standard normal density. */
export function normalDensity(x: number): number {
  return INVERSE_SQRT_TWO_PI * Math.exp(-0.5 * x * x);
}

/** The x with normalCdf(x) = share, 0 < share < 1, by bisection to about 1e-12. */
export function normalQuantile(share: number): number {
  let [low, high] = [-38, 9];
  for (let k = 0; k < 50; k++) {
    const middle = (low + high) / 2;
    if (normalCdf(middle) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
