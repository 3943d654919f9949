/** Tolerances of the inputs of an objective, and the search for an input that holds in spite of them. */
import type { InputTolerances } from '../../optimizer/interface/problem.ts';
import { makeViolation, type Violation } from '../errors.ts';
import { refField } from '../messages.ts';
import type { ByName } from '../problem/names.ts';
import { checkLength } from '../vectors.ts';

/** As stored. */
export interface RobustOptions {
  readonly inputTolerances?: InputTolerances;
  /** The probability at which the search ends, or true: until its runs are used. */
  readonly aimAtRobustness?: number | true;
  /** At most so many runs after the first that satisfied everything; default: `DEFAULT_ROBUST_RUNS`. */
  readonly robustRuns?: number;
}

/** As a client states them; null or left out is the default. */
export interface SentRobustOptions {
  readonly inputTolerances?: SentTolerances | null;
  readonly aimAtRobustness?: number | boolean | null;
  readonly robustRuns?: number | null;
}

interface SentTolerances {
  readonly kind: InputTolerances['kind'];
  readonly in?: InputTolerances['in'] | null;
  /** One per input, or by the names of the inputs. */
  readonly values: readonly (number | null)[] | ByName;
}

export const DEFAULT_ROBUST_RUNS = 5;
export const LARGEST_ROBUST_RUNS = 100;
export const LEAST_ROBUST_AIM = 0.01;
export const LARGEST_ROBUST_AIM = 0.999;

/** The valid options as they are stored. */
export function robustOptionsOf({ inputTolerances, aimAtRobustness, robustRuns }: SentRobustOptions): RobustOptions {
  if (inputTolerances == null) return {};
  const tolerances = toTolerances(inputTolerances);
  if (aimAtRobustness == null || aimAtRobustness === false) return { inputTolerances: tolerances };
  return {
    inputTolerances: tolerances,
    aimAtRobustness,
    robustRuns: robustRuns ?? DEFAULT_ROBUST_RUNS,
  };
}

/** In units unless the client says percent; an input without a value is made exactly. */
export function toTolerances(sent: SentTolerances): InputTolerances {
  const values = listOf(sent.values) ?? [];
  return { kind: sent.kind, in: sent.in ?? 'units', values: values.map((value) => value ?? 0) };
}

/** @param inputCount undefined while it is not known */
export function checkRobustOptions(
  { inputTolerances, aimAtRobustness, robustRuns }: SentRobustOptions,
  inputCount: number | undefined,
): readonly Violation[] {
  const list = inputTolerances == null ? undefined : listOf(inputTolerances.values);
  const violations = list === undefined ? [] : checkTolerances(list, inputCount);
  const refuse = (property: string, message: string) => violations.push(makeViolation([property], message));
  const aims = aimAtRobustness != null && aimAtRobustness !== false;
  if (aims && inputTolerances == null)
    refuse('aimAtRobustness', `needs ${refField('inputTolerances')}, by which robustness is judged.`);
  if (
    typeof aimAtRobustness === 'number' &&
    !(aimAtRobustness >= LEAST_ROBUST_AIM && aimAtRobustness <= LARGEST_ROBUST_AIM)
  )
    refuse('aimAtRobustness', `must be true, or a probability from ${LEAST_ROBUST_AIM} to ${LARGEST_ROBUST_AIM}.`);
  if (robustRuns != null) {
    if (!aims) refuse('robustRuns', `needs ${refField('aimAtRobustness')}.`);
    if (!(Number.isInteger(robustRuns) && robustRuns >= 1 && robustRuns <= LARGEST_ROBUST_RUNS))
      refuse('robustRuns', `must be a whole number from 1 to ${LARGEST_ROBUST_RUNS}.`);
  }
  return violations;
}

/** Undefined for values by name, which the use case reads first. */
function listOf(values: SentTolerances['values']): readonly (number | null)[] | undefined {
  return Array.isArray(values) ? values : undefined;
}

function checkTolerances(values: readonly (number | null)[], inputCount: number | undefined): Violation[] {
  const at = (index: number) => ['inputTolerances', 'values', index];
  const wrong = values.flatMap((value, v) =>
    value === null || (Number.isFinite(value) && value >= 0)
      ? []
      : [makeViolation(at(v), `must be a number from 0, is ${value}.`)],
  );
  return inputCount === undefined
    ? wrong
    : [...checkLength(['inputTolerances', 'values'], values, inputCount, 'input'), ...wrong];
}
