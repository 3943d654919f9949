/** Says in words what the runs of an objective show that a person can act on. A further kind is a row of the table. */
import type { Advice, AdviceKind } from '../../optimizer/interface/insights.ts';
import { type Labels, outputNamesOf } from '../problem/names.ts';
import type { ObjectiveDefinition } from './objective.ts';

/** A run that advice is about: a case, numbered from 0, or an iteration of an objective. */
export type AdvisedRun = { readonly caseNumber: number } | { readonly objectiveId: number; readonly iteration: number };

/** Advice as it is stored: with its runs instead of rows of a history. */
export interface StoredAdvice extends Omit<Advice, 'rows'> {
  readonly runs?: readonly AdvisedRun[];
}

type Subject = Pick<ObjectiveDefinition, 'objectives'> & { readonly id: number; readonly labels: Labels | null };

/** Subjects of the advice, by name. */
interface Names {
  readonly outputs: readonly string[];
  readonly inputs: readonly string[];
  readonly runs: readonly string[];
}

type Sentence = (advice: StoredAdvice, names: Names) => string;

const SENTENCES: Readonly<Record<AdviceKind, Sentence>> = {
  'constant-outputs': (_, { outputs }) =>
    outputs.length === 0
      ? 'All outputs are the same in every run, whatever the inputs: check that the black box reads its inputs.'
      : `${listed(outputs)} ${outputs.length === 1 ? 'is' : 'are'} the same in every run, whatever the inputs, and off target: check how the black box computes ${outputs.length === 1 ? 'it' : 'them'}.`,
  'sum-of-squares': (_, { outputs: [name] }) =>
    `If ${name} is a sum of squares, such as a misfit, return its parts as outputs and set a goal for each: such searches need a tenth of the runs.`,
  'wrong-run': ({ value, predicted }, { outputs: [name], runs: [run] }) =>
    `The search sets ${run} aside: its ${name} is ${short(value!)}${comparison(value!, predicted ?? null)}. Correct it if it is wrong.`,
  'repeats-disagree': (_, { runs: [run, ...others] }) =>
    `The search sets ${run} aside: it has the same inputs as ${listed(others)} and other outputs. Correct what is wrong.`,
  'repeats-unclear': (_, { runs: [run, ...others] }) =>
    `The search sets ${run} aside: it has the same inputs as ${listed(others)} and other outputs. If one of them is wrong, correct it; if your runs are noisy, search with noise, which repeats runs where it matters.`,
  'noisy-runs': (_, { runs }) =>
    `Runs with the same inputs differ: ${listed(runs)}. If your runs are noisy, search with noise, which repeats runs where it matters.`,
  'wrong-derivatives': ({ factor }, { outputs: [output], inputs: [input] }) =>
    `The search leaves out ${derivatives(output, input)}, which do not agree with the values: these change ${extent(factor!)}. Check the sign, the units and the order of the derivatives.`,
  'unproven-derivatives': ({ factor }, { outputs: [output], inputs: [input] }) =>
    `The search leaves out ${derivatives(output, input)} as yet: between the runs the values change ${extent(factor!)}. Outputs that bend between runs far apart may do so. If it stays, check the units and the order of the derivatives.`,
};

export const ADVICE_KINDS = Object.keys(SENTENCES) as readonly AdviceKind[];

export function describeAdvice(advice: StoredAdvice, { id, objectives, labels }: Subject): string {
  const names = outputNamesOf(objectives.length, labels?.outputNames ?? null);
  return SENTENCES[advice.kind](advice, {
    outputs: advice.outputs.map((output) => names[output]!),
    inputs: (advice.inputs ?? []).map((input) => labels?.inputNames?.[input] ?? `x${input + 1}`),
    runs: (advice.runs ?? []).map((run) => nameOf(run, id)),
  });
}

function nameOf(run: AdvisedRun, objectiveId: number): string {
  if ('caseNumber' in run) return `case ${run.caseNumber + 1}`;
  const own = `run ${run.iteration}`;
  return run.objectiveId === objectiveId ? own : `${own} of objective ${run.objectiveId}`;
}

/** "run 3, run 8 and case 2" */
function listed(names: readonly string[]): string {
  return names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : (names[0] ?? 'another run');
}

function derivatives(output: string | undefined, input: string | undefined): string {
  return `the derivatives of ${output ?? 'all outputs'}${input === undefined ? '' : ` by ${input}`}`;
}

/** By how much of what derivatives say the values change. */
function extent(factor: number): string {
  const size = `about ${Number(factor.toPrecision(2))} times as much as they say`;
  return factor < 0 ? `the other way, ${size}` : size;
}

const short = (value: number) => String(Number(value.toPrecision(4)));

/** Compares a value with the prediction of all other runs, with the factor between the two if it is telling. */
function comparison(value: number, predicted: number | null): string {
  if (predicted === null) return ', which no other run comes near';
  const factor = value / predicted;
  const times = factor >= 2 && factor < 1000 ? ` (${Number(factor.toPrecision(2))} times as much)` : '';
  return `, where all other runs predict about ${short(predicted)}${times}`;
}
