/** Paths of records in the native dialect, for Location, Link and `instance`. */
export const NATIVE_PREFIX = '/v1';

interface TrialIds {
  readonly modelId: number;
  readonly projectId: number;
  readonly trialId: number;
}

export function modelPath(modelId: number): string {
  return `${NATIVE_PREFIX}/models/${modelId}`;
}

export function keyPath(keyId: number): string {
  return `${NATIVE_PREFIX}/keys/${keyId}`;
}

export function invitationPath(invitationId: number): string {
  return `${NATIVE_PREFIX}/invitations/${invitationId}`;
}

export function webhookPath(webhookId: number): string {
  return `${NATIVE_PREFIX}/webhooks/${webhookId}`;
}

export function projectPath(modelId: number, projectId: number): string {
  return `${modelPath(modelId)}/projects/${projectId}`;
}

export function trialPath(ids: TrialIds): string {
  return `${projectPath(ids.modelId, ids.projectId)}/trials/${ids.trialId}`;
}

/** The flat path, unless all parents are given. */
export function objectivePath({ modelId, projectId, trialId }: Partial<TrialIds>, objectiveId: number): string {
  const isNested = modelId !== undefined && projectId !== undefined && trialId !== undefined;
  const parents = isNested ? trialPath({ modelId, projectId, trialId }) : NATIVE_PREFIX;
  return `${parents}/objectives/${objectiveId}`;
}

export function inversePath(ids: Partial<TrialIds>, objectiveId: number, inverseId: number): string {
  return `${objectivePath(ids, objectiveId)}/inverses/${inverseId}`;
}

export function notePath(ids: Partial<TrialIds>, objectiveId: number, noteId: number): string {
  return `${objectivePath(ids, objectiveId)}/notes/${noteId}`;
}

export function workbookPath(workbookId: number): string {
  return `${NATIVE_PREFIX}/workbooks/${workbookId}`;
}

export function batchPath(batchId: number): string {
  return `${NATIVE_PREFIX}/batches/${batchId}`;
}
