/** Solving a problem in one call, in Node.js: the entry `backsolve-client/solve`. */

export { JournalError } from './evaluator/journal.ts';
export type { Connection } from './solve/connection.ts';
export type { Advice } from './solve/defaults.ts';
export { type Curve, type FileFitOptions, type Fit, type FitOptions, fit, type Loss } from './solve/fit.ts';
export type { Band, FitResult, Parameter } from './solve/fitted.ts';
export { ProblemLockedError } from './solve/folder.ts';
export {
  above,
  atLeast,
  atMost,
  below,
  exact,
  type GivenOutputs,
  type Goal,
  type Goals,
  type MissesOf,
  maximize,
  minimize,
  type NumbersOf,
  type Offsets,
  type OutputsOf,
  within,
} from './solve/goals.ts';
export {
  boolean,
  choice,
  type Input,
  type InputOptions,
  type Inputs,
  type InputValue,
  integer,
  levels,
  log,
  type RealOptions,
  real,
  type ValuesOf,
} from './solve/inputs.ts';
export { LocalServiceError } from './solve/local-service.ts';
export { BudgetError, ChangedProblemError } from './solve/open-problem.ts';
export type { BlackBox, SolveOptions, Source } from './solve/options.ts';
export type { Problem } from './solve/problem.ts';
export { openProject, type Project, type Run, RunLostError } from './solve/project.ts';
export type { Best, FinishedRun, Result, Status } from './solve/result.ts';
export { solve } from './solve/solve.ts';
