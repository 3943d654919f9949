import { describe, expect, it } from 'vitest';
import { answer } from '../../bench/problems/answer.ts';
import { problems } from '../../bench/problems/collection.ts';
import { problemsOf } from '../../bench/problems/sets.ts';

const request = { op: 'describe', problem: 'rosenbrock', x: [], seed: 1, index: 0 };

describe('the answers to solvers in other languages', () => {
  it('list returns the names of the collection', () => {
    expect(answer({ ...request, op: 'list' })).toEqual({ problems: problems.map((problem) => problem.name) });
  });

  it('describe returns a problem as plain JSON without its solution', () => {
    for (const problem of [...problems, ...problemsOf('held-out')]) {
      const description = answer({ ...request, problem: problem.name });
      expect(JSON.parse(JSON.stringify(description))).toEqual(description);
      expect(Object.keys(description)).not.toContain('known');
    }
  });

  it('a one-sided interval has null for its missing end', () => {
    const { intervals } = answer({ ...request, problem: 'branin' }) as { intervals: unknown };
    expect(intervals).toEqual([[null, 0.42]]);
  });

  it('evaluate judges outputs by the rule of the service', () => {
    expect(answer({ ...request, op: 'evaluate', x: [1, 1] })).toEqual({ output: [0, 1], satisfied: true });
    expect(answer({ ...request, op: 'evaluate', x: [2, 1] })).toEqual({ output: [-30, 2], satisfied: false });
  });

  it('the output of a failed run is null', () => {
    const orbit = { ...request, op: 'evaluate', problem: 'orbit-rendezvous', x: [-3, 5.5, -1] };
    expect(answer(orbit)).toEqual({ output: null, satisfied: false });
  });

  it('unknown problems and operations are rejected', () => {
    expect(() => answer({ ...request, problem: 'nothing' })).toThrow('no problem is called nothing');
    expect(answer({ ...request, op: 'solve' })).toEqual({ error: 'unknown op solve' });
  });
});
