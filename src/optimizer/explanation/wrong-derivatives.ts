/** Advice on derivatives that do not agree with the values of the runs, or not yet. */
import type { Advice } from '../interface/insights.ts';
import type { Prepared } from '../search/prepare.ts';

/** The most to name. */
const MOST = 10;

/** The output that a model is of. Null where, in a fit, a residual stands for several of them or for data. */
function outputOf(output: number | null, residuals: Prepared['residuals']): number | null {
  if (output === null || residuals === null) return output;
  return residuals.kept[output] ?? null;
}

export function adviseOnWrongDerivatives({ cases, encoding, residuals }: Prepared): readonly Advice[] {
  const advice = cases.distrusted.map(({ output, feature, factor, isWrong }): Advice => {
    const known = outputOf(output, residuals);
    return {
      kind: isWrong ? 'wrong-derivatives' : 'unproven-derivatives',
      outputs: known === null ? [] : [known],
      ...(feature !== null && { inputs: [encoding.owner[feature]!] }),
      factor,
    };
  });
  return advice.slice(0, MOST);
}
