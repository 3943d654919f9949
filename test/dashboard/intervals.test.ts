import fc from 'fast-check';
import { expect, it } from 'vitest';
import { newOutput, type OutputDraft } from '../../src/dashboard/views/new-problem/draft.ts';
import { intervalsOf } from '../../src/dashboard/views/new-problem/intervals.ts';
import { compileGoal } from '../../src/domain/search/acceptance.ts';
import {
  DEFAULT_CONVERGENCE,
  hasBounds,
  OBJECTIVE_TYPES,
  type ObjectiveType,
} from '../../src/domain/search/objective.ts';

const size = fc.double({ min: 1e-6, max: 1e9, noNaN: true });
const number = fc.tuple(size, fc.boolean()).map(([value, isNegative]) => (isNegative ? -value : value));
const offset = fc.double({ min: 0.001, max: 500, noNaN: true });

function stated(type: ObjectiveType): fc.Arbitrary<OutputDraft> {
  return fc
    .tuple(number, offset, offset)
    .map(([target, a, b]) => newOutput(1, { type, target: String(target), from: String(-a), to: String(b) }));
}

/** Intervals that the service makes of the same targets. */
function compiled(targets: readonly OutputDraft[], desiredL1Norm: number) {
  return compileGoal({
    objectives: targets.map(({ target }) => Number(target)),
    objectiveTypes: targets.map(({ type }) => type),
    minimumBounds: targets.map(({ type, from }) => (hasBounds(type) ? Number(from) : null)),
    maximumBounds: targets.map(({ type, to }) => (hasBounds(type) ? Number(to) : null)),
    desiredL1Norm,
    convergence: DEFAULT_CONVERGENCE,
  }).targets;
}

function expectSameEnd(drawn: number | null, judged: number, scale: number) {
  if (drawn === null) expect(Math.abs(judged)).toBe(Number.POSITIVE_INFINITY);
  else expect(Math.abs(drawn - judged)).toBeLessThanOrEqual(1e-12 * Math.max(1e-300, scale));
}

it.each(OBJECTIVE_TYPES)('draws %s as the service judges it', (type) => {
  const targets = fc.array(stated(type), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(targets, fc.constantFrom(0, 0.5, 1e3), (some, desiredL1Norm) => {
      const drawn = intervalsOf(some, String(desiredL1Norm));
      for (const [j, judged] of compiled(some, desiredL1Norm).entries()) {
        const [target, from, to] = [some[j]!.target, some[j]!.from, some[j]!.to].map(Number);
        const scale =
          (Math.abs(target!) + Math.abs(from!) + Math.abs(to!)) * (1 + (type === 'percent' ? 5 : 0)) + desiredL1Norm;
        expectSameEnd(drawn[j]!.lower, judged.lower, scale);
        expectSameEnd(drawn[j]!.upper, judged.upper, scale);
        expect([drawn[j]!.lowerOpen, drawn[j]!.upperOpen]).toEqual([judged.lowerOpen, judged.upperOpen]);
      }
    }),
  );
});

it('shares what exact objectives may differ by, also where all targets are 0', () => {
  const zeros = [1, 2].map((key) => newOutput(key, { type: 'exact', target: '0' }));
  const [first] = intervalsOf(zeros, '0');
  const [judged] = compiled(zeros, 0);
  expect(first).toEqual({ lower: judged!.lower, upper: judged!.upper, lowerOpen: false, upperOpen: false });
});
