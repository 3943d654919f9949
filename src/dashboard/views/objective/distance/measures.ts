/** Which distance the chart shows, over all runs. Needs no browser. */
import { namesOf, titled } from '../../../parts/formats.ts';
import { type Columns, type Head, hasFailed } from '../columns.ts';
import { type Distances, distancesOfOutput, smallestSoFar } from '../distances.ts';
import { logFloor } from '../scales.ts';

/** Of the worst output, summed, or of one output by its number. */
export type Measure = 'worst' | 'sum' | number;

export interface DistanceData {
  readonly iterations: Int32Array;
  /** 0 is met; NaN without an output. */
  readonly values: Float64Array;
  readonly best: Float64Array;
  /** 1: excluded; 2: failed; 3: an input that was run before. */
  readonly marks: Uint8Array;
  /** Where 0 is drawn, and the upper end of the axis: powers of ten. */
  readonly floor: number;
  readonly top: number;
  readonly title: string;
}

export const EXCLUDED = 1;
export const FAILED = 2;
export const REPEAT = 3;

export function toDistanceData(head: Head, columns: Columns, distances: Distances, measure: Measure): DistanceData {
  const values =
    measure === 'worst'
      ? distances.worst
      : measure === 'sum'
        ? distances.sum
        : distancesOfOutput(head, columns, measure);
  const marks = new Uint8Array(columns.count);
  for (let row = 0; row < columns.count; row++) {
    marks[row] = hasFailed(columns, row)
      ? FAILED
      : columns.excluded[row]
        ? EXCLUDED
        : columns.repeatOf.has(columns.iterations[row]!)
          ? REPEAT
          : 0;
  }
  return {
    iterations: columns.iterations,
    values,
    best: smallestSoFar(values, columns),
    marks,
    ...logFloor(values),
    title: measureTitle(head, measure),
  };
}

function measureTitle(head: Head, measure: Measure): string {
  if (measure === 'worst') return 'Distance of the worst output (tolerances)';
  if (measure === 'sum') return 'Sum of the distances (tolerances)';
  const name = namesOf(head.outputNames, 'y', head.objectives.length)[measure]!;
  return titled(`Distance of ${name}`, head.outputUnits?.[measure]);
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
