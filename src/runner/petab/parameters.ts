/** The parameter table of PEtab. */
import { readNumber } from '../exchange.ts';
import { PetabError } from './petab-error.ts';
import type { PetabParameter } from './petab-problem.ts';
import { numberOfCell, type PetabRow, type PetabTable, textOfCell } from './table.ts';

/** Throws PetabError. */
export function readParameters({ rows, file }: PetabTable): readonly PetabParameter[] {
  const parameters = rows.map(readParameter);
  const twice = parameters.find(({ id }, i) => parameters.findIndex((one) => one.id === id) !== i);
  if (twice !== undefined) throw new PetabError(`${file}: the parameter ${twice.id} is there twice.`);
  if (!parameters.some(({ isEstimated }) => isEstimated)) throw new PetabError(`${file}: no parameter is estimated.`);
  return parameters;
}

function readParameter(row: PetabRow): PetabParameter {
  const id = textOfCell(row, 'parameterId');
  const stated = row.cells.get('parameterScale');
  if (stated !== undefined && !['lin', 'log', 'log10'].includes(stated)) {
    throw new PetabError(`${row.where}: parameterScale of ${id} must be lin, log or log10, is "${stated}".`);
  }
  const scale = stated as PetabParameter['scale'];
  const estimate = textOfCell(row, 'estimate').toLowerCase();
  if (!/^(0|1|0\.0|1\.0|true|false)$/.test(estimate)) {
    throw new PetabError(`${row.where}: estimate of ${id} must be 0 or 1, is "${estimate}".`);
  }
  const isEstimated = /^(1|true)/.test(estimate);
  const [lower, upper, nominal] = ['lowerBound', 'upperBound', 'nominalValue'].map((title) => numberOfCell(row, title));
  if (isEstimated && !(lower !== undefined && upper !== undefined && lower < upper)) {
    throw new PetabError(`${row.where}: ${id} is estimated, so it needs a lowerBound below its upperBound.`);
  }
  if (isEstimated && (scale === 'log' || scale === 'log10') && !(lower! > 0)) {
    throw new PetabError(`${row.where}: ${id} is logarithmic, so its lowerBound must be positive; it is ${lower}.`);
  }
  if (!isEstimated && nominal === undefined) {
    throw new PetabError(`${row.where}: ${id} is not estimated, so it needs a nominalValue.`);
  }
  return { id, scale, isEstimated, lower, upper, nominal, likely: likelyOf(row, scale) };
}

const NORMAL: Readonly<Record<string, 'scale' | 'lin' | 'log'>> = {
  parameterScaleNormal: 'scale',
  normal: 'lin',
  logNormal: 'log',
  'log-normal': 'log',
};
const LIKELY = 2;

/** Of a normal prior, which has a mean and a standard deviation; of others nothing. */
function likelyOf(row: PetabRow, scale: PetabParameter['scale']): PetabParameter['likely'] {
  const kind = NORMAL[row.cells.get('objectivePriorType') ?? row.cells.get('priorDistribution') ?? ''];
  const parts = (row.cells.get('objectivePriorParameters') ?? row.cells.get('priorParameters') ?? '').split(';');
  const [mean, deviation] = parts.map(readNumber);
  if (kind === undefined || mean === undefined || deviation === undefined) return undefined;
  const on = kind === 'scale' ? (scale ?? 'lin') : kind;
  const ends = [mean - LIKELY * deviation, mean + LIKELY * deviation].map((end) => {
    if (on === 'lin') return end;
    return on === 'log' ? Math.exp(end) : 10 ** end;
  });
  return [ends[0]!, ends[1]!];
}

/** Whether a prior is stated that is no likely range. */
export function hasOtherPrior({ cells }: PetabRow): boolean {
  const kind = cells.get('objectivePriorType') ?? cells.get('priorDistribution');
  return kind !== undefined && NORMAL[kind] === undefined && !/uniform/i.test(kind);
}
