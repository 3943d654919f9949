import {
  createAccountKey,
  getAccountKey,
  listAccountKeys,
  revokeAccountKey,
  rotateAccountKey,
  updateAccountKey,
} from '../../../application/accounts/manage-account-keys.ts';
import { created, noContent, ok, pageOf } from '../../answer/answers.ts';
import { defineOperation, type Operation } from '../../operation/operation.ts';
import { keyPath } from '../../wire/native-paths.ts';
import {
  createdKeySchema,
  keyPatch,
  keySchema,
  newKey,
  newRotation,
  presentCreatedKey,
  presentKey,
  presentRotatedKey,
  rotatedKeySchema,
} from './keys.wire.ts';

const tag = 'Keys';
const key = '/keys/{key_id}';

/** For operations that could remove the last admin key. */
const LAST_ADMIN_KEY = 'The account would have no usable key with the scope admin; detail says what to do.';
const MISSING_SCOPE = 'The requesting key lacks the scope admin or a scope of the new key; detail names it.';

export const keyOperations: readonly Operation[] = [
  defineOperation({
    method: 'POST',
    path: '/keys',
    operationId: 'createKey',
    tag,
    scope: 'admin',
    summary: 'Create a key',
    description:
      'The answer contains the text of the key, which is never shown again. A key cannot grant a scope that it lacks.',
    body: newKey,
    holdsSecret: true,
    answers: created.spec('The key with its text.', createdKeySchema),
    refusals: { 403: MISSING_SCOPE },
    handle: async ({ deps, principal, body }) => {
      const made = await createAccountKey(deps.db, principal, body);
      return created.answer(keyPath(made.key.id), presentCreatedKey(made, deps.settings.cell));
    },
  }),
  defineOperation({
    method: 'GET',
    path: '/keys',
    operationId: 'listKeys',
    tag,
    scope: 'admin',
    summary: 'List the keys',
    description: 'Including revoked and expired keys.',
    isList: true,
    answers: pageOf.spec('The keys of the account, oldest first.', keySchema),
    handle: async (call) =>
      pageOf.answer(call, await listAccountKeys(call.deps.db, call.accountId, call.page), presentKey),
  }),
  defineOperation({
    method: 'GET',
    path: key,
    operationId: 'getKey',
    tag,
    scope: 'admin',
    summary: 'Read a key',
    answers: ok.spec('The key.', keySchema),
    handle: async ({ deps, accountId, ids }) =>
      ok.answer(presentKey(await getAccountKey(deps.db, accountId, ids.keyId))),
  }),
  defineOperation({
    method: 'PATCH',
    path: key,
    operationId: 'updateKey',
    tag,
    scope: 'admin',
    summary: 'Change the label or the expiry of a key',
    description: 'An expired key works again if its expiry moves into the future; a revoked key never does.',
    body: keyPatch,
    answers: ok.spec('The key as it is now.', keySchema),
    refusals: { 409: `The key is revoked. Or: ${LAST_ADMIN_KEY}` },
    handle: async ({ deps, accountId, ids, body }) =>
      ok.answer(presentKey(await updateAccountKey(deps.db, accountId, ids.keyId, body))),
  }),
  defineOperation({
    method: 'POST',
    path: `${key}/rotate`,
    operationId: 'rotateKey',
    tag,
    scope: 'admin',
    summary: 'Replace a key with a new one',
    description:
      'Creates a successor with the same label, scopes and expiry; its text is shown here and never again. The old key works until the overlap ends; a key that rotates itself needs an overlap of at least 60 seconds.',
    body: newRotation,
    holdsSecret: true,
    answers: created.spec('The successor with its text.', rotatedKeySchema),
    refusals: {
      403: MISSING_SCOPE,
      409: 'The key is revoked, has expired or has already been rotated; detail says what to do.',
    },
    handle: async ({ deps, principal, ids, body }) => {
      const rotated = await rotateAccountKey(deps.db, principal, ids.keyId, body.overlapSeconds);
      return created.answer(keyPath(rotated.successor.id), presentRotatedKey(rotated, deps.settings.cell));
    },
  }),
  defineOperation({
    method: 'DELETE',
    path: key,
    operationId: 'revokeKey',
    tag,
    scope: 'admin',
    summary: 'Revoke a key immediately and permanently',
    description: 'It stays in the list. Repeating the request changes nothing.',
    answers: noContent.spec,
    refusals: { 409: LAST_ADMIN_KEY },
    handle: async ({ deps, accountId, ids }) => {
      await revokeAccountKey(deps.db, accountId, ids.keyId);
      return noContent.answer;
    },
  }),
];
