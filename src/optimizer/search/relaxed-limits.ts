/**
 * Limits between those of the goal and the violations of the best case, for requirements that the models hold out of reach.
 *
 * The product of small probabilities is largest where the models know least, and the search would go there in vain, again and
 * again. A nearer goal asks for progress instead.
 */
import type { Cases } from '../goal/cases.ts';
import { type Interval, lossScales } from '../goal/targets.ts';
import type { Surrogate } from '../surrogate/model-choice.ts';

/** Share of the violations of the centre that the relaxed limits still allow; decision 29 has the alternatives. */
const ALLOWED = 0.7;

/**
 * The models with every limit relaxed by the same number of standard deviations of its output, so that any case within the
 * relaxed limits has at most half the loss of the centre. null where an output is no plain limit, or the centre violates none.
 *
 * @param center case whose loss is to fall
 */
export function withRelaxedLimits(surrogate: Surrogate, cases: Cases, center: number): Surrogate | null {
  const { intervals } = cases;
  if (!intervals.every(isLimit)) return null;
  const weight = intervals.reduce((total, one) => total + one.weight, 0);
  const level = ALLOWED * Math.sqrt(cases.loss[center]! / weight);
  if (!(level > 0) || !Number.isFinite(level)) return null;
  const scales = lossScales(intervals, cases.Y, cases.N);
  const outputs = surrogate.outputs.map((output, j) => {
    if (output.fitted === null) return output;
    const { toZ } = output.fitted.warp;
    const { lower, upper } = intervals[j]!;
    const slack = level * scales[j]!;
    return { ...output, lower: toZ(lower - slack), upper: toZ(upper + slack) };
  });
  return { ...surrogate, outputs };
}

/** True for a requirement with one finite end that is to be met, not improved on. */
function isLimit({ lower, upper, directed }: Interval): boolean {
  return !directed && Number.isFinite(lower) !== Number.isFinite(upper);
}
