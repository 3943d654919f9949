/** A problem in the words of the service: `solve` makes one of its options, and the commands make one of a problem file. */
import type { Evaluation } from '../evaluator/evaluation.ts';
import type { Reportable } from '../evaluator/evaluation-calls.ts';
import type { RetriedLine } from '../evaluator/journal.ts';
import type { Door } from '../front-doors.ts';
import type { NewBatch, NewObjectives, NewProject } from '../generated/schemas.ts';
import type { Looker } from './looks.ts';

export interface KnownRun {
  readonly input: readonly number[];
  /** null for a failed run. */
  readonly output: readonly number[] | null;
  /** Within the bounds and the constraints. */
  readonly isInside: boolean;
}

/** Start of a search, as it was run. */
export type StartPoint = Pick<NewObjectives, 'initialInput' | 'initialOutput' | 'initialJacobian'>;

/** Lists in the order of inputs and outputs, never maps. */
export type ProjectBody = NewProject & { readonly outputNames: readonly string[] };

export interface Plan {
  /** As stated; `withScales` adds what follows from ranges. */
  readonly project: ProjectBody;
  /** One per target set. */
  readonly objectives: readonly NewObjectives[];
  /** Whether it is stated when a search ends; otherwise it ends by evidence. */
  readonly statesStop: boolean;
  /** The most runs, for one target set all of them; null leaves it to the service. */
  readonly budget: number | null;
  /** Runs at a time. */
  readonly parallel: number;
  /** Settings of its batches. */
  readonly batch: Pick<NewBatch, 'timeoutSeconds' | 'maximumTries' | 'stopAfterFailures'>;
  /** The most runs at the ends of the intervals of a fit, once it is found; beside the budget. */
  readonly verify: number;
  /** Number of designed runs; null if the service decides. */
  readonly designed: number | null;
  /** An input to run first, in natural units. */
  readonly start: readonly number[] | null;
  readonly known: readonly KnownRun[];
  /** Origin of the known runs, such as the name of a file. */
  readonly knownSource: string | null;
  /** Changes with how the black box is called; null where that is unknown. */
  readonly code: string | null;
  /** Looks at the black box; null where it is out of sight. */
  readonly looker: Looker | null;
  /** An input by name, as programs get it. */
  readonly nameInput: (input: readonly number[]) => Evaluation['inputByName'];
}

/** Phrases with which messages name what the user can do next. */
export interface Words {
  readonly door: Door;
  /** A clause, such as `start over with fresh: true`. */
  readonly startOver: string;
  /** The name of the option that limits runs. */
  readonly budget: string;
  /** Clause that says how to refuse a logarithmic scale. */
  readonly refuseLog: string;
  /** Clause that says how to reach the service where the problem was begun, after `go on there`. */
  readonly goOnAt: (service: string | null) => string;
}

export const MAXIMUM_PARALLEL = 64;

/**
 * With more target sets than runs at a time, twice as many inputs are open as run: the next ones wait while others are computed, and
 * no run waits for an input. Each target set still has one open input, so that it learns from all before it.
 */
export function parallelismOf({ objectives, parallel }: Plan): number {
  const sets = objectives.length;
  return sets > parallel ? Math.min(sets, 2 * parallel, MAXIMUM_PARALLEL) : parallel;
}

/**
 * Number of runs at a time that a project is told, so that its designed cases fill the first round; nothing if it would
 * change nothing. Half of the runs are left to the search.
 */
export function roundOf(parallel: number, budget: number | null): { readonly parallelism?: number } {
  const parallelism = Math.min(parallel, Math.floor((budget ?? Number.POSITIVE_INFINITY) / 2));
  return parallelism > 1 ? { parallelism } : {};
}

/** The service asks for at least 4 characters; a problem may be called `CO2`. */
export function toServiceName(name: string): string {
  return name.padEnd(4, '-');
}

/** A run outside any lease, as the service would hand it out. */
export function toEvaluation(
  { project, batch, nameInput }: Plan,
  line: Pick<RetriedLine, 'run' | 'input'> & Partial<RetriedLine>,
): Evaluation {
  const { evaluation = 0, run, objectiveId = null, inverseId = null, caseNumber = null, input } = line;
  return {
    id: evaluation,
    leaseToken: run,
    leaseExpiresAt: new Date().toISOString(),
    try: 1,
    maximumTries: triesOf(batch),
    kind: run === 'inverse' ? 'inverse' : 'case',
    modelId: 0,
    projectId: 0,
    batchId: 0,
    trialId: null,
    objectiveId,
    inverseId,
    iteration: line.iteration ?? null,
    caseNumber,
    source: line.source ?? null,
    input,
    inputByName: nameInput(input),
    outputNames: project.outputNames,
    outputCount: project.outputNames.length,
    timeoutSeconds: batch.timeoutSeconds ?? 3600,
  };
}

export function triesOf({ maximumTries }: Plan['batch']): number {
  return maximumTries ?? 1;
}

/** Outputs in the order of the problem; an object by name comes from a program that names them. Null for a failed run. */
export function listed(outcome: Reportable, names: readonly string[]): readonly number[] | null {
  if (outcome.kind !== 'output') return null;
  const { output } = outcome;
  return Array.isArray(output) ? output : names.map((name) => (output as Readonly<Record<string, number>>)[name]!);
}

/** Derivatives as the service takes them. */
export type SentSlopes = NonNullable<NewObjectives['initialJacobian']>;

/** The derivatives of an output, if it has any. */
export function slopesOf(outcome: Reportable): SentSlopes | null {
  return outcome.kind === 'output' ? ((outcome.jacobian ?? null) as SentSlopes | null) : null;
}
