/** The keys of an output that is fitted: its data, and where the curve of a run is read. */
import { callsOf, conditionFault } from '../../clients/typescript/src/solve/conditions.ts';
import {
  type Fit,
  type FitOptions,
  fitText,
  fit as fitValues,
  type Loss,
} from '../../clients/typescript/src/solve/fit.ts';
import type { TableLayout } from '../../clients/typescript/src/solve/table.ts';
import type { Path, ValueReader } from './files/value-reader.ts';
import type { Value } from './files/yaml-values.ts';
import type { FittedOutput, InputValue } from './problem.ts';

const FIT_KEYS = ['data', 'x', 'y', 'sigma', 'weight', 'loss', 'when', 'output', 'titles', 'rowsFrom'];
const PLACE_KEYS = ['csv', 'x', 'y'];
const READ_KEYS = [...PLACE_KEYS, 'titles', 'rowsFrom'];
const LOSSES: readonly Loss[] = ['linear', 'soft_l1', 'huber', 'cauchy'];

/** Files with data by their names, or why they cannot be read. */
export type DataTexts = ReadonlyMap<string, string | Error>;

export interface FitStatement extends Pick<FittedOutput, 'read'> {
  readonly fit: Fit;
}

/** Undefined where something is wrong. @param stated  the keys of the output, among them fit */
export function readFit(
  reader: ValueReader,
  stated: ReadonlyMap<string, Value>,
  path: Path,
  data: DataTexts,
): FitStatement | undefined {
  const before = reader.violations.length;
  const at = [...path, 'fit'];
  const fields = reader.fields(stated.get('fit')!, at, FIT_KEYS);
  const made = fields && makeFit(reader, fields, at, data);
  const sent = stated.get('read');
  const read = sent === undefined ? null : readPlace(reader, sent, [...path, 'read'], made);
  if (made === undefined || read === undefined || reader.violations.length > before) return undefined;
  return { fit: made, read };
}

function makeFit(
  reader: ValueReader,
  fields: ReadonlyMap<string, Value>,
  path: Path,
  data: DataTexts,
): Fit | undefined {
  const sent = fields.get('data');
  if (sent === undefined) return reader.refuse(reader.positionOf(path), path, 'needs data: a CSV file, or a list.');
  const before = reader.violations.length;
  const common = readCommon(reader, fields, path);
  const options = sent.kind === 'list' ? listOptions(reader, fields, path) : fileOptions(reader, fields, path);
  const values = sent.kind === 'list' ? numbersIn(reader, sent, [...path, 'data']) : undefined;
  const file =
    sent.kind === 'list' ? undefined : reader.text(sent, [...path, 'data'], 'the name of a CSV file, or a list');
  if (reader.violations.length > before) return undefined;
  const text = file === undefined ? undefined : data.get(file);
  if (text instanceof Error) return reader.refuse(sent.at, [...path, 'data'], text.message);
  try {
    const all = { ...options, ...common } as FitOptions;
    return file === undefined ? fitValues(values!, all) : fitText(text ?? '', file, all);
  } catch (error) {
    return reader.refuse(sent.at, [...path, 'data'], (error as Error).message);
  }
}

function readCommon(reader: ValueReader, fields: ReadonlyMap<string, Value>, path: Path) {
  const [weight, loss] = [fields.get('weight'), fields.get('loss')];
  const [when, output] = [fields.get('when'), fields.get('output')];
  return {
    ...(when && { when: readWhen(reader, when, [...path, 'when']) }),
    ...(output && { output: reader.text(output, [...path, 'output'], 'the name of an output of the command') }),
    ...(weight && { weight: reader.number(weight, [...path, 'weight']) }),
    ...(loss && { loss: reader.word(loss, [...path, 'loss'], LOSSES) }),
  };
}

/** Values by name, as the command gets them. */
function readWhen(reader: ValueReader, value: Value, path: Path): Readonly<Record<string, InputValue>> | undefined {
  const entries = reader.entries(value, path, 'a map from names to values, such as {temperature: 280}');
  if (entries === undefined) return undefined;
  if (entries.size === 0) return reader.refuse(value.at, path, 'must name at least one condition.');
  const read = [...entries].map(([name, { value: one }]) => {
    const at = [...path, name];
    if (one.kind === 'text') return [name, one.text];
    return [name, one.kind === 'boolean' ? one.boolean : reader.number(one, at)];
  });
  return Object.fromEntries(read) as Readonly<Record<string, InputValue>>;
}

function fileOptions(reader: ValueReader, fields: ReadonlyMap<string, Value>, path: Path) {
  const [x, y] = ['x', 'y'].map((key) => {
    const sent = fields.get(key);
    if (sent !== undefined) return reader.text(sent, [...path, key], 'the title of a column');
    return reader.refuse(reader.positionOf(path), [...path, key], `is required: the title of a column of data.`);
  });
  const sigma = fields.get('sigma');
  const columns = { x, y, ...readLayout(reader, fields, path) };
  if (sigma?.kind !== 'text') return { ...columns, ...readSigma(reader, sigma, path) };
  return { ...columns, sigma: reader.text(sigma, [...path, 'sigma']) };
}

/** Positions of the titles and the rows of a table; undefined if the file does not state them. */
function readLayout(reader: ValueReader, fields: ReadonlyMap<string, Value>, path: Path): TableLayout | undefined {
  const [titles, rowsFrom] = [fields.get('titles'), fields.get('rowsFrom')];
  if (titles === undefined && rowsFrom === undefined) return undefined;
  return {
    ...(titles && { titles: readTitles(reader, titles, [...path, 'titles']) }),
    ...(rowsFrom && { rowsFrom: reader.number(rowsFrom, [...path, 'rowsFrom'], LINES) }),
  };
}

const LINES = { minimum: 1, isWhole: true } as const;

function readTitles(reader: ValueReader, value: Value, path: Path): TableLayout['titles'] {
  if (value.kind === 'list') return reader.texts(value, path);
  if (value.kind === 'text') return reader.word(value, path, ['none'] as const);
  return reader.number(value, path, LINES);
}

function listOptions(reader: ValueReader, fields: ReadonlyMap<string, Value>, path: Path) {
  for (const key of ['titles', 'rowsFrom'].filter((one) => fields.has(one)))
    reader.refuse(fields.get(key)!.at, [...path, key], 'is about a file; beside a list of data leave it out.');
  const [x, y] = [fields.get('x'), fields.get('y')];
  if (y !== undefined)
    reader.refuse(y.at, [...path, 'y'], 'names a column of a file; beside a list of data leave it out.');
  return { ...(x && { x: numbersIn(reader, x, [...path, 'x']) }), ...readSigma(reader, fields.get('sigma'), path) };
}

/** A number, a list, or {relative: 0.02}. */
function readSigma(reader: ValueReader, sent: Value | undefined, path: Path) {
  if (sent === undefined) return {};
  const at = [...path, 'sigma'];
  if (sent.kind === 'list') return { sigma: numbersIn(reader, sent, at) };
  if (sent.kind !== 'map') return { sigma: reader.number(sent, at) };
  const relative = reader.fields(sent, at, ['relative'])?.get('relative');
  if (relative === undefined)
    return reader.refuse(sent.at, at, 'must be a number, one per value, or {relative: 0.02}.');
  return { sigma: { relative: reader.number(relative, [...at, 'relative']) } };
}

/** Null for a gap. */
function numbersIn(reader: ValueReader, value: Value, path: Path): readonly (number | null)[] {
  const items = reader.list(value, path, 'a list of numbers') ?? [];
  return items.map((item, i) => (item.kind === 'null' ? null : (reader.number(item, [...path, `${i + 1}`]) ?? null)));
}

function readPlace(
  reader: ValueReader,
  value: Value,
  path: Path,
  made: Fit | undefined,
): FittedOutput['read'] | undefined {
  const fields = reader.fields(value, path, READ_KEYS);
  if (fields === undefined) return undefined;
  const [csv, x, y] = PLACE_KEYS.map((key) => {
    const sent = fields.get(key);
    if (sent !== undefined) return reader.text(sent, [...path, key]);
    if (key === 'x') return undefined;
    return reader.refuse(value.at, [...path, key], 'is required: a CSV file that the command leaves, and its columns.');
  });
  if (x !== undefined && made !== undefined && made.x === null) {
    reader.refuse(value.at, [...path, 'x'], 'needs the x of the data as well: state it under fit.');
  }
  const layout = readLayout(reader, fields, path);
  return csv === undefined || y === undefined ? undefined : { csv, x: x ?? null, y, ...(layout && { layout }) };
}

/** Conditions of which the command could not be told which one is asked for. @param inputs  their names */
export function refuseConditions(reader: ValueReader, fits: readonly FittedOutput[], inputs: readonly string[]): void {
  const fault = conditionFault(
    fits.map(({ name, fit }) => [name, fit]),
    inputs,
  );
  if (fault !== undefined) reader.refuse(reader.positionOf(['outputs']), ['outputs'], fault);
  for (const { outputs } of callsOf(fits.map(({ name, fit }) => [name, fit]))) {
    const twice = outputs.find(({ output }, k) => outputs.findIndex((one) => one.output === output) !== k);
    if (twice === undefined) continue;
    const path = ['outputs', twice.goal];
    reader.refuse(
      reader.positionOf(path),
      path,
      `is about ${twice.output} as another data set under the same conditions: join the two.`,
    );
  }
}

const INSTEAD: readonly (readonly [string, string])[] = [
  ['noise', 'cannot go with a fit: state the errors of the data as its sigma.'],
  ['priorities', 'cannot go with a fit: leave them out, its limits come first.'],
];

/** Refuses in the words of the file what the service refuses beside a fit by the numbers of outputs. Returns the fields without it. */
export function refuseBesideFits(
  reader: ValueReader,
  fields: ReadonlyMap<string, Value>,
  fits: readonly FittedOutput[],
): ReadonlyMap<string, Value> {
  const kept = new Map(fields);
  for (const [key, advice] of INSTEAD) {
    if (kept.delete(key)) reader.refuse(reader.positionOf([key]), [key], advice);
  }
  const weights = fields.get('weights');
  const weighted = fits.filter(({ name }) => weights?.kind === 'map' && weights.entries.has(name));
  for (const { name } of weighted) {
    reader.refuse(weights!.at, ['weights', name], 'is a fit: state weight beside its data, under fit.');
    kept.delete('weights');
  }
  return kept;
}
