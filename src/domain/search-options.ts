/**
 * What a client may ask of the search beyond the targets. Every option is optional, and an objective that uses none behaves as if
 * there were none. They are stored as one record, and a verdict on an output never depends on weights and priorities.
 */
import { makeViolation, type Violation } from './errors.ts';
import { checkSolutions, DEFAULT_SOLUTIONS, type SolutionsOption } from './several-solutions.ts';
import { checkLength } from './vectors.ts';

/** As stored: an option that is not used is not there. */
export interface SearchOptions {
  /** One per output, at least `LEAST_WEIGHT`: how much a miss counts in the search. */
  readonly weights?: readonly number[];
  /** One per output, from 1 to `LAST_PRIORITY`: outputs of a lower priority count fully once all before them are met together. */
  readonly priorities?: readonly number[];
  /** Solutions to find before the objective is satisfied. */
  readonly solutions?: SolutionsOption;
}

/** As a client states them; null or left out is the default. */
export interface SentSearchOptions {
  readonly weights?: readonly (number | null)[] | null;
  readonly priorities?: readonly (number | null)[] | null;
  readonly solutions?: { readonly count?: number | null; readonly apart?: number | null } | null;
}

export const LEAST_WEIGHT = 0.01;
export const LARGEST_WEIGHT = 100;
export const LAST_PRIORITY = 3;

function solutionsOf({ count, apart }: NonNullable<SentSearchOptions['solutions']>): SolutionsOption {
  return { count: count ?? DEFAULT_SOLUTIONS.count, apart: apart ?? DEFAULT_SOLUTIONS.apart };
}

/** The record of valid options; null when they ask for nothing. */
export function searchOptionsOf(sent: SentSearchOptions): SearchOptions | null {
  const [weights, priorities] = [sent.weights, sent.priorities].map((list) => list?.map((entry) => entry ?? 1) ?? []);
  const options = {
    ...(weights!.some((weight) => weight !== 1) && { weights: weights! }),
    // The first priority is the highest one that is used.
    ...(new Set(priorities).size > 1 && { priorities: priorities! }),
    ...(sent.solutions && { solutions: solutionsOf(sent.solutions) }),
  };
  return Object.keys(options).length === 0 ? null : options;
}

type Fields = SentSearchOptions & { readonly objectiveTypes?: readonly string[] };
type Lengths = { readonly [Field in 'objectives' | 'weights' | 'priorities']?: { readonly length: number } | null };

/** All violations. @param arrays the arrays whose lengths are checked; may also have those whose elements are invalid */
export function checkSearchOptions(fields: Fields, arrays: Lengths): readonly Violation[] {
  const { weights, priorities, solutions, objectiveTypes = [] } = fields;
  const violations: Violation[] = [];
  for (const name of ['weights', 'priorities'] as const) {
    const list = arrays[name];
    if (list != null && arrays.objectives != null)
      violations.push(...checkLength([name], list, arrays.objectives.length, 'objective'));
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
  return violations;
}
