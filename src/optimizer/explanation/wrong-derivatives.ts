/** Advice on derivatives that do not agree with the values of the runs, or not yet. */
import type { Advice } from '../interface/insights.ts';
import type { Prepared } from '../search/prepare.ts';

/** The most to name. */
const MOST = 10;

export function adviseOnWrongDerivatives({ cases, encoding, residuals }: Prepared): readonly Advice[] {
  const advice = cases.distrusted.map(({ output, feature, factor, isWrong }): Advice => {
    // In a fit a residual stands for one output or for several of them, for which no number can be given.
    const known = output === null ? null : residuals === null ? output : (residuals.kept[output] ?? null);
    return {
      kind: isWrong ? 'wrong-derivatives' : 'unproven-derivatives',
      outputs: known === null ? [] : [known],
      ...(feature !== null && { inputs: [encoding.owner[feature]!] }),
      factor,
    };
  });
  return advice.slice(0, MOST);
}
