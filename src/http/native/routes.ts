/** The routes of the native dialect and their scope. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { InverseReference } from '../../domain/errors.ts';
import type { IngressDeps } from '../deps.ts';
import { makeErrorHandler } from '../errors.ts';
import { admitAccounts } from '../hooks/admit-accounts.ts';
import { limitRate } from '../hooks/rate-limit.ts';
import { requireScope } from '../hooks/scopes.ts';
import { forbidCaching } from '../hooks/security-headers.ts';
import { flatten, type Operation } from '../operation.ts';
import type { RateLimiter } from '../rate-limiter.ts';
import { registerOperations } from '../register-operations.ts';
import { accountOperations } from './account.ts';
import { batchOperations } from './batches.ts';
import { correctionOperations } from './corrections.ts';
import { deletedOperations } from './deleted.ts';
import { draftOperations } from './drafts.ts';
import { evaluationOperations } from './evaluations.ts';
import { exportOperations } from './export.ts';
import { historyOperations } from './history.ts';
import { inverseOperations } from './inverses.ts';
import { keyOperations } from './keys.ts';
import { linkOperations } from './links.ts';
import { modelInsightOperations } from './model-insights.ts';
import { modelOperations } from './models.ts';
import { noteOperations } from './notes.ts';
import { objectiveOperations } from './objectives.ts';
import { oneselfOperations } from './oneself.ts';
import { outputCaseOperations } from './output-cases.ts';
import { overviewOperations } from './overview.ts';
import { inversePath } from './paths.ts';
import { peopleOperations } from './people.ts';
import { projectOperations } from './projects.ts';
import { recipientOperations } from './recipients.ts';
import { reportOperations } from './report.ts';
import { trialCaseOperations } from './trial-cases.ts';
import { trialRunOperations } from './trial-runs.ts';
import { trialOperations } from './trials.ts';
import { webhookOperations } from './webhooks.ts';
import { workbookOperations } from './workbooks.ts';

const NESTED_OPERATIONS: readonly Operation[] = [
  ...modelOperations,
  ...projectOperations,
  ...outputCaseOperations,
  ...trialOperations,
  ...trialCaseOperations,
  ...objectiveOperations,
  ...inverseOperations,
  ...historyOperations,
  ...trialRunOperations,
  ...modelInsightOperations,
  ...reportOperations,
  ...linkOperations,
  ...overviewOperations,
  ...correctionOperations,
  ...noteOperations,
  ...keyOperations,
  ...peopleOperations,
  ...oneselfOperations,
  ...webhookOperations,
  ...recipientOperations,
  ...accountOperations,
  ...draftOperations,
  ...deletedOperations,
  ...exportOperations,
  ...batchOperations,
  ...evaluationOperations,
  ...workbookOperations,
];

export const NATIVE_OPERATIONS: readonly Operation[] = [...NESTED_OPERATIONS, ...flatten(NESTED_OPERATIONS)];

/** Register it in its own scope under the prefix of the dialect. `limiter` undefined: no limit. */
export function addNativeDialect(scope: FastifyInstance, deps: IngressDeps, limiter: RateLimiter | undefined): void {
  forbidCaching(scope);
  admitAccounts(scope, deps, true);
  requireScope(scope);
  if (limiter !== undefined) limitRate(scope, limiter);
  scope.setErrorHandler(makeErrorHandler({ databaseTrouble: deps.databaseTrouble, inversePathOf, hasParts: true }));
  registerOperations(scope, deps, NATIVE_OPERATIONS);
}

/** The path of an inverse in the trial of the request, flat as the request's own. */
function inversePathOf(request: FastifyRequest, inverse: InverseReference): string | undefined {
  const { model_id, project_id, trial_id, objective_id } = request.params as Readonly<
    Record<string, string | undefined>
  >;
  if (model_id === undefined && objective_id !== undefined) {
    return inversePath({}, inverse.objectiveId, inverse.inverseId);
  }
  if (model_id === undefined || project_id === undefined || trial_id === undefined) return undefined;
  const ids = { modelId: Number(model_id), projectId: Number(project_id), trialId: Number(trial_id) };
  return inversePath(ids, inverse.objectiveId, inverse.inverseId);
}
