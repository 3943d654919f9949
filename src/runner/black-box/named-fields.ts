/** Reads the entries of inputs and outputs by their names before a problem file is read as a whole. */
import { textOf } from '../files/value-reader.ts';
import type { Value } from '../files/yaml-values.ts';
import type { Fields } from './black-box.ts';

/** The entries of a map, each with its own entries; none where it is something else. */
export function mapIn(value: Value | undefined): readonly (readonly [string, Fields])[] {
  return [...entriesOf(value)].map(([name, one]) => [name, entriesOf(one)]);
}

export function entriesOf(value: Value | undefined): Fields {
  return new Map(value?.kind === 'map' ? [...value.entries].map(([key, entry]) => [key, entry.value]) : []);
}

export function fitOf(output: Fields): Fields {
  return entriesOf(output.get('fit'));
}

export function textIn(fields: Fields, key: string): string | undefined {
  const value = fields.get(key);
  return value === undefined ? undefined : textOf(value);
}

/** The names of the conditions of fits. */
export function conditionsIn(fields: Fields): readonly string[] {
  return mapIn(fields.get('outputs')).flatMap(([, own]) => [...entriesOf(fitOf(own).get('when')).keys()]);
}
