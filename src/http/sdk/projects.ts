import { createProject } from '../../application/create-project.ts';
import { defineOperation, type Operation } from '../operation.ts';
import { created } from './answers.ts';
import { newProject, presentProject, projectSchema, toNewProject } from './projects.wire.ts';

export const projectOperations: readonly Operation[] = [
  defineOperation({
    method: 'POST',
    path: '/models/{model_id}/projects',
    operationId: 'createProject',
    tag: 'Projects',
    summary: 'Create a project; its input cases are designed',
    body: newProject,
    answers: created.spec('The project.', projectSchema),
    handle: async ({ deps, accountId, ids, body }) => {
      const project = await createProject(deps, accountId, ids.modelId, toNewProject(body));
      return created.answer(presentProject({ project, trials: [] }));
    },
  }),
];
