import type { Work } from '../numerics/work.ts';
import { addCorrection, addCorrectionGradient, type Correction } from './correction.ts';
import {
  addMeanHessian,
  type KernelPredictor,
  makeKernelPredictor,
  makeScratch,
  meanAt,
  rootAt,
  type Scratch,
  updateKernel,
  updateRootGradient,
  writeMeanGradient,
} from './kernel-predictor.ts';
import type { Surrogate } from './model-choice.ts';
import { makeScaledPoint, moveTo, type ScaledPoint, updatePairs } from './scaled-point.ts';

/** Standard deviation of an output that never varied, in units of its magnitude. */
const CONSTANT_SIGMA = 1e-6;

/**
 * Predicts all outputs, point by point, in the standardized units of their models. The next prediction overwrites the
 * arrays. Counts its work.
 */
export class Predictor {
  readonly m: number;
  readonly p: number;
  /** Length m: posterior mean and standard deviation. */
  readonly mean: Float64Array;
  readonly sigma: Float64Array;
  /** m x p: gradients of mean and sigma by the encoded features. */
  readonly meanGradient: Float64Array;
  readonly sigmaGradient: Float64Array;
  readonly #N: number;
  readonly #groups: number;
  readonly #work: Work;
  readonly #points: readonly PredictedPoint[];
  readonly #kernels: readonly KernelPredictor[];
  readonly #trends: readonly SourcePredictor[];
  /** Length p: the point predicted last. */
  readonly #at: Float64Array;
  #sigmaFactor = 1;
  #corrections: readonly (Correction | null)[] = [];

  constructor(surrogate: Surrogate, work: Work) {
    const { p, grouping } = surrogate.geometry;
    const m = surrogate.outputs.length;
    const { points, kernels } = compile(surrogate, work);
    this.m = m;
    this.p = p;
    this.mean = new Float64Array(m);
    this.sigma = new Float64Array(m).fill(CONSTANT_SIGMA);
    this.meanGradient = new Float64Array(m * p);
    this.sigmaGradient = new Float64Array(m * p);
    this.#N = mostRows(surrogate);
    this.#groups = grouping.count;
    this.#work = work;
    this.#points = points;
    this.#kernels = kernels;
    this.#trends = trendsOf(surrogate, work);
    this.#at = new Float64Array(p);
  }

  /** Fills `mean` at the encoded features u (length p). */
  predictMeans(u: Float64Array): void {
    this.#at.set(u);
    for (const { point, hasCurvedKernel } of this.#points) {
      moveTo(point, u);
      if (hasCurvedKernel) updatePairs(point);
    }
    for (const kernel of this.#kernels) {
      if (kernel.kind !== 'lin') updateKernel(kernel);
      this.#fillMeans(kernel);
    }
    for (const trend of this.#trends) {
      trend.predictor.predictMeans(u);
      this.#addTrendMeans(trend);
    }
    this.#correctMeans();
  }

  /** Fills `mean` and `sigma` at the encoded features u (length p). */
  predict(u: Float64Array): void {
    this.#at.set(u);
    for (const { point } of this.#points) {
      moveTo(point, u);
      updatePairs(point);
    }
    for (const kernel of this.#kernels) {
      updateKernel(kernel);
      this.#fillMeans(kernel);
      const root = rootAt(kernel);
      for (const output of kernel.outputs) this.sigma[output.j] = output.sigma * this.#sigmaFactor * root;
    }
    for (const trend of this.#trends) {
      trend.predictor.predict(u);
      this.#addTrendMeans(trend);
      for (const { j, rho } of trend.outputs)
        this.sigma[j] = Math.hypot(this.sigma[j]!, this.#sigmaFactor * rho * trend.predictor.sigma[j]!);
    }
    this.#correctMeans();
  }

  /** Fills `meanGradient` at the point predicted last. */
  differentiateMeans(): void {
    for (const kernel of this.#kernels) this.#fillMeanGradients(kernel);
    for (const trend of this.#trends) {
      trend.predictor.differentiateMeans();
      this.#addTrendMeanGradients(trend);
    }
    this.#correctMeanGradients();
  }

  /** Fills `meanGradient` and `sigmaGradient` at the point predicted last; needs `predict`, not `predictMeans`, before. */
  differentiate(): void {
    for (const kernel of this.#kernels) {
      this.#fillMeanGradients(kernel);
      this.#fillSigmaGradients(kernel);
    }
    for (const trend of this.#trends) {
      trend.predictor.differentiate();
      this.#addTrendMeanGradients(trend);
      this.#addTrendSigmaGradients(trend);
    }
    this.#correctMeanGradients();
  }

  /**
   * Adds `factor` times the Hessian of the mean of output j at the point predicted last to H (p x p, lower triangle).
   * Corrections are left out.
   */
  addMeanHessian(j: number, factor: number, H: Float64Array): void {
    for (const kernel of this.#kernels) {
      const output = kernel.outputs.find((one) => one.j === j);
      if (output) addMeanHessian(kernel, output, factor, H);
    }
    for (const { predictor, outputs } of this.#trends) {
      const trend = outputs.find((one) => one.j === j);
      if (trend) predictor.addMeanHessian(j, factor * trend.rho, H);
    }
  }

  /** Multiplies every sigma predicted from now on by this factor. */
  scaleSigmas(factor: number): void {
    this.#sigmaFactor = factor;
  }

  get corrections(): readonly (Correction | null)[] {
    return this.#corrections;
  }

  /** Replaces the corrections: one or null per output. */
  setCorrections(corrections: readonly (Correction | null)[]): void {
    this.#corrections = corrections;
  }

  /** Means of the outputs of one kernel, not yet corrected. */
  #fillMeans(kernel: KernelPredictor): void {
    for (const output of kernel.outputs) this.mean[output.j] = meanAt(kernel, output);
    this.#work.spent += (this.#N * (2 * this.#groups + 2 * kernel.outputs.length + 8)) / 1e6;
  }

  #addTrendMeans({ predictor, outputs }: SourcePredictor): void {
    for (const { j, rho } of outputs) this.mean[j]! += rho * predictor.mean[j]!;
  }

  #addTrendMeanGradients({ predictor, outputs }: SourcePredictor): void {
    const { p } = this;
    for (const { j, rho } of outputs) {
      for (let f = j * p; f < (j + 1) * p; f++) this.meanGradient[f]! += rho * predictor.meanGradient[f]!;
    }
  }

  /** sigma^2 is the sum of that of the differences and that of the trend. */
  #addTrendSigmaGradients({ predictor, outputs }: SourcePredictor): void {
    const { p, sigma } = this;
    for (const { j, rho } of outputs) {
      const share = (this.#sigmaFactor * rho) ** 2 * predictor.sigma[j]!;
      const own = Math.sqrt(Math.max(0, sigma[j]! ** 2 - share * predictor.sigma[j]!));
      for (let f = j * p; f < (j + 1) * p; f++) {
        this.sigmaGradient[f] = (own * this.sigmaGradient[f]! + share * predictor.sigmaGradient[f]!) / sigma[j]!;
      }
    }
  }

  #correctMeans(): void {
    this.#corrections.forEach((correction, j) => {
      if (correction) addCorrection(correction, this.#at, this.mean, j);
    });
  }

  /** Gradients of the means of the outputs of one kernel, not yet corrected. */
  #fillMeanGradients(kernel: KernelPredictor): void {
    for (const output of kernel.outputs) writeMeanGradient(kernel, output, this.meanGradient, output.j * this.p);
    this.#work.spent += (2 * this.#N * this.p * kernel.outputs.length) / 1e6;
  }

  #fillSigmaGradients(kernel: KernelPredictor): void {
    const { sigmaGradient, p } = this;
    updateRootGradient(kernel);
    for (const output of kernel.outputs) {
      const factor = output.sigma * this.#sigmaFactor;
      for (let f = 0; f < p; f++) sigmaGradient[output.j * p + f] = factor * kernel.rootGradient[f]!;
    }
  }

  #correctMeanGradients(): void {
    this.#corrections.forEach((correction, j) => {
      if (correction) addCorrectionGradient(correction, this.#at, this.meanGradient, j * this.p);
    });
  }
}

/** The most rows of a kernel. */
function mostRows({ geometry, kernels }: Surrogate): number {
  return kernels.reduce((most, kernel) => Math.max(most, kernel.geometry.N), geometry.N);
}

/** A cheaper source, and the outputs that start from it. */
interface SourcePredictor {
  readonly predictor: Predictor;
  readonly outputs: readonly { readonly j: number; readonly rho: number }[];
}

function trendsOf({ coarse, outputs }: Surrogate, work: Work): SourcePredictor[] {
  return coarse.flatMap(({ surrogate }, index) => {
    const own = outputs.flatMap(({ fitted }, j) =>
      fitted?.trend?.model === index ? [{ j, rho: fitted.trend.rho }] : [],
    );
    return own.length === 0 ? [] : [{ predictor: new Predictor(surrogate, work), outputs: own }];
  });
}

/** The point predicted last on one input scale. */
interface PredictedPoint {
  readonly point: ScaledPoint;
  /** Whether a kernel on its scale needs the pairs for means. */
  readonly hasCurvedKernel: boolean;
}

/** One point per input scale in use, and the kernels that predict an output. */
function compile(
  surrogate: Surrogate,
  work: Work,
): { readonly points: readonly PredictedPoint[]; readonly kernels: readonly KernelPredictor[] } {
  const { p } = surrogate.geometry;
  const points = [...new Set(surrogate.kernels.map(({ geometry }) => geometry))].map((geometry) => ({
    point: makeScaledPoint(geometry),
    hasCurvedKernel: surrogate.kernels.some((kernel) => kernel.geometry === geometry && kernel.spec.kind !== 'lin'),
  }));
  const scratches = new Map<number, Scratch>();
  const scratchOf = (N: number): Scratch => {
    const known = scratches.get(N) ?? makeScratch(N, p);
    scratches.set(N, known);
    return known;
  };
  const kernels = surrogate.kernels
    .map(({ geometry }, index) => {
      const { point } = points.find((one) => one.point.geometry === geometry)!;
      return makeKernelPredictor(surrogate, index, point, scratchOf(geometry.N), work);
    })
    .filter(({ outputs }) => outputs.length > 0);
  return { points, kernels };
}
