import type { Evaluation } from '../../clients/typescript/src/evaluator/evaluation.ts';

/** As the service answers a claim. */
export const EVALUATION: Evaluation = {
  id: 91,
  leaseToken: '6f1d7a52-3c1b-4f0e-9d0f-0f6f5d1f9a11',
  leaseExpiresAt: '2026-01-01T00:01:00.000Z',
  try: 1,
  maximumTries: 3,
  kind: 'inverse',
  modelId: 1,
  projectId: 7,
  batchId: 5,
  trialId: 4,
  objectiveId: 3,
  inverseId: 88,
  iteration: 17,
  caseNumber: null,
  input: [3.5, 1],
  inputByName: { length: 3.5, steel: 'S355' },
  outputNames: ['mass', 'sag'],
  outputCount: 2,
  timeoutSeconds: 60,
};
