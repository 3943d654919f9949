import { createProject, withInputCases } from '../../application/create-project.ts';
import { deleteProject, getProject, listProjects, updateProject } from '../../application/manage-projects.ts';
import { defineOperation, type Operation } from '../operation.ts';
import { created, done, ok, pageOf } from './answers.ts';
import { projectPath } from './paths.ts';
import { newProject, presentProject, projectPatch, projectSchema, toNewProject } from './projects.wire.ts';

const tag = 'Projects';
const projects = '/models/{model_id}/projects';
const project = `${projects}/{project_id}` as const;

export const projectOperations: readonly Operation[] = [
  defineOperation({
    method: 'POST',
    path: projects,
    operationId: 'createProject',
    tag,
    summary: 'Create a project: its input space and the points to evaluate',
    description:
      'Without inputCases the service designs the points. Evaluate them and load the outputs as output cases.',
    body: newProject,
    answers: created.spec('The project with its input cases.', projectSchema),
    prepare: ({ deps, body }) => withInputCases(deps.engine, toNewProject(body), deps.settings.account?.cases),
    handle: async ({ deps, accountId, ids }, project) => {
      const made = await createProject(deps, accountId, ids.modelId, project, deps.settings.account);
      return created.answer(projectPath(ids.modelId, made.id), presentProject(made));
    },
    replay: {
      read: async ({ deps, accountId, ids }, projectId) =>
        presentProject(await getProject(deps.db, accountId, { ...ids, projectId })),
    },
  }),
  defineOperation({
    method: 'GET',
    path: projects,
    operationId: 'listProjects',
    tag,
    summary: 'List the projects of a model',
    isList: true,
    answers: pageOf.spec('The projects, oldest first.', projectSchema),
    handle: async (call) =>
      pageOf.answer(
        call,
        await listProjects(call.deps.db, call.accountId, call.ids.modelId, call.page),
        presentProject,
      ),
  }),
  defineOperation({
    method: 'GET',
    path: project,
    operationId: 'getProject',
    tag,
    summary: 'Read a project',
    answers: ok.spec('The project.', projectSchema),
    handle: async ({ deps, accountId, ids }) => ok.answer(presentProject(await getProject(deps.db, accountId, ids))),
  }),
  defineOperation({
    method: 'PATCH',
    path: project,
    operationId: 'updateProject',
    tag,
    summary: 'Change the name of a project',
    body: projectPatch,
    answers: ok.spec('The project as it is now.', projectSchema),
    handle: async ({ deps, accountId, ids, body }) =>
      ok.answer(presentProject(await updateProject(deps.db, accountId, ids, body))),
  }),
  defineOperation({
    method: 'DELETE',
    path: project,
    operationId: 'deleteProject',
    tag,
    summary: 'Disable a project and everything in it',
    answers: done.spec,
    handle: async ({ deps, accountId, ids }) => {
      await deleteProject(deps.db, accountId, ids);
      return done.answer;
    },
  }),
];
