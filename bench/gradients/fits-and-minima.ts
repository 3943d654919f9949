/**
 * Runs of fits to 1.05 times their least misfit, and of searches for a least or largest value to one percent beside it, without derivatives
 * and with them.
 *
 *   npx node bench/gradients/fits-and-minima.ts [--kind fits] [--seeds 3] [--budget 60] [--nist 30]
 *
 * `--nist` plays that many of the NIST problems of bench/fits as well.
 */
import { parseArgs } from 'node:util';
import { misfitOf } from '../../src/numbers/misfit.ts';
import type { Target } from '../../src/optimizer/interface/problem.ts';
import { warmUp } from '../../src/optimizer/suggest.ts';
import { type KnownOptimum, knownOptima } from '../badly-posed/known-optima.ts';
import { nistProblems } from '../fits/nist.ts';
import { type FitProblem, leastMisfit } from '../fits/problem.ts';
import { FIT_PROBLEMS } from '../fits/problems.ts';
import { type Game, play } from './play.ts';

const FREE: Target = { lower: -Infinity, upper: Infinity, lowerOpen: false, upperOpen: false, direction: 'none' };
/** Values beside the best one and beyond a limit that count as there. */
const NEAR = 0.01;
const SLACK = 1e-6;

function fitGame(problem: FitProblem): Game {
  const { model, variables, fits, truth } = problem;
  const least = leastMisfit(problem);
  const goal = fits[0]!.sigmas === null ? least + 0.1 * truth.length : 1.05 * least;
  return {
    variables,
    model,
    goal: { targets: model(truth).map(() => FREE), l1: null, fits },
    isReached: (y) => misfitOf(fits, y) <= goal,
    stop: { improvementBelow: 0 },
  };
}

function optimumGame({ variables, evaluate, direction, optimum, limits }: KnownOptimum): Game {
  const targets = [
    { ...FREE, direction },
    ...limits.map(
      ({ type, target }): Target => ({
        ...FREE,
        ...(type === 'lessthan_equal' ? { upper: target } : { lower: target }),
      }),
    ),
  ];
  const isReached = ([value, ...others]: readonly number[]) =>
    Math.abs(value! - optimum) <= NEAR * Math.abs(optimum) &&
    others.every((y, j) => {
      const { lower, upper } = targets[j + 1]!;
      return y >= lower - SLACK && y <= upper + SLACK;
    });
  return {
    variables,
    model: (x) => [...evaluate(Array.from(x), { seed: 0, index: 0 })!],
    goal: { targets, l1: null },
    isReached,
  };
}

const isSmooth = ({ variables }: KnownOptimum) => variables.every(({ kind }) => kind === 'float');

function main(): void {
  const { values } = parseArgs({
    options: {
      kind: { type: 'string' },
      seeds: { type: 'string', default: '3' },
      budget: { type: 'string', default: '60' },
      nist: { type: 'string', default: '0' },
    },
  });
  warmUp();
  const seeds = Array.from({ length: Number(values.seeds) }, (_, k) => k + 1);
  const kinds: Readonly<Record<string, readonly (readonly [string, (seed: number) => Game])[]>> = {
    fits: FIT_PROBLEMS.map((make) => [make(1).name, (seed) => fitGame(make(seed))]),
    nist: nistProblems()
      .slice(0, Number(values.nist))
      .map((problem) => [problem.name, () => fitGame(problem)]),
    minima: knownOptima.filter(isSmooth).map((one) => [one.name, () => optimumGame(one)]),
  };
  for (const [kind, games] of Object.entries(kinds)) {
    if (values.kind !== undefined && values.kind !== kind) continue;
    const ratios: number[] = [];
    for (const [name, gameOf] of games) {
      const [without, full] = [() => null, (J: number[][]) => J].map((report) => {
        const played = seeds.map((seed) => play(gameOf(seed), report, seed, Number(values.budget)));
        return {
          runs: Math.exp(played.reduce((sum, { runs }) => sum + Math.log(runs), 0) / seeds.length),
          missed: played.filter(({ isReached }) => !isReached).length,
          mostMs: Math.round(Math.max(...played.map(({ mostMs }) => mostMs))),
        };
      });
      const ratio = full!.runs / without!.runs;
      ratios.push(Math.log(ratio));
      console.log(JSON.stringify({ kind, problem: name, without, full, ratio: round(ratio) }));
    }
    if (ratios.length === 0) continue;
    const mean = Math.exp(ratios.reduce((sum, one) => sum + one, 0) / ratios.length);
    console.log(JSON.stringify({ kind, problems: ratios.length, ratio: round(mean) }));
  }
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}

main();
