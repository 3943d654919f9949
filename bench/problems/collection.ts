/** The problems of the collection in the order of the tables. The optimizer is tuned on these and no others. */
import { classicProblems } from './classics.ts';
import { exactProblems } from './exact.ts';
import { feasibilityProblems } from './feasibility.ts';
import { highDimensionProblems } from './high-dimension.ts';
import { minimizeMaximizeProblems } from './minimize-maximize.ts';
import { mixedProblems } from './mixed.ts';
import { noisyProblems } from './noisy.ts';
import type { Problem } from './problem.ts';
import { simulatorProblems } from './simulators.ts';
import { toleranceProblems } from './tolerance.ts';

export const problems: readonly Problem[] = [
  ...exactProblems,
  ...toleranceProblems,
  ...feasibilityProblems,
  ...minimizeMaximizeProblems,
  ...mixedProblems,
  ...simulatorProblems,
  ...highDimensionProblems,
  ...noisyProblems,
  ...classicProblems,
];

/** @throws Error when no problem has this name */
export function getProblem(name: string): Problem {
  const problem = problems.find((candidate) => candidate.name === name);
  if (!problem) throw new Error(`no problem is called ${name}`);
  return problem;
}
