import { z } from 'zod';
import type { ObjectivePath } from '../../../application/paths.ts';
import { giveUpInverse } from '../../../application/search/give-up.ts';
import { getObjectiveStamp, getRunTable } from '../../../application/search/read-history.ts';
import { getInverse, listInverses, listOpen } from '../../../application/search/read-objectives.ts';
import { recordOutput } from '../../../application/search/record-output.ts';
import { suggest } from '../../../application/search/suggest.ts';
import { suggestInverses } from '../../../application/search/suggest-inverses.ts';
import { viewOf } from '../../../application/views.ts';
import { DomainError, makeViolation, refuseViolations } from '../../../domain/errors.ts';
import { isBeingComputed } from '../../../domain/search/inverse.ts';
import { activeTraceParent } from '../../../telemetry/trace-context.ts';
import { created, nextPageHeaders, ok, pageOf } from '../../answer/answers.ts';
import { DERIVATIVE_FLAGS } from '../../answer/row-table.ts';
import { answerRows, ROW_FLAGS, ROW_TEXTS } from '../../answer/rows.ts';
import type { HttpDeps } from '../../operation/deps.ts';
import { goneSignalOf } from '../../operation/gone-signal.ts';
import { type Answer, type Call, defineOperation, type Operation } from '../../operation/operation.ts';
import { ROW_FORMATS } from '../../wire/formats.ts';
import { inversePath, objectivePath } from '../../wire/native-paths.ts';
import { applyWait } from '../../wire/prefer.ts';
import {
  inverseSchema,
  newInverseOutput,
  newSuggestions,
  noFields,
  presentInverse,
  presentReportedInverse,
  presentSuggestedInverses,
  presentSuggestion,
  reportedInverseSchema,
  suggestedInversesSchema,
  suggestionSchema,
} from './inverses.wire.ts';
import { runTypes, toRunTable } from './runs.wire.ts';

const tag = 'Inverses';
const objective = '/models/{model_id}/projects/{project_id}/trials/{trial_id}/objectives/{objective_id}';
const inverses = `${objective}/inverses` as const;

/** A suggestion takes a fraction of a second; polling faster is useless. */
const POLL_AFTER_SECONDS = 1;
/** Interval for polling while many requests of the account wait: the queue is long. */
const POLL_CROWDED_SECONDS = 5;

/** A client that has found a mistake sends a different output than the stored one. */
function adviseCorrection(error: unknown): never {
  if (!(error instanceof DomainError) || error.code !== 'OUTPUT_CONFLICT') throw error;
  const message = `${error.message} To change it, correct the run.`;
  throw new DomainError(error.code, message, error.facts);
}

type ListCall = Pick<Call<ObjectivePath, undefined>, 'accountId' | 'ids' | 'url' | 'page' | 'format'> & {
  readonly deps: Pick<HttpDeps, 'db'>;
};

async function answerOpen(call: ListCall): Promise<Answer> {
  if (call.format !== 'json') {
    refuseViolations([makeViolation(['status'], 'must be left out for rows: the open inverses come as JSON only.')]);
  }
  const { objective: parent, items, nextAfter } = await listOpen(call.deps.db, call.accountId, call.ids, call.page);
  const paged = { url: call.url, page: call.page, numbers: { status: 'open' } };
  return pageOf.answer(paged, { items, nextAfter }, (inverse) => presentInverse(viewOf(parent, inverse)));
}

export const inverseOperations: readonly Operation[] = [
  defineOperation({
    method: 'POST',
    path: inverses,
    operationId: 'suggestInverse',
    tag,
    summary: 'Ask for the next input to try',
    description:
      'Waits for the suggestion, 20 seconds by default; the Prefer header changes that. Answers immediately if too many requests of the account are already waiting. Repeating the request while the suggestion is being computed returns the same iteration. Where the objective has parallelism, every request opens another iteration instead.',
    body: noFields,
    waits: 'suggestion',
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
      409: 'The previous iteration is not completed, or as many are open as parallelism says; instance is the path of the oldest open one. The detail says what to do.',
    },
    handle: async (call) => {
      const { deps, accountId, principal, ids, prefer, requestId, idempotency, requireAdmission } = call;
      const { waitMs, applied } = applyWait(prefer, {
        defaultMs: deps.settings.suggestWaitMs,
        maximumMs: deps.settings.suggestWaitMaximumMs,
      });
      const limits = deps.settings.account;
      const traceParent = activeTraceParent();
      const signal = goneSignalOf(call);
      const { actor } = principal;
      const options = { requestId, actor, traceParent, waitMs, idempotency, limits, opensMore: true, signal };
      const view = await suggest(deps, accountId, ids, options);
      if (waitMs > 0) await requireAdmission();
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
    method: 'POST',
    path: `${objective}/suggestions`,
    operationId: 'suggestInverses',
    tag,
    summary: 'Ask for several inputs to try in parallel',
    description:
      'Opens as many inverses as asked for, at most as many as the parallelism of the objective and its attempts leave, and waits for their inputs as suggestInverse does. Their outputs may be loaded in any order. An Idempotency-Key lists the same inverses again.',
    body: newSuggestions,
    waits: 'suggestion',
    handlesIdempotency: true,
    answers: {
      201: { description: 'The inverses with their inputs.', schema: suggestedInversesSchema },
      200: {
        description:
          'None can be opened now: parallelism is reached, the attempts are handed out, heldBack is true, or nothing new is known before an output of the open ones.',
        schema: suggestedInversesSchema,
      },
      202: {
        description:
          'Some inputs are not yet computed; the body has those that are. Poll the Location for the open ones.',
        schema: suggestedInversesSchema,
        headers: {
          Location: 'The open inverses of the objective.',
          'Retry-After': 'Seconds until polling makes sense.',
        },
      },
    },
    handle: async (call) => {
      const { deps, accountId, principal, ids, body, prefer, requestId, idempotency, requireAdmission } = call;
      const { waitMs, applied } = applyWait(prefer, {
        defaultMs: deps.settings.suggestWaitMs,
        maximumMs: deps.settings.suggestWaitMaximumMs,
      });
      const limits = deps.settings.account;
      const traceParent = activeTraceParent();
      const signal = goneSignalOf(call);
      const { actor } = principal;
      const options = { count: body.count, requestId, actor, traceParent, waitMs, idempotency, limits, signal };
      const suggested = await suggestInverses(deps, accountId, ids, options);
      if (waitMs > 0) await requireAdmission();
      const preference = applied !== undefined && suggested.mayWait && { 'preference-applied': applied };
      const answer = presentSuggestedInverses(suggested);
      if (suggested.isDone) {
        return { status: answer.inverses.length === 0 ? 200 : 201, body: answer, headers: { ...preference } };
      }
      return {
        status: 202,
        body: answer,
        headers: {
          location: `${objectivePath(ids, ids.objectiveId)}/inverses?status=open`,
          ...preference,
          'retry-after': String(suggested.mayWait ? POLL_AFTER_SECONDS : POLL_CROWDED_SECONDS),
        },
      };
    },
  }),
  defineOperation({
    method: 'GET',
    path: inverses,
    operationId: 'listInverses',
    tag,
    summary: 'List the inverses of an objective, or write them as rows of CSV or lines of JSON',
    description: 'As text/csv or application/x-ndjson all of them, unless limit is given.',
    isList: true,
    texts: {
      ...ROW_TEXTS,
      status: {
        schema: z.enum(['open']),
        description: 'open: only those that wait for their outputs or are being computed, as JSON.',
      },
    },
    formats: ROW_FORMATS,
    flags: { ...ROW_FLAGS, ...DERIVATIVE_FLAGS },
    answers: pageOf.spec('The inverses in order of creation.', inverseSchema, runTypes),
    handle: async (call) => {
      if (call.texts['status'] !== undefined) return answerOpen(call);
      if (call.format !== 'json') {
        const { db } = call.deps;
        const stamp = await getObjectiveStamp(db, call.accountId, call.ids);
        const { after, limit } = call.page;
        const withDerivatives = call.flags['derivatives'] === true;
        const request = { iteration: 0, inverseId: after ?? 0, limit, withDerivatives };
        const table = await getRunTable(db, call.accountId, stamp, request);
        return answerRows(call, toRunTable(table, withDerivatives), nextPageHeaders(call, table.nextAfter));
      }
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
    description: 'Several may be open where the objective has parallelism; then name the inverse (putInverseOutput).',
    body: newInverseOutput,
    answers: ok.spec('The inverse, judged.', reportedInverseSchema),
    refusals: {
      409: 'The iteration already has a different output; instance is its path. A correction changes it. Or several iterations are open; errors lists them.',
    },
    handle: async ({ deps, accountId, principal, ids, body }) => {
      const view = await recordOutput(deps.db, accountId, ids, body, principal.actor).catch(adviseCorrection);
      return ok.answer(presentReportedInverse(view));
    },
    replay: {
      // It changes only by a correction, which a repeat then shows.
      isFinal: true,
      read: async ({ deps, accountId, ids }, inverseId) =>
        presentReportedInverse(await getInverse(deps.db, accountId, { ...ids, inverseId })),
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
    handle: async ({ deps, accountId, principal, ids, body }) => {
      const view = await recordOutput(deps.db, accountId, ids, body, principal.actor).catch(adviseCorrection);
      return ok.answer(presentReportedInverse(view));
    },
  }),
  defineOperation({
    method: 'POST',
    path: `${inverses}/{inverse_id}/stop`,
    operationId: 'stopInverse',
    tag,
    summary: 'Give up one open inverse',
    description:
      'Its input counts as an attempt. The objective continues, unless this was its last open inverse and all attempts are used. An inverse that is already stopped is returned unchanged.',
    body: noFields,
    answers: ok.spec('The inverse, stopped.', inverseSchema),
    handle: async ({ deps, accountId, ids }) => ok.answer(presentInverse(await giveUpInverse(deps.db, accountId, ids))),
    replay: {
      read: async ({ deps, accountId, ids }) => presentInverse(await getInverse(deps.db, accountId, ids)),
    },
  }),
];
