/** Finds the inputs that matter most. Needs no browser. */
import type { Head } from '../../../../presentation/columns.ts';

/** Inputs by their share of the variation, the largest first; of all outputs together where none is named. */
export function mostSensitive(insight: Head['insight'], inputCount: number, output?: number): number[] {
  const shares = new Float64Array(inputCount);
  insight?.outputs.forEach(({ sensitivity }, j) => {
    if (output !== undefined && j !== output) return;
    sensitivity?.forEach((share, i) => {
      shares[i]! += share;
    });
  });
  return Array.from(shares.keys()).sort((a, b) => shares[b]! - shares[a]! || a - b);
}
