/** Values of inputs as people read and copy them. Needs no browser. */

import type { Head } from './columns.ts';
import { namesOf, short, titled } from './formats.ts';

type InputFacts = Pick<Head, 'inputTypes' | 'categories' | 'minimums'>;

/** A category by its name, a boolean as yes or no, a number with at most five digits. */
export function inputText(facts: InputFacts, i: number, value: number): string {
  return named(facts, i, value) ?? (facts.inputTypes[i] === 'integer' ? String(value) : short(value));
}

/** The same with all digits. */
export function fullInputText(facts: InputFacts, i: number, value: number): string {
  return named(facts, i, value) ?? String(value);
}

function named({ inputTypes, categories, minimums }: InputFacts, i: number, value: number): string | undefined {
  if (inputTypes[i] === 'category') return categories[i]?.[value - minimums[i]!];
  if (inputTypes[i] === 'boolean') return value === 1 ? 'yes' : 'no';
  return undefined;
}

export function inputNames(head: Pick<Head, 'inputNames' | 'minimums'>): readonly string[] {
  return namesOf(head.inputNames, 'x', head.minimums.length);
}

export function outputNames(head: Pick<Head, 'outputNames' | 'objectives'>): readonly string[] {
  return namesOf(head.outputNames, 'y', head.objectives.length);
}

/** The name of an output with its unit. */
export function outputLabel(head: Pick<Head, 'outputNames' | 'outputUnits' | 'objectives'>, j: number): string {
  return titled(outputNames(head)[j]!, head.outputUnits?.[j]);
}

/** The name of an input with its unit. */
export function inputLabel(head: Pick<Head, 'inputNames' | 'inputUnits' | 'minimums'>, i: number): string {
  return titled(inputNames(head)[i]!, head.inputUnits?.[i]);
}
