/** Operations of people on their own account and keys. Every key and session may ask who it is. */
import { createOwnKey, listOwnKeys, revokeOwnKey } from '../../../application/accounts/manage-account-keys.ts';
import {
  createOwnLink,
  leaveAccount,
  listOwnAccounts,
  readOneself,
  renameOneself,
} from '../../../application/people/oneself.ts';
import { SCOPES } from '../../../domain/accounts/api-key.ts';
import { createdWithoutPath, noContent, ok, pageOf } from '../../answer/answers.ts';
import { defineOperation, type Operation } from '../../operation/operation.ts';
import { createdKeySchema, keySchema, newKey, presentCreatedKey, presentKey } from '../accounts/keys.wire.ts';
import {
  accountStateSchema,
  oneselfPatch,
  oneselfSchema,
  presentAccountState,
  presentLink,
  presentOneself,
  signInLinkSchema,
} from './people.wire.ts';

const tag = 'Oneself';
const scope = SCOPES;
const NO_PERSON = 'The key or session is not that of a person.';

export const oneselfOperations: readonly Operation[] = [
  defineOperation({
    method: 'GET',
    path: '/me',
    operationId: 'getMe',
    tag,
    scope,
    summary: 'Read who you are, in which account, and what you may do there',
    answers: ok.spec('You.', oneselfSchema),
    handle: async ({ deps, principal }) => ok.answer(presentOneself(await readOneself(deps.db, principal))),
  }),
  defineOperation({
    method: 'PATCH',
    path: '/me',
    operationId: 'updateMe',
    tag,
    scope,
    summary: 'Change your name or e-mail address',
    description: 'What you did before keeps the name that you had.',
    body: oneselfPatch,
    answers: ok.spec('You, as you are now.', oneselfSchema),
    refusals: { 403: NO_PERSON },
    handle: async ({ deps, principal, body }) =>
      ok.answer(presentOneself(await renameOneself(deps.db, principal, body))),
  }),
  defineOperation({
    method: 'GET',
    path: '/me/accounts',
    operationId: 'listMyAccounts',
    tag,
    scope,
    summary: 'List your accounts with what their objectives have reached',
    description:
      'For teachers of a course: each account that its invitation opened is in the list. A key has only its own account.',
    isList: true,
    answers: pageOf.spec('The accounts, oldest first; none without a person.', accountStateSchema),
    handle: async (call) =>
      pageOf.answer(call, await listOwnAccounts(call.deps.db, call.principal, call.page), presentAccountState),
  }),
  defineOperation({
    method: 'POST',
    path: '/me/leave',
    operationId: 'leaveAccount',
    tag,
    scope,
    summary: 'Leave the account',
    description: 'Ends your sessions and keys in it. What you did stays, with your name.',
    answers: noContent.spec,
    refusals: { 403: NO_PERSON, 409: 'You are the last owner of the account.' },
    handle: async ({ deps, principal }) => {
      await leaveAccount(deps.db, principal);
      return noContent.answer;
    },
  }),
  defineOperation({
    method: 'POST',
    path: '/me/sign-in-link',
    operationId: 'createMyLink',
    tag,
    scope,
    summary: 'Make a link that signs you in on another device',
    description: 'It works once, within 15 minutes.',
    holdsSecret: true,
    answers: createdWithoutPath.spec('The link.', signInLinkSchema),
    refusals: { 403: NO_PERSON },
    handle: async ({ deps, principal }) =>
      createdWithoutPath.answer(presentLink(await createOwnLink(deps.db, principal))),
  }),
  defineOperation({
    method: 'POST',
    path: '/me/keys',
    operationId: 'createMyKey',
    tag,
    scope,
    summary: 'Create a key of your own',
    description:
      'For your programs, and to sign in again. It never has more rights than your role, and ends when you leave the account. Its text is shown here and never again.',
    body: newKey,
    holdsSecret: true,
    answers: createdWithoutPath.spec('The key with its text.', createdKeySchema),
    refusals: { 403: `${NO_PERSON} Or: you lack a scope of the new key; detail names it.` },
    handle: async ({ deps, principal, body }) =>
      createdWithoutPath.answer(presentCreatedKey(await createOwnKey(deps.db, principal, body), deps.settings.cell)),
  }),
  defineOperation({
    method: 'GET',
    path: '/me/keys',
    operationId: 'listMyKeys',
    tag,
    scope,
    summary: 'List your keys',
    isList: true,
    answers: pageOf.spec('Your keys, oldest first, including revoked and expired ones.', keySchema),
    refusals: { 403: NO_PERSON },
    handle: async (call) => pageOf.answer(call, await listOwnKeys(call.deps.db, call.principal, call.page), presentKey),
  }),
  defineOperation({
    method: 'DELETE',
    path: '/me/keys/{key_id}',
    operationId: 'revokeMyKey',
    tag,
    scope,
    summary: 'Revoke a key of your own',
    answers: noContent.spec,
    handle: async ({ deps, principal, ids }) => {
      await revokeOwnKey(deps.db, principal, ids.keyId);
      return noContent.answer;
    },
  }),
];
