/** Paths of records in this dialect, for Location and `instance`. */
export const SDK_PREFIX = '/api';

export function modelPath(modelId: number): string {
  return `${SDK_PREFIX}/models/${modelId}`;
}

export function trialPath(trialId: number): string {
  return `${SDK_PREFIX}/trials/${trialId}`;
}

export function objectivePath(objectiveId: number): string {
  return `${SDK_PREFIX}/objectives/${objectiveId}`;
}
