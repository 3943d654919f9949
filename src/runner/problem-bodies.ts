/** What a problem is for the service: the bodies of its model, project and objectives. */

import { type Goal, toDataSets } from '../../clients/typescript/src/solve/goals.ts';
import { roundOf, toServiceName } from '../../clients/typescript/src/solve/plan.ts';
import type { InputDefinition, InputValue, OutputDefinition, Problem } from './problem.ts';
import { SEARCH_KEYS } from './search-keys.ts';
import type { Path } from './value-reader.ts';

export type Body = Readonly<Record<string, unknown>>;

export interface ProblemBodies {
  readonly model: Body;
  readonly project: Body;
  /** One per target set. */
  readonly objectives: readonly Body[];
  /** The start in natural units, categories by their numbers. */
  readonly start: readonly number[] | null;
}

export function toBodies(problem: Problem): ProblemBodies {
  const { inputs, outputs, start } = problem;
  const name = toServiceName(problem.name);
  return {
    model: { name },
    project: {
      name,
      inputCount: inputs.length,
      inputNames: inputs.map((input) => input.name),
      ...toUnits('inputUnits', inputs),
      minimums: inputs.map((input) => input.minimum),
      maximums: inputs.map((input) => input.maximum),
      inputTypes: inputs.map((input) => input.type),
      categories: inputs.map((input) => (input.type === 'category' ? input.categories : null)),
      ...toDetails(inputs),
      ...(problem.constraints.length > 0 && { constraints: problem.constraints }),
      outputCount: outputs.length,
      outputNames: outputs.map((output) => output.name),
      ...toUnits('outputUnits', outputs),
      ...(problem.cases === null ? roundOf(problem.jobs, problem.maximumRuns) : { caseCount: problem.cases }),
      ...(problem.sources.length > 0 && { sources: problem.sources.map(({ name, cost }) => ({ name, cost })) }),
    },
    objectives: problem.targetSets.map((goals) => toObjective(goals, problem)),
    start: start === null ? null : inputs.map((input) => toNumber(input, start[input.name]!)),
  };
}

function toUnits(field: string, named: readonly { readonly unit: string }[]): Body {
  return named.some(({ unit }) => unit !== '') ? { [field]: named.map(({ unit }) => unit) } : {};
}

const DETAILS = [
  ['scales', 'scale'],
  ['steps', 'step'],
  ['levels', 'levels'],
  ['likelyMinimums', 'likelyMinimum'],
  ['likelyMaximums', 'likelyMaximum'],
] as const;

/** Lists that say nothing are left out. */
function toDetails(inputs: readonly InputDefinition[]): Body {
  return Object.fromEntries(
    DETAILS.filter(([, key]) => inputs.some((input) => input[key] !== null)).map(([field, key]) => [
      field,
      inputs.map((input) => input[key]),
    ]),
  );
}

function toObjective(
  goals: readonly Goal[],
  { outputs, fits, desiredL1Norm, search: { front, ...search } }: Problem,
): Body {
  return {
    objectives: goals.map((goal) => goal.target),
    objectiveTypes: goals.map((goal) => goal.type),
    minimumBounds: goals.map((goal) => goal.lower),
    maximumBounds: goals.map((goal) => goal.upper),
    ...(fits.length > 0 && { fits: toDataSets({ fits }) }),
    ...(desiredL1Norm !== null && { desiredL1Norm }),
    ...search,
    ...(front && { front: { reference: toReference(goals, outputs, front.reference) } }),
  };
}

/** In the order of the outputs without target; NaN, which the service refuses, where none is stated. */
function toReference(
  goals: readonly Goal[],
  outputs: Problem['outputs'],
  stated: Readonly<Record<string, number>>,
): readonly number[] {
  return outputs.filter((_, j) => goals[j]!.target === null).map(({ name }) => stated[name] ?? Number.NaN);
}

function toNumber({ type, categories, minimum }: InputDefinition, value: InputValue): number {
  if (type === 'category') return minimum + categories.indexOf(String(value));
  return Number(value);
}

/** An input as the file names its values: categories by their names, booleans as true or false. */
export function toNamedInput(inputs: readonly InputDefinition[], input: readonly number[]): Record<string, InputValue> {
  const named: Record<string, InputValue> = Object.create(null);
  inputs.forEach((one, i) => {
    named[one.name] = toInputValue(one, input[i]!);
  });
  return named;
}

export function toInputValue({ type, categories, minimum }: InputDefinition, value: number): InputValue {
  if (type === 'boolean') return value !== 0;
  return type === 'category' ? (categories[value - minimum] ?? value) : value;
}

const KEY_OF_FIELD: Readonly<Record<string, string>> = {
  minimums: 'minimum',
  maximums: 'maximum',
  inputTypes: 'type',
  categories: 'values',
  scales: 'scale',
  steps: 'step',
  levels: 'values',
  likelyMinimums: 'likely',
  likelyMaximums: 'likely',
  inputUnits: 'unit',
  outputUnits: 'unit',
};

/** Where in the file a fault of the service lies, by its pointer into the bodies: /project/steps/2, /objectives/0/... */
export function toFilePath(problem: Problem, pointer: string): Path {
  const [body, ...rest] = pointer.split('/').slice(1);
  const [field = '', index = '', inner] = rest;
  const input = problem.inputs[Number(index)]?.name;
  if (body === 'model') return ['name'];
  if (body === 'start') return field === '' ? ['start'] : ['start', problem.inputs[Number(field)]?.name ?? field];
  if (body === 'objectives') return toGoalPath(problem, Number(field), rest.slice(1));
  if (body !== 'project') return [body ?? ''];
  if (field === 'constraints') return index === '' ? ['constraints'] : ['constraints', String(Number(index) + 1)];
  if (field === 'caseCount') return ['cases'];
  if (field === 'name') return ['name'];
  const output = nameInFile(problem.outputs[Number(index)]);
  if (field.startsWith('output')) return index === '' ? ['outputs'] : ['outputs', output ?? index, ...keyOf(field)];
  if (index === '') return ['inputs', ...keyOf(field)];
  const position = inner !== undefined && /^\d+$/.test(inner) ? [String(Number(inner) + 1)] : [];
  return ['inputs', input ?? index, ...keyOf(field), ...position];
}

function keyOf(field: string): Path {
  const key = KEY_OF_FIELD[field];
  return key === undefined ? [] : [key];
}

function toGoalPath(problem: Problem, k: number, [field = '', index = '', ...inner]: Path): Path {
  const { fits, outputs, targetSets } = problem;
  if (field === 'desiredL1Norm') return ['desiredL1Norm'];
  if (SEARCH_KEYS.includes(field)) return toSearchPath(problem, k, [field, index, ...inner]);
  if (field === 'fits') return ['outputs', ...nameAt(fits, index), 'fit', ...inner.slice(0, 1)];
  const name = nameInFile(outputs[Number(index)]);
  const where = index === '' || name === undefined ? [] : [name];
  const key = field.endsWith('Bounds') && where.length > 0 ? ['within'] : [];
  return targetSets.length > 1 ? ['targets', String(k + 1), ...where, ...key] : ['outputs', ...where, ...key];
}

function toSearchPath(
  { inputs, outputs, targetSets }: Problem,
  k: number,
  [field = '', index = '', at = '']: Path,
): Path {
  const open = outputs.filter((_, j) => targetSets[k]?.[j]?.target === null);
  if (field === 'weights' || field === 'priorities') return [field, ...nameAt(outputs, index)];
  if (field === 'inputTolerances') return [field, ...(index === '' ? [] : [index, ...nameAt(inputs, at)])];
  if (field === 'front') return [field, ...(index === '' ? [] : [index, ...nameAt(open, at)])];
  return (field === 'solutions' || field === 'stop') && index !== '' ? [field, index] : [field];
}

/** The points of a fit are not named in the file. */
function nameInFile(output: OutputDefinition | undefined): string | undefined {
  return output?.fit ?? output?.name;
}

function nameAt(named: readonly { readonly name: string }[], index: string): Path {
  const one = index === '' ? undefined : named[Number(index)];
  return one === undefined ? [] : [one.name];
}

/** The message with the words of the file for those of the bodies: `inputs.length.minimum` for `minimums[0]`. */
export function inFileWords(problem: Problem, message: string): string {
  return message
    .replace(/\b(minimums|maximums|likelyMaximums|likelyMinimums)\[(\d+)\]/g, (all, field: string, i: string) =>
      problem.inputs[Number(i)] === undefined
        ? all
        : `inputs.${problem.inputs[Number(i)]!.name}.${KEY_OF_FIELD[field]}`,
    )
    .replace(/\binput (\d+) is\b/g, (all, i: string) => `${problem.inputs[Number(i)]?.name ?? all} is`)
    .replace(/\b(a |as )feasibleInput\b/, '$1start')
    .replace(/\bobjectives\[(\d+)\]/g, (all, j: string) =>
      problem.outputs[Number(j)] === undefined ? all : `outputs.${problem.outputs[Number(j)]!.name}.target`,
    )
    .replace(/\bsteps has an entry\b/, 'step is stated')
    .replace(/^(.*)use value instead\.$/, '$1write within without %.');
}
