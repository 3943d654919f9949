/** Definitions of the inputs of a problem. */

import { refuseUnknownNames } from '../known-names.ts';

export type InputValue = number | string | boolean;

/** An input; `Value` is what the black box gets. */
export interface Input<Value extends InputValue = InputValue> {
  readonly type: 'float' | 'integer' | 'boolean' | 'category';
  /** In natural units; of a choice 1 and the number of its values. */
  readonly minimum: number;
  readonly maximum: number;
  /** The values of a choice, in their order; empty for every other input. */
  readonly choices: readonly Value[];
  /** Scale of the range; by default a range of three powers of ten or more is logarithmic. */
  readonly scale?: 'linear' | 'log';
  readonly step?: number;
  readonly levels?: readonly number[];
  readonly unit?: string;
  readonly likely?: readonly [number, number];
}

export interface InputOptions {
  /** A label, such as `mm`. */
  readonly unit?: string;
  /** Range in which the answer probably lies. */
  readonly likely?: readonly [number, number];
  /** Whether its differences matter, or its factors; default: the latter from three powers of ten on. */
  readonly scale?: 'linear' | 'log';
}

export interface RealOptions extends InputOptions {
  /** Only minimum + k * step. */
  readonly step?: number;
}

const LOG_OPTIONS = { unit: null, likely: null };
const OPTIONS = { ...LOG_OPTIONS, scale: null };
const REAL_OPTIONS = { ...OPTIONS, step: null };

/** A number between the bounds whose size matters by its order of magnitude; both bounds are positive. */
export function log(minimum: number, maximum: number, options: Omit<InputOptions, 'scale'> = {}): Input<number> {
  refuseUnknownNames(options, LOG_OPTIONS, 'log');
  return { type: 'float', scale: 'log', minimum, maximum, choices: [], ...options };
}

/** A number between the bounds. */
export function real(minimum: number, maximum: number, options: RealOptions = {}): Input<number> {
  refuseUnknownNames(options, REAL_OPTIONS, 'real');
  return { type: 'float', minimum, maximum, choices: [], ...options };
}

/** A whole number between the bounds. */
export function integer(minimum: number, maximum: number, options: InputOptions = {}): Input<number> {
  refuseUnknownNames(options, OPTIONS, 'integer');
  return { type: 'integer', minimum, maximum, choices: [], ...options };
}

/** A number that takes only these values. */
export function levels(...values: readonly number[]): Input<number> {
  const sorted = [...values].sort((a, b) => a - b);
  const [minimum, maximum] = [sorted[0], sorted.at(-1)];
  if (minimum === undefined || maximum === undefined || minimum === maximum) {
    throw new RangeError('levels needs at least two values.');
  }
  return { type: 'float', minimum, maximum, choices: [], levels: sorted };
}

/** true or false. */
export function boolean(): Input<boolean> {
  return { type: 'boolean', minimum: 0, maximum: 1, choices: [] };
}

/** One of several values, which have no order. */
export function choice<const Value extends string | number>(...values: readonly Value[]): Input<Value> {
  if (values.length < 2 || new Set(values.map(String)).size !== values.length) {
    throw new RangeError(`choice needs at least two values that differ, got ${values.join(', ') || 'none'}.`);
  }
  return { type: 'category', minimum: 1, maximum: values.length, choices: values };
}

/** An input by its name; a pair of bounds is a real number between them. */
export type Inputs = Readonly<Record<string, Input | readonly [number, number]>>;

/** Values for the black box: one per input, by its name. */
export type ValuesOf<I extends Inputs> = {
  readonly [Name in keyof I]: I[Name] extends Input<infer Value> ? Value : number;
};

export function toInput(given: Inputs[string]): Input {
  return isPair(given) ? real(given[0], given[1]) : given;
}

function isPair(given: Inputs[string]): given is readonly [number, number] {
  return Array.isArray(given);
}

/** @param input  as the service has it: one number per input, categories by their numbers */
export function toValues<I extends Inputs>(inputs: I, input: readonly number[]): ValuesOf<I> {
  const entries = Object.entries(inputs).map(([name, one], i) => [name, toValue(toInput(one), input[i]!)]);
  return Object.fromEntries(entries) as ValuesOf<I>;
}

function toValue({ type, choices, minimum }: Input, value: number): InputValue {
  if (type === 'boolean') return value !== 0;
  return type === 'category' ? choices[value - minimum]! : value;
}
