import { ok } from '../answer/answers.ts';
import { defineOperation, type Operation } from '../operation.ts';
import {
  identifiabilitySchema,
  presentIdentifiability,
  presentRobustness,
  readTolerances,
  robustnessSchema,
  toleranceTexts,
} from './model-insights.wire.ts';

const tag = 'Objectives';
const objective = '/models/{model_id}/projects/{project_id}/trials/{trial_id}/objectives/{objective_id}';

export const modelInsightOperations: readonly Operation[] = [
  defineOperation({
    method: 'GET',
    path: `${objective}/robustness`,
    operationId: 'getRobustness',
    tag,
    summary: 'Read how surely an input still meets the targets when it is made with tolerances',
    description:
      'By the models of all runs known now: 2,000 inputs drawn around the one of the inverse. Computed when it is asked for, and kept until the data change.',
    numbers: {
      inverse: {
        description: 'The id of the inverse; unless given, the optimal one.',
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        default: null,
      },
    },
    texts: toleranceTexts,
    answers: ok.spec('How surely it does, and which inputs and outputs carry the risk.', robustnessSchema),
    handle: async ({ deps, accountId, ids, numbers, texts }) => {
      const query = { inverseId: numbers['inverse'] ?? null, inputTolerances: readTolerances(texts) };
      return ok.answer(presentRobustness(await deps.modelInsights.robustness(deps.db, accountId, ids, query)));
    },
  }),
  defineOperation({
    method: 'GET',
    path: `${objective}/identifiability`,
    operationId: 'getIdentifiability',
    tag,
    summary: 'Read for which values of the inputs the targets hold, and which inputs the outputs do not tell apart',
    description:
      'By the models of all runs known now. Computed when it is asked for, and kept until the data change. The run that would tell most is no suggestion of the search; add its output as a case.',
    numbers: {
      confidence: {
        description: 'In percent: the probability that counts as surely.',
        minimum: 50,
        maximum: 99,
        default: 90,
      },
    },
    answers: ok.spec('Ranges of the inputs, and combinations of them.', identifiabilitySchema),
    handle: async ({ deps, accountId, ids, numbers }) => {
      const confidence = numbers['confidence']! / 100;
      return ok.answer(
        presentIdentifiability(await deps.modelInsights.identifiability(deps.db, accountId, ids, confidence)),
      );
    },
  }),
];
