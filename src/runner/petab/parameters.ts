/** The parameter table of PEtab. */
import { PetabError } from './petab-error.ts';
import type { PetabParameter } from './petab-problem.ts';
import { readPrior } from './priors.ts';
import { boundOfCell, numberOfCell, type PetabRow, type PetabTable, textOfCell } from './table.ts';

/** Throws PetabError. */
export function readParameters({ rows, file }: PetabTable, version: 1 | 2): readonly PetabParameter[] {
  const parameters = rows.map((row) => readParameter(row, version));
  const twice = parameters.find(({ id }, i) => parameters.findIndex((one) => one.id === id) !== i);
  if (twice !== undefined) throw new PetabError(`${file}: the parameter ${twice.id} is there twice.`);
  if (!parameters.some(({ isEstimated }) => isEstimated)) throw new PetabError(`${file}: no parameter is estimated.`);
  return parameters;
}

function readParameter(row: PetabRow, version: 1 | 2): PetabParameter {
  const id = textOfCell(row, 'parameterId');
  // Version 2 has none, and does not read the column.
  const stated = version === 1 ? row.cells.get('parameterScale') : undefined;
  if (stated !== undefined && !['lin', 'log', 'log10'].includes(stated)) {
    throw new PetabError(`${row.where}: parameterScale of ${id} must be lin, log or log10, is "${stated}".`);
  }
  const scale = stated as PetabParameter['scale'];
  const estimate = textOfCell(row, 'estimate').toLowerCase();
  if (!/^(0|1|0\.0|1\.0|true|false)$/.test(estimate)) {
    throw new PetabError(`${row.where}: estimate of ${id} must be 0 or 1, is "${estimate}".`);
  }
  const isEstimated = /^(1|true)/.test(estimate);
  const nominal = numberOfCell(row, 'nominalValue');
  const bounds = [boundOfCell(row, 'lowerBound'), boundOfCell(row, 'upperBound')] as const;
  const prior = isEstimated ? readPrior(row, version, scale) : undefined;
  const [lower, upper] = prior === undefined ? bounds : within(bounds, prior.support);
  if (isEstimated && !(lower !== undefined && upper !== undefined && lower < upper)) {
    const cause = prior === undefined ? '' : `, also where its prior ${prior.kind} is not 0`;
    throw new PetabError(
      `${row.where}: ${id} is estimated, so it needs a finite lowerBound below its upperBound${cause}.`,
    );
  }
  if (isEstimated && (scale === 'log' || scale === 'log10') && !(lower! > 0)) {
    throw new PetabError(`${row.where}: ${id} is logarithmic, so its lowerBound must be positive; it is ${lower}.`);
  }
  if (!isEstimated && nominal === undefined) {
    throw new PetabError(`${row.where}: ${id} is not estimated, so it needs a nominalValue.`);
  }
  const isNarrowed = lower !== bounds[0] || upper !== bounds[1];
  return { id, scale, isEstimated, lower, upper, nominal, prior, isNarrowed };
}

type Bounds = readonly [number | undefined, number | undefined];

/** petab truncates every prior by the bounds, so values where either ends are impossible. */
function within([lower, upper]: Bounds, [least, most]: readonly [number, number]): Bounds {
  const finite = (end: number) => (Number.isFinite(end) ? end : undefined);
  return [
    finite(Math.max(lower ?? Number.NEGATIVE_INFINITY, least)),
    finite(Math.min(upper ?? Number.POSITIVE_INFINITY, most)),
  ];
}
