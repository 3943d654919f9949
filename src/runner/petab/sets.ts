/** Measurements of PEtab as data sets, each of one observable under one condition, with their noise. */
import { evaluateFormula, type FormulaValue, namesIn } from './noise-formula.ts';
import { PetabError } from './petab-error.ts';
import {
  type EstimatedNoise,
  type PetabCondition,
  type PetabMeasurement,
  type PetabParameter,
  type PetabSet,
  transform,
} from './petab-problem.ts';
import { numberOfCell, type PetabRow, type PetabTable, textOfCell } from './table.ts';

/** Columns that say under which condition a measurement was made, of version 1 and of version 2. */
const CONDITION_TITLES = {
  1: ['preequilibrationConditionId', 'simulationConditionId'],
  2: ['experimentId'],
} as const;
/** Version 2 lets measurements be those of one of several models. */
const MODEL_TITLE = 'modelId';

/** Statements of a problem's tables about its noise. */
interface Tables {
  readonly version: 1 | 2;
  readonly observables: readonly PetabRow[];
  readonly parameters: readonly PetabParameter[];
  /** Names that a condition gives another value. */
  readonly changed: ReadonlySet<string>;
}

/** In the order of the measurements. Throws PetabError. */
export function readSets(
  tables: readonly PetabTable[],
  stated: Tables,
): { readonly sets: readonly PetabSet[]; readonly notes: readonly string[] } {
  const rows = tables.flatMap((table) => table.rows);
  const models = new Set(rows.map(({ cells }) => cells.get(MODEL_TITLE)));
  const titles = [
    ...CONDITION_TITLES[stated.version].filter((title) => rows.some(({ cells }) => cells.has(title))),
    ...(stated.version === 2 && models.size > 1 ? [MODEL_TITLE] : []),
  ];
  const groups = Map.groupBy(rows, (row) =>
    JSON.stringify([textOfCell(row, 'observableId'), ...titles.map((title) => row.cells.get(title) ?? '')]),
  );
  const sets = [...groups.values()].map((own) => {
    const condition = Object.fromEntries(titles.map((title) => [title, own[0]!.cells.get(title) ?? '']));
    return readSet(own, condition, stated);
  });
  const shared = [
    ...Map.groupBy(
      sets.flatMap(({ noise }) => ('parameter' in noise ? [noise.parameter] : [])),
      (name) => name,
    ),
  ];
  const several = shared.filter(([, own]) => own.length > 1).map(([name]) => name);
  return {
    sets,
    notes:
      several.length === 0
        ? []
        : [`Shared by several data sets, which each get an error of their own: ${several.join(', ')}.`],
  };
}

function readSet(rows: readonly PetabRow[], condition: PetabCondition, stated: Tables): PetabSet {
  const id = textOfCell(rows[0]!, 'observableId');
  const observable = stated.observables.find(({ cells }) => cells.get('observableId') === id);
  if (observable === undefined) throw new PetabError(`${rows[0]!.where}: ${id} is in no observable table.`);
  const transformation = transformationOf(observable, id, stated.version);
  const measurements = rows.map((row) => toMeasurement(row, transformation));
  return { observable: id, condition, measurements, transformation, noise: noiseOf(observable, id, rows, stated) };
}

function toMeasurement(row: PetabRow, transformation: PetabSet['transformation']): PetabMeasurement {
  const [time, value] = [numberOfCell(row, 'time'), numberOfCell(row, 'measurement')];
  if (time === undefined || value === undefined) throw new PetabError(`${row.where}: needs a time and a measurement.`);
  if (Number.isFinite(transform(value, transformation))) return { row, time, value };
  throw new PetabError(
    `${row.where}: the measurement must be positive, for its logarithm is compared; it is ${value}.`,
  );
}

/** Version 1 has a transformation; version 2 says log-normal instead. */
function transformationOf({ cells, where }: PetabRow, id: string, version: 1 | 2): PetabSet['transformation'] {
  const stated = cells.get('observableTransformation') ?? 'lin';
  const distribution = cells.get('noiseDistribution') ?? 'normal';
  if (!['lin', 'log', 'log10'].includes(stated)) {
    throw new PetabError(`${where}: observableTransformation of ${id} must be lin, log or log10, is "${stated}".`);
  }
  // A draft of version 2 had the column; petab 0.10.0 does not read it.
  if (version === 2 && stated !== 'lin') {
    throw new PetabError(
      `${where}: observableTransformation ${stated} of ${id} is of version 1: in version 2 make noiseDistribution log-normal, ${stated === 'log' ? 'with the same noise' : 'and multiply the noise by log(10)'}.`,
    );
  }
  if (distribution === 'log-normal' && version === 2) return 'log';
  if (distribution === 'normal') return stated as PetabSet['transformation'];
  throw new PetabError(
    `${where}: noiseDistribution ${distribution} of ${id} is not known here: make it normal, and state loss: soft_l1 under its fit against outliers.`,
  );
}

function noiseOf(observable: PetabRow, id: string, rows: readonly PetabRow[], stated: Tables): PetabSet['noise'] {
  const formula = textOfCell(observable, 'noiseFormula');
  const fixed = new Map<string, number | string>(
    stated.parameters.flatMap(({ id: name, isEstimated, nominal }) =>
      isEstimated || nominal === undefined ? [] : [[name, nominal] as const],
    ),
  );
  const found = rows.map((row) => {
    const own = placeholdersOf(observable, id, formula, row, stated.version);
    const changed = [formula, ...own.values()].flatMap(namesIn).find((name) => stated.changed.has(name));
    if (changed !== undefined) {
      throw new PetabError(
        `${row.where}: the noise of ${id} depends on ${changed}, which conditions change: give its values in noiseParameters.`,
      );
    }
    return readNoise(evaluateFormula(formula, new Map([...fixed, ...own])), stated.parameters, formula, row, id);
  });
  if (found.every((one) => typeof one === 'number')) return found;
  const [first] = found;
  if (typeof first !== 'number' && found.every((one) => isSameNoise(one, first!))) return first!;
  throw new PetabError(
    `${observable.where}: the noise of ${id} differs between the measurements of one condition, and has parameters to estimate: give numbers, or fix them.`,
  );
}

function isSameNoise(one: number | EstimatedNoise, other: EstimatedNoise): boolean {
  return typeof one !== 'number' && one.parameter === other.parameter && one.factor === other.factor;
}

/** The names that a formula has for what its measurements state, each with a number or a formula. Throws PetabError. */
function placeholdersOf(
  observable: PetabRow,
  id: string,
  formula: string,
  { cells, where }: PetabRow,
  version: 1 | 2,
): ReadonlyMap<string, string> {
  const values = (cells.get('noiseParameters') ?? '')
    .split(';')
    .map((text) => text.trim())
    .filter((text, _, all) => text !== '' || all.length > 1);
  const prefix = 'noiseParameter';
  const numbered = namesIn(formula).filter((name) => name.startsWith(prefix) && name.endsWith(`_${id}`));
  const names =
    version === 1
      ? [...new Set(numbered)].map((_, i) => `${prefix}${i + 1}_${id}`)
      : (observable.cells.get('noisePlaceholders') ?? '').split(';').flatMap((text) => text.trim() || []);
  if (names.length === values.length) return new Map(names.map((name, i) => [name, values[i]!]));
  throw new PetabError(
    `${where}: the noise formula of ${id}, ${formula}, needs ${names.length} noiseParameters, and the measurement has ${values.length}.`,
  );
}

/** A number, or a parameter to estimate with a factor. Throws PetabError. */
function readNoise(
  value: FormulaValue,
  parameters: readonly PetabParameter[],
  formula: string,
  row: PetabRow,
  id: string,
): number | EstimatedNoise {
  if (typeof value === 'number') {
    if (value > 0) return value;
    throw new PetabError(`${row.where}: the noise of ${id} must be positive, is ${value}.`);
  }
  const isEstimated = value !== undefined && parameters.some((one) => one.id === value.unknown && one.isEstimated);
  if (isEstimated && value.factor > 0) return { parameter: value.unknown, factor: value.factor };
  throw new PetabError(
    `${row.where}: the noise formula of ${id}, ${formula}, is neither a number nor one parameter: give its value in noiseParameters.`,
  );
}
