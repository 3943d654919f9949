import { readAllInputCases, readInputCasePage } from '../../../application/data/read-cases.ts';
import { createProject } from '../../../application/problem/create-project.ts';
import { withInputCases } from '../../../application/problem/input-cases.ts';
import {
  deleteProject,
  getProject,
  listProjects,
  updateProject,
} from '../../../application/problem/manage-projects.ts';
import { labelsOf } from '../../../domain/problem/names.ts';
import type { Project } from '../../../domain/problem/project.ts';
import { created, noContent, ok, pageOf } from '../../answer/answers.ts';
import { JsonArray } from '../../answer/json-array.ts';
import type { HttpDeps } from '../../operation/deps.ts';
import { designEngineOf } from '../../operation/gone-signal.ts';
import { defineOperation, type Operation } from '../../operation/operation.ts';
import { projectPath } from '../../wire/native-paths.ts';
import { presentInputByName } from './by-name.wire.ts';
import {
  inputCaseSchema,
  newProject,
  presentProject,
  presentProjectSummary,
  projectPatch,
  projectSchema,
  projectSummarySchema,
} from './projects.wire.ts';

const tag = 'Projects';
const projects = '/models/{model_id}/projects';
const project = `${projects}/{project_id}` as const;

/** The project, with its cases streamed while they are read. */
function showProject(db: HttpDeps['db'], accountId: number, project: Project) {
  return presentProject(project, JsonArray.plain(readAllInputCases(db, accountId, project)));
}

export const projectOperations: readonly Operation[] = [
  defineOperation({
    method: 'POST',
    path: projects,
    operationId: 'createProject',
    tag,
    summary: 'Create a project: its input space and the points to evaluate',
    description:
      'Without inputCases the service designs the points. Evaluate them, then load the outputs as output cases.',
    body: newProject,
    answers: created.spec('The project with its input cases.', projectSchema),
    prepare: (call) => withInputCases(designEngineOf(call), call.body, call.deps.settings.account),
    handle: async ({ deps, accountId, ids }, project) => {
      const made = await createProject(deps.db, accountId, ids.modelId, project, deps.settings.account);
      return created.written(projectPath(ids.modelId, made.id), presentProject(made, made.inputCases));
    },
    replay: {
      read: async ({ deps, accountId, ids }, projectId) =>
        showProject(deps.db, accountId, await getProject(deps.db, accountId, { ...ids, projectId })),
    },
  }),
  defineOperation({
    method: 'GET',
    path: projects,
    operationId: 'listProjects',
    tag,
    summary: 'List the projects of a model, without their input cases',
    isList: true,
    answers: pageOf.spec('The projects, oldest first.', projectSummarySchema),
    handle: async (call) =>
      pageOf.answer(
        call,
        await listProjects(call.deps.db, call.accountId, call.ids.modelId, call.page),
        presentProjectSummary,
      ),
  }),
  defineOperation({
    method: 'GET',
    path: project,
    operationId: 'getProject',
    tag,
    summary: 'Read a project',
    answers: ok.spec('The project.', projectSchema),
    handle: async ({ deps, accountId, ids }) => {
      const found = await getProject(deps.db, accountId, ids);
      return ok.written(showProject(deps.db, accountId, found));
    },
  }),
  defineOperation({
    method: 'GET',
    path: `${project}/input-cases`,
    operationId: 'listInputCases',
    tag,
    summary: 'List the input cases of a project',
    isList: true,
    answers: pageOf.spec('The cases in order; after takes the number of the last case.', inputCaseSchema),
    handle: async (call) => {
      const { db } = call.deps;
      const found = await getProject(db, call.accountId, call.ids);
      const page = readInputCasePage(db, call.accountId, found, call.page);
      const labels = labelsOf(found);
      let number = page.from;
      return pageOf.written(call, page, (input) => ({ number: ++number, input, ...presentInputByName(labels, input) }));
    },
  }),
  defineOperation({
    method: 'PATCH',
    path: project,
    operationId: 'updateProject',
    tag,
    summary:
      'Change the name of a project, the names and units of its inputs and outputs, or how many evaluations are open',
    description:
      'null removes names or units. Constraints call the inputs by their new names afterwards. Names change no suggestion.',
    body: projectPatch,
    answers: ok.spec('The project as it is now.', projectSchema),
    handle: async ({ deps, accountId, ids, body }) => {
      const changed = await updateProject(deps.db, accountId, ids, body);
      return ok.written(showProject(deps.db, accountId, changed));
    },
  }),
  defineOperation({
    method: 'DELETE',
    path: project,
    operationId: 'deleteProject',
    tag,
    summary: 'Disable a project and everything in it',
    answers: noContent.spec,
    handle: async ({ deps, accountId, ids }) => {
      await deleteProject(deps.db, accountId, ids);
      return noContent.answer;
    },
  }),
];
