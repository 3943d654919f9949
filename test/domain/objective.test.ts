import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  type BoundsRule,
  checkDefinition,
  DEFAULT_CONVERGENCE,
  DEFAULT_MAXIMUM_ATTEMPTS,
  OBJECTIVE_TYPES,
  type ObjectiveDefinition,
} from '../../src/domain/objective.ts';
import { anyJudged } from '../support/arbitraries.ts';

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

function pointersOf(definition: ObjectiveDefinition, outputCount = 3, rule?: BoundsRule): string[] {
  return checkDefinition(definition, outputCount, rule).map((violation) => violation.pointer);
}

describe('the types', () => {
  it('are the nine of the interface, spelled its way', () => {
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

  it('come with 500 attempts and a criterion of one millionth', () => {
    expect([DEFAULT_MAXIMUM_ATTEMPTS, DEFAULT_CONVERGENCE]).toEqual([500, 1e-6]);
  });
});

describe('checkDefinition', () => {
  it('accepts every valid definition', () => {
    fc.assert(
      fc.property(anyJudged, ({ definition }) => {
        expect(checkDefinition(definition, definition.objectives.length)).toEqual([]);
      }),
    );
  });

  test.each([
    [
      'another number of outputs',
      { objectives: [1, 2, 3, 4] },
      ['/objectives', '/objectiveTypes', '/minimumBounds', '/maximumBounds'],
    ],
    ['too few types', { objectiveTypes: ['value', 'percent'] as const }, ['/objectiveTypes']],
    ['exact beside others', { objectiveTypes: ['exact', 'percent', 'exact'] as const }, ['/objectiveTypes']],
    ['a percent target of 0', { objectives: [0, 0, 0] }, ['/objectives/1']],
    ['a percent target of -0', { objectives: [10, -0, 3] }, ['/objectives/1']],
    ['no minimum bounds', { minimumBounds: [] }, ['/minimumBounds']],
    ['no maximum bounds', { maximumBounds: [] }, ['/maximumBounds']],
    ['no bounds', { minimumBounds: [], maximumBounds: [] }, ['/minimumBounds', '/maximumBounds']],
    ['bounds too short', { minimumBounds: [-1, -5], maximumBounds: [1, 5] }, ['/minimumBounds', '/maximumBounds']],
    ['an empty range', { maximumBounds: [-1, 5, 1] }, ['/maximumBounds/0']],
    ['reversed bounds', { minimumBounds: [2, 6, 0] }, ['/maximumBounds/0', '/maximumBounds/1']],
    ['equal bounds of a type that has none', { maximumBounds: [1, 5, 0] }, ['/maximumBounds/2']],
    ['a NaN bound', { maximumBounds: [1, Number.NaN, 1] }, ['/maximumBounds/1']],
    ['a negative norm', { desiredL1Norm: -1e-300 }, ['/desiredL1Norm']],
    ['a criterion of 0', { convergence: 0 }, ['/convergence']],
    ['a negative criterion', { convergence: -1 }, ['/convergence']],
  ] as const)('refuses %s', (_, change, expected) => {
    expect(pointersOf({ ...mixed, ...change })).toEqual(expected);
  });

  it('refuses objectives for another trial, even if they agree with each other', () => {
    expect(pointersOf(mixed, 4)).toEqual(['/objectives']);
    expect(checkDefinition(mixed, 4)[0]?.message).toContain('4 expected, 3 given');
  });

  it('tells every violation at once', () => {
    const wrong = { ...mixed, objectives: [10, 0, 3], maximumBounds: [-1, 5, 1], desiredL1Norm: -1, convergence: 0 };
    expect(pointersOf(wrong)).toEqual(['/objectives/1', '/maximumBounds/0', '/desiredL1Norm', '/convergence']);
  });

  it('reports nothing else about an empty list than its length', () => {
    const empty = { ...unbounded, objectives: [], objectiveTypes: [] };
    expect(pointersOf(empty)).toEqual(['/objectives']);
    expect(pointersOf(empty, 3, 'always')).toEqual(['/objectives']);
  });
});

describe('bounds', () => {
  const zeros = { ...unbounded, minimumBounds: [0, 0, 0], maximumBounds: [0, 0, 0] };
  const padded = { ...mixed, minimumBounds: [-1, -5, 0], maximumBounds: [1, 5, 0] };

  it('may be absent where no type needs them, one array alone too', () => {
    expect(pointersOf(unbounded)).toEqual([]);
    expect(pointersOf({ ...unbounded, minimumBounds: [0, 0, 0] })).toEqual([]);
  });

  it('need the right length wherever they are given', () => {
    expect(pointersOf({ ...unbounded, minimumBounds: [0, 0] })).toEqual(['/minimumBounds']);
  });

  it('have only their lengths checked where no type needs them', () => {
    expect(pointersOf(zeros)).toEqual([]);
  });

  it('are all wanted and all checked under the rule always', () => {
    expect(pointersOf(unbounded, 3, 'always')).toEqual(['/minimumBounds', '/maximumBounds']);
    expect(pointersOf(zeros, 3, 'always')).toEqual(['/maximumBounds/0', '/maximumBounds/1', '/maximumBounds/2']);
    expect(pointersOf(mixed, 3, 'always')).toEqual([]);
  });

  it('are checked for percent and value entries only under the rule bounded-types', () => {
    expect(pointersOf(padded, 3, 'bounded-types')).toEqual([]);
    expect(pointersOf(zeros, 3, 'bounded-types')).toEqual([]);
    expect(pointersOf(unbounded, 3, 'bounded-types')).toEqual([]);
    expect(pointersOf({ ...mixed, minimumBounds: [], maximumBounds: [] }, 3, 'bounded-types')).toHaveLength(2);
    expect(pointersOf({ ...padded, maximumBounds: [1, -5, 0] }, 3, 'bounded-types')).toEqual(['/maximumBounds/1']);
  });
});
