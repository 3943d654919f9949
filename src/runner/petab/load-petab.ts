/** Reads the YAML file of a PEtab problem, and its tables. */
import path from 'node:path';
import { readRegularFile } from '../files/read-file.ts';
import { isOutside } from '../files/work-folder.ts';
import { parseYaml, type Value } from '../files/yaml-values.ts';
import { readParameters } from './parameters.ts';
import { PetabError } from './petab-error.ts';
import type { PetabCondition, PetabProblem } from './petab-problem.ts';
import { readSets } from './sets.ts';
import { type PetabTable, parsePetabTable, textOfCell } from './table.ts';

/** Whether the text of a YAML file is that of a PEtab problem. */
export function isPetab(text: string): boolean {
  return entryOf(parseYaml(text).value, 'format_version') !== undefined;
}

/** @param file  as the user names it, relative to `home`; other files are relative to its folder. Throws PetabError. */
export async function loadPetab(file: string, home: string): Promise<PetabProblem> {
  const folder = path.dirname(path.resolve(home, file));
  const stated = parseYaml(await readText(path.resolve(home, file), file)).value;
  const version = textIn(entryOf(stated, 'format_version'))[0];
  if (version === undefined) throw new PetabError(`${file} is no PEtab problem: it has no format_version.`);
  const major = /^([12])\b/.exec(version)?.[1];
  if (major === undefined) throw new PetabError(`${file}: format_version ${version} of PEtab is not known here.`);
  const number = major === '1' ? 1 : 2;
  refuseExtensions(entryOf(stated, 'extensions'), file);
  const parts = filesOf(stated, file);
  const read = async (key: keyof typeof NEEDED): Promise<readonly PetabTable[]> =>
    Promise.all(
      (parts.get(key) ?? []).map(async (name) =>
        parsePetabTable(await readText(path.resolve(folder, name), name), name, NEEDED[key]),
      ),
    );
  const [parameterTable, ...more] = await read('parameter');
  if (parameterTable === undefined) throw new PetabError(`${file} names no parameter_file.`);
  if (more.length > 0) throw new PetabError(`${file}: join its parameter tables in one file.`);
  const measurementTables = await read('measurement');
  const observableTables = await read('observable');
  const observables = observableTables.flatMap(({ rows }) => rows);
  const parameters = readParameters(parameterTable, number);
  const [conditions, experiments] = [await read('condition'), await read('experiment')];
  const changed = targetsOf(conditions, number);
  const { sets, notes } = readSets(measurementTables, { version: number, observables, parameters, changed });
  if (sets.length === 0) throw new PetabError(`${file} names no measurements.`);
  return {
    name: path.parse(file).name,
    parameters,
    sets,
    parameterTable,
    measurementTables,
    conditionValues: (condition) => conditionValues(conditions, experiments, condition),
    files: [...parts.values()].flat(),
    notes: [...notes, ...notesOnColumns([parameterTable, ...observableTables, ...measurementTables], number)],
  };
}

/** Titles of columns that only the other version reads, and what no version of a search needs. */
const UNREAD = {
  1: [
    'priorDistribution',
    'priorParameters',
    'noisePlaceholders',
    'observablePlaceholders',
    'experimentId',
    'initializationPriorType',
  ],
  2: [
    'parameterScale',
    'objectivePriorType',
    'objectivePriorParameters',
    'initializationPriorType',
    'simulationConditionId',
    'preequilibrationConditionId',
  ],
} as const;

function notesOnColumns(tables: readonly PetabTable[], version: 1 | 2): readonly string[] {
  const found = UNREAD[version].filter((title) =>
    tables.some(({ rows }) => rows.some(({ cells }) => cells.has(title))),
  );
  return found.length === 0 ? [] : [`Columns that a search of version ${version} does not read: ${found.join(', ')}.`];
}

/** Throws PetabError for an extension that may change what the tables mean. */
function refuseExtensions(extensions: Value | undefined, file: string): void {
  const names = extensions?.kind === 'map' ? [...extensions.entries] : [];
  const isNeeded = (required: Value | undefined) => required?.kind !== 'boolean' || required.boolean;
  const [needed] = names.find(([, { value }]) => isNeeded(entryOf(value, 'required'))) ?? [];
  if (needed !== undefined) throw new PetabError(`${file}: the extension ${needed} of PEtab is not known here.`);
}

/** Names of what conditions change: columns of version 1, rows of version 2. */
function targetsOf(conditions: readonly PetabTable[], version: 1 | 2): ReadonlySet<string> {
  if (version === 2) {
    return new Set(conditions.flatMap(({ rows }) => rows.flatMap(({ cells }) => cells.get('targetId') ?? [])));
  }
  const own = ['conditionId', 'conditionName'];
  return new Set(conditions.flatMap(({ titles }) => titles.filter((title) => !own.includes(title))));
}

const NEEDED = {
  parameter: ['parameterId', 'estimate'],
  measurement: ['observableId', 'time', 'measurement'],
  observable: ['observableId', 'noiseFormula'],
  condition: ['conditionId'],
  experiment: ['experimentId', 'time', 'conditionId'],
} as const;

/** The names of files by what they are: version 1 has them under its one problem, version 2 at the top. Throws PetabError. */
function filesOf(stated: Value | undefined, file: string): ReadonlyMap<string, readonly string[]> {
  const problems = entryOf(stated, 'problems');
  const several = problems?.kind === 'list' ? problems.items : undefined;
  if (several !== undefined && several.length !== 1) {
    throw new PetabError(
      `${file} has ${several.length} problems: write a file for each, with its own model and tables.`,
    );
  }
  const inner = several?.[0] ?? stated;
  const found = new Map<string, readonly string[]>();
  for (const kind of [...Object.keys(NEEDED), 'sbml', 'visualization', 'mapping']) {
    const names = [stated, inner === stated ? undefined : inner].flatMap((one) =>
      [`${kind}_file`, `${kind}_files`].flatMap((key) => textIn(entryOf(one, key))),
    );
    if (names.length > 0) found.set(kind, names);
  }
  const models = entryOf(inner, 'model_files');
  const located = models?.kind === 'map' ? [...models.entries.values()] : [];
  found.set(
    'model',
    located.flatMap(({ value }) => textIn(entryOf(value, 'location'))),
  );
  const outside = [...found.values()].flat().find((name) => isOutside(name) || name.includes('://'));
  if (outside === undefined) return found;
  throw new PetabError(`${file}: ${outside} lies outside of its folder; each run has its own copies, so put it there.`);
}

function entryOf(value: Value | undefined, key: string): Value | undefined {
  return value?.kind === 'map' ? value.entries.get(key)?.value : undefined;
}

/** A text or a list of texts. */
function textIn(value: Value | undefined): readonly string[] {
  if (value === undefined) return [];
  if (value.kind === 'list') return value.items.flatMap(textIn);
  return value.kind === 'text' || value.kind === 'number' ? [value.text] : [];
}

/**
 * Values of a condition: in version 1 a row of the condition table; in version 2 the rows about the one period of an
 * experiment, if it has only one.
 */
function conditionValues(
  conditions: readonly PetabTable[],
  experiments: readonly PetabTable[],
  condition: PetabCondition,
): ReadonlyMap<string, string> {
  const rows = conditions.flatMap((table) => table.rows);
  const simulated = condition['simulationConditionId'];
  if (simulated !== undefined) {
    const row = rows.find(({ cells }) => cells.get('conditionId') === simulated);
    if (row === undefined) throw new PetabError(`The condition ${simulated} of measurements is in no condition table.`);
    return new Map([...row.cells].filter(([title]) => title !== 'conditionId' && title !== 'conditionName'));
  }
  const periods = experiments
    .flatMap((table) => table.rows)
    .filter(({ cells }) => cells.get('experimentId') === condition['experimentId']);
  if (new Set(periods.map((row) => textOfCell(row, 'time'))).size !== 1) return new Map();
  const ids = periods.map(({ cells }) => cells.get('conditionId'));
  const ofPeriod = rows.filter(({ cells }) => ids.includes(cells.get('conditionId')));
  return new Map(ofPeriod.map((row) => [textOfCell(row, 'targetId'), textOfCell(row, 'targetValue')]));
}

async function readText(file: string, name: string): Promise<string> {
  const bytes = await readRegularFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new PetabError(`${name}: ${error.code === 'ENOENT' ? 'there is no such file' : error.message}.`);
  });
  return bytes.toString('utf8');
}
