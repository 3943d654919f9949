/** The options of `solve` and `openProject`, and the check of their names. */
import { OBJECTIVE_FIELDS } from '../generated/objective-fields.ts';
import { type Names, refuseUnknownNames } from '../known-names.ts';
import type { Conditions } from './conditions.ts';
import type { Connection } from './connection.ts';
import { type Fit, isFit } from './fit.ts';
import type { Given } from './given.ts';
import type { Goal, Goals } from './goals.ts';
import type { Input, Inputs, ValuesOf } from './inputs.ts';
import type { Problem } from './problem.ts';
import type { FinishedRun } from './result.ts';
import type { Cost } from './sources.ts';

export interface SolveOptions<I extends Inputs, G extends Goals> extends Problem<I, G>, Connection {
  /** Is told of every run that is over, those of an earlier process first. */
  readonly onRun?: ((run: FinishedRun<I, G>) => void) | undefined;
  /** Whether a line per run is printed to standard error; default: on a terminal. */
  readonly progress?: boolean | undefined;
  /** Runs every failed run once more, for example after the black box was mended, and goes on with what it gives. */
  readonly retryFailed?: boolean | undefined;
  /** Ends early: what runs is waited for and reported, and the same call goes on later. */
  readonly signal?: AbortSignal | undefined;
  readonly sources?: Readonly<Record<string, Source<I, G>>> | undefined;
}

/** A cheaper version of the black box. */
export interface Source<I extends Inputs, G extends Goals> extends Cost {
  readonly run: BlackBox<I, G>;
}

/**
 * @param input  a value per input, by its name
 * @param signal aborted when the output is no longer wanted
 * @param when   the conditions of the data sets that are asked for; empty where none states any
 * @returns      a number per goal by its name, or in the order of the goals, or the one number; of a fit an array or a curve. NaN,
 *               an infinite number and an exception make a failed run.
 */
export type BlackBox<I extends Inputs, G extends Goals> = (
  input: ValuesOf<I>,
  signal: AbortSignal,
  when: Conditions,
) => Given<G> | Promise<Given<G>>;

/** The compiler compares the lists with the types. */
type NamesOf<Type> = { readonly [Name in keyof Required<Type>]: Names | null };

const INPUT: NamesOf<Input> = {
  type: null,
  minimum: null,
  maximum: null,
  choices: null,
  scale: null,
  step: null,
  levels: null,
  unit: null,
  likely: null,
};
const GOAL: NamesOf<Goal> = { type: null, target: null, lower: null, upper: null };
const FIT: NamesOf<Fit> = {
  when: null,
  output: null,
  type: null,
  values: null,
  positions: null,
  count: null,
  x: null,
  sigma: null,
  weight: null,
  loss: null,
  columns: null,
};
const CONNECTION: NamesOf<Connection> = {
  client: null,
  url: null,
  key: null,
  local: null,
  folder: null,
  journal: null,
  fresh: null,
};
const RUNNING: NamesOf<Omit<SolveOptions<Inputs, Goals>, keyof Problem | keyof Connection>> = {
  onRun: null,
  progress: null,
  retryFailed: null,
  signal: null,
};

function problemNames({ inputs, goals, sources }: Partial<Problem>): NamesOf<Problem> {
  const [ofInputs, ofGoals] = [namesIn(inputs, null), namesIn(goals, null)];
  return {
    inputs: namesIn(inputs, INPUT),
    goals: Object.fromEntries(Object.entries(goals ?? {}).map(([name, goal]) => [name, isFit(goal) ? FIT : GOAL])),
    constraints: null,
    feasibleInput: null,
    name: null,
    parallel: null,
    budget: null,
    cases: null,
    fixed: ofInputs,
    weights: ofGoals,
    priorities: ofGoals,
    noise: ofGoals,
    confirm: null,
    confidence: null,
    confidenceOf: null,
    stop: OBJECTIVE_FIELDS['stop']!,
    options: OBJECTIVE_FIELDS,
    verify: null,
    sources: namesIn(sources, { run: null, cost: null }),
    timeoutSeconds: null,
    files: null,
    stopAfterFailures: null,
  };
}

function namesIn(given: object | undefined, inner: Names | null): Names {
  return Object.fromEntries(Object.keys(given ?? {}).map((name) => [name, inner]));
}

/** Throws TypeError for names that neither reads: programs share one object between the two. */
export function refuseUnknownOptions(given: Partial<Problem>, owner: 'solve' | 'openProject'): void {
  refuseUnknownNames(given, { ...problemNames(given), ...CONNECTION, ...RUNNING }, owner);
}
