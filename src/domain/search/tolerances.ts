/** Judges outputs by their bounds, with one entry per type that has bounds (numbers/goal-types.ts). */
import {
  type BoundedType,
  type Gauge,
  type Gauged,
  GOAL_TYPES,
  type GoalType,
  gaugeOf,
  hasBounds,
} from '../../numbers/goal-types.ts';
import type { Target } from '../../optimizer/interface/problem.ts';
import { outermostDouble } from '../double-order.ts';
import { makeViolation, type Violation } from '../errors.ts';
import { refOutput, refTerm } from '../messages.ts';
import { toFinite } from '../vectors.ts';

export type Ends = Pick<Target, 'lower' | 'upper' | 'lowerOpen' | 'upperOpen'>;

/** A definition as far as tolerances need it. */
interface Definition {
  readonly objectives: readonly number[];
  readonly objectiveTypes: readonly GoalType[];
  readonly minimumBounds: readonly (number | null)[];
  readonly maximumBounds: readonly (number | null)[];
  readonly options?: Pick<Gauged, 'noise'> | null;
}

/** The fields of a new objective, as far as they are valid. */
type Sent = Partial<Pick<Definition, 'objectives' | 'objectiveTypes'>> & Pick<Gauged, 'noise'>;

interface Bounds {
  readonly minimum: number;
  readonly maximum: number;
}

interface Judged {
  readonly y: number;
  readonly gauge: Gauge;
  readonly bounds: Bounds;
  readonly interval: Ends;
}

interface Tolerance {
  /** The values that meet it. */
  endsOf(bounds: Bounds, gauge: Gauge): Ends;
  /** The error of a result. */
  errorOf(y: number, gauge: Gauge): number;
  /** Returns the reason that follows the verdict in a sentence about an output. */
  describe(judged: Judged): string;
  /** Returns the reasons why a new objective cannot have this type for output j. */
  check(fields: Sent, j: number): readonly Violation[];
}

const TOLERANCES: Readonly<Record<BoundedType, Tolerance>> = {
  percent: {
    endsOf: percentEnds,
    errorOf: (y, { target }) => toFinite(Math.abs(percentDeviation(y, target))),
    describe: ({ y, gauge: { target }, bounds: { minimum, maximum } }) =>
      `it deviates from the target ${target} by ${toFinite(percentDeviation(y, target))} percent; the allowed range is ${minimum} to ${maximum} percent`,
    check: ({ objectives }, j) => {
      if (objectives?.[j] !== 0) return [];
      const message = `must not be 0 for a ${refTerm('tolerance in percent', 'percent objective')}; ${refTerm('state the tolerance in its unit', 'use value')} instead.`;
      return [makeViolation(['objectives', j], message)];
    },
  },
  value: {
    endsOf: ({ minimum, maximum }, { target }) => offsetEnds(target, minimum, maximum),
    errorOf: (y, { target }) => toFinite(Math.abs(y - target)),
    describe: ({ gauge: { target }, interval: { lower, upper } }) =>
      `the allowed range around the target ${target} is ${lower} to ${upper}`,
    check: () => [],
  },
  standard_deviations: {
    endsOf: ({ minimum, maximum }, { target, deviation }) =>
      offsetEnds(target, minimum * deviation, maximum * deviation),
    errorOf: (y, { target, deviation }) => toFinite(Math.abs(y - target) / deviation),
    describe: ({ y, gauge: { target, deviation }, bounds: { minimum, maximum } }) =>
      `it deviates from the target ${target} by ${toFinite((y - target) / deviation)} standard deviations of ${deviation}; the allowed range is ${minimum} to ${maximum}`,
    check: checkDeviation,
  },
};

/** The noise has to be stated, for otherwise nothing says how wide the range is. */
function checkDeviation({ noise, objectiveTypes = [] }: Sent, j: number): readonly Violation[] {
  const type = refTerm('standard_deviations');
  if (objectiveTypes.includes('fit')) {
    const message = `cannot be ${type} with a fit, beside which no noise is stated; ${refTerm('state the tolerance in its unit', 'use value')} instead.`;
    return [makeViolation(['objectiveTypes', j], message)];
  }
  // It is undefined where it was refused. One violation stands for all outputs.
  if (noise === undefined) return [];
  if (noise === null || noise === 'estimate') {
    if (objectiveTypes.indexOf('standard_deviations') < j) return [];
    const message = `must state the standard deviation of each ${refTerm('output')}, because ${refOutput(j)} is ${type}; ${refTerm('state the tolerance in its unit', 'use value')} if it is not known.`;
    return [makeViolation(['noise'], message)];
  }
  const deviation = noise.standardDeviations[j];
  if (deviation === undefined || deviation > 0) return [];
  const message = `must be more than 0 because ${refOutput(j)} is ${type}, is ${deviation}.`;
  return [makeViolation(['noise', 'standardDeviations', j], message)];
}

/** The tolerance of output j, ready to be applied; null for a type without bounds. */
export function toleranceOf(definition: Definition, j: number) {
  const type = definition.objectiveTypes[j]!;
  if (!hasBounds(type)) return null;
  const { offsets } = GOAL_TYPES[type];
  const { endsOf, errorOf, describe } = TOLERANCES[type];
  const gauge = gaugeOf({ objectives: definition.objectives, noise: definition.options?.noise ?? null }, j);
  // `checkNewObjective` takes null only for types without bounds.
  const bounds = { minimum: definition.minimumBounds[j]!, maximum: definition.maximumBounds[j]! };
  return {
    bounds,
    ends: () => endsOf(bounds, gauge),
    errorOf: (y: number) => errorOf(y, gauge),
    describe: (y: number, interval: Ends) => describe({ y, gauge, bounds, interval }),
    toUnits: (offset: number) => offsets!.toUnits(offset, gauge),
    fromUnits: (difference: number) => offsets!.fromUnits(difference, gauge),
  };
}

/** Violations of the rules of single types. */
export function checkTolerances(fields: Sent): readonly Violation[] {
  const { objectiveTypes = [] } = fields;
  return objectiveTypes.flatMap((type, j) => (hasBounds(type) ? TOLERANCES[type].check(fields, j) : []));
}

/** The signed deviation of y from t in percent of |t|; infinite only if the true value exceeds the largest double. */
function percentDeviation(y: number, t: number): number {
  // 100 (y - t) overflows from 2^1017 on; scaling both by the same power of two does not change the ratio.
  const scale = Math.max(Math.abs(y), Math.abs(t)) > 2 ** 1000 ? 2 ** -30 : 1;
  return (100 * (scale * y - scale * t)) / Math.abs(scale * t);
}

/** The doubles whose rounded deviation is within both bounds; an end that no double reaches is open. */
function percentEnds({ minimum, maximum }: Bounds, { target: t }: Gauge): Ends {
  const estimate = (bound: number): number => toFinite(t + (bound * Math.abs(t)) / 100);
  const lower = outermostDouble(estimate(minimum), -1, (y) => percentDeviation(y, t) >= minimum);
  const upper = outermostDouble(estimate(maximum), 1, (y) => percentDeviation(y, t) <= maximum);
  return {
    lower: lower ?? Number.MAX_VALUE,
    lowerOpen: lower === undefined,
    upper: upper ?? -Number.MAX_VALUE,
    upperOpen: upper === undefined,
  };
}

/** The range from t + from to t + to, in units of the output; an end beyond the largest double is beyond every output, and open. */
function offsetEnds(t: number, from: number, to: number): Ends {
  return {
    lower: toFinite(t + from),
    lowerOpen: t + from > Number.MAX_VALUE,
    upper: toFinite(t + to),
    upperOpen: t + to < -Number.MAX_VALUE,
  };
}
