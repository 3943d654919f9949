/** Reads the entries of inputs and outputs by their names, and the file that a key names, before a problem file is read as a whole. */
import { textOf } from '../files/value-reader.ts';
import type { Value } from '../files/yaml-values.ts';
import type { Described, Fields } from './black-box.ts';

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

/**
 * Describes the file that a key names. A file that cannot be used is a fault of the key; a value that is no name is refused where it is read.
 *
 * @param Refusal  errors that say why the file cannot be used
 */
export async function describeFile(
  fields: Fields,
  key: string,
  Refusal: new (message: string) => Error,
  describe: (file: string) => Promise<Described>,
): Promise<Described> {
  const unknown = { inputs: {}, outputs: {}, faults: [], unknown: ['inputs', 'outputs'] } as const;
  const file = fields.get(key)!;
  if (file.kind !== 'text') return unknown;
  try {
    return await describe(file.text);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { ...unknown, faults: [{ path: [key], message: error.message }] };
  }
}
