/**
 * Options of the search beyond the targets. Every option is optional, and an objective that uses none behaves as if
 * there were none. They are stored as one record, and a verdict on an output never depends on weights and priorities.
 */
import { makeViolation, type Violation } from '../errors.ts';
import { refTerm } from '../messages.ts';
import { checkLength } from '../vectors.ts';
import { type FitOption, fitOptionsOf, type SentFit } from './fit.ts';
import { type FrontOption, frontOptionOf, type SentFrontOption } from './front-option.ts';
import { checkRobustOptions, type RobustOptions, robustOptionsOf, type SentRobustOptions } from './robust-options.ts';
import { checkSolutions, DEFAULT_SOLUTIONS, type SolutionsOption } from './several-solutions.ts';
import { type SentStop, type StopOptions, stopOptionsOf } from './stop-options.ts';

/** As stored: an option that is not used is not there. */
export interface SearchOptions extends RobustOptions {
  /** One per output, at least `LEAST_WEIGHT`: how much a miss counts in the search. */
  readonly weights?: readonly number[];
  /** One per output, from 1 to `LAST_PRIORITY`: outputs of a lower priority count fully once all before them are met together. */
  readonly priorities?: readonly number[];
  /** Noise of runs at one input: one standard deviation per output, or to be estimated. */
  readonly noise?: Noise;
  /** The mean of so many runs at one input is to meet the targets; more than 1, and not with `confidence`. */
  readonly confirm?: number;
  /** The probability that a fresh run, or the mean of all runs, at one input meets the targets is to be so large. */
  readonly confidence?: number;
  readonly confidenceOf?: ConfidenceOf;
  /** Rules that end it although something is left to try. */
  readonly stop?: StopOptions;
  /** Solutions to find before the objective is satisfied. */
  readonly solutions?: SolutionsOption;
  /** Front to find if outputs have no target. */
  readonly front?: FrontOption;
  /** The data sets of outputs of type fit. */
  readonly fits?: readonly FitOption[];
}

type Noise = 'estimate' | { readonly standardDeviations: readonly number[] };
export const CONFIDENCE_OF = ['run', 'mean'] as const;
type ConfidenceOf = (typeof CONFIDENCE_OF)[number];

/** As a client states them; null or left out is the default. */
export interface SentSearchOptions extends SentRobustOptions {
  readonly weights?: readonly (number | null)[] | null;
  readonly priorities?: readonly (number | null)[] | null;
  readonly noise?: Noise | null;
  readonly confirm?: number | null;
  readonly confidence?: number | null;
  readonly confidenceOf?: ConfidenceOf | null;
  readonly stop?: SentStop;
  readonly solutions?: { readonly count?: number | null; readonly apart?: number | null } | null;
  readonly front?: SentFrontOption | null;
  readonly fits?: readonly SentFit[] | null;
}

export const LEAST_WEIGHT = 0.01;
export const LARGEST_WEIGHT = 100;
export const LAST_PRIORITY = 3;
export const MOST_CONFIRMING_RUNS = 20;
export const LEAST_CONFIDENCE = 0.5;
export const LARGEST_CONFIDENCE = 0.999;

function solutionsOf({ count, apart }: NonNullable<SentSearchOptions['solutions']>): SolutionsOption {
  return { count: count ?? DEFAULT_SOLUTIONS.count, apart: apart ?? DEFAULT_SOLUTIONS.apart };
}

/** The record of valid options; null when they ask for nothing. */
export function searchOptionsOf(
  sent: SentSearchOptions & { readonly objectiveTypes?: readonly string[] },
): SearchOptions | null {
  const fits = fitOptionsOf(sent.fits, sent.objectiveTypes ?? []);
  const stop = stopOptionsOf(sent.stop, { isFit: fits !== undefined });
  const [weights, priorities] = [sent.weights, sent.priorities].map((list) => list?.map((entry) => entry ?? 1) ?? []);
  const options = {
    ...(weights!.some((weight) => weight !== 1) && { weights: weights! }),
    // The first priority is the highest one that is used.
    ...(new Set(priorities).size > 1 && { priorities: priorities! }),
    ...robustOptionsOf(sent),
    ...noiseOptionsOf(sent),
    ...(stop && { stop }),
    ...(sent.solutions && { solutions: solutionsOf(sent.solutions) }),
    ...(sent.front && { front: frontOptionOf(sent.front) }),
    ...(fits && { fits }),
  };
  return Object.keys(options).length === 0 ? null : options;
}

/** Requests about noise; asking for more than one run without stating it means to estimate it. */
function noiseOptionsOf({ noise, confirm, confidence, confidenceOf }: SentSearchOptions): SearchOptions {
  const asked = {
    ...(confirm != null && confirm > 1 && { confirm }),
    ...(confidence != null && { confidence, confidenceOf: confidenceOf ?? 'run' }),
  };
  const stated = noise ?? (Object.keys(asked).length === 0 ? null : 'estimate');
  return { ...(stated !== null && { noise: stated }), ...asked };
}

type Fields = SentSearchOptions & { readonly objectiveTypes?: readonly string[] };
type Lengths = { readonly [Field in 'objectives' | 'weights' | 'priorities']?: { readonly length: number } | null };

/** All violations. @param inputCount undefined while it is not known @param arrays the arrays whose lengths are checked; may also have those whose elements are invalid */
export function checkSearchOptions(fields: Fields, arrays: Lengths, inputCount?: number): readonly Violation[] {
  const { weights, priorities, solutions, objectiveTypes = [] } = fields;
  const violations: Violation[] = [];
  for (const name of ['weights', 'priorities'] as const) {
    const list = arrays[name];
    if (list != null && arrays.objectives != null)
      violations.push(...checkLength([name], list, arrays.objectives.length, refTerm('output', 'objective')));
  }
  weights?.forEach((weight, j) => {
    if (weight !== null && !(weight >= LEAST_WEIGHT && weight <= LARGEST_WEIGHT)) {
      const message = `must be from ${LEAST_WEIGHT} to ${LARGEST_WEIGHT}, is ${weight}.`;
      violations.push(makeViolation(['weights', j], message));
    }
  });
  priorities?.forEach((priority, j) => {
    if (priority !== null && ![1, 2, LAST_PRIORITY].includes(priority)) {
      violations.push(makeViolation(['priorities', j], `must be 1, 2 or ${LAST_PRIORITY}, is ${priority}.`));
    }
  });
  if (priorities != null && objectiveTypes.includes('exact')) {
    const message = 'must be left out: exact judges all outputs together, so none can come first. Use weights.';
    violations.push(makeViolation(['priorities'], message));
  }
  if (solutions != null) violations.push(...checkSolutions(solutionsOf(solutions)));
  return [...violations, ...checkNoise(fields, arrays), ...checkRobustOptions(fields, inputCount)];
}

function checkNoise(
  { noise, confirm, confidence, confidenceOf }: Fields,
  { objectives }: Lengths,
): readonly Violation[] {
  const violations: Violation[] = [];
  const refuse = (path: readonly (string | number)[], message: string) => violations.push(makeViolation(path, message));
  if (noise != null && noise !== 'estimate') {
    const { standardDeviations } = noise;
    const path = ['noise', 'standardDeviations'];
    if (objectives != null)
      violations.push(...checkLength(path, standardDeviations, objectives.length, refTerm('output', 'objective')));
    standardDeviations.forEach((sd, j) => {
      if (!(sd >= 0 && Number.isFinite(sd))) refuse([...path, j], `must be finite and at least 0, is ${sd}.`);
    });
  }
  if (confirm != null && !(Number.isInteger(confirm) && confirm >= 1 && confirm <= MOST_CONFIRMING_RUNS)) {
    refuse(['confirm'], `must be a whole number from 1 to ${MOST_CONFIRMING_RUNS}, is ${confirm}.`);
  }
  if (confidence != null && !(confidence >= LEAST_CONFIDENCE && confidence <= LARGEST_CONFIDENCE)) {
    refuse(['confidence'], `must be from ${LEAST_CONFIDENCE} to ${LARGEST_CONFIDENCE}, is ${confidence}.`);
  }
  if (confidenceOf != null && confidence == null) {
    refuse(['confidenceOf'], 'says what confidence is about; state confidence as well, or leave it out.');
  }
  return violations;
}
