import { getInverse, listInverses } from '../../application/read-objectives.ts';
import { recordOutput } from '../../application/record-output.ts';
import { suggest } from '../../application/suggest.ts';
import { viewOf } from '../../application/views.ts';
import { DomainError } from '../../domain/errors.ts';
import { isBeingComputed } from '../../domain/inverse.ts';
import { activeTraceParent } from '../../telemetry/trace-context.ts';
import { created, ok, pageOf } from '../answer/answers.ts';
import { defineOperation, type Operation } from '../operation.ts';
import { applyWait } from '../wire/prefer.ts';
import {
  inverseSchema,
  newInverseOutput,
  noFields,
  presentInverse,
  presentReportedInverse,
  presentSuggestion,
  reportedInverseSchema,
  suggestionSchema,
} from './inverses.wire.ts';
import { inversePath } from './paths.ts';

const tag = 'Inverses';
const objective = '/models/{model_id}/projects/{project_id}/trials/{trial_id}/objectives/{objective_id}';
const inverses = `${objective}/inverses` as const;

/** A suggestion takes a fraction of a second; polling faster is useless. */
const POLL_AFTER_SECONDS = 1;
/** When many requests of the account are waiting, the queue is long. */
const POLL_CROWDED_SECONDS = 5;

/** A different output than the stored one is what a client sends who has found a mistake. */
function adviseCorrection(error: unknown): never {
  if (!(error instanceof DomainError) || error.code !== 'OUTPUT_CONFLICT') throw error;
  const message = `${error.message} To change it, send a correction (POST .../inverses/{inverse_id}/corrections).`;
  throw new DomainError(error.code, message, error.facts);
}

export const inverseOperations: readonly Operation[] = [
  defineOperation({
    method: 'POST',
    path: inverses,
    operationId: 'suggestInverse',
    tag,
    summary: 'Ask for the next input to try',
    description:
      'Waits for the suggestion, 20 seconds by default; the Prefer header changes that. Answers at once if too many requests of the account are already waiting. Repeating the request while the suggestion is being computed returns the same iteration.',
    body: noFields,
    waits: true,
    handlesIdempotency: true,
    answers: {
      ...created.spec(
        'The next iteration with its input. If the objective was stopped in the meantime: status stopped, input null.',
        suggestionSchema,
      ),
      202: {
        description: 'The suggestion is not yet computed; input is null. Poll the Location.',
        schema: suggestionSchema,
        headers: { Location: 'Path of the iteration.', 'Retry-After': 'Seconds until polling makes sense.' },
      },
    },
    refusals: {
      409: 'The previous iteration is not completed; instance is its path.',
    },
    handle: async ({ deps, accountId, ids, prefer, requestId, idempotency }) => {
      const { waitMs, applied } = applyWait(prefer, {
        defaultMs: deps.settings.suggestWaitMs,
        maximumMs: deps.settings.suggestWaitMaximumMs,
      });
      const limits = deps.settings.account;
      const traceParent = activeTraceParent();
      const view = await suggest(deps, accountId, ids, { requestId, traceParent, waitMs, idempotency, limits });
      const isPending = isBeingComputed(view.inverse);
      return {
        status: isPending ? 202 : 201,
        body: presentSuggestion(view),
        headers: {
          location: inversePath(ids, ids.objectiveId, view.inverse.id),
          ...(applied !== undefined && view.mayWait && { 'preference-applied': applied }),
          ...(isPending && { 'retry-after': String(view.mayWait ? POLL_AFTER_SECONDS : POLL_CROWDED_SECONDS) }),
        },
      };
    },
  }),
  defineOperation({
    method: 'GET',
    path: inverses,
    operationId: 'listInverses',
    tag,
    summary: 'List the inverses of an objective',
    isList: true,
    answers: pageOf.spec('The inverses in order of creation.', inverseSchema),
    handle: async (call) => {
      const listed = await listInverses(call.deps.db, call.accountId, call.ids, call.page);
      return pageOf.written(call, listed, (inverse) => presentInverse(viewOf(listed.objective, inverse)));
    },
  }),
  defineOperation({
    method: 'GET',
    path: `${inverses}/{inverse_id}`,
    operationId: 'getInverse',
    tag,
    summary: 'Read an inverse',
    answers: ok.spec('The inverse; input and output are null until known.', inverseSchema),
    handle: async ({ deps, accountId, ids }) => ok.answer(presentInverse(await getInverse(deps.db, accountId, ids))),
  }),
  defineOperation({
    method: 'POST',
    path: `${objective}/inverse-output`,
    operationId: 'loadInverseOutput',
    tag,
    summary: 'Complete the open iteration: load its output or report that its run failed',
    body: newInverseOutput,
    answers: ok.spec('The inverse, judged.', reportedInverseSchema),
    refusals: { 409: 'The iteration already has a different output; instance is its path. A correction changes it.' },
    handle: async ({ deps, accountId, ids, body }) => {
      const view = await recordOutput(deps.db, accountId, ids, body).catch(adviseCorrection);
      return ok.answer(presentReportedInverse(view, inversePath(ids, ids.objectiveId, view.inverse.id)));
    },
    replay: {
      // It changes only by a correction, which a repeat then shows.
      isFinal: true,
      read: async ({ deps, accountId, ids }, inverseId) =>
        presentReportedInverse(
          await getInverse(deps.db, accountId, { ...ids, inverseId }),
          inversePath(ids, ids.objectiveId, inverseId),
        ),
    },
  }),
  defineOperation({
    method: 'PUT',
    path: `${inverses}/{inverse_id}/output`,
    operationId: 'putInverseOutput',
    tag,
    summary: 'Complete the named iteration',
    body: newInverseOutput,
    answers: ok.spec('The inverse, judged.', reportedInverseSchema),
    refusals: { 409: 'The iteration already has a different output; instance is its path. A correction changes it.' },
    handle: async ({ deps, accountId, ids, body }) => {
      const view = await recordOutput(deps.db, accountId, ids, body).catch(adviseCorrection);
      return ok.answer(presentReportedInverse(view, inversePath(ids, ids.objectiveId, view.inverse.id)));
    },
  }),
];
