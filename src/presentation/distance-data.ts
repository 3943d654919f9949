/** Selects the distance that the chart shows, over all runs. Needs no browser. */

import { type Columns, type Head, hasFailed } from './columns.ts';
import { type Distances, distancesOfOutput, leastMisfits, measureRuns, smallestSoFar } from './distances.ts';
import { namesOf, titled } from './formats.ts';
import type { Others } from './others.ts';
import { logFloor } from './scales.ts';

/**
 * The distance of runs from the data of a fit, the distance of the worst output, the sum of all distances, or the
 * distance of one output by its number.
 */
export type Measure = 'misfit' | 'worst' | 'sum' | number;

export interface DistanceData {
  readonly iterations: Columns['iterations'];
  /** Whether 0 is met. */
  readonly hasMet: boolean;
  /** NaN without an output. */
  readonly values: Float64Array;
  readonly best: Float64Array;
  /** 1: excluded; 2: failed; 3: an input that was run before; 4: beyond a limit, so that it is not the best fit. */
  readonly marks: Uint8Array;
  /** The position at which 0 is drawn; like the upper end of the axis, a power of ten. */
  readonly floor: number;
  readonly top: number;
  readonly title: string;
  /** The trial's other runs, drawn before run 1; empty while they are hidden. */
  readonly others: OtherDistances;
}

export interface OtherDistances {
  /** Distances, as in `values` of DistanceData. */
  readonly values: Float64Array;
  readonly marks: Uint8Array;
  /** For example "case 3". */
  readonly names: readonly string[];
}

export const NO_OTHERS: OtherDistances = { values: new Float64Array(0), marks: new Uint8Array(0), names: [] };

/** The position of another run on the axis of runs: the last one is at 0. */
export function placeOfOther({ values }: OtherDistances, row: number): number {
  return row + 1 - values.length;
}

export const EXCLUDED = 1;
export const FAILED = 2;
export const REPEAT = 3;
export const BEYOND = 4;

export function toDistanceData(
  head: Head,
  columns: Columns,
  distances: Distances,
  measure: Measure,
  others: OtherDistances = NO_OTHERS,
): DistanceData {
  const values = valuesOf(columns, distances, measure);
  const isMisfit = measure === 'misfit';
  const marks = marksOf(columns).map((mark, row) =>
    isMisfit && mark === 0 && distances.worst[row]! > 0 ? BEYOND : mark,
  );
  return {
    iterations: columns.iterations,
    hasMet: !isMisfit,
    values,
    best: isMisfit ? leastMisfits(columns, distances, head) : smallestSoFar(values, columns, head),
    marks,
    ...logFloor(others.values.length === 0 ? values : [...values, ...others.values]),
    others,
    title: measureTitle(head, measure),
  };
}

/** The trial's other runs by the same measure. */
export function toOtherDistances({ columns, sources }: Others, measure: Measure): OtherDistances {
  return {
    values: valuesOf(columns, measureRuns(columns), measure),
    marks: marksOf(columns),
    names: sources.map(({ name }) => name),
  };
}

function valuesOf(columns: Columns, distances: Distances, measure: Measure): Float64Array {
  if (measure === 'misfit') return columns.misfits;
  if (measure === 'worst') return distances.worst;
  return measure === 'sum' ? distances.sum : distancesOfOutput(columns, measure);
}

function marksOf(columns: Columns): Uint8Array {
  return Uint8Array.from({ length: columns.count }, (_, row) => {
    if (hasFailed(columns, row)) return FAILED;
    if (columns.excluded[row]) return EXCLUDED;
    return columns.repeatOf.has(columns.inverseIds[row]!) ? REPEAT : 0;
  });
}

function measureTitle(head: Head, measure: Measure): string {
  if (measure === 'misfit') return misfitTitle(head);
  if (measure === 'worst') return 'Worst miss (× allowed deviation)';
  if (measure === 'sum') return 'Sum of all misses (× allowed deviations)';
  const name = namesOf(head.outputNames, 'y', head.objectives.length)[measure]!;
  return titled(`Distance of ${name}`, head.outputUnits?.[measure]);
}

/** By the word for what the search makes small. */
export function misfitTitle({ fit }: Pick<Head, 'fit'>): string {
  return fit?.chiSquare === null ? 'Root mean square of the residuals' : 'Misfit (chi-square)';
}

/** Rows at which the best distance became smaller, the newest first. */
export function improvements({ best }: Pick<DistanceData, 'best'>, limit: number): readonly number[] {
  const rows: number[] = [];
  for (let row = best.length - 1; row >= 0 && rows.length < limit; row--) {
    const before = row === 0 ? Number.NaN : best[row - 1]!;
    if (!Number.isNaN(best[row]!) && best[row] !== before) rows.push(row);
  }
  return rows;
}
