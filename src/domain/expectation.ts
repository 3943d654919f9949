/** Outputs that the model did not expect. */
import type { Inverse } from './inverse.ts';

/** An output outside the range in which the model expected it. */
export interface Surprise {
  /** Zero-based number of the output. */
  readonly output: number;
  readonly value: number;
  readonly minimum: number;
  readonly maximum: number;
}

/** The outputs of an inverse outside the ranges stored with its suggestion; none without both. */
export function surprisesOf({ output, expected }: Pick<Inverse, 'output' | 'expected'>): readonly Surprise[] {
  if (output === null || expected === null) return [];
  const m = output.length;
  return output.flatMap((value, j): readonly Surprise[] => {
    const minimum = expected[j]!;
    const maximum = expected[m + j]!;
    return value < minimum || value > maximum ? [{ output: j, value, minimum, maximum }] : [];
  });
}
