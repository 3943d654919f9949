import { describe, expect, it } from 'vitest';
import { judge } from '../../bench/problems/judge.ts';
import { type Problem, toDefinition } from '../../bench/problems/problem.ts';
import { problemsOf } from '../../bench/problems/sets.ts';
import { checkNewObjective } from '../../src/domain/search/objective.ts';

const sets = {
  collection: problemsOf('collection'),
  'held-out': problemsOf('held-out'),
  'small-regions': problemsOf('small-regions'),
};
const everyProblem = Object.values(sets).flat();
const firstRun = { seed: 1, index: 0 };

function isInSpace(problem: Problem, x: readonly number[]): boolean {
  return problem.variables.every((variable, i) => {
    const value = x[i]!;
    const fitsKind = variable.kind === 'float' || Number.isInteger(value);
    return fitsKind && value >= variable.minimum && value <= variable.maximum;
  });
}

describe('the sets', () => {
  it('the collection and the held-out set have enough problems of every family to compare solvers', () => {
    for (const [set, least, leastOfFamily] of [
      ['collection', 60, 5],
      ['held-out', 45, 4],
    ] as const) {
      expect(sets[set].length).toBeGreaterThanOrEqual(least);
      for (const family of new Set(everyProblem.map((problem) => problem.family))) {
        const members = sets[set].filter((problem) => problem.family === family);
        expect(members.length, `${set} ${family}`).toBeGreaterThanOrEqual(leastOfFamily);
      }
    }
  });

  it('no two problems share a name', () => {
    expect(new Set(everyProblem.map((problem) => problem.name)).size).toBe(everyProblem.length);
  });
});

describe.each(everyProblem.map((problem) => [problem.name, problem] as const))('%s', (_, problem) => {
  it('states objectives the service takes', () => {
    expect(checkNewObjective(toDefinition(problem))).toEqual([]);
  });

  it('its start and its known point lie inside the space', () => {
    expect(problem.start).toHaveLength(problem.variables.length);
    expect(problem.known).toHaveLength(problem.variables.length);
    expect(isInSpace(problem, problem.start)).toBe(true);
    expect(isInSpace(problem, problem.known)).toBe(true);
  });

  it('its known point satisfies it', () => {
    const outputs = problem.evaluate(problem.known, firstRun);
    if (!problem.noisy) expect(judge(problem, outputs), JSON.stringify(outputs)).toBe(true);
    else {
      const verdicts = Array.from({ length: 20 }, (_, index) =>
        judge(problem, problem.evaluate(problem.known, { seed: 1, index })),
      );
      expect(verdicts.filter(Boolean).length).toBeGreaterThanOrEqual(15);
    }
  });

  it('neither its start nor the centre nor the corners on the diagonal satisfy it', () => {
    const at = (share: number) =>
      problem.variables.map(({ kind, minimum, maximum }) => {
        const value = minimum + share * (maximum - minimum);
        if (kind === 'float') return value;
        return kind === 'category' ? minimum : Math.round(value);
      });
    for (const x of [problem.start, at(0.5), at(0), at(1)]) {
      expect(judge(problem, problem.evaluate(x, firstRun)), String(x)).toBe(false);
    }
  });

  it('it returns the same outputs for the same run, and finite outputs at its start', () => {
    const first = problem.evaluate(problem.start, { seed: 7, index: 3 });
    expect(first).toHaveLength(problem.objectives.length);
    expect(first!.every(Number.isFinite)).toBe(true);
    expect(problem.evaluate(problem.start, { seed: 7, index: 3 })).toEqual(first);
    const other = problem.evaluate(problem.start, { seed: 7, index: 4 });
    expect(JSON.stringify(other) !== JSON.stringify(first)).toBe(problem.noisy);
  });
});
