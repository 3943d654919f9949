import { MOST_SOLUTIONS } from '../../domain/several-solutions.ts';
import { ok } from '../answer/answers.ts';
import { defineOperation, type Operation } from '../operation.ts';
import { frontSchema, presentFront, presentSolutions, solutionsSchema } from './forecasts.wire.ts';

const objective = '/models/{model_id}/projects/{project_id}/trials/{trial_id}/objectives/{objective_id}';

export const forecastOperations: readonly Operation[] = [
  defineOperation({
    method: 'GET',
    path: `${objective}/solutions`,
    operationId: 'getSolutions',
    tag: 'Objectives',
    summary: 'Read inputs that meet all targets of an objective, as different as possible',
    description:
      'Of all runs that the objective knows, its cases included, and of what the models expect elsewhere. Computed on request; one at a time per account.',
    numbers: {
      count: { description: 'The most of each kind.', minimum: 1, maximum: MOST_SOLUTIONS, default: 5 },
    },
    answers: ok.spec('The solutions.', solutionsSchema),
    handle: async ({ deps, accountId, ids, numbers }) =>
      ok.answer(presentSolutions(await deps.forecasts.findSolutions(deps.db, accountId, ids, numbers['count']!))),
  }),
  defineOperation({
    method: 'GET',
    path: `${objective}/front`,
    operationId: 'getFront',
    tag: 'Objectives',
    summary: 'Read the front of an objective with outputs without target',
    description:
      'The runs that no other one beats, and what the models expect between them. Computed on request; one at a time per account.',
    answers: ok.spec('The front.', frontSchema),
    handle: async ({ deps, accountId, ids }) =>
      ok.answer(presentFront(await deps.forecasts.findFront(deps.db, accountId, ids))),
  }),
];
