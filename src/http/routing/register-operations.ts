/** Makes Fastify routes of operations: reads a request in one pass, reports all its violations, and sends the answer. */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DomainError, makeViolation, refuseViolations, type Violation } from '../../domain/errors.ts';
import { type NextSlice, writeJson } from '../answer/write-json.ts';
import { isGone, refuseGone, whenOver } from '../connection/client-presence.ts';
import { ownOrigin } from '../cookies/cookie.ts';
import { principalOf } from '../hooks/authenticate.ts';
import { requireAdmission, scopeOfMethod } from '../hooks/scopes.ts';
import type { IngressDeps } from '../operation/deps.ts';
import { type Answer, type Call, type Operation, pathNames, toCamelCase } from '../operation/operation.ts';
import { pathOf } from '../operation/request-path.ts';
import { parseFlags, parseTexts } from '../wire/flags.ts';
import { formatOf } from '../wire/formats.ts';
import { parseId } from '../wire/ids.ts';
import { parsePageQuery } from '../wire/pages.ts';
import { parsePrefer } from '../wire/prefer.ts';
import { parseWholeNumbers } from '../wire/whole-numbers.ts';
import { answerOnce, readIdempotentRequest } from './idempotency.ts';

const JSON_MEDIA_TYPE = 'application/json; charset=utf-8';

/** Storing and presenting this many numbers takes a few milliseconds. */
const LIGHT_NUMBERS = 10_000;

/** Paths are relative to the scope's prefix. */
export function registerOperations(scope: FastifyInstance, deps: IngressDeps, operations: readonly Operation[]): void {
  for (const operation of operations) {
    scope.route({
      method: operation.method,
      url: operation.path.replace(/\{(\w+)\}/g, ':$1'),
      exposeHeadRoute: operation.isStream !== true,
      config: {
        scopeNeeded: operation.scope ?? scopeOfMethod(operation.method),
        takesCsv: operation.body?.csv !== undefined,
      },
      handler: async (request, reply) => {
        const { call, numbers } = await readCall(deps, operation, request, reply);
        const { accountId } = call;
        const slice = () => enterLane(deps, accountId, reply);
        const leave = numbers > LIGHT_NUMBERS ? await slice() : undefined;
        const answer = await answerOnce(operation, call).finally(leave);
        if (operation.method !== 'GET') deps.changeWaiters?.hint(accountId);
        return sendAnswer(reply, answer, slice);
      },
    });
  }
}

/** Skips the work if the client has gone by the time the lane is free. */
export async function enterLane({ lane }: IngressDeps, accountId: number, reply: FastifyReply): Promise<() => void> {
  const leave = await lane.enter(accountId);
  if (isGone(reply)) leave();
  refuseGone(reply);
  return leave;
}

async function readCall(
  deps: IngressDeps,
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<{ readonly call: Call<Readonly<Record<string, number>>, unknown>; readonly numbers: number }> {
  const { accountId } = principalOf(request);
  const path = readPathIds(operation.path, request.params as Readonly<Record<string, string>>);
  const query = request.query as Readonly<Record<string, unknown>>;
  const format = operation.formats === undefined ? 'json' : formatOf(request.headers.accept, operation.formats);
  const { page, violations: pageViolations } = operation.isList
    ? parsePageQuery(query, {
        defaultLimit: format === 'json' ? undefined : Number.POSITIVE_INFINITY,
        hasOrder: operation.hasOrder,
      })
    : { page: { limit: 1, after: null }, violations: [] };
  const { flags, violations: flagViolations } = parseFlags(Object.keys(operation.flags ?? {}), query);
  const { numbers: counts, violations: numberViolations } = parseWholeNumbers(operation.numbers ?? {}, query);
  const { texts, violations: textViolations } = parseTexts(operation.texts ?? {}, query);
  const { body, principal } = await readBody(deps, operation, request, reply);
  const { idempotency, violations: keyViolations } = readIdempotentRequest(request, accountId, body.digest);
  refuseViolations([
    ...path.violations,
    ...keyViolations,
    ...pageViolations,
    ...flagViolations,
    ...numberViolations,
    ...textViolations,
    ...body.violations,
  ]);
  if (path.missing !== undefined) throw new DomainError('NOT_FOUND', path.missing);
  const numbers = body.value === undefined ? 0 : (operation.body?.countNumbers?.(body.value) ?? 0);
  const call = {
    deps: deps.dbFor === undefined ? deps : { ...deps, db: deps.dbFor(accountId) },
    accountId,
    principal,
    requestId: request.id,
    log: request.log,
    url: pathOf(request),
    origin: deps.settings.publicUrl ?? ownOrigin(request),
    ids: path.ids,
    body: body.value,
    page,
    prefer: parsePrefer(request.headers.prefer),
    flags,
    numbers: counts,
    format,
    ifNoneMatch: request.headers['if-none-match'],
    texts,
    idempotency,
    nextSlice: () => enterLane(deps, accountId, reply),
    requireAdmission: async () => {
      await requireAdmission(request);
    },
    whenGone: (run: () => void) => {
      let isSent = false;
      reply.raw.once('finish', () => {
        isSent = true;
      });
      whenOver(reply, () => {
        if (!isSent) run();
      });
    },
  };
  return { call, numbers };
}

/** The body, and whoever asks when all of it is there: who sends it slowly may have lost the right to what it asks for meanwhile. */
async function readBody(deps: IngressDeps, operation: Operation, request: FastifyRequest, reply: FastifyReply) {
  const principal = principalOf(request);
  if (operation.body === undefined) return { body: NO_BODY, principal };
  const isWaited = !request.raw.complete;
  const body = await deps.bodies.read(request, reply, operation.body, `account ${principal.accountId}`);
  return { body, principal: isWaited ? await requireAdmission(request) : principal };
}

/** `inverse with this id`, `case with this number`. */
function describePath(name: string): string {
  return name === 'number' ? 'case with this number' : `${name.replace(/_id$/, '').replaceAll('_', ' ')} with this id`;
}

interface ReadIds {
  readonly ids: Readonly<Record<string, number>>;
  readonly violations: readonly Violation[];
  /** Set if an id is well formed and larger than any that exists. */
  readonly missing: string | undefined;
}

function readPathIds(template: string, params: Readonly<Record<string, string>>): ReadIds {
  const ids: Record<string, number> = {};
  const violations: Violation[] = [];
  let missing: string | undefined;
  for (const name of pathNames(template)) {
    const parsed = parseId(params[name]!);
    if (parsed.kind === 'id') ids[toCamelCase(name)] = parsed.id;
    else if (parsed.kind === 'malformed') violations.push(makeViolation([name], 'must be a positive integer.'));
    else missing ??= `There is no ${describePath(name)}.`;
  }
  return { ids, violations, missing };
}

const NO_BODY = { value: undefined, violations: [], digest: undefined };

/** Streams a long body while it is read; one that fits into the first piece is sent like any other. */
export async function sendAnswer(reply: FastifyReply, answer: Answer, nextSlice: NextSlice): Promise<FastifyReply> {
  reply.code(answer.status);
  if (answer.headers !== undefined) reply.headers(answer.headers);
  if (answer.isWritten !== true && answer.pieces === undefined) {
    return answer.body === undefined ? reply.send() : reply.send(answer.body);
  }
  const pieces = answer.pieces?.(nextSlice) ?? writeJson(answer.body, nextSlice);
  // Until the first byte is sent, an error can still get its own answer.
  const { value: first = '' } = await pieces.next();
  const second = await pieces.next();
  if (answer.pieces === undefined) reply.type(JSON_MEDIA_TYPE);
  if (second.done === true) return reply.send(first);
  if (reply.request.method === 'HEAD') {
    await pieces.return();
    return reply.send(Readable.from([]));
  }
  return reply.send(Readable.from(resume([first, second.value], pieces)));
}

async function* resume(read: readonly string[], rest: AsyncIterable<string>): AsyncGenerator<string, void> {
  yield* read;
  yield* rest;
}
