/** Describes what a fit found: how well the best run fits, and what the data tell about the inputs. */
import type { FitQuality } from '../generated/schemas.ts';
import { type Fit, isFit } from './fit.ts';
import type { ToldByData } from './followed-search.ts';
import { byName, type Goals } from './goals.ts';
import { type Inputs, toValues, type ValuesOf } from './inputs.ts';

/** Conclusions about one input from the data. */
export interface Parameter {
  /** That of the best run. */
  readonly estimate: number;
  /** null where it exceeds the range between the bounds or an end is not known, and for inputs that are held. */
  readonly standardError: number | null;
  /** The ends of the profile-likelihood interval; null where one is at the bound or not known. */
  readonly low: number | null;
  readonly high: number | null;
  /** Knowledge about the ends of its interval; null for inputs that are held. */
  readonly lowEnd: 'found' | 'bound' | 'not-known' | null;
  readonly highEnd: 'found' | 'bound' | 'not-known' | null;
  readonly kind: 'identifiable' | 'practically-not' | 'structurally-not' | 'held';
  /** The increase of chi-square with the input at a value and the others adapted, ascending by value. */
  readonly profile: readonly { readonly value: number; readonly increase: number }[];
}

/** A predicted curve or number with its interval, by what the data leave open about the inputs. */
export interface Band {
  readonly predicted: readonly number[];
  readonly low: readonly number[];
  readonly high: readonly number[];
  /** Whether the interval of each number may be relied on: not where it rests on inputs whose intervals are not known. */
  readonly isKnown: readonly boolean[];
}

type ByInput<I extends Inputs, Value> = { readonly [Name in keyof I]?: Value };
type ByOutput<G extends Goals, Value> = { readonly [Name in keyof G]?: Value };

/** Quality of the best run's fit. */
export interface FitResult<I extends Inputs, G extends Goals> {
  /** null where a standard error is unknown. */
  readonly chiSquare: number | null;
  /** Degrees of freedom. */
  readonly freedom: number;
  readonly reducedChiSquare: number | null;
  /** Probability of a chi-square at least as large if model and standard errors are right. */
  readonly probability: number | null;
  /** The standard deviation of the residuals of each output: the estimated standard error where none was stated. */
  readonly scales: ByOutput<G, number | null>;
  readonly warnings: readonly string[];
  /** By input; empty until a run meets all other goals. */
  readonly parameters: ByInput<I, Parameter>;
  readonly correlations: ByInput<I, ByInput<I, number | null>>;
  /** By output, those that are not fitted included. */
  readonly bands: ByOutput<G, Band>;
  /** By output: the derivative of each of its numbers by each input, by the models. */
  readonly slopes: ByOutput<G, readonly (readonly number[])[]>;
  /** Point where the models expect a noticeably better fit than the best run's; null for none. Until it is run, no interval is known. */
  readonly better: { readonly at: ValuesOf<I>; readonly decrease: number; readonly spread: number } | null;
  /** Inputs of runs at the ends of the intervals, or the one of the better fit; the first tells most. */
  readonly verify: readonly ValuesOf<I>[];
  readonly sentences: readonly string[];
  /** The data by output. */
  readonly data: ByOutput<G, Fit>;
}

interface Named<I extends Inputs, G extends Goals> {
  readonly inputs: I;
  readonly goals: G;
}

/** @param quality  null without a fit, and before a run has an output */
export function fitOf<I extends Inputs, G extends Goals>(
  problem: Named<I, G>,
  quality: FitQuality | null,
  told: ToldByData | undefined,
): FitResult<I, G> | null {
  if (quality === null) return null;
  const { chiSquare, freedom, reducedChiSquare, probability, sets, warnings } = quality;
  return {
    chiSquare,
    freedom,
    reducedChiSquare,
    probability,
    scales: Object.fromEntries(sets.map(({ name, scale }) => [name, scale])) as ByOutput<G, number | null>,
    warnings,
    ...(told === undefined ? NOTHING_TOLD : toldOf(problem, told)),
    data: Object.fromEntries(Object.entries(problem.goals).filter(([, goal]) => isFit(goal))) as ByOutput<G, Fit>,
  };
}

const NOTHING_TOLD = {
  parameters: {},
  correlations: {},
  bands: {},
  slopes: {},
  better: null,
  verify: [],
  sentences: [],
};

function toldOf<I extends Inputs, G extends Goals>({ inputs, goals }: Named<I, G>, told: ToldByData) {
  const names = Object.keys(inputs);
  const byInput = <Value>(values: readonly Value[]) =>
    Object.fromEntries(values.map((value, i) => [names[i], value])) as ByInput<I, Value>;
  const parameters = told.parameters.map(({ estimate, standardError, low, high, lowEnd, highEnd, kind, profile }) => ({
    estimate,
    standardError,
    low,
    high,
    lowEnd,
    highEnd,
    kind,
    profile,
  }));
  // The numbers of the outputs that belong to each goal.
  const numbers: Readonly<Record<string, number | readonly number[]>> = byName(goals, [...told.outputs.keys()]);
  const byGoal = <Value>(read: (points: ToldByData['outputs']) => Value) =>
    Object.fromEntries(
      Object.entries(numbers).map(([name, own]) => [name, read([own].flat().map((j) => told.outputs[j]!))]),
    ) as ByOutput<G, Value>;
  return {
    parameters: byInput(parameters),
    correlations: byInput(told.correlations.map((row) => byInput(row))),
    bands: byGoal((points) => ({
      predicted: points.map(({ predicted }) => predicted),
      low: points.map(({ low }) => low),
      high: points.map(({ high }) => high),
      isKnown: points.map(({ isKnown }) => isKnown),
    })),
    slopes: byGoal((points) => points.map(({ slopes }) => slopes)),
    better: told.better && { ...told.better, at: toValues(inputs, told.better.at) },
    verify: told.verify.map(({ at }) => toValues(inputs, at)),
    sentences: told.sentences,
  };
}
