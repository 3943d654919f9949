import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { InputSpace } from '../../../src/domain/problem/input-space.ts';
import {
  type BoundsRule,
  checkNewObjective,
  DEFAULT_CONVERGENCE,
  DEFAULT_MAXIMUM_ATTEMPTS,
  type NewObjective,
  OBJECTIVE_TYPES,
  type ObjectiveDefinition,
} from '../../../src/domain/search/objective.ts';
import { anyJudged } from '../../support/arbitraries.ts';

const mixed: ObjectiveDefinition = {
  objectives: [10, -4, 3],
  objectiveTypes: ['value', 'percent', 'lessthan'],
  minimumBounds: [-1, -5, 0],
  maximumBounds: [1, 5, 1],
  desiredL1Norm: 0,
  convergence: 1e-6,
};

const unbounded: ObjectiveDefinition = {
  ...mixed,
  objectiveTypes: ['minimize', 'greaterthan', 'lessthan'],
  minimumBounds: [],
  maximumBounds: [],
};

/** The first output of `unbounded` without a target. */
const FRONT = [Number.NEGATIVE_INFINITY, -4, 3];
const PERCENT = { kind: 'normal', in: 'percent', values: [1] } as const;

const space: InputSpace = { inputCount: 1, minimums: [0], maximums: [1], inputTypes: ['float'], categories: [[]] };

function check(definition: Partial<ObjectiveDefinition>, outputCount = 3, boundsRule: BoundsRule = 'where-needed') {
  const objective = { initialInput: [0.5], initialOutput: definition.objectives ?? [], ...definition, boundsRule };
  return checkNewObjective(objective, { outputCount, space });
}

function pointersOf(definition: Partial<ObjectiveDefinition>, outputCount?: number, rule?: BoundsRule): string[] {
  return check(definition, outputCount, rule).map((violation) => violation.pointer);
}

describe('options that end an objective', () => {
  const wrong = (change: Partial<NewObjective>) =>
    checkNewObjective({ ...unbounded, ...change }).map(({ pointer, message }) => `${pointer} ${message}`);

  it.each<[Partial<NewObjective>, string]>([
    [{ solutions: {}, confidence: 0.9 }, '/confidence must be left out with solutions'],
    [
      { solutions: {}, aimAtRobustness: true, inputTolerances: PERCENT },
      '/aimAtRobustness must be left out with solutions',
    ],
    [{ confirm: 3, aimAtRobustness: 0.9, inputTolerances: PERCENT }, '/confirm must be left out with aimAtRobustness'],
    [{ confirm: 3, confidence: 0.9 }, '/confirm must be left out with confidence'],
    [{ objectives: FRONT, solutions: {} }, '/solutions must be left out where objectives[0] is null'],
    [{ objectives: FRONT, confirm: 2 }, '/confirm must be left out where objectives[0] is null'],
    [{ objectives: FRONT, stop: { patience: 5 } }, '/stop/patience must be left out where objectives[0] is null'],
  ])('%j is refused', (change, expected) => {
    expect(wrong(change)).toEqual([expect.stringContaining(expected)]);
  });

  it.each<Partial<NewObjective>>([
    { confirm: 1, confidence: 0.9 },
    { solutions: {}, stop: { patience: 5 }, noise: 'estimate' },
    { objectives: FRONT, stop: { maximumRuns: 50 } },
  ])('%j is taken', (change) => {
    expect(wrong(change)).toEqual([]);
  });
});

describe('the objective types', () => {
  it('The objective types are the nine of the interface, with its spelling', () => {
    expect(OBJECTIVE_TYPES).toEqual([
      'exact',
      'percent',
      'value',
      'lessthan',
      'lessthan_equal',
      'greaterthan',
      'greaterthan_equal',
      'minimize',
      'maximize',
    ]);
  });

  it('An objective has 500 attempts and a convergence of one millionth by default', () => {
    expect([DEFAULT_MAXIMUM_ATTEMPTS, DEFAULT_CONVERGENCE]).toEqual([500, 1e-6]);
  });
});

describe('checkNewObjective', () => {
  it('Every valid definition is accepted', () => {
    fc.assert(
      fc.property(anyJudged, ({ definition }) => {
        expect(check(definition, definition.objectives.length)).toEqual([]);
      }),
    );
  });

  test.each([
    [
      'one objective more than types and bounds',
      { objectives: [1, 2, 3, 4] },
      ['/objectives', '/objectiveTypes', '/minimumBounds', '/maximumBounds'],
    ],
    ['too few types', { objectiveTypes: ['value', 'percent'] as const }, ['/objectiveTypes']],
    ['exact beside other types', { objectiveTypes: ['exact', 'percent', 'exact'] as const }, ['/objectiveTypes']],
    ['a percent target of 0', { objectives: [0, 0, 0] }, ['/objectives/1']],
    ['a percent target of -0', { objectives: [10, -0, 3] }, ['/objectives/1']],
    ['no minimum bounds', { minimumBounds: [] }, ['/minimumBounds']],
    ['no maximum bounds', { maximumBounds: [] }, ['/maximumBounds']],
    ['no bounds', { minimumBounds: [], maximumBounds: [] }, ['/minimumBounds', '/maximumBounds']],
    ['bounds too short', { minimumBounds: [-1, -5], maximumBounds: [1, 5] }, ['/minimumBounds', '/maximumBounds']],
    ['an empty range', { maximumBounds: [-1, 5, 1] }, ['/maximumBounds/0']],
    ['reversed bounds', { minimumBounds: [2, 6, 0] }, ['/maximumBounds/0', '/maximumBounds/1']],
    ['equal bounds for a type without bounds', { maximumBounds: [1, 5, 0] }, ['/maximumBounds/2']],
    ['a NaN bound', { maximumBounds: [1, Number.NaN, 1] }, ['/maximumBounds/1']],
    ['a negative desiredL1Norm', { desiredL1Norm: -1e-300 }, ['/desiredL1Norm']],
    ['a convergence of 0', { convergence: 0 }, ['/convergence']],
    ['a negative convergence', { convergence: -1 }, ['/convergence']],
  ] as const)('A definition with %s is refused', (_, change, expected) => {
    expect(pointersOf({ ...mixed, ...change })).toEqual(expected);
  });

  it('Objectives that agree with each other but not with the outputs of the trial are refused', () => {
    expect(pointersOf(mixed, 4)).toEqual(['/objectives']);
    expect(check(mixed, 4)[0]?.message).toBe('must have one value per output of the trial (4), has 3.');
  });

  it('All violations are reported together', () => {
    const wrong = { ...mixed, objectives: [10, 0, 3], maximumBounds: [-1, 5, 1], desiredL1Norm: -1, convergence: 0 };
    expect(pointersOf(wrong)).toEqual(['/objectives/1', '/maximumBounds/0', '/desiredL1Norm', '/convergence']);
  });

  it('Only the length of an empty list is reported', () => {
    const empty = { ...unbounded, objectives: [], objectiveTypes: [] };
    expect(pointersOf(empty)).toEqual(['/objectives']);
    expect(pointersOf(empty, 3, 'always')).toEqual(['/objectives']);
  });
});

describe('checkNewObjective with some fields missing', () => {
  const fields = { ...mixed, initialInput: [0.5, 0.5], initialOutput: [1], boundsRule: 'where-needed' as const };
  const named = (given: Parameters<typeof checkNewObjective>[0]) =>
    checkNewObjective(given).map((violation) => violation.pointer);

  it('Rules that need the trial are skipped without a context', () => {
    expect(named(fields)).toEqual(['/initialOutput']);
  });

  it('Rules about a missing field are skipped and the others are checked', () => {
    const { objectives: _, ...rest } = fields;
    expect(named({ ...rest, convergence: -1, maximumBounds: [-1, 5, 1] })).toEqual([
      '/maximumBounds/0',
      '/convergence',
    ]);
    const { objectiveTypes: __, ...untyped } = fields;
    expect(named({ ...untyped, minimumBounds: [], desiredL1Norm: -1 })).toEqual(['/desiredL1Norm', '/initialOutput']);
    expect(named({})).toEqual([]);
  });

  it('The lengths of arrays with invalid elements are checked', () => {
    const { maximumBounds: _, ...rest } = fields;
    const violations = checkNewObjective(rest, undefined, { ...rest, maximumBounds: ['x', 1] });
    expect(violations.map(({ pointer }) => pointer)).toEqual(['/maximumBounds', '/initialOutput']);
  });
});

describe('bounds', () => {
  const zeros = { ...unbounded, minimumBounds: [0, 0, 0], maximumBounds: [0, 0, 0] };
  const padded = { ...mixed, minimumBounds: [-1, -5, 0], maximumBounds: [1, 5, 0] };
  const nulls = { ...mixed, minimumBounds: [-1, -5, null], maximumBounds: [1, 5, null] };

  it('Bounds may be left out if no type needs them, even only one array', () => {
    expect(pointersOf(unbounded)).toEqual([]);
    expect(pointersOf({ ...unbounded, minimumBounds: [0, 0, 0] })).toEqual([]);
  });

  it('Bounds must have the right length wherever they are given', () => {
    expect(pointersOf({ ...unbounded, minimumBounds: [0, 0] })).toEqual(['/minimumBounds']);
  });

  it('Only the lengths of bounds are checked if no type needs them', () => {
    expect(pointersOf(zeros)).toEqual([]);
  });

  it('All bounds are required and checked under the rule always', () => {
    expect(pointersOf(unbounded, 3, 'always')).toEqual(['/minimumBounds', '/maximumBounds']);
    expect(pointersOf(zeros, 3, 'always')).toEqual(['/maximumBounds/0', '/maximumBounds/1', '/maximumBounds/2']);
    expect(pointersOf(mixed, 3, 'always')).toEqual([]);
  });

  it('Only the bounds of percent and value objectives are checked under the rule bounded-types', () => {
    expect(pointersOf(padded, 3, 'bounded-types')).toEqual([]);
    expect(pointersOf(zeros, 3, 'bounded-types')).toEqual([]);
    expect(pointersOf(unbounded, 3, 'bounded-types')).toEqual([]);
    expect(pointersOf({ ...mixed, minimumBounds: [], maximumBounds: [] }, 3, 'bounded-types')).toHaveLength(2);
    expect(pointersOf({ ...padded, maximumBounds: [1, -5, 0] }, 3, 'bounded-types')).toEqual(['/maximumBounds/1']);
  });

  it('Bounds may be null for a type without bounds, under every rule', () => {
    for (const rule of ['where-needed', 'always', 'bounded-types'] as const) {
      expect(pointersOf(nulls, 3, rule)).toEqual([]);
      expect(pointersOf({ ...nulls, maximumBounds: [1, 5, 0] }, 3, rule)).toEqual([]);
    }
    const none = [null, null, null];
    expect(pointersOf({ ...unbounded, minimumBounds: none, maximumBounds: none }, 3, 'always')).toEqual([]);
  });

  it('Bounds must be numbers for percent and value objectives', () => {
    const violations = check({ ...nulls, minimumBounds: [null, -5, null], maximumBounds: [null, 5, null] });
    expect(violations.map(({ property, message }) => `${property} ${message}`)).toEqual([
      'minimumBounds[0] must be a number because objective 0 is value, is null.',
      'maximumBounds[0] must be a number because objective 0 is value, is null.',
    ]);
  });

  it('Bounds of 0 and 0 are refused with the advice to send null if the type has no bounds', () => {
    expect(check(padded)[0]?.message).toBe(
      'must be greater than minimumBounds[2] (0), is 0; lessthan has no bounds, so both may be null.',
    );
    expect(check({ ...mixed, minimumBounds: [0, -5, 0], maximumBounds: [0, 5, 1] })[0]?.message).toBe(
      'must be greater than minimumBounds[0] (0), is 0.',
    );
  });
});
