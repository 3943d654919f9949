/**
 * Suggest and load output. Clients repeat both after a lost answer, do not understand conflicts, and end their loop only when
 * a loaded inverse says so. If the native dialect would refuse such a repeat, this one repeats the answer. The use cases
 * decide what counts as a repeat; nothing that they refused is changed here.
 */
import { getInverse, getNewestInverse } from '../../application/search/read-objectives.ts';
import { recordOutput } from '../../application/search/record-output.ts';
import { objectiveEnded, type SuggestDeps, suggest as suggestNext } from '../../application/search/suggest.ts';
import type { InverseView } from '../../application/views.ts';
import { DomainError, type ErrorCode } from '../../domain/errors.ts';
import { type Inverse, InverseStatus, isBeingComputed } from '../../domain/search/inverse.ts';
import { StopReason } from '../../domain/search/stop-reason.ts';
import { activeTraceParent } from '../../telemetry/trace-context.ts';
import { createdWithoutPath, ok } from '../answer/answers.ts';
import type { HttpSettings } from '../operation/deps.ts';
import { goneSignalOf } from '../operation/gone-signal.ts';
import { type Call, defineOperation, type Operation } from '../operation/operation.ts';
import { inverseSchema, newOutput, noFields, presentInverse } from './inverses.wire.ts';

const tag = 'Inverses';

/** Clients give up after 30 s; this leaves time for the network. */
const LONGEST_WAIT_MS = 25_000;
/** Seconds after which clients retry a 503 anyway. */
const RETRY_AFTER_SECONDS = 4;

export const inverseOperations: readonly Operation[] = [
  defineOperation({
    method: 'POST',
    path: '/objectives/{objective_id}/suggest-inverse',
    operationId: 'suggestInverse',
    tag,
    summary: 'The next input to try; the same one again until its output is loaded',
    body: noFields,
    handlesIdempotency: true,
    answers: {
      ...createdWithoutPath.spec('A new inverse.', inverseSchema),
      ...ok.spec('The inverse that was suggested before.', inverseSchema),
    },
    handle: async (call) => {
      try {
        const view = await suggest(call);
        return createdWithoutPath.answer(presentInverse(view.objective, view.inverse, view.evaluation));
      } catch (error) {
        const known = await findSuggested(call, error);
        if (known === undefined) throw error;
        return ok.answer(presentInverse(known.objective, known.inverse, known.evaluation));
      }
    },
  }),
  defineOperation({
    method: 'POST',
    path: '/inverses/{inverse_id}/load-output',
    operationId: 'loadInverseOutput',
    tag,
    summary: 'Load the output of an inverse',
    body: newOutput,
    answers: ok.spec('The inverse, judged.', inverseSchema),
    handle: async ({ deps, accountId, principal, ids, body }) => {
      try {
        const view = await recordOutput(deps.db, accountId, ids, body, principal.actor);
        return ok.answer(presentInverse(view.objective, view.inverse, view.evaluation));
      } catch (error) {
        if (!isRefusal(error, 'OUTPUT_CONFLICT', 'NO_OPEN_ITERATION')) throw error;
        const view = await getInverse(deps.db, accountId, ids);
        if (!wasStopped(view.inverse) || view.inverse.loadedAt !== null) throw error;
        return ok.answer(presentInverse(view.objective, view.inverse, view.evaluation));
      }
    },
    replay: {
      isFinal: true,
      read: async ({ deps, accountId, ids }) => {
        const view = await getInverse(deps.db, accountId, ids);
        return presentInverse(view.objective, view.inverse, view.evaluation);
      },
    },
  }),
];

interface SuggestCall
  extends Pick<
    Call<{ readonly objectiveId: number }, unknown>,
    'accountId' | 'principal' | 'ids' | 'requestId' | 'idempotency' | 'requireAdmission' | 'whenGone'
  > {
  readonly deps: SuggestDeps & { readonly settings: Pick<HttpSettings, 'suggestWaitMs' | 'account'> };
}

/**
 * Throws OVERLOADED if the suggestion takes longer than a client waits (a retry gets it), and OBJECTIVE_ENDED if the objective
 * was stopped in the meantime.
 */
async function suggest(call: SuggestCall): Promise<InverseView> {
  const { deps, accountId, principal, ids, requestId, idempotency } = call;
  const { actor } = principal;
  const waitMs = Math.min(deps.settings.suggestWaitMs, LONGEST_WAIT_MS);
  const limits = deps.settings.account;
  const traceParent = activeTraceParent();
  const signal = goneSignalOf(call);
  const view = await suggestNext(deps, accountId, ids, {
    requestId,
    actor,
    traceParent,
    waitMs,
    idempotency,
    limits,
    signal,
  });
  if (waitMs > 0) await call.requireAdmission();
  refuseCoarse(view.inverse);
  if (view.inverse.input !== null) return view;
  if (!isBeingComputed(view.inverse)) throw objectiveEnded(ids.objectiveId, StopReason.stopped);
  const message = 'The suggestion is still being computed; retry to get it.';
  throw new DomainError('OVERLOADED', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/** This dialect cannot say which source an input is for: its clients would run the fine one and load a wrong output. */
function refuseCoarse({ iteration, source }: Inverse): void {
  if (source === null) return;
  const message = `Run ${iteration} is for the source ${source}. Use the interface under /v1: this one knows no sources.`;
  throw new DomainError('NO_OPEN_ITERATION', message);
}

/**
 * The inverse of an earlier answer if there is nothing new to suggest: the open iteration, the inverse with which the
 * objective was stopped, or the initial point if it satisfied everything. Otherwise undefined.
 */
async function findSuggested(call: SuggestCall, error: unknown): Promise<InverseView | undefined> {
  const { deps, accountId, ids } = call;
  if (isRefusal(error, 'ITERATION_OPEN')) {
    const inverseId = error.facts.inverse!.inverseId;
    const view = await getInverse(deps.db, accountId, { objectiveId: ids.objectiveId, inverseId });
    refuseCoarse(view.inverse);
    return view;
  }
  if (!isRefusal(error, 'OBJECTIVE_ENDED')) return undefined;
  const newest = await getNewestInverse(deps.db, accountId, ids);
  const { inverse } = newest;
  const wasSatisfiedAtOnce = inverse.iteration === 1 && inverse.satisfiedAt !== null;
  return wasSatisfiedAtOnce || wasStopped(inverse) ? newest : undefined;
}

/** Whether the inverse was stopped after it had been handed out, or repeats a known run with which the search ended. */
function wasStopped({ status, input }: Inverse): boolean {
  return status === InverseStatus.stopped && input !== null;
}

function isRefusal(error: unknown, ...codes: readonly ErrorCode[]): error is DomainError {
  return error instanceof DomainError && codes.includes(error.code);
}
