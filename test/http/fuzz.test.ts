/**
 * Sends random requests to every operation of both dialects, mostly valid ones with something broken. Every answer must be
 * one that the OpenAPI document of the dialect lists. bench/fuzz does the same at length.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { isByName } from '../../src/domain/problem/names.ts';
import { EXPORT_MEDIA_TYPE } from '../../src/http/native/exports/export.wire.ts';
import { NATIVE_OPERATIONS } from '../../src/http/native/routes.ts';
import { buildOpenApiDocument, buildSdkOpenApiDocument } from '../../src/http/openapi.ts';
import type { OperationDescription } from '../../src/http/operation/operation.ts';
import { registration } from '../../src/http/sdk/accounts.ts';
import { SDK_OPERATIONS } from '../../src/http/sdk/routes.ts';
import { problemSchema } from '../../src/http/wire/problem.ts';
import { accountIdOf, insertBatch, insertEvaluations } from '../support/evaluations.ts';
import {
  type Answered,
  type NativeService,
  OBJECTIVES,
  openNativeService,
  prepareObjective,
} from './native-service.ts';

/** 10,000 take some ten minutes. */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 300);
const LIMIT_MS = 180_000 + 200 * RUNS;
const SEED = 20_261_120;

interface Route {
  readonly prefix: string;
  readonly operation: OperationDescription;
  /** Statuses in the document. */
  readonly statuses: readonly number[];
}

const routes: readonly Route[] = [
  ...listRoutes('/v1', NATIVE_OPERATIONS, buildOpenApiDocument()),
  ...listRoutes('/api', [registration, ...SDK_OPERATIONS], buildSdkOpenApiDocument()),
];

function listRoutes(prefix: string, operations: readonly OperationDescription[], document: unknown): readonly Route[] {
  const { paths } = document as { paths: Record<string, Record<string, { responses: object }>> };
  return operations.map((operation) => {
    const { responses } = paths[operation.path]![operation.method.toLowerCase()]!;
    return { prefix, operation, statuses: Object.keys(responses).map(Number) };
  });
}

type Ids = Readonly<Record<string, number>>;

let service: NativeService;
/** For operations that leave it usable and for those that end it. */
let kept: Ids;
let spent: Ids;
beforeAll(async () => {
  service = await openNativeService({
    hasWorker: true,
    designWork: 300,
    settings: { isRegistrationOpen: true },
    deps: { judgeWebhookUrl: () => undefined },
  });
  kept = await prepareIds();
  spent = await prepareIds();
});
afterAll(() => service.close());

async function prepareIds(): Promise<Ids> {
  const webhook = (await service.send('POST', '/v1/webhooks', { url: 'https://receiver.example/' })).body;
  // Without admin, so that the key of these requests is the last admin key and cannot be revoked.
  const key = (await service.send('POST', '/v1/keys', { scopes: ['read'] })).body;
  const { model, project, projectUrl, set, trialId, loaded, objectiveUrl } = await prepareObjective(service.send);
  await service.send('PATCH', projectUrl, NAMES);
  const inverse = (await service.send('POST', `${objectiveUrl}/inverses`)).body;
  const searching: Record<string, number> = {};
  for (const [operation, search] of Object.entries(SEARCHES)) {
    const made = await service.send('POST', `${projectUrl}/trials/${trialId}/objectives`, { ...OBJECTIVES, ...search });
    searching[operation] = made.body.id;
  }
  const batchIds = { accountId: await accountIdOf(service.db), modelId: model.id, projectId: project.id };
  const batch = await insertBatch(service.db, { ...batchIds, trialId });
  const [evaluation] = await insertEvaluations(service.db, batch, [{ input: [1, 2] }]);
  const deliveries = await service.send('GET', `/v1/webhooks/${webhook.id}/deliveries`);
  const spare = (await service.send('POST', '/v1/models', { name: `spare ${model.id}` })).body;
  await service.send('DELETE', `/v1/models/${spare.id}`);
  const deletions = await service.send('GET', '/v1/deleted?limit=200');
  return {
    model_id: model.id,
    project_id: project.id,
    output_case_set_id: set.id,
    trial_id: trialId,
    objective_id: loaded.body.id,
    inverse_id: inverse.id,
    webhook_id: webhook.id,
    delivery_id: deliveries.body[0].id,
    key_id: key.id,
    deletion_id: deletions.body.at(-1).id,
    number: 1,
    batch_id: batch,
    evaluation_id: evaluation!,
    ...searching,
  };
}

const FRONT = {
  objectives: [null, null, 2],
  objectiveTypes: ['minimize', 'maximize', 'greaterthan_equal'],
  minimumBounds: [],
  maximumBounds: [],
  front: { reference: [20, -20] },
};
const AIM = { inputTolerances: { kind: 'normal', values: [0.1, 0.2] }, aimAtRobustness: 0.9, robustRuns: 2 };

/** Objectives of their own for operations about what some objectives alone have. */
const SEARCHES: Readonly<Record<string, object>> = {
  getFront: FRONT,
  // The initial point is the first solution.
  getRobustness: {
    ...AIM,
    objectives: OBJECTIVES.initialOutput,
    objectiveTypes: ['value', 'value', 'value'],
  },
  getSolutions: { solutions: { count: 2, apart: 0.2 } },
};

const ENDING = ['updateTrial', 'stopObjective', 'cancelBatch'];

const NAMES = { inputNames: ['a', 'b'], outputNames: ['p', 'q', 'r'] };
const OUTPUT = { p: 1, q: 2, r: 3 };
const BY_NAME = {
  ...OBJECTIVES,
  objectives: OUTPUT,
  objectiveTypes: { p: 'percent', q: 'percent', r: 'percent' },
  initialInput: { a: 1, b: 2 },
  initialOutput: OUTPUT,
  minimumBounds: { p: -1, q: -1, r: -1 },
};

/** Id of the operation under its nested path. */
const nestedId = (operationId: string) => operationId.replace(/Flat$/, '');

/** Bodies that fit the records above, for operations whose examples do not. */
const FITTING: Readonly<Record<string, readonly object[]>> = {
  createProject: [
    {
      name: 'By name',
      inputCount: 2,
      inputNames: NAMES.inputNames,
      minimums: { a: 0, b: 1 },
      maximums: { a: 1, b: 3 },
      inputTypes: { a: 'float', b: 'category' },
      categories: { b: ['x', 'y', 'z'] },
      steps: { a: 0.25 },
      constraints: ['a <= 0.5', { coefficients: { a: 1 }, relation: '>=', bound: 0 }],
      feasibleInput: { a: 0.25, b: 'y' },
      inputCases: [{ a: 0.5, b: 'x' }, [0, 2]],
    },
  ],
  updateProject: [
    { ...NAMES, inputUnits: ['K', ''] },
    { name: 'By name', outputUnits: null },
  ],
  loadOutputCases: [
    { outputCount: 3, outputCases: [[1, 2, 3]] },
    { outputCount: 3, outputCases: [OUTPUT, [1, 2, 3]] },
  ],
  createTrial: [{}],
  createBatch: [
    { objectives: [OBJECTIVES, BY_NAME], parallelism: 2 },
    { objectives: [OBJECTIVES], evaluator: { kind: 'http', url: 'https://rig.example/' } },
  ],
  addBatchObjectives: [{ objectives: [OBJECTIVES] }],
  loadObjectives: [
    { ...OBJECTIVES, ...FRONT },
    { ...OBJECTIVES, ...AIM, inputTolerances: { kind: 'uniform', in: 'percent', values: { a: 1 } } },
    { ...OBJECTIVES, solutions: { count: 3, apart: 0.1 }, weights: { q: 3 }, stop: {} },
    OBJECTIVES,
    BY_NAME,
    { ...BY_NAME, fixedInputs: { a: 3 }, constraints: ['a + b <= 12'] },
  ],
  initializeInverse: [OBJECTIVES, BY_NAME].map((one) => ({ ...one, convergence: 0.5 })),
  loadInverseOutput: [{ output: [1, 2, 3] }, { output: OUTPUT }],
  putInverseOutput: [{ output: [1, 2, 3] }, { output: OUTPUT }],
  correctInverse: [
    { output: [1, 2, 3], reason: 'typo' },
    { output: OUTPUT, reason: 'typo' },
  ],
  correctCase: [
    { output: [1, 2, 3], reason: 'typo' },
    { output: OUTPUT, reason: 'typo' },
  ],
  createKey: [{ scopes: ['read', 'write'], label: 'the test rig', expiresAt: '2099-12-31T12:00:00Z' }],
  rotateKey: [{ overlapSeconds: 86_400 }],
};

/** Conditions by their grammar, mostly right, also deep, long and hostile ones. */
const { condition } = fc.letrec<{ condition: string; sum: string; atom: string }>((tie) => ({
  condition: fc
    .tuple(tie('sum'), fc.constantFrom('<=', '>=', '<=', '>=', '=', '<'), tie('sum'))
    .map((parts) => parts.join(' ')),
  sum: fc.oneof(
    { maxDepth: 4 },
    tie('atom'),
    fc.tuple(tie('sum'), fc.constantFrom('+', '-', '*', '/', '^'), tie('sum')).map((parts) => parts.join(' ')),
    fc
      .tuple(fc.constantFrom('sin', 'exp', 'log', 'sqrt', 'tan', 'abs', 'nothing'), tie('sum'))
      .map(([name, of]) => `${name}(${of})`),
    fc
      .tuple(fc.constantFrom('min', 'max'), tie('sum'), tie('sum'))
      .map(([name, one, two]) => `${name}(${one}, ${two})`),
    tie('sum').map((of) => `-(${of})`),
  ),
  atom: fc.constantFrom('a', 'a', 'b', 'b', 'c', '0', '1', '2.5', '1e308', '5e-324', '.5', '1e999', '\u0000'),
}));
const hostileCondition = fc.constantFrom(
  `${'min('.repeat(40)}a${',b)'.repeat(40)} >= 9.9`,
  `sin(${new Array(60).fill('a*b').join('*')}) >= 0.9`,
  `${'exp('.repeat(30)}a${')'.repeat(30)} <= 2`,
  `${'a^'.repeat(50)}b >= 1`,
  `${'-'.repeat(2_000)}a <= 1`,
  'a - a <= 0',
  'a*a = 4',
  'log(0 - a) <= 1',
  'a <= 1\u0000',
);
const conditions = fc.oneof(
  fc.array(fc.oneof({ weight: 4, arbitrary: condition }, { weight: 1, arbitrary: hostileCondition }), { maxLength: 4 }),
  fc
    .tuple(hostileCondition, fc.integer({ min: 90, max: 251 }))
    .map(([one, count]) => new Array<string>(count).fill(one)),
);

/** The body with conditions of their own, where it takes some. */
function withConditions(operationId: string, body: object): fc.Arbitrary<object> {
  if (!CONSTRAINED.has(nestedId(operationId))) return fc.constant(body);
  const named = operationId === 'createProject' ? { inputNames: NAMES.inputNames } : {};
  const isBatch = nestedId(operationId).includes('Batch');
  return conditions.map((constraints) =>
    isBatch ? { ...body, objectives: [{ ...OBJECTIVES, constraints }] } : { ...body, ...named, constraints },
  );
}

const CONSTRAINED = new Set(['createProject', 'loadObjectives', 'createBatch', 'addBatchObjectives']);

const NUMBERS = [0, -1, 0.5, 2 ** 31, 2 ** 53, 2 ** 63, 1e308, 5e-324];
const strange = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, '', '\u0000', '\ud800', 'exact', 'FLOAT', [], {}, [[]], [null]),
  fc.constantFrom(...NUMBERS),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.array(fc.constantFrom(...NUMBERS), { maxLength: 4 }),
  fc.jsonValue({ maxDepth: 2 }),
);

/** A valid body with some of its values or their elements replaced, doubled or dropped. */
function brokenBody(valid: object): fc.Arbitrary<unknown> {
  const change = fc.record({ at: fc.nat(), element: fc.option(fc.nat()), value: strange, isDropped: fc.boolean() });
  return fc.array(change, { maxLength: 2 }).map((changes) => {
    const body: Record<string, unknown> = structuredClone(valid) as Record<string, unknown>;
    const fields = [...Object.keys(body), 'extra'];
    for (const { at, element, value, isDropped } of changes) {
      const field = fields[at % fields.length]!;
      const old = body[field];
      if (isDropped) delete body[field];
      else if (element !== null && Array.isArray(old)) old[element % (old.length + 1)] = value;
      else if (element !== null && isByName(old)) {
        const names = [...Object.keys(old), 'other'];
        body[field] = { ...old, [names[element % names.length]!]: value };
      } else body[field] = value;
    }
    return body;
  });
}

function payloadFor({ operationId, body }: OperationDescription): fc.Arbitrary<string | undefined> {
  if (body === undefined) return fc.constantFrom(undefined, '{}');
  const examples = z.globalRegistry.get(body.schema)?.examples as readonly object[];
  const bodies = FITTING[nestedId(operationId)] ?? examples.slice(0, 1);
  const text = fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...bodies) },
    {
      weight: CONSTRAINED.has(nestedId(operationId)) ? 4 : 0,
      arbitrary: fc.constantFrom(...bodies).chain((one) => withConditions(operationId, one)),
    },
    { weight: 6, arbitrary: fc.constantFrom(...bodies).chain(brokenBody) },
    { weight: 1, arbitrary: strange },
  );
  return fc.oneof(
    { weight: 12, arbitrary: text.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.constantFrom(undefined, '', '{', '{"output":[1e999]}', '{"__proto__":1}') },
  );
}

const id = fc.oneof(
  { weight: 12, arbitrary: fc.constant('own') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '0',
      '-1',
      '01',
      '1.5',
      'x',
      '%00',
      '%ff',
      '2147483648',
      '9'.repeat(16),
      '9'.repeat(5_000),
    ),
  },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 2 ** 31 }).map(String) },
);
/** Values of a query parameter that are none of those it takes, or at the edge of them. */
const hostileValue = fc.oneof(
  fc.constantFrom('', 'x', '%00', 'a%00b', '%ff', '%', '%F0%9F%98%80', '-1', '01', '1.5', '1e9', 'true', '*'),
  fc.constantFrom('0', '1', '3', '200', '201', '2147483647', '2147483648', '4294967296', '9007199254740991'),
  fc.constantFrom('9007199254740992', '9223372036854775808', '9'.repeat(40), 'x'.repeat(300), '1,0', '1,x', 'newest'),
);

function parametersOf({ isList, flags, numbers, texts }: OperationDescription): readonly string[] {
  const paging = isList ? ['limit', 'after', 'order'] : [];
  return [...paging, ...[flags, numbers, texts].flatMap((some) => Object.keys(some ?? {}))];
}

/** Parameters of the operation, some of them twice, and one that it does not have. */
function queryFor(operation: OperationDescription): fc.Arbitrary<string> {
  const names = [...parametersOf(operation), 'unknown[]'];
  const parameter = fc.tuple(fc.constantFrom(...names), hostileValue).map((pair) => pair.join('='));
  const some = fc.array(parameter, { minLength: 1, maxLength: 2 }).map((all) => `?${all.join('&')}`);
  return fc.oneof({ weight: 1, arbitrary: fc.constant('') }, { weight: names.length > 1 ? 2 : 0, arbitrary: some });
}

const printable = fc.string({ minLength: 1, maxLength: 20 }).filter((text) => text.trim() !== '');
const headers = fc.record(
  {
    prefer: fc.oneof(fc.constantFrom('respond-async', 'wait=0', 'wait="'), printable),
    'idempotency-key': fc.oneof(fc.constantFrom('a', 'b', '"', '" "', 'x'.repeat(256)), printable),
    'content-type': fc.constantFrom('application/json; charset=utf-16', 'text/plain', 'x'),
    'x-request-id': printable,
    accept: fc.constantFrom(
      'text/html',
      'application/xml;q=0',
      'text/csv',
      'application/x-ndjson',
      'text/csv;q=x, */*',
    ),
    'if-none-match': fc.constantFrom('*', '"', 'W/"a", b'),
  },
  { requiredKeys: [] },
);

const request = fc.constantFrom(...routes).chain((route) =>
  fc.record({
    route: fc.constant(route),
    // As many as in the longest path.
    ids: fc.array(id, { minLength: 5, maxLength: 5 }),
    query: queryFor(route.operation),
    headers: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 2, arbitrary: headers }),
    payload: payloadFor(route.operation),
  }),
);
type FuzzRequest = typeof request extends fc.Arbitrary<infer T> ? T : never;

function send({ route, ids, query, headers, payload }: FuzzRequest, records?: Ids): Promise<Answered> {
  const { method, path, operationId } = route.operation;
  const own = records ?? (method === 'DELETE' || ENDING.includes(nestedId(operationId)) ? spent : kept);
  let used = 0;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const drawn = ids[used++]!;
    const ownId = name === 'objective_id' ? (own[nestedId(operationId)] ?? own[name]) : own[name];
    return drawn === 'own' ? String(ownId) : drawn;
  });
  return service.send(method, `${route.prefix}${filled}${query}`, payload, headers);
}

function expectDocumented({ route, query, payload }: FuzzRequest, answered: Answered): void {
  const { method, path, answers } = route.operation;
  const label = `${method} ${route.prefix}${path}${query} ${payload} -> ${answered.status} ${answered.text.slice(0, 500)}`;
  expect(answered.status, label).toBeLessThan(500);
  expect(route.statuses, label).toContain(answered.status);
  if (answered.status >= 400) {
    expect(answered.headers['content-type'], label).toBe('application/problem+json; charset=utf-8');
    expect(z.strictObject(problemSchema.shape).safeParse(answered.body).error, label).toBeUndefined();
    return;
  }
  const { schema, mediaType, otherTypes = {} } = answers[answered.status] ?? {};
  const sent = String(answered.headers['content-type']).split(';')[0]!;
  const other = otherTypes[sent];
  const isTable = sent === 'text/csv';
  if (schema === undefined) expect(answered.text, label).toBe('');
  else if (mediaType === EXPORT_MEDIA_TYPE || (other && sent === EXPORT_MEDIA_TYPE)) {
    const lines = answered.text.split('\n').slice(0, -1);
    for (const line of lines) expect((other ?? schema).safeParse(JSON.parse(line)).error, label).toBeUndefined();
  } else if (isTable) {
    expect(answered.text, label).toMatch(/^[^\r\n]+\r\n/);
  } else if (sent !== 'application/json') {
    // Files: pages, documents, workbooks.
    expect([mediaType, ...Object.keys(otherTypes)], label).toContain(sent);
    expect(answered.text, label).not.toBe('');
  } else expect(schema.safeParse(answered.body).error, label).toBeUndefined();
}

it(
  'Every request, however malformed, gets a documented answer and never a server error',
  async () => {
    const counts = new Map<number, number>();
    const property = fc.asyncProperty(request, async (drawn) => {
      const answered = await send(drawn);
      counts.set(answered.status, (counts.get(answered.status) ?? 0) + 1);
      expectDocumented(drawn, answered);
    });
    await fc.assert(property, { numRuns: RUNS, seed: SEED });
    // Requests that are never admitted would prove little.
    const share = (...statuses: number[]) =>
      statuses.reduce((sum, status) => sum + (counts.get(status) ?? 0), 0) / RUNS;
    expect(share(200, 201, 202, 204), JSON.stringify([...counts])).toBeGreaterThan(0.2);
    expect(share(400), JSON.stringify([...counts])).toBeGreaterThan(0.15);
  },
  LIMIT_MS,
);

/** Hardly ever drawn for the one parameter that they break. */
const EDGES = ['%00', '2147483648', '9007199254740991', '9223372036854775808'];

it('Every query parameter that holds NUL or a number beyond a column gets a documented answer', async () => {
  const drawn = routes.flatMap((route) =>
    parametersOf(route.operation).flatMap((name) =>
      EDGES.map((value): FuzzRequest => {
        const query = `?${name}=${value}`;
        return { route, ids: Array(5).fill('own'), query, headers: {}, payload: undefined };
      }),
    ),
  );
  expect(drawn.length).toBeGreaterThan(200);
  for (const one of drawn) expectDocumented(one, await send(one));
});

it('What objectives of each kind tell of their models is reached and documented', async () => {
  const insights = routes.filter(
    ({ prefix, operation }) => prefix === '/v1' && operation.operationId.replace('Flat', '') in SEARCHES,
  );
  expect(insights).toHaveLength(6);
  // Random ids may have deleted any others.
  const fresh = await prepareIds();
  for (const route of insights) {
    const drawn: FuzzRequest = { route, ids: Array(5).fill('own'), query: '', headers: {}, payload: undefined };
    const answered = await send(drawn, fresh);
    expect(answered.status, answered.text).toBe(200);
    expectDocumented(drawn, answered);
  }
});
