import { readAllInputCases } from '../../application/data/read-cases.ts';
import { createProject } from '../../application/problem/create-project.ts';
import { withInputCases } from '../../application/problem/input-cases.ts';
import { getProject } from '../../application/problem/manage-projects.ts';
import { createdWithoutPath } from '../answer/answers.ts';
import { JsonArray } from '../answer/json-array.ts';
import { designEngineOf } from '../operation/gone-signal.ts';
import { defineOperation, type Operation } from '../operation/operation.ts';
import { newProject, presentProject, projectSchema } from './projects.wire.ts';

export const projectOperations: readonly Operation[] = [
  defineOperation({
    method: 'POST',
    path: '/models/{model_id}/projects',
    operationId: 'createProject',
    tag: 'Projects',
    summary: 'Create a project; its input cases are designed',
    body: newProject,
    answers: createdWithoutPath.spec('The project.', projectSchema),
    prepare: (call) => withInputCases(designEngineOf(call), call.body, call.deps.settings.account),
    handle: async ({ deps, accountId, ids }, project) => {
      const made = await createProject(deps.db, accountId, ids.modelId, project, deps.settings.account);
      return createdWithoutPath.written(presentProject(made, made.inputCases, []));
    },
    replay: {
      read: async ({ deps, accountId, ids }, projectId) => {
        const project = await getProject(deps.db, accountId, { ...ids, projectId });
        return presentProject(project, JsonArray.plain(readAllInputCases(deps.db, accountId, project)), []);
      },
    },
  }),
];
