import { toleranceOf } from '../goal/misses.ts';
import type { Diagnosis } from '../interface/insights.ts';
import type { Work } from '../numerics/work.ts';
import { type CaseMisses, type Expected, leastExpected } from '../search/compromise.ts';
import type { Prepared } from '../search/prepare.ts';

/** An output takes part in a conflict when its miss is this near to the worst, counted from the middle of its interval. */
const NEAR = 0.05;
/** Largest number of outputs whose cost is sought, those that are missed most. */
const MAX_OUTPUTS = 8;

/** Cost of each target that takes part in the best compromise: the least worst miss without it, and with it relaxed by one tolerance. */
export function costsOf(
  prepared: Prepared,
  misses: CaseMisses,
  compromise: Expected,
  work: Work,
): NonNullable<Diagnosis['costs']> {
  const { request, cases } = prepared;
  const { goal } = request;
  const { intervals } = cases;
  const { units } = misses.measure;
  const worst = Math.max(0, compromise.worst);
  const missWith = (measure: Parameters<typeof leastExpected>[2]['measure']) =>
    Math.max(0, leastExpected(prepared, misses, { measure }, { ...work, spent: 0 })?.worst ?? worst);
  const involved = [...compromise.terms.keys()]
    .filter((j) => (goal.l1 ? compromise.terms[j]! > 0 : compromise.terms[j]! > worst - NEAR * (1 + worst)))
    .sort((a, b) => compromise.terms[b]! - compromise.terms[a]! || a - b)
    .slice(0, MAX_OUTPUTS)
    .sort((a, b) => a - b);
  const of = involved.map((output) => {
    const tolerance = toleranceOf(goal, output);
    const { lower, upper } = intervals[output]!;
    const wider = { ...intervals[output]!, lower: lower - tolerance, upper: upper + tolerance };
    return {
      output,
      without: Math.min(worst, missWith({ units: units.with(output, Number.POSITIVE_INFINITY) })),
      // For an exact goal it is the threshold that is relaxed, whatever the output.
      relaxed: goal.l1
        ? Math.max(0, worst - 1)
        : Math.min(worst, missWith({ intervals: intervals.with(output, wider) })),
    };
  });
  return { worstMiss: worst, of };
}
