/** Turns operations into Fastify routes: reads a request into a call, all its violations at once, and sends the answer. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DomainError, makeViolation, refuseViolations, type Violation } from '../domain/errors.ts';
import type { HttpDeps } from './deps.ts';
import { type Answer, type BodySpec, type Call, type Operation, pathNames, toCamelCase } from './operation.ts';
import { principalOf } from './plugins/authenticate.ts';
import { answerOnce, readKeyedRequest } from './plugins/idempotency.ts';
import { scopeOfMethod } from './plugins/scopes.ts';
import { pathOf } from './request-path.ts';
import { parseFlags } from './wire/flags.ts';
import { parseId } from './wire/ids.ts';
import { parsePageQuery } from './wire/pages.ts';
import { parsePrefer } from './wire/prefer.ts';
import { describeWrongType, parseShape } from './wire/violations.ts';

/** Paths are relative to the scope's prefix. */
export function registerOperations(scope: FastifyInstance, deps: HttpDeps, operations: readonly Operation[]): void {
  for (const operation of operations) {
    scope.route({
      method: operation.method,
      url: operation.path.replace(/\{(\w+)\}/g, ':$1'),
      exposeHeadRoute: operation.isStream !== true,
      config: { scopeNeeded: operation.scope ?? scopeOfMethod(operation.method) },
      handler: async (request, reply) =>
        sendAnswer(reply, await answerOnce(operation, readCall(deps, operation, request))),
    });
  }
}

function readCall(
  deps: HttpDeps,
  operation: Operation,
  request: FastifyRequest,
): Call<Readonly<Record<string, number>>, unknown> {
  const path = readPathIds(operation.path, request.params as Readonly<Record<string, string>>);
  const { page, violations: pageViolations } = operation.isList
    ? parsePageQuery(request.query as Readonly<Record<string, unknown>>)
    : { page: { limit: 1, after: null }, violations: [] };
  const { flags, violations: flagViolations } = parseFlags(
    Object.keys(operation.flags ?? {}),
    request.query as Readonly<Record<string, unknown>>,
  );
  const body = operation.body === undefined ? noBody : readBody(operation.body, request.body);
  const { accountId } = principalOf(request);
  const { keyed, violations: keyViolations } = readKeyedRequest(request, accountId);
  refuseViolations([...path.violations, ...keyViolations, ...pageViolations, ...flagViolations, ...body.violations]);
  if (path.missing !== undefined) throw new DomainError('NOT_FOUND', path.missing);
  return {
    deps,
    accountId,
    requestId: request.id,
    log: request.log,
    url: pathOf(request),
    ids: path.ids,
    body: body.value,
    page,
    prefer: parsePrefer(request.headers.prefer),
    flags,
    keyed,
  };
}

interface ReadIds {
  readonly ids: Readonly<Record<string, number>>;
  readonly violations: readonly Violation[];
  /** Set when an id is well formed and larger than any that exists. */
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
    else missing ??= `There is no ${name.replace(/_id$/, '').replaceAll('_', ' ')} of this id here.`;
  }
  return { ids, violations, missing };
}

const noBody = { value: undefined, violations: [] };

/** The parsed body and everything wrong with it. */
export function readBody<B>(
  spec: BodySpec<B>,
  sent: unknown,
): { readonly value: B | undefined; readonly violations: readonly Violation[] } {
  const body = sent === undefined && spec.isOptional === true ? {} : sent;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return { value: undefined, violations: [makeViolation([], describeWrongType('a JSON object', body))] };
  }
  const fields = body as Readonly<Record<string, unknown>>;
  const parsed = parseShape(spec.schema, fields);
  const alsoWrong = spec.alsoCheck?.(fields) ?? [];
  if (parsed.kind === 'value' && alsoWrong.length === 0) return { value: parsed.value, violations: [] };
  const shapeViolations = parsed.kind === 'violations' ? parsed.violations : [];
  const others = [...alsoWrong, ...(spec.checkWhenRefused?.(fields) ?? [])];
  return { value: undefined, violations: [...shapeViolations, ...withoutNamed(shapeViolations, others)] };
}

/** What is wrong in itself need not be named again for breaking a rule with other fields. */
function withoutNamed(named: readonly Violation[], others: readonly Violation[]): readonly Violation[] {
  const pointers = new Set(named.map((violation) => violation.pointer));
  return others.filter((violation) => !pointers.has(violation.pointer));
}

function sendAnswer(reply: FastifyReply, answer: Answer): FastifyReply {
  reply.code(answer.status);
  if (answer.headers !== undefined) reply.headers(answer.headers);
  return answer.body === undefined ? reply.send() : reply.send(answer.body);
}
