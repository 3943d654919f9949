/** One example per record for the reference: a made-up project, presented like real ones. */
import { viewOf } from '../../application/views.ts';
import type { KeyRecord } from '../../domain/accounts/api-key.ts';
import type { Correction } from '../../domain/corrections/correction.ts';
import { UNKNOWN_RUN } from '../../domain/data/run-fields.ts';
import type { OutputCaseSet, Trial } from '../../domain/data/trial.ts';
import { Matrix } from '../../domain/matrix.ts';
import { NO_NAMES } from '../../domain/problem/names.ts';
import type { Project } from '../../domain/problem/project.ts';
import { answerOf } from '../../domain/search/answer.ts';
import type { StoredExplanation } from '../../domain/search/explanation.ts';
import type { Inverse } from '../../domain/search/inverse.ts';
import { findNearestRun } from '../../domain/search/nearest.ts';
import type { Objective } from '../../domain/search/objective.ts';
import { presentCreatedKey, presentKey, presentRotatedKey } from './accounts/keys.wire.ts';
import { presentCorrection } from './corrections/corrections.wire.ts';
import { presentLoadedSet, presentOutputCaseSet, presentOutputCaseSetSummary } from './data/output-cases.wire.ts';
import { presentTrial } from './data/trials.wire.ts';
import { presentModel } from './problem/models.wire.ts';
import { presentProject, presentProjectSummary } from './problem/projects.wire.ts';
import { presentExplanation } from './search/explanation.wire.ts';
import { presentInverse, presentReportedInverse, presentSuggestion } from './search/inverses.wire.ts';
import { presentLoadedObjectives, presentObjective } from './search/objectives.wire.ts';

const instants = {
  createdAt: new Date('2026-01-31T12:00:00.000Z'),
  updatedAt: new Date('2026-01-31T12:00:00.000Z'),
  disabledAt: null,
};

const project: Project = {
  ...instants,
  id: 12,
  modelId: 3,
  name: 'Tube side',
  inputCount: 2,
  minimums: [0.5, 1],
  maximums: [2.5, 8],
  inputTypes: ['float', 'integer'],
  categories: [[], []],
  caseCount: 2,
  outputCount: null,
  names: NO_NAMES,
  seed: 1,
  sources: null,
  maximumEvaluations: null,
  developedAt: null,
};

const set: OutputCaseSet = {
  ...instants,
  id: 41,
  modelId: 3,
  projectId: 12,
  outputCount: 2,
  caseCount: 2,
  failedCases: [],
  hasJacobians: false,
};

const inputCases = Matrix.from([
  [0.75, 6],
  [1.75, 2],
]);
const outputCases = Matrix.from([
  [1.25, 22.5],
  [1.75, 18.5],
]);

const trial: Trial = {
  ...instants,
  id: 58,
  modelId: 3,
  projectId: 12,
  outputCaseSetId: 41,
  number: 1,
  status: 'active',
  revision: 0,
};

const objective: Objective = {
  ...instants,
  id: 77,
  trialId: 58,
  number: 1,
  objectives: [1.5, 20],
  objectiveTypes: ['value', 'lessthan_equal'],
  minimumBounds: [-0.25, 0],
  maximumBounds: [0.25, 1],
  desiredL1Norm: 0,
  convergence: 1e-6,
  initialInput: [1.25, 4],
  initialOutput: [2, 21],
  maximumAttempts: 500,
  attemptCount: 1,
  stopReason: 0,
  optimalInverseId: null,
  seed: 1,
  labels: null,
  reuse: true,
  continuesId: null,
  fixedInputs: null,
  constraints: null,
  dataRevision: 0,
  nearestCase: 1,
  nearestCaseInput: [1.75, 2],
  nearestCaseOutput: [1.75, 18.5],
  nearestIteration: 1,
  judgedThrough: 1,
  parallelism: 1,
  version: 3,
  holdBack: true,
  completedCount: 0,
  nothingNewAt: null,
  batchId: null,
  options: null,
  ended: null,
  label: null,
  archivedAt: null,
};

const initial: Inverse = {
  ...UNKNOWN_RUN,
  ...instants,
  id: 900,
  objectiveId: 77,
  iteration: 1,
  status: 'active',
  input: objective.initialInput,
  output: objective.initialOutput,
  basisOutput: null,
  suggestTimeNs: 0,
  computeTimeNs: 0,
  loadedAt: instants.createdAt,
};

const suggestion: Inverse = {
  ...initial,
  id: 901,
  iteration: 2,
  input: [0.875, 5],
  output: null,
  basisOutput: objective.initialOutput,
  suggestTimeNs: 182_404_913,
  suggestedAt: instants.createdAt,
  loadedAt: null,
};

const stored = { ...objective, inverses: [initial, suggestion] };
const view = viewOf(objective, suggestion);

const reported = viewOf(objective, {
  ...suggestion,
  output: [16.25, 19.5],
  expected: [1.25, 18, 1.75, 21],
  loadedAt: instants.createdAt,
});

const correction: Correction = {
  id: 6,
  revision: 1,
  target: { kind: 'inverse', objectiveId: 77, inverseId: 901, iteration: 2 },
  before: { output: [16.25, 19.5], jacobian: null, failureReason: null, isExcluded: false },
  after: { output: [1.625, 19.5], jacobian: null, failureReason: null, isExcluded: false },
  reason: 'decimal point misread',
  correctedBy: 'the test rig',
  createdAt: instants.createdAt,
};

const explanation: StoredExplanation = {
  caseCount: 14,
  insight: objective.objectives.map(() => ({
    crossValidated: { r2: 0.98, rmse: 0.04 },
    sensitivity: [0.7, 0.35],
    sensitivityRanges: [
      { low: 0.66, high: 0.72 },
      { low: 0.33, high: 0.39 },
    ],
  })),
  diagnosis: null,
};

/** As in its JSON text. */
function shown(record: object): unknown {
  return JSON.parse(JSON.stringify(record));
}
const key: KeyRecord = {
  id: 5,
  keyId: 'Xw3kPq8Z',
  label: 'the test rig',
  scopes: ['read', 'write'],
  createdAt: instants.createdAt,
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
  successorId: null,
  personId: null,
  personName: null,
  isBound: true,
  createdBy: 'Ada Lovelace',
};
const text = 'bks_Xw3kPq8Z_<32 secret characters>_<6 checksum characters>';
const predecessor = {
  ...key,
  id: 2,
  keyId: '7fGhT1sA',
  expiresAt: new Date('2026-02-01T12:00:00.000Z'),
  successorId: 5,
};

/** By name of the schema. */
export const RECORD_EXAMPLES: Readonly<Record<string, unknown>> = {
  Model: presentModel({ ...instants, id: 3, name: 'Heat exchanger', description: 'Shell-and-tube, 2 passes' }),
  ProjectSummary: presentProjectSummary(project),
  Project: shown(presentProject(project, inputCases)),
  InputCase: { number: 1, input: inputCases.row(0) },
  LoadedOutputCaseSet: shown(presentLoadedSet(set, outputCases, trial.id)),
  OutputCaseSetSummary: presentOutputCaseSetSummary({ set, trialId: trial.id }),
  OutputCaseSet: shown(presentOutputCaseSet({ set, trialId: trial.id }, outputCases)),
  OutputCase: { number: 1, output: outputCases.row(0) },
  Trial: presentTrial(trial),
  LoadedObjectives: presentLoadedObjectives({ ...stored, attemptCount: 0 }),
  Objective: presentObjective(stored),
  ExplainedObjective: {
    ...presentObjective(stored),
    ...presentExplanation(
      objective,
      explanation,
      answerOf(stored, { nearest: findNearestRun(stored, stored.inverses), optimal: null, standing: null }),
    ),
  },
  Suggestion: presentSuggestion(view),
  Inverse: presentInverse(view),
  ReportedInverse: presentReportedInverse(reported),
  Correction: presentCorrection(correction),
  Key: presentKey(key),
  CreatedKey: presentCreatedKey({ key, text }),
  RotatedKey: presentRotatedKey({ successor: key, text, predecessor }),
};
