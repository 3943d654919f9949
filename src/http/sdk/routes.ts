/**
 * The dialect of existing client libraries: flat paths and camelCase, with the same use cases as the native dialect. All
 * quirks of those clients are in this folder.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { InverseReference } from '../../domain/errors.ts';
import { clientAddress } from '../connection/client-address.ts';
import type { RateLimiter } from '../fairness/rate-limiter.ts';
import { admitAccounts } from '../hooks/admit-accounts.ts';
import { limitRate } from '../hooks/rate-limit.ts';
import { requireScope } from '../hooks/scopes.ts';
import { forbidCaching } from '../hooks/security-headers.ts';
import type { IngressDeps } from '../operation/deps.ts';
import { makeErrorHandler } from '../operation/errors.ts';
import type { Operation } from '../operation/operation.ts';
import { registerOperations } from '../routing/register-operations.ts';
import { addRegistration } from './accounts.ts';
import { inverseOperations } from './inverses.ts';
import { modelOperations } from './models.ts';
import { objectiveOperations } from './objectives.ts';
import { objectivePath } from './paths.ts';
import { projectOperations } from './projects.ts';
import { trialOperations } from './trials.ts';

export const SDK_OPERATIONS: readonly Operation[] = [
  ...modelOperations,
  ...projectOperations,
  ...trialOperations,
  ...objectiveOperations,
  ...inverseOperations,
];

/** Register it in its own scope under the prefix of the dialect. `limiter` undefined: no limit. */
export async function addSdkDialect(
  scope: FastifyInstance,
  deps: IngressDeps,
  limiter: RateLimiter | undefined,
): Promise<void> {
  forbidCaching(scope);
  scope.setErrorHandler(makeErrorHandler({ databaseTrouble: deps.databaseTrouble, inversePathOf }));
  await scope.register(async (open) => {
    const registrationLimiter = deps.registrationLimiter ?? limiter;
    // A closed registration costs nothing and is not counted.
    if (deps.settings.isRegistrationOpen && registrationLimiter !== undefined) {
      limitRate(open, registrationLimiter, (request) => `registration ${clientAddress(request)}`);
    }
    addRegistration(open, deps);
  });
  await scope.register(async (authenticated) => {
    admitAccounts(authenticated, deps);
    requireScope(authenticated);
    if (limiter !== undefined) limitRate(authenticated, limiter);
    registerOperations(authenticated, deps, SDK_OPERATIONS);
  });
}

/** This dialect cannot read an inverse on its own; its objective contains it. */
function inversePathOf(_: FastifyRequest, inverse: InverseReference): string {
  return objectivePath(inverse.objectiveId);
}
