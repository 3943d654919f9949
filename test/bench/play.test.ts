import { describe, expect, it } from 'vitest';
import { getProblem } from '../../bench/problems/collection.ts';
import type { Problem } from '../../bench/problems/problem.ts';
import { play } from '../../bench/solvers/play.ts';
import { fingerprint, playKey } from '../../bench/solvers/results.ts';

/** A problem that notes every evaluation. */
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

describe('a play of ours', () => {
  it('counts every evaluation, plays the start after the designed cases and repeats exactly', () => {
    const { inputs, watched } = watch(getProblem('himmelblau'));
    const first = play(watched, 3);
    expect(first).toMatchObject({ solved: true, end: 'satisfied', runs: inputs.length });
    const startAt = inputs.length - first.suggestions - 1;
    expect(inputs[startAt]).toEqual(watched.start);
    expect(play(getProblem('himmelblau'), 3).runs).toBe(first.runs);
  });

  it('ends at the budget', () => {
    const { inputs, watched } = watch({ ...getProblem('goldstein-price'), budget: 6 });
    expect(play(watched, 1)).toMatchObject({ solved: false, end: 'budget', runs: 6 });
    expect(inputs).toHaveLength(6);
  });

  it('goes on past failed runs', () => {
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
  it('tells a changed problem from the one that was played', () => {
    const problem = getProblem('rosenbrock');
    expect(fingerprint(problem)).toBe(fingerprint({ ...problem }));
    expect(fingerprint({ ...problem, budget: 61 })).not.toBe(fingerprint(problem));
    expect(fingerprint({ ...problem, evaluate: () => [0, 0] })).not.toBe(fingerprint(problem));
  });

  it('tells seeds and versions apart', () => {
    const identity = { solver: 'a', version: '1', problem: 'rosenbrock', fingerprint: 'f', seed: 1 };
    expect(playKey({ ...identity, seed: 2 })).not.toBe(playKey(identity));
    expect(playKey({ ...identity, version: '2' })).not.toBe(playKey(identity));
  });
});
