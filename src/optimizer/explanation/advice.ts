import type { Advice } from '../interface/insights.ts';
import type { Prepared } from '../search/prepare.ts';
import { adviseOnConstantOutputs } from './constant-outputs.ts';
import { adviseOnSumOfSquares } from './sum-of-squares.ts';
import { adviseOnWrongDerivatives } from './wrong-derivatives.ts';
import { adviseOnWrongRuns } from './wrong-runs.ts';

/** Each looks at the runs for one kind of advice. */
const FINDERS: readonly ((prepared: Prepared) => readonly Advice[])[] = [
  adviseOnConstantOutputs,
  adviseOnSumOfSquares,
  adviseOnWrongRuns,
  adviseOnWrongDerivatives,
];

/** Everything in the runs that a person can act on. */
export function adviceFrom(prepared: Prepared): readonly Advice[] {
  return FINDERS.flatMap((find) => find(prepared));
}
