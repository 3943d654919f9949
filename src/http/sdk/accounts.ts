/** Registration, the only call without a key. Closed unless the settings open it. */
import type { FastifyInstance } from 'fastify';
import { registerAccount } from '../../application/accounts/register-account.ts';
import { inCell } from '../../domain/accounts/api-key.ts';
import { refuseViolations } from '../../domain/errors.ts';
import { createdWithoutPath } from '../answer/answers.ts';
import { clientAddress } from '../connection/client-address.ts';
import type { IngressDeps } from '../operation/deps.ts';
import { answerStatus, sendError } from '../operation/errors.ts';
import type { OperationDescription } from '../operation/operation.ts';
import { pathOf } from '../operation/request-path.ts';
import { REPLAY_HEADERS, readKey } from '../routing/idempotency.ts';
import { accountSchema, newAccount, presentAccount } from './accounts.wire.ts';

/** The Idempotency-Key unseals the stored answer, so it must be as long as a UUID without hyphens. */
const MINIMUM_KEY_LENGTH = 32;

export const registration: OperationDescription = {
  method: 'POST',
  path: '/accounts/register',
  operationId: 'registerAccount',
  tag: 'Accounts',
  summary: 'Create an account and its first API key, if the operator has opened registration',
  description: 'The password is not stored: the API key is the only credential.',
  body: newAccount,
  needsNoKey: true,
  minimumKeyLength: MINIMUM_KEY_LENGTH,
  answers: createdWithoutPath.spec('The account with its API key, which is never shown again.', accountSchema),
  refusals: { 403: 'Registration is closed on this service.' },
};

/** Relative to the scope's prefix. */
export function addRegistration(scope: FastifyInstance, deps: IngressDeps): void {
  const isOpen = deps.settings.isRegistrationOpen ?? false;
  scope.route({
    method: registration.method,
    url: registration.path,
    // In onRequest, so that a body with a password is never read.
    onRequest: async (request, reply) => {
      if (isOpen) return;
      const detail = 'Registration is closed on this service; ask its operator for an API key.';
      return sendError(reply, answerStatus(403, detail, { instance: pathOf(request) }));
    },
    handler: async (request, reply) => {
      const { value, violations, digest } = await deps.bodies.read(
        request,
        reply,
        newAccount,
        `address ${clientAddress(request)}`,
      );
      const { key, violations: keyViolations } = readKey(request, MINIMUM_KEY_LENGTH);
      refuseViolations([...keyViolations, ...violations]);
      const named = {
        method: request.method,
        path: pathOf(request),
        key: key ?? '',
        body: digest?.toString('base64url') ?? '',
      };
      const made = await registerAccount(deps.db, value!, key === undefined ? undefined : named);
      if (made.isReplay) reply.headers(REPLAY_HEADERS);
      return reply.code(201).send(presentAccount(made.account, inCell(made.keyText, deps.settings.cell)));
    },
  });
}
