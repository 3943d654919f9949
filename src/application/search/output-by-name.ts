import type { ObjectiveWithParents } from '../../db/search/objectives.ts';
import type { JacobianShape } from '../../domain/data/jacobian.ts';
import { refuseViolations } from '../../domain/errors.ts';
import { type ByName, makeOutputReader } from '../../domain/problem/names.ts';

/** An output as a client sent it: a vector, or by the names of the outputs, with an empty vector. */
export interface SentOutput {
  readonly output: readonly number[];
  readonly byName?: ByName;
}

/** The output as a vector. Throws VALIDATION_FAILED for names that are unknown or missing. */
export function inOrder<Sent extends SentOutput>(
  sent: Sent,
  outputCount: number,
  outputNames: readonly string[] | null,
): Sent {
  if (sent.byName === undefined) return sent;
  const { vector, violations } = makeOutputReader(outputCount, outputNames)(sent.byName, ['output']);
  refuseViolations(violations);
  return { ...sent, output: vector };
}

/** Shape of the derivatives of runs of an objective. */
export function jacobianShapeOf({ objectives, initialInput, labels }: ObjectiveWithParents): JacobianShape {
  return {
    outputCount: objectives.length,
    inputCount: initialInput.length,
    outputNames: labels?.outputNames ?? null,
    inputNames: labels?.inputNames ?? null,
    inputTypes: labels?.inputTypes ?? null,
  };
}
