/** What a black box gives, as it is reported. */
import { cleanReason } from '../evaluator/evaluation.ts';
import type { Reportable } from '../evaluator/evaluation-calls.ts';
import type { Goals, OutputsOf } from './goals.ts';

export type Given<G extends Goals> = OutputsOf<G> | readonly number[] | number;

/** NaN and infinite outputs make a failed run. Throws TypeError when an output is missing, which no run can cure. */
export function readGiven({ goals }: { readonly goals: Goals }, given: unknown): Reportable {
  const names = Object.keys(goals);
  const values = listed(given, names);
  const wrong = names.findIndex((_, j) => !Number.isFinite(values[j]));
  if (wrong < 0) return { kind: 'output', output: values };
  return { kind: 'failure', reason: `${names[wrong]} is ${values[wrong]}`, retryable: false };
}

export function failureOf(error: unknown): Reportable {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { kind: 'failure', reason: cleanReason(text) || 'failed', retryable: false };
}

function listed(given: unknown, names: readonly string[]): readonly number[] {
  const values =
    typeof given === 'number'
      ? [given]
      : Array.isArray(given) || ArrayBuffer.isView(given)
        ? Array.from(given as ArrayLike<unknown>)
        : names.map((name) => (given as Readonly<Record<string, unknown>> | null | undefined)?.[name]);
  if (values.length === names.length && values.every((value) => typeof value === 'number')) return values as number[];
  const expected = `{ ${names.map((name) => `${name}: number`).join(', ')} }`;
  throw new TypeError(`The black box must give ${expected}, gave ${JSON.stringify(given) ?? String(given)}.`);
}
