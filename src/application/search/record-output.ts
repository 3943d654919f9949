/**
 * A measured output, or the report of a failed run, completes the open iteration. Repeating the same one returns the same
 * answer; a different one for a completed iteration is a conflict. Events: inverse.output_loaded for an output,
 * objective.solution_found where several solutions are sought, and objective.satisfied or objective.exhausted when the objective has ended with it.
 */

import { ConflictError, type Db, inTransaction, type Trx } from '../../db/connection/transaction.ts';
import {
  type CompletedIteration,
  completeIteration,
  findIteration,
  type Iteration,
} from '../../db/search/iterations.ts';
import { lockObjective, updateObjective } from '../../db/search/objectives.ts';
import {
  findLastCompleted,
  listOpenInverses,
  type OpenInverse,
  storeCompletion,
} from '../../db/search/open-inverses.ts';
import { evaluateOutput } from '../../domain/acceptance.ts';
import { DomainError, makeViolation, refuseViolations } from '../../domain/errors.ts';
import { awaitsOutput, type Inverse, InverseStatus, isBeingComputed, mayComeLate } from '../../domain/inverse.ts';
import type { ByName } from '../../domain/names.ts';
import {
  failedRunEvent,
  isFinal,
  lateOutputState,
  nextState,
  outputEvent,
  StopReason,
} from '../../domain/search/stop-reason.ts';
import { areEqualVectors, checkLength } from '../../domain/vectors.ts';
import { type InversePath, isUnder, missingInPath, type ObjectivePath, parentsOf } from '../paths.ts';
import { type InverseView, viewOf } from '../views.ts';
import { recordEvents, withEnd } from '../webhooks/record-event.ts';
import { giveUpOpen } from './give-up.ts';
import { judgeOutOfOrder } from './judge-runs.ts';
import { findOptimalNow, seeksSurer } from './optimum.ts';
import { inOrder } from './output-by-name.ts';
import { countSolutions, NOTHING_FOUND, solutionEvents } from './several-solutions.ts';

export type Measurement =
  | {
      readonly kind: 'output';
      readonly output: readonly number[];
      /** The output by the names of the outputs; `output` is empty then. */
      readonly byName?: ByName;
      /** What the client stated, or null: the time since the input was handed out. */
      readonly computeTimeNs: number | null;
    }
  | { readonly kind: 'failed'; readonly reason: string | null };

/**
 * Tries to complete an iteration. Once a try has failed the iteration is completed or stopped, which the next one sees, or the
 * data of the trial has changed.
 */
const MAXIMUM_TRIES = 5;

/**
 * Reads, judges, and writes if nothing has changed since the read; no lock is held while it judges. The path names the inverse;
 * without an inverse id it is the open one, or the last one. Joins the transaction when `db` is one. Where several inverses may be
 * open, the output of one that was given up is taken as well. Throws NOT_FOUND, VALIDATION_FAILED, AMBIGUOUS_ITERATION,
 * NO_OPEN_ITERATION, OUTPUT_CONFLICT.
 */
export async function recordOutput(
  db: Db | Trx,
  accountId: number,
  path: ObjectivePath | InversePath,
  sent: Measurement,
): Promise<InverseView> {
  let meant = path;
  for (let tries = 0; tries < MAXIMUM_TRIES; tries++) {
    const iteration = await getMeant(db, accountId, meant);
    const { objective, inverse } = iteration;
    // By the next try it may no longer be the last one, and the output belongs to no other input.
    meant = { ...path, inverseId: inverse.id };
    const measurement =
      sent.kind === 'output' ? inOrder(sent, objective.objectives.length, objective.labels?.outputNames ?? null) : sent;
    if (measurement.kind === 'output') {
      refuseViolations(checkLength(['output'], measurement.output, objective.objectives.length, 'objective'));
    }
    const isLate = objective.isParallel && measurement.kind === 'output' && mayComeLate(inverse);
    if (!awaitsOutput(inverse) && !isLate) {
      refuseOther(inverse, measurement);
      return viewOf(objective, inverse);
    }
    const view = objective.isParallel
      ? await completeAmongOthers(db, accountId, iteration, measurement)
      : await complete(db, accountId, iteration, measurement);
    if (view !== undefined) return view;
  }
  throw new ConflictError('the iteration changed while its output was judged');
}

async function getIteration(db: Db | Trx, accountId: number, path: ObjectivePath | InversePath): Promise<Iteration> {
  const iteration = await findIteration(db, accountId, path);
  const isThere =
    iteration !== undefined &&
    iteration.objective.disabledAt === null &&
    isUnder(path, { ...parentsOf(iteration.objective), objectiveId: iteration.objective.id });
  if (isThere) return iteration;
  const last =
    'inverseId' in path && (iteration === undefined || iteration.objective.disabledAt === null)
      ? { resource: 'inverse', id: path.inverseId }
      : { resource: 'objective', id: iteration?.objective.id ?? path.objectiveId! };
  throw await missingInPath(db, accountId, path, last);
}

/** The iteration that a path means: where several inverses may be open, one without an inverse id means the only one that is. */
async function getMeant(db: Db | Trx, accountId: number, path: ObjectivePath | InversePath): Promise<Iteration> {
  const iteration = await getIteration(db, accountId, path);
  if (!iteration.objective.isParallel || 'inverseId' in path) return iteration;
  const { id } = iteration.objective;
  const open = (await listOpenInverses(db, id)).filter(({ isSuggested }) => isSuggested);
  if (open.length > 1) throw ambiguous(open);
  return getIteration(db, accountId, { ...path, inverseId: open[0]?.id ?? (await findLastCompleted(db, id)) });
}

function ambiguous(open: readonly OpenInverse[]): DomainError {
  const message = `${open.length} runs wait for their outputs; name the inverse to say which run this output belongs to.`;
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

/** Undefined when the iteration, or its objective, is no longer open, or the data by which it was judged has changed. */
async function complete(
  db: Db | Trx,
  accountId: number,
  { objective, inverse, optimalOutput }: Iteration,
  measurement: Measurement,
): Promise<InverseView | undefined> {
  const { dataRevision } = objective;
  const completed = { accountId, objectiveId: objective.id, inverseId: inverse.id, dataRevision };
  if (measurement.kind === 'failed') {
    const isHeld = seeksSurer(objective, optimalOutput);
    const state = nextState(objective.stopReason, failedRunEvent(objective), isHeld)!;
    const failed: CompletedIteration = {
      ...completed,
      state,
      output: null,
      computeTimeNs: null,
      failureReason: measurement.reason,
      optimalInverseId: null,
      events: withEnd([], { id: objective.id, stopReason: state.stopReason }),
    };
    const written = await completeIteration(db, failed);
    return written && viewOf(written.objective, written.inverse);
  }
  const evaluation = evaluateOutput(objective, measurement.output);
  const { isSatisfied, isMoreSought } = await countSolutions(db, accountId, objective, inverse, evaluation);
  const event = outputEvent(isSatisfied, objective, false, isMoreSought);
  const state = nextState(objective.stopReason, event, seeksSurer(objective, optimalOutput))!;
  const judged = { inverseId: inverse.id, output: measurement.output, evaluation };
  const loaded = { name: 'inverse.output_loaded', resourceId: objective.id } as const;
  const written = await completeIteration(db, {
    ...completed,
    state,
    output: measurement.output,
    computeTimeNs: measurement.computeTimeNs,
    failureReason: null,
    optimalInverseId: await findOptimalNow(db, objective, judged, optimalOutput),
    events: withEnd([loaded, ...solutionEvents(objective, isSatisfied)], {
      id: objective.id,
      stopReason: state.stopReason,
    }),
  });
  return written && { ...written, evaluation };
}

/**
 * The same where other inverses may be open. Behind the lock of the objective, because what an output leads to depends on them: the
 * last one of all attempts exhausts the objective, and one that satisfies everything makes the others be given up. Undefined when
 * the inverse takes no output any more.
 */
async function completeAmongOthers(
  db: Db | Trx,
  accountId: number,
  before: Iteration,
  measurement: Measurement,
): Promise<InverseView | undefined> {
  return inTransaction(db, async (trx) => {
    const objective = await lockObjective(trx, accountId, before.objective.id);
    const { inverse, optimalOutput } =
      (await findIteration(trx, accountId, { inverseId: before.inverse.id })) ?? before;
    if (objective === undefined || objective.disabledAt !== null) return undefined;
    const isRunning = !isFinal(objective.stopReason);
    const isOpen = isRunning && awaitsOutput(inverse);
    const isLate = measurement.kind === 'output' && mayComeLate(inverse);
    if (!isOpen && !isLate) return undefined;
    const others = (await listOpenInverses(trx, objective.id)).filter(({ id }) => id !== inverse.id);
    const output = measurement.kind === 'output' ? measurement.output : null;
    const evaluation = output === null ? undefined : evaluateOutput(objective, output);
    const { isSatisfied, isMoreSought } = evaluation
      ? await countSolutions(trx, accountId, objective, inverse, evaluation)
      : NOTHING_FOUND;
    const event =
      output === null
        ? failedRunEvent(objective, others.length > 0)
        : outputEvent(isSatisfied, objective, others.length > 0, isMoreSought);
    const state = isLate
      ? lateOutputState(objective.stopReason, event)
      : nextState(objective.stopReason, event, seeksSurer(objective, optimalOutput))!;
    // Before the output is stored: it joins those of the other runs.
    const optimalInverseId =
      isRunning && evaluation !== undefined && output !== null
        ? await findOptimalNow(trx, objective, { inverseId: inverse.id, output, evaluation }, optimalOutput)
        : null;
    const completed = await storeCompletion(trx, {
      objectiveId: objective.id,
      inverseId: inverse.id,
      status: state.inverseStatus,
      output,
      computeTimeNs: measurement.kind === 'output' ? measurement.computeTimeNs : null,
      failureReason: measurement.kind === 'failed' ? measurement.reason : null,
      isSatisfied: state.inverseStatus === InverseStatus.converged,
      isExhausted: isRunning && state.stopReason === StopReason.exhausted,
    });
    const isEnd = isRunning && isFinal(state.stopReason);
    const givenUp = isEnd ? await giveUpOpen(trx, objective.id, others) : [];
    const nearestIteration = await judgeOutOfOrder(trx, objective, completed);
    const now = await updateObjective(trx, objective.id, {
      stopReason: state.stopReason,
      ...(optimalInverseId !== null && { optimalInverseId }),
      ...(nearestIteration !== undefined && { nearestIteration }),
    });
    const loaded = output === null ? [] : [{ name: 'inverse.output_loaded', resourceId: objective.id } as const];
    const found = solutionEvents(objective, state.inverseStatus === InverseStatus.converged);
    await recordEvents(trx, accountId, [...loaded, ...found, ...givenUp], isEnd ? now : undefined);
    return viewOf(now, completed);
  });
}
