/**
 * A measured output, or the report of a failed run, completes the open iteration. Repeating the same one returns the same
 * answer; a different one for a completed iteration is a conflict. Events: inverse.output_loaded for an output, and
 * objective.satisfied or objective.exhausted when that was the end.
 */
import { findInverse, getLastInverse, type InverseChange, type InverseInstant, updateInverse } from '../db/inverses.ts';
import { type ObjectiveChange, type PlacedObjective, updateObjective } from '../db/objectives.ts';
import { type Db, inTransaction, type Trx } from '../db/transaction.ts';
import { evaluateOutput } from '../domain/acceptance.ts';
import { DomainError, refuseViolations } from '../domain/errors.ts';
import { awaitsOutput, type Inverse, InverseStatus, isBeingComputed } from '../domain/inverse.ts';
import { failedRunEvent, nextState, outputEvent, StopReason, type Transition } from '../domain/stop-reason.ts';
import { areEqualVectors, checkLength } from '../domain/vectors.ts';
import { beatsOptimum } from './optimum.ts';
import { type InversePath, missingInPath, type ObjectivePath } from './paths.ts';
import { lockObjectiveAt } from './read-objectives.ts';
import { recordEvents } from './record-event.ts';
import type { InverseView } from './views.ts';

export type Measurement =
  | {
      readonly kind: 'output';
      readonly output: readonly number[];
      /** What the client stated, or null: the time since the input was handed out. */
      readonly computeTimeNs: number | null;
    }
  | { readonly kind: 'failed'; readonly reason: string | null };

/**
 * One transaction behind the lock of the objective. With an inverse id in the path that inverse is meant, otherwise the
 * last one. Throws NOT_FOUND, VALIDATION_FAILED, NO_OPEN_ITERATION, OUTPUT_CONFLICT.
 */
export async function recordOutput(
  db: Db,
  accountId: number,
  path: ObjectivePath | InversePath,
  measurement: Measurement,
): Promise<InverseView> {
  return inTransaction(db, async (trx) => {
    const { objective, inverse } = await lockInverse(trx, accountId, path);
    if (measurement.kind === 'output') {
      refuseViolations(checkLength(['output'], measurement.output, objective.objectives.length, 'objective'));
    }
    if (!awaitsOutput(inverse)) {
      refuseOther(inverse, measurement);
      return { objective, inverse };
    }
    const updated = await complete(trx, accountId, objective, inverse, measurement);
    const loaded = { name: 'inverse.output_loaded', resourceId: objective.id } as const;
    await recordEvents(trx, accountId, measurement.kind === 'output' ? [loaded] : [], updated.objective);
    return updated;
  });
}

async function lockInverse(
  trx: Trx,
  accountId: number,
  path: ObjectivePath | InversePath,
): Promise<{ readonly objective: PlacedObjective; readonly inverse: Inverse }> {
  if (!('inverseId' in path)) {
    const objective = await lockObjectiveAt(trx, accountId, path);
    return { objective, inverse: await getLastInverse(trx, accountId, objective.id) };
  }
  const seen = await findInverse(trx, accountId, path.inverseId);
  const missing = () => missingInPath(trx, accountId, path, { resource: 'inverse', id: path.inverseId });
  if (seen === undefined || seen.objectiveId !== (path.objectiveId ?? seen.objectiveId)) throw await missing();
  const objective = await lockObjectiveAt(trx, accountId, { ...path, objectiveId: seen.objectiveId });
  // Read again: it may have changed before the lock was granted.
  const inverse = await findInverse(trx, accountId, path.inverseId);
  if (inverse === undefined) throw await missing();
  return { objective, inverse };
}

/** Passes only a repetition of what is already known about an inverse that is not open. */
function refuseOther(inverse: Inverse, measurement: Measurement): void {
  if (isBeingComputed(inverse)) {
    const message = `Iteration ${inverse.iteration} is still being computed; ask for the suggestion before loading its output.`;
    throw new DomainError('NO_OPEN_ITERATION', message);
  }
  const isRunFailed = inverse.status === InverseStatus.failed && inverse.input !== null;
  if (inverse.output === null && !isRunFailed) {
    const message = `Iteration ${inverse.iteration} is ${inverse.status} and takes no output; ask for the next suggestion.`;
    throw new DomainError('NO_OPEN_ITERATION', message);
  }
  const isSame =
    measurement.kind === 'output'
      ? inverse.output !== null && areEqualVectors(inverse.output, measurement.output)
      : isRunFailed;
  if (isSame) return;
  const message = isRunFailed
    ? `Iteration ${inverse.iteration} has already been reported as failed. Repeating the report is accepted; the stored report stays.`
    : `Iteration ${inverse.iteration} already has another output. Repeating the same output is accepted; the stored output stays.`;
  throw new DomainError('OUTPUT_CONFLICT', message, {
    inverse: { objectiveId: inverse.objectiveId, inverseId: inverse.id },
  });
}

async function complete(
  trx: Trx,
  accountId: number,
  objective: PlacedObjective,
  inverse: Inverse,
  measurement: Measurement,
): Promise<InverseView> {
  if (measurement.kind === 'failed') {
    const state = nextState(objective.stopReason, failedRunEvent(objective))!;
    const failed = await updateInverse(trx, inverse.id, {
      ...reached(state, ['failedAt']),
      computeTimeNs: 'since-suggested',
      failureReason: measurement.reason,
    });
    return { objective: await updateObjective(trx, objective.id, { stopReason: state.stopReason }), inverse: failed };
  }
  const evaluation = evaluateOutput(objective, measurement.output);
  const state = nextState(objective.stopReason, outputEvent(evaluation.isSatisfied, objective))!;
  const loaded = await updateInverse(trx, inverse.id, {
    ...reached(state, ['loadedAt']),
    output: measurement.output,
    computeTimeNs: measurement.computeTimeNs ?? 'since-suggested',
  });
  const change: ObjectiveChange = { stopReason: state.stopReason };
  const isOptimum = await beatsOptimum(trx, accountId, objective, evaluation);
  const updated = await updateObjective(
    trx,
    objective.id,
    isOptimum ? { ...change, optimalInverseId: inverse.id } : change,
  );
  return { objective: updated, inverse: loaded };
}

/** The inverse's new status with the instants that belong to it. */
function reached(state: Transition, always: readonly InverseInstant[]): InverseChange {
  const instants = [...always];
  if (state.inverseStatus === InverseStatus.converged) instants.push('satisfiedAt');
  if (state.stopReason === StopReason.exhausted) instants.push('exhaustedAt');
  return { status: state.inverseStatus, reached: instants };
}
