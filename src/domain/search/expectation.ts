/** Outputs that the model did not expect. */
import type { Inverse } from './inverse.ts';

/** An output outside the range in which the model expected it. */
export interface Surprise {
  /** Zero-based number of the output. */
  readonly output: number;
  readonly value: number;
  /** null where the model leaves the end open. */
  readonly minimum: number | null;
  readonly maximum: number | null;
}

/** The outputs of an inverse outside the ranges stored with its suggestion; none without both. */
export function surprisesOf({ output, expected }: Pick<Inverse, 'output' | 'expected'>): readonly Surprise[] {
  if (output === null || expected === null) return [];
  const m = output.length;
  return output.flatMap((value, j): readonly Surprise[] => {
    const minimum = expected[j]!;
    const maximum = expected[m + j]!;
    if (value >= minimum && value <= maximum) return [];
    return [{ output: j, value, minimum: closedEnd(minimum), maximum: closedEnd(maximum) }];
  });
}

/** The optimizer writes an open end as the largest double of its sign. */
function closedEnd(end: number): number | null {
  return Math.abs(end) === Number.MAX_VALUE ? null : end;
}
