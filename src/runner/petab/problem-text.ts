/** The text of a new problem file from a PEtab problem. */
import { type NewText, quote } from '../files/new-problem-file.ts';
import { PetabError } from './petab-error.ts';
import { errorsOf, nameOfSet, type PetabParameter, type PetabProblem, type PetabSet } from './petab-problem.ts';
import { notesOnPriors } from './priors.ts';

const MOST_INPUTS = 200;

/**
 * @param petab   the name of the PEtab problem, as the problem file names it
 * @param file    the name of the problem file
 * @param copies  what the simulator needs beside it
 *
 * Throws PetabError for what cannot be a problem.
 */
export function formatPetabProblem(
  problem: PetabProblem,
  {
    petab,
    file,
    command,
    copies,
  }: { petab: string; file: string; command: readonly string[]; copies: readonly string[] },
): NewText {
  const errors = errorsOf(problem);
  const inputs = problem.parameters.filter(({ id, isEstimated }) => isEstimated && !errors.includes(id));
  if (inputs.length > MOST_INPUTS || inputs.length === 0) {
    const found = inputs.length === 0 ? 'no parameter of the model' : `${inputs.length} parameters`;
    throw new PetabError(`${petab}: ${found} would be estimated, but a search takes 1 to ${MOST_INPUTS}.`);
  }
  const start = inputs.every(({ nominal, lower, upper }) => nominal! >= lower! && nominal! <= upper!);
  return {
    notes: notesOn(problem, errors, start),
    text: `# Written by \`backsolve init --from ${petab}\`; docs/problem-file.md explains every key. Edit it as you like.
# Look for mistakes: backsolve run --check ${file}     Solve it: backsolve run ${file}
name: ${quote(problem.name)}

# The PEtab problem has the rest: measurements with their times, noise and conditions, and parameters that are not estimated.
petab: ${quote(petab)}

# The simulator. It runs once per condition, in a folder with copies of these files, in which the parameter table has the values of
# the run, and the measurement tables the rows of the condition. It leaves simulations.tsv, a table like that of the measurements
# with the column simulation.
command: [${command.map((word) => JSON.stringify(word)).join(', ')}]
copies: [${copies.map(quote).join(', ')}]

# Parameters that are estimated.
inputs:
${inputs.map((one) => inputLine(one)).join('\n')}

# Measurements of one observable under one condition, with their noise. For data with outliers: fit: {loss: soft_l1}.
outputs:
${problem.sets.map((set) => `  ${quote(nameOfSet(set, problem))}: {}  # ${describeSet(set)}`).join('\n')}
${start ? `\n# The nominal values, which are run first.\nstart:\n${inputs.map(({ id, nominal }) => `  ${quote(id)}: ${nominal}`).join('\n')}\n` : ''}
jobs: 1            # runs at a time
timeout: 1 h       # of one run
maximumRuns: ${Math.max(100, 10 * inputs.length)}   # designed runs included
`,
  };
}

function scaleOf({ lower, upper, scale }: PetabParameter): readonly string[] {
  if (scale === 'log' || scale === 'log10') return ['scale: log'];
  const isWide = lower! > 0 && upper! >= 1_000 * lower!;
  return scale === 'lin' && isWide ? ['scale: linear'] : [];
}

function inputLine(parameter: PetabParameter): string {
  const { id, lower, upper, prior } = parameter;
  const likely = prior?.likely;
  const range = likely && [Math.max(lower!, likely[0]), Math.min(upper!, likely[1])];
  const stated =
    range && range[0]! < range[1]! ? [`likely: [${range.map((end) => Number(end.toPrecision(6))).join(', ')}]`] : [];
  return `  ${quote(id)}: {${[`minimum: ${lower}`, `maximum: ${upper}`, ...scaleOf(parameter), ...stated].join(', ')}}`;
}

function describeSet({ measurements, transformation, noise }: PetabSet): string {
  const count = measurements.length === 1 ? '1 measurement' : `${measurements.length} measurements`;
  const compared = transformation === 'lin' ? '' : `, compared by ${transformation}`;
  return `${count}${compared}${'parameter' in noise ? `, error ${noise.parameter} estimated` : ''}`;
}

function notesOn(problem: PetabProblem, errors: readonly string[], hasStart: boolean): readonly string[] {
  const fixed = problem.parameters.filter(({ isEstimated }) => !isEstimated).map(({ id }) => id);
  return [
    ...(fixed.length > 0 ? [`Not estimated, as in the PEtab problem: ${fixed.join(', ')}.`] : []),
    ...(errors.length > 0
      ? [`Estimated as the error of data, not as an input: ${[...new Set(errors)].join(', ')}.`]
      : []),
    ...notesOnPriors(problem.parameters, errors),
    ...(hasStart ? [] : ['There is no start, because not all parameters have a nominal value within their bounds.']),
    ...problem.notes,
  ];
}
