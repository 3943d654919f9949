/**
 * Every route of both dialects with the ids of another account gets 404, as if nothing existed. The routes are those that
 * the server registers; a new route without a body to send fails here.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertWorkbook } from '../../src/db/workbooks/workbooks.ts';
import { NATIVE_OPERATIONS } from '../../src/http/native/routes.ts';
import { type Operation, pathNames } from '../../src/http/operation/operation.ts';
import { SDK_OPERATIONS } from '../../src/http/sdk/routes.ts';
import { SMALL_JPEG } from '../support/pictures.ts';
import { type NativeService, OBJECTIVES, openNativeService, prepareObjective, type Send } from './native-service.ts';

const SPACE = { name: 'space', inputCount: 1, minimums: [0], maximums: [1], inputTypes: ['float'], categories: [] };
const OUTPUTS = { outputCount: 3, outputCases: [[1, 2, 3]] };
const BATCH = { objectives: [{ objectives: [1, 2], objectiveTypes: ['minimize', 'minimize'] }] };
const TOKEN = '00000000-0000-4000-8000-000000000000';
/** A valid body per operation, so that only the ids can be wrong. */
const BODIES: Readonly<Record<string, object>> = {
  createModel: { name: 'some model' },
  updateModel: { name: 'other name' },
  createProject: { ...SPACE, inputCases: [[0]] },
  updateProject: { name: 'other name', maximumEvaluations: 3 },
  loadOutputCases: OUTPUTS,
  createTrial: {},
  updateTrial: { status: 'completed' },
  addCases: { inputs: [[1, 2]], outputs: [null] },
  loadObjectives: OBJECTIVES,
  initializeInverse: { ...OBJECTIVES, convergence: 0.5 },
  stopObjective: {},
  updateObjective: { parallelism: 2 },
  suggestInverse: {},
  suggestInverses: { count: 2 },
  stopInverse: {},
  loadInverseOutput: { output: [1, 2, 3] },
  putInverseOutput: { output: [1, 2, 3] },
  addRecipient: { email: 'rig@example.com' },
  createWebhook: { url: 'https://receiver.example/' },
  updateWebhook: { enabled: false },
  redeliver: {},
  rotateWebhookSecret: { overlapSeconds: 60 },
  createKey: { scopes: ['read'] },
  updateKey: { label: 'other label' },
  rotateKey: { overlapSeconds: 60 },
  correctInverse: { excluded: true, reason: 'typo' },
  createBatch: BATCH,
  updateBatch: { name: 'other name' },
  pauseBatch: {},
  resumeBatch: {},
  cancelBatch: {},
  addBatchObjectives: BATCH,
  claimEvaluations: { evaluator: 'rig' },
  heartbeatEvaluation: { leaseToken: TOKEN },
  putEvaluationOutput: { leaseToken: TOKEN, output: [1, 2, 3] },
  failEvaluation: { leaseToken: TOKEN, reason: 'stalled', retryable: true },
  releaseEvaluation: { leaseToken: TOKEN },
  undoCorrection: {},
  correctCase: { excluded: true, reason: 'typo' },
  createWorkbook: { name: 'book.xlsx', content: 'UEsDBA==' },
  createNote: { text: 'noted' },
  updateNote: { text: 'noted again' },
  restoreNote: {},
  checkWorkbook: { inputs: { x: 'A1' }, outputs: { y: 'A2' } },
  copyWorkbook: { values: {} },
  createLink: { label: 'for a colleague' },
  updateMember: { role: 'reader' },
  createInvitation: { role: 'member' },
  updateMe: { name: 'other name' },
  createMyKey: { scopes: ['read'] },
  putDraft: { subject: 'new-problem', writer: 'browser', text: 'typed' },
};

const routes = [
  ...NATIVE_OPERATIONS.map((operation) => ({ prefix: '/v1', operation })),
  ...SDK_OPERATIONS.map((operation) => ({ prefix: '/api', operation })),
].map((route) => ({ ...route, name: `${route.operation.method} ${route.prefix}${route.operation.path}` }));
const withIds = routes.filter(({ operation }) => pathNames(operation.path).length > 0);

/** The secret of a link of the service. */
const tokenIn = (link: string) => link.split('=')[1]!;

type Ids = Readonly<Record<string, number>>;

let service: NativeService;
let strangers: { readonly send: Send; readonly ids: Ids };
let owner: { readonly send: Send; readonly ids: Ids };
beforeAll(async () => {
  service = await openNativeService({
    settings: { hasMail: true, fileBytes: 1_000 },
    deps: { judgeWebhookUrl: () => undefined },
  });
  owner = await prepareAccount('owner');
  strangers = await prepareAccount('stranger');
});
afterAll(() => service.close());

/** An account with one record of each kind, and their ids by the names in paths. */
async function prepareAccount(name: string) {
  const send = service.sendAs(await service.makeKey(name));
  const webhook = (await send('POST', '/v1/webhooks', BODIES['createWebhook'])).body;
  const { model, project, set, trialId, loaded } = await prepareObjective(send);
  const inverses = await send('GET', `${loaded.headers['location']}/inverses`);
  const [key] = (await send('GET', '/v1/keys')).body;
  const { rows } = await sql<{ id: number }>`
    select id from webhook_deliveries where webhook_id = ${webhook.id} limit 1`.execute(service.db);
  const batch = await send('POST', `/v1/models/${model.id}/projects/${project.id}/batches`, BATCH);
  const { evaluations } = (await send('POST', '/v1/evaluations/claim', { evaluator: 'rig' })).body;
  const spare = (await send('POST', '/v1/models', { name: 'deleted model' })).body;
  await send('DELETE', `/v1/models/${spare.id}`);
  const deleted = (await send('GET', '/v1/deleted')).body;
  const corrected = await send('POST', `${loaded.headers['location']}/inverses/${inverses.body[0].id}/corrections`, {
    output: [9, 9, 9],
    reason: 'typo',
  });
  const invitation = (await send('POST', '/v1/invitations', { role: 'member', maximumUses: 2 })).body;
  const joined = await service.app.inject({
    method: 'POST',
    url: '/session',
    payload: { invitation: tokenIn(invitation.link), name: `member of ${name}` },
  });
  expect(joined.statusCode, joined.body).toBe(201);
  const [session] = (await send('GET', '/v1/sessions')).body;
  const note = await send('POST', `/v1/objectives/${loaded.body.id}/notes`, NOTE);
  const ids = {
    person_id: session.personId,
    session_id: session.id,
    invitation_id: invitation.id,
    model_id: model.id,
    project_id: project.id,
    output_case_set_id: set.id,
    trial_id: trialId,
    objective_id: loaded.body.id,
    inverse_id: inverses.body[0].id,
    webhook_id: webhook.id,
    batch_id: batch.body.id,
    evaluation_id: evaluations[0].id,
    delivery_id: rows[0]!.id,
    key_id: key.id,
    correction_id: corrected.body.correction.id,
    deletion_id: deleted[0].id,
    recipient_id: (await send('POST', '/v1/recipients', { email: `${name}@example.com` })).body.id,
    link_id: (await send('POST', `/v1/objectives/${loaded.body.id}/links`, {})).body.id,
    workbook_id: await insertWorkbook(service.db, await accountOf(name), BOOK),
    note_id: note.body.id,
    number: 1,
  };
  return { send, ids };
}

/** With a file that has a thumbnail. */
const NOTE = { text: 'noted', file: { name: 'a.txt', content: 'YQ==', thumbnail: SMALL_JPEG } };

/** Read by no test: what is in it belongs to those of workbooks. */
const BOOK = { name: 'book.xlsx', content: Buffer.from('book'), cells: { inputs: [], outputs: [] } };

async function accountOf(name: string): Promise<number> {
  const { rows } = await sql<{ id: number }>`select id from accounts where name = ${name}`.execute(service.db);
  return rows[0]!.id;
}

function fill(prefix: string, { path }: Operation, ids: Ids): string {
  return `${prefix}${path.replace(/\{(\w+)\}/g, (_, name: string) => String(ids[name] ?? `{${name}}`))}`;
}

function bodyOf({ operationId, body }: Operation): object | undefined {
  if (body === undefined) return undefined;
  const known = BODIES[operationId.replace(/Flat$/, '')];
  if (known === undefined) throw new Error(`give ${operationId} a body here`);
  return known;
}

const TABLES = [
  'memberships',
  'invitations',
  'browser_sessions',
  'sign_in_links',
  'models',
  'projects',
  'output_case_sets',
  'trials',
  'objectives',
  'inverses',
  'suggestion_jobs',
  'webhooks',
  'api_keys',
  'corrections',
  'batches',
  'batch_objectives',
  'evaluations',
  'deletions',
  'workbooks',
  'shared_links',
  'notes',
  'account_usage',
];

/** All rows of the owner, as text. */
async function ownersRows(): Promise<string> {
  const rowsOf = (table: string) => sql`
    select ${table} || ' ' || t::text as text from ${sql.table(table)} t
    where account_id = (select id from accounts where name = 'owner')`;
  const { rows } = await sql<{ text: string }>`
    ${sql.join(TABLES.map(rowsOf), sql` union all `)} order by 1`.execute(service.db);
  return rows.map(({ text }) => text).join('\n');
}

describe("another account's ids", () => {
  it('The records cover every id of a path', () => {
    const names = new Set(withIds.flatMap(({ operation }) => pathNames(operation.path)));
    expect([...names].sort()).toEqual(Object.keys(owner.ids).sort());
    expect(withIds.length).toBeGreaterThan(40);
  });

  it.each(withIds)('Records of another account are 404 at $name', async ({ prefix, operation }) => {
    const before = await ownersRows();
    const answer = await strangers.send(operation.method, fill(prefix, operation, owner.ids), bodyOf(operation));
    expect(answer.status, answer.text).toBe(404);
    expect(answer.body.type).toBe('urn:backsolve:problem:not-found');
    expect(await ownersRows()).toBe(before);
  });

  it.each(withIds.filter(({ operation }) => pathNames(operation.path).length > 1))(
    'Mixed paths of two accounts are 404 at $name',
    async ({ prefix, operation }) => {
      // A number belongs to the records before it.
      const names = pathNames(operation.path).filter((name) => name !== 'number');
      const before = await ownersRows();
      for (let split = 1; split < names.length; split++) {
        for (const [head, tail] of [
          [strangers.ids, owner.ids],
          [owner.ids, strangers.ids],
        ] as const) {
          const mixed = Object.fromEntries(names.map((name, i) => [name, (i < split ? head : tail)[name]!]));
          const ids = { ...mixed, number: 1 };
          const answer = await strangers.send(operation.method, fill(prefix, operation, ids), bodyOf(operation));
          expect(answer.status, `${JSON.stringify(ids)} ${answer.text}`).toBe(404);
        }
      }
      expect(await ownersRows()).toBe(before);
    },
  );

  it.each(withIds.filter(({ operation }) => operation.method === 'GET'))(
    'Records exist for their own account at $name',
    async ({ prefix, operation }) => {
      const answer = await owner.send('GET', fill(prefix, operation, owner.ids));
      // An objective has an explanation only after a suggestion.
      expect(answer.status === 404 && !answer.text.includes('explanation'), answer.text).toBe(false);
    },
  );

  const LISTS = ['models', 'webhooks', 'keys', 'deleted', 'workbooks', 'members', 'invitations', 'sessions'];
  it.each([...LISTS.map((list) => `/v1/${list}`), '/api/models'])(
    'Records of another account are not in the list %s',
    async (url) => {
      const own = await owner.send('GET', url);
      const foreign = await strangers.send('GET', url);
      expect(own.body).toHaveLength(1);
      expect(foreign.body).toHaveLength(1);
      expect(foreign.body[0].id).not.toBe(own.body[0].id);
    },
  );

  it('Ids of another account in a body are refused as if they did not exist', async () => {
    const { model_id, project_id } = strangers.ids;
    const url = `/v1/models/${model_id}/projects/${project_id}/trials`;
    const answer = await strangers.send('POST', url, { output_case_set_id: owner.ids['output_case_set_id'] });
    expect(answer.status).toBe(400);
    const never = await strangers.send('POST', url, { output_case_set_id: 999_999 });
    const message = (id: number) => ({ errors: [{ message: `the project has no set ${id}.` }] });
    expect(answer.body).toMatchObject(message(owner.ids['output_case_set_id']!));
    expect(never.body).toMatchObject(message(999_999));
  });
});

describe('without a valid key', () => {
  const expired = 'bks_00000000_00000000000000000000000000000000_000000';
  it.each(routes)('Without a valid key $name always gets the same 401', async ({ prefix, operation }) => {
    const url = fill(prefix, operation, owner.ids);
    const before = await ownersRows();
    const bodies = [];
    for (const key of ['', 'nonsense', expired]) {
      const answer = await service.sendAs(key)(operation.method, url, bodyOf(operation));
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toBe('Bearer');
      bodies.push(answer.text);
    }
    const broken = await service.sendAs('')(operation.method, url.replace(/\/\d+/, '/x'), '{');
    expect(broken.status).toBe(401);
    expect(new Set(bodies).size).toBe(1);
    expect(await ownersRows()).toBe(before);
  });
});
