/** Reads a problem file. Rules that need no more than the file are checked here; those of the service by its own code. */
import { GOAL_ON_INPUT } from '../../clients/typescript/src/solve/problem.ts';
import { type Described, UNDESCRIBED } from './black-box/black-box.ts';
import { BLACK_BOX_KEYS, kindOf, readBlackBox, withFacts } from './black-box/kinds.ts';
import { adviceFor, describe, type Path, textOf, ValueReader } from './files/value-reader.ts';
import { type FileViolation, type Position, parseYaml, type Value } from './files/yaml-values.ts';
import { type DataTexts, refuseBesideFits, refuseConditions } from './fit-keys.ts';
import { readOutputs, readUnit } from './output-keys.ts';
import type { InputDefinition, InputType, InputValue, Problem } from './problem.ts';
import { readSearchFields, SEARCH_KEYS } from './search-keys.ts';
import { readSources } from './source-keys.ts';

const KEYS = [
  'name',
  'inputs',
  'constraints',
  'outputs',
  'targets',
  'desiredL1Norm',
  'cases',
  'start',
  'known',
  ...BLACK_BOX_KEYS,
  'files',
  'sources',
  'jobs',
  'timeout',
  'maximumRuns',
  'retries',
  'stopAfterFailures',
  'verify',
  ...SEARCH_KEYS,
];
const INPUT_KEYS = ['unit', 'type', 'minimum', 'maximum', 'scale', 'step', 'values', 'likely'];
const INPUT_TYPES: readonly InputType[] = ['float', 'integer', 'boolean', 'category'];
/** As the service limits them. */
const MAXIMUM_JOBS = 64;
const MAXIMUM_TRIES = 20;
export const MAXIMUM_RUNS = 100_000;
const MAXIMUM_TIMEOUT_SECONDS = 30 * 86_400;
const DEFAULTS = { jobs: 1, timeoutSeconds: 3_600, retries: 2, stopAfterFailures: 20 };

export interface ReadProblem {
  /** Undefined when there are violations. */
  readonly problem: Problem | undefined;
  readonly violations: readonly FileViolation[];
  /** Returns the position of a path such as ['inputs', 'length', 'step']. */
  positionOf(path: Path): Position;
}

/**
 * @param defaultName  the name of a problem that states none
 * @param data         the files of `dataFilesIn`
 * @param described    what the black box says of itself: that of `describeBlackBox`
 */
export function readProblem(
  text: string,
  defaultName: string,
  data: DataTexts = new Map(),
  described: Described = UNDESCRIBED,
): ReadProblem {
  const { value, violations } = parseYaml(text);
  const reader = new ValueReader();
  reader.violations.push(...violations);
  const problem = value === undefined ? undefined : readFields(reader, value, defaultName, { data, described });
  const isRight = problem !== undefined && reader.violations.length === 0;
  return {
    problem: isRight ? problem : undefined,
    violations: sortByPlace(reader.violations),
    positionOf: (path) => reader.positionOf(path),
  };
}

export function sortByPlace(violations: readonly FileViolation[]): readonly FileViolation[] {
  return violations.toSorted(
    (a, b) => a.position.line - b.position.line || a.position.column - b.position.column || a.key.localeCompare(b.key),
  );
}

interface Around {
  readonly data: DataTexts;
  readonly described: Described;
}

function readFields(
  reader: ValueReader,
  value: Value,
  defaultName: string,
  { data, described }: Around,
): Problem | undefined {
  const stated = reader.fields(value, [], KEYS);
  if (stated === undefined) return undefined;
  const fields = withFacts(stated, described);
  const { inputKeys = [], outputKeys = [] } = kindOf(fields);
  const number = (key: string, rule: Parameters<ValueReader['number']>[2]) => {
    const sent = fields.get(key);
    return sent === undefined ? undefined : reader.number(sent, [key], rule);
  };
  for (const [key, wanted] of Object.entries(REQUIRED)) {
    if (!fields.has(key)) reader.refuse(value.at, [key], `is required: ${wanted}.`);
  }
  const name = fields.get('name');
  const inputs = fields.has('inputs') ? readInputs(reader, fields.get('inputs')!, inputKeys) : [];
  const inputNames = keysOf(fields.get('inputs'));
  const { outputs, targetSets, fits } = readOutputs(reader, fields, { data, ownKeys: outputKeys });
  for (const { name: key } of outputs.filter(({ name: one, fit }) => fit === undefined && inputNames.includes(one)))
    reader.refuse(reader.positionOf(['outputs', key]), ['outputs', key], `is an input: ${GOAL_ON_INPUT}`);
  refuseConditions(reader, fits, inputs.map(nameOf));
  const searchFields = fits.length === 0 ? fields : refuseBesideFits(reader, fields, fits);
  const timeout = fields.get('timeout');
  return {
    name: (name === undefined ? undefined : reader.text(name, ['name'])) ?? defaultName,
    inputs,
    constraints: reader.texts(fields.get('constraints'), ['constraints']),
    outputs,
    fits,
    targetSets,
    desiredL1Norm: number('desiredL1Norm', { minimum: 0 }) ?? null,
    search: readSearchFields(reader, searchFields, { inputs: inputs.map(nameOf), outputs }),
    cases: number('cases', { minimum: 1, maximum: MAXIMUM_RUNS, isWhole: true }) ?? null,
    start: readStart(reader, fields.get('start'), inputs, inputNames),
    known: fields.has('known')
      ? (reader.text(fields.get('known')!, ['known'], 'the name of a CSV file') ?? null)
      : null,
    blackBox: readBlackBox(reader, value, fields, described),
    files: reader.texts(fields.get('files'), ['files']),
    sources: readSources(reader, fields.get('sources'), fits),
    jobs: number('jobs', { minimum: 1, maximum: MAXIMUM_JOBS, isWhole: true }) ?? DEFAULTS.jobs,
    timeoutSeconds: (timeout && readDuration(reader, timeout, ['timeout'])) ?? DEFAULTS.timeoutSeconds,
    maximumRuns: number('maximumRuns', { minimum: 2, maximum: MAXIMUM_RUNS, isWhole: true }) ?? null,
    retries: number('retries', { minimum: 0, maximum: MAXIMUM_TRIES - 1, isWhole: true }) ?? DEFAULTS.retries,
    stopAfterFailures:
      number('stopAfterFailures', { minimum: 1, maximum: 1_000, isWhole: true }) ?? DEFAULTS.stopAfterFailures,
    verify: readVerify(reader, fields.get('verify'), fits),
  };
}

function readVerify(reader: ValueReader, value: Value | undefined, { length }: readonly unknown[]): number {
  if (value === undefined) return 0;
  if (length === 0)
    reader.refuse(value.at, ['verify'], 'runs the ends of the intervals of a fit, and no output has one.');
  return reader.number(value, ['verify'], { minimum: 0, maximum: MAXIMUM_RUNS, isWhole: true }) ?? 0;
}

const nameOf = ({ name }: { readonly name: string }) => name;

const REQUIRED: Readonly<Record<string, string>> = {
  inputs: 'a map from the name of each input to its bounds',
  outputs: 'a map from the name of each output to its goal',
};

function readInputs(reader: ValueReader, value: Value, ownKeys: readonly string[]): readonly InputDefinition[] {
  const entries = reader.entries(value, ['inputs'], 'a map from names to inputs');
  if (entries?.size === 0) reader.refuse(value.at, ['inputs'], 'must name at least one input.');
  return [...(entries ?? [])].flatMap(([name, entry]) => {
    const input = readInput(reader, name, entry.value, ownKeys);
    return input === undefined ? [] : [input];
  });
}

/** @param ownKeys  those that the black box alone knows */
function readInput(
  reader: ValueReader,
  name: string,
  value: Value,
  ownKeys: readonly string[],
): InputDefinition | undefined {
  const path = ['inputs', name];
  const fields = reader.fields(value, path, [...INPUT_KEYS, ...ownKeys]);
  if (fields === undefined) return undefined;
  const values = fields.get('values');
  const items = values === undefined ? undefined : reader.list(values, [...path, 'values'], 'a list of values');
  const stated = fields.has('type') ? reader.word(fields.get('type')!, [...path, 'type'], INPUT_TYPES) : undefined;
  const areWords = items !== undefined && items.length > 0 && items.every((item) => item.kind === 'text');
  const type = stated ?? (areWords ? 'category' : 'float');
  const common = { name, unit: readUnit(reader, fields, path), type };
  if (type === 'category' || type === 'boolean') {
    const superfluous = ['minimum', 'maximum', 'scale', 'step', 'likely', ...(type === 'boolean' ? ['values'] : [])];
    for (const key of superfluous.filter((one) => fields.has(one))) {
      reader.refuse(reader.positionOf([...path, key]), [...path, key], `belongs to a number; ${name} is a ${type}.`);
    }
  }
  if (type === 'boolean') return { ...common, ...NO_DETAILS, minimum: 0, maximum: 1, categories: [] };
  if (type === 'category') {
    if (items === undefined || items.length === 0) {
      return reader.refuse(reader.positionOf(path), path, 'needs values: the names of the categories.');
    }
    const categories = items.map((item, i) => reader.text(item, [...path, 'values', String(i + 1)]) ?? '');
    return { ...common, ...NO_DETAILS, minimum: 1, maximum: categories.length, categories };
  }
  return readNumberInput(reader, fields, path, items, common);
}

const NO_DETAILS = { scale: null, step: null, levels: null, likelyMinimum: null, likelyMaximum: null };

function readNumberInput(
  reader: ValueReader,
  fields: ReadonlyMap<string, Value>,
  path: Path,
  items: readonly Value[] | undefined,
  common: Pick<InputDefinition, 'name' | 'unit' | 'type'>,
): InputDefinition | undefined {
  const isWhole = common.type === 'integer';
  const read = (key: string, rule = {}) =>
    fields.has(key) ? reader.number(fields.get(key)!, [...path, key], rule) : undefined;
  const levels = items?.map((item, i) => reader.number(item, [...path, 'values', String(i + 1)], { isWhole }) ?? 0);
  if (levels?.length === 0) return reader.refuse(reader.positionOf(path), path, 'needs at least one of values.');
  const minimum = read('minimum', { isWhole }) ?? levels?.[0];
  const maximum = read('maximum', { isWhole }) ?? levels?.at(-1);
  for (const [key, bound] of [
    ['minimum', minimum],
    ['maximum', maximum],
  ] as const) {
    if (bound === undefined && !fields.has(key)) {
      reader.refuse(reader.positionOf(path), [...path, key], 'is required, or values with all that the input takes.');
    }
  }
  const scale = fields.has('scale') ? reader.word(fields.get('scale')!, [...path, 'scale'], ['linear', 'log']) : null;
  const likely = readLikely(reader, fields.get('likely'), [...path, 'likely']);
  if (minimum === undefined || maximum === undefined) return undefined;
  return {
    ...common,
    minimum,
    maximum,
    categories: [],
    scale: scale ?? null,
    step: read('step') ?? null,
    levels: levels ?? null,
    likelyMinimum: likely?.[0] ?? null,
    likelyMaximum: likely?.[1] ?? null,
  };
}

/** [from, to], of which one may be null. */
function readLikely(reader: ValueReader, value: Value | undefined, path: Path): (number | null)[] | undefined {
  if (value === undefined) return undefined;
  const items = reader.list(value, path, 'a list with the ends of the likely range, such as [20, 40]');
  if (items === undefined) return undefined;
  if (items.length !== 2) return reader.refuse(value.at, path, `must have two ends, has ${items.length}.`);
  return items.map((item, i) =>
    item.kind === 'null' ? null : (reader.number(item, [...path, String(i + 1)]) ?? null),
  );
}

function keysOf(value: Value | undefined): readonly string[] {
  return value?.kind === 'map' ? [...value.entries.keys()] : [];
}

/** @param stated  names of all inputs, also of those that are wrong and in no definition */
function readStart(
  reader: ValueReader,
  value: Value | undefined,
  inputs: readonly InputDefinition[],
  stated: readonly string[],
) {
  if (value === undefined) return null;
  const fields = reader.fields(value, ['start'], stated);
  if (fields === undefined) return null;
  const start: Record<string, InputValue> = Object.create(null);
  for (const { name, type, categories } of inputs) {
    const sent = fields.get(name);
    const path = ['start', name];
    if (sent === undefined) reader.refuse(value.at, path, 'is required: start needs a value for every input.');
    else if (type === 'boolean') start[name] = reader.boolean(sent, path) ?? false;
    else if (type === 'category') start[name] = reader.word(sent, path, categories) ?? '';
    else start[name] = reader.number(sent, path, { isWhole: type === 'integer' }) ?? 0;
  }
  return start;
}

const UNITS: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3_600, d: 86_400 };

/** Seconds: `90`, `90 s`, `20 min`, `1.5 h`, `2 d`. */
function readDuration(reader: ValueReader, value: Value, path: Path): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/.exec(textOf(value)?.trim() ?? '');
  const wanted = 'must be a time such as 90 s, 20 min, 1.5 h or 2 d';
  if (match === null) return reader.refuse(value.at, path, `${wanted}, is ${describe(value)}.`);
  const unit = UNITS[match[2] || 's'];
  if (unit === undefined) {
    return reader.refuse(value.at, path, `${wanted}; ${adviceFor(match[2]!, Object.keys(UNITS))}`);
  }
  const seconds = Math.ceil(Number(match[1]) * unit);
  if (seconds >= 1 && seconds <= MAXIMUM_TIMEOUT_SECONDS) return seconds;
  return reader.refuse(value.at, path, `must lie between 1 s and ${MAXIMUM_TIMEOUT_SECONDS / 86_400} d.`);
}
