/** Describes the events of an evaluation, each in one line for a log. */
import type { Evaluation } from '../../clients/typescript/src/evaluator/evaluation.ts';
import type { Reportable } from '../../clients/typescript/src/evaluator/evaluation-calls.ts';
import type { EvaluatorEvent } from '../../clients/typescript/src/evaluator/evaluator.ts';
import { nameOf } from '../../clients/typescript/src/evaluator/run-name.ts';

export function describeEvent(event: EvaluatorEvent): string {
  switch (event.type) {
    case 'claimed':
      return `${describe(event.evaluation)}: starts${tryOf(event.evaluation)} with ${inputOf(event.evaluation)}`;
    case 'reported':
      return `${describe(event.evaluation)}: ${whatCame(event.outcome, event.state)} after ${event.seconds.toFixed(1)} s`;
    case 'unwanted':
      return `${describe(event.evaluation)}: ended, because its output is not wanted any more`;
    case 'released':
      return `${describe(event.evaluation)}: given back: ${event.reason}`;
    case 'dropped':
      return `${describe(event.evaluation)}: dropped: ${event.reason}${lostResult(event.outcome)}`;
    case 'away':
      if (event.isNew === true)
        return `nothing has answered at this address yet; it is asked again until the service does: ${event.reason}`;
      return `the service is away; results are kept until it is back: ${event.reason}`;
    case 'back':
      return 'the service is back';
  }
}

function describe(evaluation: Evaluation): string {
  const { id, batchId, objectiveId } = evaluation;
  return `evaluation ${id} (batch ${batchId}, ${nameOf(evaluation, `of objective ${objectiveId}`)})`;
}

function tryOf({ try: number, maximumTries }: Evaluation): string {
  return number === 1 ? '' : ` try ${number} of ${maximumTries}`;
}

function inputOf({ inputByName }: Evaluation): string {
  return Object.entries(inputByName)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

function whatCame(outcome: Reportable, state: string): string {
  if (outcome.kind === 'output') return `output ${JSON.stringify(outcome.output)}`;
  return `${state === 'waiting' ? 'to be tried again' : 'failed'}: ${outcome.reason};`;
}

/** A person can still load it by hand. */
function lostResult(outcome: Reportable | undefined): string {
  return outcome?.kind === 'output' ? `; its output was ${JSON.stringify(outcome.output)}` : '';
}
