import { describe, expect, it } from 'vitest';
import { parseCondition } from '../../src/domain/problem/expression.ts';
import { isConditionMet } from '../../src/numbers/conditions.ts';

function conditionOf(text: string) {
  const parsed = parseCondition(text, new Map([...'abcd'].map((name, v) => [name, v])));
  if (parsed.kind === 'refused') throw new Error(parsed.fault.message);
  return parsed.condition;
}

const box = (minimum: number, maximum: number) => Array.from({ length: 4 }, () => ({ minimum, maximum }));

describe('a condition', () => {
  it.each([1, 1e-15, 1e-30, 1e20])('is broken by a fifth in every unit, here one that is %g of the first', (unit) => {
    const condition = conditionOf('a*b <= c*d');
    const capacities = { minimum: 1 * unit, maximum: 1_000 * unit };
    const resistances = { minimum: 1, maximum: 1_000 };
    const given = [resistances, capacities, resistances, capacities];
    expect(isConditionMet(condition, [2, 6 * unit, 2, 5 * unit], given)).toBe(false);
    expect(isConditionMet(condition, [2, 5 * unit, 2, 5 * unit], given)).toBe(true);
    expect(isConditionMet(condition, [2, 5 * unit * (1 + 1e-12), 2, 5 * unit], given)).toBe(true);
  });

  it('holds for data with rounded decimals', () => {
    expect(isConditionMet(conditionOf('a + b + c = 1'), [0.1, 0.2, 0.7], box(0, 1))).toBe(true);
    expect(isConditionMet(conditionOf('a + b <= 0.3'), [0.1, 0.2, 0], box(0, 1))).toBe(true);
    expect(isConditionMet(conditionOf('a + b <= 0.3'), [0.1, 0.2001, 0], box(0, 1))).toBe(false);
  });

  it('holds at an input that a rounding keeps from 0, in every unit', () => {
    for (const unit of [1, 1e-12, 1e12]) {
      expect(isConditionMet(conditionOf('a <= b'), [1e-17 * unit, 0], box(-unit, unit))).toBe(true);
      expect(isConditionMet(conditionOf('a <= b'), [1e-6 * unit, 0], box(-unit, unit))).toBe(false);
    }
    expect(isConditionMet(conditionOf('sin(a) <= 0'), [Math.PI], box(0, 4))).toBe(true);
  });

  it('is broken where an expression has no value', () => {
    expect(isConditionMet(conditionOf('log(a) <= 1'), [-1], box(-1, 1))).toBe(false);
    expect(isConditionMet(conditionOf('1/a <= 1'), [0], box(-1, 1))).toBe(false);
  });
});
