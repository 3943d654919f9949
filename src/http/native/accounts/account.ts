import { readAccount } from '../../../application/accounts/read-account.ts';
import { ok } from '../../answer/answers.ts';
import { defineOperation, type Operation } from '../../operation/operation.ts';
import { accountSchema, presentAccount } from './account.wire.ts';

export const accountOperations: readonly Operation[] = [
  defineOperation({
    method: 'GET',
    path: '/account',
    operationId: 'getAccount',
    tag: 'Account',
    summary: 'Read the usage and the limits of the account',
    answers: ok.spec('The account.', accountSchema),
    handle: async ({ deps, accountId }) =>
      ok.answer(presentAccount(await readAccount(deps.db, accountId), deps.settings)),
  }),
];
