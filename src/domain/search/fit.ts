/**
 * Fits: outputs of type fit belong to data sets. The targets of these outputs are the measured values; one without a value is a gap,
 * which counts nothing. What a run is worth is one number, its misfit (numbers/misfit.ts).
 */
import { FIT_LOSSES, type FitGoal, type FitLoss, misfitOf, residualsOf, sumOfSquares } from '../../numbers/misfit.ts';
import { makeViolation, type Violation } from '../errors.ts';
import { refOutput, refTerm } from '../messages.ts';
import { checkLength, toFinite } from '../vectors.ts';

/** Stored as the target of a gap: clients state null. */
export const GAP = Number.POSITIVE_INFINITY;

/** The standard errors of a data set: of all values, of each, or a share of each value; null: equal and unknown. */
export type Sigma = number | readonly (number | null)[] | { readonly relative: number } | null;

/** A data set as it is stored. */
export interface FitOption {
  readonly name: string | null;
  /** Zero-based, each of type fit. */
  readonly outputs: readonly number[];
  readonly sigma: Sigma;
  readonly weight: number;
  readonly loss: FitLoss;
}

/** As a client states it. */
export interface SentFit {
  readonly name?: string | null;
  /** Numbers from 0 or names; all outputs of type fit when left out. */
  readonly outputs?: readonly (number | string)[] | null;
  readonly sigma?: Sigma;
  readonly weight?: number | null;
  readonly loss?: FitLoss | null;
}

export { FIT_LOSSES };

const FIT_WEIGHT = { least: 1e-6, largest: 1e6 } as const;

/** The part of a definition that a fit needs. */
export interface FitDefinition {
  readonly objectives: readonly number[];
  readonly options?: { readonly fits?: readonly FitOption[] } | null;
}

export function fitOutputs(objectiveTypes: readonly string[]): readonly number[] {
  return Array.from(objectiveTypes.keys()).filter((j) => objectiveTypes[j] === 'fit');
}

/** The record of valid data sets; undefined without a fit. One that is not stated holds all outputs of type fit. */
export function fitOptionsOf(
  sent: readonly SentFit[] | null | undefined,
  objectiveTypes: readonly string[],
): readonly FitOption[] | undefined {
  const all = fitOutputs(objectiveTypes);
  if (all.length === 0) return undefined;
  return (sent ?? [{}]).map(({ name, outputs, sigma, weight, loss }) => ({
    name: name ?? null,
    outputs: outputs == null ? all : outputs.map(Number),
    sigma: sigma ?? null,
    weight: weight ?? 1,
    loss: loss ?? 'linear',
  }));
}

/** The data sets of a definition without their gaps; empty without a fit. */
export function fitGoalsOf({ objectives, options }: FitDefinition): readonly FitGoal[] {
  return (options?.fits ?? []).map(({ outputs, sigma, weight, loss }) => {
    const known = outputs.flatMap((output, i) => (objectives[output] === GAP ? [] : [{ output, i }]));
    const values = known.map(({ output }) => objectives[output]!);
    const sigmas = sigma === null ? null : known.map(({ i }, k) => sigmaAt(sigma, i, values[k]!)!);
    return { outputs: known.map(({ output }) => output), values, sigmas, weight, loss };
  });
}

function sigmaAt(sigma: NonNullable<Sigma>, i: number, value: number): number | null {
  if (typeof sigma === 'number') return sigma;
  return 'relative' in sigma ? sigma.relative * Math.abs(value) : (sigma[i] ?? null);
}

/** null without a fit. */
export function misfitOfOutput(definition: FitDefinition, output: readonly number[]): number | null {
  const fits = fitGoalsOf(definition);
  return fits.length === 0 ? null : misfitOf(fits, output);
}

/**
 * Orders runs as their misfit does, and is easier to read: the misfit itself, so chi-square or the sum of a robust loss, where all standard
 * errors are known; otherwise the root mean square of the residuals, of several data sets the weighted geometric mean of theirs.
 * At least 0, finite.
 */
export function readableMisfit(fits: readonly FitGoal[], output: ArrayLike<number>, offset = 0): number {
  const misfit = misfitOf(fits, output, offset);
  if (fits.every(({ sigmas }) => sigmas !== null)) return misfit;
  const points = fits.reduce((sum, { values, weight }) => sum + weight * values.length, 0);
  return toFinite(Math.exp(misfit / (2 * points)));
}

/** Distance of an output from one data set. */
export interface SetMisfit {
  /** Whether residuals are in standard errors, so that the sum is chi-square; otherwise they are in units of the output. */
  readonly isInErrors: boolean;
  readonly sumOfSquares: number;
  readonly points: number;
}

/** One per data set; empty without a fit. */
export function misfitsOfSets(definition: FitDefinition, output: readonly number[]): readonly SetMisfit[] {
  return fitGoalsOf(definition).map((fit) => {
    const residuals = residualsOf(fit, output);
    return { isInErrors: fit.sigmas !== null, sumOfSquares: sumOfSquares(residuals), points: residuals.length };
  });
}

interface Fields {
  readonly objectives?: readonly number[];
  readonly objectiveTypes?: readonly string[];
  readonly fits?: readonly SentFit[] | null;
  readonly weights?: readonly (number | null)[] | null;
  readonly priorities?: readonly (number | null)[] | null;
  readonly noise?: unknown;
}

/** All violations of the data sets and of what cannot go with them. */
export function checkFits(fields: Fields): readonly Violation[] {
  const { objectives = [], objectiveTypes = [], fits } = fields;
  const all = fitOutputs(objectiveTypes);
  if (all.length === 0) {
    const message = 'must be left out: no output has the type fit.';
    return fits != null && objectiveTypes.length > 0 ? [makeViolation(['fits'], message)] : [];
  }
  const options = fitOptionsOf(fits, objectiveTypes)!;
  const violations = options.flatMap((fit, k) =>
    checkFit(fit, fits ? ['fits', k] : ['objectives'], objectives, objectiveTypes),
  );
  return [...violations, ...checkMembership(options, all), ...checkCompany(fields, all)];
}

type Path = readonly (string | number)[];

function checkFit(
  { outputs, sigma, weight, loss }: FitOption,
  path: Path,
  objectives: readonly number[],
  types: readonly string[],
): readonly Violation[] {
  const violations: Violation[] = [];
  const refuse = (at: Path, message: string) => violations.push(makeViolation([...path, ...at], message));
  outputs.forEach((j, i) => {
    if (types[j] !== 'fit')
      refuse(['outputs', i], `must be the number of an output of type fit, is ${refOutput(j, `${j}`)}.`);
  });
  const known = outputs.filter((j) => objectives[j] !== undefined && objectives[j] !== GAP);
  if (known.length === 0) refuse([], 'must have at least one output with a measured value.');
  if (!(weight >= FIT_WEIGHT.least && weight <= FIT_WEIGHT.largest)) {
    refuse(['weight'], `must be from ${FIT_WEIGHT.least} to ${FIT_WEIGHT.largest}, is ${weight}.`);
  }
  if (!FIT_LOSSES.includes(loss)) refuse(['loss'], `must be one of ${FIT_LOSSES.join(', ')}, is ${loss}.`);
  if (loss !== 'linear' && sigma === null) {
    refuse(['sigma'], `is required with the loss ${loss}: it says from where on a residual counts less.`);
  }
  if (sigma !== null && typeof sigma === 'object' && !('relative' in sigma)) {
    violations.push(...checkLength([...path, 'sigma'], sigma, outputs.length, 'output of the data set'));
    if (sigma.length !== outputs.length) return violations;
  }
  outputs.forEach((j, i) => {
    const value = objectives[j];
    if (sigma === null || value === undefined || value === GAP || Number.isNaN(value)) return;
    const one = sigmaAt(sigma, i, value);
    if (one !== null && one > 0 && Number.isFinite(one)) return;
    if (typeof sigma === 'object' && 'relative' in sigma) {
      const reason =
        value === 0
          ? `is a share of the value, which is 0 at ${refOutput(j, `output ${j}`)}: state a number`
          : 'must be positive';
      if (i === 0 || value === 0) refuse(['sigma', 'relative'], `${reason}.`);
    } else if (typeof sigma === 'number') {
      if (i === 0) refuse(['sigma'], `must be positive and finite, is ${sigma}.`);
    } else refuse(['sigma', i], `must be a positive number where there is a value, is ${one}.`);
  });
  return violations;
}

/** Each output of type fit belongs to one data set. */
function checkMembership(options: readonly FitOption[], all: readonly number[]): readonly Violation[] {
  const count = new Map<number, number>();
  for (const { outputs } of options) for (const j of outputs) count.set(j, (count.get(j) ?? 0) + 1);
  const twice = all.filter((j) => (count.get(j) ?? 0) > 1);
  const missing = all.filter((j) => !count.has(j));
  const list = (outputs: readonly number[]) =>
    outputs
      .slice(0, 5)
      .map((j) => refOutput(j, `${j}`))
      .join(', ') + (outputs.length > 5 ? ', ...' : '');
  return [
    ...(twice.length > 0
      ? [makeViolation(['fits'], `must name each output once, has ${list(twice)} more than once.`)]
      : []),
    ...(missing.length > 0
      ? [makeViolation(['fits'], `must name every output of type fit, lacks ${list(missing)}.`)]
      : []),
  ];
}

/** A fit is minimized among the runs that meet all other targets, so these are limits. */
function checkCompany(
  { objectiveTypes = [], weights, priorities, noise }: Fields,
  all: readonly number[],
): readonly Violation[] {
  const violations: Violation[] = [];
  objectiveTypes.forEach((type, j) => {
    if (type !== 'minimize' && type !== 'maximize' && type !== 'exact') return;
    const message = `must not be ${refTerm(type)} beside a fit, which is what the search minimizes: state a limit, or add the value to the fit.`;
    violations.push(makeViolation(['objectiveTypes', j], message));
  });
  all.forEach((j) => {
    if (weights?.[j] == null || weights[j] === 1) return;
    violations.push(
      makeViolation(
        ['weights', j],
        `must be 1 or ${refTerm('left out', 'null')} for an output of type fit: use the weight of its data set.`,
      ),
    );
  });
  if (priorities != null) {
    violations.push(makeViolation(['priorities'], 'must be left out with a fit: its limits come first anyway.'));
  }
  if (noise != null) {
    violations.push(makeViolation(['noise'], 'must be left out with a fit: state the errors of the data as sigma.'));
  }
  return violations;
}
