/** The text of a new problem file from a control file of PEST. */
import { type NewText, quote } from '../files/new-problem-file.ts';
import type { PestCase } from './case.ts';
import {
  isFitted,
  isRegularisation,
  limitOfGroup,
  type PestControl,
  type PestLimit,
  type PestObservation,
  type PestParameter,
} from './control.ts';
import { listSome } from './control-rules.ts';
import { PestFileError } from './pest-error.ts';
import { likelyRange } from './prior-information.ts';

/** Those of the service. */
const MOST_INPUTS = 200;
const MOST_OUTPUTS = 2_500;
/** Limits of names; those of outputs get the number of a point. */
const LONGEST_INPUT = 64;
const LONGEST_OUTPUT = 56;

interface Surrounding {
  readonly control: string;
  readonly file: string;
  readonly command: readonly string[] | undefined;
  readonly copies: readonly string[];
}

/**
 * @param control  the name of the control file, as the problem file names it
 * @param file     the name of the problem file
 * @param copies   what the model needs beside it
 *
 * Throws PestFileError for a case that cannot be a problem.
 */
export function formatPestProblem(pestCase: PestCase, { control: name, file, command, copies }: Surrounding): NewText {
  const { control } = pestCase;
  const estimated = control.parameters.filter(({ transform }) => transform === 'log' || transform === 'none');
  refuseSizes(control, estimated, name);
  const { lines: outputs, notes } = outputLines(control);
  const stem = name.replace(/^.*\//, '').replace(/\.\w+$/, '');
  const inputs = estimated.map((one) => inputLine(one, control));
  const start = estimated.map((one) => `  ${nameLine(one.name, LONGEST_INPUT)}: ${within(one)}`);
  const isMoved = estimated.filter((one) => within(one) !== one.initial).map((one) => one.name);
  return {
    notes: [
      ...heldNotes(control),
      ...priorNotes(control),
      ...notes,
      ...(isMoved.length > 0
        ? [`PARVAL1 was outside of the bounds, and the start is moved to them: ${listSome(isMoved)}.`]
        : []),
      ...pestCase.notes,
    ],
    text: `# Written by \`backsolve init --from ${name}\`; docs/problem-file.md explains every key. Edit it as you like.
# Look for mistakes: backsolve run --check ${file}     Solve it: backsolve run ${file}
name: ${quote(stem)}

# The control file has the rest: template and instruction files, observations with their weights, fixed and tied parameters,
# SCALE and OFFSET. Changes there count, too. ${commandLines(command, control)}
pest: ${quote(name)}

# Files and folders that the model needs. Each run has a folder of its own with copies of them.
copies: [${copies.map(quote).join(', ')}]

# Parameters that are estimated. Those that are left out keep their values of the control file.
inputs:
${inputs.join('\n')}

# Groups of observations, which are fitted with 1 / weight as the standard error. If weights only say what matters, state
# fit: {sigma: null} for a group: its errors are then equal and estimated. fit: {loss: soft_l1} is for data with outliers.
outputs:
${outputs.join('\n')}

# The initial values, which are run first.
start:
${start.join('\n')}

jobs: 1            # runs at a time
timeout: 1 h       # of one run
maximumRuns: ${Math.max(100, 10 * estimated.length)}   # designed runs included
`,
  };
}

function commandLines(command: readonly string[] | undefined, { commands }: PestControl): string {
  if (command !== undefined) {
    const words = command.map((word) => JSON.stringify(word));
    return `This command replaces its model command.\ncommand: [${words.join(', ')}]`;
  }
  return `A key "command" here replaces its model command:\n#   ${commands.join('\n#   ')}`;
}

function refuseSizes({ observations }: PestControl, estimated: readonly PestParameter[], name: string): void {
  if (estimated.length === 0) throw new PestFileError(`${name}: no parameter is estimated; all are fixed or tied.`);
  if (estimated.length > MOST_INPUTS) {
    throw new PestFileError(
      `${name}: ${estimated.length} parameters are estimated, but a search takes at most ${MOST_INPUTS}: fix or tie some, or keep PEST.`,
    );
  }
  const fitted = observations.filter((one) => isFitted(one, true)).length;
  if (fitted === 0) {
    throw new PestFileError(
      `${name}: all observations have weight 0 or are regularisation, so there is nothing to fit.`,
    );
  }
  if (fitted > MOST_OUTPUTS) {
    throw new PestFileError(
      `${name}: ${fitted} observations have a weight, but a search takes at most ${MOST_OUTPUTS}: give some of them weight 0.`,
    );
  }
}

function within({ initial, lower, upper }: PestParameter): number {
  return Math.min(upper, Math.max(lower, initial));
}

/** Ratio of bounds from which a logarithmic scale is the default, so that the plain one must be stated. */
const WIDE = 1_000;

function scaleOf({ transform, lower, upper }: PestParameter): readonly string[] {
  if (transform === 'log') return ['scale: log'];
  return lower > 0 && upper >= WIDE * lower ? ['scale: linear'] : [];
}

function inputLine(one: PestParameter, { priors }: PestControl): string {
  const { name, lower, upper } = one;
  const prior = priors
    .filter(({ group, weight }) => weight > 0 && !isRegularisation(group) && limitOfGroup(group) === undefined)
    .find((each) => each.terms[0]!.parameter === name && likelyRange(each, one) !== undefined);
  const range = prior && likelyRange(prior, one);
  const parts = [
    ...(name.length > LONGEST_INPUT ? [`parameter: ${quote(name)}`] : []),
    `minimum: ${lower}`,
    `maximum: ${upper}`,
    ...scaleOf(one),
    ...(range ? [`likely: [${range.map((end) => Number(end.toPrecision(6))).join(', ')}]`] : []),
  ];
  const said = range ? `  # ${prior!.name}` : '';
  return `  ${nameLine(name, LONGEST_INPUT)}: {${parts.join(', ')}}${said}`;
}

/** A name that is too long is cut, and a number keeps it apart from others. */
function nameLine(name: string, longest: number): string {
  if (name.length <= longest) return quote(name);
  let hash = 0;
  for (const letter of name) hash = (hash * 31 + letter.codePointAt(0)!) % 1_000_003;
  return quote(`${name.slice(0, longest - 8)}-${hash}`);
}

/** Groups as fits, and observations that are limits to PESTPP-IES as limits. */
function outputLines({ observations }: PestControl): {
  readonly lines: readonly string[];
  readonly notes: readonly string[];
} {
  const groups = Map.groupBy(observations, ({ group }) => group);
  const lines: string[] = [];
  const [unfitted, regularised, limited]: [string[], string[], string[]] = [[], [], []];
  for (const [group, own] of groups) {
    const weighted = own.filter(({ weight }) => weight > 0);
    const limits = own.filter(({ limit }) => limit !== undefined);
    const ofGroup = group.length > LONGEST_OUTPUT ? [`group: ${quote(group)}`] : [];
    const groupLine = (keys: readonly string[]) => `${nameLine(group, LONGEST_OUTPUT)}: {${keys.join(', ')}}`;
    if (isRegularisation(group)) regularised.push(group);
    else if (weighted.length === 0) unfitted.push(group);
    else {
      if (limits.length < weighted.length) {
        lines.push(`  ${groupLine(ofGroup)}  # ${describeGroup(own, weighted.length - limits.length)}`);
      }
      if (limits.length === 0) continue;
      limited.push(group);
      lines.push(
        `  # Limits to PESTPP-IES, and data to PEST and PESTPP-GLM. To fit them, replace the lines of ${group} by`,
        `  # ${groupLine([...ofGroup, 'fitLimits: true'])}`,
        ...limits.map((one) => `  ${limitLine(one, groups)}  # ${group}`),
      );
    }
  }
  return {
    lines,
    notes: [
      ...(unfitted.length > 0 ? [`Weight 0, so not fitted: the observations of ${listSome(unfitted)}.`] : []),
      ...(regularised.length > 0
        ? [`Regularisation is no data and left out: the observations of ${listSome(regularised)}.`]
        : []),
      ...(limited.length > 0
        ? [
            `Limits to PESTPP-IES, and data to PEST and PESTPP-GLM, became limits, which hold whatever their weight: observations of ${listSome(limited)}. To fit them, write fitLimits: true for the group instead.`,
          ]
        : []),
    ],
  };
}

function limitLine({ name, limit }: PestObservation, groups: ReadonlyMap<string, unknown>): string {
  const isTaken = name.length > LONGEST_OUTPUT || groups.has(name);
  const key = isTaken ? nameLine(`limit ${name}`, LONGEST_OUTPUT) : quote(name);
  return `${key}: {${[`observation: ${quote(name)}`, ...goalOf(limit!)].join(', ')}}`;
}

function goalOf({ atLeast, atMost }: PestLimit): readonly string[] {
  if (atLeast === undefined) return [`atMost: ${atMost}`];
  if (atMost === undefined) return [`atLeast: ${atLeast}`];
  return [`target: ${(atLeast + atMost) / 2}`, `within: ${(atMost - atLeast) / 2}`];
}

function describeGroup(own: readonly PestObservation[], fitted: number): string {
  const limits = own.filter(({ limit }) => limit !== undefined).length;
  const rest = [
    ...(limits > 0 ? [`, ${limits} of them limits`] : []),
    ...(own.length > fitted + limits ? [`, ${own.length - fitted - limits} of weight 0`] : []),
  ].join('');
  if (own.length === 1) return `1 observation, ${own[0]!.name}`;
  return `${own.length} observations, ${own[0]!.name} to ${own.at(-1)!.name}${rest}`;
}

function heldNotes({ parameters }: PestControl): readonly string[] {
  const fixed = parameters.filter(({ transform }) => transform === 'fixed').map(({ name }) => name);
  const tied = parameters.filter(({ parent }) => parent !== null).map(({ name, parent }) => `${name} to ${parent}`);
  const beyond = parameters
    .filter((one) => one.parent !== null && mayLeaveBounds(one, parameters))
    .map(({ name }) => name);
  return [
    ...(fixed.length > 0 ? [`Fixed, as in the control file: ${listSome(fixed)}.`] : []),
    ...(tied.length > 0 ? [`Tied, as in the control file: ${listSome(tied)}.`] : []),
    ...(beyond.length > 0
      ? [
          `May leave its own bounds while it follows another one: ${listSome(beyond)}. Narrow the bounds of that one to prevent it.`,
        ]
      : []),
  ];
}

/** Whether a tied parameter leaves its own bounds while the one that it follows is within its bounds. */
function mayLeaveBounds({ initial, lower, upper, parent }: PestParameter, all: readonly PestParameter[]): boolean {
  const above = all.find(({ name }) => name === parent)!;
  const ends = [above.lower, above.upper].map((end) => (end * initial) / above.initial);
  const slack = 1e-9 * Math.max(...ends.map(Math.abs));
  return lower < upper && (Math.min(...ends) < lower - slack || Math.max(...ends) > upper + slack);
}

/** Prior information that is no likely range. */
function priorNotes({ priors, parameters }: PestControl): readonly string[] {
  const used = new Set<string>();
  const [taken, left, regularised]: [string[], string[], string[]] = [[], [], []];
  const [limits, unweighted]: [string[], string[]] = [[], []];
  for (const prior of priors) {
    const { name, group, terms, weight } = prior;
    const one = parameters.find((parameter) => parameter.name === terms[0]!.parameter)!;
    const isEstimated = one.transform === 'log' || one.transform === 'none';
    if (isRegularisation(group)) regularised.push(name);
    else if (weight === 0) unweighted.push(name);
    else if (limitOfGroup(group) !== undefined) limits.push(name);
    else if (isEstimated && !used.has(one.name) && likelyRange(prior, one) !== undefined) {
      used.add(one.name);
      taken.push(name);
    } else left.push(name);
  }
  return [
    ...(taken.length > 0
      ? [
          `Prior information became likely ranges, of two standard errors, and no part of chi-square: ${listSome(taken)}.`,
        ]
      : []),
    ...(left.length > 0
      ? [`Prior information that is left out: ${listSome(left)}. A likely range is about one parameter.`]
      : []),
    ...(unweighted.length > 0 ? [`Prior information of weight 0 is left out: ${listSome(unweighted)}.`] : []),
    ...(limits.length > 0
      ? [`Prior information that is a limit to PEST++ is left out: ${listSome(limits)}. State a constraint for it.`]
      : []),
    ...(regularised.length > 0 ? [`Regularisation is left out: ${listSome(regularised)}.`] : []),
  ];
}
