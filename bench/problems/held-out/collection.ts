/**
 * The held-out problems in the order of the tables: other problems of the same families, on which nothing is ever tuned.
 * bench/solvers/README.md states the rule.
 */
import type { Problem } from '../problem.ts';
import { classicProblems } from './classics.ts';
import { exactProblems } from './exact.ts';
import { feasibilityProblems } from './feasibility.ts';
import { highDimensionProblems } from './high-dimension.ts';
import { minimizeMaximizeProblems } from './minimize-maximize.ts';
import { mixedProblems } from './mixed.ts';
import { noisyProblems } from './noisy.ts';
import { simulatorProblems } from './simulators.ts';
import { toleranceProblems } from './tolerance.ts';

export const heldOutProblems: readonly Problem[] = [
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
