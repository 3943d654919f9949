import type { Asking } from '../../../application/search/model-insights.ts';
import { MOST_POINTS, MOST_PREDICTIONS } from '../../../domain/search/predictions.ts';
import { MOST_SOLUTIONS } from '../../../domain/search/several-solutions.ts';
import { ok } from '../../answer/answers.ts';
import { goneSignalOf } from '../../operation/gone-signal.ts';
import { type Call, defineOperation, type Operation } from '../../operation/operation.ts';
import { fitParametersSchema, presentFitParameters } from './fit.wire.ts';
import {
  frontSchema,
  identifiabilitySchema,
  presentFront,
  presentIdentifiability,
  presentRobustness,
  presentSolutions,
  readTolerances,
  robustnessSchema,
  solutionsSchema,
  toleranceTexts,
} from './model-insights.wire.ts';
import { predictionsSchema, predictionsTexts, presentPredictions, readPredictions } from './predictions.wire.ts';

const tag = 'Objectives';
const objective = '/models/{model_id}/projects/{project_id}/trials/{trial_id}/objectives/{objective_id}';

export const modelInsightOperations: readonly Operation[] = [
  defineOperation({
    method: 'GET',
    path: `${objective}/robustness`,
    operationId: 'getRobustness',
    tag,
    summary: 'Read the probability that an input with tolerances still meets the targets',
    description:
      'By the models of all runs known now: 2,000 inputs drawn around the one of the inverse. Computed when it is asked for, and kept until the data change.',
    numbers: {
      inverse: {
        description: 'The id of the inverse; default: the optimal one.',
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        default: null,
      },
    },
    texts: toleranceTexts,
    answers: ok.spec('The probability, and the inputs and outputs that carry the risk.', robustnessSchema),
    handle: async (call) => {
      const { deps, ids, numbers, texts } = call;
      const query = { inverseId: numbers['inverse'] ?? null, inputTolerances: readTolerances(texts) };
      return ok.answer(presentRobustness(await deps.modelInsights.robustness(askingOf(call), ids, query)));
    },
  }),
  defineOperation({
    method: 'GET',
    path: `${objective}/identifiability`,
    operationId: 'getIdentifiability',
    tag,
    summary: 'Read for which values of the inputs the targets hold, and which inputs the outputs do not tell apart',
    description:
      'By the models of all runs known now. Computed when it is asked for, and kept until the data change. The most informative run is not a suggestion of the search; add its output as a case.',
    numbers: {
      confidence: {
        description: 'The probability required for “surely”, in percent.',
        minimum: 50,
        maximum: 99,
        default: 90,
      },
    },
    answers: ok.spec('Ranges of the inputs, and combinations of them.', identifiabilitySchema),
    handle: async (call) => {
      const { deps, ids, numbers } = call;
      const confidence = numbers['confidence']! / 100;
      return ok.answer(
        presentIdentifiability(await deps.modelInsights.identifiability(askingOf(call), ids, confidence)),
      );
    },
  }),
  defineOperation({
    method: 'GET',
    path: `${objective}/fit`,
    operationId: 'getFit',
    tag,
    summary: 'Read what the data of a fit tell about its inputs',
    description:
      'Estimates, standard errors, profile-likelihood intervals, correlations and intervals of the outputs, by the models of all runs known now. Computed when it is asked for, and kept until the data change.',
    numbers: {
      confidence: { description: 'Of the intervals, in percent.', minimum: 50, maximum: 99, default: 95 },
    },
    answers: ok.spec('The inputs and outputs with their intervals.', fitParametersSchema),
    handle: async (call) => {
      const { deps, ids, numbers } = call;
      const confidence = numbers['confidence']! / 100;
      return ok.answer(presentFitParameters(await deps.modelInsights.fit(askingOf(call), ids, confidence)));
    },
  }),
  defineOperation({
    method: 'GET',
    path: `${objective}/solutions`,
    operationId: 'getSolutions',
    tag: 'Objectives',
    summary: 'Read inputs that meet all targets of an objective, as different as possible',
    description:
      'Among all runs that the objective knows, including its cases, and among the predictions of the models elsewhere. Computed when it is asked for, and kept until the data change.',
    numbers: {
      count: { description: 'The most of each kind.', minimum: 1, maximum: MOST_SOLUTIONS, default: 5 },
    },
    answers: ok.spec('The solutions.', solutionsSchema),
    handle: async (call) => {
      const { deps, ids, numbers } = call;
      return ok.answer(presentSolutions(await deps.modelInsights.solutions(askingOf(call), ids, numbers['count']!)));
    },
  }),
  defineOperation({
    method: 'GET',
    path: `${objective}/predictions`,
    operationId: 'getPredictions',
    tag,
    summary: 'Read what the models predict while one or two inputs vary',
    description:
      'Slices along inputs, or a grid of two, through the best run or another point: every output with a band, and the chance that all targets are met. By the models of all runs known now. Computed when it is asked for, and kept until the data change.',
    numbers: {
      points: {
        description: `Values per input: at most ${MOST_POINTS.slice}, of a grid ${MOST_POINTS.grid}; default: 41, of a grid 31, or as many as the limit of ${MOST_PREDICTIONS} predictions allows. An input with fewer possible values has all of them; a slice also has the value of its point.`,
        minimum: 2,
        maximum: MOST_POINTS.slice,
        default: null,
      },
    },
    flags: { grid: 'Whether to predict a grid of two inputs instead of a slice along each.' },
    texts: predictionsTexts,
    answers: ok.spec('The predictions.', predictionsSchema),
    handle: async (call) => {
      const sent = readPredictions(call);
      return ok.answer(presentPredictions(await call.deps.modelInsights.predictions(askingOf(call), call.ids, sent)));
    },
  }),
  defineOperation({
    method: 'GET',
    path: `${objective}/front`,
    operationId: 'getFront',
    tag: 'Objectives',
    summary: 'Read the front of an objective with outputs without target',
    description:
      'The non-dominated runs, and the points that the models expect between them. Computed when it is asked for, and kept until the data change.',
    answers: ok.spec('The front.', frontSchema),
    handle: async (call) => ok.answer(presentFront(await call.deps.modelInsights.front(askingOf(call), call.ids))),
  }),
];

/** The asker, until its client is gone. */
function askingOf(call: Call<unknown, unknown>): Asking {
  return { db: call.deps.db, accountId: call.accountId, signal: goneSignalOf(call) };
}
