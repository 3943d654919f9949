/** A problem as agents state it, and what it is for the service. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { NewObjectives } from '../../../clients/typescript/src/index.ts';
import { adviseOnScales, withScales, withStops } from '../../../clients/typescript/src/solve/defaults.ts';
import { atLeast, atMost, type Goal, maximize, minimize, within } from '../../../clients/typescript/src/solve/goals.ts';
import { boolean, choice, type Input, integer, levels, real } from '../../../clients/typescript/src/solve/inputs.ts';
import { type ProjectBody, toServiceName } from '../../../clients/typescript/src/solve/plan.ts';
import { checkProblem, type Problem, toPlan, WORDS } from '../../../clients/typescript/src/solve/problem.ts';
import { writeBatchName } from './problems.ts';
import { fields, ToolError } from './tool.ts';

const name = z
  .string()
  .regex(
    /^[A-Za-z_][\w ./%()-]{0,63}$/,
    'must begin with a letter and have at most 64 letters, digits, spaces or . _ - / % ( )',
  );

const unit = z.string().max(64).optional().describe('A label, such as mm.');

const inputSchema = fields({
  name,
  type: z.enum(['number', 'integer', 'boolean', 'choice']).default('number'),
  minimum: z.number().optional().describe('The least value of a number or integer.'),
  maximum: z.number().optional().describe('The largest value of a number or integer.'),
  scale: z
    .enum(['linear', 'log'])
    .optional()
    .describe('log: its factors matter, not its differences. Default: log from three powers of ten on.'),
  step: z.number().positive().optional().describe('A number takes only minimum + k * step.'),
  levels: z
    .array(z.number())
    .min(2)
    .max(1_000)
    .optional()
    .describe('The only values of a number, instead of minimum and maximum.'),
  choices: z
    .array(z.string().min(1).max(64))
    .min(2)
    .max(100)
    .optional()
    .describe('The values of a choice, which have no order.'),
  unit,
});

const outputSchema = fields({
  name,
  target: z.number().optional().describe('Together with within or withinPercent: how close is close enough.'),
  within: z
    .number()
    .positive()
    .optional()
    .describe('The tolerance on both sides of target, in the unit of the output.'),
  withinPercent: z.number().positive().optional().describe('The tolerance on both sides of target, in percent of it.'),
  atMost: z.number().optional(),
  atLeast: z.number().optional().describe('Together with atMost it is a range.'),
  minimize: z.literal(true).optional().describe('As small as possible, while the other outputs are as stated.'),
  maximize: z.literal(true).optional().describe('As large as possible, while the other outputs are as stated.'),
  unit,
});

export const problemSchema = fields({
  name: z
    .string()
    .trim()
    .min(1)
    .max(60)
    .describe('What people will see. The same name and the same contents are the same problem.'),
  inputs: z.array(inputSchema).min(1).max(200).describe('What you can set for a run of the black box.'),
  outputs: z
    .array(outputSchema)
    .min(1)
    .max(1_000)
    .describe(
      'What a run gives, and what is wanted of it: target with a tolerance, atMost, atLeast, minimize or maximize.',
    ),
  constraints: z
    .array(z.string().min(1).max(2_000))
    .max(250)
    .optional()
    .describe("Conditions among the inputs, such as 'length <= 2 * width'."),
  feasibleInput: z
    .record(z.string(), z.union([z.number(), z.boolean(), z.string()]))
    .optional()
    .describe('An input that satisfies the constraints, by name; needed only when you are asked for one.'),
  maximumRuns: z
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .describe('The most inputs to suggest after the first, designed ones; default: 500.'),
  parallel: z.int().min(1).max(16).default(1).describe('How many runs you will make at a time.'),
});

export type ProblemArguments = z.output<typeof problemSchema>;

export interface StatedProblem {
  readonly project: ProjectBody;
  readonly objective: NewObjectives;
  /** Differs for other targets. */
  readonly batchName: string;
  readonly advice: readonly string[];
}

/** Throws ToolError for what the schema cannot tell; the service judges the rest. */
export function toStatedProblem(args: ProblemArguments): StatedProblem {
  refuseRepeated('inputs', args.inputs);
  refuseRepeated('outputs', args.outputs);
  const problem: Problem = {
    name: args.name,
    inputs: Object.fromEntries(args.inputs.map((input, i) => [input.name, toInput(input, `inputs[${i}]`)])),
    goals: Object.fromEntries(args.outputs.map((output, j) => [output.name, toGoal(output, `outputs[${j}]`)])),
    constraints: args.constraints?.length ? args.constraints : undefined,
    feasibleInput: args.feasibleInput as Problem['feasibleInput'],
    parallel: args.parallel,
  };
  asToolError(() => checkProblem(problem), 'The problem');
  const plan = toPlan(problem, null);
  const stated = withUnits(plan.project, args);
  const project = withScales(stated, undefined);
  const [objective] = withStops(plan, undefined);
  const limited = { ...objective!, ...(args.maximumRuns !== undefined && { maximumAttempts: args.maximumRuns }) };
  const hash = createHash('sha256').update(JSON.stringify(limited)).digest('hex');
  const advice = adviseOnScales(stated, project, WORDS).map(({ sentence }) => sentence);
  return { project, objective: limited, batchName: writeBatchName(toServiceName(args.name), hash), advice };
}

function withUnits(project: ProjectBody, { outputs }: ProblemArguments): ProjectBody {
  if (outputs.every(({ unit }) => unit === undefined)) return project;
  return { ...project, outputUnits: outputs.map(({ unit }) => unit ?? '') };
}

function refuseRepeated(list: string, given: readonly { readonly name: string }[]): void {
  const names = given.map((one) => one.name);
  const repeated = names.find((one, i) => names.indexOf(one) < i);
  if (repeated !== undefined) throw new ToolError(`${list} has ${repeated} twice; every name must be different.`);
}

type InputArguments = z.output<typeof inputSchema>;

function toInput(input: InputArguments, place: string): Input {
  const { type, choices } = input;
  const takes = FIELDS_OF_TYPE[type];
  const wrong = Object.keys(input).find((key) => !takes.includes(key));
  if (wrong !== undefined)
    throw new ToolError(`${place} (${input.name}) has the type ${type}, which takes no ${wrong}.`);
  return asToolError(() => {
    if (type === 'boolean') return boolean();
    if (type === 'choice') return choice(...need(choices, 'choices', `type ${type}`));
    return toNumber(input);
  }, `${place} (${input.name})`);
}

const ALWAYS = ['name', 'type', 'unit'];
const RANGE = [...ALWAYS, 'minimum', 'maximum', 'scale'];
const FIELDS_OF_TYPE: Readonly<Record<InputArguments['type'], readonly string[]>> = {
  number: [...RANGE, 'step', 'levels'],
  integer: RANGE,
  boolean: ALWAYS,
  choice: [...ALWAYS, 'choices'],
};

function toNumber({ type, minimum, maximum, levels: values, ...rest }: InputArguments): Input {
  const options = Object.fromEntries(Object.entries(rest).filter(([key]) => ['scale', 'step', 'unit'].includes(key)));
  if (values !== undefined) return { ...levels(...values), ...options };
  const low = need(minimum, 'minimum', `type ${type}`);
  const high = need(maximum, 'maximum', `type ${type}`);
  if (low > high) throw new RangeError(`minimum ${low} is above maximum ${high}.`);
  return type === 'integer' ? integer(low, high, options) : real(low, high, options);
}

function need<Value>(value: Value | undefined, field: string, owner: string): Value {
  if (value === undefined) throw new RangeError(`${owner} needs ${field}.`);
  return value;
}

function toGoal(output: z.output<typeof outputSchema>, place: string): Goal {
  const { target, within: tolerance, withinPercent, atMost: high, atLeast: low } = output;
  const kinds = [target !== undefined, high !== undefined || low !== undefined, output.minimize, output.maximize];
  return asToolError(() => {
    if (kinds.filter(Boolean).length !== 1)
      throw new RangeError('needs one of target, atMost, atLeast, atLeast with atMost, minimize or maximize.');
    if (target !== undefined) return toTarget(target, tolerance, withinPercent);
    if (tolerance !== undefined || withinPercent !== undefined)
      throw new RangeError('has a tolerance without a target.');
    if (output.minimize) return minimize();
    if (output.maximize) return maximize();
    if (low === undefined) return atMost(high!);
    return high === undefined ? atLeast(low) : toRange(low, high);
  }, `${place} (${output.name})`);
}

function toTarget(target: number, tolerance: number | undefined, percent: number | undefined): Goal {
  if ((tolerance === undefined) === (percent === undefined))
    throw new RangeError('needs within or withinPercent beside target: how close is close enough.');
  return tolerance === undefined ? within(target, { percent: percent! }) : within(target, tolerance);
}

function toRange(low: number, high: number): Goal {
  if (!(low < high)) throw new RangeError(`atLeast ${low} must be below atMost ${high}.`);
  const middle = (low + high) / 2;
  return within(middle, [low - middle, high - middle]);
}

function asToolError<Value>(work: () => Value, place: string): Value {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
    throw new ToolError(`${place}: ${error.message}`);
  }
}
