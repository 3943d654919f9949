/** The keys of a problem file about what is asked of the search. The rules of the service are checked by its own code. */
import type { ValueReader } from './files/value-reader.ts';
import type { Value } from './files/yaml-values.ts';

export const OPTION_KEYS = ['noise', 'confirm', 'confidence', 'confidenceOf', 'stop'] as const;
/** `maximumRuns` is a key of its own. */
const STOP_KEYS = ['patience', 'improvementBelow', 'until'];

/** As the bodies of objectives have them; those that are not stated are left out. */
export interface OptionFields {
  readonly noise?: 'estimate' | { readonly standardDeviations: readonly number[] };
  readonly confirm?: number;
  readonly confidence?: number;
  readonly confidenceOf?: 'run' | 'mean';
  readonly stop?: StopFields | false;
}

interface StopFields {
  readonly patience?: number;
  readonly improvementBelow?: number;
  /** A date and a time as ISO 8601 writes them. */
  readonly until?: string;
}

export function readOptionFields(
  reader: ValueReader,
  fields: ReadonlyMap<string, Value>,
  names: readonly string[],
): OptionFields {
  const read = <Result>(key: (typeof OPTION_KEYS)[number], how: (value: Value) => Result | undefined) => {
    const value = fields.get(key);
    const result = value === undefined ? undefined : how(value);
    return result === undefined ? {} : { [key]: result };
  };
  return {
    ...read('noise', (value) => readNoise(reader, value, names)),
    ...read('confirm', (value) => reader.number(value, ['confirm'], { minimum: 1, isWhole: true })),
    ...read('confidence', (value) => reader.number(value, ['confidence'])),
    ...read('confidenceOf', (value) => reader.word(value, ['confidenceOf'], ['run', 'mean'])),
    ...read('stop', (value) => readStop(reader, value)),
  };
}

/** `estimate`, or a map from the name of every output to its standard deviation. */
function readNoise(reader: ValueReader, value: Value, names: readonly string[]): OptionFields['noise'] | undefined {
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

/** `{patience: 12, improvementBelow: 0.001, until: 2027-03-01T06:00:00Z}`, each optional; false or null for no early end. */
function readStop(reader: ValueReader, value: Value): OptionFields['stop'] | undefined {
  if (value.kind === 'null') return false;
  if (value.kind === 'boolean') {
    if (!value.boolean) return false;
    return reader.refuse(value.at, ['stop'], 'must be false, or a map such as {patience: 12}; {} ends by evidence.');
  }
  const fields = reader.fields(value, ['stop'], STOP_KEYS);
  if (fields === undefined) return undefined;
  const [patience, improvementBelow, until] = STOP_KEYS.map((key) => fields.get(key));
  return {
    ...(patience && { patience: reader.number(patience, ['stop', 'patience'], { minimum: 1, isWhole: true }) ?? 1 }),
    ...(improvementBelow && { improvementBelow: reader.number(improvementBelow, ['stop', 'improvementBelow']) ?? 1 }),
    ...(until && { until: reader.text(until, ['stop', 'until'], 'a date and a time') ?? '' }),
  };
}
