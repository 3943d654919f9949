/** The keys of a problem file about what the outputs should be: goals, fits and target sets. */
import { type Fit, pointNames } from '../../clients/typescript/src/solve/fit.ts';
import { flattenEntries, type Goal } from '../../clients/typescript/src/solve/goals.ts';
import { GOAL_KEYS, readGoal } from './files/goals.ts';
import type { Path, ValueReader } from './files/value-reader.ts';
import { parseYaml, type Value } from './files/yaml-values.ts';
import { type DataTexts, type FitStatement, readFit } from './fit-keys.ts';
import type { FittedOutput, OutputDefinition } from './problem.ts';

/** The files with data that a problem file names; none where it is wrong. */
export function dataFilesIn(text: string): readonly string[] {
  const outputs = entryOf(parseYaml(text).value, 'outputs');
  const values = outputs?.kind === 'map' ? [...outputs.entries.values()].map(({ value }) => value) : [];
  return values.flatMap((output) => {
    const data = entryOf(entryOf(output, 'fit'), 'data');
    return data?.kind === 'text' ? [data.text] : [];
  });
}

function entryOf(value: Value | undefined, key: string): Value | undefined {
  return value?.kind === 'map' ? value.entries.get(key)?.value : undefined;
}

interface Wanted {
  readonly outputs: readonly OutputDefinition[];
  readonly targetSets: readonly (readonly Goal[])[];
  readonly fits: readonly FittedOutput[];
}

interface Stated {
  readonly name: string;
  readonly unit: string;
  readonly goal: Goal | undefined;
  readonly fit: FitStatement | undefined;
  /** Whether the key `fit` is there, right or wrong. */
  readonly isFitted: boolean;
  readonly tolerance: Value | undefined;
}

const NOTHING: Wanted = { outputs: [], targetSets: [], fits: [] };

interface Around {
  readonly data: DataTexts;
  /** Keys of an output that the black box alone knows. */
  readonly ownKeys: readonly string[];
}

export function readOutputs(reader: ValueReader, fields: ReadonlyMap<string, Value>, around: Around): Wanted {
  const value = fields.get('outputs');
  const entries = value && reader.entries(value, ['outputs'], 'a map from names to outputs');
  if (entries === undefined) return NOTHING;
  if (entries.size === 0) reader.refuse(value!.at, ['outputs'], 'must name at least one output.');
  const targets = fields.get('targets');
  const stated = [...entries].flatMap(([name, entry]) => {
    const one = readOutput(reader, name, entry.value, { isRequired: targets === undefined, ...around });
    return one === undefined ? [] : [one];
  });
  const right = stated.filter(({ fit, isFitted }) => fit !== undefined || !isFitted);
  const sets = targets === undefined ? [right.map(({ goal }) => goal)] : readSets(reader, targets, right, stated);
  const flat = sets.map((goals) => flattenEntries(right.flatMap((one, j) => entryWith(one, goals[j]))));
  return {
    outputs: right.flatMap(pointsOf),
    targetSets: flat.map(({ goals }) => goals),
    fits: (flat[0]?.fits ?? []).map((one) => ({
      ...one,
      read: right.find(({ name }) => name === one.name)!.fit!.read,
    })),
  };
}

function entryWith({ name, fit }: Stated, goal: Goal | undefined): readonly (readonly [string, Goal | Fit])[] {
  const wanted = fit?.fit ?? goal;
  return wanted === undefined ? [] : [[name, wanted]];
}

function pointsOf({ name, unit, fit }: Stated): readonly OutputDefinition[] {
  if (fit === undefined) return [{ name, unit }];
  return pointNames(name, fit.fit).map((point) => ({ name: point, unit, fit: name }));
}

function readOutput(
  reader: ValueReader,
  name: string,
  value: Value,
  { isRequired, data, ownKeys }: Around & { readonly isRequired: boolean },
): Stated | undefined {
  const path = ['outputs', name];
  const stated = reader.fields(value, path, ['unit', 'fit', 'read', ...GOAL_KEYS, ...ownKeys]);
  if (stated === undefined) return undefined;
  const common = { name, unit: readUnit(reader, stated, path), tolerance: stated.get('within') };
  if (!stated.has('fit')) {
    if (stated.has('read')) reader.refuse(reader.positionOf([...path, 'read']), [...path, 'read'], READ_ADVICE);
    return { ...common, goal: readGoal(reader, stated, path, { isRequired }), fit: undefined, isFitted: false };
  }
  for (const key of GOAL_KEYS.filter((one) => stated.has(one))) {
    reader.refuse(reader.positionOf([...path, key]), [...path, key], 'cannot go with fit: an output has one goal.');
  }
  return { ...common, goal: undefined, fit: readFit(reader, stated, path, data), isFitted: true };
}

const READ_ADVICE = 'belongs to a fit; name the output in the list read of the problem, such as mass=out.txt.';

/** Per target set a goal per output; those of fits are undefined, because the data belong to all sets. */
function readSets(
  reader: ValueReader,
  targets: Value,
  right: readonly Stated[],
  stated: readonly Stated[],
): readonly (readonly (Goal | undefined)[])[] {
  const sets = reader.list(targets, ['targets'], 'a list of target sets') ?? [];
  if (sets.length === 0) reader.refuse(targets.at, ['targets'], 'must list at least one target set.');
  return sets.map((set, k) => {
    const path = ['targets', String(k + 1)];
    const own =
      reader.fields(
        set,
        path,
        stated.map(({ name }) => name),
      ) ?? new Map<string, Value>();
    for (const { name } of stated.filter((one) => one.isFitted && own.has(one.name))) {
      reader.refuse(
        own.get(name)!.at,
        [...path, name],
        'is a fit, whose data belong under outputs and to all target sets.',
      );
    }
    return right.map((one) => (one.isFitted ? undefined : readGoalOfSet(reader, set, own.get(one.name), one, path)));
  });
}

function readGoalOfSet(
  reader: ValueReader,
  set: Value,
  sent: Value | undefined,
  { name, goal, tolerance }: Stated,
  path: Path,
): Goal | undefined {
  const goalPath = [...path, name];
  if (sent === undefined) {
    if (goal === undefined) reader.refuse(set.at, goalPath, 'has no goal, here or under outputs.');
    return goal;
  }
  // A number alone is a target with the tolerance stated under outputs.
  const parts = sent.kind === 'number' ? new Map([['target', sent]]) : reader.fields(sent, goalPath, GOAL_KEYS);
  return parts && readGoal(reader, parts, goalPath, { inherited: tolerance, isRequired: true });
}

export function readUnit(reader: ValueReader, fields: ReadonlyMap<string, Value>, path: Path): string {
  const unit = fields.get('unit');
  if (unit === undefined || unit.kind === 'null' || (unit.kind === 'text' && unit.text === '')) return '';
  return reader.text(unit, [...path, 'unit']) ?? '';
}
