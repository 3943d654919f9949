/** Converts the results of a black box into a report. */
import { cleanReason } from '../evaluator/evaluation.ts';
import type { Reportable } from '../evaluator/evaluation-calls.ts';
import type { Call } from './conditions.ts';
import { type Jacobian, readJacobian, splitGiven } from './derivatives.ts';
import { type Curve, type Fit, isFit, readCurve } from './fit.ts';
import { flatten, type GivenOutputs, type Goals } from './goals.ts';
import type { Inputs } from './inputs.ts';

/** Results with fits: outputs may be curves in the order of the goals, one for all, or by the names that the data state. */
type GivenCurves<G extends Goals> =
  Extract<G[keyof G], Fit> extends never
    ? never
    : Curve | readonly (number | Curve)[] | Readonly<Record<string, number | Curve | undefined>>;

type GivenAlone<G extends Goals> = GivenOutputs<G> | readonly number[] | number | GivenCurves<G>;

/** Outputs, or a pair of them and their derivatives. */
export type Given<G extends Goals> = GivenAlone<G> | readonly [outputs: GivenAlone<G>, jacobian: Jacobian];

/**
 * NaN and infinite outputs make a failed run. Throws TypeError when an output is missing, or when a curve does not cover its data,
 * which no run can cure.
 */
export function readGiven(
  { goals, inputs }: { readonly goals: Goals; readonly inputs: Inputs },
  given: unknown,
): Reportable {
  const { outputs, jacobian } = splitGiven(Object.keys(goals), Object.values(goals).every(isFit), given);
  const values = flatGiven(goals, outputs);
  const wrong = values.findIndex((value) => !Number.isFinite(value));
  if (wrong < 0) {
    const slopes = jacobian === undefined ? {} : { jacobian: readJacobian(inputs, goals, jacobian) };
    return { kind: 'output', output: values, ...slopes };
  }
  return { kind: 'failure', reason: `${flatten(goals).names[wrong]} is ${values[wrong]}`, retryable: false };
}

/** By goal, what the calls under all conditions gave. */
export function mergeGiven(calls: readonly Call[], given: readonly unknown[]): unknown {
  const split = calls.map(({ outputs }, k) =>
    splitGiven([...new Set(outputs.map(({ output }) => output))], true, given[k]),
  );
  const outputs = mergeOutputs(
    calls,
    split.map((one) => one.outputs),
  );
  if (split.every(({ jacobian }) => jacobian === undefined)) return outputs;
  return [
    outputs,
    mergeOutputs(
      calls,
      split.map(({ jacobian }) => jacobian),
    ),
  ];
}

function mergeOutputs(calls: readonly Call[], given: readonly unknown[]): Readonly<Record<string, unknown>> {
  const merged = calls.flatMap(({ outputs }, k) => {
    const one = given[k] as Readonly<Record<string, unknown>> | null | undefined;
    const isAlone = new Set(outputs.map(({ output }) => output)).size === 1 && one?.[outputs[0]!.output] === undefined;
    return outputs.map(({ goal, output }) => [goal, isAlone ? one : one?.[output]]);
  });
  return Object.fromEntries(merged);
}

export function failureOf(error: unknown): Reportable {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { kind: 'failure', reason: cleanReason(text) || 'failed', retryable: false };
}

/** One number per value of a fit. */
function flatGiven(goals: Goals, given: unknown): readonly number[] {
  const names = Object.keys(goals);
  const values = listed(given, goals)?.flatMap((value, j) => {
    const goal = goals[names[j]!]!;
    return isFit(goal) ? readCurve(names[j]!, goal, value) : [value];
  });
  if (values?.every((value) => typeof value === 'number')) return values as number[];
  const kinds = names.map((name) => `${name}: ${isFit(goals[name]!) ? 'number[]' : 'number'}`);
  const text = JSON.stringify(given) ?? String(given);
  const shown = text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}...` : text;
  throw new TypeError(`The black box must give { ${kinds.join(', ')} }, gave ${shown}.`);
}

const SHOWN_LENGTH = 1_000;

/** A value per goal; undefined where the count differs. */
function listed(given: unknown, goals: Goals): readonly unknown[] | undefined {
  const names = Object.keys(goals);
  const named = given as Readonly<Record<string, unknown>> | null | undefined;
  const isList = Array.isArray(given) || ArrayBuffer.isView(given);
  const only = names.length === 1 && isFit(goals[names[0]!]!);
  if (only && (isList || named?.[names[0]!] === undefined)) return [given];
  if (typeof given === 'number') return names.length === 1 ? [given] : undefined;
  const values = isList ? Array.from(given as ArrayLike<unknown>) : names.map((name) => named?.[name]);
  return values.length === names.length ? values : undefined;
}
