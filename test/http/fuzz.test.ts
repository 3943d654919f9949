/**
 * Sends random requests to every operation of both dialects, mostly valid ones with something broken. Every answer must be
 * one that the OpenAPI document of the dialect lists. bench/fuzz does the same at length.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { isByName } from '../../src/domain/names.ts';
import { EXPORT_MEDIA_TYPE } from '../../src/http/native/export.wire.ts';
import { NATIVE_OPERATIONS } from '../../src/http/native/routes.ts';
import { buildOpenApiDocument, buildSdkOpenApiDocument } from '../../src/http/openapi.ts';
import type { OperationDescription } from '../../src/http/operation.ts';
import { registration } from '../../src/http/sdk/accounts.ts';
import { SDK_OPERATIONS } from '../../src/http/sdk/routes.ts';
import { problemSchema } from '../../src/http/wire/problem.ts';
import {
  type Answered,
  type NativeService,
  OBJECTIVES,
  openNativeService,
  prepareObjective,
} from './native-service.ts';

const RUNS = 300;
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

const ENDING = ['updateTrial', 'stopObjective'];

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

/** Of the operation under its nested path. */
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
    arbitrary: fc.constantFrom('0', '-1', '01', '1.5', 'x', '%00', '%ff', '9'.repeat(16), '9'.repeat(5_000)),
  },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 2 ** 31 }).map(String) },
);
const query = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.constantFrom('?limit=1', '?limit=0', '?after=x', '?limit=1&limit=2', '?limit=201&a[]=%') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '?count=3',
      '?count=0',
      '?confidence=80',
      '?tolerances=1,0',
      '?tolerances=1,x&in=percent',
      '?inverse=0',
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom('?after=0&every=2', '?every=0', '?stopReason=0', '?stopReason=4') },
);
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
    query,
    headers: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 2, arbitrary: headers }),
    payload: payloadFor(route.operation),
  }),
);
type FuzzRequest = typeof request extends fc.Arbitrary<infer T> ? T : never;

function send({ route, ids, query, headers, payload }: FuzzRequest): Promise<Answered> {
  const { method, path, operationId } = route.operation;
  const own = method === 'DELETE' || ENDING.includes(nestedId(operationId)) ? spent : kept;
  let used = 0;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const drawn = ids[used++]!;
    const ownId = name === 'objective_id' ? (own[nestedId(operationId)] ?? own[name]) : own[name];
    return drawn === 'own' ? String(ownId) : drawn;
  });
  return service.send(method, `${route.prefix}${filled}${query}`, payload, headers);
}

function expectDocumented({ route, payload }: FuzzRequest, answered: Answered): void {
  const { method, path, answers } = route.operation;
  const label = `${method} ${route.prefix}${path} ${payload} -> ${answered.status} ${answered.text.slice(0, 500)}`;
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
  if (schema === undefined) expect(answered.text, label).toBe('');
  else if (mediaType === EXPORT_MEDIA_TYPE || (other && sent === EXPORT_MEDIA_TYPE)) {
    const lines = answered.text.split('\n').slice(0, -1);
    for (const line of lines) expect((other ?? schema).safeParse(JSON.parse(line)).error, label).toBeUndefined();
  } else if (other) {
    expect(answered.text, label).toMatch(/^[^\r\n]+\r\n/);
  } else expect(schema.safeParse(answered.body).error, label).toBeUndefined();
}

it('Every request, however malformed, gets a documented answer and never a server error', async () => {
  const counts = new Map<number, number>();
  const property = fc.asyncProperty(request, async (drawn) => {
    const answered = await send(drawn);
    counts.set(answered.status, (counts.get(answered.status) ?? 0) + 1);
    expectDocumented(drawn, answered);
  });
  await fc.assert(property, { numRuns: RUNS, seed: SEED });
  // Requests that are never admitted would prove little.
  const share = (...statuses: number[]) => statuses.reduce((sum, status) => sum + (counts.get(status) ?? 0), 0) / RUNS;
  expect(share(200, 201, 202, 204), JSON.stringify([...counts])).toBeGreaterThan(0.2);
  expect(share(400), JSON.stringify([...counts])).toBeGreaterThan(0.15);
});

it('What objectives of each kind tell of their models is reached and documented', async () => {
  const insights = routes.filter(
    ({ prefix, operation }) => prefix === '/v1' && operation.operationId.replace('Flat', '') in SEARCHES,
  );
  expect(insights).toHaveLength(6);
  for (const route of insights) {
    const drawn: FuzzRequest = { route, ids: Array(5).fill('own'), query: '', headers: {}, payload: undefined };
    const answered = await send(drawn);
    expect(answered.status, answered.text).toBe(200);
    expectDocumented(drawn, answered);
  }
});
