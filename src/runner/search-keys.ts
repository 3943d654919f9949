/** The keys of a problem file about how to search. The rules of the service are checked by its own code. */

import type { Path, ValueReader } from './files/value-reader.ts';
import type { Value } from './files/yaml-values.ts';
import { OPTION_KEYS, type OptionFields, readOptionFields } from './option-keys.ts';

/** As the bodies of objectives have them. */
const OTHER_KEYS = [
  'weights',
  'priorities',
  'solutions',
  'inputTolerances',
  'aimAtRobustness',
  'robustRuns',
  'front',
] as const;
export const SEARCH_KEYS: readonly string[] = [...OPTION_KEYS, ...OTHER_KEYS];

/** Those that are not stated are left out. */
export interface SearchFields extends OptionFields {
  /** One per output, null where none is stated. */
  readonly weights?: readonly (number | null)[];
  readonly priorities?: readonly (number | null)[];
  readonly solutions?: { readonly count?: number; readonly apart?: number };
  readonly inputTolerances?: {
    readonly kind: string;
    readonly in?: string;
    /** One per input. */
    readonly values: readonly (number | null)[];
  };
  readonly aimAtRobustness?: number | boolean;
  readonly robustRuns?: number;
  /** By the names of outputs without target. */
  readonly front?: { readonly reference: Readonly<Record<string, number>> };
}

interface Names {
  readonly inputs: readonly string[];
  /** `fit` is set for the points of a fit, which have no options of their own. */
  readonly outputs: readonly { readonly name: string; readonly fit?: string }[];
}

export function readSearchFields(
  reader: ValueReader,
  fields: ReadonlyMap<string, Value>,
  { inputs, outputs }: Names,
): SearchFields {
  const names = outputs.map(({ name }) => name);
  const known = outputs.filter(({ fit }) => fit === undefined).map(({ name }) => name);
  const read = <Result>(key: (typeof OTHER_KEYS)[number], how: (value: Value) => Result | undefined) => {
    const value = fields.get(key);
    const result = value === undefined ? undefined : how(value);
    return result === undefined ? {} : { [key]: result };
  };
  const perOutput = (key: 'weights' | 'priorities') =>
    read(key, (value) => listByName(reader, value, [key], names, known));
  return {
    ...readOptionFields(reader, fields, names),
    ...perOutput('weights'),
    ...perOutput('priorities'),
    ...read('solutions', (value) => numbersOf(reader, value, ['solutions'], ['count', 'apart'])),
    ...read('inputTolerances', (value) => readTolerances(reader, value, inputs)),
    ...read('aimAtRobustness', (value) =>
      value.kind === 'boolean' ? reader.boolean(value, ['aimAtRobustness']) : reader.number(value, ['aimAtRobustness']),
    ),
    ...read('robustRuns', (value) => reader.number(value, ['robustRuns'], { isWhole: true })),
    ...read('front', (value) => readFront(reader, value, known)),
  };
}

/** The numbers stated in a map with these keys. */
function numbersOf(
  reader: ValueReader,
  value: Value,
  path: Path,
  known: readonly string[],
): Readonly<Record<string, number>> | undefined {
  const stated = reader.fields(value, path, known);
  if (stated === undefined) return undefined;
  const numbers: Record<string, number> = Object.create(null);
  for (const [key, sent] of stated) {
    const number = reader.number(sent, [...path, key]);
    if (number !== undefined) numbers[key] = number;
  }
  return numbers;
}

function listByName(
  reader: ValueReader,
  value: Value,
  path: Path,
  names: readonly string[],
  known = names,
): readonly (number | null)[] | undefined {
  const numbers = numbersOf(reader, value, path, known);
  return numbers && names.map((name) => numbers[name] ?? null);
}

/** `{kind: normal, in: percent, values: {length: 1}}`; inputs without a value are made exactly. */
function readTolerances(
  reader: ValueReader,
  value: Value,
  names: readonly string[],
): SearchFields['inputTolerances'] | undefined {
  const path = ['inputTolerances'];
  const stated = reader.fields(value, path, ['kind', 'in', 'values']);
  if (stated === undefined) return undefined;
  const [kind, unit, sent] = ['kind', 'in', 'values'].map((key) => stated.get(key));
  if (kind === undefined) reader.refuse(value.at, [...path, 'kind'], 'is required: normal or uniform.');
  if (sent === undefined) reader.refuse(value.at, [...path, 'values'], 'is required: a map from inputs to numbers.');
  const word = kind && reader.word(kind, [...path, 'kind'], ['normal', 'uniform']);
  const inUnit = unit && reader.word(unit, [...path, 'in'], ['units', 'percent']);
  const values = sent && listByName(reader, sent, [...path, 'values'], names);
  return word && values && { kind: word, ...(inUnit && { in: inUnit }), values };
}

/** `{reference: {mass: 12}}` */
function readFront(reader: ValueReader, value: Value, outputs: readonly string[]): SearchFields['front'] | undefined {
  const reference = reader.fields(value, ['front'], ['reference'])?.get('reference');
  if (reference === undefined)
    return reader.refuse(
      value.at,
      ['front', 'reference'],
      'is required: a map from outputs without target to numbers.',
    );
  const numbers = numbersOf(reader, reference, ['front', 'reference'], outputs);
  return numbers && { reference: numbers };
}
