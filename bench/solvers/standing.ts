/**
 * Compares solvers on recorded plays. A solver's cost of a problem is the geometric mean over its seeds, its cost of a family
 * or of a set the geometric mean over problems, so that more seeds do not weigh more.
 *
 * A play that a time cap ended says nothing about runs. Its problem is left out of that solver's means, and every ratio is
 * taken over the problems that both sides finished.
 */
import type { Family, Problem } from '../problems/problem.ts';
import { fingerprint, type Result } from './results.ts';
import { costOf, geometricMean } from './scores.ts';

export const OURS = 'backsolve';

export interface Standing {
  readonly solver: string;
  readonly version: string;
  /** All problems of the set, played or not. */
  readonly problems: readonly Problem[];
  readonly plays: readonly Result[];
  readonly capped: number;
  /** Cost by problem name, of finished problems only. */
  readonly costs: ReadonlyMap<string, number>;
}

/** One standing per solver, for its newest recorded version and the current problems; ours first, then by name. */
export function toStandings(results: readonly Result[], problems: readonly Problem[]): Standing[] {
  const fingerprints = new Map(problems.map((problem) => [problem.name, fingerprint(problem)]));
  const current = results.filter((result) => fingerprints.get(result.problem) === result.fingerprint);
  const newest = new Map(current.map((result) => [result.solver, result.version]));
  return [...newest]
    .map(([solver, version]) => {
      const mine = current.filter((result) => result.solver === solver && result.version === version);
      return toStanding({ solver, version, problems, plays: mine });
    })
    .sort((a, b) => Number(b.solver === OURS) - Number(a.solver === OURS) || a.solver.localeCompare(b.solver));
}

function toStanding(facts: Omit<Standing, 'capped' | 'costs'>): Standing {
  const { problems, plays } = facts;
  const costs = new Map<string, number>();
  for (const problem of problems) {
    const own = plays.filter((play) => play.problem === problem.name);
    if (own.length === 0 || own.some(isCapped)) continue;
    costs.set(problem.name, geometricMean(own.map((play) => costOf(play, problem.budget))));
  }
  return { ...facts, capped: plays.filter(isCapped).length, costs };
}

function isCapped(play: Result): boolean {
  return play.end === 'time';
}

/** For each problem the smallest cost among the given standings. */
export function virtualBest(standings: readonly Standing[]): Map<string, number> {
  const best = new Map<string, number>();
  for (const { costs } of standings) {
    for (const [name, cost] of costs) best.set(name, Math.min(cost, best.get(name) ?? Number.POSITIVE_INFINITY));
  }
  return best;
}

/** Geometric means of two cost maps over the given problems that both contain. */
export function compare(
  ours: ReadonlyMap<string, number>,
  theirs: ReadonlyMap<string, number>,
  problems: readonly Problem[],
): { readonly problems: number; readonly ours: number; readonly theirs: number; readonly ratio: number } {
  const shared = problems.filter((problem) => ours.has(problem.name) && theirs.has(problem.name));
  const mine = geometricMean(shared.map((problem) => ours.get(problem.name)!));
  const other = geometricMean(shared.map((problem) => theirs.get(problem.name)!));
  return { problems: shared.length, ours: mine, theirs: other, ratio: mine / other };
}

export function inFamily(problems: readonly Problem[], family: Family | 'all'): Problem[] {
  return problems.filter((problem) => family === 'all' || problem.family === family);
}

/** Numbers of solved plays and of all plays of a standing in a family. */
export function countSolved(standing: Standing, family: Family | 'all'): { solved: number; plays: number } {
  const names = new Set(inFamily(standing.problems, family).map((problem) => problem.name));
  const plays = standing.plays.filter((play) => names.has(play.problem));
  return { solved: plays.filter((play) => play.solved).length, plays: plays.length };
}
