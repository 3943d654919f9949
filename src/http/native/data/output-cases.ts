import { getOutputCaseSet, listOutputCaseSets, loadOutputCases } from '../../../application/data/load-output-cases.ts';
import { readAllOutputCases, readOutputCasePage } from '../../../application/data/read-cases.ts';
import { getProject } from '../../../application/problem/manage-projects.ts';
import { notFound } from '../../../domain/errors.ts';
import { labelsOf } from '../../../domain/problem/names.ts';
import { created, ok, pageOf } from '../../answer/answers.ts';
import { JsonArray } from '../../answer/json-array.ts';
import { defineOperation, type Operation } from '../../operation/operation.ts';
import { projectPath } from '../../wire/native-paths.ts';
import { presentOutputByName } from '../problem/by-name.wire.ts';
import {
  loadedSetSchema,
  newOutputCases,
  outputCaseSchema,
  outputCaseSetSchema,
  outputCaseSetSummarySchema,
  presentLoadedSet,
  presentOutputCaseSet,
  presentOutputCaseSetSummary,
} from './output-cases.wire.ts';

const tag = 'Output cases';
const sets = '/models/{model_id}/projects/{project_id}/output-cases';

export const outputCaseOperations: readonly Operation[] = [
  defineOperation({
    method: 'POST',
    path: sets,
    operationId: 'loadOutputCases',
    tag,
    summary: 'Load the outputs of the input cases and start a trial on them',
    body: newOutputCases,
    answers: created.spec('The set, with the id of the new trial.', loadedSetSchema),
    handle: async ({ deps, accountId, ids, body }) => {
      const { set, trial } = await loadOutputCases(deps.db, accountId, ids, body, deps.settings.account);
      const location = `${projectPath(ids.modelId, ids.projectId)}/output-cases/${set.id}`;
      return created.written(location, presentLoadedSet(set, set.outputCases, trial.id));
    },
    replay: {
      read: async ({ deps, accountId, ids }, outputCaseSetId) => {
        const { set, trialId } = await getOutputCaseSet(deps.db, accountId, { ...ids, outputCaseSetId });
        if (trialId === null) throw notFound('trial on the output case set', set.id);
        return presentLoadedSet(set, JsonArray.plain(readAllOutputCases(deps.db, accountId, set)), trialId);
      },
    },
  }),
  defineOperation({
    method: 'GET',
    path: sets,
    operationId: 'listOutputCaseSets',
    tag,
    summary: 'List the output case sets of a project, without their cases',
    isList: true,
    answers: pageOf.spec('The sets, oldest first.', outputCaseSetSummarySchema),
    handle: async (call) =>
      pageOf.answer(
        call,
        await listOutputCaseSets(call.deps.db, call.accountId, call.ids, call.page),
        presentOutputCaseSetSummary,
      ),
  }),
  defineOperation({
    method: 'GET',
    path: `${sets}/{output_case_set_id}`,
    operationId: 'getOutputCaseSet',
    tag,
    summary: 'Read an output case set',
    answers: ok.spec('The set.', outputCaseSetSchema),
    handle: async ({ deps, accountId, ids }) => {
      const found = await getOutputCaseSet(deps.db, accountId, ids);
      const cases = JsonArray.plain(readAllOutputCases(deps.db, accountId, found.set));
      return ok.written(presentOutputCaseSet(found, cases));
    },
  }),
  defineOperation({
    method: 'GET',
    path: `${sets}/{output_case_set_id}/cases`,
    operationId: 'listOutputCases',
    tag,
    summary: 'List the cases of an output case set',
    isList: true,
    answers: pageOf.spec('The cases in order; after takes the number of the last case.', outputCaseSchema),
    handle: async (call) => {
      const { db } = call.deps;
      const { set } = await getOutputCaseSet(db, call.accountId, call.ids);
      const page = readOutputCasePage(db, call.accountId, set, call.page);
      const labels = labelsOf(await getProject(db, call.accountId, call.ids));
      const failed = new Set(set.failedCases);
      let index = page.from - 1;
      return pageOf.written(call, page, (output) => {
        index += 1;
        const known = failed.has(index) ? null : output;
        return { number: index + 1, output: known, ...presentOutputByName(labels, known) };
      });
    },
  }),
];
