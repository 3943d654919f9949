/** The routes of the native dialect and their scope. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { InverseReference } from '../../domain/errors.ts';
import type { RateLimiter } from '../fairness/rate-limiter.ts';
import { admitAccounts } from '../hooks/admit-accounts.ts';
import { limitRate } from '../hooks/rate-limit.ts';
import { requireScope } from '../hooks/scopes.ts';
import { forbidCaching } from '../hooks/security-headers.ts';
import type { IngressDeps } from '../operation/deps.ts';
import { makeErrorHandler } from '../operation/errors.ts';
import { type Operation, withFlatPaths } from '../operation/operation.ts';
import { registerOperations } from '../routing/register-operations.ts';
import { inversePath } from '../wire/native-paths.ts';
import { accountOperations } from './accounts/account.ts';
import { draftOperations } from './accounts/drafts.ts';
import { keyOperations } from './accounts/keys.ts';
import { batchOperations } from './batches/batches.ts';
import { correctionOperations } from './corrections/corrections.ts';
import { outputCaseOperations } from './data/output-cases.ts';
import { trialCaseOperations } from './data/trial-cases.ts';
import { trialOperations } from './data/trials.ts';
import { deletedOperations } from './deletion/deleted.ts';
import { evaluationOperations } from './evaluations/evaluations.ts';
import { exportOperations } from './exports/export.ts';
import { linkOperations } from './exports/links.ts';
import { reportOperations } from './exports/report.ts';
import { noteOperations } from './notes/notes.ts';
import { oneselfOperations } from './people/oneself.ts';
import { peopleOperations } from './people/people.ts';
import { modelOperations } from './problem/models.ts';
import { projectOperations } from './problem/projects.ts';
import { historyOperations } from './search/history.ts';
import { inverseOperations } from './search/inverses.ts';
import { modelInsightOperations } from './search/model-insights.ts';
import { objectiveOperations } from './search/objectives.ts';
import { overviewOperations } from './search/overview.ts';
import { trialRunOperations } from './search/trial-runs.ts';
import { recipientOperations } from './webhooks/recipients.ts';
import { webhookOperations } from './webhooks/webhooks.ts';
import { workbookOperations } from './workbooks/workbooks.ts';

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

export const NATIVE_OPERATIONS: readonly Operation[] = withFlatPaths(NESTED_OPERATIONS);

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
