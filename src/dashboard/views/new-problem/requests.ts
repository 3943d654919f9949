/** Reads a draft as the bodies of requests. Values that cannot be sent are faults at their fields; the service judges the rest. */
import { hasBounds, isAspiration } from '../../../../clients/typescript/src/generated/goal-types.ts';
import type { NewObjectives, NewOutputCases, NewProject } from '../../../../clients/typescript/src/index.ts';
import { readNumber } from '../../parts/read-number.ts';
import { boundsOfInput } from './bounds.ts';
import { type Draft, namesOfRows, splitCategories } from './draft.ts';
import { type KnownSets, readFits } from './fits.ts';
import { isOption, readOptions } from './options.ts';
import { readOwnCases } from './own-data.ts';
import { scaleOf } from './scales.ts';

/** Messages by field, for example `inputs/2/minimum`. */
export type Faults = Readonly<Record<string, string>>;

export interface Read<Body> {
  /** Not usable if there are faults. */
  readonly body: Body;
  readonly faults: Faults;
}

export function isFaultless(faults: Faults): boolean {
  return Object.keys(faults).length === 0;
}

function makeReader() {
  const faults: Record<string, string> = {};
  const number = (path: string, text: string): number => {
    const { value, fault } = readNumber(text);
    if (fault !== undefined) faults[path] = fault;
    return value ?? 0;
  };
  /** null if there is no text. */
  const optional = (path: string, text: string) => (text.trim() === '' ? null : number(path, text));
  return { faults, number, optional };
}

/** The project without its cases. */
function readSpace(draft: Draft): Read<NewProject> {
  const { inputs, outputs } = draft;
  const { faults, number, optional } = makeReader();
  if (draft.name.trim() === '') faults['name'] = 'Give the problem a name.';
  if (inputs.length === 0) faults['inputs'] = 'Add an input.';
  if (outputs.length === 0) faults['outputs'] = 'Add an output.';
  const readBound = (i: number, end: 0 | 1) =>
    number(`inputs/${i}/${end === 0 ? 'minimum' : 'maximum'}`, boundsOfInput(inputs[i]!)[end]);
  inputs.forEach(({ type, categories }, i) => {
    const isEmpty = type === 'category' && splitCategories(categories).length === 0;
    if (isEmpty) faults[`inputs/${i}/categories`] = 'Name the categories, separated by commas.';
  });
  const constraints = constraintLines(draft).map(({ text }) => text);
  const steps = inputs.map(({ spacing, type }, i) =>
    type === 'float' ? optional(`inputs/${i}/spacing`, spacing) : null,
  );
  if (draft.workbook !== null) Object.assign(faults, faultsOfCells(draft));
  Object.assign(faults, faultsOfNames(inputs, 'inputs'), faultsOfNames(outputs, 'outputs'), faultsOfGoals(draft));
  const hasUnits = (rows: readonly { readonly unit: string }[]) => rows.some(({ unit }) => unit.trim() !== '');
  const units = (rows: readonly { readonly unit: string }[]) => rows.map(({ unit }) => unit.trim());
  const body: NewProject = {
    name: draft.name.trim(),
    inputCount: inputs.length,
    minimums: inputs.map((_, i) => readBound(i, 0)),
    maximums: inputs.map((_, i) => readBound(i, 1)),
    inputTypes: inputs.map(({ type }) => type),
    inputNames: namesOfRows(inputs, 'x'),
    outputNames: namesOfRows(outputs, 'y'),
    outputCount: outputs.length,
    ...(inputs.some(({ type }) => type === 'category') && {
      categories: inputs.map(({ type, categories }) => (type === 'category' ? splitCategories(categories) : null)),
    }),
    ...(hasUnits(inputs) && { inputUnits: units(inputs) }),
    ...(hasUnits(outputs) && { outputUnits: units(outputs) }),
    ...(inputs.some(scaleOf) && { scales: inputs.map(scaleOf) }),
    ...(steps.some((step) => step !== null) && { steps }),
    ...(constraints.length > 0 && { constraints }),
  };
  return { body, faults };
}

function faultsOfCells({ inputs, outputs }: Draft): Faults {
  return Object.fromEntries(
    Object.entries({ inputs, outputs }).flatMap(([list, rows]) =>
      rows.flatMap(({ cell }, i) =>
        cell === '' ? [[`${list}/${i}/name`, 'Has no cell: choose it in the workbook, or remove this row.']] : [],
      ),
    ),
  );
}

/** Names that an earlier row has. */
function faultsOfNames(rows: readonly { readonly name: string }[], list: 'inputs' | 'outputs'): Faults {
  const names = namesOfRows(rows, list === 'inputs' ? 'x' : 'y');
  const taken = names.flatMap((name, i) => (names.indexOf(name) < i ? [i] : []));
  return Object.fromEntries(
    taken.map((i) => [
      `${list}/${i}/name`,
      `${names[i]} is the name of ${list.slice(0, -1)} ${names.indexOf(names[i]!) + 1}.`,
    ]),
  );
}

/** Outputs that have the name of an input. */
function faultsOfGoals({ inputs, outputs }: Draft): Faults {
  const taken = namesOfRows(inputs, 'x');
  const names = namesOfRows(outputs, 'y');
  return Object.fromEntries(
    names.flatMap((name, i) =>
      taken.includes(name)
        ? [
            [
              `outputs/${i}/name`,
              `${name} is input ${taken.indexOf(name) + 1}. Limit an input by its bounds, or give the output another name.`,
            ],
          ]
        : [],
    ),
  );
}

/** Lines with a constraint, with their positions among all lines. */
export function constraintLines({ constraints }: Draft): readonly { readonly text: string; readonly line: number }[] {
  return constraints
    .split('\n')
    .map((text, line) => ({ text: text.trim(), line }))
    .filter(({ text }) => text !== '');
}

/** The project with points that the service designs. */
export function readDesign(draft: Draft): Read<NewProject> {
  const { body, faults } = readSpace(draft);
  const { faults: ofCount, optional } = makeReader();
  const caseCount = optional('caseCount', draft.caseCount);
  return { body: caseCount === null ? body : { ...body, caseCount }, faults: { ...faults, ...ofCount } };
}

/** The outputs of the designed points; a row without any value is a run that failed. */
export function readResults(draft: Draft): Read<NewOutputCases> {
  const { number, faults } = makeReader();
  const points = draft.project?.points ?? [];
  const outputCount = draft.outputs.length;
  const rows = points.map((_, r) => Array.from({ length: outputCount }, (_, c) => draft.results[r]?.[c] ?? ''));
  const failedCases = failedRows(rows);
  const failed = new Set(failedCases);
  const outputCases = rows.map((row, r) =>
    row.map((cell, c) => (failed.has(r) ? 0 : number(`results/${r}/${c}`, cell))),
  );
  if (rows.length > 0 && failed.size === rows.length) {
    faults['results'] = 'Enter the outputs of at least one run: the search starts from the best one.';
  }
  return { body: { outputCount, outputCases, failedCases }, faults };
}

/** Rows without any value. */
export function failedRows(rows: readonly (readonly string[])[]): readonly number[] {
  return rows.flatMap((row, r) => (row.every((cell) => cell.trim() === '') ? [r] : []));
}

/** The project with the user's own points, and their outputs. */
export function readOwn(draft: Draft): { readonly project: Read<NewProject>; readonly results: Read<NewOutputCases> } {
  const { body, faults } = readSpace(draft);
  const { inputCases, outputCases, failedCases, faults: ofCases } = readOwnCases(draft);
  return {
    project: { body: { ...body, inputCases }, faults: { ...faults, ...ofCases } },
    results: { body: { outputCount: draft.outputs.length, outputCases, failedCases }, faults: ofCases },
  };
}

/**
 * The search starts from the best case known, which the service finds.
 *
 * @param knownSets  data sets of the objective that is changed
 */
export function readObjectives(draft: Draft, knownSets: KnownSets = []): Read<NewObjectives> {
  const { outputs } = draft;
  const reader = makeReader();
  const { faults, number, optional } = reader;
  const bound = (end: 'from' | 'to') =>
    outputs.map((output, j) => (hasBounds(output.type) ? number(`outputs/${j}/${end}`, output[end]) : null));
  const maximumAttempts = optional('maximumAttempts', draft.maximumAttempts);
  const parallelism = optional('parallelism', draft.parallelism);
  const fits = readFits(outputs, knownSets, faults);
  const isExact = outputs.some(({ type }) => type === 'exact');
  const body: NewObjectives = {
    // Without a target the search looks for the front; without a measured value a fit has a gap.
    objectives: outputs.map(({ type, target }, j) =>
      (isAspiration(type) || type === 'fit' ? optional : number)(`outputs/${j}/target`, target),
    ),
    objectiveTypes: outputs.map(({ type }) => type),
    ...(outputs.some(({ type }) => hasBounds(type)) && { minimumBounds: bound('from'), maximumBounds: bound('to') }),
    ...(isExact && { desiredL1Norm: optional('desiredL1Norm', draft.desiredL1Norm) }),
    ...(fits !== undefined && { fits }),
    ...(maximumAttempts !== null && { maximumAttempts }),
    ...(parallelism !== null && { parallelism }),
    ...readOptions(draft, reader),
  };
  return { body, faults };
}

export type Part = 'inputs' | 'cases' | 'targets';

const READERS: Readonly<Record<Part, (draft: Draft) => { readonly faults: Faults }>> = {
  inputs: readDesign,
  cases: readCases,
  targets: readObjectives,
};

function readCases(draft: Draft): { readonly faults: Faults } {
  // A workbook is calculated later.
  if (draft.workbook !== null) return readDesign(draft);
  return draft.data === 'own' ? readOwn(draft).results : readResults(draft);
}

/** Everything missing or wrong in a part, as far as the form can tell. */
export function faultsIn(draft: Draft, part: Part): Faults {
  const { faults } = READERS[part](draft);
  return Object.fromEntries(Object.entries(faults).filter(([path]) => partOf(path) === part));
}

/** The part of the form that has a field. */
export function partOf(path: string): Part {
  if (isOption(path)) return 'targets';
  const [list, , field] = path.split('/');
  if (['results', 'own', 'caseCount', 'columns'].includes(list!)) return 'cases';
  if (['targets', 'desiredL1Norm', 'parallelism', 'maximumAttempts'].includes(list!)) return 'targets';
  return list === 'outputs' && ['type', 'target', 'from', 'to', 'sigma'].includes(field!) ? 'targets' : 'inputs';
}
