import { getOutputCaseSet, listOutputCaseSets, loadOutputCases } from '../../application/load-output-cases.ts';
import { notFound } from '../../domain/errors.ts';
import { defineOperation, type Operation } from '../operation.ts';
import { created, ok, pageOf } from './answers.ts';
import {
  loadedSetSchema,
  newOutputCases,
  outputCaseSetSchema,
  presentLoadedSet,
  presentOutputCaseSet,
  toOutputCases,
} from './output-cases.wire.ts';
import { projectPath } from './paths.ts';

const tag = 'Output cases';
const sets = '/models/{model_id}/projects/{project_id}/output-cases';

export const outputCaseOperations: readonly Operation[] = [
  defineOperation({
    method: 'POST',
    path: sets,
    operationId: 'loadOutputCases',
    tag,
    summary: 'Load the outputs of the input cases, and start a trial on them',
    body: newOutputCases,
    answers: created.spec('The set, with the id of the new trial.', loadedSetSchema),
    handle: async ({ deps, accountId, ids, body }) => {
      const { set, trial } = await loadOutputCases(deps.db, accountId, ids, toOutputCases(body), deps.settings.account);
      const location = `${projectPath(ids.modelId, ids.projectId)}/output-cases/${set.id}`;
      return created.answer(location, presentLoadedSet(set, trial.id));
    },
    replay: {
      read: async ({ deps, accountId, ids }, outputCaseSetId) => {
        const { set, trialId } = await getOutputCaseSet(deps.db, accountId, { ...ids, outputCaseSetId });
        if (trialId === null) throw notFound('trial on the output case set', set.id);
        return presentLoadedSet(set, trialId);
      },
    },
  }),
  defineOperation({
    method: 'GET',
    path: sets,
    operationId: 'listOutputCaseSets',
    tag,
    summary: 'List the output case sets of a project',
    isList: true,
    answers: pageOf.spec('The sets, oldest first.', outputCaseSetSchema),
    handle: async (call) =>
      pageOf.answer(
        call,
        await listOutputCaseSets(call.deps.db, call.accountId, call.ids, call.page),
        presentOutputCaseSet,
      ),
  }),
  defineOperation({
    method: 'GET',
    path: `${sets}/{output_case_set_id}`,
    operationId: 'getOutputCaseSet',
    tag,
    summary: 'Read an output case set',
    answers: ok.spec('The set.', outputCaseSetSchema),
    handle: async ({ deps, accountId, ids }) =>
      ok.answer(presentOutputCaseSet(await getOutputCaseSet(deps.db, accountId, ids))),
  }),
];
