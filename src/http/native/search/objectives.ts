import { getTrial } from '../../../application/data/manage-trials.ts';
import { changeObjective } from '../../../application/search/change-objective.ts';
import { initializeInverse, loadObjectives, refuseEmptyLimits } from '../../../application/search/load-objectives.ts';
import {
  deleteObjective,
  getInverse,
  getObjective,
  listObjectives,
  type ReadObjective,
} from '../../../application/search/read-objectives.ts';
import { stopObjective } from '../../../application/search/stop-objective.ts';
import { created, noContent, ok, pageOf } from '../../answer/answers.ts';
import { designEngineOf } from '../../operation/gone-signal.ts';
import { defineOperation, type Operation } from '../../operation/operation.ts';
import { inversePath, objectivePath } from '../../wire/native-paths.ts';
import { inverseSchema, noFields, presentInverse } from './inverses.wire.ts';
import { newInverse, newObjectives, objectivePatch } from './new-objective.wire.ts';
import {
  explainedObjectiveSchema,
  loadedObjectivesSchema,
  objectiveSchema,
  presentExplainedObjective,
  presentLoadedObjectives,
  presentReadObjective,
} from './objectives.wire.ts';

const tag = 'Objectives';
const objectives = '/models/{model_id}/projects/{project_id}/trials/{trial_id}/objectives';
const objective = `${objectives}/{objective_id}` as const;

function presentReplay({ objective, openCount }: ReadObjective) {
  return presentLoadedObjectives(objective, openCount);
}

export const objectiveOperations: readonly Operation[] = [
  defineOperation({
    method: 'POST',
    path: objectives,
    operationId: 'loadObjectives',
    tag,
    summary: 'Load objectives',
    description:
      'The initial point is iteration 1, already completed. If it satisfies everything within all limits on the inputs, the objective is satisfied immediately. Without an initial point the search starts from the best case known.',
    body: newObjectives,
    answers: created.spec('The objectives, judged at the initial output.', loadedObjectivesSchema),
    prepare: (call) =>
      refuseEmptyLimits({ db: call.deps.db, engine: designEngineOf(call) }, call.accountId, call.ids, call.body),
    handle: async ({ deps, accountId, ids, body }) => {
      const loaded = await loadObjectives(deps.db, accountId, ids, body, deps.settings.account);
      return created.answer(objectivePath(ids, loaded.id), presentLoadedObjectives(loaded));
    },
    replay: {
      read: async ({ deps, accountId, ids }, objectiveId) =>
        presentReplay(await getObjective(deps.db, accountId, { ...ids, objectiveId })),
    },
  }),
  defineOperation({
    method: 'POST',
    path: '/trials/{trial_id}/initialize-inverse',
    operationId: 'initializeInverse',
    tag,
    summary: 'Load objectives and start the inverse optimization in one call',
    description:
      'If one type is exact, all must be, and the L1 norm of all outputs is judged. Repeated with the same definition while that objective is running, it returns the same iteration 1.',
    body: newInverse,
    answers: created.spec('Iteration 1, the initial point.', inverseSchema),
    handle: async ({ deps, accountId, ids, body }) => {
      const view = await initializeInverse(deps.db, accountId, ids.trialId, body, deps.settings.account);
      const trial = await getTrial(deps.db, accountId, ids);
      const location = inversePath({ ...trial, ...ids }, view.objective.id, view.inverse.id);
      return created.answer(location, presentInverse(view));
    },
    replay: {
      isFinal: true,
      read: async ({ deps, accountId, ids }, inverseId) =>
        presentInverse(await getInverse(deps.db, accountId, { ...ids, inverseId })),
    },
  }),
  defineOperation({
    method: 'GET',
    path: objectives,
    operationId: 'listObjectives',
    tag,
    summary: 'List the objectives of a trial with their inverses',
    isList: true,
    answers: pageOf.spec('The objectives, oldest first.', objectiveSchema),
    handle: async (call) =>
      pageOf.written(
        call,
        await listObjectives(call.deps.db, call.accountId, call.ids, call.page),
        presentReadObjective,
      ),
  }),
  defineOperation({
    method: 'GET',
    path: objective,
    operationId: 'getObjective',
    tag,
    summary: 'Read an objective with all its inverses and what the optimizer has learned about it',
    answers: ok.spec('The objective.', explainedObjectiveSchema),
    handle: async ({ deps, accountId, ids }) =>
      ok.written(presentExplainedObjective(await getObjective(deps.db, accountId, ids))),
  }),
  defineOperation({
    method: 'PATCH',
    path: objective,
    operationId: 'updateObjective',
    tag,
    summary: 'Change how an objective runs, or let one that ended by evidence run on',
    description:
      'When `parallelism` is lowered, open inverses stay open; no more are opened until there are fewer. An objective that has ended runs on when `isResumable` is true and `maximumAttempts` is raised or `stop` changed: its states are RUNNING again, its runs stay, and webhooks receive objective.reopened.',
    body: objectivePatch,
    answers: ok.spec('The objective as it is now.', explainedObjectiveSchema),
    handle: async ({ deps, accountId, ids, body }) => {
      await changeObjective(deps.db, accountId, ids, body, deps.settings.account);
      return ok.written(presentExplainedObjective(await getObjective(deps.db, accountId, ids)));
    },
  }),
  defineOperation({
    method: 'DELETE',
    path: objective,
    operationId: 'deleteObjective',
    tag,
    summary: 'Disable an objective and its inverses',
    answers: noContent.spec,
    handle: async ({ deps, accountId, ids }) => {
      await deleteObjective(deps.db, accountId, ids);
      return noContent.answer;
    },
  }),
  defineOperation({
    method: 'POST',
    path: `${objective}/stop`,
    operationId: 'stopObjective',
    tag,
    summary: 'Stop an objective',
    description: 'An objective that has ended is returned unchanged.',
    body: noFields,
    answers: ok.spec('The objective as it is now.', objectiveSchema),
    handle: async ({ deps, accountId, ids }) => ok.answer({ id: (await stopObjective(deps.db, accountId, ids)).id }),
    replay: {
      isLong: true,
      read: async ({ deps, accountId, ids }) => presentReadObjective(await getObjective(deps.db, accountId, ids)),
    },
  }),
];
