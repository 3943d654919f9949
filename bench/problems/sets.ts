/**
 * The sets of problems: the collection, which the optimizer is tuned on, the held-out set, which it never is, and small
 * feasible regions, one hard kind by itself.
 */
import { longProblems } from '../badly-posed/long-problems.ts';
import { reachProblem } from '../badly-posed/systems.ts';
import { problems } from './collection.ts';
import { heldOutProblems } from './held-out/collection.ts';
import { oscillatingProblems } from './oscillating.ts';
import type { Problem } from './problem.ts';
import { randomSystems } from './random-systems.ts';
import { scatteredProblems } from './scattered.ts';
import { smallRegionProblems } from './small-regions.ts';
import { valleyNamed } from './valleys.ts';

const sets = {
  collection: problems,
  'held-out': heldOutProblems,
  'small-regions': smallRegionProblems,
  oscillating: oscillatingProblems,
} as const;

export type SetName = keyof typeof sets;

/** @throws Error when no set has this name */
export function parseSetName(name: string): SetName {
  if (!(name in sets)) throw new Error(`--set must be one of ${Object.keys(sets).join(', ')}`);
  return name as SetName;
}

export function problemsOf(set: SetName): readonly Problem[] {
  return sets[set];
}

/**
 * The problem with this name, of one set, a random system, a scattered problem, one of a long search, one at the edge of reach or a valley.
 *
 * @throws Error when no problem has this name
 */
export function getProblemOfAnySet(name: string): Problem {
  const all = [...Object.values(sets).flat(), ...randomSystems, ...scatteredProblems, ...longProblems];
  const problem = all.find((candidate) => candidate.name === name) ?? reachProblem(name) ?? valleyNamed(name);
  if (!problem) throw new Error(`no problem is called ${name}`);
  return problem;
}
