/** The inputs of a project: bounds, types, and what else a client states about them. */
import type { Condition, RegionReport } from '../../optimizer/interface/problem.ts';

export const InputType = {
  float: 'float',
  integer: 'integer',
  boolean: 'boolean',
  category: 'category',
} as const;
export type InputType = (typeof InputType)[keyof typeof InputType];

export const Scale = { linear: 'linear', log: 'log' } as const;
export type Scale = (typeof Scale)[keyof typeof Scale];

/** A condition as a client states it: an expression, or the coefficients of a linear one. */
export type SentConstraint =
  | string
  | {
      readonly coefficients: readonly number[];
      readonly relation: Condition['relation'];
      readonly bound: number;
      readonly name?: string | undefined;
    };

/** Lists have one entry per input; null or an absent list says nothing. */
export interface SentDetails {
  readonly scales: readonly (Scale | null)[] | null;
  readonly steps: readonly (number | null)[] | null;
  readonly levels: readonly (readonly number[] | null)[] | null;
  readonly likelyMinimums: readonly (number | null)[] | null;
  readonly likelyMaximums: readonly (number | null)[] | null;
  readonly constraints: readonly SentConstraint[] | null;
  readonly feasibleInput: readonly number[] | null;
}

/** The details of a project that states some. */
export interface InputDetails extends SentDetails {
  /** Compiled constraints, in their order. */
  readonly conditions: readonly Condition[];
  /** Part of the box that the conditions leave; null without conditions. */
  readonly region: Extract<RegionReport, { readonly kind: 'open' }> | null;
}

export interface InputSpace {
  readonly inputCount: number;
  readonly minimums: readonly number[];
  readonly maximums: readonly number[];
  readonly inputTypes: readonly InputType[];
  /** One list of names per input, empty unless the input is a category. */
  readonly categories: readonly (readonly string[])[];
  /** Further statements about the inputs; absent for none. */
  readonly details?: InputDetails;
}
