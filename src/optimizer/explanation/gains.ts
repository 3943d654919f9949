/** Measures what derivatives and cheaper sources add to the models: the errors on cases left out, with them and without. */
import type { OutputInsight } from '../interface/insights.ts';
import type { Prepared } from '../search/prepare.ts';
import { movableCount } from '../space/encoding.ts';
import { clustersOf, crossValidate } from '../surrogate/cross-validation.ts';
import type { Surrogate } from '../surrogate/model-choice.ts';
import { fitScope, globalScope, type KnownCases } from '../surrogate/scope.ts';

type Insights = readonly OutputInsight[];

/** The insights as they are where no run brought derivatives. @param surrogate the models with them */
export function withDerivativeGain(prepared: Prepared, surrogate: Surrogate, insights: Insights): Insights {
  const { jacobian, count } = prepared.request.history;
  if (jacobian === undefined) return insights;
  const m = insights.length;
  const n = jacobian.length / (count * m);
  const rmseWithout = errorsWith(prepared, { ...prepared.cases, slopes: null, distrusted: [] });
  return insights.map((one, j) => {
    const known = jacobian.filter((slope, k) => Math.floor(k / n) % m === j && !Number.isNaN(slope)).length;
    const { fitted } = surrogate.outputs[j]!;
    const used = (fitted && surrogate.kernels[fitted.kernel]!.geometry.slopes?.base.length) || 0;
    return { ...one, derivatives: { known, used, rmseWithout: rmseWithout(j) } };
  });
}

/** The insights as they are for outputs whose models start from no cheaper source. @param surrogate the models with them */
export function withSourceGain(prepared: Prepared, surrogate: Surrogate, insights: Insights): Insights {
  const sourceOf = (j: number) => {
    const trend = surrogate.outputs[j]!.fitted?.trend;
    return trend && surrogate.coarse[trend.model]!.source;
  };
  if (insights.every((_, j) => sourceOf(j) == null)) return insights;
  const { coarse: _coarse, scales: _scales, ...fine } = prepared.cases;
  const rmseWithout = errorsWith(prepared, fine);
  return insights.map((one, j) => {
    const number = sourceOf(j);
    return number == null ? one : { ...one, source: { number, rmseWithout: rmseWithout(j) } };
  });
}

/** The root mean square error of the model of an output on cases left out, of models that are fitted to these cases. */
function errorsWith({ request, encoding, ...prepared }: Prepared, cases: KnownCases): (j: number) => number | null {
  const work = { spent: 0, limit: request.workLimit };
  const scope = globalScope({ ...prepared, encoding }, cases, request.goal);
  const surrogate = fitScope(encoding, cases, scope, cases.stall, work);
  const clusters = clustersOf(surrogate, movableCount(encoding));
  return (j) => crossValidate(surrogate, clusters, j).rmse;
}
