/** Reads the goal of an output: `target` with `within`, `exact`, bounds on one side, or an aspiration. */
import {
  type BoundedType,
  GOAL_TYPES,
  type GoalType,
  hasBounds,
  isAspiration,
} from '../../../clients/typescript/src/generated/goal-types.ts';
import type { Goal } from '../../../clients/typescript/src/solve/goals.ts';
import { type Path, textOf, type ValueReader } from './value-reader.ts';
import type { Value } from './yaml-values.ts';

/** Distance by which a target may be missed. */
interface Tolerance {
  readonly type: BoundedType;
  readonly lower: number;
  readonly upper: number;
}

const TYPES = Object.keys(GOAL_TYPES) as GoalType[];
/** Goals of one number, by their keys. */
const GOALS_OF_ONE_NUMBER: ReadonlyMap<string, GoalType> = new Map(
  TYPES.flatMap((type) => {
    const { name } = GOAL_TYPES[type];
    return name === null ? [] : [[name, type] as const];
  }),
);
const KINDS = ['target', ...GOALS_OF_ONE_NUMBER.keys()];
export const GOAL_KEYS = [...KINDS, 'within'];

/**
 * The goal of one output. `inherited` is the tolerance for a target that has none of its own. Undefined where there is none or
 * where it is wrong; `isRequired` refuses the first.
 */
export function readGoal(
  reader: ValueReader,
  fields: ReadonlyMap<string, Value>,
  path: Path,
  { inherited, isRequired }: { readonly inherited?: Value | undefined; readonly isRequired: boolean },
): Goal | undefined {
  const stated = KINDS.filter((kind) => fields.has(kind));
  const at = reader.positionOf(path);
  const within = fields.get('within');
  if (stated.length > 1) {
    const advice = 'for a range write its middle as target and its half width as within.';
    return reader.refuse(at, path, `must have one goal, has ${stated.join(' and ')}; ${advice}`);
  }
  const kind = stated[0];
  if (kind === undefined) {
    if (!isRequired) return undefined;
    const advice = 'target with within, exact, below, atMost, above, atLeast, minimize or maximize';
    return reader.refuse(at, path, `needs a goal: ${advice}.`);
  }
  const sentTarget = fields.get(kind)!;
  const type = GOALS_OF_ONE_NUMBER.get(kind);
  const isOpen = type !== undefined && isAspiration(type) && sentTarget.kind === 'null';
  const target = isOpen ? null : reader.number(sentTarget, [...path, kind]);
  if (type !== undefined) {
    if (within !== undefined)
      return reader.refuse(within.at, [...path, 'within'], `belongs to target, not to ${kind}.`);
    return target === undefined ? undefined : { type, target, lower: null, upper: null };
  }
  const sent = within ?? inherited;
  if (sent === undefined) {
    return reader.refuse(
      at,
      path,
      'needs within beside target: 5%, 0.05, or -1% +3%; for the exact value write exact.',
    );
  }
  const tolerance = readTolerance(reader, sent, [...path, 'within']);
  return tolerance === undefined || target === undefined ? undefined : { ...tolerance, target };
}

const NUMBER = String.raw`\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?`;
/** Words behind a tolerance, with the types that they make. */
const UNITS: ReadonlyMap<string, BoundedType> = new Map(
  TYPES.filter(hasBounds).map((type) => [GOAL_TYPES[type].offsets!.suffix.trim(), type]),
);
const UNIT = [...UNITS.keys()].join('|');

/** 5%, 0.05, +-0.05, ±5 %, 2 sd */
const BOTH_SIDES = new RegExp(String.raw`^(?:\+\s*/?\s*-|±)?\s*(${NUMBER})\s*(${UNIT})$`);
/** -1% +3%, -0.1 / 0.2, -1 .. 3 */
const TWO_SIDES = new RegExp(
  String.raw`^([-+]?)\s*(${NUMBER})\s*(${UNIT})\s*(?:,|/|\.\.+|to)?\s*([-+]?)\s*(${NUMBER})\s*(${UNIT})$`,
);

/** Written as 5%, 0.05, +-0.05, 2 sd, -1% +3%, or as a list of both offsets. */
function readTolerance(reader: ValueReader, value: Value, path: Path): Tolerance | undefined {
  const text = value.kind === 'list' ? value.items.map((item) => textOf(item) ?? '?').join(' , ') : textOf(value);
  const tolerance = parseTolerance(text?.trim() ?? '');
  const wanted = 'such as 5%, 0.05, +-0.05, 2 sd, -1% +3% or [-0.1, 0.2]';
  if (tolerance === undefined) return reader.refuse(value.at, path, `must be a tolerance ${wanted}.`);
  if (!(tolerance.lower < tolerance.upper) || !Number.isFinite(tolerance.upper - tolerance.lower)) {
    return reader.refuse(value.at, path, 'must leave room: the upper offset must be greater than the lower one.');
  }
  return tolerance;
}

export function parseTolerance(text: string): Tolerance | undefined {
  const both = BOTH_SIDES.exec(text);
  if (both !== null) {
    const width = Number(both[1]);
    return { type: UNITS.get(both[2]!)!, lower: -width, upper: width };
  }
  const two = TWO_SIDES.exec(text);
  if (two === null) return undefined;
  const [, lowSign, low, lowUnit, highSign, high, highUnit] = two;
  // A unit on one side only may be a slip of the pen.
  if (lowUnit !== highUnit) return undefined;
  const lower = Number(low) * (lowSign === '-' ? -1 : 1);
  const upper = Number(high) * (highSign === '-' ? -1 : 1);
  const type = UNITS.get(highUnit!)!;
  return { type, lower: lower === 0 ? 0 : lower, upper: upper === 0 ? 0 : upper };
}
