/**
 * Measures how well a run fits its data: chi-square, the scale of the residuals, whether they look random, and the points that hurt most.
 */
import { type FitGoal, residualsOf, scaleOf, sumOfSquares } from '../../numbers/misfit.ts';
import { normalTail } from '../../numbers/normal-tail.ts';
import { type FitDefinition, fitGoalsOf } from './fit.ts';

/** Points that are listed, the worst ones. */
const LISTED = 5;
/** A probability below this is remarked on. */
const REMARKABLE = 0.005;
/** Residuals per set from which their order tells something. */
const ENOUGH_FOR_RUNS = 10;
const DIGITS = 4;

interface FitPoint {
  /** Zero-based. */
  readonly output: number;
  readonly value: number;
  readonly fitted: number;
  /** Fitted minus measured, in standard errors: the stated ones, or the estimated scale of the data set. */
  readonly residual: number;
}

interface FitSetQuality {
  readonly name: string | null;
  readonly points: number;
  readonly sumOfSquares: number;
  /** Standard deviation of the residuals in output units, by the degrees of freedom; null where standard errors differ by point. */
  readonly scale: number | null;
}

export interface FitQuality {
  readonly points: number;
  /** Points minus inputs that may vary; at least 0. */
  readonly freedom: number;
  /** null where a standard error is unknown. */
  readonly chiSquare: number | null;
  /** Per degree of freedom. */
  readonly reducedChiSquare: number | null;
  /** That chi-square is at least so large if model and standard errors are right; null where it is not known. */
  readonly probability: number | null;
  /** Whether the misfit is larger than the standard errors explain. */
  readonly isBeyondChance: boolean;
  /** That residuals in random order change their sign so seldom; null with few of them. */
  readonly runsProbability: number | null;
  readonly worst: readonly FitPoint[];
  readonly sets: readonly FitSetQuality[];
  /** In words: standard errors and misfit disagree, or residuals have a pattern. */
  readonly warnings: readonly string[];
}

/** null without a fit. @param inputs  how many may vary @param output  length m */
export function fitQualityOf(definition: FitDefinition, inputs: number, output: readonly number[]): FitQuality | null {
  const fits = fitGoalsOf(definition);
  if (fits.length === 0) return null;
  const residuals = fits.map((fit) => residualsOf(fit, output));
  const points = residuals.reduce((sum, one) => sum + one.length, 0);
  const freedom = Math.max(0, points - inputs);
  const isKnown = fits.every(({ sigmas }) => sigmas !== null);
  const chiSquare = isKnown ? residuals.reduce((sum, one) => sum + sumOfSquares(one), 0) : null;
  const probability = chiSquare === null || freedom === 0 ? null : chiSquareTail(chiSquare, freedom);
  const runsProbability = runsProbabilityOf(residuals);
  const quality = {
    points,
    freedom,
    chiSquare,
    reducedChiSquare: chiSquare === null || freedom === 0 ? null : chiSquare / freedom,
    probability,
    isBeyondChance: probability !== null && probability < REMARKABLE && fits.every(({ loss }) => loss === 'linear'),
    runsProbability,
    worst: worstPoints(fits, residuals, output),
    sets: fits.map((fit, k) => setQuality(fit, residuals[k]!, definition.options!.fits![k]!.name, freedom / points)),
  };
  return { ...quality, warnings: warningsOf(quality) };
}

/** @param share of the points that are degrees of freedom */
function setQuality(fit: FitGoal, residuals: Float64Array, name: string | null, share: number): FitSetQuality {
  const unit = fit.sigmas?.[0] ?? 1;
  const isEven = fit.sigmas?.every((sigma) => sigma === unit) ?? true;
  const scale = isEven && share > 0 ? unit * Math.sqrt(sumOfSquares(residuals) / (residuals.length * share)) : null;
  return { name, points: residuals.length, sumOfSquares: sumOfSquares(residuals), scale };
}

function worstPoints(
  fits: readonly FitGoal[],
  residuals: readonly Float64Array[],
  output: readonly number[],
): FitPoint[] {
  const all = fits.flatMap((fit, k) => {
    const unit = fit.sigmas === null ? scaleOf(fit, residuals[k]!) : 1;
    return fit.outputs.map((j, i) => ({
      output: j,
      value: fit.values[i]!,
      fitted: output[j]!,
      residual: residuals[k]![i]! / unit,
    }));
  });
  return all.sort((a, b) => Math.abs(b.residual) - Math.abs(a.residual)).slice(0, LISTED);
}

/** Source: Wilson and Hilferty 1931: the cube root of chi-square per degree of freedom is nearly normal. */
function chiSquareTail(chiSquare: number, freedom: number): number {
  const spread = 2 / (9 * freedom);
  return normalTail((Math.cbrt(chiSquare / freedom) - (1 - spread)) / Math.sqrt(spread));
}

/**
 * Source: Wald and Wolfowitz 1940, On a test whether two samples are from the same population, Annals of Mathematical Statistics 11;
 * the runs of all data sets together.
 */
function runsProbabilityOf(sets: readonly Float64Array[]): number | null {
  let [runs, mean, variance] = [0, 0, 0];
  for (const residuals of sets) {
    const signs = Array.from(residuals, (r) => r > 0);
    const above = signs.filter(Boolean).length;
    const below = signs.length - above;
    if (signs.length < ENOUGH_FOR_RUNS || above === 0 || below === 0) continue;
    const product = 2 * above * below;
    const count = above + below;
    runs += signs.filter((sign, i) => i === 0 || sign !== signs[i - 1]).length;
    mean += 1 + product / count;
    variance += (product * (product - count)) / (count * count * (count - 1));
  }
  return variance > 0 ? normalTail((mean - runs) / Math.sqrt(variance)) : null;
}

function warningsOf(quality: Omit<FitQuality, 'warnings'>): string[] {
  const { chiSquare, freedom, probability, runsProbability } = quality;
  const warnings: string[] = [];
  const figure = chiSquare === null ? '' : `chi-square is ${short(chiSquare)} with ${degrees(freedom)}`;
  if (quality.isBeyondChance) {
    warnings.push(
      `The misfit is larger than the standard errors explain: ${figure}. Either sigma is too small, by a factor of about ${short(Math.sqrt(chiSquare! / freedom))}, or the model cannot follow the data, or a better fit lies elsewhere.`,
    );
  }
  if (probability !== null && 1 - probability < REMARKABLE) {
    warnings.push(
      `The misfit is smaller than the standard errors say: ${figure}. Sigma seems too large, by a factor of about ${short(Math.sqrt(freedom / Math.max(chiSquare!, Number.MIN_VALUE)))}; standard errors and intervals are then too wide.`,
    );
  }
  if (runsProbability !== null && runsProbability < REMARKABLE) {
    warnings.push(
      'Neighbouring residuals have the same sign more often than chance explains: the model may lack something that the data show.',
    );
  }
  return warnings;
}

/** For example "chi-square 58.2 with 57 degrees of freedom". Empty without a fit. */
export function describeFit(definition: FitDefinition, inputs: number, output: readonly number[]): string {
  const quality = fitQualityOf(definition, inputs, output);
  if (quality === null) return '';
  const { chiSquare, freedom, sets, points } = quality;
  if (chiSquare !== null) {
    const chance = quality.isBeyondChance ? ', more than the standard errors explain' : '';
    return `chi-square ${short(chiSquare)} with ${degrees(freedom)}${chance}`;
  }
  const scales = sets.map(({ scale }) => (scale === null ? 'unknown' : short(scale)));
  return `residuals of standard deviation ${scales.join(' and ')} at ${points} ${points === 1 ? 'point' : 'points'}`;
}

/** For example "57 degrees of freedom". */
function degrees(freedom: number): string {
  return `${freedom} ${freedom === 1 ? 'degree' : 'degrees'} of freedom`;
}

function short(value: number): string {
  return String(Number(value.toPrecision(DIGITS)));
}
