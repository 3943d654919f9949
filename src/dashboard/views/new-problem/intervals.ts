/**
 * Finds the values of an output that satisfy a target, to be drawn before the service knows of it. Follows the table of
 * docs/judging.md, up to rounding; the service judges.
 */
import { GOAL_TYPES, type GoalType } from '../../../../clients/typescript/src/generated/goal-types.ts';
import type { Ends } from '../../../presentation/formats.ts';

export interface Target {
  readonly type: GoalType;
  readonly target: number;
  /** Offsets from the target, of percent and value. */
  readonly from: number;
  readonly to: number;
}

/** The service's criterion for exact objectives, unless stated. */
const CONVERGENCE = 1e-6;

/** @param desiredL1Norm  the sum of differences up to which exact objectives are satisfied together */
export function intervalsOf(targets: readonly Target[], desiredL1Norm: number): readonly Ends[] {
  const sum = targets.reduce((total, { target }) => total + Math.abs(target), 0);
  const share = Math.max(desiredL1Norm, CONVERGENCE * (sum === 0 ? 1 : sum)) / targets.length;
  return targets.map((one) => intervalOf(one, share));
}

function intervalOf({ type, target, from, to }: Target, share: number): Ends {
  const between = (lower: number | null, upper: number | null): Ends => ({
    lower,
    upper,
    lowerOpen: type === 'greaterthan',
    upperOpen: type === 'lessthan',
  });
  switch (type) {
    case 'exact':
      return between(target - share, target + share);
    case 'percent':
      return between(target + (from * Math.abs(target)) / 100, target + (to * Math.abs(target)) / 100);
    case 'value':
      return between(target + from, target + to);
    case 'lessthan':
    case 'lessthan_equal':
    case 'minimize':
      return between(null, target);
    case 'greaterthan':
    case 'greaterthan_equal':
    case 'maximize':
      return between(target, null);
    case 'fit':
      return between(null, null);
  }
}

export function isAspiration(type: GoalType): boolean {
  return GOAL_TYPES[type].mayLackTarget;
}

export function hasBounds(type: GoalType): boolean {
  return GOAL_TYPES[type].hasBounds;
}
