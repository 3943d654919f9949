/** The keys of a problem file about runs that differ at one input. The rules of the service are checked by its own code. */
import type { ValueReader } from './value-reader.ts';
import type { Value } from './yaml-values.ts';

export const NOISE_KEYS = ['noise', 'confirm', 'confidence', 'confidenceOf'] as const;

/** As the bodies of objectives have them; those that are not stated are left out. */
export interface NoiseFields {
  readonly noise?: 'estimate' | { readonly standardDeviations: readonly number[] };
  readonly confirm?: number;
  readonly confidence?: number;
  readonly confidenceOf?: 'run' | 'mean';
}

export function readNoiseFields(
  reader: ValueReader,
  fields: ReadonlyMap<string, Value>,
  names: readonly string[],
): NoiseFields {
  const read = <Result>(key: (typeof NOISE_KEYS)[number], how: (value: Value) => Result | undefined) => {
    const value = fields.get(key);
    const result = value === undefined ? undefined : how(value);
    return result === undefined ? {} : { [key]: result };
  };
  return {
    ...read('noise', (value) => readNoise(reader, value, names)),
    ...read('confirm', (value) => reader.number(value, ['confirm'], { minimum: 1, isWhole: true })),
    ...read('confidence', (value) => reader.number(value, ['confidence'])),
    ...read('confidenceOf', (value) => reader.word(value, ['confidenceOf'], ['run', 'mean'])),
  };
}

/** `estimate`, or a map from the name of every output to its standard deviation. */
function readNoise(reader: ValueReader, value: Value, names: readonly string[]): NoiseFields['noise'] | undefined {
  if (value.kind === 'text') return reader.word(value, ['noise'], ['estimate'] as const);
  const deviations = reader.fields(value, ['noise'], names);
  if (deviations === undefined) return undefined;
  const standardDeviations = names.map((name) => {
    const sent = deviations.get(name);
    if (sent === undefined)
      return reader.refuse(value.at, ['noise'], `needs the standard deviation of ${name}; 0 for none.`);
    return reader.number(sent, ['noise', name], { minimum: 0 });
  });
  return standardDeviations.some((sd) => sd === undefined)
    ? undefined
    : { standardDeviations: standardDeviations as readonly number[] };
}
