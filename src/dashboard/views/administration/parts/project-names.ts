/** Names of projects, each requested once. */
import { signal } from '@preact/signals';
import { ConnectionError } from '../../../../../clients/typescript/src/index.ts';
import { service } from '../../../shell/service.ts';

const names = signal<ReadonlyMap<number, string>>(new Map());
const asked = new Set<number>();

/** The name of a project, or its number until the name is there. */
export function projectName(modelId: number, projectId: number): string {
  const name = names.value.get(projectId);
  if (name === undefined) void ask(modelId, projectId);
  return name ?? `project ${projectId}`;
}

async function ask(modelId: number, projectId: number): Promise<void> {
  if (asked.has(projectId)) return;
  asked.add(projectId);
  try {
    const { body } = await service.call('getProject', { path: { model_id: modelId, project_id: projectId } });
    names.value = new Map([...names.value, [projectId, body.name]]);
  } catch (error) {
    // Otherwise the project is deleted, and its number is shown.
    if (error instanceof ConnectionError) asked.delete(projectId);
  }
}
