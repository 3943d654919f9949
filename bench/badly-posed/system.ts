/** A system with more outputs than inputs, and how far an input misses its targets. */
import type { Problem } from '../problems/problem.ts';

/** A target of one output with the half width of its base tolerance; a limit is to be missed by at most that. */
export interface SystemOutput {
  readonly kind: 'value' | 'atMost' | 'atLeast';
  readonly target: number;
  readonly halfWidth: number;
}

export interface System {
  readonly name: string;
  /** Publication of the formulas. */
  readonly source: string;
  readonly variables: Problem['variables'];
  readonly outputs: readonly SystemOutput[];
  /** Whether the goal is exact and judged by the sum of the deviations, all half widths being 1. */
  readonly isL1: boolean;
  readonly evaluate: (x: readonly number[]) => number[];
}

/** The signs of the differences that count as misses. */
const SIDES = { atMost: [1], atLeast: [-1], value: [1, -1] } as const;

/** Signed misses of the outputs, in base half widths; two entries per two-sided output. */
export function signedMisses({ outputs }: System, y: readonly number[]): number[] {
  return outputs.flatMap(({ kind, target, halfWidth }, j) => {
    const d = (y[j]! - target) / halfWidth;
    return SIDES[kind].map((sign) => sign * d);
  });
}

/** Miss that is to be at most 1 times the tolerance: the worst one in base half widths, or their sum with an L1 goal. */
export function missOf(system: System, x: readonly number[]): number {
  const misses = signedMisses(system, system.evaluate(x)).map((one) => Math.max(0, one));
  return system.isL1 ? misses.reduce((sum, one) => sum + one, 0) : Math.max(...misses);
}
