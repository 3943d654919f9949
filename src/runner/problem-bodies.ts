/** Makes the requests of a problem to the service: the bodies of its model, project and objectives. */

import { sayViolation } from '../../clients/typescript/src/front-doors.ts';
import type { Violation } from '../../clients/typescript/src/index.ts';
import { type Goal, toDataSets } from '../../clients/typescript/src/solve/goals.ts';
import { roundOf, toServiceName } from '../../clients/typescript/src/solve/plan.ts';
import { namesIn } from '../../clients/typescript/src/solve/refusal.ts';
import type { Path } from './files/value-reader.ts';
import type { InputDefinition, InputValue, Problem } from './problem.ts';

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

/** A fault of the service in the words of the file, by its pointer into the bodies: /project/steps/2, /objectives/0/... */
export function inFileWords(
  bodies: ProblemBodies,
  violation: Pick<Violation, 'pointer' | 'message' | 'parts'>,
): { readonly key: Path; readonly message: string } {
  const [body, set] = violation.pointer.split('/').slice(1);
  const names = namesIn('file', bodies, body === 'objectives' ? Number(set) : 0);
  return sayViolation('file', names, '', violation);
}
