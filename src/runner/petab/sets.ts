/** Measurements of PEtab as data sets, each of one observable under one condition, with their noise. */
import { evaluateNoise, type NoiseValue } from './noise-formula.ts';
import { PetabError } from './petab-error.ts';
import {
  type PetabCondition,
  type PetabMeasurement,
  type PetabParameter,
  type PetabSet,
  transform,
} from './petab-problem.ts';
import { numberOfCell, type PetabRow, type PetabTable, textOfCell } from './table.ts';

/** Columns that say under which condition a measurement was made, of version 1 and of version 2. */
const CONDITION_TITLES = ['preequilibrationConditionId', 'simulationConditionId', 'experimentId'];

/** In the order of the measurements. Throws PetabError. */
export function readSets(
  tables: readonly PetabTable[],
  observables: readonly PetabRow[],
  parameters: readonly PetabParameter[],
): { readonly sets: readonly PetabSet[]; readonly notes: readonly string[] } {
  const rows = tables.flatMap((table) => table.rows);
  const titles = CONDITION_TITLES.filter((title) => rows.some(({ cells }) => cells.has(title)));
  const groups = Map.groupBy(rows, (row) =>
    JSON.stringify([textOfCell(row, 'observableId'), ...titles.map((title) => row.cells.get(title) ?? '')]),
  );
  const sets = [...groups.values()].map((own) => {
    const condition = Object.fromEntries(titles.map((title) => [title, own[0]!.cells.get(title) ?? '']));
    return readSet(own, condition, observables, parameters);
  });
  const shared = [
    ...Map.groupBy(
      sets.filter(({ noise }) => typeof noise === 'string'),
      ({ noise }) => noise,
    ),
  ];
  const several = shared.filter(([, own]) => own.length > 1).map(([name]) => String(name));
  return {
    sets,
    notes:
      several.length === 0
        ? []
        : [`Shared by several data sets, which each get an error of their own: ${several.join(', ')}.`],
  };
}

function readSet(
  rows: readonly PetabRow[],
  condition: PetabCondition,
  observables: readonly PetabRow[],
  parameters: readonly PetabParameter[],
): PetabSet {
  const id = textOfCell(rows[0]!, 'observableId');
  const observable = observables.find(({ cells }) => cells.get('observableId') === id);
  if (observable === undefined) throw new PetabError(`${rows[0]!.where}: ${id} is in no observable table.`);
  const transformation = transformationOf(observable, id);
  const measurements = rows.map((row) => toMeasurement(row, transformation));
  return { observable: id, condition, measurements, transformation, noise: noiseOf(observable, id, rows, parameters) };
}

function toMeasurement(row: PetabRow, transformation: PetabSet['transformation']): PetabMeasurement {
  const [time, value] = [numberOfCell(row, 'time'), numberOfCell(row, 'measurement')];
  if (time === undefined || value === undefined) throw new PetabError(`${row.where}: needs a time and a measurement.`);
  if (Number.isFinite(transform(value, transformation))) return { row, time, value };
  throw new PetabError(
    `${row.where}: the measurement must be positive, for its logarithm is compared; it is ${value}.`,
  );
}

/** Version 2 says log-normal instead of a transformation. */
function transformationOf({ cells, where }: PetabRow, id: string): PetabSet['transformation'] {
  const stated = cells.get('observableTransformation') ?? 'lin';
  const distribution = cells.get('noiseDistribution') ?? 'normal';
  if (!['lin', 'log', 'log10'].includes(stated)) {
    throw new PetabError(`${where}: observableTransformation of ${id} must be lin, log or log10, is "${stated}".`);
  }
  if (distribution === 'log-normal') return 'log';
  if (distribution === 'normal') return stated as PetabSet['transformation'];
  throw new PetabError(
    `${where}: noiseDistribution ${distribution} of ${id} is not known here: make it normal, and state loss: soft_l1 under its fit against outliers.`,
  );
}

function noiseOf(
  observable: PetabRow,
  id: string,
  rows: readonly PetabRow[],
  parameters: readonly PetabParameter[],
): PetabSet['noise'] {
  const formula = textOfCell(observable, 'noiseFormula');
  const fixed = new Map<string, number | string>(
    parameters.flatMap(({ id: name, isEstimated, nominal }) =>
      isEstimated || nominal === undefined ? [] : [[name, nominal] as const],
    ),
  );
  const found = rows.map((row) => {
    const own = placeholdersOf(observable, id, row.cells.get('noiseParameters'));
    return readNoise(evaluateNoise(formula, new Map([...fixed, ...own])), parameters, formula, row, id);
  });
  if (found.every((one) => typeof one === 'number')) return found;
  const [first] = found;
  if (typeof first === 'string' && found.every((one) => one === first)) return first;
  throw new PetabError(
    `${observable.where}: the noise of ${id} differs between the measurements of one condition, and has parameters to estimate: give numbers, or fix them.`,
  );
}

function placeholdersOf(
  observable: PetabRow,
  id: string,
  cell: string | undefined,
): readonly (readonly [string, string | number])[] {
  const named = observable.cells.get('noisePlaceholders')?.split(';');
  return (cell ?? '').split(';').flatMap((text, i) => {
    const value = text.trim();
    if (value === '') return [];
    const number = Number(value);
    return [[named?.[i]?.trim() ?? `noiseParameter${i + 1}_${id}`, Number.isFinite(number) ? number : value] as const];
  });
}

/** A number, or the name of a parameter to estimate. Throws PetabError. */
function readNoise(
  value: NoiseValue,
  parameters: readonly PetabParameter[],
  formula: string,
  row: PetabRow,
  id: string,
): number | string {
  if (typeof value === 'number') {
    if (value > 0) return value;
    throw new PetabError(`${row.where}: the noise of ${id} must be positive, is ${value}.`);
  }
  if (value !== undefined && parameters.some((one) => one.id === value.unknown && one.isEstimated))
    return value.unknown;
  throw new PetabError(
    `${row.where}: the noise formula of ${id}, ${formula}, is neither a number nor one parameter: give its value in noiseParameters.`,
  );
}
