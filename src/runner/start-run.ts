/** Runs outside any lease: the start that a problem states, before there is a batch, and failed runs that are tried again. */
import { type Evaluate, type Evaluation, LocalFault } from '../../clients/typescript/src/evaluator/evaluation.ts';
import type { Reportable } from '../../clients/typescript/src/evaluator/evaluation-calls.ts';
import type { RetriedLine } from '../../clients/typescript/src/evaluator/journal.ts';
import type { Problem } from './problem.ts';
import { toNamedInput } from './problem-bodies.ts';

interface StartOptions {
  /** null when others evaluate. */
  readonly evaluate: Evaluate | null;
  readonly signal: AbortSignal;
  readonly onBegin: (evaluation: Evaluation) => void;
  /** Awaited before the result is used. */
  readonly keep: (evaluation: Evaluation, outcome: Reportable) => Promise<void>;
}

/** As often as the problem allows, until there is an output or a failure for good. Throws LocalFault when it cannot be run. */
export async function evaluateStart(
  problem: Problem,
  input: readonly number[],
  { evaluate, signal, onBegin, keep }: StartOptions,
): Promise<Reportable> {
  if (evaluate === null) throw new LocalFault('The start is evaluated here: leave out start, or --no-evaluate.');
  const evaluation = toEvaluation(problem, { ...NO_SUBJECT, evaluation: 0, run: 'start', input });
  onBegin(evaluation);
  const final = await evaluateForGood(problem, evaluation, evaluate, signal);
  if (final === undefined) throw new LocalFault('Interrupted before the start was evaluated.');
  await keep(evaluation, final);
  return final;
}

/** Undefined when the signal ended it. Throws LocalFault when it cannot be run here, or when the command aborts. */
export async function evaluateForGood(
  { retries }: Problem,
  evaluation: Evaluation,
  evaluate: Evaluate,
  signal: AbortSignal,
): Promise<Reportable | undefined> {
  for (let left = retries; ; left--) {
    if (signal.aborted) return undefined;
    const outcome = await evaluate(evaluation, signal);
    if (outcome.kind === 'abort') throw new LocalFault(outcome.reason);
    if (outcome.kind === 'output') return outcome;
    if (signal.aborted) return undefined;
    if (!outcome.retryable || left <= 0) return { ...outcome, retryable: false };
  }
}

const NO_SUBJECT = { objectiveId: null, inverseId: null, caseNumber: null };

/** As the service would hand it out. */
export function toEvaluation(
  problem: Problem,
  line: Pick<RetriedLine, 'evaluation' | 'run' | 'objectiveId' | 'inverseId' | 'caseNumber' | 'input'>,
): Evaluation {
  const { evaluation, run, objectiveId, inverseId, caseNumber, input } = line;
  return {
    id: evaluation,
    leaseToken: 'start',
    leaseExpiresAt: new Date().toISOString(),
    try: 1,
    maximumTries: problem.retries + 1,
    kind: run === 'inverse' ? 'inverse' : 'case',
    modelId: 0,
    projectId: 0,
    batchId: 0,
    trialId: null,
    objectiveId,
    inverseId,
    caseNumber,
    input,
    inputByName: toNamedInput(problem.inputs, input) as Evaluation['inputByName'],
    outputNames: problem.outputs.map((output) => output.name),
    outputCount: problem.outputs.length,
    timeoutSeconds: problem.timeoutSeconds,
  };
}
