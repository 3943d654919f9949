/** Outputs that no input has changed: as a rule the program does not read its inputs, or returns something else. */

import { distanceTo } from '../goal/targets.ts';
import { isConstant } from '../goal/unvaried.ts';
import type { Advice } from '../interface/insights.ts';
import type { Prepared } from '../search/prepare.ts';

/** Different inputs from which on outputs that never varied are told; fewer may lie on one plateau. */
const LEAST_INPUTS = 6;

/** Advice on all outputs where none ever varied, `outputs` then being empty, else on those of them that miss their targets. */
export function adviseOnConstantOutputs({ cases, residuals, encoding: { p } }: Prepared): readonly Advice[] {
  const { intervals, U, Y, N } = cases;
  const m = intervals.length;
  const inputs = new Set(Array.from({ length: N }, (_, i) => U.slice(i * p, (i + 1) * p).join()));
  if (inputs.size < LEAST_INPUTS) return [];
  const constant = [...intervals.keys()].filter((j) => isConstant(cases, j));
  const missed = constant.filter((j) => intervals[j]!.directed || distanceTo(intervals[j]!, Y[j]!) > 0);
  if (missed.length === 0) return [];
  if (constant.length === m) return [{ kind: 'constant-outputs', outputs: [] }];
  // Those of a fit are points of its curve, or mixtures of them.
  return residuals === null ? [{ kind: 'constant-outputs', outputs: missed }] : [];
}
