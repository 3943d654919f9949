/**
 * Derivatives as rows of the models: which of them enter a fit, and what outputs with different ones share.
 *
 * A derivative enters as a point one small step from its run (`SlopeRows`). That conditions a process on the derivative up to the
 * curvature over the step, as derivative observations in the covariance do.
 *
 * Source: Solak, Murray-Smith, Leithead, Leith and Rasmussen 2003, Derivative observations in Gaussian process models of dynamic systems.
 */
import type { Cases } from '../goal/cases.ts';
import { byLoss } from '../goal/targets.ts';
import { SLOPE_STEP } from './kernels.ts';
import type { FittedKernel, OutputModel, Surrogate } from './model-choice.ts';

/** At most so many rows of a fit stand for derivatives, those of the best runs: a suggestion costs the cube of its rows. */
const MOST_STEPS = 160;

/** A step from a run along a feature. */
export interface Step {
  /** Number of the run within the rows of the fit. */
  readonly base: number;
  readonly feature: number;
  /** Towards the middle of the box. */
  readonly length: number;
}

/** Outputs whose derivatives are known at the same runs by the same features. */
export interface Group {
  readonly outputs: readonly number[];
  /** Those of the best run first. */
  readonly steps: readonly Step[];
}

/** The outputs of the cases in groups; one group without steps where no derivative is known. @param rows numbers of the cases to fit */
export function stepsOf(cases: Cases, p: number, rows: Int32Array): readonly Group[] {
  const { slopes, intervals } = cases;
  const m = intervals.length;
  const outputs = Array.from({ length: m }, (_, j) => j);
  if (slopes === null) return [{ outputs, steps: [] }];
  const ranked = Array.from(rows.keys()).sort((a, b) => byLoss(cases.loss)(rows[a]!, rows[b]!));
  const groups = new Map<string, { outputs: number[]; steps: readonly Step[] }>();
  for (const j of outputs) {
    const steps = stepsOfOutput(cases, p, rows, ranked, j);
    const key = steps.map(({ base, feature }) => base * p + feature).join();
    const known = groups.get(key);
    if (known) known.outputs.push(j);
    else groups.set(key, { outputs: [j], steps });
  }
  return [...groups.values()];
}

function stepsOfOutput(
  { slopes, U, intervals }: Cases,
  p: number,
  rows: Int32Array,
  ranked: readonly number[],
  j: number,
): Step[] {
  const m = intervals.length;
  const steps: Step[] = [];
  for (const base of ranked) {
    const row = rows[base]!;
    for (let feature = 0; feature < p; feature++) {
      if (Number.isNaN(slopes![(row * m + j) * p + feature]!)) continue;
      steps.push({ base, feature, length: U[row * p + feature]! > 0 ? -SLOPE_STEP : SLOPE_STEP });
    }
    if (steps.length >= MOST_STEPS) break;
  }
  return steps.slice(0, MOST_STEPS);
}

/** Encoded, in rows of p: where the steps end. @param U of the runs of the fit */
export function pointsOf(U: Float64Array, p: number, steps: readonly Step[]): Float64Array {
  const points = new Float64Array(steps.length * p);
  steps.forEach(({ base, feature, length }, s) => {
    points.set(U.subarray(base * p, (base + 1) * p), s * p);
    points[s * p + feature]! += length;
  });
  return points;
}

/** Per step the changes of the outputs over it, as the derivatives have it. */
export function changesOf(
  { slopes, intervals }: Cases,
  p: number,
  rows: Int32Array,
  steps: readonly Step[],
  outputs: readonly number[],
): Float64Array {
  const m = intervals.length;
  return Float64Array.from(
    steps.flatMap(({ base, feature, length }) =>
      outputs.map((j) => slopes![(rows[base]! * m + j) * p + feature]! * length),
    ),
  );
}

/** Some columns of a matrix with rows of m. */
export function columnsOf(Y: Float64Array, m: number, columns: readonly number[]): Float64Array {
  const out = new Float64Array((Y.length / m) * columns.length);
  for (let i = 0; i * m < Y.length; i++) {
    columns.forEach((j, k) => {
      out[i * columns.length + k] = Y[i * m + j]!;
    });
  }
  return out;
}

/** One surrogate of m outputs from those of groups, with the geometry of the first. */
export function merged(
  parts: readonly { readonly outputs: readonly number[]; readonly surrogate: Surrogate }[],
  m: number,
): Surrogate {
  const kernels: FittedKernel[] = [];
  const models = new Array<OutputModel>(m);
  for (const { outputs, surrogate } of parts) {
    const first = kernels.length;
    kernels.push(...surrogate.kernels);
    surrogate.outputs.forEach((model, k) => {
      const { fitted } = model;
      models[outputs[k]!] = fitted ? { ...model, fitted: { ...fitted, kernel: first + fitted.kernel } } : model;
    });
  }
  const [{ surrogate: first }] = parts as [(typeof parts)[number]];
  const support = first.support.map((_, k) => parts.reduce((sum, { surrogate }) => sum + surrogate.support[k]!, 0));
  return { ...first, kernels, outputs: models, support };
}
