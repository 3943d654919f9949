/** The run at the start that a problem states, before there is a batch. */
import { type Evaluate, type Evaluation, LocalFault } from '../../clients/typescript/src/evaluator/evaluation.ts';
import type { Reportable } from '../../clients/typescript/src/evaluator/evaluation-calls.ts';
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
  const evaluation = startEvaluation(problem, input);
  onBegin(evaluation);
  for (let left = problem.retries; ; left--) {
    const outcome = await evaluate(evaluation, signal);
    if (outcome.kind === 'abort') throw new LocalFault(outcome.reason);
    if (signal.aborted) throw new LocalFault('Interrupted before the start was evaluated.');
    if (outcome.kind === 'failure' && outcome.retryable && left > 0) continue;
    const final: Reportable = outcome.kind === 'failure' ? { ...outcome, retryable: false } : outcome;
    await keep(evaluation, final);
    return final;
  }
}

/** As the service would hand it out. */
function startEvaluation(problem: Problem, input: readonly number[]): Evaluation {
  return {
    id: 0,
    leaseToken: 'start',
    leaseExpiresAt: new Date().toISOString(),
    try: 1,
    maximumTries: problem.retries + 1,
    kind: 'case',
    modelId: 0,
    projectId: 0,
    batchId: 0,
    trialId: null,
    objectiveId: null,
    inverseId: null,
    caseNumber: null,
    input,
    inputByName: toNamedInput(problem.inputs, input) as Evaluation['inputByName'],
    outputNames: problem.outputs.map((output) => output.name),
    outputCount: problem.outputs.length,
    timeoutSeconds: problem.timeoutSeconds,
  };
}
