import { describe, expect, it } from 'vitest';
import { getProblem } from '../../bench/problems/collection.ts';
import type { Problem } from '../../bench/problems/problem.ts';
import { play } from '../../bench/solvers/play.ts';
import { fingerprint, playKey } from '../../bench/solvers/results.ts';

/** Records every evaluation of a problem. */
function watch(problem: Problem) {
  const inputs: (readonly number[])[] = [];
  const watched: Problem = {
    ...problem,
    evaluate(x, run) {
      expect(run.index).toBe(inputs.length);
      inputs.push(x);
      return problem.evaluate(x, run);
    },
  };
  return { inputs, watched };
}

describe('play', () => {
  it('a play counts every evaluation, runs the start after the designed cases and is repeatable', () => {
    const { inputs, watched } = watch(getProblem('himmelblau'));
    const first = play(watched, 3);
    expect(first).toMatchObject({ solved: true, end: 'satisfied', runs: inputs.length });
    const startAt = inputs.length - first.suggestions - 1;
    expect(inputs[startAt]).toEqual(watched.start);
    expect(play(getProblem('himmelblau'), 3).runs).toBe(first.runs);
  });

  it('a play ends when the budget is used up', () => {
    const { inputs, watched } = watch({ ...getProblem('goldstein-price'), budget: 6 });
    expect(play(watched, 1)).toMatchObject({ solved: false, end: 'budget', runs: 6 });
    expect(inputs).toHaveLength(6);
  });

  it('a play continues after failed runs', () => {
    const problem = getProblem('orbit-rendezvous');
    const { inputs, watched } = watch(problem);
    const breaking: Problem = {
      ...watched,
      evaluate(x, run) {
        const outputs = watched.evaluate(x, run);
        return run.index < 3 ? null : outputs;
      },
    };
    const outcome = play(breaking, 1);
    expect(outcome.solved).toBe(true);
    expect(outcome.runs).toBe(inputs.length);
  });
});

describe('the record of plays', () => {
  it('the fingerprint changes with the budget and the outputs of a problem', () => {
    const problem = getProblem('rosenbrock');
    expect(fingerprint(problem)).toBe(fingerprint({ ...problem }));
    expect(fingerprint({ ...problem, budget: 61 })).not.toBe(fingerprint(problem));
    expect(fingerprint({ ...problem, evaluate: () => [0, 0] })).not.toBe(fingerprint(problem));
  });

  it('the key of a play differs by seed and version', () => {
    const identity = { solver: 'a', version: '1', problem: 'rosenbrock', fingerprint: 'f', seed: 1 };
    expect(playKey({ ...identity, seed: 2 })).not.toBe(playKey(identity));
    expect(playKey({ ...identity, version: '2' })).not.toBe(playKey(identity));
  });
});
