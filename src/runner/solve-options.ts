/** Everything that solving a problem takes. */
import type { Evaluate } from '../../clients/typescript/src/evaluator/evaluation.ts';
import type { Backsolve } from '../../clients/typescript/src/index.ts';
import type { Surroundings } from './black-box/black-box.ts';
import type { CheckedProblem } from './check-problem.ts';
import type { Display } from './display.ts';
import type { Body } from './problem-bodies.ts';
import type { RunFolder } from './run-folder.ts';
import type { MeasureMisses } from './standing.ts';

export interface SolveOptions {
  readonly client: Backsolve;
  /** The address of a remote service, or null for that of this folder. */
  readonly service: string | null;
  readonly checked: CheckedProblem;
  readonly folder: RunFolder;
  /** Surroundings in which the black box works. */
  readonly where: Surroundings;
  /** null when others evaluate. */
  readonly evaluate: Evaluate | null;
  /** The name of this machine in the record of a run. */
  readonly evaluator: string;
  /** Measures outputs against an objective as the service does. */
  readonly measure: (objective: Body) => MeasureMisses;
  readonly display: Display;
  /** Whether failed runs are tried again. */
  readonly retryFailed: boolean;
  /** Claims no more and waits for what runs. */
  readonly signal: AbortSignal;
  /** Ends what runs. */
  readonly endSignal: AbortSignal;
}
