/** Goals within standard deviations of the stated noise: judged, measured and relaxed in them, and in output units under /api. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileGoal, evaluateOutput } from '../../../src/domain/search/acceptance.ts';
import { relaxation } from '../../../src/domain/search/explanation.ts';
import { makeMissMeasure } from '../../../src/domain/search/nearest.ts';
import {
  checkNewObjective,
  earlierView,
  type NewObjective,
  type ObjectiveDefinition,
} from '../../../src/domain/search/objective.ts';
import { leastRelaxation } from '../../../src/domain/search/relaxation.ts';

const OPTIONS = { noise: { standardDeviations: [0.5, 3] } };
const DEFINITION: ObjectiveDefinition & { readonly options: typeof OPTIONS } = {
  objectives: [10, 7],
  objectiveTypes: ['standard_deviations', 'lessthan_equal'],
  minimumBounds: [-2, null],
  maximumBounds: [3, null],
  desiredL1Norm: 0,
  convergence: 1e-6,
  options: OPTIONS,
};

describe('standard_deviations', () => {
  it('Is met from one bound to the other, in standard deviations from the target', () => {
    expect(compileGoal(DEFINITION).targets[0]).toMatchObject({ lower: 9, upper: 11.5 });
    const [met, missed] = [9, 12].map((y) => evaluateOutput(DEFINITION, [y, 0]).results[0]!);
    expect(met).toMatchObject({ satisfied: true, error: 2, minimumBound: -2, maximumBound: 3 });
    expect(missed).toMatchObject({ satisfied: false, error: 4 });
    expect(missed!.detail).toBe(
      'Output 12 is not satisfied: it deviates from the target 10 by 4 standard deviations of 0.5; the allowed range is -2 to 3.',
    );
  });

  it('Misses in half the width of its range, and is relaxed in standard deviations', () => {
    expect(makeMissMeasure(DEFINITION).missesOf([12.75, 0])).toEqual([1, 0]);
    expect(leastRelaxation(DEFINITION, [12.75, 0])).toMatchObject({ objectives: [10, 7], maximumBounds: [5.5, null] });
    expect(relaxation(DEFINITION, 0, 1.25)).toBe(2.5);
  });

  it('Always judges as value does with bounds in output units', () => {
    const offset = fc.double({ min: 0.01, max: 100, noNaN: true });
    const y = fc.double({ min: -1e4, max: 1e4, noNaN: true });
    fc.assert(
      fc.property(offset, offset, offset, y, (deviation, a, b, value) => {
        const noise = { standardDeviations: [deviation, 0] };
        const stated = { ...DEFINITION, minimumBounds: [-a, null], maximumBounds: [b, null], options: { noise } };
        const inUnits: ObjectiveDefinition = {
          ...stated,
          objectiveTypes: ['value', 'lessthan_equal'],
          minimumBounds: [-a * deviation, null],
          maximumBounds: [b * deviation, null],
        };
        expect(compileGoal(stated)).toEqual(compileGoal(inUnits));
        const [own, other] = [stated, inUnits].map((one) => evaluateOutput(one, [value, 0]));
        expect([own!.isSatisfied, own!.l1Norm, own!.convergence]).toEqual([
          other!.isSatisfied,
          other!.l1Norm,
          other!.convergence,
        ]);
      }),
    );
  });

  it('Is a value in output units for clients that do not know it', () => {
    const { type, toUnits } = earlierView(DEFINITION, 0);
    expect([type, toUnits(-2), toUnits(3)]).toEqual(['value', -1, 1.5]);
    expect(earlierView(DEFINITION, 1).toUnits(4)).toBe(4);
  });

  it.each([
    [null, ['/noise']],
    ['estimate', ['/noise']],
    [{ standardDeviations: [0, 0] }, ['/noise/standardDeviations/0']],
    [{ standardDeviations: [0.1, 0] }, []],
  ] as const)('Needs a standard deviation above 0; the noise is %j', (noise, pointers) => {
    const sent = { ...DEFINITION, noise } as Partial<NewObjective>;
    const violations = checkNewObjective(sent);
    expect(violations.map(({ pointer }) => pointer)).toEqual(pointers);
    for (const { message } of violations) expect(message).toContain('objective 0 is standard_deviations');
  });

  it('Cannot go with a fit, which has no noise', () => {
    const types = ['standard_deviations', 'fit'] as const;
    const violations = checkNewObjective({ ...DEFINITION, objectiveTypes: types, noise: null, fits: [{ sigma: 1 }] });
    expect(violations.map(({ pointer }) => pointer)).toContain('/objectiveTypes/0');
    expect(violations.map(({ pointer }) => pointer)).not.toContain('/noise');
  });
});
