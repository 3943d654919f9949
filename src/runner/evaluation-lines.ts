/** What happens to an evaluation, each in one line for a log. */
import type { Evaluation } from '../../clients/typescript/src/evaluator/evaluation.ts';
import type { Reportable } from '../../clients/typescript/src/evaluator/evaluation-calls.ts';
import type { EvaluatorEvent } from '../../clients/typescript/src/evaluator/evaluator.ts';

export function describeEvent(event: EvaluatorEvent): string {
  switch (event.type) {
    case 'claimed':
      return `${nameOf(event.evaluation)}: starts${tryOf(event.evaluation)} with ${inputOf(event.evaluation)}`;
    case 'reported':
      return `${nameOf(event.evaluation)}: ${whatCame(event.outcome, event.state)} after ${event.seconds.toFixed(1)} s`;
    case 'unwanted':
      return `${nameOf(event.evaluation)}: ended, because its output is not wanted any more`;
    case 'released':
      return `${nameOf(event.evaluation)}: given back: ${event.reason}`;
    case 'dropped':
      return `${nameOf(event.evaluation)}: dropped: ${event.reason}${lostResult(event.outcome)}`;
    case 'away':
      return `the service is away; results are kept until it is back: ${event.reason}`;
    case 'back':
      return 'the service is back';
  }
}

function nameOf({ id, batchId, caseNumber, inverseId }: Evaluation): string {
  return `evaluation ${id} (batch ${batchId}, ${caseNumber === null ? `inverse ${inverseId}` : `case ${caseNumber}`})`;
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
