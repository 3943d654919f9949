import { describe, expect, it } from 'vitest';
import { leastMiss } from '../../bench/badly-posed/minimax.ts';
import { missOf } from '../../bench/badly-posed/system.ts';
import { problemAt, randomSystem, relativeMiss, systems } from '../../bench/badly-posed/systems.ts';
import { judge } from '../../bench/problems/judge.ts';
import { makeUniform } from '../../bench/problems/random.ts';

const run = { seed: 1, index: 0 };

describe('systems with a known least possible worst miss', () => {
  it.each(systems)('$name attains the stored minimum at the stored input, and no search finds less', (system) => {
    expect(relativeMiss(system, system.at)).toBeCloseTo(1, 6);
    const isCombinatorial = system.variables.some(({ kind }) => kind !== 'float');
    const found = isCombinatorial ? leastMiss(nearby(system), 1) : leastMiss(system, 3);
    expect(found.least).toBeGreaterThan(system.least * (1 - 1e-6));
    if (!isCombinatorial) expect(found.least).toBeLessThan(system.least * 1.3);
  });

  it('allows its best input just above the least possible miss and no input just below', () => {
    for (const system of systems) {
      const isMet = (factor: number) => judge(problemAt(system, factor), system.evaluate(system.at));
      expect([isMet(1.0001), isMet(0.9999)], system.name).toEqual([true, false]);
    }
  });

  it('draws the same random system from the same seed', () => {
    const uniform = makeUniform(7);
    const system = randomSystem(13);
    expect(randomSystem(13).least).toBe(system.least);
    expect(judge(problemAt(system, 1.01), problemAt(system, 1.01).evaluate(system.at, run))).toBe(true);
    const anywhere = system.variables.map(({ minimum, maximum }) => minimum + (maximum - minimum) * uniform());
    expect(missOf(system, anywhere)).toBeGreaterThan(system.least);
  });
});

/** The system with its integers within 2 of the best ones. */
function nearby(system: (typeof systems)[number]): (typeof systems)[number] {
  const variables = system.variables.map((variable, v) =>
    variable.kind === 'float' ? variable : { ...variable, minimum: system.at[v]! - 2, maximum: system.at[v]! + 2 },
  );
  return { ...system, variables };
}
