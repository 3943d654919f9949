import { loadObjectives } from '../../application/search/load-objectives.ts';
import { getObjective } from '../../application/search/read-objectives.ts';
import { created, ok } from '../answer/answers.ts';
import { defineOperation, type Operation } from '../operation/operation.ts';
import { newObjectives, objectiveSchema, presentObjective, presentReadObjective } from './objectives.wire.ts';
import { objectivePath } from './paths.ts';

const tag = 'Objectives';

export const objectiveOperations: readonly Operation[] = [
  defineOperation({
    method: 'POST',
    path: '/trials/{trial_id}/objectives',
    operationId: 'loadObjectives',
    tag,
    summary: 'Load objectives with an initial input and its output',
    body: newObjectives,
    answers: created.spec('The objective.', objectiveSchema),
    handle: async ({ deps, accountId, ids, body }) => {
      const limits = deps.settings.account;
      const objective = await loadObjectives(deps.db, accountId, ids, body, limits);
      return created.answer(objectivePath(objective.id), presentObjective(objective));
    },
    replay: {
      read: async ({ deps, accountId, ids }, objectiveId) =>
        presentReadObjective(await getObjective(deps.db, accountId, { ...ids, objectiveId })),
    },
  }),
  defineOperation({
    method: 'GET',
    path: '/objectives/{objective_id}',
    operationId: 'readObjective',
    tag,
    summary: 'Read an objective with its inverses',
    answers: ok.spec('The objective.', objectiveSchema),
    handle: async ({ deps, accountId, ids }) =>
      ok.written(presentReadObjective(await getObjective(deps.db, accountId, ids))),
  }),
];
