import { describe, expect, it } from 'vitest';
import { judge } from '../../bench/problems/judge.ts';
import { scatteredProblems } from '../../bench/problems/scattered.ts';
import { getProblemOfAnySet } from '../../bench/problems/sets.ts';

describe.each(scatteredProblems.map((problem) => [problem.name, problem] as const))('%s', (name, problem) => {
  it('more than nine in ten runs at its known input meet all targets, and their average does', () => {
    const runs = Array.from({ length: 200 }, (_, index) => problem.evaluate(problem.known, { seed: 1, index }));
    expect(runs.filter((outputs) => judge(problem, outputs)).length).toBeGreaterThan(180);
    expect(judge(problem, problem.average(problem.known))).toBe(true);
  });

  it('its runs differ, repeat exactly, and are there for peers', () => {
    const run = (index: number) => problem.evaluate(problem.start, { seed: 1, index });
    expect(run(0)).toEqual(run(0));
    expect(run(0)).not.toEqual(run(1));
    expect(getProblemOfAnySet(name)).toBe(problem);
  });
});
