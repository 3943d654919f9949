import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { evaluateOutput } from '../../../src/domain/search/acceptance.ts';
import type { ObjectiveDefinition } from '../../../src/domain/search/objective.ts';
import { findOptimum } from '../../../src/domain/search/optimum.ts';
import { anyJudged, plausibleDouble } from '../../support/arbitraries.ts';

const base = { minimumBounds: [], maximumBounds: [], desiredL1Norm: 0, convergence: 1e-6 };
/** Below 5 at the lowest cost, ideally below 1. */
const cheap: ObjectiveDefinition = { ...base, objectives: [5, 1], objectiveTypes: ['lessthan', 'minimize'] };
const inequality: ObjectiveDefinition = { ...base, objectives: [5, 1], objectiveTypes: ['lessthan', 'lessthan'] };
const rivals: ObjectiveDefinition = { ...base, objectives: [1, 9], objectiveTypes: ['minimize', 'maximize'] };

/** Aspirations of such different sizes that missing the small one rounds to a relative distance of 0. */
const apart: ObjectiveDefinition = { ...base, objectives: [1e300, 1e-300], objectiveTypes: ['minimize', 'minimize'] };

describe('findOptimum', () => {
  test.each([
    [
      'a satisfied output',
      cheap,
      [
        [6, 9],
        [4, 0.5],
        [4, 3],
      ],
      1,
    ],
    [
      'the first of two satisfied ones',
      inequality,
      [
        [4, 0.5],
        [3, 0],
      ],
      0,
    ],
    [
      'none without aspirations and satisfaction',
      inequality,
      [
        [5.1, 1],
        [5, 1.1],
      ],
      null,
    ],
    [
      'the nearest to its aspiration',
      cheap,
      [
        [4, 7],
        [4, 3],
        [4, 5],
      ],
      1,
    ],
    [
      'none that misses another objective',
      cheap,
      [
        [6, 1.5],
        [4, 7],
      ],
      1,
    ],
    [
      'none when all miss another objective',
      cheap,
      [
        [6, 0.5],
        [5, 0.5],
      ],
      null,
    ],
    [
      'the first of equals',
      cheap,
      [
        [4, 3],
        [3, 3],
      ],
      0,
    ],
    [
      'the smallest sum of distances',
      rivals,
      [
        [4, 9],
        [2, 8.5],
        [1, 5],
      ],
      1,
    ],
    ['no unknown output', cheap, [null, [4, 3], null], 1],
    [
      'a satisfied output over one that rounds to it',
      apart,
      [
        [0, 2e-300],
        [0, 0],
      ],
      1,
    ],
    ['nothing of nothing', cheap, [], null],
  ])('The optimum is %s', (_, definition, outputs, expected) => {
    expect(findOptimum(definition, outputs)).toBe(expected);
  });

  it('The optimum is a satisfied output whenever there is one', () => {
    const several = anyJudged.chain(({ definition, output }) =>
      fc.record({
        definition: fc.constant(definition),
        outputs: fc.array(
          fc.oneof(
            fc.constant(output),
            fc.array(plausibleDouble, { minLength: output.length, maxLength: output.length }),
          ),
          { maxLength: 6 },
        ),
      }),
    );
    fc.assert(
      fc.property(several, ({ definition, outputs }) => {
        const verdicts = outputs.map((output) => evaluateOutput(definition, output).isSatisfied);
        const best = findOptimum(definition, outputs);
        if (verdicts.includes(true)) expect(verdicts[best!]).toBe(true);
        const hasAspiration = definition.objectiveTypes.some((type) => type === 'minimize' || type === 'maximize');
        if (!verdicts.includes(true) && !hasAspiration) expect(best).toBeNull();
      }),
    );
  });
});
