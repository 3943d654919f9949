/**
 * A measured output, or the report of a failed run, completes an open inverse. Repeating the same one returns the same answer; a
 * different one for a completed inverse is a conflict. The output of an inverse that was given up is taken as well. Events:
 * inverse.output_loaded for an output, objective.solution_found where several solutions are sought, and where the objective ends with
 * it inverse.stopped for each inverse that was still open, then objective.satisfied or objective.exhausted.
 */

import type { Db, Trx } from '../../db/connection/transaction.ts';
import { findLastCompleted, listLate } from '../../db/search/open-inverses.ts';
import type { SearchAt } from '../../db/search/search-ledger.ts';
import { type Jacobian, readJacobian, type SentJacobian } from '../../domain/data/jacobian.ts';
import { DomainError, makeViolation, refuseViolations } from '../../domain/errors.ts';
import type { ByName } from '../../domain/problem/names.ts';
import { isCoarse } from '../../domain/problem/sources.ts';
import {
  awaitsOutput,
  type Inverse,
  InverseStatus,
  isBeingComputed,
  mayComeLate,
} from '../../domain/search/inverse.ts';
import { after, type Change, type Outcome } from '../../domain/search/standing.ts';
import { areEqualVectors, checkLength } from '../../domain/vectors.ts';
import type { NewEvent } from '../../domain/webhooks/event.ts';
import type { InversePath, ObjectivePath } from '../paths.ts';
import { type InverseView, viewOf } from '../views.ts';
import { answer, changeOf, changeSearch, getSearchAt, readStanding, solutionEvents } from './change-search.ts';
import { inOrder, jacobianShapeOf } from './output-by-name.ts';

export type Measurement =
  | {
      readonly kind: 'output';
      readonly output: readonly number[];
      /** The output by the names of the outputs; `output` is empty then. */
      readonly byName?: ByName;
      /** Its derivatives as they were sent. */
      readonly sentJacobian?: SentJacobian | null;
      /** Computing time that the client stated, or null: the time since the input was handed out. */
      readonly computeTimeNs: number | null;
    }
  | { readonly kind: 'failed'; readonly reason: string | null };

/**
 * The path names the inverse; without an inverse id it is the only one that waits for its output, or the last one. Joins the
 * transaction when `db` is one. `actor`: who sends it, as the run names them. Throws NOT_FOUND, VALIDATION_FAILED, AMBIGUOUS_ITERATION, NO_OPEN_ITERATION, OUTPUT_CONFLICT.
 */
export async function recordOutput(
  db: Db | Trx,
  accountId: number,
  path: ObjectivePath | InversePath,
  sent: Measurement,
  actor: string | null = null,
): Promise<InverseView> {
  let meant = path;
  const read = async (handle: Db | Trx) => {
    const found = await getMeant(handle, accountId, meant);
    // By the next try it may no longer be the last one, and the output belongs to no other input.
    meant = { ...path, inverseId: found.inverse.id };
    return found;
  };
  return changeSearch(db, accountId, read, async (found, handle) => {
    const { objective, inverse } = found;
    const measurement = inOutputs(sent, found);
    const jacobian = jacobianOf(sent, found);
    const isLate = measurement.kind === 'output' && mayComeLate(inverse);
    if (!awaitsOutput(inverse) && !isLate) {
      refuseOther(inverse, measurement);
      return answer(viewOf(objective, inverse));
    }
    const { terms, standing } = await readStanding(handle, accountId, found);
    const outcome = after(terms, standing, toChange(inverse, measurement, isLate))!;
    const change = changeOf(found, outcome, eventsOf(found, measurement, outcome));
    const isJudged = measurement.kind === 'output' && objective.judgedThrough !== null;
    const judgedThrough = Math.max(objective.judgedThrough ?? 0, inverse.iteration);
    return {
      kind: 'change',
      change: {
        ...change,
        closed: { ...closedBy(inverse, measurement, outcome), jacobian, loadedBy: actor },
        objective: { ...change.objective, ...(isJudged && { judgedThrough }) },
      },
      toResult: (stored) => viewOf(stored.objective, stored.inverse!),
    };
  });
}

/** In the order of the outputs. Throws VALIDATION_FAILED. */
function inOutputs(sent: Measurement, { objective }: SearchAt): Measurement {
  if (sent.kind === 'failed') return sent;
  const { objectives, labels } = objective;
  const ordered = inOrder(sent, objectives.length, labels?.outputNames ?? null);
  refuseViolations(checkLength(['output'], ordered.output, objectives.length, 'objective'));
  return ordered;
}

/** Throws VALIDATION_FAILED. */
function jacobianOf(sent: Measurement, { objective, inverse }: SearchAt): Jacobian | null {
  if (sent.kind === 'failed' || sent.sentJacobian == null || inverse.input === null) return null;
  const { jacobian, violations } = readJacobian(sent.sentJacobian, jacobianShapeOf(objective), ['jacobian']);
  refuseViolations(violations);
  return jacobian;
}

function toChange({ id, iteration, input, source }: Inverse, measurement: Measurement, isLate: boolean): Change {
  if (measurement.kind === 'failed') return { kind: 'failed', id };
  // Suggested inputs keep all limits.
  return {
    kind: 'output',
    run: { id, iteration, input: input!, output: measurement.output },
    isAdmissible: true,
    isCoarse: isCoarse({ source }),
    isLate,
  };
}

function closedBy({ id }: Inverse, measurement: Measurement, { status, isHit, isExhausting }: Outcome) {
  const isOutput = measurement.kind === 'output';
  return {
    inverseId: id,
    status: status!,
    wasRun: true,
    output: isOutput ? measurement.output : null,
    computeTimeNs: isOutput ? measurement.computeTimeNs : null,
    failureReason: isOutput ? null : measurement.reason,
    isFailed: !isOutput,
    isSatisfied: isHit,
    isStopped: false,
    isExhausted: isExhausting,
    isNumbered: true,
  };
}

function eventsOf({ objective }: SearchAt, { kind }: Measurement, { isHit }: Outcome): readonly NewEvent[] {
  if (kind === 'failed') return [];
  return [{ name: 'inverse.output_loaded', resourceId: objective.id }, ...solutionEvents(objective, isHit)];
}

/** The inverse that a path means: one without an inverse id means the only one that waits for its output, or the last one. */
async function getMeant(db: Db | Trx, accountId: number, path: ObjectivePath | InversePath): Promise<SearchAt> {
  const found = await getSearchAt(db, accountId, path);
  if ('inverseId' in path) return found;
  const waiting = found.open.filter(({ isSuggested }) => isSuggested);
  if (waiting.length > 1) throw ambiguous(waiting, 'wait for their outputs');
  const { inverse, objective } = found;
  // The newest one, unless it was completed: then the last of the completed ones.
  const id =
    waiting[0]?.id ?? (inverse.completedOrder === null ? inverse.id : await findLastCompleted(db, objective.id));
  const meant = id === inverse.id ? found : await getSearchAt(db, accountId, { ...path, inverseId: id });
  if (!mayComeLate(meant.inverse)) return meant;
  const late = await listLate(db, objective.id);
  if (late.length > 1) throw ambiguous(late, 'were given up and have no output');
  return meant;
}

function ambiguous(open: readonly Pick<Inverse, 'id' | 'iteration'>[], what: string): DomainError {
  const message = `${open.length} runs ${what}; name the inverse to say which run this output belongs to.`;
  const violations = open.map(({ id, iteration }) => makeViolation(['inverseId'], `may be ${id}, run ${iteration}.`));
  return new DomainError('AMBIGUOUS_ITERATION', message, { violations });
}

/** Accepts only a repetition of what is known about an inverse that is not open. */
function refuseOther(inverse: Inverse, measurement: Measurement): void {
  if (isBeingComputed(inverse)) {
    const message = `Run ${inverse.iteration} is still being computed; ask for the suggestion before loading its output.`;
    throw new DomainError('NO_OPEN_ITERATION', message);
  }
  const isRunFailed = inverse.status === InverseStatus.failed && inverse.input !== null;
  if (inverse.output === null && !isRunFailed) {
    const message = `Run ${inverse.iteration} is ${inverse.status} and takes no output; ask for the next suggestion.`;
    throw new DomainError('NO_OPEN_ITERATION', message);
  }
  const isSame =
    measurement.kind === 'output'
      ? inverse.output !== null && areEqualVectors(inverse.output, measurement.output)
      : isRunFailed;
  if (isSame) return;
  throw new DomainError('OUTPUT_CONFLICT', explainConflict(inverse, isRunFailed), {
    inverse: { objectiveId: inverse.objectiveId, inverseId: inverse.id },
  });
}

function explainConflict({ iteration }: Inverse, isRunFailed: boolean): string {
  if (iteration === 1) {
    return 'Run 1 is the initial point, whose output is already stored. Ask for a suggestion, then load its output.';
  }
  return isRunFailed
    ? `Run ${iteration} has already been reported as failed, and that report is kept. Only the same report is accepted again.`
    : `Run ${iteration} already has a different output, which is kept. Only the stored output is accepted again.`;
}
