import fc from 'fast-check';
import { type InputSpace, InputType } from '../../src/domain/problem/input-space.ts';
import {
  hasBounds,
  OBJECTIVE_TYPES,
  type ObjectiveDefinition,
  type ObjectiveType as Type,
} from '../../src/domain/search/objective.ts';

/** Any finite double, including subnormals and both zeros. */
export const finiteDouble = fc.double({ noNaN: true, noDefaultInfinity: true });

/** Finite doubles as in practice, mixed with the extremes of the range. */
export const plausibleDouble = fc.oneof(
  fc.double({ min: -1e6, max: 1e6, noNaN: true }),
  fc.integer({ min: -20, max: 20 }),
  finiteDouble,
);

const positive = fc.oneof(fc.double({ min: 1e-12, max: 0.5, noNaN: true }), fc.constantFrom(Number.MIN_VALUE, 1e308));
const nonNegative = fc.oneof(
  fc.constant(0),
  fc.double({ min: 0, max: 100, noNaN: true }),
  fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
);

/** A valid pair of bounds: minimum < maximum. */
const boundsPair = fc
  .tuple(plausibleDouble, plausibleDouble)
  .filter(([a, b]) => a !== b)
  .map(([a, b]) => ({ minimum: Math.min(a, b), maximum: Math.max(a, b) }));

/** One output's part of a definition, with a measured output near the target or anywhere. */
function entry(types: fc.Arbitrary<Type>) {
  return fc
    .record({ type: types, target: plausibleDouble, bounds: boundsPair, far: plausibleDouble, near: boundsPair })
    .filter((drawn) => drawn.type !== 'percent' || drawn.target !== 0)
    .chain((drawn) => {
      const offset = drawn.type === 'percent' ? Math.abs(drawn.target) / 100 : 1;
      const ends = [drawn.bounds.minimum, drawn.bounds.maximum].map((bound) => drawn.target + bound * offset);
      const candidates = [drawn.far, drawn.target, drawn.target + 1, ...ends].filter(Number.isFinite);
      return fc.constantFrom(...candidates).map((output) => ({ ...drawn, output }));
    });
}

export interface Judged {
  readonly definition: ObjectiveDefinition;
  readonly output: readonly number[];
}

/** A valid definition for one or more outputs, with a measured output vector. */
export function judged(types: readonly Type[], maximumCount = 5): fc.Arbitrary<Judged> {
  return fc
    .record({
      entries: fc.array(entry(fc.constantFrom(...types)), { minLength: 1, maxLength: maximumCount }),
      desiredL1Norm: nonNegative,
      convergence: positive,
    })
    .map(({ entries, desiredL1Norm, convergence }) => {
      const needsBounds = entries.some(({ type }) => hasBounds(type));
      const definition: ObjectiveDefinition = {
        objectives: entries.map(({ target }) => target),
        objectiveTypes: entries.map(({ type }) => type),
        minimumBounds: needsBounds ? entries.map(({ bounds }) => bounds.minimum) : [],
        maximumBounds: needsBounds ? entries.map(({ bounds }) => bounds.maximum) : [],
        desiredL1Norm,
        convergence,
      };
      return { definition, output: entries.map(({ output }) => output) };
    });
}

/** Every type but exact: those judged separately for each output. */
export const SEPARATE_TYPES: readonly Type[] = OBJECTIVE_TYPES.filter((type) => type !== 'exact');

/** Either all exact or none. */
export const anyJudged = fc.oneof(
  { weight: 3, arbitrary: judged(SEPARATE_TYPES) },
  { weight: 1, arbitrary: judged(['exact']) },
);

interface Variable {
  readonly type: InputType;
  readonly minimum: number;
  readonly maximum: number;
  readonly names: readonly string[];
}

const variable: fc.Arbitrary<Variable> = fc.oneof(
  fc
    .tuple(fc.double({ min: -1e9, max: 1e9, noNaN: true }), fc.double({ min: 1e-3, max: 1e9, noNaN: true }))
    .map(([minimum, width]) => ({ type: InputType.float, minimum, maximum: minimum + width, names: [] })),
  fc
    .tuple(fc.integer({ min: -1000, max: 1000 }), fc.integer({ min: 1, max: 1000 }))
    .map(([minimum, width]) => ({ type: InputType.integer, minimum, maximum: minimum + width, names: [] })),
  fc.constant({ type: InputType.boolean, minimum: 0, maximum: 1, names: [] }),
  fc.tuple(fc.integer({ min: -3, max: 3 }), fc.integer({ min: 2, max: 6 })).map(([minimum, count]) => ({
    type: InputType.category,
    minimum,
    maximum: minimum + count - 1,
    names: Array.from({ length: count }, (_, k) => `name ${k}`),
  })),
);

/** A valid input space of 1 to 8 variables of any type. */
export const inputSpace: fc.Arbitrary<InputSpace> = fc
  .array(variable, { minLength: 1, maxLength: 8 })
  .map((variables) => ({
    inputCount: variables.length,
    minimums: variables.map(({ minimum }) => minimum),
    maximums: variables.map(({ maximum }) => maximum),
    inputTypes: variables.map(({ type }) => type),
    categories: variables.map(({ names }) => names),
  }));

/** A valid input of the space. */
export function inputOf(space: InputSpace): fc.Arbitrary<number[]> {
  const values = space.inputTypes.map((type, i) => {
    const [min, max] = [space.minimums[i]!, space.maximums[i]!];
    return type === InputType.float ? fc.double({ min, max, noNaN: true }) : fc.integer({ min, max });
  });
  return fc.tuple(...values);
}
