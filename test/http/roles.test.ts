/**
 * Tests what each role may do, and that whoever has lost a role may do no more: every operation of both OpenAPI documents, asked by people
 * in every state with their sessions and with keys of their own, against one table. A new operation without a row fails here.
 */
import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROLES, type Role } from '../../src/domain/people/people.ts';
import { openIdOf, startOpenIdProvider, type TestProvider } from '../support/openid-provider.ts';
import { CALLBACK, makeSignIn } from '../support/openid-sign-in.ts';
import { makePeople } from '../support/people.ts';
import { type NativeService, openNativeService, type Send } from './native-service.ts';
import { HOST } from './session-browser.ts';

/** Operations by role. The flat twin of an operation has the name of the other, and `Flat`. */
const TABLE: readonly { readonly may: readonly Role[]; readonly operations: string }[] = [
  {
    may: ['owner', 'member'],
    operations: `createModel updateModel deleteModel createProject updateProject deleteProject loadOutputCases createTrial updateTrial
      deleteTrial addCases loadObjectives initializeInverse updateObjective deleteObjective stopObjective suggestInverse suggestInverses
      loadInverseOutput putInverseOutput stopInverse createLink revokeLink correctInverse correctCase undoCorrection createNote updateNote
      deleteNote restoreNote addRecipient removeRecipient putDraft restoreDeletion purgeDeleted purgeDeletion createBatch updateBatch
      pauseBatch resumeBatch cancelBatch addBatchObjectives createWorkbook deleteWorkbook checkWorkbook copyWorkbook`,
  },
  {
    may: ['owner', 'member', 'reader'],
    operations: `listModels getModel listProjects getProject listInputCases listOutputCaseSets getOutputCaseSet listOutputCases listTrials
      getTrial listTrialCases listObjectives getObjective listInverses getInverse getHistory listTrialRuns getRobustness getIdentifiability
      getFit getSolutions getPredictions getFront getReport getRunCard listLinksOfObjective listLinks listAllObjectives listCorrections
      listNotes getNote getNoteFile getNoteThumbnail listMembers getMember listRecipients getAccount listDrafts listDeleted exportModel
      exportAccount listBatches getBatch listBatchObjectives listWorkbooks getWorkbook readModels readModel readTrial readObjective`,
  },
  {
    may: ['owner'],
    operations: `createKey listKeys getKey updateKey rotateKey revokeKey updateMember removeMember createMemberLink createInvitation
      listInvitations getInvitation revokeInvitation createWebhook listWebhooks getWebhook updateWebhook deleteWebhook rotateWebhookSecret
      listDeliveries getDelivery redeliver`,
  },
  {
    may: ['owner', 'member', 'evaluator'],
    operations: 'claimEvaluations heartbeatEvaluation putEvaluationOutput failEvaluation releaseEvaluation',
  },
  { may: ['owner', 'member', 'evaluator', 'reader'], operations: 'listEvaluations getEvaluation' },
  {
    may: ['owner', 'member', 'evaluator', 'reader'],
    operations: `listSessions endSession getMe updateMe listMyAccounts leaveAccount createMyLink createMyKey listMyKeys revokeMyKey`,
  },
];
const MAY = new Map(
  TABLE.flatMap(({ may, operations }) => operations.split(/\s+/).map((operation) => [operation, may] as const)),
);

interface Documented {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly operationId?: string; readonly requestBody?: object }>>>
  >;
}

function operationsOf(file: string) {
  const { servers, paths } = JSON.parse(
    readFileSync(new URL(`../../docs/${file}`, import.meta.url), 'utf8'),
  ) as Documented;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId, requestBody }]) => {
      // Registering needs no account.
      if (operationId === undefined || path === '/accounts/register') return [];
      const prefix = servers[0]!.url;
      return [
        {
          name: `${method.toUpperCase()} ${prefix}${path}`,
          operationId: operationId.replace(/Flat$/, ''),
          method: method.toUpperCase() as 'GET',
          url: `${prefix}${path.replace(/\{\w+\}/g, '999999')}`,
          body: requestBody && {},
          takesSessions: prefix === '/v1',
        },
      ];
    }),
  );
}
const OPERATIONS = [...operationsOf('openapi.json'), ...operationsOf('openapi-sdk.json')];

const ACCOUNT = 'team';
const RULES = {
  groupRoles: [
    { group: 'leads', account: ACCOUNT, role: 'owner' as const },
    { group: 'rig', account: ACCOUNT, role: 'member' as const },
  ],
  emailDomains: [],
  groupDays: 7,
};

let provider: TestProvider;
let service: NativeService;
let account: Send;
beforeAll(async () => {
  provider = await startOpenIdProvider(`http://${HOST}${CALLBACK}`);
  service = await openNativeService({ deps: { openId: openIdOf(provider, RULES) } });
  account = service.sendAs(await service.makeKey(ACCOUNT));
});
afterAll(async () => {
  await service.close();
  await provider.close();
});

const { join } = makePeople(() => service);
const { signIn, refusalOf } = makeSignIn(
  () => service,
  () => provider,
);

/** Somebody with a session and a key of their own; `now`: what the person may do as; undefined: nothing any more. */
interface Somebody {
  readonly state: string;
  readonly now: Role | undefined;
  readonly session: Send;
  readonly key: Send;
}

async function withKey(session: Send, scopes: readonly string[]): Promise<{ session: Send; key: Send }> {
  const { body, text } = await session('POST', '/v1/me/keys', { scopes });
  return { session, key: service.sendAs(body.key ?? text) };
}

const people: Somebody[] = [];
beforeAll(async () => {
  for (const role of Object.keys(ROLES) as Role[]) {
    const { send } = await join(account, role, `the ${role}`);
    people.push({ state: `a person with the role ${role}`, now: role, ...(await withKey(send, ROLES[role])) });
  }
  const nobody = service.sendAs('');
  people.push({ state: 'nobody', now: undefined, session: nobody, key: nobody });
  const gone = await join(account, 'owner', 'gone');
  const demoted = await join(account, 'owner', 'demoted');
  const [ofGone, ofDemoted] = [await withKey(gone.send, ROLES.owner), await withKey(demoted.send, ROLES.owner)];
  await account('DELETE', `/v1/members/${gone.id}`);
  await account('PATCH', `/v1/members/${demoted.id}`, { role: 'reader' });
  people.push({ state: 'an owner who was removed', now: undefined, ...ofGone });
  people.push({ state: 'an owner who was made a reader', now: 'reader', ...ofDemoted });
  const byGroup = async (subject: string, groups: readonly string[]) => {
    provider.accounts.set(subject, { name: subject, email: `${subject}@example.com`, groups });
    const { browser } = await signIn(subject);
    return withKey(browser.send as unknown as Send, ROLES[groups.includes('leads') ? 'owner' : 'member']);
  };
  const left = await byGroup('left', ['leads']);
  provider.accounts.set('left', { name: 'left', groups: [] });
  expect(await refusalOf('left')).toBe('/page#sign-in-failed=no-account');
  people.push({ state: 'an owner who left the group and signed in again', now: undefined, ...left });
  const moved = await byGroup('moved', ['leads']);
  provider.accounts.set('moved', { name: 'moved', groups: ['rig'] });
  await signIn('moved');
  people.push({ state: 'an owner who was moved to another group', now: 'member', ...moved });
  const lapsed = await byGroup('lapsed', ['leads']);
  await sql`
    update memberships set counts_until = now()
    where person_id = (select id from people where subject = 'lapsed')`.execute(service.db);
  people.push({ state: 'an owner by group who has not signed in for a week', now: undefined, ...lapsed });
}, 60_000);

describe('the table', () => {
  it('It has every operation of the documents, and no other', () => {
    expect([...MAY.keys()].toSorted()).toEqual([...new Set(OPERATIONS.map((one) => one.operationId))].toSorted());
  });
});

describe('a role, and its loss', () => {
  const rows = OPERATIONS.filter(({ operationId }) => operationId !== 'leaveAccount');

  it.each(rows)('People may do what the table says, and nothing else, at $name', async (operation) => {
    await Promise.all(people.map((somebody) => expectAsTable(operation, somebody)));
  });

  it.each(OPERATIONS.filter(({ operationId }) => operationId === 'leaveAccount'))(
    'Everybody who is a member may leave, and nobody else: $name',
    async (operation) => {
      for (const { state, now, key, session } of people) {
        const { status, text } = await key(operation.method, operation.url);
        // The last owner stays; one whose membership does not count now is none.
        const expected = now === 'owner' ? 409 : 204;
        expect(status, `${state}: ${text}`).toBe(now === undefined ? 401 : expected);
        expect((await session('GET', '/v1/me')).status, state).toBe(now === 'owner' ? 200 : 401);
      }
    },
  );
});

async function expectAsTable(operation: (typeof OPERATIONS)[number], { state, now, session, key }: Somebody) {
  const { operationId, method, url, body, takesSessions } = operation;
  const isAllowed = now !== undefined && MAY.get(operationId)!.includes(now);
  for (const [by, send] of [['session', session] as const, ['key', key] as const]) {
    const { status, text } = await send(method, url, body);
    const what = `${state}, by ${by}: ${status} ${text}`;
    if (now === undefined || (by === 'session' && !takesSessions)) expect(status, what).toBe(401);
    else if (isAllowed) expect([401, 403], what).not.toContain(status);
    else expect(text, what).toContain('needs a key with the scope');
  }
}
