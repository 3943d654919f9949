/** A problem as `solve` takes it, and what it is for the service. */
import type { NewObjectives } from '../generated/schemas.ts';
import { conditionFault, pointsOf } from './conditions.ts';
import { isFit } from './fit.ts';
import { flatten, type Goals, type NumbersOf, toDataSets } from './goals.ts';
import { type Input, type Inputs, toInput, toValues, type ValuesOf } from './inputs.ts';
import type { Looker } from './looks.ts';
import { MAXIMUM_PARALLEL, type Plan, type ProjectBody, roundOf, toServiceName, type Words } from './plan.ts';
import { type Cost, checkSources, sourcesOf } from './sources.ts';

export interface Problem<I extends Inputs = Inputs, G extends Goals = Goals> {
  readonly inputs: I;
  readonly goals: G;
  /** Conditions among the inputs, such as `'length <= 2 * width'`. */
  readonly constraints?: readonly string[] | undefined;
  /** An input that satisfies the constraints; needed only when the service asks for one. */
  readonly feasibleInput?: ValuesOf<I> | undefined;
  /**
   * Name of the model and the project; tells problems apart that have the same inputs and goals, and lets goals change on the same data.
   */
  readonly name?: string | undefined;
  /** Runs at a time, 1 to 64; default: 1. */
  readonly parallel?: number | undefined;
  /** The most runs, designed ones included; default: as many as the service allows. */
  readonly budget?: number | undefined;
  /** Number of designed runs, which come first; default: few, but as many as `parallel`, up to half of `budget`. */
  readonly cases?: number | undefined;
  /** Inputs that keep this value. */
  readonly fixed?: Partial<ValuesOf<I>> | undefined;
  /** Weight of each output in the search, from 0.01 to 100; default: 1. */
  readonly weights?: Partial<NumbersOf<G>> | undefined;
  /** Default: 1; outputs of 2 and 3 count little until those before them are met. */
  readonly priorities?: Partial<NumbersOf<G>> | undefined;
  /** By how much runs at one input differ: the standard deviation of every output, or `estimate`. */
  readonly noise?: NumbersOf<G> | 'estimate' | undefined;
  /** Number of runs at one input that are to meet the goals on average. */
  readonly confirm?: number | undefined;
  /** Probability with which an input is to meet the goals. */
  readonly confidence?: number | undefined;
  readonly confidenceOf?: 'run' | 'mean' | undefined;
  /**
   * Rule that ends the search early. Default: by evidence, when the best compromise is found, or no improvement is to
   * be expected. false or null: only with its budget.
   */
  readonly stop?: boolean | NewObjectives['stop'];
  /** Further fields of the objective, as the interface names them (docs/search-options.md). */
  readonly options?: Partial<NewObjectives> | undefined;
  /**
   * After a fit was found, so many further runs, beside the budget, may be made at the ends of the intervals of its inputs, where the
   * models are unsure of them; default: 0.
   */
  readonly verify?: number | undefined;
  /**
   * Cheaper versions of the black box, by name, with the cost of a run in runs of the black box itself. `solve` takes a function for each.
   * The service says which one to run; only runs of the black box are solutions.
   */
  readonly sources?: Readonly<Record<string, Cost>> | undefined;
  /** Time limit of one run; default: 3600. */
  readonly timeoutSeconds?: number | undefined;
  /** Files that the black box reads: when one has changed, a kept run is made once more before the search goes on. */
  readonly files?: readonly string[] | undefined;
  /** Failed runs in a row after which everything ends; default: 20. */
  readonly stopAfterFailures?: number | undefined;
}

/** Advice, after the name. */
export const GOAL_ON_INPUT =
  'a goal is about an output. Limit an input by its bounds, or give the output another name.';

/** Throws RangeError for what the types cannot tell; the service judges the rest. */
export function checkProblem(problem: Problem): void {
  const { inputs, goals, parallel = 1, budget, verify } = problem;
  if (Object.keys(inputs).length === 0) throw new RangeError('inputs needs at least one input.');
  if (Object.keys(goals).length === 0) throw new RangeError('goals needs at least one goal.');
  const both = Object.keys(goals).find((name) => Object.hasOwn(inputs, name) && !isFit(goals[name]!));
  if (both !== undefined) throw new RangeError(`goals has ${both}, which is an input: ${GOAL_ON_INPUT}`);
  refuseUnlessCount('parallel', parallel, MAXIMUM_PARALLEL);
  if (budget !== undefined) refuseUnlessCount('budget', budget, Number.MAX_SAFE_INTEGER);
  if (verify !== undefined) refuseUnlessCount('verify', verify, Number.MAX_SAFE_INTEGER);
  if (verify !== undefined && !Object.values(goals).some(isFit))
    throw new RangeError('verify runs the ends of the intervals of a fit: give a goal fit(...), or leave out verify.');
  refuseBesideFit(problem);
  checkSources(problem.sources ?? {});
  const fault = conditionFault(Object.entries(goals), Object.keys(inputs));
  if (fault !== undefined) throw new RangeError(fault);
}

/** Refuses by the names of the goals what the service refuses beside a fit by the numbers of outputs. */
function refuseBesideFit({ goals, noise, priorities, sources, weights }: Problem): void {
  const fitted = Object.keys(goals).filter((name) => isFit(goals[name]!));
  if (fitted.length === 0) return;
  if (sources !== undefined)
    throw new RangeError('sources cannot go with a fit yet: leave them out, or state goals for the outputs.');
  if (noise !== undefined)
    throw new RangeError('noise cannot go with a fit: state the errors of the data as its sigma.');
  if (priorities !== undefined)
    throw new RangeError('priorities cannot go with a fit: leave them out, its limits come first.');
  const weighted = fitted.find((name) => weights?.[name] !== undefined);
  if (weighted !== undefined)
    throw new RangeError(`weights cannot have ${weighted}, a fit: state weight in its fit(...).`);
}

function refuseUnlessCount(name: string, value: number, maximum: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= maximum) return;
  const range = maximum === Number.MAX_SAFE_INTEGER ? 'of at least 1' : `from 1 to ${maximum}`;
  throw new RangeError(`${name} must be a whole number ${range}, is ${value}.`);
}

function nameOf({ name = 'solve' }: Problem): string {
  return toServiceName(name).slice(0, 80);
}

export function toProject(problem: Problem): ProjectBody {
  const inputs = Object.values(problem.inputs).map(toInput);
  const { names } = flatten(problem.goals);
  return {
    name: nameOf(problem),
    inputCount: inputs.length,
    inputNames: Object.keys(problem.inputs),
    minimums: inputs.map(({ minimum }) => minimum),
    maximums: inputs.map(({ maximum }) => maximum),
    inputTypes: inputs.map(({ type }) => type),
    categories: inputs.map(({ type, choices }) => (type === 'category' ? choices.map(String) : null)),
    ...listOf(inputs, 'inputUnits', ({ unit }) => unit, ''),
    ...listOf(inputs, 'scales', ({ scale }) => scale, null),
    ...listOf(inputs, 'steps', ({ step }) => step, null),
    ...listOf(inputs, 'levels', (input: Input) => input.levels, null),
    ...listOf(inputs, 'likelyMinimums', ({ likely }) => likely?.[0], null),
    ...listOf(inputs, 'likelyMaximums', ({ likely }) => likely?.[1], null),
    ...(problem.constraints !== undefined && { constraints: problem.constraints }),
    ...(problem.feasibleInput !== undefined && { feasibleInput: problem.feasibleInput }),
    outputCount: names.length,
    outputNames: names,
    ...(problem.cases !== undefined && { caseCount: problem.cases }),
    ...sourcesOf(problem.sources),
  };
}

export function toObjective(problem: Problem): NewObjectives {
  const { fixed, weights, priorities, noise, confirm, confidence, confidenceOf, stop, options } = problem;
  const { goals, fits } = flatten(problem.goals);
  const stated = {
    fixedInputs: fixed,
    weights,
    priorities,
    noise:
      typeof noise === 'object'
        ? { standardDeviations: Object.keys(problem.goals).map((name) => noise[name]!) }
        : noise,
    confirm,
    confidence,
    confidenceOf,
    // With an empty rule the service ends the search by evidence.
    stop: stop === true ? {} : stop || undefined,
  };
  return {
    objectives: goals.map(({ target }) => target),
    objectiveTypes: goals.map(({ type }) => type),
    minimumBounds: goals.map(({ lower }) => lower),
    maximumBounds: goals.map(({ upper }) => upper),
    ...(fits.length > 0 && { fits: toDataSets({ fits }) }),
    ...(Object.fromEntries(Object.entries(stated).filter(([, value]) => value !== undefined)) as object),
    ...options,
  };
}

/** @param looker  null where the black box is out of sight */
export function toPlan(problem: Problem, looker: Looker | null): Plan {
  const { budget = null, parallel = 1, verify = 0, timeoutSeconds, stopAfterFailures } = problem;
  return {
    project: { ...toProject(problem), ...(problem.cases === undefined && roundOf(parallel, budget)) },
    objectives: [toObjective(problem)],
    statesStop: problem.stop !== undefined || problem.options?.stop !== undefined,
    budget,
    parallel,
    verify,
    batch: {
      ...(timeoutSeconds !== undefined && { timeoutSeconds }),
      ...(stopAfterFailures !== undefined && { stopAfterFailures }),
    },
    designed: null,
    start: null,
    known: [],
    knownSource: null,
    code: null,
    looker,
    nameInput: (input) => toValues(problem.inputs, input),
  };
}

/** Runs are read at these points, so other ones are another black box. */
export function pointsText({ goals }: Problem): string {
  const { fits } = flatten(goals);
  return fits.length === 0 ? '' : JSON.stringify(pointsOf(fits));
}

export const WORDS: Words = {
  door: 'typescript',
  startOver: 'start over with fresh: true, or give another name',
  budget: 'budget',
  refuseLog: "state scale: 'linear' to refuse",
  goOnAt: () => '',
};

/** A list with one entry each, left out where none states anything. */
function listOf<Item, Value, Filler, Field extends string>(
  items: readonly Item[],
  field: Field,
  read: (item: Item) => Value | undefined,
  filler: Filler,
): { readonly [Name in Field]?: (Value | Filler)[] } {
  if (items.every((item) => read(item) === undefined)) return {};
  return { [field]: items.map((item) => read(item) ?? filler) } as { [Name in Field]?: (Value | Filler)[] };
}
