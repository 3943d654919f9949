/** Builds the OpenAPI 3.1 documents of both dialects from the operations and the schemas that validate them. */
import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import type { CsvForm } from './body/spec.ts';
import { scopeOfMethod } from './hooks/scopes.ts';
import { RECORD_EXAMPLES } from './native/examples.ts';
import { NATIVE_OPERATIONS } from './native/routes.ts';
import { INTERFACE_VERSION } from './operation/interface-version.ts';
import { type AnswerSpec, type OperationDescription, pathNames } from './operation/operation.ts';
import { registration } from './sdk/accounts.ts';
import { SDK_PREFIX } from './sdk/paths.ts';
import { SDK_OPERATIONS } from './sdk/routes.ts';
import { MEDIA_TYPES } from './wire/formats.ts';
import { toJsonSchema } from './wire/json-schema.ts';
import { PAGE_LIMIT } from './wire/limits.ts';
import { NATIVE_PREFIX } from './wire/native-paths.ts';
import { ORDERS } from './wire/pages.ts';
import { nativeProblemSchema, problemSchema } from './wire/problem.ts';

type Json = Readonly<Record<string, unknown>>;

const PROBLEM_TYPE = 'application/problem+json';

interface Dialect {
  readonly title: string;
  readonly description: string;
  readonly prefix: string;
  readonly operations: readonly OperationDescription[];
  readonly problem: z.ZodType;
  /** By name of the schema. */
  readonly examples: Readonly<Record<string, unknown>>;
}

const NATIVE: Dialect = {
  title: 'Backsolve',
  description:
    'Finds the inputs of an expensive black box that give the outputs you want. Create a model and a project, evaluate the input cases, load their outputs, load objectives, then alternate between asking for an input (suggest) and loading the output measured for it.',
  prefix: NATIVE_PREFIX,
  operations: NATIVE_OPERATIONS,
  problem: nativeProblemSchema,
  examples: RECORD_EXAMPLES,
};

const SDK: Dialect = {
  title: 'Backsolve for existing client libraries',
  description:
    'The flat dialect of existing client libraries, with the same models, projects, trials and objectives as /v1. Write new programs against /v1.',
  prefix: SDK_PREFIX,
  operations: [registration, ...SDK_OPERATIONS],
  problem: problemSchema,
  examples: {},
};

/** Answers given before the operation of a request is known. */
const BEFORE_OPERATIONS =
  'Answers that do not belong to an operation: 404 for an unknown path, 405 with Allow for a method that the path does not support, 400 for a request that is not valid HTTP, 408 for one that arrives too slowly, 417 for an unknown Expect, 431 for headers that are too long.';

/** For the native dialect. */
export function buildOpenApiDocument(): Json {
  return describeDialect(NATIVE);
}

export function buildSdkOpenApiDocument(): Json {
  return describeDialect(SDK);
}

function describeDialect({ title, description, prefix, operations, problem: problemForm, examples }: Dialect): Json {
  const components = new Components(examples, problemForm);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const path = (paths[operation.path] ??= {});
    path[operation.method.toLowerCase()] = describeOperation(operation, components);
  }
  const problem = components.refer(problemForm);
  return {
    openapi: '3.1.0',
    info: { title, version: INTERFACE_VERSION, description: `${description} ${BEFORE_OPERATIONS}` },
    servers: [{ url: prefix }],
    tags: [...new Set(operations.map((operation) => operation.tag))].map((name) => ({ name })),
    security: [{ bearer: [] }, { apiKey: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'Authorization: Bearer followed by the API key.' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      },
      responses: describeRefusals(problem),
      schemas: components.schemas,
    },
  };
}

const KEY_IN_USE = 'The first request with this Idempotency-Key is still running.';

/** Refusals that many operations share. */
const REFUSALS: Readonly<Record<number, string>> = {
  400: 'A required field is missing, a format is wrong, a rule is violated or a precondition fails; errors lists every violation.',
  401: 'The API key is missing, or it is not valid: malformed, unknown, expired or revoked.',
  403: 'The API key lacks the required scope, or the storage quota of the account is used up; detail says which.',
  404: 'The first resource of the path that does not exist.',
  409: KEY_IN_USE,
  413: 'The body is too large.',
  414: 'An id in the path is too long.',
  415: 'The body is not application/json.',
  422: 'The Idempotency-Key was used for a request with another body.',
  429: 'The rate limit is exceeded, the account has too much in progress, or this address has sent so many wrong API keys that unfamiliar keys are not looked up for now.',
  500: 'Internal server error.',
  503: 'The service is unavailable at the moment.',
  507: 'The disk of the database is full. Nothing was stored; reads still work.',
};

const REFUSAL_HEADERS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'WWW-Authenticate': 'Bearer' },
  409: { 'Retry-After': 'Seconds until a retry makes sense, if the key is in use.' },
  429: { 'Retry-After': 'Seconds until the next request is accepted.', ...rateLimitHeaders() },
  503: { 'Retry-After': 'Seconds until a retry makes sense.' },
  507: { 'Retry-After': 'Seconds until a retry makes sense.' },
};

function rateLimitHeaders() {
  return {
    RateLimit: 'Requests left (r) and seconds until the reset (t).',
    'RateLimit-Policy': 'Quota (q) per window (w).',
  };
}

function describeRefusals(problem: Json): Json {
  return Object.fromEntries(
    Object.entries(REFUSALS).map(([status, description]) => [
      refusalName(Number(status)),
      describeAnswer({ description, headers: REFUSAL_HEADERS[Number(status)] ?? {} }, problem, PROBLEM_TYPE),
    ]),
  );
}

function refusalName(status: number): string {
  return STATUS_CODES[status]!.replaceAll(' ', '');
}

function describeOperation(operation: OperationDescription, components: Components): Json {
  const { body } = operation;
  return {
    operationId: operation.operationId,
    tags: [operation.tag],
    summary: operation.summary,
    ...(operation.description !== undefined && { description: operation.description }),
    ...(operation.preferred !== undefined && { 'x-preferred': operation.preferred }),
    security: operation.needsNoKey
      ? []
      : ['bearer', 'apiKey'].flatMap((scheme) => scopesOf(operation).map((scope) => ({ [scheme]: [scope] }))),
    parameters: describeParameters(operation),
    ...(body !== undefined && {
      requestBody: {
        required: body.isOptional !== true,
        content: {
          'application/json': { schema: components.refer(body.schema) },
          ...(body.csv && { [MEDIA_TYPES.csv]: describeCsv(body.csv), [MEDIA_TYPES.xlsx]: describeWorkbook() }),
        },
      },
    }),
    responses: describeResponses(operation, components),
  };
}

/** A key needs one of these scopes. */
function scopesOf({ scope, method }: OperationDescription): readonly string[] {
  if (scope === undefined) return [scopeOfMethod(method)];
  return typeof scope === 'string' ? [scope] : scope;
}

function describeCsv({ description, example }: CsvForm): Json {
  return { schema: { type: 'string', description }, example };
}

function describeWorkbook(): Json {
  const description = 'The same in the only sheet of a workbook. Dates and errors in its cells are refused.';
  return { schema: { type: 'string', format: 'binary', description } };
}

function describeKey({ minimumKeyLength: minLength = 1, holdsSecret }: OperationDescription): Json {
  const description =
    'Identifies this request. Repeats with the same key and body within 24 hours take effect only once and get the same answer.';
  return {
    name: 'Idempotency-Key',
    in: 'header',
    description: holdsSecret ? `${description} Repeats must use the same API key.` : description,
    // People who try the operation out would send an example key, the second time with another body.
    schema: { type: 'string', minLength, maxLength: 255 },
  };
}

const PREFER = {
  suggestion: '`wait=N`: wait at most N seconds for the suggestion. `respond-async`: answer immediately (RFC 7240).',
  change: '`wait=N`: with If-None-Match, wait at most N seconds for a change before answering 304 (RFC 7240).',
} as const;

function describeParameters(operation: OperationDescription): readonly Json[] {
  const parameters: Json[] = pathNames(operation.path).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  }));
  if (operation.isList) {
    const limit = { type: 'integer', minimum: 1, maximum: PAGE_LIMIT.maximum, default: PAGE_LIMIT.default };
    parameters.push({ name: 'limit', in: 'query', description: 'Records per page.', schema: limit });
    const after = { type: 'integer', minimum: 1 };
    parameters.push({ name: 'after', in: 'query', description: 'Id of the last record seen.', schema: after });
  }
  if (operation.hasOrder) {
    const description = 'newest: the newest records come first, and after leads to older ones.';
    parameters.push({
      name: 'order',
      in: 'query',
      description,
      schema: { type: 'string', enum: ORDERS, default: ORDERS[0] },
    });
  }
  for (const [name, description] of Object.entries(operation.flags ?? {})) {
    parameters.push({ name, in: 'query', description, schema: { type: 'boolean', default: false } });
  }
  for (const [name, { description, minimum, maximum, default: value }] of Object.entries(operation.numbers ?? {})) {
    const schema = { type: 'integer', minimum, maximum, ...(value !== null && { default: value }) };
    parameters.push({ name, in: 'query', description, schema });
  }
  for (const [name, { schema, description }] of Object.entries(operation.texts ?? {})) {
    const { $schema: _, '~standard': __, ...document } = toJsonSchema(schema);
    parameters.push({ name, in: 'query', description, schema: document });
  }
  if (operation.hasETag) {
    const description =
      'The ETag of an earlier answer: if nothing has changed since, the answer is 304 without a body.';
    parameters.push({ name: 'If-None-Match', in: 'header', description, schema: { type: 'string' } });
  }
  if (operation.waits !== undefined) {
    const description = PREFER[operation.waits];
    parameters.push({ name: 'Prefer', in: 'header', description, schema: { type: 'string', examples: ['wait=10'] } });
  }
  if (operation.method === 'POST') parameters.push(describeKey(operation));
  return parameters;
}

function describeResponses(operation: OperationDescription, components: Components): Json {
  const responses: Record<string, unknown> = {};
  for (const [status, answer] of Object.entries(operation.answers)) {
    const withLimits = { ...answer, headers: { ...answer.headers, ...rateLimitHeaders() } };
    const schema = answer.schema && components.refer(answer.schema);
    const described = describeAnswer(withLimits, schema, answer.mediaType ?? 'application/json');
    const others = Object.entries(answer.otherTypes ?? {}).map(([type, one]) => [
      type,
      { schema: components.refer(one) },
    ]);
    responses[status] =
      others.length === 0
        ? described
        : { ...described, content: { ...(described['content'] as Json), ...Object.fromEntries(others) } };
  }
  for (const status of refusalsOf(operation)) {
    responses[status] = { $ref: `#/components/responses/${refusalName(status)}` };
  }
  for (const [status, description] of Object.entries(operation.refusals ?? {})) {
    const isShared = Number(status) === 409 && mayMeetItself(operation);
    const spec = isShared
      ? { description: `${description} Or: ${KEY_IN_USE}`, headers: REFUSAL_HEADERS[409]! }
      : { description };
    responses[status] = describeAnswer(spec, components.refer(components.problem), PROBLEM_TYPE);
  }
  return responses;
}

function refusalsOf(operation: OperationDescription): readonly number[] {
  const statuses = operation.needsNoKey ? [429, 500, 503] : [401, 403, 429, 500, 503];
  const hasIds = pathNames(operation.path).length > 0;
  const { isList, flags, numbers, texts } = operation;
  const hasQuery = isList || [flags, numbers, texts].some((some) => some !== undefined);
  if (hasIds || operation.body !== undefined || hasQuery) statuses.push(400);
  if (hasIds) statuses.push(404, 414);
  // A body is received and its type checked even if the operation takes none.
  if (operation.method !== 'GET') statuses.push(413, 415, 507);
  if (operation.method === 'POST') statuses.push(400, 422);
  if (mayMeetItself(operation)) statuses.push(409);
  return statuses.sort((a, b) => a - b);
}

/** Whether a repeat is refused while the first request with its Idempotency-Key is running; a registration waits. */
function mayMeetItself({ method, needsNoKey }: OperationDescription): boolean {
  return method === 'POST' && !needsNoKey;
}

function describeAnswer(answer: AnswerSpec, schema: Json | undefined, mediaType: string): Json {
  const headers = Object.entries(answer.headers ?? {}).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ]);
  return {
    description: answer.description,
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    ...(schema !== undefined && { content: { [mediaType]: { schema } } }),
  };
}

/** Collects the named schemas; schemas without a name are written where they are used. */
class Components {
  readonly schemas: Record<string, unknown> = {};
  readonly problem: z.ZodType;
  readonly #examples: Readonly<Record<string, unknown>>;

  constructor(examples: Readonly<Record<string, unknown>>, problem: z.ZodType) {
    this.problem = problem;
    this.#examples = examples;
  }

  refer(schema: z.ZodType): Json {
    // Wrapped in another schema, every named one becomes a definition of its own, including the outermost.
    const document = toJsonSchema(z.object({ schema }));
    const { properties, $defs = {} } = rewriteReferences(document) as {
      properties: { schema: Json };
      $defs?: Record<string, Json>;
    };
    for (const [name, { id: _, ...definition }] of Object.entries($defs)) {
      const example = this.#examples[name];
      this.schemas[name] = example === undefined ? definition : { ...definition, examples: [example] };
    }
    return properties.schema;
  }
}

function rewriteReferences(document: unknown): unknown {
  return JSON.parse(JSON.stringify(document).replaceAll('"#/$defs/', '"#/components/schemas/'));
}
