/** Options of the search beyond the targets: the fields of a new objective, and the same in answers. */
import { z } from 'zod';
import { refFieldAs, refTerm } from '../../../domain/messages.ts';
import { MAXIMUM_INPUT_COUNT } from '../../../domain/problem/project.ts';
import { FIT_LOSSES, type Sigma } from '../../../domain/search/fit.ts';
import {
  DEFAULT_ROBUST_RUNS,
  LARGEST_ROBUST_AIM,
  LARGEST_ROBUST_RUNS,
  LEAST_ROBUST_AIM,
} from '../../../domain/search/robust-options.ts';
import {
  CONFIDENCE_OF,
  LARGEST_CONFIDENCE,
  LARGEST_WEIGHT,
  LAST_PRIORITY,
  LEAST_CONFIDENCE,
  LEAST_WEIGHT,
  MOST_CONFIRMING_RUNS,
  type SearchOptions,
} from '../../../domain/search/search-options.ts';
import { APART, DEFAULT_SOLUTIONS, MOST_SOLUTIONS } from '../../../domain/search/several-solutions.ts';
import {
  DEFAULT_IMPROVEMENT_BELOW,
  FIT_IMPROVEMENT_BELOW,
  LARGEST_PATIENCE,
} from '../../../domain/search/stop-options.ts';
import { instant, textSchema, timestamp } from '../../wire/fields.ts';
import { MAXIMUM_FIT_COUNT, MAXIMUM_NAME_LENGTH, MAXIMUM_OUTPUT_COUNT } from '../../wire/limits.ts';
import { listSchema, nullableVectorSchema } from '../../wire/vectors.ts';

/** One entry per output, by name as well. */
const perOutput = () =>
  nullableVectorSchema({ minimum: 1, maximum: MAXIMUM_OUTPUT_COUNT }, z.number().nullable())
    .nullish()
    .transform((values) => values ?? null);

const confidenceOf = z.enum(CONFIDENCE_OF);
const noise = z
  .union([
    z.literal('estimate'),
    z.strictObject({
      standardDeviations: listSchema(z.number().min(0), { minimum: 1, maximum: MAXIMUM_OUTPUT_COUNT }, 'numbers'),
    }),
  ])
  .meta({ id: 'Noise' });
const WRONG_STOP = `must be ${refTerm('false')}, or an object with ${refFieldAs('patience', ['stop', 'patience'])} (1 to ${LARGEST_PATIENCE}), ${refFieldAs('improvementBelow', ['stop', 'improvementBelow'])} (above 0, at most 1), ${refFieldAs('until', ['stop', 'until'])} (a date and time) and ${refFieldAs('maximumRuns', ['stop', 'maximumRuns'])} (at least 1), all of them optional.`;

const sentStop = z.strictObject({
  patience: z
    .int()
    .min(1)
    .max(LARGEST_PATIENCE)
    .nullish()
    .describe(
      'The objective ends after this many suggested inputs in a row without an improvement. Default with minimize or maximize: it ends when the models expect no further improvement of these.',
    ),
  improvementBelow: z
    .number()
    .gt(0)
    .max(1)
    .nullish()
    .describe(
      `The largest improvement that counts as none; default: ${DEFAULT_IMPROVEMENT_BELOW}. A share of the best value of an output to minimize or maximize, or of the miss where there is none or the other targets are not met. Of a fit it is the reduction of chi-square; default: ${FIT_IMPROVEMENT_BELOW}.`,
    ),
  until: instant.nullish().describe('No input is suggested from then on, and the objective is stopped.'),
  maximumRuns: z
    .int()
    .min(1)
    .nullish()
    .describe(
      'Runs of the cases of the trial, the initial point and the suggested inputs together: maximumAttempts is lowered accordingly.',
    ),
});

/** null and false: no rule. */
export const sentStopRule = z.union([sentStop, z.literal(false)], { error: WRONG_STOP }).nullable();

const TOLERANCE_KINDS = ['normal', 'uniform'] as const;
const TOLERANCE_UNITS = ['units', 'percent'] as const;

const sentTolerances = z.strictObject({
  kind: z.enum(TOLERANCE_KINDS).describe('normal: values are standard deviations. uniform: they are half widths.'),
  in: z.enum(TOLERANCE_UNITS).nullish().describe('In units of each input, the default, or in percent of its value.'),
  values: z
    .union([
      z.array(z.number().nullable()).min(1).max(MAXIMUM_INPUT_COUNT),
      z.record(z.string(), z.number().nullable()),
    ])
    .describe('One per input, or by the names of the inputs; null, 0 or left out for an exact input.'),
});

/** In answers. */
export const toleranceSchema = z.object({
  kind: z.enum(TOLERANCE_KINDS),
  in: z.enum(TOLERANCE_UNITS),
  values: z.array(z.number()),
});

/** In requests: of robustness. */
const sentRobustFields = {
  inputTolerances: sentTolerances
    .nullish()
    .transform((value) => value ?? null)
    .describe('The tolerances of the inputs, by which robustness is judged.'),
  aimAtRobustness: z
    .union([z.boolean(), z.number()])
    .nullish()
    .transform((value) => value ?? null)
    .describe(
      `After the first run that satisfies everything, search for the input that does so most reliably within its tolerances: until the low end of its probability reaches this number, from ${LEAST_ROBUST_AIM} to ${LARGEST_ROBUST_AIM}, or with true until robustRuns are used.`,
    ),
  robustRuns: z
    .int()
    .nullish()
    .transform((value) => value ?? null)
    .describe(
      `The maximum number of runs for that search, from 1 to ${LARGEST_ROBUST_RUNS}; default: ${DEFAULT_ROBUST_RUNS}. They count as attempts.`,
    ),
};

/** Outputs, values and standard errors of a data set. */
const numberPerPoint = z.array(z.number().nullable()).min(1).max(MAXIMUM_OUTPUT_COUNT);
const sigma = z.union([z.number(), numberPerPoint, z.strictObject({ relative: z.number() })]);
const FIT_FIELDS = {
  outputs:
    'The outputs of the data set, each of type fit; their targets are the measured values, null for a gap. Each output of type fit belongs to one data set.',
  sigma:
    'The standard error of the values: one number, one per output, or a share of each value as { relative }. null: equal and unknown, then it is estimated.',
  weight: 'A factor on what the data set counts; default: 1.',
  loss: 'What a large residual counts, named as in scipy.optimize.least_squares; default: linear. The others need sigma.',
};

const sentFit = z.strictObject({
  name: textSchema({ minimum: 1, maximum: MAXIMUM_NAME_LENGTH }).nullish(),
  outputs: z
    .array(z.union([z.int().min(0), z.string()]))
    .min(1)
    .max(MAXIMUM_OUTPUT_COUNT)
    .nullish()
    .describe(`${FIT_FIELDS.outputs} By number from 0 or by name; default: all of them.`),
  sigma: sigma.nullish().describe(FIT_FIELDS.sigma),
  weight: z.number().nullish().describe(FIT_FIELDS.weight),
  loss: z.enum(FIT_LOSSES).nullish().describe(FIT_FIELDS.loss),
});

/** In requests. */
export const sentOptionFields = {
  fits: z
    .array(sentFit)
    .min(1)
    .max(MAXIMUM_FIT_COUNT)
    .nullish()
    .transform((fits) => fits ?? null)
    .describe(
      'The data sets that outputs of type fit belong to; default: one with all of them and unknown errors. Among the inputs that meet all other targets the search looks for the least misfit; with `stop` it ends when the models expect no noticeable reduction of chi-square.',
    ),
  solutions: z
    .strictObject({
      count: z.int().min(2).max(MOST_SOLUTIONS).nullish().describe(`Default: ${DEFAULT_SOLUTIONS.count}.`),
      apart: z
        .number()
        .min(APART.least)
        .max(APART.largest)
        .nullish()
        .describe(
          `The minimum distance of two solutions as a share of the largest distance within the bounds; default: ${DEFAULT_SOLUTIONS.apart}. It is the root mean square over the inputs of the difference in units of the range, 1 for different categories.`,
        ),
    })
    .nullish()
    .describe(
      'Continue after the first solution until `count` distinct solutions are found. Absent or null: the first one ends the search. Not with outputs without target.',
    ),
  front: z
    .strictObject({
      reference: z
        .union([z.array(z.number()).min(1).max(MAXIMUM_OUTPUT_COUNT), z.record(z.string(), z.number())])
        .describe(
          'One per output without target, or by their names: the worst value that counts. The hypervolume is measured from it, and the search looks for nothing worse.',
        ),
    })
    .nullish()
    .transform((value) => value ?? null)
    .describe('The front that the objective looks for where outputs have no target.'),
  ...sentRobustFields,
  stop: sentStopRule
    .optional()
    .transform((stop) => stop ?? null)
    .describe(
      'When the objective ends although inputs are left to try; left out or false: only when it must. An empty object: when the models expect no further improvement of outputs to minimize or maximize.',
    ),
  weights: perOutput().describe(
    `How much each output counts in the search, from ${LEAST_WEIGHT} to ${LARGEST_WEIGHT}; default: 1. Verdicts do not depend on it.`,
  ),
  noise: noise
    .nullish()
    .transform((value) => value ?? null)
    .describe(
      'For runs that differ at the same input: the standard deviation of each output, or estimate. Inputs may then be suggested again.',
    ),
  confirm: z
    .int()
    .min(1)
    .max(MOST_CONFIRMING_RUNS)
    .nullish()
    .transform((count) => count ?? null)
    .describe(
      'Satisfied when the mean of this many runs at the same input meets the targets: an input that met them is suggested again. Default: 1.',
    ),
  confidence: z
    .number()
    .min(LEAST_CONFIDENCE)
    .max(LARGEST_CONFIDENCE)
    .nullish()
    .transform((value) => value ?? null)
    .describe(
      'Satisfied when an input meets the targets with this probability: one that met them is suggested again until that is known. Not with confirm.',
    ),
  confidenceOf: confidenceOf
    .nullish()
    .transform((value) => value ?? null)
    .describe(
      'Whether the outputs of a new run have to meet the targets with that probability, or their means over all runs. Default: run.',
    ),
  priorities: perOutput().describe(
    `From 1 to ${LAST_PRIORITY}; default: 1. An output counts fully once one run has met all outputs of higher priority (a lower number), and next to nothing before. Not with exact. Verdicts do not depend on it.`,
  ),
};

/** In answers. */
export const optionFields = {
  noise: noise.nullable().describe('The noise of runs at the same input; null if it was not stated.'),
  confirm: z
    .int()
    .nullable()
    .describe('The number of runs at the same input whose mean has to meet the targets; null: one run is enough.'),
  confidence: z
    .number()
    .nullable()
    .describe(
      'The probability with which an input has to meet the targets; null: one run is enough. `standing` has the probability reached.',
    ),
  confidenceOf: confidenceOf.nullable(),
  stop: z
    .object({
      patience: z.int().nullable(),
      improvementBelow: z.number(),
      until: timestamp.nullable(),
      maximumRuns: z.int().nullable(),
    })
    .nullable()
    .describe('When the objective ends although inputs are left to try; null: only when it must.'),
  inputTolerances: toleranceSchema.nullable().describe('null when all inputs are exact.'),
  aimAtRobustness: z.union([z.literal(true), z.number()]).nullable(),
  robustRuns: z.int().nullable(),
  solutions: z
    .object({ count: z.int(), apart: z.number() })
    .nullable()
    .describe('The number of solutions to find and their minimum distance; null when the first one ends the search.'),
  front: z
    .object({ reference: z.array(z.number()) })
    .nullable()
    .describe('The point from which the front is measured; null where it follows from the runs.'),
  fits: z
    .array(
      z.object({
        name: z.string().nullable(),
        outputs: z.array(z.int()).describe(FIT_FIELDS.outputs),
        sigma: sigma.nullable().describe(FIT_FIELDS.sigma),
        weight: z.number().describe(FIT_FIELDS.weight),
        loss: z.enum(FIT_LOSSES).describe(FIT_FIELDS.loss),
      }),
    )
    .nullable()
    .describe('The data sets that outputs of type fit belong to; null without such an output.'),
  weights: z.array(z.number()).nullable().describe('One per output; null when all are 1.'),
  priorities: z.array(z.number()).nullable().describe('One per output; null when all are equal.'),
};

function presentSigma(sent: Sigma): z.infer<typeof sigma> | null {
  return Array.isArray(sent) ? [...sent] : (sent as number | { readonly relative: number } | null);
}

export function presentOptions(options: SearchOptions | null) {
  const { weights, priorities, stop, noise, confirm, confidence, confidenceOf } = options ?? {};
  const { solutions, front, fits, inputTolerances, aimAtRobustness, robustRuns } = options ?? {};
  return {
    fits: fits ? fits.map((fit) => ({ ...fit, outputs: [...fit.outputs], sigma: presentSigma(fit.sigma) })) : null,
    solutions: solutions ?? null,
    front: front ? { reference: [...front.reference] } : null,
    stop: stop ? { patience: null, until: null, maximumRuns: null, ...stop } : null,
    inputTolerances: inputTolerances ? { ...inputTolerances, values: [...inputTolerances.values] } : null,
    aimAtRobustness: aimAtRobustness ?? null,
    robustRuns: robustRuns ?? null,
    weights: weights ? [...weights] : null,
    priorities: priorities ? [...priorities] : null,
    noise:
      noise === undefined || noise === 'estimate'
        ? (noise ?? null)
        : { standardDeviations: [...noise.standardDeviations] },
    confirm: confirm ?? null,
    confidence: confidence ?? null,
    confidenceOf: confidenceOf ?? null,
  };
}
