/** What reported derivatives tell the models: their errors on cases left out, with derivatives and without. */
import type { OutputInsight } from '../insights.ts';
import type { Prepared } from '../prepare.ts';
import { movableCount } from '../space/encoding.ts';
import { clustersOf, crossValidate } from '../surrogate/cross-validation.ts';
import type { Surrogate } from '../surrogate/model-choice.ts';
import { fitScope, globalScope } from '../surrogate/scope.ts';

/** The insights as they are where no run brought derivatives. @param surrogate the models with them */
export function withDerivativeGain(
  prepared: Prepared,
  surrogate: Surrogate,
  insights: readonly OutputInsight[],
): readonly OutputInsight[] {
  const { request, cases, encoding } = prepared;
  const { jacobian, count } = request.history;
  if (jacobian === undefined) return insights;
  const m = insights.length;
  const n = jacobian.length / (count * m);
  const bare = { ...cases, slopes: null, distrusted: [] };
  const work = { spent: 0, limit: request.workLimit };
  const plain = fitScope(encoding, bare, globalScope(prepared, bare, request.goal), bare.stall, work);
  const clusters = clustersOf(plain, movableCount(encoding));
  return insights.map((one, j) => {
    const known = jacobian.filter((slope, k) => Math.floor(k / n) % m === j && !Number.isNaN(slope)).length;
    const { fitted } = surrogate.outputs[j]!;
    const used = (fitted && surrogate.kernels[fitted.kernel]!.geometry.slopes?.base.length) || 0;
    return { ...one, derivatives: { known, used, rmseWithout: crossValidate(plain, clusters, j).rmse } };
  });
}
