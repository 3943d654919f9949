import { describe, expect, it } from 'vitest';
import { getProblem, problems } from '../../bench/problems/collection.ts';
import { profileSvg, shareSolved } from '../../bench/solvers/data-profile.ts';
import { fingerprint, type Result } from '../../bench/solvers/results.ts';
import { compare, inFamily, toStandings, virtualBest } from '../../bench/solvers/standing.ts';

function makeResult(change: Partial<Result> & Pick<Result, 'solver' | 'problem' | 'runs'>): Result {
  return {
    version: '1',
    fingerprint: fingerprint(getProblem(change.problem)),
    seed: 1,
    solved: true,
    seconds: 0,
    end: 'satisfied',
    commit: 'none',
    ...change,
  };
}

describe('the standing of solvers', () => {
  it('standings average over seeds first, count an unsolved play as twice its budget, and list Backsolve first', () => {
    const { budget } = getProblem('rosenbrock');
    const [ours, peer] = toStandings(
      [
        makeResult({ solver: 'a', problem: 'rosenbrock', runs: budget, solved: false, end: 'budget' }),
        makeResult({ solver: 'backsolve', problem: 'rosenbrock', runs: 4 }),
        makeResult({ solver: 'backsolve', problem: 'rosenbrock', runs: 9, seed: 2 }),
      ],
      problems,
    );
    expect(ours!.solver).toBe('backsolve');
    expect(ours!.costs.get('rosenbrock')).toBeCloseTo(6, 12);
    expect(peer!.costs.get('rosenbrock')).toBeCloseTo(2 * budget, 12);
    expect(compare(ours!.costs, peer!.costs, inFamily(problems, 'exact')).ratio).toBeCloseTo(6 / (2 * budget), 12);
  });

  it('standings leave out plays of older versions and changed problems, and problems that ran into the time limit', () => {
    const standings = toStandings(
      [
        makeResult({ solver: 'a', problem: 'wood', runs: 5, version: '0' }),
        makeResult({ solver: 'a', problem: 'beale', runs: 5, fingerprint: 'old' }),
        makeResult({ solver: 'a', problem: 'rosenbrock', runs: 5 }),
        makeResult({ solver: 'a', problem: 'branin', runs: 5, solved: false, end: 'time' }),
      ],
      problems,
    );
    expect([...standings[0]!.costs.keys()]).toEqual(['rosenbrock']);
    expect(standings[0]!.capped).toBe(1);
  });

  it('the virtual best takes the best peer of each problem', () => {
    const standings = toStandings(
      [
        makeResult({ solver: 'a', problem: 'wood', runs: 5 }),
        makeResult({ solver: 'b', problem: 'wood', runs: 7 }),
        makeResult({ solver: 'b', problem: 'beale', runs: 3 }),
      ],
      problems,
    );
    const best = virtualBest(standings);
    expect(best.get('wood')).toBeCloseTo(5, 12);
    expect(best.get('beale')).toBeCloseTo(3, 12);
  });

  it('a data profile rises with the number of runs', () => {
    const standings = toStandings(
      [
        makeResult({ solver: 'a', problem: 'rosenbrock', runs: 6 }),
        makeResult({ solver: 'a', problem: 'rosenbrock', runs: 60, seed: 2, solved: false, end: 'budget' }),
      ],
      problems,
    );
    expect(shareSolved(standings[0]!, 1)).toBe(0);
    expect(shareSolved(standings[0]!, 2)).toBe(0.5);
    expect(profileSvg(standings)).toContain('<path d="M60 420.0H');
  });
});
