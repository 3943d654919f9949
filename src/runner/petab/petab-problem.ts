/** A PEtab problem, of version 1 or 2: parameters, and measurements as sets of one observable under one condition. */
import type { PetabRow, PetabTable } from './table.ts';

export interface PetabParameter {
  readonly id: string;
  /** Undefined in version 2, which has none. */
  readonly scale: 'lin' | 'log' | 'log10' | undefined;
  readonly isEstimated: boolean;
  /** Bounds and value are not on the scale. The bounds end where the prior does. */
  readonly lower: number | undefined;
  readonly upper: number | undefined;
  readonly nominal: number | undefined;
  readonly prior: PetabPrior | undefined;
  /** Whether its prior ends within the bounds of the table. */
  readonly isNarrowed: boolean;
}

/** Properties of a prior that the search uses. */
export interface PetabPrior {
  /** As the table names it. */
  readonly kind: string;
  /** Range in which its density is more than 0, not on the scale. */
  readonly support: readonly [number, number];
  /** Two standard deviations around the mean of a normal prior, not on the scale. */
  readonly likely: readonly [number, number] | undefined;
  /** Whether its density is the same everywhere on its support. */
  readonly isFlat: boolean;
}

/** Facts for a simulator about the conditions of measurements, by the titles of their columns; '' for none. */
export type PetabCondition = Readonly<Record<string, string>>;

export interface PetabMeasurement {
  readonly row: PetabRow;
  readonly time: number;
  /** As measured. */
  readonly value: number;
}

/** The measurements of one observable under one condition. */
export interface PetabSet {
  readonly observable: string;
  readonly condition: PetabCondition;
  readonly measurements: readonly PetabMeasurement[];
  readonly transformation: 'lin' | 'log' | 'log10';
  /** The standard errors of transformed values, or the parameter to estimate that all of them are, times a factor. */
  readonly noise: readonly number[] | EstimatedNoise;
}

export interface EstimatedNoise {
  readonly parameter: string;
  readonly factor: number;
}

export interface PetabProblem {
  /** Name of the YAML file, without its ending. */
  readonly name: string;
  readonly parameters: readonly PetabParameter[];
  readonly sets: readonly PetabSet[];
  readonly parameterTable: PetabTable;
  readonly measurementTables: readonly PetabTable[];
  /** Values of the condition tables: a number, or the name of a parameter, by condition. */
  readonly conditionValues: (condition: PetabCondition) => ReadonlyMap<string, string>;
  /** All files that the problem names, relative to its folder. */
  readonly files: readonly string[];
  readonly notes: readonly string[];
}

/** As the data of a fit have it. */
export function transform(value: number, transformation: PetabSet['transformation']): number {
  if (transformation === 'lin') return value;
  return transformation === 'log' ? Math.log(value) : Math.log10(value);
}

/** A name that no other set has: the observable, with its condition where there are several. */
export function nameOfSet({ observable, condition }: PetabSet, { sets }: Pick<PetabProblem, 'sets'>): string {
  if (sets.filter((one) => one.observable === observable).length === 1) return observable;
  return [observable, ...Object.values(condition).filter((id) => id !== '')].join(' ');
}

/** The parameters that are errors of data. */
export function errorsOf({ sets }: Pick<PetabProblem, 'sets'>): readonly string[] {
  return sets.flatMap(({ noise }) => ('parameter' in noise ? [noise.parameter] : []));
}

export function isSameCondition(one: PetabCondition, other: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(one).every(([title, id]) => String(other[title] ?? '') === id);
}
