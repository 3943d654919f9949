/** The bounds of a new objective: offsets from the targets of the types that have them. */
import { GOAL_TYPES, type GoalType, hasBounds } from '../../numbers/goal-types.ts';
import { makeViolation, type Violation } from '../errors.ts';
import { refField, refOutput, refTerm } from '../messages.ts';
import { checkLength } from '../vectors.ts';

/**
 * Rule for the bounds that are required and checked.
 * - where-needed: if some objective has a type with bounds, both arrays and every entry; otherwise only the lengths.
 * - always: both arrays and every entry, whatever the types.
 * - bounded-types: if some objective has a type with bounds, both arrays and the entries of those objectives.
 */
export type BoundsRule = 'where-needed' | 'always' | 'bounded-types';

type ArrayField =
  | 'objectives'
  | 'objectiveTypes'
  | 'minimumBounds'
  | 'maximumBounds'
  | 'initialInput'
  | 'initialOutput';
export type Lengths = { readonly [Field in ArrayField]?: { readonly length: number } };

interface Sent {
  readonly objectiveTypes?: readonly GoalType[];
  readonly minimumBounds?: readonly (number | null)[];
  readonly maximumBounds?: readonly (number | null)[];
  readonly boundsRule?: BoundsRule | undefined;
}

/** Every array has one entry per objective. */
export function checkLengths(arrays: Lengths, names: readonly ArrayField[]): readonly Violation[] {
  const { objectives } = arrays;
  if (objectives === undefined) return [];
  return names.flatMap((name) => {
    const values = arrays[name];
    return values === undefined ? [] : checkLength([name], values, objectives.length, refTerm('output', 'objective'));
  });
}
const BOUNDS = ['minimumBounds', 'maximumBounds'] as const;

export function checkBounds(fields: Sent, arrays: Lengths): readonly Violation[] {
  const { objectiveTypes = [], minimumBounds = [], maximumBounds = [], boundsRule: rule = 'where-needed' } = fields;
  const areRequired = rule === 'always' || objectiveTypes.some(hasBounds);
  const given = BOUNDS.filter((field) => arrays[field]?.length !== 0);
  const missing = BOUNDS.filter((field) => !given.includes(field));
  const violations = [...checkLengths(arrays, given)];
  if (!areRequired) return violations;
  const count = arrays.objectives?.length ?? 0;
  if (count > 0) violations.push(...missing.map((field) => missingBounds(field, count, rule)));
  for (let j = 0; j < Math.min(minimumBounds.length, maximumBounds.length); j++) {
    const type = objectiveTypes[j];
    const isBounded = type !== undefined && hasBounds(type);
    if (isBounded || rule !== 'bounded-types') violations.push(...checkPair(fields, j, isBounded));
  }
  return violations;
}

function missingBounds(field: string, count: number, rule: BoundsRule): Violation {
  const reason = rule === 'always' ? '' : ` because some ${refTerm('output', 'objective')} is ${boundedTypes(rule)}`;
  return makeViolation([field], `is required${reason}: send ${count} values.`);
}

/** All types with bounds that may be stated, such as "percent or value". */
function boundedTypes(rule: BoundsRule): string {
  const known = (Object.keys(GOAL_TYPES) as GoalType[]).filter(
    (type) => hasBounds(type) && (rule === 'where-needed' || GOAL_TYPES[type].earlier === type),
  );
  const named = known.map((type) => refTerm(type));
  return `${named.slice(0, -1).join(', ')} or ${named.at(-1)}`;
}

/** A type without bounds takes null; two numbers must be in order whatever the type. */
function checkPair(fields: Sent, j: number, isBounded: boolean): readonly Violation[] {
  const type = fields.objectiveTypes?.[j];
  const minimum = fields.minimumBounds![j]!;
  const maximum = fields.maximumBounds![j]!;
  if (minimum !== null && maximum !== null) {
    if (maximum > minimum) return [];
    const advice =
      isBounded || type === undefined
        ? ''
        : `; ${refTerm(type)} has no bounds, so both may be ${refTerm('left out', 'null')}`;
    const message = `must be greater than ${refField('minimumBounds', j)} (${minimum}), is ${maximum}${advice}.`;
    return [makeViolation(['maximumBounds', j], message)];
  }
  if (!isBounded) return [];
  return BOUNDS.filter((field) => fields[field]![j] === null).map((field) =>
    makeViolation(
      [field, j],
      `must be a number because ${refOutput(j)} is ${refTerm(type!)}, is ${refTerm('left out', 'null')}.`,
    ),
  );
}
